"""Gradient descent, Bayesian filtering and belief flows on one loss surface (Figure 1), and a true ensemble."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, draw_move, write_beside
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.scenes.surfaces import DISTANCES, DoubleWell
from bflo_viz.scenes.three_ways import DynamicsScene, dynamics

_SIGMAS = 2.0  # of the ellipses
_ROOM = np.array([2.3, 0.55])  # that the name of a round takes, in weights


@draws(dynamics)
def draw_dynamics(scene: DynamicsScene, *, whole: bool = True, style: str = "paper") -> Figure:
    """Draw what each learner has done by round ``scene.now``.

    ``whole`` shows the way: some earlier beliefs, dashed, with the names of their rounds. Otherwise the round itself
    is shown: the newest example, and the step of the sampled weight.
    """
    figure, places = new_panels((2, 2), (6.6, 6.6), style, layout="compressed")
    for ax in places:
        _draw_surface(ax, scene, newest=not whole)
    _draw_point(places[0], scene)
    _draw_posterior(places[1], scene, (2, 8) if whole else ())
    _draw_belief(places[2], scene, (scene.rounds // 3,) if whole else ())
    _draw_ensemble(places[3], scene)
    for ax in places[::2]:
        ax.set_ylabel("second weight")
    for ax in places[2:]:
        ax.set_xlabel("first weight")
    return figure


def _draw_surface(ax: Axes, scene: DynamicsScene, *, newest: bool) -> None:
    surface, width, grid = scene.surface, rcParams["lines.linewidth"], _grid(scene, 81)
    # Equal steps of distance, so evenly spaced in a bowl.
    levels, thin = np.square(DISTANCES) / 2, 0.5 * width
    ax.contour(*grid.T, surface.loss(grid).T, levels, colors=palette.FAINT, linewidths=thin, zorder=0)
    size = 2.2 * rcParams["lines.markersize"]
    ax.plot(*surface.optima.T, "+", color=palette.INK, ms=size, zorder=5, label="optimum")
    if newest and scene.now:
        mark: dict[str, Any] = {"marker": "x", "ls": "none"} if surface.two_wells else {"ls": ":"}
        fitting = surface.fitting(scene.examples[scene.now - 1])
        ax.plot(*fitting.T, color=palette.PRIOR, lw=0.7 * width, zorder=1, label="newest example", **mark)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    ax.set(xlim=grid[[0, -1], 0, 0], ylim=grid[0, [0, -1], 1], aspect="equal")


def _grid(scene: DynamicsScene, size: int) -> Floats:
    """Weights all over the part that is shown, (size, size, 2), to read lines of equal height off."""
    corners = scene.surface.window(math.sqrt(scene.beliefs[0].covariance[0, 0]))
    return np.stack(np.meshgrid(*np.linspace(*corners, size).T, indexing="ij"), axis=-1)


def _draw_point(ax: Axes, scene: DynamicsScene) -> None:
    ax.set_title("(a) SGD:\na point moves")
    color, path = palette.SERIES["SGD"].color, scene.points[: scene.now + 1]
    ax.plot(*path.T, color=color, lw=0.6 * rcParams["lines.linewidth"], zorder=3, label="path")
    for optimum in (line for line in ax.lines if line.get_label() == "optimum"):  # seen on a path of its colour
        optimum.set_path_effects([withStroke(linewidth=2 * rcParams["lines.linewidth"], foreground="white")])
    ax.plot(*path[0], "o", color=color, mfc="white", zorder=4, label="start")
    ax.plot(*path[-1], "o", color=color, zorder=4, label="now")
    beside = scene.surface.optima - path[-1] - _ROOM / 2
    hides = (np.abs(beside) < _ROOM).all(axis=1).any()  # the name, on the right, would hide an optimum
    write_beside(ax, f"round {scene.now}", path[-1], np.array([-1.0 if hides else 1.0, 0.5]))


def _draw_posterior(ax: Axes, scene: DynamicsScene, earlier: Sequence[int]) -> None:
    ax.set_title("(b) Bayesian filtering:\na posterior sharpens")
    bayes, now = scene.bayes, scene.now
    _draw_means(ax, bayes.mean[: now + 1])
    if isinstance(scene.surface, DoubleWell):
        _draw_prior(ax, scene)
        _draw_hills(ax, scene, scene.surface)
    else:
        _draw_ellipses(ax, scene, bayes.mean, bayes.covariance, earlier)


def _draw_hills(ax: Axes, scene: DynamicsScene, surface: DoubleWell) -> None:
    """A posterior that is no Gaussian: where it is densest, as much of it as an ellipse holds of a Gaussian."""
    grid, std = _grid(scene, 401), math.sqrt(scene.beliefs[0].covariance[0, 0])
    log = surface.log_posterior(grid, scene.examples[: scene.now], std)
    density = np.exp(log - log.max())
    falling = np.sort(density, axis=None)[::-1]
    least = falling[np.searchsorted(np.cumsum(falling), (1 - math.exp(-(_SIGMAS**2) / 2)) * falling.sum())]
    filled: dict[str, Any] = {"colors": palette.POSTERIOR, "zorder": 3}
    ax.contourf(*grid.T, density.T, [least, 2.0], alpha=0.25, **filled)
    ax.contour(*grid.T, density.T, [least], linewidths=0.8 * rcParams["lines.linewidth"], **filled)


def _draw_belief(ax: Axes, scene: DynamicsScene, earlier: Sequence[int]) -> None:
    ax.set_title("(c) Belief flow:\nan ensemble is carried")
    means = np.array([belief.mean for belief in scene.beliefs])
    _draw_means(ax, means[: scene.now + 1])
    _draw_members(ax, scene.clouds[scene.now])
    _draw_ellipses(ax, scene, means, np.array([belief.covariance for belief in scene.beliefs]), earlier)
    if not earlier and scene.now:
        _draw_step(ax, scene.sampled[scene.now - 1], scene.moved[scene.now - 1], means[scene.now])


def _draw_step(ax: Axes, w: Floats, w_new: Floats, mean: Floats) -> None:
    """Draw the step of the sampled weight, with its names outwards from the mean: a short one has no room between."""
    draw_move(ax, w, w_new, names=("", ""))
    outwards, step = (part / max(float(np.hypot(*part)), 1e-12) for part in ((w + w_new) / 2 - mean, w_new - w))
    for name, point, side in (("$w$", w, -1), ("$w'$", w_new, 1)):
        write_beside(ax, name, point, 0.8 * outwards + side * step, color=palette.WEIGHT)


def _draw_ensemble(ax: Axes, scene: DynamicsScene) -> None:
    """The true ensemble, and around it the belief that stands for it."""
    ax.set_title("(d) True ensemble:\neach weight steps itself")
    _draw_members(ax, scene.ensembles[scene.now])
    _draw_prior(ax, scene)
    belief = scene.beliefs[scene.now]
    outline = {"ec": palette.POSTERIOR, "fc": "none", "ls": ":", "zorder": 3, "label": "belief of the flow"}
    covariance_ellipse(ax, belief.mean, belief.covariance, _SIGMAS, **outline)


def _draw_members(ax: Axes, members: Floats) -> None:
    small = 0.4 * rcParams["lines.markersize"]
    ax.plot(*members.T, "o", ms=small, color=palette.POSTERIOR, zorder=2, label="ensemble")


def _draw_ellipses(
    ax: Axes, scene: DynamicsScene, means: Floats, covariances: Floats, earlier: Sequence[int]
) -> None:
    """The prior as an outline, the present belief filled, and those between dashed and named."""
    _draw_prior(ax, scene)
    named: list[Floats] = []
    for round_ in (*(r for r in sorted(earlier, reverse=True) if r < scene.now), scene.now):
        edge: dict[str, Any] = (
            {"fc": (palette.POSTERIOR, 0.25)} if round_ == scene.now else {"fc": "none", "ls": "--"}
        )
        label = f"round {round_}"
        covariance_ellipse(
            ax, means[round_], covariances[round_], _SIGMAS, ec=palette.POSTERIOR, zorder=3, label=label, **edge
        )
        # The name is where the ellipse reaches furthest up and to the right; where two would meet, "now" has none.
        towards = np.array([0.85, 0.55])
        reach = covariances[round_] @ towards
        place = np.asarray(means[round_] + _SIGMAS * reach / np.sqrt(towards @ reach))
        if earlier and all((np.abs(place - other) > _ROOM).any() for other in named):
            write_beside(ax, label, place, towards)
            named.append(place)


def _draw_prior(ax: Axes, scene: DynamicsScene) -> None:
    prior = scene.beliefs[0]
    outline = {"ec": palette.PRIOR, "fc": "none", "zorder": 2, "label": "prior"}
    covariance_ellipse(ax, prior.mean, prior.covariance, _SIGMAS, **outline)


def _draw_means(ax: Axes, means: Floats) -> None:
    """The way of the mean, and where it is now."""
    ax.plot(*means.T, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], zorder=3.5, label="path")
    ax.plot(*means[-1], "s", color=palette.POSTERIOR, mec=palette.INK, zorder=4, label="mean")
