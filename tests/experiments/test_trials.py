"""One run against an independent oracle, and against all that it must not depend on."""

import dataclasses
import hashlib

import numpy as np
import pytest
from fake_results import SMALL

from bflo_viz.experiments.trial import run_trial
from bflo_viz.learners import Learner

STREAMS = """
[streams.CANCER]
load = "breast-cancer"
steps = ["z_score", "bias"]
[streams.MIXED]
load = "breast-cancer"
steps = ["z_score", "bias"]
split = "shuffled"
[streams.SPARSE]
load = "sparse-logistic"
options = { rows = 200, features = 30, nonzero = 3 }
"""
NUMBERS = ("online_mistakes", "final_mistakes", "mean_mistakes", "mistakes", "entropy", "rounds", "test_rows", "data")


@pytest.fixture
def trial(own):
    """Find a trial by its names."""
    text = SMALL.replace("runs = 2", "runs = 3\nnoise = [0.0, 0.2]").replace('"SGD"\n', '"SGD"\neta = 0.01\n')
    trials = {
        (t.stream, t.learner, t.run, t.noise): t for t in own(text + "std = 2.0\neta = 0.01\n" + STREAMS).trials()
    }
    return lambda stream, learner="SGD", run=0, noise=0.0: trials[stream, learner, run, noise]


def numbers(result):
    return {name: getattr(result, name) for name in NUMBERS}


def by_name(text):
    """The generator of a name, written down a second time."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
    return np.random.default_rng(seed)


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("run", [0, 2])
@pytest.mark.parametrize("name", ["CANCER", "MIXED"])
def test_a_trial_of_sgd_makes_the_mistakes_of_a_textbook_pass(trial, name, run, noise):
    """A textbook pass in plain NumPy, from the raw rows of scikit-learn, makes the same mistakes."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    X = np.hstack([(X - X.mean(axis=0)) / X.std(axis=0), np.ones((len(X), 1))])
    rng = by_name(f"demo/{name}/run {run}")
    if name == "MIXED":
        order = rng.permutation(569)
        X, y = X[order], y[order]
    X, y, X_test, y_test = X[:455], y[:455], X[455:], y[455:]
    if name == "CANCER":
        order = rng.permutation(455)
        X, y = X[order], y[order]
    shown = y.copy()
    if noise:
        wrong = by_name(f"demo/{name}/run {run}/noise 0.2").permutation(455)[:91]
        shown[wrong] = 1 - shown[wrong]
    w, mistakes = np.zeros(31), []
    for x, seen, true in zip(X, shown, y, strict=True):
        p = 1 / (1 + np.exp(-(w @ x)))
        mistakes.append((p > 0.5) != true)
        w -= 0.01 * (p - seen) * x
    result = run_trial(trial(name, run=run, noise=noise))
    assert result.online_mistakes == sum(mistakes)
    assert result.final_mistakes == result.mean_mistakes == np.count_nonzero((X_test @ w > 0) != y_test)
    assert (result.rounds, result.test_rows) == (455, 114)
    blocks = np.add.reduceat(mistakes, np.arange(0, 455, 10))  # 46 blocks of at most ten rounds
    assert result.mistakes == tuple(blocks) and result.entropy == ()


def test_a_wide_belief_predicts_better_by_its_mean_than_by_samples(trial):
    sampled = trial("CLOUDS", "BFLO")
    by_mean = dataclasses.replace(sampled, settings=dataclasses.replace(sampled.settings, final="mean"))
    nearly, noisy = (
        dataclasses.replace(by_mean, settings=dataclasses.replace(by_mean.settings, final_noise=noise))
        for noise in (1e-9, 50.0)
    )
    one, two, same, three = (run_trial(t) for t in (sampled, by_mean, nearly, noisy))
    assert one.final_mistakes > one.mean_mistakes
    assert two.final_mistakes == two.mean_mistakes == one.mean_mistakes == three.mean_mistakes
    assert three.final_mistakes > two.final_mistakes == same.final_mistakes  # noise around the mean, not a sample
    assert one.mistakes == two.mistakes == three.mistakes
    assert len(one.entropy) == 1 + len(one.mistakes) == 47  # blocks of 7 rounds


CHANGES = {"features": lambda X: np.multiply(X, 2, out=X), "parts": lambda X: setattr(X, "data", 0 * X.data)}


@pytest.mark.parametrize("change", CHANGES)
def test_a_learner_cannot_change_what_others_get(trial, monkeypatch, change):
    """It fails, or changes what is its own: the next one has the numbers that it has alone."""
    one = trial("SPARSE" if change == "parts" else "CLOUDS")
    alone = numbers(run_trial(one))

    def changing(self, X, y, rng, real=Learner.run, **options):
        CHANGES[change](X)
        return real(self, X, y, rng, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "run", changing)
        if change == "parts":
            assert numbers(run_trial(one)) != alone
        else:
            with pytest.raises(ValueError, match="read-only"):
                run_trial(one)
    assert numbers(run_trial(one)) == alone
