"""Learners and streams that a protocol names as code: when they run, from where, and what runs anew when edited."""

import os
import subprocess
import sys

import pytest

from bflo_viz import cli
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run

LEARNER = """
from bflo_viz import SGD
print("brought in")
class Mine(SGD):
    def __init__(self, features, model=None, *, eta=0.1):
        super().__init__(features, model, eta=eta)
    def run(self, X, y, rng, **options):
        return super().run(X, y ^ WRONG, rng, **options)
WRONG = 0
"""
STREAM = """
from bflo_viz import load_stream
def clouds(rng, distance=2.0):
    return load_stream("two-gaussians", rng=rng, rows=100, distance=distance + MORE)
MORE = 1
"""
AT = 1_000_000_000  # when all files were written: an edit in the same second
PROTOCOL = """
runs = 1
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 100 }
[streams.OWN]
load = "own_streams:clouds"
options = { distance = 3.0 }
[learners.MINE]
kind = "own_learner:Mine"
[learners.SGD]
kind = "SGD"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a protocol and the code that it names; one works in another one."""
    folder, elsewhere = tmp_path / "mine", tmp_path / "elsewhere"
    folder.mkdir(), elsewhere.mkdir()
    (folder / "own_learner.py").write_text(LEARNER)
    (folder / "own_streams.py").write_text(STREAM)
    (folder / "own.toml").write_text(PROTOCOL)
    for file in folder.iterdir():
        os.utime(file, (AT, AT))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    yield folder
    for name in ("own_learner", "own_streams"):
        sys.modules.pop(name, None)


def bflo(*arguments, capsys):
    code = cli.main(list(arguments))
    told = capsys.readouterr()
    return code, told.out, told.err


def done(folder):
    with Store(folder / "runs.sqlite") as store:
        outcome = run(load_protocol("demo", str(folder / "own.toml")), store)
        return outcome.done, {(row.stream, row.learner): row.online_mistakes for row in store}


@pytest.mark.parametrize(
    ("file", "old", "new", "anew"),
    [
        ("own_learner.py", "WRONG = 0", "WRONG = 1", {("CLOUDS", "MINE"), ("OWN", "MINE")}),
        ("own_streams.py", "MORE = 1", "MORE = 0", {("OWN", "MINE"), ("OWN", "SGD")}),
    ],
)
def test_what_was_edited_runs_anew(folder, file, old, new, anew):
    """In the same process too; the rest is kept, and is all there is if nothing changed."""
    assert done(folder)[0] == 4
    assert done(folder)[0] == 0
    before = done(folder)[1]
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    count, after = done(folder)
    assert count == len(anew) == 2
    assert {place for place in before if before[place] != after[place]} == anew


def test_a_key_without_own_code_is_as_it_was(folder):
    """Nothing of one's own, nothing more in the key."""
    trials = {(t.stream, t.learner): t for t in load_protocol("demo", str(folder / "own.toml")).trials()}
    assert trials["CLOUDS", "SGD"].key == "8a9d6b9ad28573cb0ea5246b914d7d05"
    assert trials["CLOUDS", "MINE"].settings.source and not trials["CLOUDS", "MINE"].recipe.source


def test_code_that_changes_after_the_protocol_was_read_is_refused(folder, tmp_path):
    """Its results would be kept as those of the code before."""
    protocol = load_protocol("demo", str(folder / "own.toml"))
    (folder / "own_learner.py").write_text(LEARNER.replace("WRONG = 0", "WRONG = 1"))
    with pytest.raises(ValueError, match=r"'own_learner:Mine' has changed since the protocol was read"):
        run(protocol, tmp_path / "runs.sqlite")


def test_a_table_runs_nothing_that_a_protocol_names(folder, capsys):
    """A run does, and works from any folder and in several processes."""
    where = ("demo", "--protocol", str(folder / "own.toml"), "--store", "runs.sqlite")
    code, out, err = bflo("run", *where, "--jobs", "2", capsys=capsys)
    assert (code, err) == (0, "") and "4 runs done now" in out and out.count("brought in") == 1
    del sys.modules["own_learner"], sys.modules["own_streams"]
    code, out, err = bflo("table", *where, capsys=capsys)
    assert (code, err) == (0, "") and "MINE" in out and "brought in" not in out
    assert not {"own_learner", "own_streams"} & set(sys.modules)


RUIN = "super().__init__(features, model, eta=eta)"
WRONG = {
    "not ours": ('"os:system"', {}, "'os:system' was not found"),
    "two names": ('"own_learner:SGD.run"', {}, "has no attribute"),
    "a function": ('"own_learner:function"', {}, "must be a class that is a Learner of bflo_viz"),
    "a class": ('"own_learner:Class"', {}, "must be a class that is a Learner of bflo_viz"),
    "abstract": ('"bflo_viz:Learner"', {}, "must be a class that is a Learner of bflo_viz"),
    "elsewhere": ('"elsewhere:Mine"', {}, "'elsewhere:Mine' was not found"),  # of the folder where one works
    "an exit": ('"own_learner:Mine"', {"WRONG = 0": "raise SystemExit(3)"}, "not be loaded: SystemExit: 3."),
    "an import": ('"own_learner:Mine"', {"WRONG = 0": "import no_such"}, "ModuleNotFoundError: No module named"),
    "no making": ('"own_learner:Mine"', {RUIN: "{}['eta']"}, "could not be made: KeyError: 'eta'."),
    "an exit in the making": ('"own_learner:Mine"', {RUIN: "raise SystemExit"}, "not be made: SystemExit."),
}


@pytest.mark.parametrize("name", WRONG)
def test_code_that_is_no_learner_is_refused_in_a_sentence(folder, capsys, name):
    """What it is gets looked at before it is called."""
    kind, edits, words = WRONG[name]
    text = (
        LEARNER
        + "\nimport os\ndef function(command):\n    os.system(command)\nclass Class:\n    __init__ = function\n"
    )
    for old, new in edits.items():
        text = text.replace(old, new)
    (folder / "own_learner.py").write_text(text)
    (folder.parent / "elsewhere" / "elsewhere.py").write_text(LEARNER)
    command = "" if edits else '\ncommand = "touch ran"'
    (folder / "own.toml").write_text(PROTOCOL.replace('"own_learner:Mine"', kind + command))
    code, _, err = bflo("run", "demo", "--protocol", str(folder / "own.toml"), "--jobs", "1", capsys=capsys)
    assert code == 1 and words in err and len(err.splitlines()) == 1 and err.count("..") == 0
    assert not os.path.exists("ran")


@pytest.mark.slow
def test_files_beside_a_protocol_do_not_take_the_place_of_installed_modules(folder):
    """Neither in the folder of the protocol nor in the one where one works, whether it names code or not."""
    for name in ("random", "queue", "joblib", "sqlite3", "sklearn", "numpy"):
        for place in (folder, folder.parent / "elsewhere"):
            (place / f"{name}.py").write_text("raise SystemExit(3)")
    command = "import sys; sys.path.remove(''); from bflo_viz.cli import main; sys.exit(main())"
    for protocol in (str(folder / "own.toml"), "inferred"):
        arguments = ["run", "demo", "--protocol", protocol, "--runs", "1", "--learners", "SGD", "--jobs", "2"]
        told = subprocess.run([sys.executable, "-c", command, *arguments], capture_output=True, text=True)
        assert (told.returncode, told.stderr) == (0, ""), told.stderr


def test_a_learner_that_ends_python_ends_its_own_runs_only(folder):
    """The others are done."""
    (folder / "own_learner.py").write_text(LEARNER.replace("return super", "raise SystemExit(4)\n        super"))
    outcome = run(load_protocol("demo", str(folder / "own.toml")), folder / "runs.sqlite")
    assert outcome.done == 2
    assert outcome.failed == dict.fromkeys(["CLOUDS MINE run 0", "OWN MINE run 0"], "SystemExit: 4")
