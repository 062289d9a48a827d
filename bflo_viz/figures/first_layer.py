"""The first layer of a network as pictures: means and widths of the weights into its hidden units."""

import math
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.network import FirstLayer, first_layer

_BESIDE, _ABOVE = 3, 6  # pixels between units: beside each other, and above each for its name


@draws(first_layer)
def draw_first_layer(scene: FirstLayer, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the means and the widths of the weights into each unit; ``axes``, if given, are two.

    A thin line is around the pixels that were never on; where that is not known, around those whose weights are still
    as in the prior.
    """
    figure, (means, widths) = panels(axes, (1, 2), (9.0, 3.9), style)
    if axes is None:
        figure.suptitle(scene.finding(), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
    most = float(np.abs(scene.mean).max()) or scene.prior_std
    _draw_units(means, scene, scene.mean, (palette.AROUND, -most, most), "mean of a weight")
    low, high = float(scene.std.min()), float(scene.std.max())
    low = low if low < high else 0.0
    _draw_units(widths, scene, scene.std, (palette.GROWING, low, high), "standard deviation of a weight")
    means.set_title("Means, 0 in the prior")
    means.set_xlabel(_which(scene), loc="left", labelpad=0.9 * rcParams["font.size"])
    widths.set_title(f"Widths, {scene.prior_std:g} in the prior")
    where = "still at the prior" if scene.dark is None else "never on"
    label = f"line: around the pixels that were {where}"
    widths.set_xlabel(label, loc="left", labelpad=0.9 * rcParams["font.size"])
    return figure


def _draw_units(ax: Axes, scene: FirstLayer, values: Floats, colors: tuple[str, float, float], label: str) -> None:
    """One picture of many, a unit a tile, with its number above it, and a bar that says what the colours mean."""
    units, side, _ = values.shape
    columns = math.ceil(math.sqrt(units))
    rows = math.ceil(units / columns)
    sheet = np.full((rows * (side + _ABOVE), columns * (side + _BESIDE) - _BESIDE), np.nan)
    edges = borders(scene.kept if scene.dark is None else scene.dark)
    lines = []
    for i, picture in enumerate(values):
        top, left = (i // columns) * (side + _ABOVE) + _ABOVE, (i % columns) * (side + _BESIDE)
        sheet[top : top + side, left : left + side] = picture
        lines.append(edges + np.array([left - 0.5, top - 0.5]))
        name = f"unit {scene.chosen[i]}"
        ax.text(left - 0.5, top - 1, name, fontsize=rcParams["xtick.labelsize"], va="baseline")
    map_, low, high = colors
    image = ax.imshow(sheet, cmap=map_, vmin=low, vmax=high, interpolation="nearest")
    ax.add_collection(
        LineCollection(list(np.concatenate(lines)), colors=palette.INK, lw=0.35 * rcParams["lines.linewidth"])
    )
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=[])
    bar = ax.inset_axes((1.03, 0.0, 0.035, 1 - _ABOVE / len(sheet)))  # as high as the tiles
    ticks = [tick for tick in MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= tick <= high]
    ax.figure.colorbar(image, cax=bar, label=label, ticks=ticks)


def borders(inside: NDArray[np.bool_]) -> Floats:
    """Edges of pixels between those inside and those not, shape (n, 2, 2); the frame of the picture is none."""
    down = np.argwhere(inside[:, 1:] != inside[:, :-1])  # the edge on the right of (row, column)
    across = np.argwhere(inside[1:] != inside[:-1])  # the edge below
    upright = [[(column + 1, row), (column + 1, row + 1)] for row, column in down]
    level = [[(column, row + 1), (column + 1, row + 1)] for row, column in across]
    return np.array(upright + level, dtype=float).reshape(-1, 2, 2)


def _which(scene: FirstLayer) -> str:
    chosen = len(scene.chosen)
    some = (
        f"the {chosen} of {scene.hidden} units that learned most" if chosen < scene.hidden else f"all {chosen} units"
    )
    return f"{some}\nafter {scene.about}" if scene.about else some
