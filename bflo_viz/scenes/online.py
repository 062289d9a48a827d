"""The paper's demonstration in two dimensions: one run with every state on the way, and the curves of many runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, FullBelief
from bflo_viz.learners import AROW, SGD, BeliefFlow, Langevin, Learner, Recorder
from bflo_viz.scenes.base import PlayedScene, Scene, isotropic, number
from bflo_viz.streams.synthetic import demo_2d

FLOWS = ("full", "diagonal", "spherical")
OTHERS = ("AROW", "Langevin")
EXAMPLES = 2000  # whose posterior Langevin samples, however many rounds are played
LEARNERS = ("SGD", *FLOWS)  # of the paper's demonstration
PREDICT = ("sample", "mean")
SHOWN = 60  # examples of the stream at a time
SAMPLES = 12  # of each belief, drawn as faint lines
CALIBRATED = float(np.sqrt(2 * np.log(2)))  # median distance from a mean in standard deviations, in two dimensions
TOO_SURE = 1.5  # times that: a belief that knows too little of what it does not know
SPAN = 3.0  # of the inputs that are shown
SETTLED = 20  # rounds: before, a share of mistakes says nothing, and may leave the panel
LOWEST = -25.0  # nats: what lies deeper leaves the panel
DIPS = 0.03  # share of rounds that may leave it: short, deep dips would rule the scale
TITLES = {  # of the panels, in figures and in the page
    "plane": "Round {round}: the last {last} examples",
    "none": "Round 0: no example yet",
    "mistakes": "Mistakes, by the true labels",
    "entropy": "Entropy of the beliefs",
}
NODES, FAR = 1000, 3.0  # of an integral over a half normal: steps, and the root of how far it goes
_DEEP = 5.0  # nats: a dip worth a word
_NEAR = 1.0  # nats: a belief has arrived when its entropy is that near to where it ends


@dataclass(frozen=True, eq=False)
class OnlineScene(PlayedScene):
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
    distance: dict[str, Floats]  # of flows: Mahalanobis distance of the best weight from the mean
    # Whether the prediction of a round was wrong by the true label. A learner with one weight has one answer.
    by_sample: dict[str, NDArray[np.uint8]]
    by_mean: dict[str, NDArray[np.uint8]]
    settings: Mapping[str, Any]  # eta, std, flip, drift and non_expansive, as they were asked for
    names: tuple[str, ...]  # the learners to look at
    predict: str  # the way of predicting whose mistakes are counted
    now: int

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self.seen)

    @property
    def wrong(self) -> dict[str, NDArray[np.uint8]]:
        """By learner, whether the prediction of a round was wrong, made in the way that is looked at."""
        return self.by_sample if self.predict == "sample" else self.by_mean

    def at(self, now: int, names: Sequence[str] | None = None, predict: str | None = None) -> Self:
        """The same scene as it was after round ``now``, with these learners only, predicting in this way."""
        names = self.names if names is None else tuple(name for name in self.names if name in names)
        predict = self.predict if predict is None else check.choice("predict", predict, PREDICT)
        return replace(super().at(now), names=names, predict=predict)

    def error(self, name: str, after: int) -> float:
        """Mistakes in % of all rounds so far; NaN before the first."""
        return 100 * float(self.wrong[name][:after].mean()) if after else float("nan")

    def calibration(self, name: str) -> float:
        """Median distance of the best weight over the second half of the rounds so far, in standard deviations."""
        return float(np.quantile(self.distance[name][(self.now + 1) // 2 : self.now + 1], 0.5, method="lower"))

    def _words(self) -> str:
        now, s = self.now, self.settings
        how = f"{s['flip']:.0%} of the labels flipped, eta {s['eta']:g}, prior standard deviation {s['std']:g}"
        how += f", a drift of {s['drift']:g} degrees in 100 rounds" if s["drift"] else ""
        how += ", non-expansive" if s["non_expansive"] else ""
        if not now:
            return f"Round 0 of {self.rounds} with {how}: {', '.join(self.names)} have seen nothing yet."
        errors = ", ".join(f"{name} {self.error(name, now):.1f} %" for name in self.names)
        widths = ", ".join(f"{name} {number(self.entropy[name][now])}" for name in self.names if name in self.entropy)
        flows = [name for name in self.names if name in self.distance and s["flip"]]
        away = ", ".join(f"{name} {number(self.calibration(name))}" for name in flows)
        return f"""After {now} of {self.rounds} rounds with {how}, the mistakes by the {self.predict} are: {errors}.
            {f"Entropies: {widths} nats." if widths else ""}
            {f"The best weight is away by, in median standard deviations: {away}." if away else ""}"""


def learn_online(
    rng: RNG,
    *,
    eta: float = 0.03,
    std: float = 1.0,
    flip: float = 0.4,
    drift: float = 0.0,
    non_expansive: bool = False,
    rounds: int = 2000,
    names: Sequence[str] = LEARNERS,
) -> OnlineScene:
    """Run learners on one stream of inputs from N(0, I₂) of whose labels a share ``flip`` is wrong.

    The true weight is (1, 1), and turns by ``drift`` degrees in 100 rounds. ``std`` is the width of the priors, and
    of the weights where SGD begins. The learners are of ``"SGD"``, ``"full"``, ``"diagonal"``, ``"spherical"``,
    ``"AROW"`` and ``"Langevin"``. Each draws from a generator of its own, all seeded alike, so that like is compared
    with like; and equal generators give equal random numbers whatever the settings, and however many rounds there
    are. With a ``RandomState`` they are those of the explorer's page.
    """
    rounds = check.positive_int("rounds", rounds)
    for name in names:
        check.choice("names", name, (*LEARNERS, *OTHERS))
    names = tuple(name for name in (*LEARNERS, *OTHERS) if name in names)
    inputs, flips, fan, own = [int(2**32 * draw) for draw in check.generator(rng).random(4)]
    make = np.random.RandomState if isinstance(rng, np.random.RandomState) else np.random.default_rng
    X, samples = make(inputs).standard_normal((rounds, 2)), make(fan).standard_normal((SAMPLES, 2))
    angle = np.pi / 4 + np.radians(drift) * np.arange(rounds + 1) / 100
    truth = (X[:, 0] * np.cos(angle[:-1]) + X[:, 1] * np.sin(angle[:-1]) > 0).astype(np.int64)
    seen = truth ^ (make(flips).random(rounds) < flip)
    learners, records = demonstration_learners(eta, std, non_expansive), {name: Recorder() for name in names}
    for name in names:
        learners[name].run(X, seen, make(own), callback=records[name])
    means = {name: record.path for name, record in records.items()}
    beliefs = {name: record.beliefs for name, record in records.items() if learners[name].belief is not None}
    factors = {name: _lower(path) for name, path in beliefs.items()}
    entropy = {name: np.array([belief.entropy() for belief in path]) for name, path in beliefs.items()}
    best = best_length(flip) * np.column_stack([np.cos(angle), np.sin(angle)])
    distance = {name: _away(best - means[name], factors[name]) for name in FLOWS if name in names}
    by_sample = {name: (record.labels != truth).astype(np.uint8) for name, record in records.items()}
    by_mean = {name: ((np.sum(w[:-1] * X, axis=1) > 0) != truth).astype(np.uint8) for name, w in means.items()}
    settings = {"eta": eta, "std": std, "flip": flip, "drift": drift, "non_expansive": non_expansive}
    paths = means, beliefs, factors, entropy, distance, by_sample, by_mean
    return OnlineScene(X, seen, truth, angle, samples, *paths, settings, names, predict="sample", now=rounds)


def demonstration_learners(eta: float, std: float, non_expansive: bool = False) -> dict[str, Learner]:
    """SGD and the three flows over two weights, as the paper's demonstration compares them, and two rivals."""
    priors = {name: isotropic(name, np.zeros(2), std) for name in FLOWS}
    flows = {name: BeliefFlow(prior, eta=eta, non_expansive=non_expansive) for name, prior in priors.items()}
    langevin = Langevin(2, eta=eta, std=std, prior_std=std, data_size=EXAMPLES)
    arow = AROW(2, std=std, predicting="sample")
    return {"SGD": SGD(2, eta=eta, std=std), **flows, "AROW": arow, "Langevin": langevin}


def best_length(flip: float) -> float:
    """Length of the weight with the least expected loss, where a share ``flip`` of the labels is wrong.

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
    """Length of each offset in the standard deviations that a lower factor stands for; infinite where it is none."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        first = offset[:, 0] / factors[:, 0]
        far = np.hypot(first, (offset[:, 1] - factors[:, 1] * first) / factors[:, 2])
    return np.where(np.isnan(far), np.inf, far)


def _lower(beliefs: Sequence[Any]) -> Floats:
    """The lower triangular factor of each covariance: its numbers at 00, 10 and 11."""
    if not isinstance(beliefs[0], FullBelief):
        std = np.array([belief.std * np.ones(2) for belief in beliefs])
        return np.column_stack([std[:, 0], np.zeros(len(std)), std[:, 1]])
    (a, b), (c, d) = np.moveaxis(np.array([belief.factor for belief in beliefs]), 0, -1)
    corner = np.hypot(a, b)
    return np.column_stack([corner, (a * c + b * d) / corner, np.abs(a * d - b * c) / corner])


@dataclass(frozen=True, eq=False)
class DemonstrationScene(Scene):
    """Curves of four learners, with a row for each run, and the share of the labels that were wrong in training."""

    rounds: NDArray[np.int64]  # after which something was noted, from 0
    error: dict[str, Floats]  # mistakes up to each of rounds[1:], in percent, against the *true* labels
    entropy: dict[str, Floats]  # in nats at each of the rounds; SGD has no belief
    flip: float

    def at(self, now: int) -> Self:
        """The same curves as far as round ``now``."""
        count = int(np.count_nonzero(self.rounds <= now))
        error = {name: runs[:, : count - 1] for name, runs in self.error.items()}
        entropy = {name: runs[:, :count] for name, runs in self.entropy.items()}
        return replace(self, rounds=self.rounds[:count], error=error, entropy=entropy)

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.error["SGD"])

    @property
    def ends(self) -> dict[str, float]:
        """By learner, the mean share of mistakes in the end, in percent."""
        return {name: float(error[:, -1].mean()) for name, error in self.error.items()}

    @property
    def arrivals(self) -> dict[str, int]:
        """By flow, the round from which the median entropy is near the one it has in the last tenth."""
        when = {}
        for name, runs in self.entropy.items():
            _, median, _ = quantiles(runs)
            level = np.median(median[-max(1, len(median) // 10) :])
            when[name] = int(self.rounds[np.flatnonzero(median <= level + _NEAR)[0]])
        return when

    def dip(self) -> str:
        """The deepest dip of a single run in words, if it is far below where that run ends."""
        name, runs = min(self.entropy.items(), key=lambda item: float(item[1].min()))
        run, when = np.unravel_index(int(runs.argmin()), runs.shape)
        lowest, last = float(runs[run, when]), float(runs[run, -1])
        return "" if last - lowest < _DEEP else f"One {name} belief dips to {number(lowest)}, and recovers."

    def _words(self) -> str:
        errors = ", ".join(f"{name} {error:.1f} %" for name, error in self.ends.items())
        falls = ", ".join(
            f"{name} from {number(runs[:, 0].mean())} to {number(quantiles(runs)[1][-1])} by round {when:,}"
            for (name, runs), when in zip(self.entropy.items(), self.arrivals.values(), strict=True)
        )
        return f"""Left: share of mistakes so far, against the true labels, of four learners that saw {self.flip:.0%}
            of the labels flipped, mean of {self.runs} runs; after {self.rounds[-1]:,} rounds: {errors}. Right: median
            entropy of the beliefs in nats: {falls}. {self.dip()}"""


def quantiles(runs: Floats) -> tuple[Floats, Floats, Floats]:
    """10th percentile, median and 90th percentile over runs (rows)."""
    # Of runs there are, not between two: one may be minus infinity, of a width that underflowed for a moment.
    low, middle, high = np.quantile(runs, [0.1, 0.5, 0.9], axis=0, method="inverted_cdf")
    return low, middle, high


def demonstration(
    rng: np.random.Generator,
    *,
    runs: int = 10,
    rounds: int = 8000,
    points: int = 200,
    flip: float = 0.4,
    eta: float = 0.01,
    std: float = 1.0,
) -> DemonstrationScene:
    """Run SGD and the full, diagonal and spherical flow on the streams that the paper describes.

    Inputs are drawn from N(0, I₂), true labels are those of w* = (1, 1), and the learners see them flipped with
    probability ``flip``. Flows may expand, and a sample predicts; SGD starts at a draw from N(0, std²). The paper has
    50 runs of 8000 rounds. The curves have about so many ``points``.
    """
    check.generator(rng)
    curves: dict[str, list[tuple[Floats, Floats]]] = {name: [] for name in LEARNERS}
    for _ in range(check.positive_int("runs", runs)):
        stream = demo_2d(rng, rows=check.positive_int("rounds", rounds), flip=flip)
        learners = demonstration_learners(eta, std)
        for name in LEARNERS:
            learner = learners[name]
            start = learner.entropy()
            record = learner.run(stream.X, stream.y, rng, truth=stream.truth, blocks=points)
            ends = np.cumsum(record.rounds)
            curves[name].append((100 * np.cumsum(record.mistakes) / ends, np.append(start, record.entropy)))
    return DemonstrationScene(
        rounds=np.append(0, ends),
        error={name: np.array([error for error, _ in curves[name]]) for name in LEARNERS},
        entropy={name: np.array([entropy for _, entropy in curves[name]]) for name in FLOWS},
        flip=flip,
    )
