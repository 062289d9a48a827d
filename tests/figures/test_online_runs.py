"""The demonstration, round by round: its learners are the package's, and its stream what the settings say."""

import functools

import numpy as np
import pytest

from bflo_viz import SGD, BeliefFlow, DiagonalBelief, FullBelief, Kalman, SphericalBelief
from bflo_viz.figures.online import LEARNERS, learn_online

ROUNDS = 600
NAMES = (*LEARNERS, "Kalman")


@functools.cache
def run(seed=0, rounds=ROUNDS, **settings):
    return learn_online(np.random.default_rng(seed), rounds=rounds, **settings)


def learners(eta=0.03, std=1.0, non_expansive=False, **_):
    """The learners that the paper compares, made from the package's public names."""
    flat, options = np.zeros(2), {"eta": eta, "non_expansive": non_expansive}
    return {
        "SGD": SGD(2, eta=eta, std=std),
        "full": BeliefFlow(FullBelief(flat, std**2 * np.eye(2)), **options),
        "diagonal": BeliefFlow(DiagonalBelief(flat, std), **options),
        "spherical": BeliefFlow(SphericalBelief(flat, std), **options),
        "Kalman": Kalman(FullBelief(flat, std**2 * np.eye(2))),
    }


@pytest.mark.parametrize(
    "settings", [{}, {"eta": 0.1, "std": 0.5, "flip": 0.2, "drift": 15.0}, {"eta": 0.05, "non_expansive": True}]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_a_compiled_run_of_the_learner(name, settings):
    """Blocks of 200 rounds without a recorder: mistakes by the true labels, entropy, weights or belief."""
    found = run(names=NAMES, **settings)
    seed = int(2**32 * np.random.default_rng(0).random(4)[3])
    learner, own = learners(**settings)[name], np.random.default_rng(seed)
    for start in range(0, ROUNDS, 200):
        part, after = slice(start, start + 200), start + 200
        record = learner.run(found.X[part], found.seen[part], own, truth=found.truth[part], blocks=1)
        assert record.mistakes.sum() == found.by_sample[name][part].sum()
        np.testing.assert_allclose(found.means[name][after], learner.weights_for_prediction(), rtol=1e-8, atol=1e-11)
        if learner.belief is None:
            np.testing.assert_array_equal(found.by_mean[name], found.by_sample[name])
            continue
        assert found.entropy[name][after] == pytest.approx(learner.entropy(), abs=1e-7)
        assert found.error(name, after) == pytest.approx(100 * found.by_sample[name][:after].mean())


def test_the_stream_is_what_the_settings_say():
    """Labels of w* = (1, 1), or of one that turns by the drift; flips with their probability."""
    found = run(flip=0.0)
    np.testing.assert_array_equal(found.seen, found.X.sum(axis=1) > 0)
    found = run(flip=0.4)
    np.testing.assert_array_equal(found.truth, found.X.sum(axis=1) > 0)
    assert (found.seen != found.truth).mean() == pytest.approx(0.4, abs=0.07)
    found = run(drift=30.0, flip=0.1)
    for r in (0, 200, 400, 599):
        turned = np.radians(45 + 30 * r / 100)
        assert found.truth[r] == (found.X[r] @ [np.cos(turned), np.sin(turned)] > 0)
    assert (found.truth != (found.X.sum(axis=1) > 0)).any()
    jump = run(turns=((300, 90.0),), flip=0.1)
    np.testing.assert_allclose(np.diff(jump.angle)[[298, 299, 300]], [0, np.pi / 2, 0], atol=1e-12)
