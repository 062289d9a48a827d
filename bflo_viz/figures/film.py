"""A network while it learns: means and widths of the weights into a few hidden units, a moment a row."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.first_layer import _borders
from bflo_viz.figures.scenes.film import Film
from bflo_viz.figures.style import look, new_figure, set_alt_text

_GAP = 3  # pixels between pictures
_WIDTH, _SHEET, _EDGE = 9.0, 3.3, 0.75  # inches: all of it, one sheet, and what is above and below the sheets
_SCALE = {"paper": 1.0, "slides": 1.62}


def draw_film(scene: Film, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw means on the left and widths on the right, a moment a row, a unit a column; ``axes``, if given, are two.

    A thin line is around the pixels that were never on, where that is known.
    """
    with look(style):
        if axes is None:
            scale = _SCALE[style]
            tall = _EDGE + _SHEET * len(scene.moments) / len(scene.chosen)
            figure = new_figure(scale * _WIDTH, scale * tall)
            axes = [figure.add_subplot(1, 2, i + 1) for i in range(2)]
        means, widths = axes
        figure = means.get_figure(root=True)  # type: ignore[assignment]
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
    set_alt_text(figure, _in_words(scene))
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
        lines = [line for corner in corners for line in _borders(scene.dark) + corner]
        ax.add_collection(LineCollection(lines, colors=palette.INK, lw=thin))
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=(side - 1) / 2 + step * np.arange(moments))
    ax.tick_params(length=0)
    bar = ax.inset_axes((1.03, 0.0, 0.035, 1.0))
    ax.figure.colorbar(image, cax=bar, label=label)


def _in_words(scene: Film) -> str:
    rows = []
    for moment, mean, std, kept in zip(scene.moments, scene.mean, scene.std, scene.kept, strict=True):
        rows.append(
            f"{moment}: means up to {np.abs(mean).max():.2f} from 0, narrowest width {std.min():.2f}, median "
            f"{np.median(std):.2f}, {kept} pixels with all weights as in the prior"
        )
    dark = "" if scene.dark is None else f" {scene.dark.sum()} pixels were never on; a line is around them."
    names = ", ".join(map(str, scene.chosen))
    return f"""Two sheets of pictures of the weights from pixels into hidden units {names}, a moment a row: means on
        the left, standard deviations ({scene.prior_std:g} in the prior) on the right. {"; ".join(rows)}.{dark}"""
