"""The paper's demonstration in two dimensions, with every state on the way."""

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.beliefs.base import HALF_LOG_2PIE
from bflo_viz.kernels import traces
from bflo_viz.learners.base import read_logits

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
    z: Floats  # normals of the sampled weights, the same for all flows; SGD begins at the first weight they try
    samples: Floats  # normals of the weights that are shown as faint lines


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
    traces: dict[str, traces.Trace]
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
    samples = rng.standard_normal((SAMPLES, 2))
    keys = learner_rng(seed).integers(0, 1 << 64, ROUNDS, np.uint64)
    return Randomness(X, chance, traces.normals_of(keys), samples)


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
    """Run SGD and the three flows, as `SGD.step` and `BeliefFlow.step` would with `learner_rng`."""
    eta, std, flip, drift, non_expansive, seed = settings
    given = draw(seed)
    angle = np.pi / 4 + np.radians(drift) * np.arange(ROUNDS + 1) / 100
    truth = (given.X[:, 0] * np.cos(angle[:-1]) + given.X[:, 1] * np.sin(angle[:-1]) > 0).astype(np.int64)
    seen = truth ^ (given.chance < flip)
    flat, stream = np.zeros(2), (given.X, seen, given.z, eta, non_expansive)
    found = {
        "SGD": traces.trace_sgd(std * given.z[0], given.X, seen, eta),
        "full": traces.trace_full(flat, std * np.eye(2), *stream),
        "diagonal": traces.trace_diagonal(flat, np.full(2, std), *stream),
        "spherical": traces.trace_spherical(flat, std, *stream),
    }
    factors = {flow: _lower(found[flow]) for flow in FLOWS}
    wrong = {name: (read_logits(t.logits, seen)[0] != truth).astype(np.uint8) for name, t in found.items()}
    entropy = {flow: _entropy(found[flow]) for flow in FLOWS}
    return Run(settings, given.X, seen, truth, angle, given.samples, found, factors, entropy, wrong)


def _lower(trace: traces.Trace) -> Floats:
    """The lower triangular factor of each covariance: its numbers at 00, 10 and 11."""
    width = trace.width
    if width.ndim == 1:
        return np.column_stack([width, np.zeros(len(width)), width])
    if width.shape[1] == 2:
        return np.column_stack([width[:, 0], np.zeros(len(width)), width[:, 1]])
    a, b, c, d = width.T
    corner = np.hypot(a, b)
    return np.column_stack([corner, (a * c + b * d) / corner, np.abs(a * d - b * c) / corner])


def _entropy(trace: traces.Trace) -> Floats:
    if trace.stretch.size:  # a full belief: that of the prior, and the stretches since
        first = np.log(np.abs(np.linalg.det(trace.width[0].reshape(2, 2))))
        log_det = first + np.append(0.0, np.cumsum(np.log(trace.stretch)))
    else:
        with np.errstate(divide="ignore"):  # a width may have collapsed to 0
            widths = np.log(trace.width)
        log_det = widths.sum(axis=1) if widths.ndim == 2 else 2 * widths
    return np.asarray(2 * HALF_LOG_2PIE + log_det)
