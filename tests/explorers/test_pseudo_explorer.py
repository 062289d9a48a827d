"""The pseudo dataset explorer's Python side: its beliefs, words and figure; the page is held to them elsewhere."""

import base64
import json
import re

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.explorers.pseudo import computed
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS, WORDS


def test_belief_and_posterior_lie_around_the_round():
    """At round 0 both are the prior."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="drifting", seed=2)
    np.testing.assert_array_equal(explorer.belief.mean, [-1.0, 0.5])
    np.testing.assert_array_equal(explorer.posterior.mean, [-1.0, 0.5])
    explorer.round = 9
    scene = computed(2, "diagonal", "drifting", 0.3, 120)
    assert explorer.belief is scene.beliefs[8]
    assert explorer.posterior is scene.beliefs[9]
    explorer.flow, explorer.eta = "full", 0.5
    assert explorer.posterior is computed(2, "full", "drifting", 0.5, 120).beliefs[9]
    explorer.round = 130  # it goes on
    assert explorer.scene.rounds == 130


def test_every_flow_and_problem_can_be_chosen():
    """The options of the controls are the flows and problems that there are."""
    controls = PseudoDatasetExplorer.about()["controls"]
    assert [value for value, _ in controls["flow"]["options"]] == list(FLOWS)
    assert [value for value, _ in controls["problem"]["options"]] == list(PROBLEMS)


def test_a_belief_that_is_too_narrow_for_a_moment_has_no_point():
    """With long steps a diagonal flow narrows to less than a precision can tell: the words stay words."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="noisy labels", seed=91, eta=1.0, round=500)
    assert np.isfinite(explorer.scene.own_precisions).all()
    assert "nan" not in repr(explorer)


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("flow", "round", "flow must be 'spherical' or 'diagonal' or 'full', but it was 'round'."),
        ("problem", "hard", "problem must be 'separable' or 'noisy labels' or 'drifting', but it was 'hard'."),
        ("round", 20_001, "round must be a whole number from 0 to 20000, but it was 20001."),
        ("eta", 2, "eta must be from 0.01 to 1, but it was 2."),
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
    """The words are the same in every run; the page has the words of Python, and no run in it."""
    explorer = PseudoDatasetExplorer(flow="full", round=12)
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(PseudoDatasetExplorer(flow="full", round=12))
    assert explorer.scene.sentence() in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    page = explorer.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    state = json.loads(re.search(r'id="state">(.*?)</script>', page, re.DOTALL)[1])
    assert state["_about"]["facts"]["words"] == WORDS and explorer.scene.sentence().startswith("Round 12: the line ")
    assert len(page) < 200_000
