"""The paper's demonstration, round by round: learners of two weights on a stream with many wrong labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, FullBelief
from bflo_viz.figures.marks import isotropic
from bflo_viz.learners import SGD, BeliefFlow, Kalman, Learner, Recorder

FLOWS = ("full", "diagonal", "spherical")
LEARNERS = ("SGD", *FLOWS)  # of the paper's demonstration
SAMPLES = 12  # of each belief, drawn as faint lines
CALIBRATED = float(np.sqrt(2 * np.log(2)))  # median distance from a mean in standard deviations, in two dimensions
NODES, FAR = 1000, 3.0  # of an integral over a half normal: steps, and the root of how far it goes


def _learners(eta: float, std: float, non_expansive: bool) -> dict[str, Learner]:
    """Return SGD and the three flows over two weights, as the paper compares them, and the Kalman filter."""
    priors = {name: isotropic(name, np.zeros(2), std) for name in FLOWS}
    return {
        "SGD": SGD(2, eta=eta, std=std),
        **{name: BeliefFlow(prior, eta=eta, non_expansive=non_expansive) for name, prior in priors.items()},
        "Kalman": Kalman(FullBelief(np.zeros(2), std**2 * np.eye(2))),
    }


@dataclass(frozen=True, eq=False)
class OnlineRun:
    """Learners on one stream, round by round. What is given by learner begins before the first round."""

    X: Floats
    seen: NDArray[np.int64]  # labels as the learners saw them
    truth: NDArray[np.int64]
    angle: Floats  # of the true weight, in each round and after the last, in radians
    samples: Floats  # normals for the faint lines, (SAMPLES, 2)
    means: dict[str, Floats]  # or weights
    beliefs: dict[str, tuple[Belief, ...]]
    factors: dict[str, Floats]  # of covariances: lower Cholesky factors as three numbers
    entropy: dict[str, Floats]  # in nats
    distance: dict[str, Floats]  # Mahalanobis distance of the best weight from the mean
    # True where the prediction of a round was wrong by the true label. A learner with one weight has one answer.
    by_sample: dict[str, NDArray[np.uint8]]
    by_mean: dict[str, NDArray[np.uint8]]
    predict: str = "sample"  # or "mean": the way of predicting whose mistakes are counted

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.seen)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the learners."""
        return tuple(self.means)

    def error(self, name: str, after: int) -> float:
        """Return mistakes in % of all rounds so far; NaN before the first."""
        wrong = self.by_sample if self.predict == "sample" else self.by_mean
        return 100 * float(wrong[name][:after].mean()) if after else float("nan")


def learn_online(
    rng: RNG,
    *,
    eta: float = 0.03,
    std: float = 1.0,
    flip: float = 0.4,
    drift: float = 0.0,
    non_expansive: bool = False,
    turns: Sequence[tuple[int, float]] = (),
    rounds: int = 2000,
    names: Sequence[str] = LEARNERS,
) -> OnlineRun:
    """Run learners on one stream of inputs from N(0, I₂), in which a share ``flip`` of the labels is wrong.

    The true weight is (1, 1), and turns by ``drift`` degrees in 100 rounds; ``turns`` are rounds from which on it has
    turned by so many degrees more. ``std`` is the width of the priors, and of the weights where SGD begins. The
    learners are those of `LEARNERS` and "Kalman". Each draws from a generator of its own, all seeded alike, so that
    like is compared with like; and equal generators give equal random numbers whatever the settings, and however many
    rounds there are. With a ``RandomState`` they are those of the explorer's page.
    """
    learners = _learners(eta, std, non_expansive)
    for name in names:
        check.choice("names", name, tuple(learners))
    names = [name for name in learners if name in names]
    inputs, flips, fan, own = [int(2**32 * draw) for draw in check.generator(rng).random(4)]
    make = np.random.RandomState if isinstance(rng, np.random.RandomState) else np.random.default_rng
    X, samples = make(inputs).standard_normal((rounds, 2)), make(fan).standard_normal((SAMPLES, 2))
    angle = np.pi / 4 + np.radians(drift) * np.arange(rounds + 1) / 100
    for start, degrees in turns:
        angle[start:] += np.radians(degrees)
    truth = (X[:, 0] * np.cos(angle[:-1]) + X[:, 1] * np.sin(angle[:-1]) > 0).astype(np.int64)
    seen = truth ^ (make(flips).random(rounds) < flip)
    records = {name: Recorder() for name in names}
    for name in names:
        learners[name].run(X, seen, make(own), callback=records[name])
    means = {name: record.path for name, record in records.items()}
    beliefs = {name: record.beliefs for name, record in records.items() if learners[name].belief is not None}
    factors = {name: _lower(path) for name, path in beliefs.items()}
    entropy = {name: np.array([belief.entropy() for belief in path]) for name, path in beliefs.items()}
    best = best_length(flip) * np.column_stack([np.cos(angle), np.sin(angle)])
    distance = {name: _away(best - means[name], factors[name]) for name in beliefs}
    by_sample = {name: (record.labels != truth).astype(np.uint8) for name, record in records.items()}
    by_mean = {name: ((np.sum(w[:-1] * X, axis=1) > 0) != truth).astype(np.uint8) for name, w in means.items()}
    paths = means, beliefs, factors, entropy, distance
    return OnlineRun(X, seen, truth, angle, samples, *paths, by_sample, by_mean)


def best_length(flip: float) -> float:
    """Return the length of the weight with the least expected loss, where a share ``flip`` of the labels is wrong.

    Its direction is the true one. Along it an input is t from N(0, 1), and the loss is stationary where
    E[|t| sigmoid(−c |t|)] / E|t| = flip. Without wrong labels a longer weight is always better.

    >>> [round(best_length(flip), 3) for flip in (0.4, 0.5, 0.0)]
    [0.327, 0.0, inf]
    """
    if not 0 < flip < 0.5:
        return 0.0 if flip else math.inf
    root = np.linspace(0.0, FAR, NODES + 1)  # t = root²: fine near 0, where a long weight changes fastest
    t = np.square(root)
    weight = root * t * np.exp(-0.5 * np.square(t))  # it vanishes at both ends: sums are integrals to many digits
    weight /= weight.sum()
    length, step = 0.0, math.inf
    while step > 1e-12 * length:  # of a falling convex function, from its left: Newton's steps do not overshoot
        small = np.exp(-length * t)
        share = small / (1 + small)
        step = float((weight @ share - flip) / (weight @ (t * share * (1 - share))))
        length += step
    return length


def _away(offset: Floats, factors: Floats) -> Floats:
    """Return the length of each offset in the standard deviations of a lower factor; infinite where it is none."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        first = offset[:, 0] / factors[:, 0]
        far = np.hypot(first, (offset[:, 1] - factors[:, 1] * first) / factors[:, 2])
    return np.where(np.isnan(far), np.inf, far)


def _lower(beliefs: Sequence[Any]) -> Floats:
    """Return the lower triangular factor of each covariance: its numbers at 00, 10 and 11."""
    if not isinstance(beliefs[0], FullBelief):
        std = np.array([belief.std * np.ones(2) for belief in beliefs])
        return np.column_stack([std[:, 0], np.zeros(len(std)), std[:, 1]])
    (a, b), (c, d) = np.moveaxis(np.array([belief.factor for belief in beliefs]), 0, -1)
    corner = np.hypot(a, b)
    return np.column_stack([corner, (a * c + b * d) / corner, np.abs(a * d - b * c) / corner])
