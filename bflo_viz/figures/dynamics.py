"""Gradient descent, Bayesian filtering and belief flows on one loss surface (Figure 1), and a true ensemble."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, draw_move, write_beside
from bflo_viz.figures.style import draws, new_panels
from bflo_viz.scenes.surfaces import DISTANCES
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
    surface, width = scene.surface, rcParams["lines.linewidth"]
    ax.plot(*_levels(scene).T, color=palette.FAINT, lw=0.5 * width, zorder=0, label="equal loss")
    ax.plot(
        *surface.optima.T, "+", color=palette.INK, ms=2.2 * rcParams["lines.markersize"], zorder=5, label="optimum"
    )
    if newest and scene.now:
        mark: dict[str, Any] = {"marker": "x", "ls": "none"} if surface.two_wells else {"ls": ":"}
        fitting = surface.fitting(scene.examples[scene.now - 1])
        ax.plot(*fitting.T, color=palette.PRIOR, lw=0.7 * width, zorder=1, label="newest example", **mark)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    (left, bottom), (right, top) = surface.window(math.sqrt(scene.beliefs[0].covariance[0, 0]))
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")


def _levels(scene: DynamicsScene) -> Floats:
    """Lines of equal loss, pieces apart by NaN; equal steps of distance, so evenly spaced in a bowl."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([part for d in DISTANCES for part in (scene.surface.level(d), gap)])


def _draw_point(ax: Axes, scene: DynamicsScene) -> None:
    ax.set_title("(a) SGD:\na point moves")
    color, path = palette.SERIES["SGD"].color, scene.points[: scene.now + 1]
    ax.plot(*path.T, color=color, lw=0.6 * rcParams["lines.linewidth"], zorder=3, label="path")
    ax.plot(*path[0], "o", color=color, mfc="white", zorder=4, label="start")
    ax.plot(*path[-1], "o", color=color, zorder=4, label="now")
    write_beside(ax, f"round {scene.now}", path[-1], np.array([1.0, 0.5]))


def _draw_posterior(ax: Axes, scene: DynamicsScene, earlier: Sequence[int]) -> None:
    ax.set_title("(b) Bayesian filtering:\na posterior sharpens")
    bayes, now = scene.bayes, scene.now
    _draw_means(ax, bayes.mean[: now + 1])
    if bayes.outline is not None:
        filled = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.25), "zorder": 3}
        _draw_prior(ax, scene)
        ax.add_patch(PathPatch(_outline(bayes.outline(now)), label=f"round {now}", **filled))
    else:
        _draw_ellipses(ax, scene, bayes.mean, bayes.covariance, earlier)


def _draw_belief(ax: Axes, scene: DynamicsScene, earlier: Sequence[int]) -> None:
    ax.set_title("(c) Belief flow:\nan ensemble is carried")
    means = np.array([belief.mean for belief in scene.beliefs])
    _draw_means(ax, means[: scene.now + 1])
    _draw_members(ax, scene.clouds[scene.now])
    _draw_ellipses(ax, scene, means, np.array([belief.covariance for belief in scene.beliefs]), earlier)
    if not earlier and scene.now:
        draw_move(ax, scene.sampled[scene.now - 1], scene.moved[scene.now - 1])


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
    for round_ in sorted({scene.now, *(r for r in earlier if r < scene.now)}, reverse=True):
        edge: dict[str, Any] = (
            {"fc": (palette.POSTERIOR, 0.25)} if round_ == scene.now else {"fc": "none", "ls": "--"}
        )
        label = f"round {round_}"
        covariance_ellipse(
            ax, means[round_], covariances[round_], _SIGMAS, ec=palette.POSTERIOR, zorder=3, label=label, **edge
        )
        # The name is where the ellipse reaches furthest up and to the right; where two would meet, one is left out.
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


def _outline(points: Floats) -> Path:
    """A closed line, or two of them apart by NaN, as a path to be filled."""
    pieces = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    return Path.make_compound_path(*(Path(piece[~np.isnan(piece[:, 0])], closed=True) for piece in pieces))
