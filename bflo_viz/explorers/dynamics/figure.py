"""The state of the dynamics explorer for print."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.explorers.dynamics.run import Run
from bflo_viz.explorers.dynamics.surfaces import PRIOR
from bflo_viz.explorers.dynamics.words import sentences
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, draw_move, write_beside
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (9.6, 3.5), "slides": (15.0, 5.6)}
_SIGMAS = 2.0  # of the ellipses
_FILLED = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.25), "zorder": 3}


def draw(run: Run, name: str, now: int, style: str) -> Figure:
    """Draw what the three learners have done by round ``now``, on the same surface."""
    with look(style):
        figure = new_figure(*_SIZES[style], layout="none")
        axes = figure.subplots(1, 3)
        figure.subplots_adjust(left=0.06, right=0.99, top=0.86, bottom=0.15, wspace=0.12)
        for ax in axes:
            _draw_surface(ax, run, now)
        _draw_point(axes[0], run, now)
        _draw_posterior(axes[1], run, now)
        _draw_belief(axes[2], run, now)
        axes[0].set_ylabel("second weight")
        axes[1].set_xlabel("first weight")
        for ax in axes[1:]:
            ax.tick_params(labelleft=False)
    set_alt_text(figure, _in_words(run, name, now))
    return figure


def _draw_surface(ax: Axes, run: Run, now: int) -> None:
    surface, width = run.surface, rcParams["lines.linewidth"]
    ax.plot(*run.levels.T, color=palette.FAINT, lw=0.5 * width, zorder=0, label="equal loss")
    ax.plot(
        *surface.optima.T, "+", color=palette.INK, ms=2.2 * rcParams["lines.markersize"], zorder=5, label="optimum"
    )
    if now:
        look: dict[str, Any] = {"marker": "x", "ls": "none"} if surface.two_wells else {"ls": ":"}
        ax.plot(
            *surface.fitting(run.examples[now - 1]).T,
            color=palette.PRIOR,
            lw=0.7 * width,
            zorder=1,
            label="newest example",
            **look,
        )
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    (left, bottom), (right, top) = surface.low, surface.high
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")


def _draw_point(ax: Axes, run: Run, now: int) -> None:
    ax.set_title("SGD: a point moves")
    color, path = palette.SERIES["SGD"].color, run.points[: now + 1]
    ax.plot(*path.T, color=color, lw=0.6 * rcParams["lines.linewidth"], zorder=3, label="path")
    ax.plot(*path[0], "o", color=color, mfc="white", zorder=4, label="start")
    ax.plot(*path[-1], "o", color=color, zorder=4, label="now")
    write_beside(ax, f"round {now}", path[-1], np.array([1.0, 0.5]))


def _draw_posterior(ax: Axes, run: Run, now: int) -> None:
    ax.set_title("Bayes filter: a posterior sharpens")
    _draw_means(ax, run.bayes.mean[: now + 1])
    if run.surface.two_wells:
        ax.add_patch(PathPatch(_outline(run.bayes.outline[now]), label="posterior", **_FILLED))
    else:
        covariance_ellipse(ax, run.bayes.mean[now], run.bayes.covariance[now], _SIGMAS, label="posterior", **_FILLED)


def _draw_belief(ax: Axes, run: Run, now: int) -> None:
    ax.set_title("Belief flow: an ensemble moves")
    _draw_means(ax, np.array([belief.mean for belief in run.beliefs[: now + 1]]))
    small = 0.4 * rcParams["lines.markersize"]
    ax.plot(*run.clouds[now].T, "o", ms=small, color=palette.POSTERIOR, zorder=2, label="ensemble")
    belief = run.beliefs[now]
    covariance_ellipse(ax, belief.mean, belief.covariance, _SIGMAS, label="belief", **_FILLED)
    if now:
        draw_move(ax, run.sampled[now - 1], run.moved[now - 1])


def _draw_means(ax: Axes, means: Floats) -> None:
    """The prior as an outline, the way of the mean, and where it is now."""
    covariance_ellipse(
        ax, PRIOR.mean, PRIOR.covariance, _SIGMAS, ec=palette.PRIOR, fc="none", zorder=2, label="prior"
    )
    ax.plot(*means.T, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], zorder=3.5, label="path")
    ax.plot(*means[-1], "s", color=palette.POSTERIOR, mec=palette.INK, zorder=4, label="mean")


def _outline(points: Floats) -> Path:
    """A closed line, or two of them apart by NaN, as a path to be filled."""
    pieces = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    return Path.make_compound_path(*(Path(piece[~np.isnan(piece[:, 0])], closed=True) for piece in pieces))


def _in_words(run: Run, name: str, now: int) -> str:
    return f"""Three panels show the same loss surface of two weights ({name}), its contour lines, its optima and
        three learners after {now} of the same examples: the path of a point, the outline of a posterior, and an
        ensemble of {run.clouds.shape[1]} points with its ellipse and the last step of a sampled weight.
        {" ".join(sentences(run, now))}"""
