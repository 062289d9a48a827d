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

from bflo_viz import __version__, cli, experiments

ROOT = Path(__file__).parents[1]
BFLO = [sys.executable, "-m", "bflo_viz"]


def bflo(*arguments, **environment):
    """The command with other variables."""
    return subprocess.run(
        [*BFLO, *arguments], cwd=ROOT, env=os.environ | environment, capture_output=True, encoding="utf-8"
    )


def test_help_names_the_five_commands():
    assert bflo("--version").stdout == f"bflo-viz {__version__}\n"
    assert re.findall(r"^    (\w+) ", bflo("--help").stdout, re.MULTILINE) == [
        "lab",
        "data",
        "run",
        "table",
        "figures",
    ]


@pytest.mark.parametrize("arguments", [[], ["lba"], ["lab", "--port", "x"], ["run", "demo", "--runs", "0"]])
def test_a_word_that_is_not_understood_gets_the_usage(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments)
    assert capsys.readouterr().err.startswith("usage: bflo")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "tabel1"], "there is no experiment 'tabel1'"),
        (["table", "table1", "--compare", "SGD", "BFLOW"], "there is no learner 'BFLOW'"),
        (["data", "fetch", "a9b"], "did you mean 'a9a'"),
        (["data", "fetch"], "name the streams to fetch"),
        (["figures", "regime_mop"], "did you mean 'regime_map'"),
    ],
)
def test_a_mistake_of_the_user_gets_one_sentence(arguments, words, capsys):
    assert cli.main(arguments) == 1
    told = capsys.readouterr()
    assert told.err.startswith("bflo: ") and words in told.err and told.err.count("\n") == 1 and not told.out


def test_a_defect_keeps_its_traceback(monkeypatch):
    """A ValueError that no name or file of the user has caused is not dressed up as a sentence."""
    monkeypatch.setattr(experiments, "committed", lambda *_, **__: int("defect"))
    with pytest.raises(ValueError, match="defect"):
        cli.main(["table", "table1"])


def test_a_table_is_utf8_whatever_the_terminal_is():
    shown = bflo("table", "table1", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (shown.returncode, shown.stderr) == (0, "") and "±" in shown.stdout


def test_streams_are_listed_and_verified(tmp_path):
    """Those that come along work now, the others need a download, and what is here passes its check."""
    empty = {"XDG_CACHE_HOME": str(tmp_path), "BFLO_DATA": ""}
    now, need, _ = bflo("data", **empty).stdout.split("\n\n")
    assert "digits " in now and "1,797 x 64" in now and "eeg " in need and "1.7 MB" in need
    done = bflo("data", "verify", "digits", "eeg", **empty)
    assert done.stdout.startswith("digits          ok: <Stream digits: 1,797 rows")
    assert done.returncode == 1 and done.stderr.startswith("bflo: eeg is not here: run  bflo data fetch eeg.")


def test_without_a_network_the_sentence_says_where_to_put_the_file(tmp_path):
    offline = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    offline |= {"XDG_CACHE_HOME": str(tmp_path), "NO_PROXY": "", "no_proxy": "", "BFLO_DATA": ""}
    fetched = bflo("data", "fetch", "digits", "eeg", **offline)
    assert fetched.returncode == 1 and "digits" in fetched.stdout and fetched.stderr.count("\n") == 1
    assert "EEG Eye State.arff into " in fetched.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_lab_serves_the_first_notebook_and_stops_cleanly(tmp_path):
    """The address in the log answers with the notebook; an interrupt ends the server at once."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "DISPLAY"))}
    log = tmp_path / "log"
    terminal, stdin = os.openpty()  # a person sits at a terminal, and Jupyter asks whether one does
    with log.open("w") as output:
        server = subprocess.Popen(
            [*BFLO, "lab", "--port", "18888", "--no-browser"],
            cwd=ROOT,
            env=environment | {"HOME": str(tmp_path)},
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    pattern = r"http://127\.0\.0\.1:\d+/lab/tree/notebooks/01_three_learners\.ipynb\?token=\w+"
    try:
        address = eventually(lambda: re.search(pattern, log.read_text()))[0]
        assert b"JupyterLab" in eventually(lambda: answer(address))
        assert b'"writable": true' in answer(address.replace("/lab/tree/", "/api/contents/"))
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0
    finally:
        server.kill()
        server.wait()
        os.close(terminal)
        os.close(stdin)


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
