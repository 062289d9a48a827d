"""Protocols: those that come with the experiments, those of a user, and what is said of a wrong one."""

import dataclasses
import json
import subprocess
import sys

import pytest
from fake_results import SMALL

from bflo_viz._checks import UserError
from bflo_viz.experiments.protocol import TITLES, load_protocol, names
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe


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


def test_a_file_stands_alone_or_changes_its_base(own):
    """What a file says replaces what was there; ``false`` takes a table away; it needs no text about it."""
    alone = own("\ufeff" + SMALL, "table1")
    assert (alone.runs, alone.noise, alone.layers, alone.fitted, alone.about) == (2, (0.0,), (), False, "")
    assert alone.streams["CLOUDS"] == StreamRecipe("two-gaussians", options={"rows": 400})
    assert alone.learners["BFLO"] == LearnerRecipe("BeliefFlow", final="sample")
    quick = own(SMALL, "table1", quick=True)
    assert list(quick.streams) == ["CANCER", "DIGITS", "SPARSE", "CLOUDS", "DRIFT"] and quick.name == "own-quick"
    base = load_protocol("table1")
    wide = own('base = "inferred"\nruns = 3\n[learners.BFLO]\nstd = 0.7\n[learners]\nAROW = false\n', "table1")
    assert wide.learners["BFLO"].options == {**base.learners["BFLO"].options, "std": 0.7}
    assert list(wide.learners) == ["SGD", "BLANG", "BFLO"] and wide.streams == base.streams and wide.runs == 3


def test_whatever_matters_is_in_the_key_and_nothing_else(own):
    """Each field, and each field of its parts; not the name, the text and the number of runs."""
    first = own().trials()[0]
    again = own('about = "x."\n' + SMALL.replace("runs = 2", "runs = 4")).trials()[0]
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


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_code_of_a_user_lies_beside_the_protocol_and_runs_anew_when_it_was_edited(tmp_path, jobs):
    """Its digest is in the key; the runs of others stay."""
    stream = "from bflo_viz import load_stream\ndef clouds(rng, **options):\n    return load_stream('two-gaussians', "
    (tmp_path / "own_streams.py").write_text(stream + "rng=rng, distance=3.0, **options)\n")
    text = SMALL.replace('"two-gaussians"', '"own_streams:clouds"', 1).replace("runs = 2", "runs = 1")
    (tmp_path / "own.toml").write_text(text.replace('"BeliefFlow"', '"own_learner:Mine"'))
    found = []
    for text in (LEARNER, LEARNER, LEARNER.replace("WRONG = 0", "WRONG = 1")):
        (tmp_path / "own_learner.py").write_text(text)
        command = [sys.executable, "-B", "-c", CODE, tmp_path, str(jobs)]
        found.append(json.loads(subprocess.run(command, capture_output=True, check=True, cwd="/").stdout))
    assert [done for done, _, _ in found] == [4, 0, 2] and not any(failed for _, failed, _ in found)
    assert found[0][2]["CLOUDS BFLO"] < 20 < 80 < found[2][2]["CLOUDS BFLO"]


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
    with pytest.raises(ValueError, match="there is no switch 'eegs': there are "):
        protocol.with_switches(eegs="kept")


def test_an_option_changes_every_stream_and_then_one(own):
    text = '[switches.s]\nhelp = ""\noptions.a = { text = "", mark = "", '
    text += "every_stream = { share = 0.5 }, streams = { FRESH = { share = 0.6 } } }\n"
    (variant,) = own(SMALL + text).variants().values()
    assert [stream.share for stream in variant.streams.values()] == [0.5, 0.6]


WRONG = {
    r"streams\.CLOUDS: .*'two-gausians'": SMALL.replace("two-gaussians", "two-gausians"),
    r"learners\.SGD: kind must be .*'module:Class', but it was 'SDG'": SMALL.replace('"SGD"', '"SDG"'),
    r"learners\.MINE: it has no kind: give one, or begin the file with a line": SMALL
    + "[learners.MINE]\neta = 1.0\n",
    r"learners\.BFLO: BeliefFlow has no setting 'etta'": SMALL + "etta = 0.1\n",
    "noise must be shares from 0 to 1": "noise = [2.0]\n" + SMALL,
    r"there must be a \[streams.NAME\], a \[learners": SMALL[: SMALL.index("[learners")],
    r"switches\.s: there is no stream 'X'": '[switches.s.options.a]\ntext = ""\nmark = ""\nstreams = { X = {} }',
    r"learners\.BFLO: .*out of range": SMALL + 'std = 1e308\nbelief = "full"\n',
    "own.toml could not be read": "runs: 2\n",
    "'gone:Gone' could not be loaded: ModuleNotFound": SMALL.replace('"SGD"', '"gone:Gone"'),
}


@pytest.mark.parametrize("culprit", WRONG)
def test_a_wrong_file_gets_one_sentence_that_names_the_culprit(own, culprit):
    with pytest.raises(UserError, match=culprit) as caught:
        own(WRONG[culprit])
    assert "own.toml" in str(caught.value) and "\n" not in str(caught.value)
