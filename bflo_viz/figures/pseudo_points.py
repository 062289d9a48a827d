"""A belief flow read as Bayes' rule: each round adds pseudo-observations or removes them (Figure 3)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, SphericalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import draw_posterior, draw_prior, halo, isotropic, write_beside
from bflo_viz.figures.style import COLUMN, figure, panels
from bflo_viz.learners import BeliefFlow, Recorder
from bflo_viz.pseudo import pseudo_observation

FLOWS = ("spherical", "diagonal", "full")
PRIOR_MEAN = (-1.0, 0.5)
SPAN = 3.2  # of the weights that are shown at most
LARGE = 0.14  # radius of a mark of large precision, in weights
ENOUGH = 0.95  # of all marks are not larger than that
LAST = 5  # rounds that are shown boldly


@dataclass(frozen=True, eq=False)
class PseudoDataset:
    """A run of a belief flow over two weights, read as pseudo-observations added and removed.

    A round has up to two marks: a spherical flow one point; a diagonal flow one number a weight, so a line across
    each axis; a full flow one number along one direction, so one line. A line is marked at its point nearest to the
    mean before the round.
    """

    flow: str
    true: Floats  # the true weight in each round, (rounds + 1, 2)
    beliefs: tuple[Any, ...]  # before the first round and after each
    weights: Floats  # the sampled weight of each round
    moved: Floats  # where its step took it
    places: Floats  # of marks, (rounds, 2, 2): NaN where there is none
    directions: Floats  # the same, of length 1, across a line; 0 of a point
    precisions: Floats  # (rounds, 2)

    @property
    def rounds(self) -> int:
        """Number of rounds."""
        return len(self.weights)

    @property
    def means(self) -> Floats:
        """Means of the beliefs, (rounds + 1, 2)."""
        return np.array([belief.mean for belief in self.beliefs])

    @property
    def own_precisions(self) -> Floats:
        """What ``totals`` must equal, read off the beliefs: a sum loses its digits where a belief narrows to 1e-8."""
        with np.errstate(over="ignore", divide="ignore"):
            if self.flow == "full":
                own = np.array([[np.square(belief.inverse_factor).sum()] for belief in self.beliefs])
            else:
                own = np.array([np.atleast_1d(belief.std) ** -2.0 for belief in self.beliefs])
        return np.asarray(np.minimum(own, 1e300))  # what can be drawn

    @property
    def totals(self) -> Floats:
        """Precision of the prior plus those of all marks so far, (rounds + 1, 1 or 2).

        It is that of every weight (spherical), of each weight (diagonal), or that in all directions together, the
        trace (full).
        """
        first = self.own_precisions[0]
        gains = np.nan_to_num(self.precisions[:, : len(first)])
        return np.asarray(first + np.cumsum(np.vstack([0 * first, gains]), axis=0))

    @property
    def large(self) -> float:
        """A precision that few marks exceed, to size them by: the largest would leave the others no room."""
        sizes = np.abs(self.precisions[~np.isnan(self.precisions)])
        return float(np.quantile(sizes, ENOUGH)) if sizes.size else 1.0


def pseudo_dataset(
    rng: RNG,
    flow: str = "spherical",
    *,
    rounds: int = 60,
    eta: float = 0.5,
    noise: float = 0.1,
    turn: float = 0.0,
    non_expansive: bool = False,
) -> PseudoDataset:
    """Learn from a stream of two inputs, and collect what every round adds and removes.

    Inputs are standard normal, labels say on which side of the true weight they lie, which begins at (1, 1) and turns
    by ``turn`` degrees in all; a share ``noise`` of them is wrong. ``eta`` and ``non_expansive`` are those of
    `BeliefFlow`. Equal generators give all flows the same stream and the same normals. A ``RandomState`` gives those
    of the explorer's page, and however many rounds there are, the first are the same.
    """
    prior = isotropic(check.choice("flow", flow, FLOWS), PRIOR_MEAN, 1.0)
    X, y, true, rng = _stream(check.generator(rng), check.positive_int("rounds", rounds), noise, turn)
    recorder = Recorder()
    BeliefFlow(prior, eta=eta, non_expansive=non_expansive).run(X, y, rng, callback=recorder)
    places, directions, precisions = (np.full((rounds, 2, *rest), np.nan) for rest in ((2,), (2,), ()))
    for r, (before, after) in enumerate(pairwise(recorder.beliefs)):
        for i, mark in enumerate(marks_of(before, after)):
            if mark[2] != 0:
                places[r, i], directions[r, i], precisions[r, i] = mark
    path = recorder.beliefs, recorder.weights, recorder.moved
    return PseudoDataset(flow, true, *path, places, directions, precisions)


def _stream(rng: RNG, rounds: int, noise: float, turn: float) -> tuple[Floats, NDArray[np.int64], Floats, RNG]:
    """Return inputs and labels, the true weight in each round and after the last, and where to draw weights from."""
    inputs = flips = weights = rng
    if isinstance(rng, np.random.RandomState):  # each from its own: a stream that goes on is the same stream
        inputs, flips, weights = (np.random.RandomState(int(2**32 * draw)) for draw in rng.random_sample(3))
    X, chance = inputs.standard_normal((rounds, 2)), flips.random(rounds)
    angle = np.radians(45 - np.linspace(0, turn, rounds + 1))
    true = np.sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
    right = np.sum(X * true[:-1], axis=1) > 0
    return X, (right ^ (chance < check.scalar("noise", noise, least=0.0))).astype(np.int64), true, weights


def marks_of(before: Belief, after: Belief) -> list[tuple[Floats, Floats, float]]:
    """Return place, direction and precision of what a round added or removed; a precision of 0 is nothing."""
    try:
        seen = pseudo_observation(before, after)
    except ValueError:  # for a moment too narrow for a finite precision
        return []
    if isinstance(before, SphericalBelief):
        return [(seen.x, np.zeros(2), seen.precision)]
    if isinstance(before, DiagonalBelief):
        return [(np.where(np.arange(2) == i, seen.x, before.mean), np.eye(2)[i], seen.precision[i]) for i in range(2)]
    if seen.direction is None:
        return []
    length = float(np.hypot(*seen.direction))
    across = seen.direction / length
    if across[np.argmax(np.abs(across))] < 0:  # of the two ways to write a line, that with the larger part positive
        length, across = -length, -across
    return [(before.mean + across * (seen.x / length - across @ before.mean), across, length**2 / seen.R)]


@figure("A spherical flow as points added and removed (Fig. 3)")
def draw_pseudo_dataset(found: PseudoDataset | None = None) -> tuple[Figure, str]:
    """Draw what a spherical flow added and removed, the last rounds boldly, and how its precision came about."""
    found = found or pseudo_dataset(np.random.default_rng(0))
    check.choice("flow", found.flow, FLOWS[:1])
    picture, (plane, total) = panels(1, 2, (COLUMN, 3.5))
    _draw_points(plane, found)
    _draw_precision(total, found)
    added, removed = (int(np.count_nonzero(side * found.precisions > 0)) for side in (1, -1))
    first, last = found.own_precisions[[0, -1], 0]
    return picture, (
        f"In {found.rounds} rounds a spherical flow adds {added} points (blue, plus) and removes {removed} (red, "
        f"minus), which takes the mean towards the true weight and the precision from {first:.3g} to {last:.3g}."
    )


def _draw_points(ax: Axes, found: PseudoDataset) -> None:
    """Draw the weights: the belief before and after, the last points, small and faint the others, the true weight."""
    start = max(0, found.rounds - LAST)
    old, recent = found.means[: start + 1], found.means[start:]
    for path, look in ((old, {"color": palette.FAINT}), (recent, {"color": palette.INK, "path_effects": halo(1.6)})):
        ax.plot(*path.T, lw=0.8, zorder=4, **look)
    _draw_marks(ax, found, slice(0, start), 0.3)
    _draw_marks(ax, found, slice(start, None), 1.0)
    before, after, true = found.beliefs[0], found.beliefs[-1], found.true[-1]
    draw_prior(ax, before, (1.0,))
    draw_posterior(ax, after, (1.0,))
    ax.plot(*true, "*", color=palette.INK, mfc="white", ms=2 * rcParams["lines.markersize"], zorder=6)
    write_beside(
        ax, "prior", before.mean + before.std * np.array([-0.7, 0.7]), np.array([-1, 1]), color=palette.PRIOR
    )
    below = after.mean + after.std * np.array([0.5, -0.87])
    write_beside(ax, "belief", below, np.array([0.5, -1.0]), color=palette.POSTERIOR)
    write_beside(ax, "truth", true, np.array([0.0, 1.0]))
    reach = [belief.mean + side * belief.std for belief in (before, after) for side in (-1, 1)]
    seen = np.vstack([*reach, found.means, true]).clip(-SPAN, SPAN)
    (x, y), half = (seen.min(axis=0) + seen.max(axis=0)) / 2, 0.62 * np.ptp(seen, axis=0).max()
    ax.set(aspect="equal", xlabel="first weight", ylabel="second weight", xlim=(x - half, x + half))
    ax.set(ylim=(y - half, y + half), title=f"Points pull and push the mean\n(bold: the last {found.rounds - start})")
    ax.locator_params(nbins=5)


def _draw_marks(ax: Axes, found: PseudoDataset, rounds: slice, alpha: float) -> None:
    """Draw discs with a plus and rings with a minus, their area the precision."""
    places, precisions = found.places[rounds, 0], found.precisions[rounds, 0]
    turn = np.linspace(0, 2 * np.pi, 33)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    strokes = np.array([[[-0.5, 0], [0.5, 0]], [[0, -0.5], [0, 0.5]]])  # of a plus; a minus is the first of them
    for side, color in ((1, palette.ADDED), (-1, palette.REMOVED)):
        chosen = (side * precisions > 0) & (np.abs(places).max(axis=1, initial=0.0) < 3 * SPAN)
        radius = LARGE * np.sqrt(np.abs(precisions[chosen])[:, None, None] / found.large)
        rings = places[chosen, None] + radius * circle
        if side > 0:
            discs = PolyCollection(list(rings), color=color, alpha=0.4 * alpha, lw=0, zorder=2.5)
            ax.add_collection(discs, autolim=False)
        for pieces in (rings, *(places[chosen, None] + radius * one for one in strokes[: 2 if side > 0 else 1])):
            look: dict[str, Any] = {"color": color, "alpha": alpha, "zorder": 2.5, "lw": 0.5 + 0.7 * alpha}
            ax.add_collection(LineCollection(list(pieces), **look), autolim=False)


def _draw_precision(ax: Axes, found: PseudoDataset) -> None:
    """Draw each round as an upright from the precision before it to the one after: blue up, red and hatched down."""
    before, after = found.totals[:-1, 0], found.totals[1:, 0]
    rounds = np.arange(1, found.rounds + 1)
    for more, color, name in ((True, palette.ADDED, "added"), (False, palette.REMOVED, "removed")):
        chosen = (after >= before) == more
        look: dict[str, Any] = {"ec": color, "fc": (color, 0.5) if more else "none", "lw": 0.8, "label": name}
        ax.bar(rounds[chosen], (after - before)[chosen], 0.8, before[chosen], **look)
    own = found.own_precisions[:, 0]
    ax.plot([0, *rounds], own, ".", color=palette.POSTERIOR, ms=0.6 * rcParams["lines.markersize"], label="belief")
    ax.set(yscale="log", xlabel="round", ylabel="precision (1 / weight²)", xlim=(-1, 1.02 * found.rounds))
    ticks = [tick for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if own.min() / 2 <= tick <= 2 * own.max()]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_title(f"They add up to the belief:\nits precision is now {own[-1]:.1f}")
    ax.legend(loc="upper left")
