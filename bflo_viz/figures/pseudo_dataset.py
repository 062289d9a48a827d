"""The evolution of a pseudo dataset (Figure 3 of the paper)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.transforms import offset_copy

from bflo_viz.figures import palette
from bflo_viz.figures.scenes.pseudo_dataset import PseudoDataset
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (5.4, 7.9), "slides": (15.6, 7.6)}
_ADDED: dict[str, Any] = {"fc": (palette.ADDED, 0.35), "ec": palette.ADDED}
_REMOVED: dict[str, Any] = {"fc": "none", "ec": palette.REMOVED, "hatch": "/////"}


def draw_pseudo_dataset(scene: PseudoDataset, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw the points that were added and removed, and how precision grew; ``axes``, if given, are two.

    On paper the second panel lies beneath the first, on slides beside it.
    """
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style], layout="compressed")
            grid = (
                figure.add_gridspec(2, 1, height_ratios=(3, 1))
                if style == "paper"
                else figure.add_gridspec(1, 2, width_ratios=(1.15, 1))
            )
            axes = [figure.add_subplot(grid[0]), figure.add_subplot(grid[1])]
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        _draw_points(axes[0], scene)
        _draw_precision(axes[1], scene)
    set_alt_text(figure, _in_words(scene))
    return figure


def _draw_points(ax: Axes, scene: PseudoDataset) -> None:
    """Draw points as discs whose area is their precision, and the path of the mean."""
    mark, width = rcParams["lines.markersize"], rcParams["lines.linewidth"]
    largest = float(np.abs(scene.precisions).max()) or 1.0
    unit = (6 * mark) ** 2 / largest  # area of precision 1, in square points
    known = 10.0 ** np.floor(np.log10(largest / 2))
    known *= max(k for k in (1, 2, 5) if k == 1 or k * known <= largest / 2)  # a round number for the key
    keys = []
    for sign, disc, symbol in ((1, _ADDED, "+"), (-1, _REMOVED, "_")):
        chosen = scene.exists & (np.sign(scene.precisions) == sign)
        x, y = scene.points[chosen].T
        area = unit * np.abs(scene.precisions[chosen])
        name = "added" if sign > 0 else "removed"
        ax.scatter(x, y, s=area, lw=0.5 * width, zorder=2, label=name, **disc)
        ax.scatter(x, y, s=0.3 * area, marker=symbol, color=disc["ec"], lw=0.5 * width, zorder=3)
        outer = ax.scatter([], [], s=unit * known, lw=0.5 * width, **disc)
        keys.append(
            (outer, ax.scatter([], [], s=0.3 * unit * known, marker=symbol, color=disc["ec"], lw=0.5 * width))
        )
    (path,) = ax.plot(*scene.means.T, color=palette.INK, lw=0.7 * width, zorder=4, label="mean")
    ax.plot(*scene.means[0], "s", color=palette.INK, mfc="white", zorder=5)
    ax.plot(*scene.means[-1], "s", color=palette.INK, zorder=5)
    ax.plot(*scene.w_true, "*", color=palette.INK, mfc="white", ms=2 * mark, zorder=5)
    halo = [withStroke(linewidth=0.3 * rcParams["font.size"], foreground="white")]
    for name, point in (("start", scene.means[0]), ("end", scene.means[-1]), ("true $w$", scene.w_true)):
        beside: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom", "zorder": 6}
        ax.annotate(name, tuple(point), (0, mark), path_effects=halo, **beside)
    ax.set(xlim=(scene.low[0], scene.high[0]), ylim=(scene.low[1], scene.high[1]), aspect="equal")
    ax.set(xlabel="first weight", ylabel="second weight")
    pushed = ", removed ones push it away" if (scene.precisions < 0).any() else ""
    ax.set_title(f"Added points pull the mean{pushed}")
    below = offset_copy(ax.transAxes, ax.get_figure(root=True), y=-3.2 * rcParams["font.size"], units="points")
    words = [f"added, precision {known:g}", f"removed, precision −{known:g}", "mean"]
    ax.legend(
        [*keys, path],
        words,
        title=f"{scene.outside} of {np.count_nonzero(scene.exists)} points lie outside of this view",
        loc="upper left",
        bbox_to_anchor=(0, 0),
        bbox_transform=below,
        ncols=3,
        alignment="left",
        borderpad=0,
        handleheight=1.1 * np.sqrt(unit * known) / rcParams["legend.fontsize"],
        columnspacing=1.2,
    )


def _draw_precision(ax: Axes, scene: PseudoDataset) -> None:
    """Draw each precision as a bar from what was there before, and that of the belief as circles on the same line."""
    rounds = np.arange(len(scene.cumulative))
    for sign, disc in ((1, _ADDED), (-1, _REMOVED)):
        chosen = np.flatnonzero(np.sign(scene.precisions) == sign)
        name = "added" if sign > 0 else "removed"
        height = scene.precisions[chosen]
        ax.bar(rounds[1:][chosen], height, 0.9, scene.cumulative[chosen], lw=0.6, label=name, **disc)
    ax.plot(rounds, scene.cumulative, color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], label="prior + sum")
    circles: dict[str, Any] = {"ls": "", "marker": "o", "mfc": "none", "ms": 0.7 * rcParams["lines.markersize"]}
    ax.plot(rounds, scene.stds**-2.0, color=palette.INK, label="1/std² of the belief", **circles)
    ax.set(xlabel="round", ylabel="precision (1 / weight²)", xlim=(-1, len(rounds)))
    ax.set_ylim(0, 1.4 * float(scene.cumulative.max()))  # the legend lies above the highest bar
    ax.set_title(f"The precisions add up: from {scene.cumulative[0]:.2f} to {scene.cumulative[-1]:.2f}")
    ax.legend(loc="upper left", ncols=2)


def _in_words(scene: PseudoDataset) -> str:
    added, removed = (int(np.count_nonzero(scene.exists & (s * scene.precisions > 0))) for s in (1, -1))
    (x, y), (end_x, end_y) = scene.means[0], scene.means[-1]
    return (
        f"In the first panel, {added} pseudo-points that a spherical belief flow added, as blue discs with a plus, "
        f"and {removed} that it removed, as hatched red rings with a minus; their areas are their precisions, and "
        f"{scene.outside} lie outside of the view. The mean moves from ({x:.2f}, {y:.2f}) to "
        f"({end_x:.2f}, {end_y:.2f}), towards what is added and away from what is removed. In the second panel, "
        f"the precision of the prior plus that of all points so far goes from {scene.cumulative[0]:.2f} to "
        f"{scene.cumulative[-1]:.2f} in {len(scene.precisions)} rounds; in every round it equals the belief's 1/std²."
    )
