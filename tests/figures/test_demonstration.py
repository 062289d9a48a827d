"""The demonstration: its learners are the package's, its curves the paper's, and its random numbers stay."""

import functools

import numpy as np
import pytest
from looks import line, made

from bflo_viz import AROW, SGD, BeliefFlow, DiagonalBelief, FullBelief, Kalman, Langevin, SphericalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import quantiles
from bflo_viz.figures.online import LEARNERS, OTHERS, demonstration, learn_online

ROUNDS = 600
NAMES = (*LEARNERS, *OTHERS)


@functools.cache
def run(seed=0, rounds=ROUNDS, **settings):
    return learn_online(np.random.default_rng(seed), rounds=rounds, **settings)


@functools.cache
def default():
    return demonstration(np.random.default_rng(0))


def learners(eta=0.03, std=1.0, non_expansive=False, **_):
    """The learners that the paper compares, made from the package's public names."""
    flat, options = np.zeros(2), {"eta": eta, "non_expansive": non_expansive}
    return {
        "SGD": SGD(2, eta=eta, std=std),
        "full": BeliefFlow(FullBelief(flat, std**2 * np.eye(2)), **options),
        "diagonal": BeliefFlow(DiagonalBelief(flat, std), **options),
        "spherical": BeliefFlow(SphericalBelief(flat, std), **options),
        "Kalman": Kalman(FullBelief(flat, std**2 * np.eye(2))),
        "AROW": AROW(2, std=std, predicting="sample"),
        "Langevin": Langevin(2, eta=eta, std=std, prior_std=std, data_size=2000),
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


def test_the_demonstration_is_a_loop_over_steps():
    """A loop over `step` that counts mistakes against the true labels by itself."""
    rounds, flip = 120, 0.4
    found = demonstration(np.random.default_rng(7), runs=2, rounds=rounds, points=12)
    rng = np.random.default_rng(7)
    for run in range(2):
        X = rng.normal(size=(rounds, 2))
        truth = [int(x @ [1.0, 1.0] > 0) for x in X]
        wrong = rng.random(rounds) < flip
        learners = {
            "SGD": SGD(2, eta=0.01, std=1.0),
            "full": BeliefFlow(FullBelief([0.0, 0.0], np.eye(2)), eta=0.01),
            "diagonal": BeliefFlow(DiagonalBelief([0.0, 0.0], 1.0), eta=0.01),
            "spherical": BeliefFlow(SphericalBelief([0.0, 0.0], 1.0), eta=0.01),
        }
        for name, learner in learners.items():
            mistakes = 0
            for i in range(rounds):
                done = learner.step(X[i], truth[i] ^ int(wrong[i]), rng)
                mistakes += done.label != truth[i]
                if (i + 1) % 10 == 0:
                    at = i // 10
                    assert found.error[name][run, at] == pytest.approx(100 * mistakes / (i + 1), rel=1e-12)
                    if name != "SGD":
                        assert found.entropy[name][run, at + 1] == pytest.approx(done.entropy, rel=1e-7)


def test_the_demonstration_is_that_of_the_paper_and_its_words_are_true():
    """Errors near the printed ones, entropies from that of N(0, I) on; titles and words by the numbers."""
    figure, found = made("demonstration"), default()
    mistakes, entropies = figure.axes
    printed = {"SGD": 9.52, "full": 22.58, "diagonal": 18.38, "spherical": 15.48}
    for name in LEARNERS:
        end = found.error[name][:, -1].mean()
        assert found.error[name].shape == (10, 200) and abs(end - printed[name]) < 2.5
        np.testing.assert_allclose(line(mistakes, name).get_xydata()[-1], [8000, end])
        assert f"{name} {end:.1f} %" in figure.alt_text
        assert line(mistakes, name).get_marker() == palette.SERIES[name].marker
    for name, runs in found.entropy.items():
        np.testing.assert_allclose(runs[:, 0], np.log(2 * np.pi * np.e), rtol=1e-12)
        low, middle, high = quantiles(runs)
        np.testing.assert_array_equal(line(entropies, name).get_ydata(), middle)
        assert ((runs <= middle).mean(axis=0) >= 0.5).all() and ((runs >= middle).mean(axis=0) >= 0.5).all()
        assert ((runs >= low).mean(axis=0) >= 0.9).all() and ((runs <= high).mean(axis=0) >= 0.9).all()
    assert {text.get_text() for text in mistakes.texts} == set(LEARNERS)
    assert mistakes.get_title(loc="left") == "SGD errs least,\nfull most"
    assert entropies.get_title(loc="left") == "Entropies settle:\nspherical first, full last"
