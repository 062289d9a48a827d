"""The online explorer's Python side: its beliefs, its words and its figure; the page is held to them elsewhere."""

import base64

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import OnlineExplorer
from bflo_viz.explorers import online
from bflo_viz.figures.style import alt_text

SHORT = 300


@pytest.fixture(autouse=True)
def _short_runs(monkeypatch):
    """Streams of 300 rounds: what is said is the same, and made in a moment."""
    monkeypatch.setattr(online, "ROUNDS", SHORT)
    online.computed.cache_clear()
    yield
    online.computed.cache_clear()


def test_belief_and_posterior_are_those_of_the_shown_learners():
    """Priors, and beliefs after the round, after any change of a setting."""
    explorer = OnlineExplorer(flows=["spherical", "full"], others=["Langevin"], std=0.5, round=0)
    assert list(explorer.belief) == list(explorer.posterior) == ["full", "spherical"]
    for name in explorer.belief:
        np.testing.assert_array_equal(explorer.posterior[name].covariance, 0.25 * np.eye(2))
        np.testing.assert_array_equal(explorer.belief[name].covariance, 0.25 * np.eye(2))
    explorer.round, explorer.eta, explorer.others = 200, 0.07, ["AROW"]
    assert explorer.scene.settings["eta"] == 0.07 and list(explorer.posterior) == ["full", "spherical", "AROW"]
    assert explorer.posterior["full"] is explorer.scene.beliefs["full"][200]


def test_an_observer_of_a_setting_sees_the_beliefs_of_that_setting():
    """Whatever order the observers are called in."""
    explorer = OnlineExplorer(round=100)
    heard = []
    explorer.observe(lambda change: heard.append(explorer.posterior["full"].mean), "eta")
    explorer.eta = 0.09
    np.testing.assert_array_equal(heard, [explorer.scene.means["full"][100]])


def test_python_computes_only_when_it_is_asked():
    """Not for what a page does by itself; and once for the same settings, whatever the round."""
    explorer = OnlineExplorer(eta=0.02, flip=0.1)
    explorer.set_state({"eta": 0.05, "std": 2.0, "non_expansive": True, "round": 3})
    assert online.computed.cache_info().misses == 0
    for explorer.round in (10, 20):
        assert explorer.posterior
    assert online.computed.cache_info().misses == 1
    explorer.round = SHORT + 50  # it goes on
    assert explorer.scene.rounds == SHORT + 50


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("eta", 0.5, "eta must be from 0.001 to 0.1, but it was 0.5."),
        ("flip", 0.6, "flip must be from 0 to 0.5, but it was 0.6."),
        ("round", 20_001, "round must be a whole number from 0 to 20000, but it was 20001."),
        ("predict", "luck", "predict must be 'sample' or 'mean', but it was 'luck'."),
        ("others", ["SGD"], "others must be a list of 'AROW', 'Langevin', but it was ['SGD']."),
        ("flows", ["fast"], "flows must be a list of 'full', 'diagonal', 'spherical', but it was ['fast']."),
        ("non_expansive", 1.5, "non_expansive must be True or False, but it was 1.5."),
    ],
)
def test_a_wrong_value_gets_one_sentence(trait, value, sentence):
    """And changes nothing."""
    explorer = OnlineExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, value)
    assert str(raised.value) == sentence
    assert getattr(explorer, trait) == before


def test_the_figure_is_that_of_the_scene():
    """The same drawing, with the words of the scene."""
    explorer = OnlineExplorer(round=30, drift=45, flip=0.5, flows=["spherical"])
    figure = explorer.figure(style="slides")
    assert figure.axes[0].get_title(loc="left") == "Round 30: the last 30 examples"
    assert alt_text(figure) == explorer.scene.words()


def test_a_notebook_stores_picture_and_words_and_a_page_stands_alone(tmp_path):
    """The words are the same in every run; the page has no run in it."""
    explorer = OnlineExplorer(round=250, flows=["full"])
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(explorer) == f"OnlineExplorer. {explorer.scene.words()}"
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "have seen nothing yet" in repr(OnlineExplorer(round=0))
    assert explorer.save_html(tmp_path / "page.html").stat().st_size < 200_000
