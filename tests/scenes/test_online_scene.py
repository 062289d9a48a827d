"""One run of the demonstration: its learners are the package's, and its random numbers stay."""

import functools

import numpy as np
import pytest

from bflo_viz import AROW, SGD, BeliefFlow, DiagonalBelief, FullBelief, Langevin, SphericalBelief
from bflo_viz.scenes.online import LEARNERS, OTHERS, learn_online

ROUNDS = 600


@functools.cache
def made(seed=0, rounds=ROUNDS, **settings):
    return learn_online(np.random.default_rng(seed), rounds=rounds, **settings)


NAMES = (*LEARNERS, *OTHERS)


def learners(eta=0.03, std=1.0, non_expansive=False, **_):
    """The learners that the paper compares, made from the package's public names."""
    flat, options = np.zeros(2), {"eta": eta, "non_expansive": non_expansive}
    return {
        "SGD": SGD(2, eta=eta, std=std),
        "full": BeliefFlow(FullBelief(flat, std**2 * np.eye(2)), **options),
        "diagonal": BeliefFlow(DiagonalBelief(flat, std), **options),
        "spherical": BeliefFlow(SphericalBelief(flat, std), **options),
        "AROW": AROW(2, std=std, predicting="sample"),
        "Langevin": Langevin(2, eta=eta, std=std, prior_std=std, data_size=2000),
    }


@pytest.mark.parametrize(
    "settings", [{}, {"eta": 0.1, "std": 0.5, "flip": 0.2, "drift": 15.0}, {"eta": 0.05, "non_expansive": True}]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_scene_is_a_compiled_run_of_the_learner(name, settings):
    """Blocks of 100 rounds without a recorder: mistakes by the true labels, entropy, weights or belief."""
    scene = made(names=NAMES, **settings)
    seed = int(2**32 * np.random.default_rng(0).random(4)[3])
    learner, own = learners(**settings)[name], np.random.default_rng(seed)
    for start in range(0, ROUNDS, 100):
        part, after = slice(start, start + 100), start + 100
        record = learner.run(scene.X[part], scene.seen[part], own, truth=scene.truth[part], blocks=1)
        assert record.mistakes.sum() == scene.by_sample[name][part].sum()
        np.testing.assert_allclose(scene.means[name][after], learner.weights_for_prediction(), rtol=1e-8, atol=1e-11)
        if learner.belief is None:
            np.testing.assert_array_equal(scene.by_mean[name], scene.by_sample[name])
            continue
        np.testing.assert_allclose(
            scene.beliefs[name][after].covariance, learner.belief.covariance, rtol=1e-8, atol=1e-12
        )
        assert scene.entropy[name][after] == pytest.approx(learner.entropy(), abs=1e-7)
        a, b, c = scene.factors[name][after]
        lower = np.array([[a, 0], [b, c]])
        np.testing.assert_allclose(lower @ lower.T, learner.belief.covariance, rtol=1e-8, atol=1e-12)


def test_the_stream_is_what_the_settings_say():
    """Labels of w* = (1, 1), or of one that turns by the drift; flips with their probability."""
    scene = made(flip=0.0)
    np.testing.assert_array_equal(scene.seen, scene.X.sum(axis=1) > 0)
    scene = made(flip=0.4)
    np.testing.assert_array_equal(scene.truth, scene.X.sum(axis=1) > 0)
    assert (scene.seen != scene.truth).mean() == pytest.approx(0.4, abs=0.07)
    scene = made(drift=30.0, flip=0.1)
    for r in (0, 200, 400, 599):
        turned = np.radians(45 + 30 * r / 100)
        assert scene.truth[r] == (scene.X[r] @ [np.cos(turned), np.sin(turned)] > 0)
    assert (scene.truth != (scene.X.sum(axis=1) > 0)).any()


def test_changing_a_setting_keeps_the_random_numbers():
    """Inputs and normals depend on the generator alone, and more flips keep those that were there."""
    base = made(rounds=50)
    for change in ({"eta": 0.002}, {"std": 0.3}, {"flip": 0.45}, {"drift": 30.0}, {"non_expansive": True}):
        other = made(rounds=50, **change)
        np.testing.assert_array_equal(other.X, base.X)
        np.testing.assert_array_equal(other.samples, base.samples)
        for name in LEARNERS:
            first = other.means[name][0] / other.settings["std"]
            np.testing.assert_allclose(first, base.means[name][0], rtol=1e-12)
        if "flip" in change:
            assert ((base.seen != base.truth) <= (other.seen != other.truth)).all()
    assert not np.allclose(made(1, rounds=50).X, base.X)
    assert not np.allclose(made(1, rounds=50).means["SGD"], base.means["SGD"])
