"""The ensemble that a belief stands for: where it would go by itself, and what a flow infers from one sample.

On a quadratic loss a gradient step takes every weight by the same linear map, so a Gaussian ensemble stays Gaussian.
A flow guesses that map from one weight. Here are both, the share of the way that the flow goes, and where it settles.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator, NullLocator
from numpy.typing import ArrayLike
from scipy.special import exp1
from scipy.stats import gengamma

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import (
    covariance_ellipse,
    draw_band,
    halo,
    isotropic,
    name_ends,
    plain_ticks,
    quantiles,
    write_beside,
)
from bflo_viz.figures.style import COLUMN, figure, panels
from bflo_viz.learners import BeliefFlow, Recorder

PULL = (0.02, 0.15)  # by which part of the way to 0 a step takes each of two weights
SMALL = 0.01  # a pull that is small: what it does is proportional to it, to a hundredth
_SIGMAS = 2.0  # of the ellipses
_ON_THE_WAY = (0, 5)  # steps that are drawn beside the last
_WINDOW = (-4.8, 2.6), (-2.4, 4.4)


class Cloud(NamedTuple):
    """An ensemble before the first step and after each: some of its weights, and its Gaussian."""

    members: Floats  # (steps + 1, size, 2)
    means: Floats  # (steps + 1, 2)
    covariances: Floats  # (steps + 1, 2, 2)

    @property
    def widths(self) -> Floats:
        """Standard deviations of the two weights after each step, (steps + 1, 2)."""
        return np.asarray(np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2)))


def true_ensemble(
    rng: RNG, *, mean: ArrayLike = (-2.0, 1.5), pull: ArrayLike = PULL, steps: int = 40, members: int = 200
) -> dict[str, Cloud]:
    """Let the weights of N(mean, I) descend a quadratic loss, each by itself; and let two flows follow one each.

    ``pull`` is which part of the way to 0 a gradient step takes each of the two weights. Returned are the "true"
    ensemble, and by the type of a flow the belief and an ensemble that it carries along.
    """
    start, pulled = check.vector("mean", mean, 2), check.vector("pull", pull, 2)
    first = start + check.generator(rng).standard_normal((members, 2))
    left = np.power.outer(1 - pulled, np.arange(steps + 1)).T  # of the way to 0, after each step
    clouds = {"true": Cloud(left[:, None] * first, left * start, np.array([np.diag(part**2) for part in left]))}
    for kind in ("diagonal", "full"):
        recorder = _followed(isotropic(kind, start, 1.0), lambda w: (1 - pulled) * w, steps, rng)
        clouds[kind] = _carried(recorder, first)
    return clouds


def _followed(prior: Belief, step: Callable[[Floats], Floats], steps: int, rng: RNG) -> Recorder:
    """Return the rounds of a belief whose sampled weight takes these steps."""
    recorder = Recorder()
    learner = BeliefFlow(prior, local_flow=lambda w, gradient: step(w))  # the model is not asked
    learner.run(np.ones((steps, prior.dim)), np.ones(steps, dtype=np.int64), rng, callback=recorder)
    return recorder


def _carried(recorder: Recorder, first: Floats) -> Cloud:
    """Return the beliefs of a run, and where their flows take an ensemble."""
    moves = zip(recorder.beliefs, recorder.weights, recorder.moved, strict=False)
    members = itertools.accumulate(moves, lambda points, move: move[0].transport(points, *move[1:]), initial=first)
    means, covariances = ([getattr(b, part) for b in recorder.beliefs] for part in ("mean", "covariance"))
    return Cloud(np.array(list(members)), np.array(means), np.array(covariances))


def step_shares(dim: int) -> tuple[float, float]:
    """Return the shares of a small step of one sampled weight that a full flow gives to the mean and to the width.

    The first is the part of a step that the mean follows, on average over the weights that may be drawn. The second
    is the change of the log-volume, divided by that of an ensemble of which every weight is pulled like this one.
    With u² the squared length of ``dim`` normal numbers they are E[2/(2 + u²)]/dim and E[u²/(2 + u²)]/dim; together
    they are 1/dim, and the rest of the step turns the belief.

    The first mean is q = e E_n(1), n = dim/2, an exponential integral, which obeys n E_{n+1}(1) = 1/e − E_n(1).

    >>> [round(share, 3) for share in step_shares(1)], [round(share, 3) for share in step_shares(10)]
    ([0.758, 0.242], [0.019, 0.081])
    """
    odd = check.positive_int("dim", dim) % 2
    q, n = (math.sqrt(math.pi) * math.erfc(1.0), 0.5) if odd else (float(exp1(1.0)), 1.0)
    q *= math.e
    while n < dim / 2:
        q, n = (1 - q) / n, n + 1
    return q / dim, (1 - q) / dim


class Contraction(NamedTuple):
    """Widths of flows that narrow, and of the ensemble that they stand for."""

    true: Floats  # width of the true ensemble across a ravine, after each step
    widths: dict[str, Floats]  # of beliefs, by the type of flow: a row for each run
    dims: tuple[int, ...]  # numbers of weights
    measured: Floats  # for each, the mean share of the width in a small pull of all weights of a full flow
    errors: Floats  # the standard errors of these means

    @property
    def law(self) -> Floats:
        """The shares that a small pull would have on average over all weights."""
        return np.array([step_shares(dim)[1] for dim in self.dims])


def contraction(
    rng: RNG,
    *,
    pull: float = 0.15,
    steps: int = 40,
    runs: int = 60,
    dims: Sequence[int] = (1, 2, 5, 10, 20, 50),
    draws: int = 300,
) -> Contraction:
    """Measure how fast flows narrow in a ravine, of which they see one sample per step, and in more dimensions."""
    across = 1 - check.scalar("pull", pull)
    many = _followed(DiagonalBelief(np.zeros(runs), 1.0), lambda w: across * w, steps, rng)  # a run is a weight
    full = []
    for _ in range(runs):
        beliefs = _followed(isotropic("full", np.zeros(2), 1.0), lambda w: w * [1.0, across], steps, rng).beliefs
        full.append([math.sqrt(belief.covariance[1, 1]) for belief in beliefs])
    widths = {"diagonal": np.array([belief.std for belief in many.beliefs]).T, "full": np.array(full)}
    shares = [_pulled(dim, rng.standard_normal((draws, dim))) for dim in dims]
    measured, errors = np.mean(shares, axis=1), np.std(shares, axis=1, ddof=1) / math.sqrt(draws)
    return Contraction(np.power(across, np.arange(steps + 1.0)), widths, tuple(dims), measured, errors)


def _pulled(dim: int, drawn: Floats) -> list[float]:
    """Return the share of a small pull towards the mean that becomes contraction, for each weight that is drawn."""
    belief = FullBelief(np.zeros(dim), np.eye(dim))
    true, before = dim * math.log(1 - SMALL), belief.entropy()
    return [(belief.flow(w, (1 - SMALL) * w).entropy() - before) / true for w in drawn]


def width_law() -> Any:
    """Return the law of the width σ at which one weight settles in a noisy bowl, in units of SGD's own jitter τ.

    Pulls narrow the belief at (1 − q) of their rate, where q = √π e erfc(1) is the share of the mean. Noise throws
    log σ up and down, and more strongly in a narrower belief: in a step, log σ falls by A = (19 q − 14)/32 on average
    with a variance of B = (3 q − 2)/4, both in units of (noise of the step/σ)². Where these balance for small steps,
    (σ/τ)² has a Gamma distribution.

    >>> round(float(width_law().median()), 3)
    0.541
    """
    q = step_shares(1)[0]
    return gengamma((5 * q - 2) / (8 * (3 * q - 2)), 2, scale=math.sqrt((3 * q - 2) / (2 * (1 - q))))


class Equilibrium(NamedTuple):
    """Widths at which SGD and a belief settle in a noisy bowl of one weight."""

    etas: Floats  # learning rates
    jitter: Floats  # standard deviation of SGD's weight, for each
    widths: Floats  # of many beliefs, a row for each learning rate

    @property
    def exact(self) -> Floats:
        """The standard deviation that SGD settles at: one step takes the variance V to (1 − eta)² V + eta²."""
        return np.asarray(np.sqrt(self.etas / (2 - self.etas)))

    @property
    def medians(self) -> Floats:
        """Median width of the belief, for each learning rate."""
        return np.asarray(np.median(self.widths, axis=1))


def equilibrium(rng: RNG, *, etas: Sequence[float] = (0.02, 0.04, 0.08, 0.16), runs: int = 1500) -> Equilibrium:
    """Let SGD and belief flows settle on the loss w²/2, to whose gradients standard normal noise is added.

    All begin at N(0, 1), and learn for 30/eta rounds.
    """
    settled = [_settled(check.positive_number("eta", eta), runs, check.generator(rng)) for eta in etas]
    jitter, widths = (np.array(part) for part in zip(*settled, strict=True))
    return Equilibrium(np.asarray(etas, dtype=np.float64), jitter, widths)


def _settled(eta: float, runs: int, rng: RNG) -> tuple[float, Floats]:
    """Return the standard deviation of SGD's weights in the end, and the widths of beliefs."""

    def step(w: Floats, error: Floats) -> Floats:
        return w - eta * (w + error)

    shape = math.ceil(30 / eta), runs
    mine, yours = (rng.standard_normal(shape) for _ in range(2))
    points, errors = functools.reduce(step, mine, rng.standard_normal(runs)), iter(yours)
    learner = BeliefFlow(DiagonalBelief(np.zeros(runs), 1.0), local_flow=lambda w, gradient: step(w, next(errors)))
    learner.run(np.ones(shape), np.ones(shape[0], dtype=np.int64), rng, blocks=1)
    return float(np.std(points)), np.asarray(learner.belief.std)


@figure("The ensemble that a belief stands for, and what two flows make of it")
def draw_true_ensemble(found: dict[str, Cloud] | None = None) -> tuple[Figure, str]:
    """Draw the true ensemble and both flows before the first step, after some steps and after the last."""
    found = found or true_ensemble(np.random.default_rng(0))
    picture, places = panels(1, 3, (COLUMN, 2.9), sharex=True, sharey=True)
    names = {"true": "True ensemble", "diagonal": "Diagonal flow", "full": "Full flow"}
    for ax, (name, cloud) in zip(places, found.items(), strict=True):
        _draw_cloud(ax, cloud)
        ax.set(title=f"{names[name]}:\n{cloud.widths[-1][1]:.2g} wide across", xlabel="first weight")
    places[0].set_ylabel("second weight")
    true, *flows = (f"{cloud.widths[-1][1]:.2g}" for cloud in found.values())
    return picture, (
        f"After {len(found['true'].means) - 1} steps in a valley the true ensemble is {true} wide across it, but the "
        f"diagonal flow is {flows[0]} and the full flow {flows[1]}, because each sees one sampled weight in a step."
    )


def _draw_cloud(ax: Axes, cloud: Cloud) -> None:
    width, small = rcParams["lines.linewidth"], 0.4 * rcParams["lines.markersize"]
    last, (x, y) = len(cloud.means) - 1, (np.linspace(*side, 61) for side in _WINDOW)
    loss = 0.5 * np.add.outer(PULL[1] * y**2, PULL[0] * x**2)
    levels = np.square([0.15, 0.35, 0.6, 0.9, 1.2, 1.5]) / 2
    ax.contour(x, y, loss, levels, colors=palette.FAINT, linewidths=0.5 * width, zorder=0)
    ax.plot(0, 0, "+", color=palette.INK, ms=2.2 * rcParams["lines.markersize"], zorder=5, label="optimum")
    for step in (*_ON_THE_WAY, last):
        color, filled = palette.POSTERIOR if step else palette.PRIOR, step == last
        ax.plot(*cloud.members[step].T, "o", ms=small, color=color, alpha=1.0 if filled else 0.35, mew=0, zorder=2)
        look = {"fc": (color, 0.25 if filled else 0.0), "ls": "-" if filled or not step else "--"}
        covariance_ellipse(ax, cloud.means[step], cloud.covariances[step], _SIGMAS, ec=color, zorder=3, **look)
        towards = np.array([0.0, -1.0] if filled else [0.8, 0.6] if step else [-0.5, 0.9])
        reach = cloud.covariances[step] @ towards
        edge = cloud.means[step] + _SIGMAS * reach / np.sqrt(towards @ reach)
        write_beside(ax, f"step {step}" if step else "before", edge, towards, color=color, fontsize="small")
    ax.set(aspect="equal", xlim=_WINDOW[0], ylim=_WINDOW[1])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))


@figure("How fast a flow narrows, and which share of a step it learns")
def draw_contraction(found: Contraction | None = None) -> tuple[Figure, str]:
    """Draw widths over steps, and the shares of mean and width over the number of weights."""
    found = found or contraction(np.random.default_rng(0))
    picture, (ravine, shares) = panels(1, 2, (COLUMN, 2.9))
    steps = np.arange(len(found.true))
    ravine.plot(steps, found.true, color=palette.INK, label="true ensemble")
    for kind, rows in found.widths.items():
        low, middle, high = quantiles(rows)
        draw_band(ravine, steps, middle, low, high, kind, palette.SERIES[kind])
    slow = found.true ** step_shares(1)[1]
    ravine.plot(steps, slow, color=palette.PRIOR, lw=0.8, zorder=3, label="_law of small steps")
    ravine.set(yscale="log", ylabel="width across the ravine")
    ravine.set(title="A flow narrows much\nmore slowly", xlabel="step\n(median, 10th to 90th percentile)")
    dims = np.unique(np.geomspace(1, found.dims[-1], 40).round().astype(int))
    mean, width = np.array([step_shares(int(dim)) for dim in dims]).T
    full = palette.SERIES["full"]
    shares.plot(dims, 1 / dims, color=palette.FAINT, lw=0.8, label="mean + width")
    shares.plot(dims, width, color=full.color, label="width")
    shares.plot(dims, mean, color=palette.PRIOR, ls=":", label="mean")
    shares.errorbar(
        found.dims,
        found.measured,
        found.errors,
        fmt=full.marker,
        color=full.color,
        mec=palette.INK,
        label="_measured",
    )
    shares.set(yscale="log", ylim=(5e-4, 1.4), xlabel="number of weights d", ylabel="share of a step")
    plain_ticks(shares, found.dims)
    shares.set_title("Of a step, a full flow learns\none part in d")
    name_ends([ravine, shares])
    widths = " and ".join(f"the {kind} flow to {np.median(rows[:, -1]):.2g}" for kind, rows in found.widths.items())
    return picture, (
        f"In {len(found.true) - 1} steps across a ravine the true ensemble narrows to {found.true[-1]:.2g}, but "
        f"{widths}, and of a step over d weights a full flow learns one part in d, of which {found.law[-1]:.2g} goes "
        f"into the width at d = {found.dims[-1]}."
    )


@figure("Where the width settles: about half of SGD's own jitter")
def draw_equilibrium(found: Equilibrium | None = None) -> tuple[Figure, str]:
    """Draw where SGD and beliefs settle over the learning rate, and how their widths are distributed."""
    found = found or equilibrium(np.random.default_rng(0))
    picture, (levels, spread) = panels(1, 2, (COLUMN, 2.8))
    etas, law = found.etas, width_law()
    for factor in (1.0, law.median()):
        levels.plot(etas, factor * found.exact, color=palette.PRIOR, lw=0.8, zorder=0, label="_law")
    for name, values, series in (
        ("SGD", found.jitter, palette.SERIES["SGD"]),
        ("belief", found.medians, palette.SERIES["diagonal"]),
    ):
        levels.plot(etas, values, series.marker, color=series.color, label=name)
    levels.set(yscale="log", xlabel="learning rate η", ylabel="standard deviation of a weight")
    plain_ticks(levels, etas.tolist())
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if found.medians.min() <= 1.2 * tick]
    levels.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    levels.yaxis.set_minor_locator(NullLocator())
    levels.set_ylim(0.8 * found.medians.min(), 1.25 * found.jitter.max())
    levels.set_title("A belief settles at about half\nthe width of SGD's jitter")
    _draw_spread(spread, found.widths[0] / found.exact[0])
    spread.set_title(f"Its width keeps changing\n(η = {etas[0]:g})")
    name_ends([levels])
    low, high = np.sort(found.medians / found.jitter)[[0, -1]]
    return picture, (
        f"For learning rates {etas.min():g} to {etas.max():g} the median width of a belief settles at {low:.2f} to "
        f"{high:.2f} of the standard deviation of SGD, near the {law.median():.2f} that the law of small steps gives."
    )


def _draw_spread(ax: Axes, ratios: Floats) -> None:
    """A histogram of widths, and the law of small steps."""
    law, x = width_law(), np.linspace(0.005, 1.8, 300)
    color = palette.SERIES["diagonal"].color
    ax.hist(ratios, np.linspace(0, 1.8, 25).tolist(), density=True, color=color, alpha=0.35, label="beliefs")
    ax.plot(x, law.pdf(x), color=palette.INK, label="law of small steps")
    ax.axvline(law.median(), color=palette.PRIOR, ls="--", lw=0.8, label="_median")
    ax.set(xlabel="width / SGD's standard deviation", ylabel="density", xlim=(0, 1.8), yticks=())  # the shape matters
    for words, at, up, ink in (
        (f"median {law.median():.2f}", law.median(), 0.99 * law.pdf(0.42), palette.PRIOR),
        ("law of small steps", 0.85, law.pdf(0.85), palette.INK),
        ("beliefs", 0.18, 0.3 * law.pdf(0.42), color),
    ):
        ax.annotate(words, (at, up), (4, 2), textcoords="offset points", color=ink, path_effects=halo())
