"""`bflo run` and `bflo table`, as a person uses them."""

import os
import subprocess
import sys

import pytest

from bflo_viz import cli, experiments

BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]
SMALL = ["table1", "--quick", "--streams", "CANCER,DIGITS", "--runs", "2", "--jobs", "1"]


@pytest.fixture
def bflo(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder with neither files nor a network: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BFLO_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    def call(*arguments):
        code = cli.main(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def test_quick_needs_no_network_says_what_it_is_and_goes_on(bflo):
    """The first command does the runs and shows the table, the second finds them all."""
    code, out, err = bflo("run", *SMALL)
    assert (code, err) == (0, "")  # not a terminal: no display
    assert "protocol inferred, quick" in out and "the paper has no numbers for them" in out
    assert "32 runs done now, 0 kept before" in out and "CANCER" in out and "DIGITS" in out
    code, again, err = bflo("run", *SMALL)
    assert (code, err) == (0, "") and "0 runs done now, 32 kept before" in again
    table = out[out.index("Online error") :]
    assert again.endswith(table)
    code, shown, err = bflo("table", *SMALL[:-2], "--store", "bflo_results.sqlite")
    assert (code, err) == (0, "") and shown.endswith(table)


def test_what_is_missing_is_told_and_the_rest_is_shown(bflo):
    """The exit code says that not all is there; of the results of the course, as many runs as are asked for."""
    code, out, err = bflo("run", "table1", "--streams", "MUSHROOM", "--learners", "SGD", "--runs", "1", "--jobs", "1")
    assert code == 1 and err.startswith("bflo: MUSHROOM is missing: ") and "0 runs done now, 0 kept before" in out
    code, out, err = bflo("table", "demo", "--runs", "2")
    assert (code, err) == (0, "") and "All 10 runs are here, 2 for each number." in out


def test_every_form_of_a_table(bflo):
    """Text, Markdown, LaTeX and HTML of the results that come with the course; and learners compared."""
    shown = {form: bflo("table", "table1", "--format", form) for form in ("text", "markdown", "latex", "html")}
    assert all(code == 0 and err == "" for code, _, err in shown.values())
    assert all("COVTYPE" in out and "fitted" in out and "37.03" in out for _, out, _ in shown.values())
    assert "<table" in shown["html"][1] and "\\toprule" in shown["latex"][1] and "|:---" in shown["markdown"][1]
    code, out, _ = bflo("table", "table1", "--compare", "SGD", "BFLO")
    assert code == 0 and "COVTYPE" in out and "interval" in out


def test_a_protocol_is_shown_to_be_copied(bflo, tmp_path):
    """What --show prints is a protocol of one's own when it is saved; with a change it runs as another one."""
    code, out, _ = bflo("run", "demo", "--show")
    assert code == 0
    (tmp_path / "mine.toml").write_text(out.replace("eta = 0.0105", "eta = 0.1"))
    code, out, err = bflo("run", "demo", "--protocol", "mine.toml", "--runs", "1", "--jobs", "1")
    assert (code, err) == (0, "") and "protocol mine" in out and "5 runs done now" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "tabel1"], "there is no experiment 'tabel1': did you mean 'table1'?"),
        (["table", "table3"], "there is no experiment 'table3'"),
        (["run", "table1", "--protocol", "infered"], "there is no protocol 'infered' of table1"),
        (["run", "table1", "--protocol", "gone.toml"], "gone.toml could not be read: No such file"),
        (["run", "table1", "--streams", "MUSHROM"], "there is no stream 'MUSHROM': did you mean 'MUSHROOM'?"),
        (["run", "table1", "--learners", "sgd"], "there is no learner 'sgd': did you mean 'SGD'?"),
        (["run", "table1", "--extra", "Nherd"], "there is no extra learner 'Nherd': did you mean 'NHERD'?"),
        (["run", *SMALL, "--store", "no/folder/x.sqlite"], "no/folder/x.sqlite cannot be used"),
        (["table", "table1", "--store", "gone.sqlite"], "there is no store gone.sqlite"),
        (["table", "table1", "--compare", "SGD", "BFLOW"], "there is no learner 'BFLOW': did you mean 'BFLO'?"),
    ],
)
def test_a_typing_mistake_gets_one_sentence(bflo, arguments, words):
    """What was wrong, and what there is; nothing else is printed."""
    code, out, err = bflo(*arguments)
    assert code == 1 and words in err
    assert err.startswith("bflo: ") and len(err.splitlines()) == 1 and "Traceback" not in out


@pytest.mark.skipif(os.name == "nt", reason="Windows has no head")
def test_a_reader_that_has_read_enough(tmp_path):
    """`bflo table … | head -1` ends without a word."""
    command = " ".join(f"'{part}'" for part in [*BFLO, "run", "demo", "--show"])
    shell = f"({command}; echo $? > code) 2> problems | (exec <&-; sleep 1)"
    subprocess.run(["sh", "-c", shell], cwd=tmp_path, check=True)
    assert (tmp_path / "problems").read_text() == "" and (tmp_path / "code").read_text().strip() == "1"


def test_an_interrupt_keeps_what_was_done(bflo, monkeypatch):
    """Ctrl-C: one sentence, and the same command goes on from there."""

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(experiments, "run", stop)
    code, _, err = bflo("run", *SMALL)
    assert code == 130 and err.endswith("in bflo_results.sqlite, and the same command goes on from there.\n")


def test_the_names_are_loaded_when_they_are_used():
    """Importing the package of experiments loads nothing else; a name that is not there is told as Python does."""
    code = "import bflo_viz.experiments, sys; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
    with pytest.raises(AttributeError, match=r"'bflo_viz\.experiments' has no attribute 'tabel'"):
        experiments.tabel  # noqa: B018
    assert all(callable(getattr(experiments, name)) for name in experiments.__all__)


def test_switches_are_run_and_told_of(bflo):
    """Every combination, each run once; the results of the course are told in the same words, and go on as all do."""
    some = [
        "table1",
        "--protocol",
        "workbench",
        "--quick",
        "--streams",
        "CANCER",
        "--learners",
        "BLANG",
        "--runs",
        "1",
    ]
    code, out, err = bflo("run", *some, "--jobs", "1")
    assert (
        (code, err) == (0, "") and "16 runs done now, 0 kept before" in out and "96 combinations of 6 switches" in out
    )
    code, again, err = bflo("run", *some, "--jobs", "1")
    assert (code, err) == (0, "") and "0 runs done now, 16 kept before" in again
    code, out, err = bflo("table", "table1", "--protocol", "workbench")
    assert (code, err) == (0, "") and "   10.25  all first options: split=shuffled" in out and "is fitting" in out
    code, out, err = bflo("table", "table1", "--protocol", "workbench", "--compare", "SGD", "BFLO")
    assert code != 0 and err.count("\n") == 1
