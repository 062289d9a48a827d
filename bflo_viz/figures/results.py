"""The paper's tables as pictures: our errors and the printed ones on one axis a stream, and mean ranks."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from bflo_viz._checks import Floats
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.tables import Block, Cell, Row
from bflo_viz.figures import palette
from bflo_viz.figures.scenes.results import Results
from bflo_viz.figures.style import look, new_figure, set_alt_text

# Inches: what is beside and below the panels, and what a panel needs; the rest of a slide is for larger letters.
_EDGE, _PANEL = (0.9, 1.45), (1.45, 0.42)
_SCALE = {"paper": 1.0, "slides": 1.62}
_LETTERS = 12.5  # of a title that fit into an inch of paper
_FEW = 12  # numbers that can be said one by one
_MARGIN = 0.08  # of an axis, on either side of what is on it


def draw_results(scene: Results, *, axes: Sequence[Any] | None = None, style: str = "paper") -> Figure:
    """Draw errors with a learner a row: ours as a dot with its standard error, the paper's as an upright stroke.

    ``axes``, if given, are as many as there are panels, row by row: online errors above, final ones below, a stream a
    column, and mean ranks last if there is more than one stream.
    """
    streams = scene.table.streams
    columns = len(streams) + scene.has_ranks
    with look(style):
        if axes is None:
            figure = new_figure(*_size(scene, columns, style))
            axes = [figure.add_subplot(len(MEASURES), columns, i + 1) for i in range(len(MEASURES) * columns)]
            letters = int(_LETTERS * figure.get_figwidth() / _SCALE[style])
            figure.suptitle(_title(scene, letters), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
            _explain(figure, scene)
        grid = _grid(axes, columns)
        figure = grid[0, 0].get_figure(root=True)
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
    set_alt_text(figure, _in_words(scene))
    assert isinstance(figure, Figure)
    return figure


def _size(scene: Results, columns: int, style: str) -> tuple[float, float]:
    tall = len(MEASURES) * len(scene.table.learners) * _PANEL[1] * (1.0 if len(scene.noise) > 1 else 0.75)
    wide = max(columns * _PANEL[0], 6.6)
    return _SCALE[style] * (_EDGE[0] + wide), _SCALE[style] * (_EDGE[1] + tall)


def _grid(axes: Sequence[Any], columns: int) -> Any:
    flat = np.asarray(axes, dtype=object).ravel()
    if flat.size != len(MEASURES) * columns:
        raise ValueError(f"axes must be {len(MEASURES)} rows of {columns}, but there are {flat.size} axes.")
    return flat.reshape(len(MEASURES), columns)


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
    found = [cell.paper for cell in cells if cell.paper is not None]
    for cell in cells:
        if cell.ours is not None:
            found += [cell.ours - (cell.error or 0.0), cell.ours + (cell.error or 0.0)]
    low, high = min(found), max(found)
    room = _MARGIN * (high - low) or 1.0
    return low - room, high + room


def _explain(figure: Figure, scene: Results) -> None:
    """What the marks mean, below all panels."""
    handles = []
    for noise in scene.noise if scene.runs[1] else ():
        dot = _ours(palette.Series(palette.INK, "none", "o"), _level(scene, noise))
        flipped = f", {_percent(noise)} of labels flipped" if len(scene.table.noise) > 1 else ""
        handles.append(Line2D([], [], **dot, label=f"ours{flipped}"))
    if scene.has_paper:
        handles.append(Line2D([], [], **_printed(), label="the paper"))
    if scene.has_ranks and scene.ranks_that_differ:
        here = " of what is here" if scene.is_partial else ""
        name = f"rank by the paper's errors{here}, where not as printed"
        handles.append(Line2D([], [], **{**_by_errors(), "label": name}))
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=len(handles), columnspacing=1.2)


def _title(scene: Results, letters: int) -> str:
    """What there is to see, by the numbers; then what it is; lines with at most so many letters."""
    return "\n".join(_broken(words, letters) for words in (_finding(scene), _what(scene)))


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


def _what(scene: Results) -> str:
    missing = len(scene.missing_streams) if scene.is_partial else 0
    rest = f"; {missing} of {len(scene.table.streams)} streams missing" if missing else ""
    return f"{scene.table.title}{_runs(scene)}{rest}"


def _finding(scene: Results) -> str:
    if not scene.runs[1]:
        return f"No results are here: {scene.command} makes them"
    online, final = (scene.mean_deviation(measure) for measure in MEASURES)
    far = scene.farthest
    if online is None or final is None or far is None:
        best = (f"{measure} {' and '.join(scene.leaders(measure, scene.noise[0]))}" for measure in MEASURES)
        return f"Best: {', '.join(best)}; the paper has no numbers for these streams"
    where = f"{far.learner} on {far.stream}, {far.measure}{_flipped(scene, far.noise)}"
    return (
        f"On average {online:.2f} points from the printed errors online, {final:.2f} final; "
        f"farthest {where}: {_signed(far.value)}"
    )


def _runs(scene: Results) -> str:
    fewest, most = scene.runs
    if most <= 1:
        return "; one run" if most else ""
    return f"; mean ± standard error of {most if fewest == most else f'{fewest} to {most}'} runs"


def _flipped(scene: Results, noise: float) -> str:
    """The share of flipped labels, where there is more than one."""
    return f", {_percent(noise)} flipped" if len(scene.table.noise) > 1 else ""


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def _in_words(scene: Results) -> str:
    table = scene.table
    ranks = " and mean ranks last" if scene.has_ranks else ""
    stroke = ", an upright stroke the paper's" if scene.has_paper else ""
    missing = (*scene.missing_streams, *table.missing_learners)
    rest = f" Missing: {', '.join(missing)}; {scene.command} makes them." if scene.is_partial else ""
    return f"""Errors in percent of {", ".join(table.learners)}, a learner a row, on {", ".join(table.streams)}, a
        stream a column{ranks}; online errors above, final ones below. A dot is ours{stroke}.
        {_finding(scene)}. {_what(scene)}.{rest}
        {" ".join(_block_in_words(scene, block) for block in scene.blocks)}"""


def _block_in_words(scene: Results, block: Block) -> str:
    """Every number of a small table, the best of each stream of a large one; and mean ranks."""
    small = len(block.rows) * len(block.streams) <= _FEW
    streams = []
    for place, stream in enumerate(block.streams):
        column = {row.learner: row.cells[place] for row in block.rows}
        if all(cell.ours is None for cell in column.values()):
            continue
        streams.append(f"{stream} {_every(column) if small else _best(column)}")
    name = f"{block.measure}{_flipped(scene, block.noise)}".capitalize()
    what = "" if small else "least on "
    ranks = ", ".join(filter(None, map(_rank_in_words, block.rows)))
    return f"{name}: {what + '; '.join(streams) if streams else 'no runs'}." + (
        f" Mean ranks: {ranks}." if ranks else ""
    )


def _every(column: Mapping[str, Cell]) -> str:
    return ", ".join(
        f"{learner} {cell.ours:.1f}" + ("" if cell.paper is None else f" (paper {cell.paper:.1f})")
        for learner, cell in column.items()
        if cell.ours is not None
    )


def _best(column: Mapping[str, Cell]) -> str:
    """Who errs least, here and in the paper."""
    ours = {learner: cell.ours for learner, cell in column.items() if cell.ours is not None}
    printed = {learner: cell.paper for learner, cell in column.items() if cell.paper is not None}
    said = [f"{' and '.join(who)} {least:.1f}" for who, least in map(_least, filter(None, (ours, printed)))]
    return said[0] + (f" (paper {said[1]})" if printed else "")


def _least(errors: Mapping[str, float]) -> tuple[list[str], float]:
    least = min(errors.values())
    return [learner for learner, error in errors.items() if error == least], least


def _rank_in_words(row: Row) -> str:
    said = [] if row.printed_rank is None else [f"paper {row.printed_rank:.1f}"]
    if row.rank_differs:
        said.append(f"{row.recomputed_rank:.1f} by its errors")
    ours = "" if row.rank is None else f" {row.rank:.1f}"
    return f"{row.learner}{ours}" + (f" ({', '.join(said)})" if said else "") if ours or said else ""
