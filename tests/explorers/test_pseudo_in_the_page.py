"""The pseudo dataset that the page computes is that of Python: beliefs, marks, totals and sentences."""

import json
from pathlib import Path

import numpy as np
import pytest
from py_mini_racer import MiniRacer

import bflo_viz
from bflo_viz import PseudoDatasetExplorer
from bflo_viz.explorers.page import module
from bflo_viz.explorers.pseudo import computed
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS

SCENE = Path(bflo_viz.__file__).with_name("explorers") / "pseudo" / "scene.js"
PLAY = """
const play = (text, pieces) => {
  const { words, ...settings } = JSON.parse(text);
  const scene = new PseudoScene(settings);
  for (const to of pieces) scene.extend(to);
  const { marks, totals, weights, moved } = scene;
  return JSON.stringify({
    marks, totals, weights, moved, truth: scene.true,
    means: scene.beliefs.map((belief) => [...belief.mean]), covariances: scene.beliefs.map(covarianceOf),
    sentences: scene.beliefs.map((_, round) => scene.sentence(round, words)),
  });
};
"""


@pytest.fixture(scope="module")
def racer():
    with MiniRacer() as engine:
        engine.eval(module(SCENE).replace("\nexport ", "\n") + PLAY)
        yield engine


def near(ours, theirs):
    """Within 1e-9 by the larger of 1 and the size."""
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("number", range(3))
def test_the_page_computes_what_python_computes(racer, flow, problem, number):
    """Over random seeds and rates, beyond the rounds that are shown at first, in pieces as when it plays."""
    rng, rounds = np.random.default_rng([32, number]), 300
    seed, eta = int(rng.integers(2**32)), float(rng.uniform(0.01, 1))
    scene, facts = computed(seed, flow, problem, eta, rounds), PseudoDatasetExplorer.about()["facts"]
    case = {"flow": flow, "seed": seed, "eta": eta, **facts["problems"][problem]}
    case |= {"mean": facts["mean"], "rounds": facts["rounds"], "words": facts["words"]}
    told = json.loads(racer.call("play", json.dumps(case), [1, 120, rounds]))
    near(scene.true, told["truth"])
    near(scene.means, told["means"])
    near([belief.covariance for belief in scene.beliefs], told["covariances"])
    near(scene.weights, told["weights"])
    near(scene.moved, told["moved"])
    np.testing.assert_allclose(np.array(told["totals"], float), scene.own_precisions, rtol=1e-8)
    for r, marks in enumerate(told["marks"]):
        assert [mark["i"] for mark in marks] == np.flatnonzero(~np.isnan(scene.precisions[r])).tolist(), r
        for mark in marks:
            # A hardly changed width is a point far away: both lose digits alike.
            size = 1 + np.abs(scene.places[r, mark["i"]]).max()
            tolerance = 1e-6 * max(1, 1 / abs(scene.precisions[r, mark["i"]]))
            np.testing.assert_allclose(mark["place"], scene.places[r, mark["i"]], atol=tolerance * size)
            np.testing.assert_allclose(mark["direction"], scene.directions[r, mark["i"]], atol=1e-6)
            np.testing.assert_allclose(float(mark["precision"]), scene.precisions[r, mark["i"]], rtol=1e-6, atol=1e-9)
    same = [scene.at(now).sentence() == told["sentences"][now] for now in range(rounds + 1)]
    assert np.mean(same) > 0.99  # a digit at the edge of rounding may be another one


@pytest.mark.parametrize(
    "value", [0.0, -0.0949, 0.095, 12.345, -3.0, 0.012, 1.04e-4, 9.96e-5, -2.5e-17, 1e-9, 999999.4, 1.8e16, -3e30]
)
def test_numbers_are_written_alike(racer, value):
    from bflo_viz.scenes.pseudo_points import _number

    assert racer.call("number", value) == _number(value)


def test_more_rounds_change_none_before():
    """A run that goes on is the same run, and the truth turns on as it did."""
    short, long = (computed(7, "full", "drifting", 0.3, rounds) for rounds in (120, 260))
    near(short.means, long.means[:121])
    near(short.true, long.true[:121])
