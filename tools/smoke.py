"""Try an installed copy, from an empty folder and with no network: ``python tools/smoke.py PYTHON``.

PYTHON is that of an environment with the package and JupyterLab in it. Whatever fails ends this with its output.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

# Found by every Python that is started here: connections leave this machine no more than they would from an island.
ISLAND = """
import socket
def _refused(self, address, _connect=socket.socket.connect):
    if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"there is no network in this test, but {address[0]} was asked for")
    return _connect(self, address)
def _nobody(host, *rest, _getaddrinfo=socket.getaddrinfo, **more):
    if host not in (None, "", "127.0.0.1", "::1", "localhost"):
        raise OSError(f"there is no network in this test, but {host} was asked for")
    return _getaddrinfo(host, *rest, **more)
socket.socket.connect, socket.getaddrinfo = _refused, _nobody
"""
FLOW = """
import numpy as np, bflo_viz
from bflo_viz import BeliefFlow, DiagonalBelief, RegimeExplorer
assert not str(bflo_viz.__file__).startswith({here!r}), bflo_viz.__file__
moved = DiagonalBelief([0.0], 1.0).flow([1.0], [0.0])
assert abs(moved.std[0] - 0.5**0.5) < 1e-12, moved
X = np.random.default_rng(0).normal(size=(400, 3))
record = BeliefFlow(DiagonalBelief(np.zeros(3), 0.1), eta=0.1).run(X, X[:, 0] > 0, np.random.default_rng(1))
assert record.error < 0.3, record
RegimeExplorer(delta=1.0, delta_new=-2.0).save_html("regime.html")
"""


def main() -> None:
    """Import, flow, learn, save a page, show a table, examine, and open the course."""
    python = Path(sys.argv[1]).absolute()
    with tempfile.TemporaryDirectory() as folder:
        elsewhere, island = Path(folder, "elsewhere"), Path(folder, "island")
        for place in (elsewhere, island):
            place.mkdir()
        (island / "sitecustomize.py").write_text(ISLAND)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON", "BFLO"))
        }
        there = {"cwd": elsewhere, "env": kept | {"HOME": str(elsewhere), "PYTHONPATH": str(island)}}

        def run(*command: object) -> str:
            done = subprocess.run([python, *map(str, command)], capture_output=True, text=True, timeout=300, **there)
            if done.returncode:
                sys.exit(f"{command} failed:\n{done.stdout}{done.stderr}")
            return done.stdout

        tried = subprocess.run(
            [python, "-c", "import socket; socket.create_connection(('example.org', 80))"],
            **there,
            capture_output=True,
        )
        assert b"there is no network in this test" in tried.stderr, tried.stderr
        run("-c", FLOW.format(here=str(Path(__file__).parents[1])))
        page = (elsewhere / "regime.html").read_text(encoding="utf-8")
        assert '"delta":1.0' in page
        print("a flow, a learner, a saved explorer")
        table = run("-m", "bflo_viz", "table", "table1")
        assert "MUSHROOM" in table, table
        examined = run("-m", "bflo_viz", "doctor")
        assert examined.endswith("All is well.\n"), examined
        print("a table, the doctor")
        asked = subprocess.run([python, "-m", "bflo_viz", "lab"], capture_output=True, text=True, **there)
        assert "say where to copy it" in asked.stderr, asked
        _open_the_course([str(python), "-m", "bflo_viz", "lab", "mine", "--no-browser"], there)
        print("the course in JupyterLab, from a copy")


def _open_the_course(command: list[str], there: dict[str, Any]) -> None:
    """Start JupyterLab on a copy of the course, ask it for the first lesson, and end it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        command = [*command, "--port", str(probe.getsockname()[1])]
    log = Path(str(there["cwd"]), "log")
    with log.open("w") as written:
        server = subprocess.Popen(
            command, stdout=written, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **there
        )  # type: ignore[call-overload]
    try:
        for _ in range(600):
            found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\S*\?token=(\w+)", log.read_text())
            if found or server.poll() is not None:
                break
            time.sleep(0.1)
        if not found:
            sys.exit(f"JupyterLab did not start:\n{log.read_text()}")
        address = f"{found[1]}/api/contents/notebooks/00_start_here.ipynb?token={found[2]}"
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert b"00_start_here" in answer.read()
    finally:
        for ending in (signal.SIGTERM, signal.SIGKILL):
            if server.poll() is None:
                server.send_signal(ending)
                server.wait(20)


if __name__ == "__main__":
    main()
