"""The paper's tables as pictures, and the curves of kept runs: our errors beside the printed ones."""

import textwrap
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator, StrMethodFormatter

from bflo_viz._checks import Floats
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, name_ends, series_for
from bflo_viz.figures.old_style import SCALE, draws, new_figure, new_panels
from bflo_viz.scenes.result_tables import Results, percent, results
from bflo_viz.scenes.runs import FALLEN, STAYS, KeptRuns, kept_runs

# Inches: what is beside and below the panels, and what a panel needs; the rest of a slide is for larger letters.
_EDGE, _PANEL = (0.9, 1.45), (1.6, 0.5)
_LETTERS = 12.5  # of a title that fit into an inch of paper
_PRINTED: dict[str, Any] = {"color": palette.INK, "marker": "|", "ls": "none", "zorder": 2}
_RING: dict[str, Any] = {"color": palette.INK, "marker": "o", "mfc": "none", "ls": "none", "mew": 0.7, "zorder": 1.5}


@draws(results)
def draw_results(scene: Results, *, style: str = "paper") -> Figure:
    """Draw errors with a row for each learner: ours with its standard error, the paper's as an upright stroke.

    Online errors are above, final ones below, with a column for each stream; mean ranks are last if there is more
    than one stream.
    """
    streams = scene.table.streams
    columns = len(streams) + scene.has_ranks
    tall = len(MEASURES) * len(scene.table.learners) * _PANEL[1] * (1.0 if len(scene.table.noise) > 1 else 0.75)
    wide = _EDGE[0] + max(columns * _PANEL[0], 6.6)
    figure, places = new_panels((len(MEASURES), columns), (wide, _EDGE[1] + tall), style)
    lines = [textwrap.fill(words, int(_LETTERS * wide)) for words in (scene.finding(), scene.about())]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
    _explain(figure, scene)
    grid = [places[:columns], places[columns:]]
    for measure, row in zip(MEASURES, grid, strict=True):
        for j, ax in enumerate(row):
            _prepare(ax, scene, named=j == 0)
            if j == len(streams):
                _draw_ranks(ax, scene, measure)
            elif streams[j] in scene.table.missing_streams:
                _say_missing(ax, scene)
            else:
                _draw_stream(ax, scene, measure, j)
        row[0].set_ylabel(f"{measure} error")
    for j, title in enumerate((*streams, "mean rank")[:columns]):
        grid[0][j].set_title(title)
        if title not in scene.table.missing_streams:
            grid[1][j].set_xlabel("1 is best" if j == len(streams) else "error (%)")
    figure.align_labels()
    return figure


def _prepare(ax: Axes, scene: Results, *, named: bool) -> None:
    """A row for each learner, the first on top."""
    learners = scene.table.learners
    without = scene.table.missing_learners if scene.table.found else ()
    names = [f"{learner}\nno runs" if learner in without else learner for learner in learners]
    ax.set(ylim=(len(learners) - 0.5, -0.5), yticks=range(len(learners)))
    ax.set_yticklabels(names if named else [])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")
    ax.hlines(np.arange(len(learners) - 1) + 0.5, 0, 1, palette.FAINT, lw=0.6, transform=ax.get_yaxis_transform())


def _say_missing(ax: Axes, scene: Results) -> None:
    ax.set_xticks([])
    words = f"missing:\n{textwrap.fill(scene.command, 18, break_on_hyphens=False)}\nmakes it"
    look: dict[str, Any] = {"fontsize": rcParams["xtick.labelsize"], "backgroundcolor": palette.PAPER}
    ax.text(0.5, 0.5, words, transform=ax.transAxes, ha="center", va="center", **look)


def _draw_stream(ax: Axes, scene: Results, measure: str, place: int) -> None:
    for noise in scene.table.noise:
        for y, row in zip(_heights(scene, noise), scene.block(measure, noise).rows, strict=True):
            cell = row.cells[place]
            _mark(ax, y, row.learner, _level(scene, noise), cell.ours, cell.error, cell.paper)
    # The same for online and final errors of a stream: room for all that is drawn of either.
    shown = [x for block in scene.table.blocks for row in block.rows for x in row.cells[place].ends]
    room = 0.08 * (max(shown) - min(shown)) or 1.0
    ax.set_xlim(min(shown) - room, max(shown) + room)
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10], min_n_ticks=3))


def _draw_ranks(ax: Axes, scene: Results, measure: str) -> None:
    size = rcParams["lines.markersize"]
    for noise in scene.table.noise:
        for y, row in zip(_heights(scene, noise), scene.block(measure, noise).rows, strict=True):
            _mark(ax, y, row.learner, _level(scene, noise), row.rank, None, row.printed_rank)
            if row.rank_differs and row.recomputed_rank is not None:
                ax.plot(row.recomputed_rank, y, ms=2 * size, label="by the paper's errors", **_RING)
    ax.set_xlim(0.6, scene.worst_rank + 0.4)
    ax.xaxis.set_major_locator(MultipleLocator(1))


def _heights(scene: Results, noise: float) -> Floats:
    """How high the marks of each learner are: one below the other for shares of flipped labels."""
    levels = len(scene.table.noise)
    middle = scene.table.noise.index(noise) - (levels - 1) / 2
    return np.arange(len(scene.table.learners), dtype=np.float64) + 0.84 * middle / levels


def _level(scene: Results, noise: float) -> int:
    """Which of the shares of flipped labels of the table it is: a mark always means the same."""
    return scene.levels.index(noise)


def _mark(
    ax: Axes, y: float, learner: str, level: int, ours: float | None, error: float | None, printed: float | None
) -> None:
    """Ours and the paper's number of one learner, as far as they are there."""
    size = rcParams["lines.markersize"]
    if printed is not None:
        ax.plot(printed, y, ms=2.3 * size, mew=0.2 * size, label=f"{learner}, paper", **_PRINTED)
    if ours is not None:
        bars = {"elinewidth": 0.2 * size, "capsize": 0.4 * size}
        ax.errorbar(ours, y, xerr=error, label=learner, **_ours(palette.series(learner), level), **bars)


def _ours(series: palette.Series, level: int) -> dict[str, Any]:
    """How a mark of ours looks: filled at the first share of flipped labels, hollow at the second."""
    size = rcParams["lines.markersize"]
    face = (series.color, palette.PAPER, palette.FAINT)[level % 3]
    look = {
        "color": palette.line_color(series.color),
        "mfc": face,
        "marker": series.marker,
        "ls": "none",
        "zorder": 3,
    }
    return look | {"ms": (1.4 if series.marker == "*" else 1.0) * size, "mew": 0.18 * size}


def _explain(figure: Figure, scene: Results) -> None:
    """What the marks mean, below all panels."""
    size, handles = rcParams["lines.markersize"], []
    for noise in scene.table.noise if scene.table.found else ():
        look = _ours(palette.Series(palette.INK, "none", "o"), _level(scene, noise))
        flipped = f", {percent(noise)} of labels flipped" if len(scene.levels) > 1 else ""
        handles.append(Line2D([], [], **look, label=f"ours{flipped}"))
    if scene.has_paper:
        handles.append(Line2D([], [], ms=2.3 * size, mew=0.2 * size, label="the paper", **_PRINTED))
    if scene.has_ranks and any(row.rank_differs for block in scene.table.blocks for row in block.rows):
        name = f"rank by the paper's errors{' of what is here' if scene.missing else ''}, where not as printed"
        handles.append(Line2D([], [], ms=2 * size, label=name, **_RING))
    if handles:
        figure.legend(handles=handles, loc="outside lower left", ncols=len(handles), columnspacing=1.2)


@draws(kept_runs)
def draw_kept_runs(scene: KeptRuns, *, style: str = "paper") -> Figure:
    """Draw what is kept of some learners in one place; where nothing is, say what makes it."""
    figure = new_figure(9.6 * SCALE[style], 4.8 * SCALE[style])
    figure.suptitle(scene.heading, x=0.01, ha="left", size=rcParams["axes.titlesize"])
    if scene.message:
        figure.text(0.5, 0.5, scene.message.replace(": ", ":\n", 1), ha="center", va="center")
        return figure
    axes = figure.subplot_mosaic([["mistakes", "final"], ["mistakes", "entropy"]], width_ratios=(1.25, 1))
    mistakes, entropy = axes["mistakes"], axes["entropy"]
    limits = scene.limits
    _draw_final(axes["final"], scene)
    collapsed: list[str] = []
    for name, look in series_for(scene.shown).items():
        curve, thin = scene.shown[name].curve, look._replace(color=palette.line_color(look.color))
        if curve is not None:
            _draw_curve(mistakes, curve.ends, curve.mistakes, curve.mistakes_error, name, thin)
            _draw_curve(entropy, curve.entropy_rounds, curve.entropy, curve.entropy_error, name, thin)
            if curve.collapse is not None and "entropy" in limits:
                fallen: dict[str, Any] = {"ms": 1.6 * rcParams["lines.markersize"], "color": thin.color}
                entropy.plot([curve.collapse], limits["entropy"][:1], "v", clip_on=False, label="_collapse", **fallen)
                collapsed.append(FALLEN.format(name=name, round=f"{curve.collapse:,.0f}"))
    if collapsed and not any(shown.entropy_is_seen for shown in scene.shown.values()):
        words = "\n\n".join([*collapsed, STAYS])
        wrapped = "\n".join(textwrap.fill(part, 44) for part in words.split("\n"))
        entropy.text(0.5, 0.5, wrapped, transform=entropy.transAxes, ha="center", va="center")
        entropy.tick_params(left=False, labelleft=False)
    elif collapsed:
        small: dict[str, Any] = {"fontsize": rcParams["xtick.labelsize"], "ha": "right", "va": "top"}
        lines = [textwrap.fill(words, 38) for words in collapsed]
        entropy.text(0.98, 0.97, "\n".join(["▼", *lines]).replace("\n", " ", 1), transform=entropy.transAxes, **small)
    mistakes.set(title="Mistakes in a block of rounds (%)", ylim=limits["mistakes"])
    entropy.set(title="Entropy of the belief (nats)", ylim=limits.get("entropy"))
    for ax in (mistakes, entropy):
        ax.set(xlabel="round", xlim=limits["rounds"])
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.locator_params(axis="x", nbins=4)
    name_ends([mistakes, entropy])
    return figure


def _draw_curve(ax: Axes, x: Floats, middle: Floats, error: Floats, name: str, look: palette.Series) -> None:
    """A curve with its band, as far as it is finite."""
    finite = np.isfinite(middle)
    if finite.any():
        x, middle, error = x[finite], middle[finite], error[finite]
        draw_band(ax, x, middle, middle - error, middle + error, name, look)
        ax.get_lines()[-1].set_clip_on(False)  # its last mark is at the edge


def _draw_final(ax: Axes, scene: KeptRuns) -> None:
    """Final errors: a mark is ours, with its standard error, a stroke the paper's."""
    for row, (name, shown) in enumerate(scene.shown.items()):
        if shown.final is not None:
            _mark(ax, row, name, 0, shown.final.ours, shown.final.error, shown.final.paper)
    ax.set(xlim=scene.limits.get("final"), ylim=(len(scene.shown) - 0.5, -0.5))
    ax.set_yticks(range(len(scene.shown)), list(scene.shown))
    has_paper = any(shown.final is not None and shown.final.paper is not None for shown in scene.shown.values())
    ax.set_title(f"Final error (%){': marks ours, strokes the paper’s' if has_paper else ', ± standard error'}")
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=palette.FAINT, lw=0.5, ls=":")
