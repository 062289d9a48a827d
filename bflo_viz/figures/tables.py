"""The paper's tables as pictures: our errors beside the printed ones."""

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Result, committed
from bflo_viz.experiments.tables import MEASURES, Block, Table, make_table
from bflo_viz.figures import palette
from bflo_viz.figures.marks import signed
from bflo_viz.figures.style import COLUMN, figure, panels

_EDGE, _ROW = 1.35, 0.48  # inches: above and below the panels, and of a learner with two shares of flipped labels
_LETTERS = 14  # of a title that fit into an inch
_PRINTED: dict[str, Any] = {"color": palette.INK, "marker": "|", "ls": "none", "zorder": 2}


def compare(
    experiment: str = "table1",
    protocol: str = "inferred",
    *,
    results: Iterable[Result] | None = None,
    extras: bool = False,
) -> Table:
    """Put results beside the printed numbers: those that come with the course, if none are given.

    With ``extras``, learners beyond the paper's are shown if there are runs of them.
    """
    settings = load_protocol(experiment, protocol)
    rows = committed(experiment, protocol) if results is None else list(results)
    here = {row.learner for row in rows}
    return make_table(settings.with_extras(name for name in settings.extras if extras and name in here), rows)


@figure("Table {} as a picture: our errors and the printed ones", "table1", "table2")
def draw_results(
    experiment: str = "table1",
    protocol: str = "inferred",
    *,
    results: Iterable[Result] | None = None,
    extras: bool = False,
) -> tuple[Figure, str]:
    """Draw errors with a row for each learner: ours with its standard error, the paper's as an upright stroke.

    Online errors are above, final ones below, with a column for each stream; mean ranks are last if there is more
    than one stream. The parameters are those of `compare`.
    """
    table = compare(experiment, protocol, results=results, extras=extras)
    ranked = any(block.has_ranks for block in table.blocks)
    columns = [*table.streams, *(["mean rank"] if ranked else [])]
    tall = len(MEASURES) * len(table.learners) * _ROW * (1.0 if len(table.noise) > 1 else 0.75)
    picture, places = panels(len(MEASURES), len(columns), (COLUMN, _EDGE + tall))
    lines = [textwrap.fill(words, int(_LETTERS * COLUMN)) for words in (_finding(table), _about(table))]
    picture.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=rcParams["font.size"])
    _explain(picture, table)
    grid = np.reshape(np.array(places, dtype=object), (len(MEASURES), len(columns)))
    for measure, row in zip(MEASURES, grid, strict=True):
        for j, (ax, name) in enumerate(zip(row, columns, strict=True)):
            _prepare(ax, table, named=j == 0)
            if j == len(table.streams):
                _draw_ranks(ax, table, measure)
            elif name in table.missing_streams:
                ax.text(
                    0.5, 0.5, "no runs", transform=ax.transAxes, ha="center", va="center", backgroundcolor="white"
                )
                ax.set_xticks([])
            else:
                _draw_stream(ax, table, measure, j)
        row[0].set_ylabel(f"{measure} error")
    for j, name in enumerate(columns):
        grid[0][j].set_title(name, fontsize="medium")
        if name not in table.missing_streams:
            grid[1][j].set_xlabel("1 is best" if j == len(table.streams) else "error (%)")
    picture.align_labels()
    return picture, f"{_about(table)}: {_finding(table)}."


def _about(table: Table) -> str:
    """Return which table it is, and of how many runs."""
    counts = sorted({cell.runs for cell in table.cells.values() if cell.runs})
    if not counts:
        return table.title
    many = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
    return f"{table.title}; {'one run' if counts == [1] else f'mean ± standard error of {many} runs'}"


def _finding(table: Table) -> str:
    """Return the takeaway, the distance from the printed numbers."""
    far, (online, final) = table.largest_deviation(), map(table.mean_deviation, MEASURES)
    if not table.found:
        return "No results are here"
    if far is None or online is None or final is None:
        return "The paper has no numbers for these streams"
    flipped = f", {100 * far.noise:g} % of labels flipped" if len(table.noise) > 1 else ""
    return (
        f"On average {online:.2f} points from the printed errors online, {final:.2f} final; "
        f"farthest {far.learner} on {far.stream}, {far.measure}{flipped}: {signed(far.deviation or 0.0)}"
    )


def _prepare(ax: Axes, table: Table, *, named: bool) -> None:
    """Make a row for each learner, the first on top."""
    without = table.missing_learners if table.found else ()
    names = [f"{learner}\nno runs" if learner in without else learner for learner in table.learners]
    ax.set(ylim=(len(names) - 0.5, -0.5), yticks=range(len(names)))
    ax.set_yticklabels(names if named else [])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")
    ax.hlines(np.arange(len(names) - 1) + 0.5, 0, 1, palette.FAINT, lw=0.6, transform=ax.get_yaxis_transform())


def _blocks(table: Table, measure: str) -> list[Block]:
    """Return the parts of the table for one measure, one for each share of flipped labels."""
    return [block for block in table.blocks if block.measure == measure]


def _draw_stream(ax: Axes, table: Table, measure: str, column: int) -> None:
    for level, block in enumerate(_blocks(table, measure)):
        for y, row in zip(_heights(table, level), block.rows, strict=True):
            cell = row.cells[column]
            _mark(ax, y, row.learner, level, cell.ours, cell.error, cell.paper)
    # The same for online and final errors of a stream: room for all that is drawn of either.
    cells = [row.cells[column] for block in table.blocks for row in block.rows]
    ours = [cell.ours + side * (cell.error or 0) for cell in cells if cell.ours is not None for side in (-1, 1)]
    low, *_, high = sorted([*ours, *(cell.paper for cell in cells if cell.paper is not None)])
    room = 0.08 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    ax.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10], min_n_ticks=2))


def _draw_ranks(ax: Axes, table: Table, measure: str) -> None:
    for level, block in enumerate(_blocks(table, measure)):
        for y, row in zip(_heights(table, level), block.rows, strict=True):
            _mark(ax, y, row.learner, level, row.rank, None, row.printed_rank)
    ranks = [rank for block in table.blocks for row in block.rows for rank in (row.rank, row.printed_rank) if rank]
    ax.set_xlim(0.6, 0.4 + np.ceil(max(ranks, default=1.0)))
    ax.xaxis.set_major_locator(MultipleLocator(1))


def _heights(table: Table, level: int) -> Floats:
    """Return how high the marks of each learner are: one below the other for shares of flipped labels."""
    levels = len(table.noise)
    return np.arange(len(table.learners), dtype=np.float64) + 0.84 * (level - (levels - 1) / 2) / levels


def _mark(
    ax: Axes, y: float, learner: str, level: int, ours: float | None, error: float | None, printed: float | None
) -> None:
    """Draw ours and the paper's number of one learner, as far as they are there."""
    size = rcParams["lines.markersize"]
    if printed is not None:
        ax.plot(printed, y, ms=2.3 * size, mew=0.2 * size, label=f"{learner}, paper", **_PRINTED)
    if ours is not None:
        bars = {"elinewidth": 0.2 * size, "capsize": 0.4 * size}
        ax.errorbar(ours, y, xerr=error, label=learner, **_ours(palette.series(learner), level), **bars)


def _ours(series: palette.Series, level: int) -> dict[str, Any]:
    """Return the look of a mark of ours: filled at the first share of flipped labels, hollow at the second."""
    size, color = rcParams["lines.markersize"], palette.line_color(series.color, 0.75)
    face = (series.color, palette.PAPER, palette.FAINT)[level % 3]
    shape = {"marker": series.marker, "ms": (1.4 if series.marker == "*" else 1.0) * size, "mew": 0.18 * size}
    return {"color": color, "mfc": face, "ls": "none", "zorder": 3, **shape}


def _explain(picture: Figure, table: Table) -> None:
    """Explain the marks below all panels."""
    size, handles = rcParams["lines.markersize"], []
    for level, noise in enumerate(table.noise if table.found else ()):
        look = _ours(palette.Series(palette.INK, "none", "o"), level)
        handles.append(
            Line2D([], [], **look, label=f"ours, {100 * noise:g} % of labels flipped" if noise else "ours")
        )
    if any(cell.paper is not None for cell in table.cells.values()):
        handles.append(Line2D([], [], ms=2.3 * size, mew=0.2 * size, label="the paper", **_PRINTED))
    if handles:
        picture.legend(handles=handles, loc="outside lower left", ncols=len(handles), columnspacing=1.2)
