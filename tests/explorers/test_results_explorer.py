"""The results explorer: what can be chosen, what is refused, and what a page and a notebook get of it."""

import json

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import ResultsExplorer
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run
from bflo_viz.explorers.old_base import MIME

LEARNERS = ["AROW", "SGD", "BLANG", "BFLO"]


@pytest.fixture
def explorer():
    made = ResultsExplorer()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("stream", "COVTYP", "stream must be 'MUSHROOM' or 'COVTYPE' or 'IJCNN' or 'EEG' or 'A9A', but it was"),
        ("noise", 0.3, "noise must be 0.0 or 0.2, but it was 0.3."),
        ("learners", ["SGD", "DROPOUT"], "learners must be a list of 'AROW', 'SGD', 'BLANG', 'BFLO', 'NHERD',"),
    ],
)
def test_a_wrong_name_gets_one_sentence_and_changes_nothing(explorer, name, value, sentence):
    """From Python, and from a page, which shows it."""
    before = explorer.state
    with pytest.raises(TraitError) as raised:
        setattr(explorer, name, value)
    assert str(raised.value).startswith(sentence)
    with pytest.raises(TraitError):
        explorer.set_state({name: value})  # as a browser has it
    assert explorer._problem.startswith(sentence)
    assert explorer.state == before


def test_another_experiment_shows_what_it_has(explorer):
    """What it has, too, stays; and a page may choose all at once."""
    explorer.noise, explorer.protocol, explorer.learners = 0.2, "printed", ["BFLO", "SGD"]
    assert explorer.learners == ["SGD", "BFLO"]  # in the order of the table
    explorer.experiment = "table2"
    assert explorer.state == {
        **{"experiment": "table2", "stream": "PLAIN", "noise": 0.0},
        **{"protocol": "printed", "learners": ["SGD", "BFLO"]},
    }
    explorer.set_state({"experiment": "demo", "stream": "DEMO", "learners": ["full"]})
    assert (explorer.experiment, explorer.stream, explorer.learners) == ("demo", "DEMO", ["full"])
    assert "DEMO" in repr(explorer) and "full" in repr(explorer)


def test_a_page_gets_the_numbers_of_the_scene():
    """Of every place of every experiment, as short as a picture needs them; what is not finite is nothing."""
    explorer = ResultsExplorer(stream="MUSHROOM", noise=0.2)
    given = json.loads(json.dumps(explorer.on_page(), allow_nan=False))["_runs"]
    for name, experiment in explorer._kept.items():
        for protocol, streams in given["of"][name]["places"].items():
            for stream, levels in streams.items():
                for noise, place in levels.items():
                    scene = experiment.scene(stream, float(noise), experiment.options["learners"], protocol)
                    assert place["heading"] == scene.heading
                    kept = {learner: shown for learner, shown in scene.shown.items() if shown.curve is not None}
                    assert set(place["rows"]) == set(kept)
                    for learner, shown in kept.items():
                        row, curve = place["rows"][learner], shown.curve
                        ends = [min(row["block"] * (i + 1), row["rounds"]) for i in range(len(row["mistakes"]))]
                        assert ends == curve.ends.tolist()
                        assert row["mistakes"] == pytest.approx(curve.mistakes, abs=6e-4)
                        finite = np.isfinite(curve.entropy)
                        assert [value is not None for value in row["entropy"]] == finite.tolist()
                        numbers = [value for value in row["entropy"] if value is not None]
                        assert numbers == pytest.approx(curve.entropy[finite], abs=6e-4)
                        assert row["final"][::2] == [shown.final.ours, shown.final.paper]
                        assert row["final"][1] == (shown.final.error and pytest.approx(shown.final.error, abs=6e-4))
                        assert row["online"][::2] == [shown.online.ours, shown.online.paper]
                        assert (row["runs"], row["collapse"]) == (curve.runs, curve.collapse)


def test_a_notebook_keeps_the_runs_of_a_store_and_no_others(tmp_path):
    """Those of the course are in the course; a site shows either without Python."""
    common = ResultsExplorer(stream="EEG")._repr_mimebundle_()[0][MIME]
    assert common == {"explorer": "ResultsExplorer", "state": ResultsExplorer(stream="EEG").state}
    path = tmp_path / "mine.db"
    with Store(path) as store:
        run(load_protocol("table1", quick=True).select(streams=["CANCER"], learners=["SGD"]), store, runs=1)
    mine = ResultsExplorer(store=path, quick=True, learners=["SGD"])
    record = json.loads(json.dumps(mine._repr_mimebundle_()[0][MIME]))
    path.unlink()
    state = json.loads(json.dumps(ResultsExplorer.page_of(record)))
    place = state["_runs"]["of"]["table1"]["places"]["inferred"]["CANCER"]["0"]
    assert place["heading"].startswith("CANCER, no labels flipped") and place["heading"].endswith("one run")
    assert list(place["rows"]) == state["learners"] == ["SGD"]
    assert [value for value, _ in state["_about"]["controls"]["stream"]["options"]][:1] == ["CANCER"]
    assert len(json.dumps(record)) < 60_000


def test_the_axes_and_numbers_of_a_choice(explorer):
    """As the exercises ask for them."""
    explorer.stream, explorer.learners = "A9A", ("BLANG",)
    clean, flipped = (explorer.number("BLANG", "final", noise) for noise in (0.0, 0.2))
    assert flipped.ours < clean.ours
    assert explorer.number("BFLO", "online", 0.0, "EEG").paper is not None
    assert explorer.number("nobody") is None
    assert explorer.figure().alt_text == explorer.scene.words() == repr(explorer).removeprefix("ResultsExplorer. ")
