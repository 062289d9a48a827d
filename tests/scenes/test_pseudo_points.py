"""A belief flow read as points: its marks against Bayes' rule by the book, the problems, and the words."""

import functools
import re

import numpy as np
import pytest

from bflo_viz import BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS, pseudo_dataset, read_as_points

ROUNDS = 120
ALL = [(problem, flow) for problem in PROBLEMS for flow in FLOWS]


@functools.cache
def made(flow, problem, seed, rounds=ROUNDS, std=1.0):
    settings = {"rounds": rounds, "std": std, "eta": 0.3, "about": problem, **PROBLEMS[problem]}
    return pseudo_dataset(np.random.default_rng(seed), flow, **settings)


@pytest.mark.parametrize("flow", FLOWS)
def test_a_run_is_a_loop_over_steps(flow):
    """The plain learner on the stream of the scene, written out here, given the same generator."""
    rng = np.random.default_rng(3)
    X, chance = rng.standard_normal((40, 2)), rng.random(40)
    y = (X.sum(axis=1) > 0) ^ (chance < 0.1)
    mean = [-1.0, 0.5]
    priors = {
        "spherical": SphericalBelief(mean, 1.0),
        "diagonal": DiagonalBelief(mean, 1.0),
        "full": FullBelief(mean, np.eye(2)),
    }
    learner = BeliefFlow(priors[flow], eta=0.5)
    scene = pseudo_dataset(np.random.default_rng(3), flow, rounds=40)
    for r in range(40):
        done = learner.step(X[r], int(y[r]), rng)
        np.testing.assert_allclose(scene.weights[r], done.weights, rtol=1e-12)
        np.testing.assert_allclose(scene.moved[r], done.moved, rtol=1e-12)
        np.testing.assert_allclose(scene.beliefs[r + 1].covariance, done.belief_after.covariance, rtol=1e-12)


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


@pytest.mark.parametrize(("seed", "std"), [(0, 1.0), (1, 0.5)])
@pytest.mark.parametrize(("problem", "flow"), ALL)
def test_prior_and_points_add_up_to_the_precision_of_the_belief(problem, flow, seed, std):
    """1/std², of each weight for a diagonal flow; the trace of the inverse covariance for a full one."""
    run = made(flow, problem, seed, std=std)
    for total, own, belief in zip(run.totals, run.own_precisions, run.beliefs, strict=True):
        wanted = np.trace(np.linalg.inv(belief.covariance)) if flow == "full" else belief.std**-2.0
        np.testing.assert_allclose(total, wanted, rtol=1e-8)
        np.testing.assert_allclose(own, wanted, rtol=1e-8)


@pytest.mark.parametrize("flow", FLOWS)
def test_the_sentence_tells_what_happened(flow):
    """A narrower belief added something, a wider one removed it; places and precisions are those of the marks."""
    run = made(flow, "noisy labels", 0)
    assert "prior" in run.at(0).sentence()
    told = {"added": 0, "removed": 0}
    for after in range(1, ROUNDS + 1):
        words = run.at(after).sentence()
        before, now = run.beliefs[after - 1], run.beliefs[after]
        parts = re.findall(r"was (added|removed) with precision ([\d.e−]+\d)", words)
        if flow == "diagonal":
            assert [kind for kind, _ in parts] == [
                "added" if t < s else "removed" for s, t in zip(before.std, now.std, strict=True)
            ]
        else:
            assert [kind for kind, _ in parts] == ["added" if now.entropy() < before.entropy() else "removed"]
        for (kind, number), strength in zip(parts, run.precisions[after - 1], strict=False):
            told[kind] += 1
            assert float(number.replace("−", "-")) == pytest.approx(abs(strength), rel=0.06)
        assert f"({now.mean[0]:.2f}, {now.mean[1]:.2f})".replace("-", "−") in words or np.abs(now.mean).min() < 0.1
    assert min(told.values()) > 10


def test_a_round_without_a_point_says_so():
    """A belief that only moves has no pseudo-point."""
    beliefs = SphericalBelief([0.0, 0.0], 1.0), SphericalBelief([1.0, 0.5], 1.0)
    run = read_as_points("spherical", "", np.ones((2, 2)), beliefs, np.zeros((1, 2)), np.ones((1, 2)))
    assert np.isnan(run.precisions).all()
    assert run.sentence() == "Round 1: no point; the widths stayed as they were, and the mean is (1.00, 0.50)."
    assert run.large == 1.0
    np.testing.assert_array_equal(run.totals, [[1.0], [1.0]])


@pytest.mark.parametrize("flow", FLOWS)
def test_words_count_what_was_added_and_removed_so_far(flow):
    """By the widths of the beliefs, not by the marks; far marks are counted, and what happened last is told."""
    scene = made(flow, "noisy labels", 0).at(30)
    if flow == "full":
        change = np.diff([b.entropy() for b in scene.beliefs[:31]])
    else:
        change = np.diff([np.atleast_1d(b.std) for b in scene.beliefs[:31]], axis=0)
    words = scene.words()
    assert f" {np.sum(change < 0)} pseudo-" in words and f"and {np.sum(change > 0)} removed" in words
    far = np.nan_to_num(np.abs(scene.places[:30])).max(axis=2) > 3.2
    assert f"{far.sum()} outside of the view" in words
    assert scene.sentence() in words and "(noisy labels) after 30 of 120 rounds" in words


def test_wrong_arguments_get_a_sentence():
    """What it must be, and what it was."""
    with pytest.raises(ValueError, match="flow must be 'spherical'"):
        pseudo_dataset(np.random.default_rng(0), "round")
    with pytest.raises(ValueError, match="Generator"):
        pseudo_dataset(3)
    with pytest.raises(ValueError, match=r"a round from 0 to 120, but it was 121\.$"):
        made("full", "drifting", 5).at(121)


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
