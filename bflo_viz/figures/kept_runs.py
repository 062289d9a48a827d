"""Runs that were kept: learning curves, final errors beside the paper's, and entropy."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, name_ends, series_for
from bflo_viz.figures.style import SCALE, draws, new_figure
from bflo_viz.scenes.runs import KeptRuns, Shown, kept_runs

_SIZE = (9.6, 4.8)


@draws(kept_runs)
def draw_kept_runs(scene: KeptRuns, *, style: str = "paper") -> Figure:
    """Draw what is kept of some learners in one place; where nothing is, say what makes it."""
    figure = new_figure(*(SCALE[style] * inches for inches in _SIZE))
    figure.suptitle(scene.heading, x=0.01, ha="left", size=rcParams["axes.titlesize"])
    if scene.message:
        figure.text(0.5, 0.5, scene.message.replace(": ", ":\n", 1), ha="center", va="center")
        return figure
    axes = figure.subplot_mosaic([["mistakes", "final"], ["mistakes", "entropy"]], width_ratios=(1.25, 1))
    looks = {
        name: look._replace(color=palette.line_color(look.color)) for name, look in series_for(scene.shown).items()
    }
    _draw_final(axes["final"], scene, looks)
    for name, shown in scene.shown.items():
        if shown.curve is not None:
            curve = shown.curve
            _draw_curve(axes["mistakes"], curve.ends, curve.mistakes, curve.mistakes_error, name, looks[name])
            _draw_curve(axes["entropy"], curve.entropy_rounds, curve.entropy, curve.entropy_error, name, looks[name])
            _mark_collapse(axes["entropy"], shown, scene, looks[name])
    limits = scene.limits
    axes["mistakes"].set(title="Mistakes in a block of rounds (%)", ylim=(0, limits.mistakes))
    axes["entropy"].set(title="Entropy of the belief (nats); ▼ a width is exactly 0", ylim=limits.entropy)
    for name in ("mistakes", "entropy"):
        axes[name].set(xlabel="round", xlim=(0, limits.rounds))
        axes[name].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes[name].locator_params(axis="x", nbins=4)
    name_ends([axes["mistakes"], axes["entropy"]])
    return figure


def _draw_curve(ax: Axes, x: Floats, middle: Floats, error: Floats, name: str, look: palette.Series) -> None:
    """A curve with its band, as far as it is finite."""
    finite = np.isfinite(middle)
    if finite.any():
        x, middle, error = x[finite], middle[finite], error[finite]
        draw_band(ax, x, middle, middle - error, middle + error, name, look)


def _mark_collapse(ax: Axes, shown: Shown, scene: KeptRuns, look: palette.Series) -> None:
    """A mark at the foot of the panel where a width became exactly 0."""
    fallen = None if shown.curve is None else shown.curve.collapse
    if fallen is not None and scene.limits.entropy is not None:
        size = 1.6 * rcParams["lines.markersize"]
        ax.plot([fallen], scene.limits.entropy[:1], "v", ms=size, color=look.color, clip_on=False, label="_collapse")


def _draw_final(ax: Axes, scene: KeptRuns, looks: dict[str, palette.Series]) -> None:
    """Final errors: a mark is ours, with its standard error, a stroke the paper's."""
    size: Any = rcParams["lines.markersize"]
    for row, (name, shown) in enumerate(scene.shown.items()):
        cell, look = shown.final, looks[name]
        if cell is None:
            continue
        if cell.paper is not None:
            ax.plot(cell.paper, row, "|", color=palette.INK, ms=2.6 * size, mew=0.3 * size, label=f"_{name}, paper")
        if cell.ours is not None:
            ax.errorbar(cell.ours, row, xerr=cell.error or 0, color=look.color, lw=0.3 * size, label="_error")
            ax.plot(cell.ours, row, look.marker, ms=1.4 * size, color=look.color, label=f"_{name}, ours")
    ax.set(xlim=scene.limits.final, ylim=(len(scene.shown) - 0.5, -0.5))
    ax.set_yticks(range(len(scene.shown)), list(scene.shown))
    ax.set_title("Final error (%): marks ours, strokes the paper's")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")
