"""Protocols: those that come with the experiments, those of a user, and what is said of a wrong one."""

import dataclasses
import json
import subprocess
import sys

import pytest

from bflo_viz._errors import UserError
from bflo_viz.experiments.protocol import TITLES, load_protocol, names
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe

SOUND = """
runs = 2
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 100 }
[streams.DRIFT]
load = "drifting"
options = { rows = 100 }
[learners.SGD]
kind = "SGD"
[learners.BLANG]
kind = "Langevin"
noise = 0.0
"""


@pytest.fixture
def load(tmp_path):
    """Load a protocol of a user."""

    def load(text, quick=False):
        (tmp_path / "mine.toml").write_text(text)
        return load_protocol("table1", str(tmp_path / "mine.toml"), quick=quick)

    return load


def keys(protocol):
    return [trial.key for trial in protocol.trials()]


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(("experiment", "name"), [(e, name) for e in TITLES for name in names(e)])
def test_every_built_in_protocol_loads(experiment, name, quick):
    """Only `printed` was not fitted, but for the backgrounds of IMAGES; quick ones need no files."""
    protocol = load_protocol(experiment, name, quick=quick)
    assert protocol.about.endswith(".") and protocol.name == (f"{name}-quick" if quick else name)
    part = "the backgrounds of IMAGES" if experiment == "table2" else False
    assert protocol.fitted == (part if name == "printed" else True)
    assert ("fitted to the printed numbers" in protocol.title) == bool(protocol.fitted)
    made = {"breast-cancer", "digits", "two-gaussians", "sparse-logistic", "drifting", "demo-2d"}
    assert not quick or {recipe.load for recipe in protocol.streams.values()} <= made
    assert len(set(keys(protocol))) == len(keys(protocol))


def test_a_file_alone_on_a_base_and_quick(load):
    """What a file says replaces what was there; ``false`` takes a table away; it needs no text about it."""
    own = load("\ufeff" + SOUND)
    assert (own.runs, own.noise, own.layers, own.fitted, own.about) == (2, (0.0,), (), False, "")
    assert own.streams["CLOUDS"] == StreamRecipe("two-gaussians", options={"rows": 100})
    assert own.learners["BLANG"] == LearnerRecipe("Langevin", {"noise": 0.0})
    quick = load(SOUND, quick=True)
    assert list(quick.streams) == ["CANCER", "DIGITS", "SPARSE", "CLOUDS", "DRIFT"] and quick.name == "mine-quick"
    base = load_protocol("table1")
    wide = load('base = "inferred"\nruns = 3\n[learners.BFLO]\nstd = 0.7\n[learners]\nAROW = false\n')
    assert wide.learners["BFLO"].options == {**base.learners["BFLO"].options, "std": 0.7}
    assert list(wide.learners) == ["SGD", "BLANG", "BFLO"] and wide.streams == base.streams and wide.runs == 3


# The keys of runs


def test_whatever_matters_is_in_the_key_and_nothing_else(load):
    """Each field, and each field of its parts; not the name, the text and the number of runs."""
    first = load(SOUND).trials()[0]
    again = load('about = "x."\n' + SOUND.replace("runs = 2", "runs = 4")).trials()[0]
    assert first.key == again.key
    strange = {"load": "demo-2d", "split": "shuffled", "final": "sample", "share": 0.7, "steps": ("bias",)}

    def change(part, name):
        value = getattr(part, name)
        flip = {bool: lambda: not value, dict: lambda: {"rows": 7}, tuple: lambda: (2, 3, 1), str: lambda: "other"}
        new = strange.get(name) or flip.get(type(value), lambda: value + 1)()
        return dataclasses.replace(part, **{name: new})

    places = [field.name for field in dataclasses.fields(first) if field.name not in ("recipe", "settings")]
    others = {change(first, name).key for name in places}
    for part in ("recipe", "settings"):
        for field in dataclasses.fields(getattr(first, part)):
            others.add(dataclasses.replace(first, **{part: change(getattr(first, part), field.name)}).key)
    assert len(others | {first.key}) == 1 + len(places) + 7 + 4


CODE = """
import json, sys
from bflo_viz.experiments import Store, load_protocol, run
with Store(sys.argv[1] + "/runs.sqlite") as store:
    report = run(load_protocol("demo", sys.argv[1] + "/own.toml"), store, jobs=int(sys.argv[2]))
    print(json.dumps([report.done, report.failed, {f"{row.stream} {row.learner}": row.online for row in store}]))
"""
LEARNER = """
from bflo_viz import SGD
class Mine(SGD):
    def run(self, X, y, rng, **options):
        return super().run(X, y ^ WRONG, rng, **options)
WRONG = 0
"""
OWN = """
runs = 1
[streams.CLOUDS]
load = "own_streams:clouds"
options = { distance = 3.0 }
[learners.MINE]
kind = "own_learner:Mine"
[learners.SGD]
kind = "SGD"
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_code_of_a_user_lies_beside_the_protocol_and_runs_anew_when_it_was_edited(tmp_path, jobs):
    """Its digest is in the key; the runs of others stay."""
    stream = "from bflo_viz import load_stream\ndef clouds(rng, **options):\n    return load_stream('two-gaussians', "
    (tmp_path / "own_streams.py").write_text(stream + "rng=rng, rows=100, **options)\n")
    (tmp_path / "own.toml").write_text(OWN)
    found = []
    for text in (LEARNER, LEARNER, LEARNER.replace("WRONG = 0", "WRONG = 1")):
        (tmp_path / "own_learner.py").write_text(text)
        command = [sys.executable, "-B", "-c", CODE, tmp_path, str(jobs)]
        found.append(json.loads(subprocess.run(command, capture_output=True, check=True, cwd="/").stdout))
    assert [done for done, _, _ in found] == [2, 0, 1] and not any(failed for _, failed, _ in found)
    assert found[0][2]["CLOUDS MINE"] < 20 < 80 < found[2][2]["CLOUDS MINE"]


@pytest.mark.parametrize("experiment", ["table1", "table2"])
def test_the_ends_of_the_switches_are_the_protocols_printed_and_inferred(experiment):
    """Run for run: all first options the one, all last options the other."""
    protocol = load_protocol(experiment, "workbench")
    assert len(protocol.variants()) == {"table1": 48, "table2": 24}[experiment]
    for name, place in (("printed", 0), ("inferred", -1)):
        chosen = {switch: list(one.options)[place] for switch, one in protocol.switches.items()}
        assert keys(protocol.with_switches(**chosen)) == keys(load_protocol(experiment, name))
    every = [keys(variant) for variant in protocol.variants().values()]
    assert len(keys(protocol)) == len(set(keys(protocol))) and set(keys(protocol)) == set().union(*every)
    switch = next(iter(protocol.switches))
    for wrong, culprit in (
        ({"eegs": "kept"}, "no switch 'eegs'"),
        ({switch: "much"}, f"no option of {switch} 'much'"),
    ):
        with pytest.raises(ValueError, match=f"there is {culprit}: there are "):
            protocol.with_switches(**wrong)


WRONG = {
    "rons": SOUND.replace("runs", "rons"),
    r"streams\.CLOUDS: .*'two-gausians'": SOUND.replace("two-gaussians", "two-gausians"),
    r"a step must be .*'bais'": SOUND.replace("options", 'steps = ["bais"]\noptions', 1),
    "share must be between 0 and 1": SOUND.replace("options", "share = 1\noptions", 1),
    r"learners\.SGD: kind must be .*'SDG'": SOUND.replace('"SGD"', '"SDG"'),
    r"learners\.BLANG: .*etta": SOUND + "etta = 0.1\n",
    "noise must be shares from 0 to 1": "noise = [2.0]\n" + SOUND,
    "there must be a stream and a learner": SOUND[: SOUND.index("[learners")],
    "mine.toml could not be read": "runs: 2\n",
    "'gone:Gone' could not be loaded: ModuleNotFound": SOUND.replace('"SGD"', '"gone:Gone"'),
}


@pytest.mark.parametrize("culprit", WRONG)
def test_a_wrong_file_gets_one_sentence_that_names_the_culprit(load, culprit):
    with pytest.raises(UserError, match=culprit) as caught:
        load(WRONG[culprit])
    assert "mine.toml" in str(caught.value) and "\n" not in str(caught.value)
