"""A table by one combination of options, as cells coloured by their distance from the printed numbers."""

import math
import textwrap
from typing import Any

from matplotlib import colormaps, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bflo_viz.experiments.tables import Block
from bflo_viz.figures import palette
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.scenes.base import number, signed
from bflo_viz.scenes.workbench import FITTING, FULL, ORDERS, Combination, combination, heading

_CELL = (0.76, 0.4)  # inches
_LETTERS = 12.5  # of a title that fit into an inch


@draws(combination)
def draw_combination(scene: Combination, *, style: str = "paper") -> Figure:
    """Draw the table: in each cell our number minus the printed one, and both; violet is above, orange below."""
    table = scene.table
    columns = 2
    rows = math.ceil(len(table.blocks) / columns)
    wide = columns * _CELL[0] * (len(table.streams) + 2.1)
    tall = rows * (_CELL[1] * len(table.learners) + 0.72) + 0.9
    figure, panels = new_panels((rows, columns), (wide, tall), style)
    chosen = "; ".join(f"{label}: {option}" for label, option in scene.options.items())
    lines = [textwrap.fill(words, int(_LETTERS * wide)) for words in (f"{scene.finding()}.", f"{chosen}.")]
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
    below = f"In a cell: ours minus the printed number, in points; ours | printed. {FITTING}"
    small = rcParams["xtick.labelsize"]
    figure.supxlabel(textwrap.fill(below, int(_LETTERS * wide)), x=0.01, ha="left", fontsize=small)
    for ax, block in zip(panels, _across(scene), strict=True):
        _draw_block(ax, block)
        ax.set_title(heading(table, block))
        ax.set_xlabel(ORDERS.get(block.rank_order or "", ""), fontsize=small)
    return figure


def _across(scene: Combination) -> list[Block]:
    """Online errors on the left, final ones on the right."""
    blocks = scene.table.blocks
    half = len(blocks) // 2
    return [block for pair in zip(blocks[:half], blocks[half:], strict=True) for block in pair]


def _draw_block(ax: Axes, block: Block) -> None:
    ax.set(xlim=(0, len(block.streams) + 1), ylim=(len(block.rows), 0))
    ax.set_xticks([0.5 + x for x in range(len(block.streams) + 1)], [*block.streams, "rank"])
    ax.set_yticks([0.5 + y for y in range(len(block.rows))], [row.learner for row in block.rows])
    ax.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False, pad=2)
    ax.spines[:].set_visible(False)
    for y, row in enumerate(block.rows):
        for x, cell in enumerate(row.cells):
            deviation = cell.deviation
            ours = "–" if cell.ours is None else f"{cell.ours:.2f}"
            _draw_cell(ax, x, y, deviation)
            big = "not run" if deviation is None else signed(deviation)
            _write(ax, x, y, big, ours if cell.paper is None else f"{ours} | {cell.paper:.2f}")
        rank = "–" if row.rank is None else number(row.rank)
        _write(ax, len(row.cells), y, rank, "" if row.printed_rank is None else f"| {row.printed_rank:.1f}")


def _draw_cell(ax: Axes, x: float, y: float, deviation: float | None) -> None:
    look: dict[str, Any] = {"facecolor": palette.PAPER, "hatch": "///", "edgecolor": palette.FAINT, "lw": 0}
    if deviation is not None:
        # Half of the colour map at most: dark letters can be read on it.
        place = math.copysign(math.sqrt(min(1.0, abs(deviation) / FULL)), deviation)
        look = {"facecolor": colormaps[palette.AROUND](0.5 + 0.25 * place), "edgecolor": palette.PAPER, "lw": 2}
    ax.add_patch(Rectangle((x, y), 1, 1, **look))


def _write(ax: Axes, x: float, y: float, big: str, small: str) -> None:
    size = rcParams["xtick.labelsize"]
    ax.text(x + 0.5, y + 0.34, big, ha="center", va="center", weight="bold", fontsize=size)
    ax.text(x + 0.5, y + 0.72, small, ha="center", va="center", fontsize=0.85 * size)
