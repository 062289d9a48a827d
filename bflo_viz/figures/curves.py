"""What curves of learners share: a look for each name, bands, and names at their ends."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.figures import palette

FEW = 12  # points of a curve: between them nothing was measured


def series_for(names: Iterable[str]) -> dict[str, palette.Series]:
    """How each learner looks: those the palette knows as always, others in turn by what no learner has."""
    looks = {name: palette.series(name) for name in names}
    others = [name for name, series in looks.items() if series == palette.OTHER]
    return looks | {name: palette.NEUTRAL[i % len(palette.NEUTRAL)] for i, name in enumerate(others)}


def draw_band(
    ax: Axes, x: ArrayLike, middle: Floats, low: Floats, high: Floats, name: str, series: palette.Series
) -> None:
    """Draw a curve with a band around it, and a marker where it ends; where points are few, at each of them."""
    if not np.array_equal(low, high):
        ax.fill_between(np.asarray(x), low, high, color=series.color, alpha=0.2, lw=0, label=f"{name}, band")
    marked = slice(None) if np.size(x) <= FEW else [-1]
    look: dict[str, Any] = {"color": series.color, "ls": series.linestyle, "marker": series.marker}
    ax.plot(x, middle, markevery=marked, label=name, **look)


def name_ends(axes: Sequence[Axes]) -> None:
    """Write the name of each curve at its right end, apart from other names; call it when all else is drawn.

    The names are in the order of the ends; where one had to move, a thin line leads to its curve.
    """
    size = float(rcParams["font.size"])
    labels = {ax: [_name_end(ax, line, size) for line in _named(ax)] for ax in axes}
    axes[0].get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    for ax, texts in labels.items():
        if not texts:
            continue
        point = ax.figure.dpi / 72
        heights = ax.transData.transform([text.xy for text in texts])[:, 1] / point
        places = apart(heights, 1.35 * size)
        low, high = ax.bbox.y0 / point + size / 2, ax.bbox.y1 / point - size / 2
        places += max(0.0, low - places.min()) - max(0.0, places.max() - high)
        moved = bool(np.abs(places - heights).max() > 0.3 * size)
        for text, shift in zip(texts, places - heights, strict=True):
            text.set_position(((1.7 if moved else 0.8) * size, shift))
            text.arrow_patch.set_visible(moved)


def apart(places: Floats, room: float) -> Floats:
    """Places moved as little as needed (in squares, in their order) so that neighbours are ``room`` apart."""
    order = np.argsort(places, kind="stable")
    steps = room * np.arange(len(places))
    groups: list[tuple[float, int]] = []  # pooled neighbours: their mean, and how many
    for mean in places[order] - steps:
        count = 1
        while groups and groups[-1][0] > mean:
            other, size = groups.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        groups.append((float(mean), count))
    moved = np.empty_like(places)
    moved[order] = np.repeat([mean for mean, _ in groups], [count for _, count in groups]) + steps
    return moved


def _named(ax: Axes) -> list[Line2D]:
    """The lines that have a name, and an end."""
    named = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    return [line for line in named if np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any()]


def _name_end(ax: Axes, line: Line2D, size: float) -> Any:
    points = np.asarray(line.get_xydata(), dtype=float)
    end = points[np.isfinite(points[:, 1])][-1]
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
    color = palette.line_color(to_hex(line.get_color()))
    leader = {"arrowstyle": "-", "color": color, "lw": 0.07 * size, "shrinkA": 0.1 * size, "shrinkB": 0.45 * size}
    beside["arrowprops"] = leader | {"relpos": (0, 0.5)}
    return ax.annotate(str(line.get_label()), tuple(end.tolist()), (0.8 * size, 0.0), **beside)
