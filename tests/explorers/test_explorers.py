"""What all explorers have: traits, one sentence for what is wrong, a figure, words, a page, and what they load."""

import base64
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from racing import asked, engine
from traitlets import TraitError

import bflo_viz
from bflo_viz import (
    DiagonalBelief,
    DynamicsExplorer,
    FlowExplorer,
    OnlineExplorer,
    PseudoDatasetExplorer,
    Regime,
    RegimeExplorer,
)
from bflo_viz.explorers.player import computed
from bflo_viz.figures.style import alt_text

EXPLORERS = [getattr(bflo_viz, name) for name in bflo_viz.__all__ if name.endswith("Explorer")]
CONTROLS = [(kind, name) for kind in EXPLORERS for name in kind.about()["controls"]]
STATES = {
    "RegimeExplorer": {"delta": 1.0, "delta_new": -2.0, "std": 2.0},
    "FlowExplorer": {"gradient_step": True, "loss": "valley"},
    "PseudoDatasetExplorer": {"flow": "diagonal", "problem": "drifting", "round": 60},
    "NetworkExplorer": {"data": "xor", "hidden": [6], "rival": "dropout", "round": 60, "flip": 0.2, "updates": 2},
    "OnlineExplorer": {"round": 30, "drift": 45, "flip": 0.5, "flows": ["spherical"], "predict": "mean"},
    "DynamicsExplorer": {"surface": "ravine", "round": 60, "flow": "diagonal", "truth": "drawn"},
    "DigitExplorer": {"sketch": "...1fffff.1fffff.7.e.1c.38.70.e0.1c0.380.700.e00.1c00", "moment": 6, "seed": 3},
    "ProtocolExplorer": {"split": "order", "prediction": "sample", "experiment": "table1"},
    "ResultsExplorer": {"stream": "EEG", "noise": 0.2, "learners": ["SGD", "BFLO"]},
}
BROKEN = ["text", "", None, True, [], {}, [1], [None, 2], [1e400, -1e400], 1e400, -1e308, 0.5, 10**30, -3]
all_explorers = pytest.mark.parametrize("kind", EXPLORERS, ids=lambda kind: kind.__name__)


@pytest.fixture(scope="module")
def racer():
    with engine("shared/kit.js", code='const { format, nearest } = modules["shared/kit.js"];') as ready:
        yield ready


def made(kind):
    return kind(**STATES[kind.__name__])


@pytest.mark.parametrize(
    ("kind", "trait", "value", "sentence"),
    [
        (RegimeExplorer, "delta", 9, "delta must be from -4 to 4, but it was 9."),
        (RegimeExplorer, "delta", float("nan"), "delta must be finite, but delta is nan."),
        (RegimeExplorer, "branch", 0, "branch must be 1 or -1, but it was 0."),
        (RegimeExplorer, "non_expansive", "yes", "non_expansive must be True or False, but it was 'yes'."),
        (FlowExplorer, "axes", [1.0, 0.1], "axes[1] must be from 0.2 to 3, but it was 0.1."),
        (OnlineExplorer, "others", ["SGD"], "others must be a list of 'AROW', 'Langevin', but it was ['SGD']."),
        (OnlineExplorer, "seed", 1.5, "seed must be a whole number from 0 to 4294967295, but it was 1.5."),
    ],
)
def test_a_wrong_value_gets_one_sentence_and_changes_nothing(kind, trait, value, sentence):
    """On a living explorer and on making one; and the sentence stays short."""
    explorer = kind()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, value)
    assert str(raised.value) == sentence
    assert getattr(explorer, trait) == before
    with pytest.raises(TraitError, match=re.escape(sentence)):
        kind(**{trait: value})
    with pytest.raises(TraitError) as raised:
        setattr(explorer, trait, "x" * 10**6)
    assert len(str(raised.value)) < 200


def test_numbers_of_other_types_are_numbers():
    """A branch that came out of an array; a whole float, such as the browser sends; the largest that is allowed."""
    explorer = RegimeExplorer(branch=np.int64(-1), delta=np.float32(0.5), delta_new=4)
    assert explorer.state["delta"] == 0.5 and explorer.branch == -1 and explorer.delta_new == 4
    online = OnlineExplorer(seed=3.0, round=20_000, flows=("spherical", "full", "full"))
    assert repr(online.seed) == "3" and online.flows == ["full", "spherical"]
    controls = online.about()["controls"]
    assert [controls[name]["digits"] for name in ("eta", "std", "flip", "drift", "seed")] == [3, 1, 2, 0, 0]


@pytest.mark.parametrize(("kind", "name"), CONTROLS, ids=lambda part: getattr(part, "__name__", part))
def test_a_page_replaces_what_python_refuses_and_nothing_else(racer, kind, name):
    """What the page takes instead is near, and Python takes it; what Python takes, the page leaves alone."""
    trait, known = kind.class_traits()[name], kind.about()["controls"][name]
    for value in [*BROKEN, trait.default_value, getattr(trait, "low", 0), getattr(trait, "high", 0)]:
        used = asked(racer, "nearest", known, value)
        try:
            accepted = trait.validate(None, value)
        except TraitError:
            accepted = trait.validate(None, used)
        assert used == accepted, value
        if known["kind"] in ("number", "whole") and type(value) in (int, float):
            assert used == pytest.approx(min(max(value, trait.low), trait.high), abs=0.5 * (known["kind"] == "whole"))


def test_a_number_has_a_real_minus_and_a_zero_has_none(racer):
    cases = [(-0.004, 2), (-0.0, 1), (-0.4, 0), (-0.006, 2), (-12.5, 1), (3, 2)]
    assert [asked(racer, "format", *case) for case in cases] == ["0.00", "0.0", "0", "−0.01", "−12.5", "3.00"]


@all_explorers
def test_what_python_says_of_an_explorer_reaches_the_page_and_stands_there_only(kind):
    """Names and a sentence of every control, titles of panels: none is in the view as well."""
    about = kind.about()
    assert about["title"] and about["help"].endswith(".")
    for name, control in about["controls"].items():
        assert control["label"] and control["help"].endswith("."), name
    assert json.dumps(kind()._about) == json.dumps(about)
    view = kind._view.read_text(encoding="utf-8")
    assert not re.search(r"\b(min|max|step|digits|unit): *[\d\"-]", view)
    titles = [about["title"], *(title for title, _, _ in about["panels"].values() if title)]
    assert not [title for title in titles if f'"{title}"' in view or f"`{title}`" in view]


@all_explorers
def test_a_notebook_stores_picture_and_words_beside_the_view(kind):
    """Those of the scene, as the figure has them; the same in every run: no address in them."""
    explorer = made(kind)
    bundle, metadata = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(made(kind)) == f"{kind.__name__}. {explorer.scene.words()}"
    assert "0x" not in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert "application/vnd.jupyter.widget-view+json" in bundle
    figure = explorer.figure(style="slides")
    assert alt_text(figure) == metadata["image/png"]["alt"] == explorer.scene.words() and figure.axes


@all_explorers
def test_a_saved_page_is_whole_and_names_no_other_place(kind, tmp_path):
    """No address but those of XML names, all of the state, and no run in it."""
    explorer = made(kind)
    text = explorer.save_html(tmp_path / "x.html").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"'`]+", text)) <= {"http://www.w3.org/2000/svg"}
    largest = {"ResultsExplorer": 1_000_000, "DigitExplorer": 400_000, "NetworkExplorer": 170_000}  # runs, or code
    assert "{{" not in text and len(text) < largest.get(kind.__name__, 140_000)
    state = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])
    assert {name: value for name, value in state.items() if not name.startswith("_")} == explorer.state
    assert json.dumps(state["_about"]) == json.dumps(explorer._about)


@pytest.mark.parametrize("kind", [PseudoDatasetExplorer, OnlineExplorer, DynamicsExplorer])
def test_python_computes_only_when_it_is_asked(kind):
    """Not for what a page does by itself; once for the same settings; and more rounds begin with the same ones."""
    computed.cache_clear()
    explorer = made(kind)
    explorer.set_state({"eta": 0.05, "seed": 5, "round": 3})
    assert computed.cache_info().misses == 0
    first = [explorer.posterior for explorer.round in (10, 20)]
    assert computed.cache_info().misses == 1 and repr(first[0]) != repr(first[1])
    explorer.round = kind._rounds + 30
    assert explorer.scene.rounds == explorer.scene.now == kind._rounds + 30
    longer = explorer._whole().beliefs
    for now, belief in zip((10, 20), first, strict=True):
        pairs = [(path[now], belief[name]) for name, path in longer.items()] if isinstance(belief, dict) else []
        for ours, theirs in pairs or [(longer[now], belief)]:
            np.testing.assert_allclose(ours.mean, theirs.mean, atol=1e-12)


def test_one_update_is_that_of_the_package():
    """Prior, posterior and regime for every option; the stored picture is smaller."""
    explorer = RegimeExplorer(delta=1.0, delta_new=2.5, std=0.5)
    for branch in (1, -1):
        for non_expansive in (False, True):
            explorer.branch, explorer.non_expansive = branch, non_expansive
            wanted = DiagonalBelief([0.0], [0.5]).flow([1.0], [2.5], branch=branch, non_expansive=non_expansive)
            assert explorer.posterior.mean == wanted.mean
            assert explorer.posterior.std == wanted.std
    assert explorer.regime is Regime.CROSSING
    assert RegimeExplorer(delta=1.0, delta_new=2.5).regime is Regime.EXPANDING
    assert len(explorer._picture().axes) == 2 < len(explorer.figure().axes)


def test_all_but_the_picture_works_without_matplotlib(tmp_path):
    """What draws is loaded when a figure is asked for; where it is missing, the stored picture is left out."""
    code = """
import sys
for name in ("matplotlib", "PIL", "scipy"):
    sys.modules[name] = None
from bflo_viz import DynamicsExplorer, FlowExplorer, NetworkExplorer, OnlineExplorer
from bflo_viz import PseudoDatasetExplorer, RegimeExplorer
played = PseudoDatasetExplorer, OnlineExplorer, DynamicsExplorer, NetworkExplorer
for kind in (RegimeExplorer, FlowExplorer, *played):
    explorer = kind()
    bundle, metadata = explorer._repr_mimebundle_()
    assert "image/png" not in bundle and "image/png" not in metadata
    assert bundle["text/plain"] == repr(explorer) and explorer.posterior is not None
    explorer.save_html(sys.argv[1])
"""
    command = [sys.executable, "-c", code, str(tmp_path / "page.html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
