"""The paper's demonstration in two dimensions, with every state on the way."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import SGD, BeliefFlow

ROUNDS = 2000
FLOWS = ("full", "diagonal", "spherical")
LEARNERS = ("SGD", *FLOWS)
SAMPLES = 12  # of each belief, drawn as faint lines


class Settings(NamedTuple):
    """What a run depends on; see `OnlineExplorer`."""

    eta: float = 0.03
    std: float = 1.0
    flip: float = 0.4
    drift: float = 0.0
    non_expansive: bool = False
    seed: int = 0


class Randomness(NamedTuple):
    """All that a seed decides: it stays the same whatever else is changed, so that like is compared with like."""

    X: Floats
    chance: Floats  # a label is flipped where this is below the share of flips
    samples: Floats  # normals of the weights that are shown as faint lines


class Trace(NamedTuple):
    """Every state of a learner: one row before the first round and one after each.

    ``width`` is the standard deviation of a spherical belief, those of a diagonal one, or the factor of a full one
    row by row; it is empty for SGD. ``logits`` are those of the predictions.
    """

    mean: Floats
    width: Floats
    entropy: Floats
    logits: Floats
    labels: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Run:
    """Four learners on one stream.

    Attributes
    ----------
    settings
        What was asked for.
    X, seen, truth, angle
        Inputs, labels as the learners saw them, true labels; the angle of the true weight, in each round and after
        the last, in radians.
    samples
        Normals for the faint lines, ``(SAMPLES, 2)``.
    traces, factors, entropy, wrong
        By learner: every state; the lower Cholesky factor of the covariance as three numbers; the entropy in nats
        (both without SGD); and whether the prediction of a round was wrong by the true label.
    """

    settings: Settings
    X: Floats
    seen: NDArray[np.int64]
    truth: NDArray[np.int64]
    angle: Floats
    samples: Floats
    traces: dict[str, Trace]
    factors: dict[str, Floats]
    entropy: dict[str, Floats]
    wrong: dict[str, NDArray[np.uint8]]

    def belief(self, flow: str, after: int) -> Belief:
        """The belief of a flow after so many rounds."""
        mean, width = self.traces[flow].mean[after], self.traces[flow].width[after]
        if flow == "full":
            return FullBelief.from_factor(mean, width.reshape(2, 2))
        # Not through the constructor: it refuses a width that has collapsed to 0.
        belief: Any = prior(flow, self.settings.std)
        return belief._moved(mean=mean.copy(), std=float(width) if flow == "spherical" else width.copy())  # type: ignore[no-any-return]

    def error(self, name: str, after: int, last: int = ROUNDS) -> float:
        """Mistakes in % of the last so many rounds; NaN before the first."""
        part = self.wrong[name][max(0, after - last) : after]
        return 100 * float(part.mean()) if part.size else float("nan")


def draw(seed: int) -> Randomness:
    """Draw everything random."""
    rng = np.random.default_rng(seed)
    X, chance = rng.standard_normal((ROUNDS, 2)), rng.random(ROUNDS)
    return Randomness(X, chance, rng.standard_normal((SAMPLES, 2)))


def learner_rng(seed: int) -> np.random.Generator:
    """The generator that every learner is given, each its own: all flows try their weights with the same normals."""
    return np.random.default_rng([seed, 1])


def prior(flow: str, std: float) -> Belief:
    """The belief that a flow begins with."""
    if flow == "full":
        return FullBelief(np.zeros(2), std**2 * np.eye(2))
    return (SphericalBelief if flow == "spherical" else DiagonalBelief)(np.zeros(2), std)


@functools.lru_cache(maxsize=4)
def learn(settings: Settings) -> Run:
    """Run SGD and the three flows, each with its own `learner_rng`."""
    eta, std, flip, drift, non_expansive, seed = settings
    given = draw(seed)
    angle = np.pi / 4 + np.radians(drift) * np.arange(ROUNDS + 1) / 100
    truth = (given.X[:, 0] * np.cos(angle[:-1]) + given.X[:, 1] * np.sin(angle[:-1]) > 0).astype(np.int64)
    seen = truth ^ (given.chance < flip)
    learners: dict[str, SGD | BeliefFlow] = {"SGD": SGD(2, eta=eta, std=std)}
    learners |= {flow: BeliefFlow(prior(flow, std), eta=eta, non_expansive=non_expansive) for flow in FLOWS}
    traces = {name: _trace(learner, given.X, seen, learner_rng(seed)) for name, learner in learners.items()}
    factors = {flow: _lower(traces[flow]) for flow in FLOWS}
    wrong = {name: (trace.labels != truth).astype(np.uint8) for name, trace in traces.items()}
    entropy = {flow: traces[flow].entropy for flow in FLOWS}
    return Run(settings, given.X, seen, truth, angle, given.samples, traces, factors, entropy, wrong)


def _trace(learner: Any, X: Floats, y: NDArray[np.int64], rng: np.random.Generator) -> Trace:
    rounds = [learner.step(x, label, rng) for x, label in zip(X, y, strict=True)]
    logits = np.array([outcome.weights @ x for outcome, x in zip(rounds, X, strict=True)])
    labels = np.array([outcome.label for outcome in rounds])
    if isinstance(learner, SGD):
        mean = np.array([rounds[0].weights, *(outcome.moved for outcome in rounds)])
        return Trace(mean, np.empty((len(mean), 0)), np.full(len(mean), np.nan), logits, labels)
    beliefs: list[Any] = [rounds[0].belief_before, *(outcome.belief_after for outcome in rounds)]
    width = np.array([b.factor.ravel() if isinstance(b, FullBelief) else b.std for b in beliefs])
    return Trace(np.array([b.mean for b in beliefs]), width, np.array([b.entropy() for b in beliefs]), logits, labels)


def _lower(trace: Trace) -> Floats:
    """The lower triangular factor of each covariance: its numbers at 00, 10 and 11."""
    width = trace.width
    if width.ndim == 1:
        return np.column_stack([width, np.zeros(len(width)), width])
    if width.shape[1] == 2:
        return np.column_stack([width[:, 0], np.zeros(len(width)), width[:, 1]])
    a, b, c, d = width.T
    corner = np.hypot(a, b)
    return np.column_stack([corner, (a * c + b * d) / corner, np.abs(a * d - b * c) / corner])
