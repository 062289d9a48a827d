"""Protocols: those that come with the experiments, those of a user, and every way to get one wrong."""

import dataclasses

import numpy as np
import pytest

from bflo_viz import load_stream
from bflo_viz.experiments.protocol import EXPERIMENTS, load_protocol, names, source
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe

BUILT_IN = [(experiment, name) for experiment in EXPERIMENTS for name in names(experiment)]
SOUND = """
runs = 2
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 100 }
[learners.SGD]
kind = "SGD"
"""


def own_stream(rng, *, count=4):
    """A stream of a user, with an option of its own."""
    return load_stream("two-gaussians", rng=rng, rows=count)


def written(tmp_path, text, name="mine.toml"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def options(protocol, learner):
    return protocol.learners[learner].options


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(("experiment", "name"), BUILT_IN)
def test_every_built_in_protocol_loads_and_is_frozen(experiment, name, quick):
    """Each has a text, runs and learners, and nothing in it can be set; quick ones need no files.

    Their settings are held by the results that come with the course: any change gives other keys.
    """
    protocol = load_protocol(experiment, name, quick=quick)
    assert protocol.experiment == experiment and protocol.about.endswith(".")
    assert protocol.name == (f"{name}, quick" if quick else name)
    assert protocol.fitted == (name != "printed")
    trials = protocol.trials()
    once = protocol.runs * len(protocol.noise) * len(protocol.streams) * len(protocol.learners)
    assert len(trials) > once if protocol.switches else len(trials) == once
    assert len({trial.key for trial in trials}) == len(trials)
    made = {"breast-cancer", "digits", "two-gaussians", "sparse-logistic", "drifting", "demo-2d"}
    assert not quick or {recipe.load for recipe in protocol.streams.values()} <= made
    parts = [protocol, trials[0], *protocol.streams.values(), *protocol.learners.values()]
    for part in parts:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, None)


def test_a_file_can_be_based_on_a_built_in_protocol(tmp_path):
    """What it says replaces what was there, the rest stays; its name is that of the file."""
    path = written(tmp_path, 'base = "inferred"\nruns = 3\n[learners.BFLO]\nstd = 0.7\n', "wide.toml")
    own, base = load_protocol("table1", path), load_protocol("table1", "inferred")
    assert (own.name, own.runs, own.noise) == ("wide", 3, base.noise)
    assert options(own, "BFLO") == {**options(base, "BFLO"), "std": 0.7}
    assert {k: v for k, v in own.learners.items() if k != "BFLO"} == {
        k: v for k, v in base.learners.items() if k != "BFLO"
    }
    assert own.streams == base.streams


def test_a_file_without_a_base_stands_alone_and_quick_takes_the_small_streams(tmp_path):
    """Whatever it does not say has a plain default."""
    own = load_protocol("demo", written(tmp_path, SOUND))
    assert (own.runs, own.noise, own.layers, own.fitted, own.extras) == (2, (0.0,), (), False, {})
    assert own.streams == {"CLOUDS": StreamRecipe("two-gaussians", options={"rows": 100})}
    assert own.learners == {"SGD": LearnerRecipe("SGD", {})}
    quick = load_protocol("table1", written(tmp_path, 'about = "x."\n' + SOUND), quick=True)
    assert list(quick.streams) == ["CANCER", "DIGITS", "SPARSE", "CLOUDS", "DRIFT"] and quick.name == "mine, quick"
    assert quick.learners == own.learners


WRONG = {
    "unknown key": (SOUND.replace("runs", "rons"), "rons.*'runs'"),
    "unknown stream": (SOUND.replace("two-gaussians", "two-gausians"), "CLOUDS.*two-gausians.*'two-gaussians'"),
    "a stream without a name": (SOUND.replace('load = "two-gaussians"', ""), r"streams\.CLOUDS.*load"),
    "unknown step": (SOUND.replace("options", 'steps = ["bais"]\noptions'), "CLOUDS.*'bais'.*bias"),
    "a share of one": (SOUND.replace("options", "share = 1\noptions"), "CLOUDS.*share.*1"),
    "a fresh file": (SOUND.replace("two-gaussians", "digits").replace("options", "fresh = true\noptions"), "fresh"),
    "unknown split": (SOUND.replace("options", 'split = "random"\noptions'), "CLOUDS.*split.*'random'"),
    "steps that are no list": (SOUND.replace("options", 'steps = "bias"\noptions'), "steps.*'bias'"),
    "unknown final": (SOUND + 'final = "median"\n', "SGD.*final.*'median'"),
    "negative final noise": (SOUND + "final_noise = -0.1\n", "SGD.*final_noise.*-0.1"),
    "fitted in words": ('fitted = "no"\n' + SOUND, "fitted.*'no'"),
    "no runs": (SOUND.replace("runs = 2", "runs = 0"), "runs.*0"),
    "unknown learner": (SOUND.replace('"SGD"', '"SDG"'), "SGD.*'SDG'"),
    "a learner without a kind": (SOUND.replace("kind", "kinds"), r"learners\.SGD.*kind"),
    "a learner that is no table": (SOUND.replace("[learners.SGD]\nkind", "[learners]\nSGD"), r"learners\.SGD"),
    "unknown setting": (SOUND + "etta = 0.1\n", "SGD.*'etta'.*eta"),
    "noise that is no list": ("noise = 0.2\n" + SOUND, r"noise.*0\.2"),
    "a single layer": ("layers = [5]\n" + SOUND, "sizes"),
    "a network for AROW": (
        "layers = [2, 3, 1]\n" + SOUND.replace('"SGD"', '"AROW"'),
        "AROW.* cannot learn a network",
    ),
    "unknown base": ('base = "infered"\n' + SOUND, "base.*inferred"),
    "a belief that is too wide": (
        SOUND + '[learners.WIDE]\nkind = "BeliefFlow"\nbelief = "full"\nstd = 1e200\n',
        "WIDE",
    ),
    "no learner at all": (SOUND[: SOUND.index("[learners")], "learners must be a table"),
    "a stream that is no table": (SOUND.replace("[streams.CLOUDS]", "[[streams.CLOUDS]]"), r"streams\.CLOUDS"),
    "a step with too many numbers": (SOUND.replace("options", 'steps = ["bias 3"]\noptions'), "'bias 3'"),
    "noise twice": ("noise = [0.2, 0.2]\n" + SOUND, "different shares"),
    "a text that is a number": ("about = 3\n" + SOUND, "about must be a text"),
    "no TOML": ("runs: 2\n", "mine.toml is not a TOML file"),
    "no text": (bytes(range(256)), "mine.toml could not be read: it is not text"),
}


@pytest.mark.parametrize(("text", "culprit"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_gets_one_sentence_that_names_the_culprit(tmp_path, text, culprit):
    """A ValueError of one line, with what was wrong in it, and the file that it is in."""
    with pytest.raises(ValueError, match=culprit) as caught:
        load_protocol("demo", written(tmp_path, text)).bring_code()
    assert type(caught.value) is ValueError
    said = str(caught.value)
    assert "mine" in said and "\n" not in said and said[-1] in ".?"


@pytest.mark.parametrize(
    ("experiment", "name", "culprit"),
    [
        ("table3", "inferred", "table3.*'table1'|'table2'"),
        ("demo", "infered", "'infered' of demo: there are inferred, printed"),
        ("demo", "quick", "'quick' of demo"),
        ("demo", "missing.toml", "missing.toml could not be read: No such file"),
        ("demo", "../protocols/demo-inferred", "there is no protocol"),
    ],
)
def test_a_wrong_name_gets_one_sentence(experiment, name, culprit):
    """Also one that would be a file of the package, but is not meant to be named."""
    for ask in (load_protocol, source):
        with pytest.raises(ValueError, match=culprit):
            ask(experiment, name)


def test_a_table_of_the_base_can_be_taken_away(tmp_path):
    """With ``false``: plain-fit and plain-centred do so with two streams."""
    assert all(list(load_protocol("table2", f"plain-{name}").streams) == ["PLAIN"] for name in ("fit", "centred"))
    less = 'base = "inferred"\n[learners]\nfull = false\n[streams.DEMO]\nshare = 0.5\n'
    protocol = load_protocol("demo", written(tmp_path, less))
    assert list(protocol.learners) == ["SGD", "diagonal", "spherical", "spherical exact"]
    assert protocol.streams["DEMO"].share == 0.5 and protocol.streams["DEMO"].fresh


def test_the_source_of_a_protocol_is_one_that_can_be_copied(tmp_path):
    """What is shown, saved under another name, does the same runs; a byte order mark is passed over."""
    copy = load_protocol("table2", written(tmp_path, "\ufeff" + source("table2", "shared")))
    keys = [trial.key for trial in copy.trials()]
    assert keys == [trial.key for trial in load_protocol("table2", "shared").trials()]
    assert source("table2", str(tmp_path / "mine.toml")) == source("table2", "shared")


CHANGES = {
    **{"experiment": "table1", "stream": "OTHER", "learner": "OTHER", "noise": 0.1, "run": 1, "layers": (2, 3, 1)},
    "recipe": [
        *({"load": "demo-2d"}, {"steps": ("bias",)}, {"options": {"rows": 101}}, {"fresh": True}, {"share": 0.7}),
        *({"split": "shuffled"}, {"shuffle": False}, {"source": "digest"}),
    ],
    "settings": [
        *({"kind": "Langevin"}, {"options": {"eta": 0.002}}, {"final": "sample"}, {"final_noise": 0.1}),
        {"source": "digest"},
    ],
}


def test_whatever_matters_is_in_the_key(tmp_path):
    """Each field, and each field of its parts; and the same settings read twice have the same key."""
    path = written(tmp_path, SOUND)
    first, again = (load_protocol("demo", path).trials()[0] for _ in range(2))
    assert first.key == again.key and len(first.key) == 32
    assert set(CHANGES) == {field.name for field in dataclasses.fields(first)}
    others = {first.key}
    for name, change in CHANGES.items():
        part = getattr(first, name)
        inner = change if isinstance(change, list) else None
        if inner:
            assert {key for one in inner for key in one} == {field.name for field in dataclasses.fields(part)}
        for new in [dataclasses.replace(part, **one) for one in inner] if inner else [change]:
            others.add(dataclasses.replace(first, **{name: new}).key)
    assert len(others) == 1 + sum(len(c) if isinstance(c, list) else 1 for c in CHANGES.values())


def test_the_name_of_a_protocol_is_not_in_the_key(tmp_path):
    """Nor are its text and the number of runs: a longer experiment goes on from a shorter one."""
    short = load_protocol("demo", written(tmp_path, SOUND))
    long = load_protocol("demo", written(tmp_path, 'about = "x."\n' + SOUND.replace("= 2", "= 4"), "long.toml"))
    assert {t.key for t in short.trials()} < {t.key for t in long.trials()}
    assert [t.key for t in short.trials(4)] == [t.key for t in long.trials()]


def test_only_and_extended():
    """Some streams and learners in the order that was asked for; extras when they are asked for."""
    table = load_protocol("table1")
    some = table.only(streams=["EEG", "A9A"], learners=["BFLO"])
    assert (list(some.streams), list(some.learners)) == (["EEG", "A9A"], ["BFLO"])
    assert {t.key for t in some.trials()} < {t.key for t in table.trials()}
    assert table.only() == table and table.extended([]) == table
    assert list(table.extended(["NHERD"]).learners) == [*table.learners, "NHERD"]


def test_runs_must_be_a_whole_number_that_can_be_listed(tmp_path):
    """Before anything is done."""
    for runs in (0, 1.5, "3", True, np.nan):
        with pytest.raises(ValueError, match="runs must be a whole number, 1 or more"):
            load_protocol("demo").trials(runs)
    protocol = load_protocol("demo", written(tmp_path, SOUND.replace("runs = 2", "runs = 10_000_000_000")))
    with pytest.raises(ValueError, match=r"runs must be fewer: 10,000,000,000 of each are 10,000,000,000 in all"):
        protocol.trials()
    assert len(protocol.trials(3)) == 3
