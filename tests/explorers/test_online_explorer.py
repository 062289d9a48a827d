"""The online explorer's Python side: what it sends, its words and its figure."""

import base64

import numpy as np
import pytest
from traitlets import TraitError

from bflo_viz import OnlineExplorer
from bflo_viz.explorers import online
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.online import FLOWS, LEARNERS

SHORT = 300


@pytest.fixture(autouse=True)
def _short_runs(monkeypatch):
    """Streams of 300 rounds: what is sent and said is the same, and made in a moment."""
    monkeypatch.setattr(online, "ROUNDS", SHORT)
    online.computed.cache_clear()
    yield
    online.computed.cache_clear()


def unpacked(entry):
    """An array as the browser reads it."""
    return np.frombuffer(entry["data"], entry["dtype"]).reshape(entry["shape"])


def test_belief_and_posterior_are_those_of_the_shown_flows():
    """Priors, and beliefs after the round, after any change of a setting."""
    explorer = OnlineExplorer(flows=["spherical", "full"], std=0.5, round=0)
    assert list(explorer.belief) == list(explorer.posterior) == ["full", "spherical"]
    for flow in explorer.flows:
        np.testing.assert_array_equal(explorer.posterior[flow].covariance, 0.25 * np.eye(2))
        np.testing.assert_array_equal(explorer.belief[flow].covariance, 0.25 * np.eye(2))
    explorer.round, explorer.eta = 200, 0.07
    scene = online.computed(**explorer.settings)
    assert scene.settings["eta"] == 0.07
    assert explorer.posterior["full"] is scene.beliefs["full"][200]


def test_an_observer_of_a_setting_sees_the_beliefs_of_that_setting():
    """Whatever order the observers are called in."""
    explorer = OnlineExplorer(round=100)
    heard = []
    explorer.observe(lambda change: heard.append(explorer.posterior["full"].mean), "eta")
    explorer.eta = 0.09
    np.testing.assert_array_equal(heard, [online.computed(**explorer.settings).means["full"][100]])


def test_the_browser_gets_one_run_a_change():
    """Not one for each of several settings that change at once, and none for what only the picture depends on."""
    explorer = OnlineExplorer(eta=0.02, flip=0.1)
    assert online.computed.cache_info().misses == 1
    sent = []
    explorer.observe(lambda change: sent.append(change["new"]["of"]), "_run")
    explorer.flows, explorer.round, explorer.speed = ["diagonal"], 3, 20
    assert sent == []
    explorer.set_state({"eta": 0.05, "std": 2.0, "non_expansive": True})
    assert len(sent) == 1
    assert online.computed.cache_info().misses == 2
    explorer.drift = 20.0
    assert sent[1] == {"eta": 0.05, "std": 2.0, "flip": 0.1, "drift": 20.0, "non_expansive": True, "seed": 0}
    packed, scene = explorer._run, online.computed(**sent[1])
    assert packed["rounds"] == SHORT
    np.testing.assert_allclose(unpacked(packed["x"]), scene.X, rtol=1e-6)
    np.testing.assert_array_equal(unpacked(packed["seen"]), scene.seen)
    np.testing.assert_array_equal(unpacked(packed["flipped"]), scene.seen ^ scene.truth)
    np.testing.assert_allclose(unpacked(packed["samples"]), scene.samples, rtol=1e-6)
    for name in LEARNERS:
        arrays = packed["learners"][name]
        np.testing.assert_allclose(unpacked(arrays["mean"]), scene.means[name], rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(unpacked(arrays["wrong"]), scene.wrong[name])
        assert ("entropy" in arrays) == ("factor" in arrays) == (name in FLOWS)
    full = packed["learners"]["full"]
    np.testing.assert_allclose(unpacked(full["factor"]), scene.factors["full"], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(unpacked(full["entropy"]), scene.entropy["full"], rtol=1e-6)


@pytest.mark.parametrize(
    ("trait", "value", "sentence"),
    [
        ("eta", 0.5, "eta must be from 0.001 to 0.1, but it was 0.5."),
        ("flip", 0.6, "flip must be from 0 to 0.5, but it was 0.6."),
        ("round", 2001, "round must be a whole number from 0 to 2000, but it was 2001."),
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
    """The words are the same in every run; the page has the run in it."""
    explorer = OnlineExplorer(round=250, flows=["full"])
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(explorer) == f"OnlineExplorer. {explorer.scene.words()}"
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "have seen nothing yet" in repr(OnlineExplorer(round=0))
    page = explorer.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    entry = explorer._run["learners"]["full"]["mean"]
    assert base64.b64encode(entry["data"]).decode() in page
