"""The pseudo dataset explorer's Python side: what it sends, its words and its figure."""

import base64
import json
import re

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.explorers.pseudo import ROUNDS, scenes
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS

ALL = [(problem, flow) for problem in PROBLEMS for flow in FLOWS]


def unpacked(entry):
    """An array as the browser reads it."""
    return np.frombuffer(entry["data"], entry["dtype"]).reshape(entry["shape"])


def test_belief_and_posterior_lie_around_the_round():
    """At round 0 both are the prior."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="drifting", seed=2)
    np.testing.assert_array_equal(explorer.belief.mean, [-1.0, 0.5])
    np.testing.assert_array_equal(explorer.posterior.mean, [-1.0, 0.5])
    explorer.round = 9
    run = scenes(2)["drifting"]["diagonal"]
    assert explorer.belief is run.beliefs[8]
    assert explorer.posterior is run.beliefs[9]
    explorer.flow = "full"
    assert explorer.posterior is scenes(2)["drifting"]["full"].beliefs[9]


def test_the_browser_gets_all_runs_of_the_seed():
    """Sent once a seed; what it reads is what Python has, to single precision."""
    explorer = PseudoDatasetExplorer(seed=1)
    sent = []
    explorer.observe(lambda change: sent.append(change["new"]["of"]["seed"]), "_run")
    explorer.flow, explorer.problem, explorer.round = "full", "drifting", 50
    assert sent == []
    explorer.seed = 6
    assert sent == [6]
    for problem, flow in ALL:
        packed, run = explorer._run["problems"][problem][flow], scenes(6)[problem][flow]
        np.testing.assert_allclose(unpacked(packed["mean"]), [b.mean for b in run.beliefs], rtol=1e-6, atol=1e-7)
        a, b, c = unpacked(packed["covariance"]).T
        whole = np.array([[a, b], [b, c]]).transpose(2, 0, 1)
        np.testing.assert_allclose(whole, [b.covariance for b in run.beliefs], rtol=1e-6, atol=1e-7)
        for name in ("true", "weights", "moved", "places", "directions", "precisions", "totals"):
            np.testing.assert_allclose(unpacked(packed[name]), getattr(run, name), rtol=1e-6, atol=1e-7)
        assert packed["words"][17] == run.at(17).sentence()


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("flow", "round", "flow must be 'spherical' or 'diagonal' or 'full', but it was 'round'."),
        ("problem", "hard", "problem must be 'separable' or 'noisy labels' or 'drifting', but it was 'hard'."),
        ("round", ROUNDS + 1, "round must be a whole number from 0 to 120, but it was 121."),
        ("seed", -1, "seed must be a whole number from 0 to 4294967295, but it was -1."),
        ("seed", 0.5, "seed must be a whole number, but it was 0.5."),
    ],
)
def test_a_wrong_value_gets_one_sentence(trait, value, sentence):
    """And changes nothing."""
    explorer = PseudoDatasetExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, value)
    assert str(raised.value) == sentence
    assert getattr(explorer, trait) == before


def test_the_figure_is_that_of_the_scene():
    """The same drawing, with the round in front, and the words of the scene."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="drifting", round=60)
    figure = explorer.figure(style="slides")
    assert figure.axes[0].get_title(loc="left") == "Diagonal flow, drifting: round 60 of 120"
    assert any(line.get_label() == "weight before" for line in figure.axes[0].lines)
    assert alt_text(figure) == explorer.scene.words()


def test_a_notebook_stores_picture_and_words_and_a_page_stands_alone(tmp_path):
    """The words are the same in every run; the page has the runs in it."""
    explorer = PseudoDatasetExplorer(flow="full", round=12)
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(PseudoDatasetExplorer(flow="full", round=12))
    assert explorer.scene.sentence() in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    page = explorer.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    state = json.loads(re.search(r'id="state">(.*?)</script>', page, re.DOTALL)[1])
    assert state["_run"]["problems"]["separable"]["full"]["words"][12] == explorer.scene.sentence()
    assert len(page) < 600_000
