"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows.

Beside them is what the belief stands for: an ensemble of which every weight descends by itself (Figure 1).
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from scipy.special import ndtr

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import covariance_ellipse, halo, isotropic, number, write_beside
from bflo_viz.figures.style import figure, panels
from bflo_viz.figures.surfaces import DISTANCES, SURFACES, DoubleWell, Filtered, Regression, Surface
from bflo_viz.learners import BeliefFlow, Recorder, Round

FLOWS = ("full", "diagonal", "spherical")
STD, ENSEMBLE = 1.2, 60  # width of the prior, and the number of weights of an ensemble
TOO_SURE = 3.0  # standard deviations between a belief and the optimum from which on it is called too sure
TINY = 1e-280  # no variance is taken for less than this, where it divides
_SIGMAS = 2.0  # of the ellipses
_ROOM = np.array([2.3, 0.55])  # that the name of a round takes, in weights


@dataclass(frozen=True, eq=False)
class Dynamics:
    """What three learners made of the same examples; every trace begins with round 0, before any example."""

    name: str
    surface: Regression | DoubleWell
    examples: Floats
    points: Floats  # weights of stochastic gradient descent, which begins at one draw of the prior
    bayes: Filtered  # posteriors by Bayes' rule
    beliefs: tuple[Belief, ...]  # of the belief flow
    sampled: Floats  # its sampled weight in each round
    moved: Floats  # where the step of the round took it
    clouds: Floats  # (rounds + 1, size, 2): an ensemble with the moments of the belief, carried along by the flow
    ensembles: Floats  # of the same shape: it begins like the other, and every weight takes its own gradient steps

    @property
    def moments(self) -> tuple[Floats, Floats]:
        """Means and covariances of the beliefs."""
        means, covariances = ([getattr(b, part) for b in self.beliefs] for part in ("mean", "covariance"))
        return np.array(means), np.array(covariances)

    @functools.cached_property
    def facts(self) -> dict[str, Floats]:
        """Numbers after each round, by learner ("sgd", "ensemble", "bayes", "flow") and name, such as "flow_far".

        "away" is the distance from the nearest optimum, of a point, of a mean, of the weights of an ensemble on
        average, or (double well) of the right half of the posterior; "std" are standard deviations, the narrowest and
        the widest; "far" is how many of them lie between mean and nearest optimum; "right" is how much of a belief
        has a positive first weight.
        """
        bayes = _facts(self.surface, self.bayes.mean, self.bayes.covariance)
        if self.bayes.hill_mean is not None and self.bayes.hill_std is not None:
            bayes |= {"away": self.surface.away(self.bayes.hill_mean), "std": np.sort(self.bayes.hill_std, axis=1)}
        flow = _facts(self.surface, *self.moments)
        points = {"sgd": {"away": self.surface.away(self.points)}}
        points["ensemble"] = {"away": self.surface.away(self.ensembles).mean(axis=1)}
        by_learner = {**points, "bayes": bayes, "flow": flow}
        return {f"{who}_{what}": values for who, facts in by_learner.items() for what, values in facts.items()}


def dynamics(
    rng: RNG,
    surface: str = "convex",
    *,
    rounds: int = 300,
    eta: float | None = None,
    std: float = STD,
    flow: str = "full",
    truth: str = "given",
    optimum: tuple[float, float] | None = None,
) -> Dynamics:
    """Let gradient descent, Bayes' rule and a belief flow learn from one stream of examples.

    ``surface`` is one of `SURFACES`, and ``eta`` replaces its learning rate. Descent begins at a draw of the prior
    N(0, std²), the others with all of it. ``flow`` is the type of the belief. The optimum is that of the surface, or
    with ``truth="drawn"`` it is drawn from the prior; ``optimum`` puts it elsewhere. Equal generators give all
    surfaces the same random numbers, and more rounds begin with the same ones. Drawn are, in this order:

    1. a uniform number ``u``: ``RandomState(int(2**32 * u))`` gives what the flow draws, two normal numbers a round;
    2. two normal numbers that are the optimum, times ``std``, if it is drawn;
    3. two normal numbers that are the start of descent, times ``std``;
    4. two normal numbers for each weight of the ensemble;
    5. three normal numbers for each example.
    """
    chosen = SURFACES[check.choice("surface", surface, tuple(SURFACES))]
    prior = isotropic(check.choice("flow", flow, FLOWS), np.zeros(2), check.positive_number("std", std))
    own = np.random.RandomState(int(2**32 * check.generator(rng).random()))
    drawn, start, cloud = (std * rng.standard_normal((size, 2)) for size in (1, 1, ENSEMBLE))
    if check.choice("truth", truth, ("given", "drawn")) == "drawn":
        chosen = chosen.with_optimum(drawn[0])
    if optimum is not None:
        chosen = chosen.with_optimum(np.array(optimum, dtype=np.float64))
    if eta is not None:
        chosen = replace(chosen, eta=check.scalar("eta", eta, least=0.0))
    examples = chosen.stream(rng.standard_normal((check.positive_int("rounds", rounds), 3)))
    standard, newest, recorder = _standard(cloud), iter(examples), Recorder()
    # The surface tells each sampled weight where to go by the newest example: the model is not asked.
    learner = BeliefFlow(prior, local_flow=lambda w, gradient: chosen.step(w, next(newest)))
    learner.run(np.ones((rounds, 2)), np.ones(rounds, dtype=np.int64), own, callback=recorder)
    return Dynamics(
        name=surface,
        surface=chosen,
        examples=examples,
        points=np.array(list(accumulate(examples, chosen.step, initial=start[0]))),
        bayes=chosen.filter(examples, std),
        beliefs=recorder.beliefs,
        sampled=recorder.weights,
        moved=recorder.moved,
        clouds=_carried(recorder.beliefs, standard, np.cumsum([0.0, *map(_turn, recorder)])),
        ensembles=np.array(list(accumulate(examples, chosen.step, initial=std * standard))),
    )


def _turn(done: Round) -> float:
    """Return the angle by which a round turned the ensemble that the flow carries, in whitened coordinates."""
    before = done.belief_before
    if before is None or isinstance(before, DiagonalBelief):
        return 0.0
    whiten = before.inverse_factor if isinstance(before, FullBelief) else np.eye(2)
    u, v = (whiten @ (w - before.mean) for w in (done.weights, done.moved))
    return math.atan2(u[0] * v[1] - u[1] * v[0], u @ v)


def _carried(beliefs: tuple[Belief, ...], standard: Floats, turns: Floats) -> Floats:
    """Return an ensemble after each round: the flow turns it in whitened coordinates, and the belief moves it."""
    cosines, sines = np.cos(turns), np.sin(turns)
    turned = standard @ np.array([[cosines, sines], [-sines, cosines]]).transpose(2, 0, 1)
    return np.array([belief.weight(z) for belief, z in zip(beliefs, turned, strict=True)])


def _facts(surface: Surface, means: Floats, covariances: Floats) -> dict[str, Floats]:
    """Return facts of Gaussians."""
    variances, turns = np.linalg.eigh(covariances)
    widths = np.sqrt(np.maximum(TINY, variances))
    offsets = (surface.optima - means[:, None]) @ turns / widths[:, None]
    return {
        "away": surface.away(means),
        "std": widths,
        "far": np.linalg.norm(offsets, axis=2).min(axis=1),
        "right": ndtr(means[:, 0] / np.sqrt(np.maximum(TINY, covariances[:, 0, 0]))),
    }


def _standard(points: Floats) -> Floats:
    """Return points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)


@figure("Three ways to learn: a point, a posterior, an ensemble (Fig. 1)")
def draw_dynamics(found: Dynamics | None = None) -> tuple[Figure, str]:
    """Draw what each learner has done in the end, with some earlier beliefs dashed and named."""
    found = found or dynamics(np.random.default_rng(0), rounds=40)
    picture, places = panels(2, 2, (6.6, 6.6), layout="compressed")
    corners = found.surface.low, found.surface.high
    grid = np.stack(np.meshgrid(*np.linspace(*corners, 81).T, indexing="ij"), axis=-1)
    for ax in places:
        _draw_surface(ax, found.surface, grid)
    _draw_point(places[0], found)
    places[1].set_title("(b) Bayesian filtering:\na posterior sharpens")
    _draw_means(places[1], found.bayes.mean)
    if found.bayes.hill_mean is None or found.bayes.hill_std is None:
        _draw_ellipses(places[1], found, found.bayes.mean, found.bayes.covariance, (2, 8))
    else:  # a hill on each side
        _draw_prior(places[1], found)
        mean, std = found.bayes.hill_mean[-1], found.bayes.hill_std[-1]
        for side in (-1, 1):
            look = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.25), "zorder": 3}
            covariance_ellipse(places[1], mean * [side, 1], np.diag(std**2), _SIGMAS, **look)
    means, covariances = found.moments
    places[2].set_title("(c) Belief flow:\nan ensemble is carried")
    _draw_means(places[2], means)
    _draw_members(places[2], found.clouds[-1])
    _draw_ellipses(places[2], found, means, covariances, (len(found.examples) // 3,))
    places[3].set_title("(d) True ensemble:\neach weight steps itself")
    _draw_members(places[3], found.ensembles[-1])
    _draw_prior(places[3], found)
    outline = {"ec": palette.POSTERIOR, "fc": "none", "ls": ":", "zorder": 3, "label": "belief of the flow"}
    covariance_ellipse(places[3], means[-1], covariances[-1], _SIGMAS, **outline)
    for ax in places[::2]:
        ax.set_ylabel("second weight")
    for ax in places[2:]:
        ax.set_xlabel("first weight")
    names = ("sgd", "bayes", "flow", "ensemble")
    sgd, bayes, flow, ensemble = (number(found.facts[f"{who}_away"][-1], 2) for who in names)
    return picture, (
        f"After {len(found.examples)} examples SGD is {sgd} away from the optimum, the sharp posterior of Bayesian "
        f"filtering {bayes}, the mean of the belief flow {flow}, and the true ensemble {ensemble} on average."
    )


def _draw_surface(ax: Axes, surface: Surface, grid: Floats) -> None:
    # Equal steps of distance, so evenly spaced in a bowl.
    levels, thin = np.square(DISTANCES) / 2, 0.5 * rcParams["lines.linewidth"]
    ax.contour(*grid.T, surface.loss(grid).T, levels, colors=palette.FAINT, linewidths=thin, zorder=0)
    size = 2.2 * rcParams["lines.markersize"]
    rim = halo(2 * rcParams["lines.linewidth"])  # to be seen on a path of its colour
    ax.plot(*surface.optima.T, "+", color=palette.INK, ms=size, zorder=5, label="optimum", path_effects=rim)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    ax.set(xlim=grid[[0, -1], 0, 0], ylim=grid[0, [0, -1], 1], aspect="equal")


def _draw_point(ax: Axes, found: Dynamics) -> None:
    ax.set_title("(a) SGD:\na point moves")
    color, path = palette.SERIES["SGD"].color, found.points
    ax.plot(*path.T, color=color, lw=0.6 * rcParams["lines.linewidth"], zorder=3, label="path")
    ax.plot(*path[0], "o", color=color, mfc="white", zorder=4, label="start")
    ax.plot(*path[-1], "o", color=color, zorder=4, label="now")
    write_beside(ax, f"round {len(path) - 1}", path[-1], np.array([1.0, 0.5]))


def _draw_members(ax: Axes, members: Floats) -> None:
    small = 0.4 * rcParams["lines.markersize"]
    ax.plot(*members.T, "o", ms=small, color=palette.POSTERIOR, zorder=2, label="ensemble")


def _draw_ellipses(ax: Axes, found: Dynamics, means: Floats, covariances: Floats, earlier: Sequence[int]) -> None:
    """Draw the prior as an outline, the last belief filled, and those between dashed and named."""
    _draw_prior(ax, found)
    last, named = len(means) - 1, list[Floats]()
    for round_ in (*(r for r in sorted(earlier, reverse=True) if r < last), last):
        edge: dict[str, Any] = {"fc": (palette.POSTERIOR, 0.25)} if round_ == last else {"fc": "none", "ls": "--"}
        edge |= {"ec": palette.POSTERIOR, "zorder": 3, "label": f"round {round_}"}
        covariance_ellipse(ax, means[round_], covariances[round_], _SIGMAS, **edge)
        # The name is where the ellipse reaches furthest up and to the right; where two would meet, the last has none.
        towards = np.array([0.85, 0.55])
        reach = covariances[round_] @ towards
        at = np.asarray(means[round_] + _SIGMAS * reach / np.sqrt(towards @ reach))
        if all((np.abs(at - other) > _ROOM).any() for other in named):
            write_beside(ax, f"round {round_}", at, towards)
            named.append(at)


def _draw_prior(ax: Axes, found: Dynamics) -> None:
    prior = found.beliefs[0]
    outline = {"ec": palette.PRIOR, "fc": "none", "zorder": 2, "label": "prior"}
    covariance_ellipse(ax, prior.mean, prior.covariance, _SIGMAS, **outline)


def _draw_means(ax: Axes, means: Floats) -> None:
    """Draw the path of the mean, and where it ends."""
    ax.plot(*means.T, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], zorder=3.5, label="path")
    ax.plot(*means[-1], "s", color=palette.POSTERIOR, mec=palette.INK, zorder=4, label="mean")
