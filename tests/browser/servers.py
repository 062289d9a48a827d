"""JupyterLab on this machine, for as long as a test needs it, with settings of its own."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat

import bflo_viz

HOST = "127.0.0.1"
_OPEN = [
    "--no-browser",
    f"--ip={HOST}",  # nobody else can reach it, so it asks for no token
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--ServerApp.answer_yes=True",
]
_SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/apputils-extension:notification": {"doNotDisturbMode": True},
}


class Server:
    """A server that runs: where it listens, and the folder it shows."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder

    def write(self, name: str, cells: Sequence[str]) -> str:
        """Write a notebook of code cells into the folder; return its name."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        )
        nbformat.write(notebook, self.folder / name)
        return name


@contextlib.contextmanager
def lab(folder: Path) -> Iterator[Server]:
    """JupyterLab as ``bflo lab`` opens it, but silent about itself and open to the tests."""
    settings = folder / ".settings"
    settings.mkdir(parents=True)
    ours = json.loads((Path(bflo_viz.__file__).parent / "lab_settings" / "overrides.json").read_text())
    for plugin, values in _SETTINGS.items():
        ours.setdefault(plugin, {}).update(values)
    (settings / "overrides.json").write_text(json.dumps(ours))
    port = _free_port()
    options = [
        *_OPEN,
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.app_settings_dir={settings}",
        "--LabApp.expose_app_in_browser=True",  # as window.jupyterapp: how the tests run cells
        "--LabApp.news_url=None",
        "--LabApp.extension_manager=readonly",
        *(["--allow-root"] if os.geteuid() == 0 else []),
    ]
    with _running("jupyterlab", options, folder, f"http://{HOST}:{port}/api/status"):
        yield Server(f"http://{HOST}:{port}", folder)


@contextlib.contextmanager
def _running(module: str, options: list[str], folder: Path, answers_at: str) -> Iterator[None]:
    """Start ``python -m module``, wait until it answers, and end it and its kernels."""
    own = {f"JUPYTER_{what}_DIR": str(folder / f".{what.lower()}") for what in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"IPYTHONDIR": str(folder / ".ipython"), "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    log = folder / f".{module}.log"
    with log.open("w") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *options],
            cwd=folder,
            env=os.environ | own,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C in the tests reaches us, and we end it in order
        )
        try:
            _wait(process, answers_at, log)
            yield
        finally:
            _end(process)


def _wait(process: Any, url: str, log: Path, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start; it said:\n{log.read_text()[-3000:]}")


def _end(process: Any) -> None:
    """Ask it to stop, which stops its kernels first; insist if it does not."""
    for ask, patience in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, ask)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
