"""`bflo run` and `bflo table`, as a person uses them."""

import pytest

from bflo_viz import cli

SMALL = ["table1", "--quick", "--streams", "CANCER,DIGITS", "--runs", "2", "--jobs", "1"]


@pytest.fixture
def bflo(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder with neither files nor a network: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BFLO_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for proxy in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(proxy, "http://127.0.0.1:9")

    def call(*arguments):
        code = cli.main(list(arguments))
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


def test_quick_needs_no_network_and_goes_on(bflo):
    """The first command does the runs and shows the table, the second finds them all; what is missing is told."""
    code, out, err = bflo("run", *SMALL)
    assert (code, err) == (0, "") and "32 runs done now, 0 kept before" in out  # not a terminal: no display
    table = out[out.index("Online error") :]
    code, again, err = bflo("run", *SMALL)
    assert (code, err) == (0, "") and "0 runs done now, 32 kept before" in again and again.endswith(table)
    code, shown, err = bflo("table", *SMALL[:-2], "--store", "bflo_results.sqlite")
    assert (code, err) == (0, "") and shown.endswith(table)
    code, out, err = bflo("run", "table1", "--streams", "MUSHROOM", "--learners", "SGD", "--jobs", "1")
    assert code == 1 and err.startswith("bflo: MUSHROOM is missing: ") and "0 runs done now, 0 kept before" in out


def test_every_form_of_a_table(bflo):
    """Of the results that come with the course: each format, some runs, learners compared, a workbench."""
    shown = {form: bflo("table", "table1", "--format", form) for form in ("text", "markdown", "latex", "html")}
    assert all(code == 0 and err == "" and "37.03" in out for code, out, err in shown.values())
    assert "10 of 10 runs are here." in bflo("table", "demo", "--runs", "2")[1]
    assert "COVTYPE" in bflo("table", "table1", "--compare", "SGD", "BFLO")[1]
    assert "48 combinations of 5 switches, 48 of them" in bflo("table", "table1", "--protocol", "workbench")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "table1", "--protocol", "infered"], "there is no protocol 'infered'"),
        (["run", "table1", "--extra", "Nherd"], "there is no extra learner 'Nherd': there are NHERD"),
        (["run", *SMALL, "--store", "no/folder/x.sqlite"], "no/folder/x.sqlite cannot be used"),
        (["table", "table1", "--compare", "SGD", "BFLOW"], "there is no learner 'BFLOW'"),
    ],
)
def test_a_typing_mistake_gets_one_sentence(bflo, arguments, words):
    code, _, err = bflo(*arguments)
    assert code == 1 and words in err and err.startswith("bflo: ") and len(err.splitlines()) == 1
