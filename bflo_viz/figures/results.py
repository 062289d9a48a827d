"""The paper's tables as pictures: our errors and the printed ones on one axis a stream, and mean ranks."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.result_tables import Results, percent, results

# Inches: what is beside and below the panels, and what a panel needs; the rest of a slide is for larger letters.
_EDGE, _PANEL = (0.9, 1.45), (1.45, 0.42)
_LETTERS = 12.5  # of a title that fit into an inch of paper
_MARGIN = 0.08  # of an axis, on either side of what is on it


@draws(results)
def draw_results(scene: Results, *, axes: Sequence[Any] | None = None, style: str = "paper") -> Figure:
    """Draw errors with a learner a row: ours as a dot with its standard error, the paper's as an upright stroke.

    ``axes``, if given, are as many as there are panels, row by row: online errors above, final ones below, a stream a
    column, and mean ranks last if there is more than one stream.
    """
    streams = scene.table.streams
    columns = len(streams) + scene.has_ranks
    wide, tall = _size(scene, columns)
    figure, places = panels(axes, (len(MEASURES), columns), (wide, tall), style)
    if axes is None:
        lines = (_broken(words, int(_LETTERS * wide)) for words in (scene.finding(), scene.about()))
        figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
        _explain(figure, scene)
    grid: Any = np.asarray(places, dtype=object).reshape(len(MEASURES), columns)
    for i, measure in enumerate(MEASURES):
        for j, stream in enumerate(streams):
            _prepare(grid[i, j], scene, named=j == 0)
            if stream in scene.missing_streams:
                _say_missing(grid[i, j], scene)
            else:
                _draw_stream(grid[i, j], scene, measure, j)
        if scene.has_ranks:
            _prepare(grid[i, -1], scene, named=False)
            _draw_ranks(grid[i, -1], scene, measure)
        grid[i, 0].set_ylabel(f"{measure} error")
    for j, title in enumerate((*streams, "mean rank")[:columns]):
        grid[0, j].set_title(title)
        if title not in scene.missing_streams:
            grid[-1, j].set_xlabel("1 is best" if j == len(streams) else "error (%)")
    figure.align_ylabels(grid[:, 0])
    figure.align_xlabels(grid[-1])
    return figure


def _size(scene: Results, columns: int) -> tuple[float, float]:
    tall = len(MEASURES) * len(scene.table.learners) * _PANEL[1] * (1.0 if len(scene.noise) > 1 else 0.75)
    return _EDGE[0] + max(columns * _PANEL[0], 6.6), _EDGE[1] + tall


def _prepare(ax: Axes, scene: Results, *, named: bool) -> None:
    """A row for each learner, the first on top."""
    learners = scene.table.learners
    without = scene.table.missing_learners if scene.runs[1] else ()
    names = [f"{learner}\nno runs" if learner in without else learner for learner in learners]
    ax.set(ylim=(len(learners) - 0.5, -0.5), yticks=range(len(learners)))
    ax.set_yticklabels(names if named else [])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")
    for between in np.arange(len(learners) - 1) + 0.5:
        ax.axhline(between, color=palette.FAINT, lw=0.6, zorder=0)


def _say_missing(ax: Axes, scene: Results) -> None:
    ax.set_xticks([])
    for line in ax.get_lines():
        line.set_visible(False)
    words = f"missing:\n{textwrap.fill(scene.command, 18, break_on_hyphens=False)}\nmakes it"
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", fontsize=rcParams["xtick.labelsize"])


def _draw_stream(ax: Axes, scene: Results, measure: str, place: int) -> None:
    for noise in scene.noise:
        for y, row in zip(_heights(scene, noise), scene.block(measure, noise).rows, strict=True):
            cell = row.cells[place]
            _mark(ax, y, row.learner, _level(scene, noise), cell.ours, cell.error, cell.paper)
    ax.set_xlim(_limits(scene, place))
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))


def _draw_ranks(ax: Axes, scene: Results, measure: str) -> None:
    for noise in scene.noise:
        for y, row in zip(_heights(scene, noise), scene.block(measure, noise).rows, strict=True):
            _mark(ax, y, row.learner, _level(scene, noise), row.rank, None, row.printed_rank)
            if row.rank_differs and row.recomputed_rank is not None:
                ax.plot(row.recomputed_rank, y, **_by_errors())
    ax.set_xlim(0.6, scene.worst_rank + 0.4)
    ax.xaxis.set_major_locator(MultipleLocator(1))


def _heights(scene: Results, noise: float) -> Floats:
    """How high the marks of each learner are: one below the other for shares of flipped labels."""
    levels = len(scene.noise)
    middle = scene.noise.index(noise) - (levels - 1) / 2
    return np.arange(len(scene.table.learners), dtype=np.float64) + 0.84 * middle / levels


def _level(scene: Results, noise: float) -> int:
    """Which of the shares of flipped labels of the table it is: a mark always means the same."""
    return scene.table.noise.index(noise)


def _mark(
    ax: Axes, y: float, learner: str, level: int, ours: float | None, error: float | None, printed: float | None
) -> None:
    """Ours and the paper's number of one learner, as far as they are there."""
    if printed is not None:
        ax.plot(printed, y, label=f"{learner}, paper", **_printed())
    if ours is not None:
        bars = {"elinewidth": 0.3 * rcParams["lines.markersize"], "capsize": 0.4 * rcParams["lines.markersize"]}
        ax.errorbar(ours, y, xerr=error, label=learner, **_ours(palette.series(learner), level), **bars)


def _ours(series: palette.Series, level: int) -> dict[str, Any]:
    """Filled at the first share of flipped labels, hollow at the second."""
    size, line = rcParams["lines.markersize"], palette.line_color(series.color)
    face = (series.color, palette.PAPER, palette.FAINT)[level % 3]
    return {
        **{"color": line, "marker": series.marker, "ls": "none", "markerfacecolor": face, "zorder": 3},
        **{"markersize": (1.6 if series.marker == "*" else 1.15) * size, "markeredgewidth": 0.2 * size},
    }


def _printed() -> dict[str, Any]:
    size = rcParams["lines.markersize"]
    return {
        **{"color": palette.INK, "marker": "|", "ls": "none", "zorder": 2},
        **{"markersize": 2.3 * size, "markeredgewidth": 0.3 * size},
    }


def _by_errors() -> dict[str, Any]:
    """The rank that follows from the printed errors."""
    size = rcParams["lines.markersize"]
    return {
        **{"color": palette.INK, "marker": "o", "ls": "none", "zorder": 4, "label": "by the paper's errors"},
        **{"markersize": 2 * size, "markeredgewidth": 0.16 * size, "markerfacecolor": "none"},
    }


def _limits(scene: Results, place: int) -> tuple[float, float]:
    """The same for online and final errors of a stream: room for all that is drawn of either."""
    cells = [row.cells[place] for block in scene.blocks for row in block.rows]
    shown = [cell.paper for cell in cells if cell.paper is not None]
    for cell in cells:
        if cell.ours is not None:
            shown += [cell.ours - (cell.error or 0.0), cell.ours + (cell.error or 0.0)]
    low, high = min(shown), max(shown)
    room = _MARGIN * (high - low) or 1.0
    return low - room, high + room


def _explain(figure: Figure, scene: Results) -> None:
    """What the marks mean, below all panels."""
    handles = []
    for noise in scene.noise if scene.runs[1] else ():
        dot = _ours(palette.Series(palette.INK, "none", "o"), _level(scene, noise))
        flipped = f", {percent(noise)} of labels flipped" if len(scene.table.noise) > 1 else ""
        handles.append(Line2D([], [], **dot, label=f"ours{flipped}"))
    if scene.has_paper:
        handles.append(Line2D([], [], **_printed(), label="the paper"))
    if scene.has_ranks and scene.ranks_that_differ:
        here = " of what is here" if scene.is_partial else ""
        name = f"rank by the paper's errors{here}, where not as printed"
        handles.append(Line2D([], [], **{**_by_errors(), "label": name}))
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=len(handles), columnspacing=1.2)


def _broken(words: str, letters: int) -> str:
    """Lines that end after a semicolon where they can."""
    lines = [""]
    for part in words.split("; "):
        longer = f"{lines[-1]}; {part}" if lines[-1] else part
        if lines[-1] and len(longer) > letters:
            lines[-1] += ";"
            lines.append(part)
        else:
            lines[-1] = longer
    return "\n".join(textwrap.fill(line, letters) for line in lines)
