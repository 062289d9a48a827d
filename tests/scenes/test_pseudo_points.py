"""A belief flow read as points: its marks against Bayes' rule by the book, and the problems."""

import functools

import numpy as np
import pytest

from bflo_viz import SphericalBelief
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS, _marks, pseudo_dataset

ROUNDS = 120
ALL = [(problem, flow) for problem in PROBLEMS for flow in FLOWS]


@functools.cache
def made(flow, problem, seed):
    settings = {"rounds": ROUNDS, "eta": 0.3, "about": problem, **PROBLEMS[problem]}
    return pseudo_dataset(np.random.default_rng(seed), flow, **settings)


@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_bayes_rule_makes_the_same_beliefs_from_the_marks(problem, flow):
    """A point adds precision in all directions, a line across itself; in every round their sum is the belief."""
    run = made(flow, problem, 0)
    precision, natural = np.eye(2), np.array([-1.0, 0.5])
    for r in range(ROUNDS):
        before = run.beliefs[r].mean
        for place, across, strength in zip(run.places[r], run.directions[r], run.precisions[r], strict=True):
            if np.isnan(strength):
                continue
            if flow == "spherical":
                gain = strength * np.eye(2)
                assert not across.any()
            else:
                gain = strength * np.outer(across, across)
                assert np.hypot(*across) == pytest.approx(1)
                off = place - before  # the nearest point of the line lies straight across from the mean
                assert off[0] * across[1] - off[1] * across[0] == pytest.approx(0, abs=1e-9 * (1 + np.hypot(*off)))
            precision, natural = precision + gain, natural + gain @ place
        belief = run.beliefs[r + 1]
        np.testing.assert_allclose(np.linalg.inv(precision), belief.covariance, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(np.linalg.solve(precision, natural), belief.mean, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_prior_and_points_add_up_to_the_precision_of_the_belief(problem, flow):
    """1/std², of each weight for a diagonal flow; the trace of the inverse covariance for a full one."""
    run = made(flow, problem, 0)
    for total, own, belief in zip(run.totals, run.own_precisions, run.beliefs, strict=True):
        wanted = np.trace(np.linalg.inv(belief.covariance)) if flow == "full" else belief.std**-2.0
        np.testing.assert_allclose(total, wanted, rtol=1e-8)
        np.testing.assert_allclose(own, wanted, rtol=1e-8)


def test_a_belief_that_only_moves_has_no_point():
    """Its precision is 0; a run without any point has a size for them all the same."""
    (mark,) = _marks(SphericalBelief([0.0, 0.0], 1.0), SphericalBelief([1.0, 0.5], 1.0))
    assert mark[2] == 0
    runs = [pseudo_dataset(np.random.default_rng(seed), rounds=1, non_expansive=True) for seed in range(20)]
    (nothing, *_) = (run for run in runs if np.isnan(run.precisions).all())
    assert nothing.large == 1.0 and "In the last round" not in nothing.words()
    np.testing.assert_array_equal(nothing.totals, [[1.0], [1.0]])


def test_problems_and_seeds_differ_and_flows_try_the_same_weights_first():
    """The drifting truth turns half around, the others stay; non-expansive flows remove nothing."""
    true = made("full", "drifting", 5).true
    np.testing.assert_allclose(true[-1], -true[0], atol=1e-12)
    np.testing.assert_allclose(np.hypot(*true.T), np.sqrt(2))
    np.testing.assert_allclose(made("full", "separable", 5).true, np.ones((ROUNDS + 1, 2)))
    for flow in FLOWS:
        np.testing.assert_allclose(made(flow, "separable", 5).weights[0], made("full", "separable", 5).weights[0])
    assert not np.allclose(made("full", "separable", 1).weights, made("full", "separable", 5).weights)
    kept = pseudo_dataset(np.random.default_rng(1), non_expansive=True)
    assert not (kept.precisions < 0).any() and (made("spherical", "separable", 5).precisions < 0).any()
