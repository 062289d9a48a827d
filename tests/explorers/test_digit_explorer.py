"""Votes on a sketch: the page against Python, Python against a textbook network, words, and what is refused."""

import base64
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from racing import asked, engine
from traitlets import TraitError

from bflo_viz import DigitExplorer, _places
from bflo_viz.explorers.old_base import MIME
from bflo_viz.models import MLP
from bflo_viz.scenes.votes import (
    BRUSH,
    DIGITS,
    NETWORKS,
    ROUNDS,
    SENTENCES,
    SURE,
    as_seen,
    digit_beliefs,
    digit_votes,
    drawn,
    from_text,
    of_picture,
    packed,
    to_text,
    unpacked,
)
from bflo_viz.streams import enlarge, load_stream

CODE = """
const { Networks, inkOf, textOf, stroke, seen, said } = modules["digits/votes.js"];
let networks;
const ready = (file, count) => { networks = new Networks(file, count); return networks.model.size(); };
const look = (facts, file, sketch, moment, seed) => {
  const ink = inkOf(sketch, facts.side);
  const shares = seen(ink, facts);
  const votes = networks.votes(shares, seed);
  const found = networks.decided(shares, moment, votes[moment]);
  const words = said(facts, file, { ...found, votes: votes[moment], moment, isEmpty: !ink.includes(1) });
  return { text: textOf(ink, facts.side), shares: [...shares], votes, ...found, words };
};
const draw = (side, brush, segments) => {
  const ink = new Uint8Array(side * side);
  for (const [from, to, value] of segments) stroke(ink, side, from, to, brush, value);
  return textOf(ink, side);
};
"""
FACTS = DigitExplorer._facts


@pytest.fixture(scope="module")
def file():
    return json.loads((_places.results_folder() / DIGITS).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def racer(file):
    with engine("digits/votes.js", code=CODE) as ready:
        assert asked(ready, "ready", file, NETWORKS) == 8290
        yield ready


def sketches():
    """Real digits, an empty page, a full one, one cell, random ink, and strokes."""
    rng = np.random.default_rng(7)
    digits = enlarge(load_stream("digits")).X.reshape(-1, 28, 28)
    chosen = [of_picture(digits[k]) for k in rng.choice(len(digits), 12, replace=False)]
    extremes = [np.zeros((28, 28)), np.ones((28, 28)), np.eye(1, 784, 300).reshape(28, 28)]
    noise = [rng.random((28, 28)) < share for share in (0.02, 0.2, 0.5)]
    strokes = [drawn([rng.uniform(3, 25, (n, 2))]) for n in (2, 4, 9)]
    return [to_text(page) for page in (*chosen, *extremes, *noise, *strokes)]


@pytest.mark.parametrize("number", range(21))
def test_the_page_sees_votes_and_says_what_python_does(racer, file, number):
    """The text, the picture, every vote at every moment, the mean network, the map, the ranking and the words."""
    sketch = sketches()[number]
    rng = np.random.default_rng([5, number])
    moment, seed = int(rng.integers(len(ROUNDS))), int(rng.choice([0, 3, 2**32 - 1]))
    scene = digit_votes(sketch, moment=moment, seed=seed)
    page = asked(racer, "look", FACTS, {name: file[name] for name in ("rounds", "measured")}, sketch, moment, seed)
    assert page["text"] == sketch
    np.testing.assert_allclose(page["shares"], scene.seen.ravel(), atol=1e-12)
    np.testing.assert_array_equal(page["votes"], scene.votes)
    np.testing.assert_allclose(page["outputs"], scene.outputs, atol=1e-9)
    np.testing.assert_allclose(page["effect"], scene.effect.ravel(), atol=1e-9)
    assert page["ranking"] == list(scene.ranking)
    assert page["words"] == scene.said()


def test_the_brush_of_the_page_is_that_of_python(racer):
    rng = np.random.default_rng(3)
    for _ in range(5):
        points = rng.uniform(-2, 30, (6, 2)).tolist()
        segments = [[a, b, 1] for a, b in zip(points, [*points[1:], points[-1]], strict=True)]
        assert asked(racer, "draw", 28, BRUSH, segments) == to_text(drawn([points]))
    assert asked(racer, "draw", 28, BRUSH, [[[4, 4], [20, 4], 1], [[0, 4], [28, 4], 0]]) == ""


def textbook(file, moment, x, z=None):
    """Logits by loops over the bytes of the file: layer after layer, unit after unit."""
    kept = file["beliefs"][moment]
    means, stds = (list(base64.b64decode(kept[name]["codes"])) for name in ("mean", "std"))
    sizes, start = file["sizes"], 0
    for layer, (inputs, units) in enumerate(pairwise(sizes)):
        sums = []
        for unit in range(units):
            total = 0.0
            for source, value in enumerate([*x, 1.0]):
                at = start + source * units + unit
                weight = (means[at] - 256 * (means[at] > 127)) * kept["mean"]["steps"][layer]
                if z is not None:
                    weight += stds[at] * kept["std"]["steps"][layer] * z[at]
                total += weight * value
            sums.append(total)
        start += (inputs + 1) * units
        x = [1 / (1 + math.exp(-total)) for total in sums]
    return sums


def test_votes_and_effects_are_those_of_a_textbook_network(file):
    """All networks at the last moment, and some cells, by loops that share nothing with the package."""
    scene = digit_votes(seed=11)
    x = scene.seen.ravel().tolist()
    normals = np.random.RandomState(11).standard_normal(NETWORKS * 8290).reshape(NETWORKS, 8290)
    tally = np.bincount([np.argmax(textbook(file, -1, x, z)) for z in normals], minlength=10)
    np.testing.assert_array_equal(scene.votes[-1], tally)
    logits = textbook(file, -1, x)
    np.testing.assert_allclose(scene.outputs, 1 / (1 + np.exp(-np.array(logits))), rtol=1e-9)
    first, second = scene.ranking[:2]
    assert tally[first] == tally.max() and tally[second] == np.sort(tally)[-2]
    inked = np.flatnonzero(x)
    for cell in inked[:: len(inked) // 6]:
        without = textbook(file, -1, [0.0 if k == cell else share for k, share in enumerate(x)])
        wanted = (logits[first] - logits[second]) - (without[first] - without[second])
        assert scene.effect.ravel()[cell] == pytest.approx(wanted, abs=1e-9)
    assert not scene.effect[scene.seen == 0].any()


def test_doubt_is_the_entropy_of_votes():
    scene = digit_votes()
    shares = scene.votes / NETWORKS
    wanted = [-sum(p * math.log2(p) for p in row if p) for row in shares.tolist()]
    np.testing.assert_allclose(scene.doubt, wanted, atol=1e-12)
    np.testing.assert_allclose(scene.agreement, shares.max(axis=1))
    assert scene.doubt[0] > 2.5 and scene.networks == NETWORKS


@pytest.mark.parametrize(("example", "verdict"), [("clear", "sure"), ("doubtful", "split"), ("wrong", "sure")])
def test_words_fit_the_examples(example, verdict):
    """Those that the tool chose by their votes; agreement comes with its warning, and a measured number."""
    (sketch,) = [one["sketch"] for one in digit_beliefs().examples if one["name"] == example]
    scene = digit_votes(sketch)
    said = scene.said()
    assert said[2].startswith(SENTENCES[verdict].split("{")[0])
    assert (scene.agreement[-1] >= SURE) == (verdict == "sure")
    assert scene.tally in said[0] and said[0] in scene.words()
    if verdict == "sure":
        assert scene.tally.startswith("50 for ")
        assert f"{digit_beliefs().measured['others agreed (%)']:.0f} %" in said[2]


def test_an_empty_page_and_an_untaught_network_say_so():
    assert digit_votes("").said()[2:] == [SENTENCES["empty"]]
    assert digit_votes(moment=0).said()[3] == SENTENCES["undecided"]
    with pytest.raises(ValueError, match="moment must be from 0 to 9, but it was 10"):
        digit_votes(moment=10)


def test_the_beliefs_know_digits():
    """Others than they learned: scikit-learn's, as sketches; and more so the longer they learned."""
    kept, digits = digit_beliefs(), as_seen(enlarge(load_stream("digits")))
    wrong = [np.mean(kept.model.predict_many(b.mean, digits.X).argmax(axis=1) != digits.y) for b in kept.beliefs]
    assert wrong[0] > 0.8 and wrong[-1] < 0.3 and wrong[-1] < wrong[5]
    assert kept.rounds == ROUNDS and kept.errors["vote"][-1] < 5
    assert all(belief.std.min() > 0 for belief in kept.beliefs)


def test_what_the_explorer_claims_was_measured():
    """Of errors, of agreement, and of drawings of other things."""
    kept, claims = digit_beliefs(), " ".join(DigitExplorer.__doc__.split())
    measured = kept.measured
    assert f"its votes are wrong in {kept.errors['vote'][-1]:.1f} % of the digits" in claims
    assert f"and in {measured['test agreed and wrong (%)']:.1f} % of those" in claims and SURE == 0.9
    assert f"on half of {measured['others']:.0f} drawings" in claims and 45 < measured["others agreed (%)"] < 55
    assert f"{kept.model.size():,} weights" in claims and kept.errors["vote"][-1] < kept.errors["mean"][-1] + 0.2


def test_a_kept_belief_is_near_the_one_that_was_packed():
    """Within half a step; a belief of zeros is one."""
    rng, model = np.random.default_rng(2), MLP(5, 4, 3)
    belief = unpacked(model, packed(model, unpacked(model, packed(model, _belief(rng, model)))))
    exact = _belief(np.random.default_rng(2), model)
    for name, most in (("mean", 127), ("std", 255)):
        for ours, theirs in zip(
            model.unflatten(getattr(belief, name)), model.unflatten(getattr(exact, name)), strict=True
        ):
            assert np.abs(ours - theirs).max() <= 0.5001 * np.abs(theirs).max() / most
    assert not unpacked(model, packed(model, _belief(rng, model, 0.0))).mean.any()


def _belief(rng, model, scale=1.0):
    from bflo_viz import DiagonalBelief

    return DiagonalBelief(scale * rng.normal(size=model.size()), rng.uniform(0.1, 1, model.size()))


def test_any_picture_can_be_shown():
    """As rows of brightness; the scene is of it, and other traits can be set with it."""
    picture = load_stream("digits").X[0].reshape(8, 8)
    explorer = DigitExplorer.of(picture, moment=4)
    np.testing.assert_array_equal(from_text(explorer.sketch), of_picture(picture))
    assert explorer.moment == explorer.scene.moment == 4
    explorer.sketch = ""
    assert not explorer.scene.ink.any()


@pytest.mark.parametrize("value", ["xyz", 29 * "1.", "12345678", None, 5, [[0, 1]]])
def test_a_bad_sketch_gets_one_sentence_and_changes_nothing(value):
    explorer = DigitExplorer()
    before = explorer.sketch
    for do in (lambda: setattr(explorer, "sketch", value), lambda: explorer.set_state({"sketch": value})):
        with pytest.raises(TraitError, match=r"^sketch must be at most 28 rows of up to 7 hexadecimal digits, .*\.$"):
            do()
    assert explorer.sketch == before and explorer._problem.startswith("sketch must be")


def test_a_notebook_keeps_the_sketch_and_a_page_the_beliefs(file):
    record = json.loads(json.dumps(DigitExplorer(moment=2)._repr_mimebundle_()[0][MIME]))
    assert len(json.dumps(record)) < 400
    assert DigitExplorer.page_of(record)["_networks"] == file


def test_without_the_beliefs_one_sentence_says_what_makes_them(monkeypatch, tmp_path):
    monkeypatch.setattr(_places, "results_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"^digit-beliefs.json is not among the results: python tools/digit_beliefs"):
        DigitExplorer()
