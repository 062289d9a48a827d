"""The ensemble that a belief stands for: where it would go by itself, and what a flow makes of it by one sample.

On a quadratic loss a gradient step takes every weight by the same linear map, so a Gaussian ensemble stays Gaussian.
A flow guesses that map from one weight. Here are both, the share of the way that the flow goes, and where it settles.
"""

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.learners import BeliefFlow, Recorder
from bflo_viz.scenes.base import Scene, isotropic

KINDS = ("diagonal", "full")
SMALL = 0.01  # a pull that is small: what it does is proportional to it, to a hundredth


@dataclass(frozen=True, eq=False)
class Cloud:
    """An ensemble before the first step and after each: some of its weights, and its Gaussian."""

    members: Floats  # (steps + 1, size, 2)
    means: Floats  # (steps + 1, 2)
    covariances: Floats  # (steps + 1, 2, 2)

    @property
    def widths(self) -> Floats:
        """Standard deviations of the two weights after each step, (steps + 1, 2)."""
        return np.asarray(np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2)))


@dataclass(frozen=True, eq=False)
class TrueEnsemble(Scene):
    """An ensemble on a quadratic loss around 0, and two flows that stand for it.

    Attributes
    ----------
    pull
        By which part of the way to 0 a gradient step takes each of the two weights: eta times the curvature.
    true
        The ensemble of which every weight takes its own steps.
    flows
        By the type of flow: the belief and an ensemble that it carries along, moved by one sample in each step.
    """

    pull: Floats
    true: Cloud
    flows: Mapping[str, Cloud]

    @property
    def clouds(self) -> dict[str, Cloud]:
        """The true ensemble, and those of the flows."""
        return {"true": self.true, **self.flows}

    def _words(self) -> str:
        ends = {
            name: "{:.2g} along and {:.2g} across".format(*cloud.widths[-1]) for name, cloud in self.clouds.items()
        }
        flows = "; ".join(f"the {name} flow {ends[name]}" for name in self.flows)
        along, across = 100 * self.pull
        return f"""Three panels over two weights: an ensemble before and after {len(self.true.means) - 1} gradient
            steps, each of which takes a weight {along:.0f} % of the way to 0 along a valley and {across:.0f} % across
            it. The true ensemble is then {ends["true"]} wide; {flows}."""


def true_ensemble(
    rng: RNG,
    *,
    mean: ArrayLike = (-2.0, 1.5),
    pull: ArrayLike = (0.02, 0.15),
    steps: int = 40,
    members: int = 200,
) -> TrueEnsemble:
    """Let the weights of N(mean, I) descend a quadratic loss, each by itself; and let two flows follow one each."""
    start, pulled = check.vector("mean", mean, 2), check.vector("pull", pull, 2)
    steps, size = check.positive_int("steps", steps), check.positive_int("members", members)
    first = start + check.generator(rng).standard_normal((size, 2))
    left = np.power.outer(1 - pulled, np.arange(steps + 1)).T  # of the way to 0, after each step
    true = Cloud(left[:, None] * first, left * start, np.array([np.diag(part**2) for part in left]))
    flows = {}
    for kind in KINDS:
        recorder = _followed(isotropic(kind, start, 1.0), lambda w: (1 - pulled) * w, steps, rng)
        flows[kind] = _carried(recorder, first)
    return TrueEnsemble(pulled, true, flows)


def _followed(prior: Belief, step: Callable[[Floats], Floats], steps: int, rng: RNG) -> Recorder:
    """What became of a belief whose sampled weight takes these steps."""
    recorder = Recorder()
    learner = BeliefFlow(prior, local_flow=lambda w, gradient: step(w))  # the model is not asked
    learner.run(np.ones((steps, prior.dim)), np.ones(steps, dtype=np.int64), rng, callback=recorder)
    return recorder


def _carried(recorder: Recorder, first: Floats) -> Cloud:
    """The beliefs of a run, and where their flows take an ensemble."""
    moves = zip(recorder.beliefs, recorder.weights, recorder.moved, strict=False)
    members = itertools.accumulate(moves, lambda points, move: move[0].transport(points, *move[1:]), initial=first)
    means, covariances = ([getattr(b, part) for b in recorder.beliefs] for part in ("mean", "covariance"))
    return Cloud(np.array(list(members)), np.array(means), np.array(covariances))


def step_shares(dim: int) -> tuple[float, float]:
    """What becomes of a small step of one sampled weight in a full flow: the share of the mean, and of the width.

    The first is the part of a step that the mean follows, on average over the weights that may be drawn. The second
    is the change of the log-volume, divided by that of an ensemble of which every weight is pulled like this one.
    With u² the squared length of ``dim`` normal numbers they are E[2/(2 + u²)]/dim and E[u²/(2 + u²)]/dim; together
    they are 1/dim, and the rest of the step turns the belief.

    The first mean is q = e E_n(1), n = dim/2, an exponential integral, which obeys n E_{n+1}(1) = 1/e − E_n(1).

    >>> [round(share, 3) for share in step_shares(1)], [round(share, 3) for share in step_shares(10)]
    ([0.758, 0.242], [0.019, 0.081])
    """
    from scipy.special import exp1

    odd = check.positive_int("dim", dim) % 2
    q, n = (math.sqrt(math.pi) * math.erfc(1.0), 0.5) if odd else (float(exp1(1.0)), 1.0)
    q *= math.e
    while n < dim / 2:
        q, n = (1 - q) / n, n + 1
    return q / dim, (1 - q) / dim


@dataclass(frozen=True, eq=False)
class Contraction(Scene):
    """How fast flows narrow, and how fast the ensemble does that they stand for.

    Attributes
    ----------
    pull, true
        A step takes each weight this part of the way to the middle of a ravine; the width of the true ensemble
        across the ravine, after each step.
    widths
        By the type of flow: the width of the belief across the ravine, a row for each run.
    dims, measured, errors
        Numbers of weights; the share of the width in one small pull of all weights of a full flow, on average over
        sampled weights, and its standard error. The law is `step_shares`.
    """

    pull: float
    true: Floats
    widths: Mapping[str, Floats]
    dims: tuple[int, ...]
    measured: Floats
    errors: Floats

    @property
    def law(self) -> Floats:
        """The shares that a small pull would have on average over all weights."""
        return np.array([step_shares(dim)[1] for dim in self.dims])

    def _words(self) -> str:
        runs = len(next(iter(self.widths.values())))
        ends = ", ".join(f"the {kind} flow to {np.median(rows[:, -1]):.2g}" for kind, rows in self.widths.items())
        shares = ", ".join(
            f"{share:.2g} ({dim} weight{'s' if dim > 1 else ''})"
            for dim, share in zip(self.dims, self.law, strict=True)
        )
        return f"""Left, widths across a ravine over {len(self.true) - 1} steps, each of which takes a weight
            {100 * self.pull:.0f} % of the way to the floor, on a logarithmic scale: the true ensemble narrows from 1
            to {self.true[-1]:.2g}, {ends} (medians of {runs} runs). Right, the share of the true contraction that a
            full flow makes, by the law: {shares}. What was measured lies on the line of the law. With many weights
            the line falls like one over their number."""


def contraction(
    rng: RNG,
    *,
    pull: float = 0.15,
    steps: int = 40,
    runs: int = 60,
    dims: Sequence[int] = (1, 2, 5, 10, 20, 50),
    draws: int = 300,
) -> Contraction:
    """Measure how fast flows narrow in a ravine, of which they are told by one sample; and in more dimensions."""
    steps, runs = check.positive_int("steps", steps), check.positive_int("runs", runs)
    across = 1 - check.scalar("pull", pull)
    many = _followed(DiagonalBelief(np.zeros(runs), 1.0), lambda w: across * w, steps, rng)  # a run is a weight
    full = []
    for _ in range(runs):
        beliefs = _followed(isotropic("full", np.zeros(2), 1.0), lambda w: w * [1.0, across], steps, rng).beliefs
        full.append([math.sqrt(belief.covariance[1, 1]) for belief in beliefs])
    widths = {"diagonal": np.array([_std(belief) for belief in many.beliefs]).T, "full": np.array(full)}
    shares = [_pulled(dim, rng.standard_normal((check.positive_int("draws", draws), dim))) for dim in dims]
    measured, errors = np.mean(shares, axis=1), np.std(shares, axis=1, ddof=1) / math.sqrt(draws)
    return Contraction(pull, np.power(across, np.arange(steps + 1.0)), widths, tuple(dims), measured, errors)


def _std(belief: Belief) -> Floats:
    assert isinstance(belief, DiagonalBelief)
    return belief.std


def _pulled(dim: int, drawn: Floats) -> list[float]:
    """The share of a small pull towards the mean that becomes contraction, for each weight that is drawn."""
    belief = FullBelief(np.zeros(dim), np.eye(dim))
    true, before = dim * math.log(1 - SMALL), belief.entropy()
    return [(belief.flow(w, (1 - SMALL) * w).entropy() - before) / true for w in drawn]


@dataclass(frozen=True)
class WidthLaw:
    """The width σ at which one weight settles in a noisy bowl, in units of SGD's own jitter τ, for small steps.

    Pulls narrow the belief at (1 − q) of their rate, where q = √π e erfc(1) is the share of the mean. Noise throws
    log σ up and down, the more the narrower the belief is: in a step, log σ falls by A = (19 q − 14)/32 on average
    with a variance of B = (3 q − 2)/4, both in units of (noise of the step/σ)². Where these balance, (σ/τ)² has a
    Gamma distribution.
    """

    shape: float
    scale: float

    def median(self) -> float:
        """The median of σ/τ.

        >>> round(width_law().median(), 3)
        0.541
        """
        from scipy.special import gammaincinv

        return math.sqrt(self.scale * float(gammaincinv(self.shape, 0.5)))

    def density(self, ratio: ArrayLike) -> Floats:
        """Probability density of σ/τ."""
        x = np.asarray(ratio, dtype=np.float64)
        square = x * x / self.scale
        return np.asarray(2 * square**self.shape * np.exp(-square) / (math.gamma(self.shape) * x))


def width_law() -> WidthLaw:
    """The law of the width of one weight: a Gamma distribution of its square."""
    q = step_shares(1)[0]
    return WidthLaw(shape=(5 * q - 2) / (8 * (3 * q - 2)), scale=(3 * q - 2) / (2 * (1 - q)))


@dataclass(frozen=True, eq=False)
class Equilibrium(Scene):
    """Where SGD and a belief settle in a noisy bowl of one weight.

    Attributes
    ----------
    etas
        Learning rates.
    jitter
        The standard deviation of SGD's weight, for each.
    widths
        The widths of many beliefs, a row for each learning rate.
    noise
        Standard deviation of the error of a gradient.
    """

    etas: Floats
    jitter: Floats
    widths: Floats
    noise: float = 1.0

    @property
    def exact(self) -> Floats:
        """The standard deviation that SGD settles at: one step takes the variance V to (1 − eta)² V + eta² noise²."""
        return np.asarray(self.noise * np.sqrt(self.etas / (2 - self.etas)))

    @property
    def medians(self) -> Floats:
        """The width of the belief in the middle, for each learning rate."""
        return np.asarray(np.median(self.widths, axis=1))

    def _words(self) -> str:
        parts = ", ".join(
            f"{eta:g}: {jitter:.2g} and {width:.2g}"
            for eta, jitter, width in zip(self.etas, self.jitter, self.medians, strict=True)
        )
        low, high = np.sort(self.medians / self.jitter)[[0, -1]]
        return f"""Left, on two logarithmic scales, the standard deviation of SGD and the median width of a belief
            after many rounds in a noisy bowl, by learning rate: {parts}. Both grow like its square root, and their
            ratio is between {low:.2f} and {high:.2f}. Right, how widths are distributed for eta {self.etas[0]:g}, in
            units of SGD's standard deviation: most lie between 0.2 and 1, and some are very narrow. A line shows the
            law of small steps, whose median is {width_law().median():.2f}."""


def equilibrium(
    rng: RNG, *, etas: Sequence[float] = (0.02, 0.04, 0.08, 0.16), runs: int = 1500, noise: float = 1.0
) -> Equilibrium:
    """Let SGD and belief flows settle on the loss w²/2, whose gradients have noise of this standard deviation.

    All begin at N(0, 1), and learn for 30/eta rounds.
    """
    runs, noise = check.positive_int("runs", runs), check.positive_number("noise", noise)
    settled = [_settled(check.positive_number("eta", eta), runs, noise, check.generator(rng)) for eta in etas]
    jitter, widths = (np.array(part) for part in zip(*settled, strict=True))
    return Equilibrium(np.asarray(etas, dtype=np.float64), jitter, widths, noise)


def _settled(eta: float, runs: int, noise: float, rng: RNG) -> tuple[float, Floats]:
    """The standard deviation of SGD's weights in the end, and the widths of beliefs."""

    def step(w: Floats, error: Floats) -> Floats:
        return w - eta * (w + error)

    shape = math.ceil(30 / eta), runs
    mine, yours = (noise * rng.standard_normal(shape) for _ in range(2))
    points, errors = functools.reduce(step, mine, rng.standard_normal(runs)), iter(yours)
    learner = BeliefFlow(DiagonalBelief(np.zeros(runs), 1.0), local_flow=lambda w, gradient: step(w, next(errors)))
    learner.run(np.ones(shape), np.ones(shape[0], dtype=np.int64), rng, blocks=1)
    return float(np.std(points)), _std(learner.belief)
