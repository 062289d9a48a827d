"""A network while it learns: means and widths of the weights into a few hidden units, a moment a row."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.first_layer import borders
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.network import Film

_GAP = 3  # pixels between pictures
_WIDTH, _SHEET, _EDGE = 9.0, 3.3, 0.75  # inches: all of it, one sheet, and what is above and below the sheets


@draws(Film.of)
def draw_film(scene: Film, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw means on the left and widths on the right, a moment a row, a unit a column; ``axes``, if given, are two.

    A thin line is around the pixels that were never on, where that is known.
    """
    tall = _EDGE + _SHEET * len(scene.moments) / len(scene.chosen)
    figure, (means, widths) = panels(axes, (1, 2), (_WIDTH, tall), style)
    most = float(np.abs(scene.mean).max()) or scene.prior_std
    _draw_sheet(means, scene, scene.mean, (palette.AROUND, -most, most), "mean of a weight")
    top = max(float(scene.std.max()), scene.prior_std)
    _draw_sheet(widths, scene, scene.std, (palette.GROWING, 0.0, top), "standard deviation of a weight")
    means.set_yticklabels(scene.moments)
    widths.set_yticklabels([])
    means.set_title("Means, 0 in the prior")
    widths.set_title(f"Widths, {scene.prior_std:g} in the prior")
    if scene.dark is not None:
        widths.set_xlabel("line: around the pixels that were never on", loc="left")
    means.set_xlabel(f"{len(scene.chosen)} of {scene.hidden} hidden units", loc="left")
    return figure


def _draw_sheet(ax: Axes, scene: Film, values: Floats, colors: tuple[str, float, float], label: str) -> None:
    """One picture of many, nothing between them, and a bar that says what the colours mean."""
    moments, units, side, _ = values.shape
    step = side + _GAP
    edge = ((0, 0), (0, 0), (0, _GAP), (0, _GAP))
    sheet = np.pad(values, edge, constant_values=np.nan).swapaxes(1, 2).reshape(moments * step, units * step)
    name, low, high = colors
    image = ax.imshow(sheet[:-_GAP, :-_GAP], cmap=name, vmin=low, vmax=high, interpolation="nearest")
    corners = [np.array([j * step - 0.5, i * step - 0.5]) for i in range(moments) for j in range(units)]
    frame = np.array([[0, 0], [side, 0], [side, side], [0, side], [0, 0]])
    thin = 0.35 * rcParams["lines.linewidth"]
    ax.add_collection(
        LineCollection([frame + corner for corner in corners], colors=palette.FAINT, lw=thin, clip_on=False)
    )
    if scene.dark is not None:
        lines = [line for corner in corners for line in borders(scene.dark) + corner]
        ax.add_collection(LineCollection(lines, colors=palette.INK, lw=thin))
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=(side - 1) / 2 + step * np.arange(moments))
    ax.tick_params(length=0)
    bar = ax.inset_axes((1.03, 0.0, 0.035, 1.0))
    ax.figure.colorbar(image, cax=bar, label=label)
