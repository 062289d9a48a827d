"""Digits plain, on noise and on photographs: a contact sheet (the data of the paper's Table 2)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.digit_sheets import Digits, digits

_GAP = 2  # pixels between digits


@draws(digits)
def draw_digits(scene: Digits, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the three sets side by side, a class a row; ``axes``, if given, are three."""
    sets = {
        "PLAIN": scene.plain,
        "RANDOM: on uniform noise": scene.random,
        "IMAGES: on photographs": scene.images,
    }
    figure, places = panels(axes, (1, 3), (8.4, 4.95), style)
    if axes is None:
        figure.suptitle(scene.about, x=0.01, ha="left")
    for ax, (title, pictures) in zip(places, sets.items(), strict=True):
        _draw_sheet(ax, pictures)
        ax.set(title=title, xlabel=f"mean grey {pictures.mean():.0f} of 255")
    places[0].set_ylabel("digit")
    return figure


def _draw_sheet(ax: Axes, pictures: NDArray[np.uint8]) -> None:
    """One picture of many, white between them."""
    classes, _, side, _ = pictures.shape
    edge = ((0, 0), (0, 0), (0, _GAP), (0, _GAP))
    sheet = np.pad(pictures, edge, constant_values=255).swapaxes(1, 2)
    sheet = sheet.reshape(classes * (side + _GAP), -1)[:-_GAP, :-_GAP]
    ax.imshow(sheet, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=(side - 1) / 2 + (side + _GAP) * np.arange(classes), yticklabels=range(classes))
    ax.tick_params(length=0)
