"""The bflo command, run as a person runs it, also where things are not as usual; and the advice it gives."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bflo_viz import __version__, _advice, _places, cli

ROOT = Path(__file__).parents[1]
BFLO = [sys.executable, "-m", "bflo_viz"]


def bflo(*arguments, **environment):
    """The command with other variables."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run([*BFLO, *arguments], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")


def test_version():
    """The command tells the version of the package."""
    assert bflo("--version").stdout == f"bflo-viz {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "required: COMMAND"),
        (("lba",), "invalid choice: 'lba'"),
        *((("lab", "--port", port), f"65535, but it was '{port}'\n") for port in ("-1", "65536", "1e3", "")),
    ],
)
def test_a_typing_mistake_gets_a_sentence(arguments, words, capsys):
    """Usage and one line, before anything is started."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(list(arguments))
    last = capsys.readouterr().err.splitlines(keepends=True)[-1]
    assert stopped.value.code == 2 and last.startswith("bflo") and words in last


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_commands_write_utf8(encoding):
    """Whatever the system would have: no command fails at a sign of a table, or at bytes in the name of a file."""
    shown = bflo("table", "table1", "--format", "markdown", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (shown.returncode, shown.stderr) == (0, "") and "±" in shown.stdout
    refused = bflo("run", "demo", "--protocol", b"/nowhere/\xff.toml", PYTHONIOENCODING=encoding)
    assert refused.returncode == 1 and refused.stderr.startswith("bflo: ") and refused.stderr.count("\n") == 1


def test_lab_says_what_it_misses(monkeypatch, capsys, tmp_path):
    """JupyterLab, the course, a folder that is still there, a home that can be written."""

    def problem():
        assert cli.main(["lab"]) == 1
        return capsys.readouterr().err

    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("Jupyter was started"))
    (tmp_path / "file").touch()
    with monkeypatch.context() as patch:
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "XDG_DATA_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(tmp_path / "file"))
        sentence = problem()
        assert sentence.startswith("bflo: JupyterLab needs a home folder that can be written (")
        assert sentence.endswith("run  export HOME=FOLDER  and try again.\n")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.setattr(_places, "__file__", str(tmp_path / "site-packages" / "bflo_viz" / "_places.py"))
    monkeypatch.setattr(_places, "_installed_from", lambda: [])
    assert problem().startswith("bflo: there is no notebooks/00_start_here.ipynb here or above: change to")
    (tmp_path / "folder").rmdir()
    assert problem().startswith("bflo: this folder has been deleted: change to the folder of the course")
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert problem().endswith("[lab]'  and try again.\n")


def test_lab_starts_without_launchers(monkeypatch, tmp_path):
    """Those of a folder such as `My $course` do not start: a shell would read its name."""
    started = []
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(os, "execv", lambda _, command: started.extend(command) or sys.exit(0))
    with pytest.raises(SystemExit):
        cli.main(["lab", "--no-browser"])
    assert started[:4] == [sys.executable, "-P", "-m", "jupyterlab"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_lab_serves_the_first_notebook_and_stops_cleanly(tmp_path):
    """With no display: an address in the log that answers with the notebook; an interrupt ends it at once."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "DISPLAY"))}
    log = tmp_path / "log"
    terminal, stdin = os.openpty()  # a person sits at a terminal, and Jupyter asks whether one does
    with log.open("w") as output:
        server = subprocess.Popen(
            [*BFLO, "lab", "--port", "18888"],
            cwd=ROOT,
            env=environment | {"HOME": str(tmp_path)},
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    pattern = r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/00_start_here\.ipynb\?token=\w+"
    try:
        address = eventually(lambda: re.search(pattern, log.read_text()))[0]
        assert b"JupyterLab" in eventually(lambda: answer(address))
        assert b"Belief flows: start here" in answer(address.replace("/lab/tree/", "/api/contents/"))
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


def eventually(look):
    for _ in range(600):
        if seen := look():
            return seen
        time.sleep(0.1)
    raise AssertionError("it did not come within a minute")


def answer(address):
    """What a server says; nothing if it does not listen yet."""
    try:
        with urllib.request.urlopen(address, timeout=60) as response:
            return response.read()
    except urllib.error.URLError:
        return b""


def test_with_no_network_there_is_advice(tmp_path):
    """The list and what is bundled need no network; what must be fetched gets one sentence."""
    offline = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    offline |= {"XDG_CACHE_HOME": str(tmp_path), "NO_PROXY": "", "no_proxy": "", "BFLO_DATA": ""}
    fetched = bflo("data", "fetch", "digits", "eeg", **offline)
    assert fetched.returncode == 1 and "digits" in fetched.stdout and fetched.stderr.count("\n") == 1
    why = "could not be downloaded (archive.ics.uci.edu: the connection failed"
    assert fetched.stderr.startswith(f"bflo: eeg is not here and {why}")
    assert "put EEG Eye State.arff into the folder that BFLO_DATA names" in fetched.stderr


def advised(sentence):
    """The command in a sentence, as a shell reads it."""
    return shlex.split(re.fullmatch(r"run  (.*)  and try again\.", sentence)[1])


@pytest.mark.skipif(os.name == "nt", reason="its shell quotes otherwise")
def test_advice_names_this_python_and_the_folder_of_the_course(monkeypatch, tmp_path):
    """With its extra and its pins, wherever one stands; an installed copy without the folder names the package."""
    home = tmp_path / "My $Kurs"
    home.mkdir()
    monkeypatch.setattr(_advice, "HOME", home)
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python")
    pip = ["/opt/my python/bin/python", "-m", "pip", "install"]
    assert advised(_advice.missing("numba", "lab")) == [*pip, "numba"]
    assert _advice.install_course("lab").startswith("cd FOLDER-OF-THE-COURSE && ")
    (home / "pyproject.toml").touch()
    expected = [*pip, "-c", f"{home}/constraints.txt", "-e", f"{home}[lab]"]
    assert advised(_advice.missing("jupyterlab", "lab")) == expected


def test_no_advice_names_the_course_as_a_package_or_any_python():
    """Nobody has it on an index, so anybody could; and `python` is often another one."""
    for path in (ROOT / "bflo_viz").rglob("*.py"):
        assert not re.search(r"bflo-viz\[|\bpython3? -m pip|[\"' ]pip install", path.read_text()), path
