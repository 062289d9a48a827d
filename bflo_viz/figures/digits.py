"""Digits plain, on noise and on photographs: a contact sheet (the data of the paper's Table 2)."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bflo_viz.figures.scenes.digits import Digits
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (8.4, 4.95), "slides": (13.4, 7.9)}
_GAP = 2  # pixels between digits


def draw_digits(scene: Digits, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw the three sets side by side, a class a row; ``axes``, if given, are three."""
    sets = {
        "PLAIN": scene.plain,
        "RANDOM: on uniform noise": scene.random,
        "IMAGES: on photographs": scene.images,
    }
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style])
            axes = [figure.add_subplot(1, 3, i + 1) for i in range(3)]
            figure.suptitle(scene.about, x=0.01, ha="left")
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for ax, (title, pictures) in zip(axes, sets.items(), strict=True):
            _draw_sheet(ax, pictures)
            ax.set(title=title, xlabel=f"mean grey {pictures.mean():.0f} of 255")
        axes[0].set_ylabel("digit")
    set_alt_text(figure, _in_words(scene))
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


def _in_words(scene: Digits) -> str:
    means = [pictures.mean() for pictures in (scene.plain, scene.random, scene.images)]
    return f"""Three sheets with the same {scene.plain.shape[1]} examples of each digit from 0 to 9, a digit a row.
        {scene.about}. Left, PLAIN: white on black, mean grey {means[0]:.0f} of 255. Middle, RANDOM: each digit is on
        uniform noise, joined by the pixel-wise maximum, mean grey {means[1]:.0f}; the strokes are hard to see. Right,
        IMAGES: on patches of {scene.behind}, mean grey {means[2]:.0f}; digits vanish where a patch is bright."""
