"""The bflo command, run as a person runs it."""

import contextlib
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

from bflo_viz import cli, experiments
from bflo_viz.experiments.tables import FORMATS

ROOT = Path(__file__).parents[1]
BFLO = [sys.executable, "-m", "bflo_viz"]
SMALL = ["table1", "--quick", "--streams", "CANCER,DIGITS", "--runs", "2", "--jobs", "1"]
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
OFFLINE |= {"NO_PROXY": "", "no_proxy": "", "BFLO_DATA": ""}


def bflo(*arguments, **environment):
    environment = os.environ | environment
    return subprocess.run([*BFLO, *arguments], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")


def test_a_number_that_is_not_understood_gets_the_usage():
    with pytest.raises(SystemExit, match="2"):
        cli.main(["run", "demo", "--runs", "0"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "table1", "--protocol", "infered"], "there is no protocol 'infered'"),
        (["run", "table1", "--extra", "Nherd"], "there is no extra learner 'Nherd': there are NHERD"),
        (["run", *SMALL, "--store", "no/folder/x.sqlite"], "no/folder/x.sqlite cannot be used"),
        (["table", "table1", "--learners", "BFLOW"], "there is no learner 'BFLOW'"),
        (["table", "table1", "--store", "no.sqlite"], "there is no store no.sqlite: bflo run"),
        (["data", "fetch", "a9b"], "did you mean 'a9a'"),
        (["data", "fetch"], "name the streams to fetch"),
        (["figures", "regime_mop"], "did you mean 'regime_map'"),
        (["figures", "--format", "gif"], "no format 'gif'"),
        (["figures", "--out", "/dev/null/x"], "not be written"),
    ],
)
def test_a_mistake_of_the_user_gets_one_sentence(arguments, words, capsys):
    assert cli.main(arguments) == 1
    told = capsys.readouterr()
    assert told.err.startswith("bflo: ") and words in told.err and told.err.count("\n") == 1 and not told.out


def test_a_data_folder_that_is_missing_gets_one_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BFLO_DATA", str(tmp_path / "gone"))
    store = str(tmp_path / "x.sqlite")
    assert cli.main(["run", "table1", "--streams", "EEG", "--learners", "SGD", "--runs", "1", "--store", store]) == 1
    assert re.fullmatch(r"bflo: BFLO_DATA names .*gone, which is not a folder: .*\n", capsys.readouterr().err)


def test_quick_needs_no_network_and_goes_on(tmp_path, monkeypatch, capsys):
    """The first command does the runs and shows the table, the second finds them all; a missing stream stops it."""
    monkeypatch.chdir(tmp_path)
    for name, value in {**OFFLINE, "XDG_CACHE_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    counts = []
    for command in (["run", *SMALL], ["run", *SMALL], ["table", *SMALL[:-2], "--store", "bflo_results.sqlite"]):
        assert cli.main(command) == 0
        out, err = capsys.readouterr()
        assert not err and out.index("Online error (%), no") < out.index("32 of 32 runs are here")  # no display
        counts += re.findall(r"(\d+) runs done now, (\d+) kept", out)
    assert counts == [("32", "0"), ("0", "32")]
    assert cli.main(["run", "table1", "--streams", "MUSHROOM", "--learners", "SGD", "--jobs", "1"]) == 1
    assert capsys.readouterr().err.startswith("bflo: mushroom could not be downloaded (")


def test_runs_that_fail_are_told_together(tmp_path, capsys):
    path, store = tmp_path / "own.toml", str(tmp_path / "runs.sqlite")
    path.write_text('base = "inferred"\nlearners.SGD.eta = 1e308\n')
    assert cli.main(["run", *SMALL, "--learners", "SGD", "--protocol", str(path), "--store", store]) == 1
    assert re.match("bflo: CANCER SGD 0 % run 0 and 7 more failed: .* smaller steps", capsys.readouterr().err)


def test_every_form_of_a_table(capsys):
    """Of the results that come with the course: each format, some of the runs, a workbench."""
    for form in FORMATS:
        assert cli.main(["table", "table1", "--format", form]) == 0 and "37.03" in capsys.readouterr().out
    assert cli.main(["table", "demo", "--runs", "2"]) == 0 and "10 of 10 runs are here." in capsys.readouterr().out
    assert cli.main(["table", "table1", "--protocol", "workbench"]) == 0
    assert "the 48 of 48 combinations that have all runs" in capsys.readouterr().out


def test_a_table_of_a_protocol_without_runs_points_at_the_store(tmp_path, capsys):
    path = tmp_path / "own.toml"
    path.write_text('base = "inferred"\nlearners.SGD.eta = 0.1\n')
    assert cli.main(["table", "table1", "--protocol", str(path)]) == 1
    assert capsys.readouterr().err.endswith("come with the course; --store FILE shows your own.\n")


def test_extra_learners_stay_where_learners_are_chosen(capsys):
    assert cli.main(["table", "table1", "--learners", "SGD", "--extra", "Kalman", "--runs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Kalman" in shown and "BLANG" not in shown


def test_a_defect_keeps_its_traceback(monkeypatch):
    """A ValueError that no name or file of the user has caused is not dressed up as a sentence."""
    monkeypatch.setattr(experiments, "committed", lambda *_, **__: int("defect"))
    with pytest.raises(ValueError, match="defect"):
        cli.main(["table", "table1"])


def test_a_table_is_utf8_whatever_the_terminal_is():
    shown = bflo("table", "table1", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (shown.returncode, shown.stderr) == (0, "") and "±" in shown.stdout


def test_streams_are_listed(tmp_path):
    """Those that come along work now, and the others need a download."""
    listed = bflo("data", **OFFLINE, XDG_CACHE_HOME=str(tmp_path)).stdout
    now, need, _ = listed.split("\n\n")
    assert (
        "digits " in now and "1,797 x 64" in now and "eeg " in need and "1.7 MB" in need and str(tmp_path) in listed
    )


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
        with contextlib.suppress(urllib.error.URLError):
            if seen := look():
                return seen
        time.sleep(0.1)
    raise AssertionError("it did not come within a minute")


def answer(address):
    with urllib.request.urlopen(address, timeout=60) as response:
        return response.read()
