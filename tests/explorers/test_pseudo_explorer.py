"""The page of the pseudo dataset computes what Python computes: beliefs, marks, totals and words."""

import re

import numpy as np
import pytest
from racing import asked, engine

from bflo_viz import PseudoDatasetExplorer
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS

FACTS = PseudoDatasetExplorer.about()["facts"]
ROUNDS = 300
CODE = """
const { PseudoScene } = modules["pseudo/scene.js"];
const play = (settings, pieces) => {
  const scene = new PseudoScene(settings);
  for (const to of pieces) scene.extend(to);
  const { marks, totals, weights, moved } = scene;
  return {
    marks, totals, weights, moved, truth: scene.true,
    means: scene.beliefs.map((belief) => [...belief.mean]),
    factors: scene.beliefs.map((belief) => [...belief.factor]),
    sentences: scene.beliefs.map((_, round) => modules["pseudo/words.js"].sentenceOf(scene, round)),
  };
};
"""


@pytest.fixture(scope="module")
def racer():
    with engine("pseudo/scene.js", "pseudo/words.js", code=CODE) as ready:
        yield ready


def near(ours, theirs, tolerance=1e-9):
    np.testing.assert_allclose(np.array(theirs, float), ours, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("number", range(2))
def test_the_page_computes_what_python_computes(racer, flow, problem, number):
    """Over random seeds and rates, beyond the rounds that are shown at first, in pieces as when it plays."""
    rng = np.random.default_rng([32, number])
    seed, eta = int(rng.integers(2**32)), float(rng.uniform(0.01, 1))
    scene = PseudoDatasetExplorer(flow=flow, problem=problem, seed=seed, eta=eta, round=ROUNDS).scene
    case = {"flow": flow, "seed": seed, "eta": eta, **FACTS["problems"][problem]}
    told = asked(racer, "play", case | {name: FACTS[name] for name in ("mean", "rounds")}, [1, 120, ROUNDS])
    factors = np.reshape(told["factors"], (-1, 2, 2))
    near(scene.true, told["truth"])
    near(scene.means, told["means"])
    near([belief.covariance for belief in scene.beliefs], factors @ factors.transpose(0, 2, 1))
    near(scene.weights, told["weights"])
    near(scene.moved, told["moved"])
    near(scene.own_precisions, told["totals"], 1e-8)
    for r, marks in enumerate(told["marks"]):
        assert [mark["i"] for mark in marks] == np.flatnonzero(~np.isnan(scene.precisions[r])).tolist(), r
        for mark in marks:
            place, precision = scene.places[r, mark["i"]], scene.precisions[r, mark["i"]]
            # A hardly changed width is a point far away: both lose digits alike.
            tolerance = 1e-6 * max(1, 1 / abs(precision)) * (1 + np.abs(place).max())
            np.testing.assert_allclose(mark["place"], place, atol=tolerance)
            near(scene.directions[r, mark["i"]], mark["direction"], 1e-6)
            near(precision, mark["precision"], 1e-6)
    for r, words in enumerate(told["sentences"][1:]):
        parts = re.findall(r"was (added|removed) with precision ([\d.e+−]+\d)", words)
        sizes = scene.precisions[r][~np.isnan(scene.precisions[r])]
        assert [kind for kind, _ in parts] == ["added" if size > 0 else "removed" for size in sizes]
        near(np.abs(sizes), [number.replace("−", "-") for _, number in parts], 0.06)


def test_belief_and_posterior_lie_around_the_round():
    """At round 0 both are the prior."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="drifting", seed=2)
    for belief in (explorer.belief, explorer.posterior):
        np.testing.assert_array_equal(belief.mean, [-1.0, 0.5])
    explorer.round = 9
    assert explorer.belief is explorer.scene.beliefs[8]
    assert explorer.posterior is explorer.scene.beliefs[9]


def test_a_belief_that_is_too_narrow_for_a_moment_has_no_point():
    """With long steps a diagonal flow narrows to less than a precision can tell: the words stay words."""
    explorer = PseudoDatasetExplorer(flow="diagonal", problem="noisy labels", seed=91, eta=1.0, round=500)
    assert np.isfinite(explorer.scene.own_precisions).all()
    assert "nan" not in repr(explorer)
