"""The bflo command, run as a person runs it."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bflo_viz import __version__, _places, cli
from bflo_viz.cli import lab

ROOT = Path(__file__).parents[1]
BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]


def bflo(*arguments, **options):
    return subprocess.run([*BFLO, *arguments], capture_output=True, text=True, **options)


def test_version():
    """The command tells the version of the package."""
    assert bflo("--version").stdout == f"bflo-viz {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("lba",), ("lab", "--port", "x")])
def test_a_typing_mistake_gets_a_sentence(arguments):
    """Wrong words on the command line: usage and one line, no traceback."""
    result = bflo(*arguments)
    assert result.returncode == 2
    assert "bflo" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_lab_without_jupyterlab_names_the_cure(monkeypatch, capsys):
    """JupyterLab is an extra: without it, the message says how to get it."""
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert cli.main(["lab"]) == 1
    assert "[lab]'  and try again." in capsys.readouterr().err


def test_lab_without_the_course_says_where_to_go(monkeypatch, capsys, tmp_path):
    """Outside of the course, the message says what was looked for."""
    monkeypatch.chdir(tmp_path)
    installed = tmp_path / "site-packages" / "bflo_viz" / "_places.py"
    monkeypatch.setattr(_places, "__file__", str(installed))
    monkeypatch.setattr(_places, "_installed_from", lambda: [])
    assert cli.main(["lab"]) == 1
    assert "notebooks/00_start_here.ipynb" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_lab_serves_the_first_notebook_and_stops_cleanly(tmp_path):
    """With no display: an address in the log that answers with the notebook; an interrupt ends it at once."""
    home = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")} | {"HOME": str(tmp_path)}
    home.pop("DISPLAY", None)
    log = tmp_path / "log"
    terminal, stdin = os.openpty()  # a person sits at a terminal, and Jupyter asks whether one does
    with log.open("w") as output:
        server = subprocess.Popen(
            [*BFLO, "lab", "--port", "18888"],
            cwd=ROOT,
            env=home,
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        address = _wait_for(log, r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/00_start_here\.ipynb\?token=\w+")
        assert b"JupyterLab" in _answer(address)
        contents = address.replace("/lab/tree/", "/api/contents/")
        assert b"Belief flows: start here" in _answer(contents)
    finally:
        server.send_signal(signal.SIGINT)
        try:
            code = server.wait(timeout=30)
        finally:
            server.kill()
            server.wait()
            os.close(terminal)
            os.close(stdin)
    assert code == 0


@pytest.fixture
def no_network(tmp_path):
    """An environment in which nothing is here, and nothing can be reached."""
    dead = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    kept = {k: v for k, v in os.environ.items() if k.upper() not in ("BFLO_DATA", "NO_PROXY")}
    return kept | dead | {"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}


def test_data_with_no_network_tells_what_works_and_what_to_do(no_network):
    """The list needs no network; a fetch fails with one sentence a stream, and not with a traceback."""
    listed = bflo("data", env=no_network)
    assert listed.returncode == 0 and listed.stderr == ""
    assert listed.stdout.index("digits") < listed.stdout.index("need a download") < listed.stdout.index("covtype")
    assert "BFLO_DATA" in listed.stdout and "covtype.data.gz" in listed.stdout
    fetched = bflo("data", "fetch", "covtype", env=no_network)
    assert fetched.returncode == 1 and "Traceback" not in fetched.stderr
    (sentence,) = [line for line in fetched.stderr.splitlines() if line.startswith("bflo:")]
    assert "covtype is not here and could not be downloaded (archive.ics.uci.edu: the connection failed" in sentence
    assert "put covtype.data.gz into the folder that BFLO_DATA names" in sentence


def test_streams_without_files_work_with_no_network(no_network):
    """What is bundled loads; what is not gives its sentence last."""
    code = """
from bflo_viz.streams import load_stream
print(load_stream("digits"), load_stream("demo-2d").rows)
load_stream("covtype")
"""
    run = subprocess.run([sys.executable, "-c", code], env=no_network, capture_output=True, text=True)
    assert run.stdout == "<Stream digits: 1,797 rows x 64 features, dense uint8> 10000\n"
    last = run.stderr.splitlines()[-1]
    assert "StreamError: covtype is not here and could not be downloaded" in last and last.endswith(".")


def _answer(address):
    """What a server says that has told its address, and may need a moment until it listens."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.read()
        except urllib.error.URLError as problem:
            if not isinstance(problem.reason, ConnectionRefusedError):
                raise
        time.sleep(0.1)
    raise AssertionError(f"{address} refuses every connection")


def _wait_for(log, pattern):
    for _ in range(600):
        found = re.search(pattern, log.read_text())
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(f"no {pattern} in:\n{log.read_text()}")
