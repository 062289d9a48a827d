"""The dynamics explorer in Python: what it sends, says, draws and saves (what it computes has a file of its own)."""

import json

import numpy as np
import pytest
from py_mini_racer import MiniRacer
from traitlets import TraitError

from bflo_viz import DynamicsExplorer
from bflo_viz.explorers.dynamics import ROUNDS, scenes
from bflo_viz.figures.style import alt_text
from bflo_viz.scenes.surfaces import SURFACES
from bflo_viz.scenes.three_ways import NOTICE

NAMES = list(SURFACES)


def unpacked(entry):
    return np.frombuffer(entry["data"], np.dtype(entry["dtype"])).reshape(entry["shape"])


def test_all_surfaces_are_sent_once():
    """What is sent is what was computed, in 32 bits, and small enough to be saved in a page."""
    explorer = DynamicsExplorer(seed=3)
    assert explorer._run["of"] == 3
    size = 0
    for name, run in scenes(3).items():
        sent = explorer._run[name]
        arrays = {key: unpacked(entry) for key, entry in (sent["arrays"] | sent["facts"]).items()}
        size += sum(values.nbytes for values in arrays.values())
        np.testing.assert_allclose(arrays["points"], run.points, rtol=1e-6)
        np.testing.assert_allclose(arrays["clouds"], run.clouds, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(arrays["flowMean"][-1], run.beliefs[-1].mean, rtol=1e-6)
        np.testing.assert_allclose(arrays["flowCovariance"][-1], run.beliefs[-1].covariance, rtol=1e-5)
        np.testing.assert_allclose(arrays["bayesMean"], run.bayes.mean, atol=1e-6)
        np.testing.assert_allclose(arrays["outline"], run.bayes.outline, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(arrays["sampled"], run.sampled, rtol=1e-5, atol=1e-6)
        assert sent["notice"] == NOTICE[name]
        assert sent["optima"] == run.surface.optima.tolist()
    assert size < 1_200_000


def test_a_new_seed_computes_anew_and_a_new_surface_does_not():
    """The round stays, so that ends can be compared."""
    explorer = DynamicsExplorer(round=30)
    before = explorer._run
    explorer.surface = "ravine"
    assert explorer._run is before
    explorer.seed = 8
    assert explorer._run["of"] == 8 and explorer.round == 30
    sent = unpacked(explorer._run["ravine"]["arrays"]["points"])
    np.testing.assert_array_equal(sent, np.float32(explorer.scene.points))


def test_the_browsers_new_seed_is_answered():
    """What the button of the view sends brings the run that belongs to it."""
    explorer = DynamicsExplorer()
    data = {"method": "update", "state": {"seed": 1}, "buffer_paths": []}
    explorer._handle_msg({"content": {"data": data}, "buffers": []})
    assert explorer.seed == explorer._run["of"] == 1


def test_it_has_its_beliefs():
    """The prior, and the belief of the flow at this round of this surface."""
    explorer = DynamicsExplorer(surface="ravine", round=12)
    np.testing.assert_array_equal(explorer.belief.mean, [0, 0])
    np.testing.assert_array_equal(explorer.posterior.mean, scenes(0)["ravine"].beliefs[12].mean)
    assert DynamicsExplorer().posterior is DynamicsExplorer().belief


@pytest.mark.parametrize(
    ("trait", "value", "words"),
    [
        ("surface", "bowl", "surface must be 'convex' or 'ravine' or 'double well', but it was 'bowl'."),
        ("round", 151, "round must be a whole number from 0 to 150, but it was 151."),
        ("round", 1.5, "round must be a whole number, but it was 1.5."),
        ("seed", -1, "seed must be a whole number from 0 to 4294967295, but it was -1."),
        ("speed", 0, "speed must be from 1 to 60, but it was 0."),
    ],
)
def test_a_bad_value_gets_one_sentence(trait, value, words):
    """Which trait, what it must be, what it was; and the old value stays."""
    explorer = DynamicsExplorer()
    before = getattr(explorer, trait)
    with pytest.raises(TraitError) as caught:
        setattr(explorer, trait, value)
    assert str(caught.value) == words
    assert getattr(explorer, trait) == before


@pytest.mark.parametrize("name", NAMES)
def test_the_view_says_the_same(name):
    """The sentences of the view, from what is sent to it, are those of Python (but for the last digit)."""
    run = scenes(0)[name]
    page = MiniRacer()
    page.eval(DynamicsExplorer._code.default_value.replace("export default", "const explorer ="))
    explorer = DynamicsExplorer()

    def listed(entries):
        return {key: [entry["shape"], unpacked(entry).ravel().tolist()] for key, entry in entries.items()}

    sent = explorer._run[name]
    arrays, facts = listed(sent["arrays"]), listed(sent["facts"])
    page.eval(f"const given = {json.dumps([sent['optima'], arrays, facts])};")  # NaN is JavaScript too
    page.eval("""
        const packed = (all) => Object.fromEntries(Object.entries(all).map(([key, [shape, values]]) => [
          key, { shape, dtype: "float32", data: new DataView(Float32Array.from(values).buffer) }]));
        const run = openRun({ optima: given[0], arrays: packed(given[1]), facts: packed(given[2]) });
    """)
    rounds = range(0, ROUNDS + 1, 5)
    said = json.loads(page.eval(f"JSON.stringify({list(rounds)}.map((now) => sayAll(run, now)))"))
    off = 0
    for now, theirs in zip(rounds, said, strict=True):
        ours = run.at(now).sentences()
        off += sum(one != other for one, other in zip(theirs, ours, strict=True))
        assert [without_digits(words) for words in theirs] == [without_digits(words) for words in ours]
    assert off <= 2  # 32 bits may round the last digit the other way


def without_digits(words):
    return "".join("#" if letter.isdigit() else letter for letter in words)


def test_the_figure_is_that_of_the_scene():
    """The same drawing, of this round alone, with the words of the scene."""
    explorer = DynamicsExplorer(surface="ravine", round=60)
    figure = explorer.figure(style="slides")
    (path,) = (line for line in figure.axes[0].get_lines() if line.get_label() == "path")
    assert len(path.get_xdata()) == 61
    assert any(line.get_label() == "newest example" for line in figure.axes[0].get_lines())
    assert alt_text(figure) == explorer.scene.words()


def test_it_speaks_and_stores_a_picture():
    """Words for where only text can be shown; a picture beside the view."""
    explorer = DynamicsExplorer(surface="double well", round=ROUNDS)
    assert repr(explorer) == f"DynamicsExplorer. {scenes(0)['double well'].words()}"
    bundle, _ = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(explorer)
    assert "image/png" in bundle and "application/vnd.jupyter.widget-view+json" in bundle
    assert "the halves still meet" in repr(DynamicsExplorer(surface="double well"))


def test_the_saved_page_holds_all_three_surfaces(tmp_path):
    """In one file, without asking anyone."""
    text = DynamicsExplorer(round=7).save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    state = json.loads(text.split('<script type="application/json" id="state">')[1].split("</script>")[0])
    assert state["round"] == 7
    assert [state["_run"][name]["notice"] for name in NAMES] == list(NOTICE.values())
    assert len(text) < 1_200_000
