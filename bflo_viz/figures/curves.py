"""What curves of learners share: a look for each name, bands, and names at their ends."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.experiments.statistics import mean_and_error
from bflo_viz.figures import palette


def series_for(names: Iterable[str]) -> dict[str, palette.Series]:
    """How each learner looks: those the palette knows as always, others by the next style that is free."""
    looks = {name: palette.series(name) for name in names}
    free = [series for series in palette.SERIES.values() if series not in looks.values()] or [
        *palette.SERIES.values()
    ]
    others = [name for name, series in looks.items() if series == palette.OTHER]
    return {**looks, **{name: free[i % len(free)] for i, name in enumerate(others)}}


def mean_and_band(runs: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over runs (rows), and the ends of a band of one standard error; a single run has no band."""
    mean, error = mean_and_error(runs)
    error = np.nan_to_num(error)
    return mean, mean - error, mean + error


def draw_band(
    ax: Axes, x: ArrayLike, middle: Floats, low: Floats, high: Floats, name: str, series: palette.Series
) -> None:
    """Draw a curve with a band around it, and a marker where it ends."""
    if not np.array_equal(low, high):
        ax.fill_between(np.asarray(x), low, high, color=series.color, alpha=0.2, lw=0, label=f"{name}, band")
    ax.plot(x, middle, color=series.color, ls=series.linestyle, marker=series.marker, markevery=[-1], label=name)


def name_ends(axes: Sequence[Axes]) -> None:
    """Write the name of each curve at its right end; call it when all is drawn, as it needs the final layout."""
    beside: dict[str, Any] = {"xytext": (0.8 * rcParams["font.size"], 0.0), "textcoords": "offset points"}
    for ax in axes:
        for line in _curves(ax):
            ax.annotate(str(line.get_label()), _end(line), va="center", annotation_clip=False, **beside)
    axes[0].get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    keep_names_apart(axes)


def keep_names_apart(axes: Sequence[Axes]) -> None:
    """Put each name where its curve ends now, apart from the other names, neither above nor below the axes."""
    size = float(rcParams["font.size"])
    for ax in axes:
        point = ax.figure.dpi / 72
        low, high = ax.bbox.y0 / point + size / 2, ax.bbox.y1 / point - size / 2
        names = {text.get_text(): text for text in ax.texts if isinstance(text, Annotation)}
        lines = _curves(ax)
        ends = np.array([_end(line) for line in lines]).reshape(-1, 2)
        heights = ax.transData.transform(ends)[:, 1] / point
        places = apart(heights, 1.25 * size)
        if len(places):
            places += max(0.0, low - places.min()) - max(0.0, places.max() - high)
        for line, end, here, there in zip(lines, ends, heights, places, strict=True):
            name = names[str(line.get_label())]
            name.xy = tuple(end.tolist())
            name.set_position((0.8 * size, there - here))


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


def _curves(ax: Axes) -> list[Line2D]:
    """The lines that have a name, and an end."""
    named = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    return [line for line in named if np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any()]


def _end(line: Line2D) -> tuple[float, float]:
    x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
    last = np.flatnonzero(np.isfinite(y))[-1]
    return float(x[last]), float(y[last])
