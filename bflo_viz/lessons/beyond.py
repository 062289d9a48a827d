"""What the small experiments of notebook 08 share: their streams, their learners, and how these are measured."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.learners import AROW, SGD, BeliefFlow, Dropout, Langevin, Learner
from bflo_viz.models import MLP, sigmoid
from bflo_viz.streams import Stream, flip_labels, load_stream, split

Labels = NDArray[np.int64]
FIVE = ("SGD", "Dropout", "Langevin", "diagonal", "diagonal, non-expansive")


def log_loss(p: ArrayLike, y: ArrayLike) -> float:
    """Mean of −log of the probability that was given to the label that came."""
    p = np.asarray(p)
    return float(-np.mean(np.log(np.clip(np.where(np.asarray(y) == 1, p, 1 - p), 1e-6, 1))))


def probabilities(weights: ArrayLike, X: Floats) -> Floats:
    """The probability of a 1, for each of the weights (rows) and each row of X."""
    return np.asarray(sigmoid(np.dot(weights, X.T)))


def plus_minus(runs: ArrayLike, digits: int) -> str:
    """Mean ± standard error of runs."""
    runs = np.asarray(runs)
    return f"{np.mean(runs):.{digits}f} ± {np.std(runs, ddof=1) / np.sqrt(len(runs)):.{digits}f}"


# Few examples, many passes: does a learner overfit?


def few_and_many(stream: Stream, flip: float, seed: int, rows: int = 60) -> tuple[Stream, Stream]:
    """A few examples to learn from, a share of their labels wrong, and all others to test on."""
    rng = np.random.default_rng(seed)
    learn, test = split(stream, rows / len(stream), rng)
    return flip_labels(learn, flip, rng), test


def five_learners(d: int, eta: float, width: float = 0.3) -> dict[str, Learner]:
    """Five learners of logistic regression, by their names; Langevin has a prior that pulls in every step."""
    prior, slow = DiagonalBelief(np.zeros(d), width), {"noise": 1e-4, "prior_std": 0.3 * np.sqrt(60)}
    points = SGD(d, eta=eta), Dropout(d, eta=eta), Langevin(d, eta=2 * eta, **slow)
    flows = BeliefFlow(prior, eta=eta), BeliefFlow(prior, eta=eta, non_expansive=True)
    return dict(zip(FIVE, (*points, *flows), strict=True))


def five_networks(eta: float = 3.0, width: float = 0.3) -> dict[str, Learner]:
    """The same five as networks with 2,260 weights."""
    net, prior = MLP((64, 30, 10)), DiagonalBelief(np.zeros(2260), width)
    slow = Langevin(64, net, eta=2 * eta, std=width, noise=1e-4, prior_std=float(np.sqrt(1500)))
    points = SGD(64, net, eta=eta, std=width), Dropout(64, net, eta=eta, std=width), slow
    flows = (BeliefFlow(prior, net, eta=eta, non_expansive=held) for held in (False, True))
    return dict(zip(FIVE, (*points, *flows), strict=True))


def passes(learner: Learner, learn: Stream, rng: np.random.Generator, stops: Sequence[int]) -> Iterator[Learner]:
    """Pass over the same examples, each time in a new order; the learner is given back after each of ``stops``."""
    for before, now in pairwise((0, *stops)):
        for _ in range(now - before):
            order = rng.permutation(len(learn))
            learner.run(learn.X[order], learn.y[order], rng, blocks=1)
        yield learner


def overfitted(
    learner: Learner, learn: Stream, test: Stream, seed: int, stops: Sequence[int] = (30,)
) -> list[tuple[float, ...]]:
    """After so many passes: log loss shown; on new examples by the mean and by 30 samples; mistakes there (%)."""
    rng, found = np.random.default_rng(seed), list[tuple[float, ...]]()
    for one in passes(learner, learn, rng, stops):
        shown, new = (log_loss(one.predict_proba(part.X), part.y) for part in (learn, test))
        draws = [one.predict_proba(test.X, rng) for _ in range(30 if one.belief else 1)]
        mistakes = 100 * float(np.mean(one.predict(test.X) != test.y))
        found.append((shown, new, log_loss(np.mean(draws, axis=0), test.y), mistakes))
    return found


def network_overfitted(
    learner: Learner, learn: Stream, test: Stream, seed: int, stops: Sequence[int]
) -> list[tuple[float, ...]]:
    """After so many passes of a network: log loss and mistakes (%) shown, and both on new digits."""
    rng, found = np.random.default_rng(seed), list[tuple[float, ...]]()
    for one in passes(learner, learn, rng, stops):
        row: list[float] = []
        for part in (learn, test):
            row.append(log_loss(one.predict_proba(part.X), np.arange(10) == part.y[:, None]))
            row.append(100 * float(np.mean(one.predict(part.X) != part.y)))
        found.append(tuple(row))
    return found


# Many weights, and a world that changes.


def linear_stream(
    rng: np.random.Generator, d: int, rows: int = 3000, flip: float = 0.2
) -> tuple[Floats, Labels, Labels]:
    """Inputs, labels as shown, and true labels, of a random true weight."""
    X, w = rng.standard_normal((rows, d)), rng.standard_normal(d)
    truth = (X @ w > 0).astype(int)
    return X, np.where(rng.random(rows) < flip, 1 - truth, truth), truth


def gradients(w: Floats, x: Floats, y: Labels) -> Floats:
    """Gradients of several runs, their weights in one long vector; each run has a row of x and a label."""
    off = probabilities(1, (w.reshape(x.shape) * x).sum(axis=1)) - y
    return np.asarray((off[:, None] * x).ravel())


def world(drift: str, seed: int) -> Stream:
    """A stream of 4,000 rounds whose truth jumps three times (``"jumping"``), or turns twice (``"rotating"``)."""
    options: dict[str, Any] = {
        "rows": 4000,
        "features": 5,
        "changes": {"jumping": 3, "rotating": 2}[drift],
        "flip": 0.1,
    }
    return load_stream("drifting", rng=np.random.default_rng(seed), drift=drift, **options)


def to_choose_from(etas: Sequence[float] = (0.05, 0.1, 0.2, 0.4)) -> dict[str, dict[float, Learner]]:
    """Six learners over five weights, each with four settings: a learning rate, and for AROW its r."""
    found: dict[str, dict[float, Learner]] = {"SGD": {eta: SGD(5, eta=eta) for eta in etas}}
    found["AROW"] = {r: AROW(5, r=r) for r in (0.1, 1, 10, 100)}
    priors = {"diagonal": DiagonalBelief(np.zeros(5), 0.3), "full": FullBelief(np.zeros(5), 0.09 * np.eye(5))}
    for name, prior in priors.items():
        found[name] = {eta: BeliefFlow(prior, eta=eta) for eta in etas}
        found[f"{name}, non-expansive"] = {eta: BeliefFlow(prior, eta=eta, non_expansive=True) for eta in etas}
    return found


# Regret, in the log loss.


def drawn_labels(rng: np.random.Generator, turns: int, rows: int = 5000) -> tuple[Floats, Labels, Floats]:
    """Inputs, labels drawn by true weights of length 2, and those weights, which turn so many times."""
    X, angle = rng.standard_normal((rows, 5)), np.linspace(0, 2 * np.pi * turns, rows)
    truth = 2 * np.column_stack([np.cos(angle), np.sin(angle), np.zeros((rows, 3))])
    return X, (rng.random(rows) < sigmoid((X * truth).sum(axis=1))).astype(int), truth


def best_weight(X: Floats, y: Labels, w: Floats) -> Floats:
    """The best fixed weight in hindsight, by Newton's method from w."""
    for _ in range(10):
        p = sigmoid(X @ w)
        w = w - np.linalg.solve((X.T * p * (1 - p)) @ X, X.T @ (p - y))
    return w


def losses(learner: Learner, X: Floats, y: Labels, rng: np.random.Generator, block: int = 5) -> Floats:
    """Log loss so far after each block of rounds: by the weights that learn, and by the mean before the block."""
    found = []
    for now in (slice(n, n + block) for n in range(0, len(X), block)):
        mean = block * log_loss(learner.predict_proba(X[now]), y[now])
        found.append((learner.run(X[now], y[now], rng, blocks=1).loss.sum(), mean))
    return np.asarray(np.cumsum(found, axis=0))


def loss_of(known: Floats, X: Floats, y: Labels, block: int = 5) -> Floats:
    """Log loss so far, after each block, of one who knows a weight, or one for each round."""
    said = sigmoid((X * known).sum(axis=1))
    return np.cumsum([block * log_loss(said[n : n + block], y[n : n + block]) for n in range(0, len(X), block)])


def three_learners(eta: float = 0.03) -> dict[str, Learner]:
    """SGD and two diagonal flows over five weights."""
    prior = DiagonalBelief(np.zeros(5), 0.3)
    flows = (BeliefFlow(prior, eta=eta, non_expansive=held) for held in (False, True))
    return dict(zip(("SGD", "diagonal", "diagonal, non-expansive"), (SGD(5, eta=eta), *flows), strict=True))


# Kernels by random features, asking for labels, forecasts.


def rings(rng: np.random.Generator, rows: int = 4000, flip: float = 0.1) -> tuple[Floats, Labels, Labels]:
    """Two rings, of radius 1 (label 0) and 2 (label 1): inputs, labels as shown, true labels."""
    truth, angle = rng.integers(0, 2, rows), rng.uniform(0, 2 * np.pi, rows)
    X = (1 + truth + 0.2 * rng.standard_normal(rows)) * np.array([np.cos(angle), np.sin(angle)])
    return X.T, truth ^ (rng.random(rows) < flip), truth


def cosines(rng: np.random.Generator, k: int) -> Callable[[Floats], Floats]:
    """A function that makes k random Fourier features of inputs in the plane."""
    omega, beta = rng.standard_normal((2, k)), rng.uniform(0, 2 * np.pi, k)
    return lambda X: np.sqrt(2 / k) * np.cos(X @ omega + beta)


def doubt(belief: Belief, F: Floats) -> float:
    """Standard deviation of w · x, the root of its mean square over rows."""
    return float(np.sqrt(np.mean(((F @ belief.covariance) * F).sum(axis=1))))


def choose(way: str, belief: Belief, X: Floats, rng: np.random.Generator) -> int:
    """The place of the row to ask for: at random, by the margin of the mean, or where fifty samples disagree."""
    if way.startswith("random"):
        return int(rng.integers(len(X)))
    votes = np.mean(belief.sample(rng, 50) @ X.T > 0, axis=0) - 0.5
    return int(np.argmin(np.abs(X @ belief.mean if way == "margin" else votes)))


def bins(p: Floats, y: Labels) -> Floats:
    """For ten bins of forecasts: how many there are, their sum, and how many labels are 1."""
    which = np.minimum((10 * p).astype(int), 9)
    return np.array([np.bincount(which, weights, minlength=10) for weights in (np.ones(len(p)), p, y)])


def calibration_error(p: Floats, y: Labels) -> float:
    """How far the forecasts of a bin are from the share of ones in it, on average over forecasts."""
    count, total, ones = bins(p, y)
    return float(np.abs(total - ones).sum() / count.sum())
