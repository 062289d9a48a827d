"""The first layer of a network as pictures: means and widths of the weights into its hidden units."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.scenes.first_layer import FirstLayer
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (9.0, 3.9), "slides": (15.0, 6.5)}
_BESIDE, _ABOVE = 3, 6  # pixels between units: beside each other, and above each for its name


def draw_first_layer(scene: FirstLayer, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw the means and the widths of the weights into each unit; ``axes``, if given, are two.

    A thin line is around the pixels that were never on; where that is not known, around those whose weights are still
    as in the prior.
    """
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style])
            axes = [figure.add_subplot(1, 2, i + 1) for i in range(2)]
            figure.suptitle(_title(scene), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
        means, widths = axes
        figure = means.get_figure(root=True)  # type: ignore[assignment]
        most = float(np.abs(scene.mean).max()) or scene.prior_std
        _draw_units(means, scene, scene.mean, (palette.AROUND, -most, most), "mean of a weight")
        low, high = float(scene.std.min()), float(scene.std.max())
        low = low if low < high else 0.0
        _draw_units(widths, scene, scene.std, (palette.GROWING, low, high), "standard deviation of a weight")
        means.set_title("Means, 0 in the prior")
        means.set_xlabel(_which(scene), loc="left", labelpad=0.9 * rcParams["font.size"])
        widths.set_title(f"Widths, {scene.prior_std:g} in the prior")
        widths.set_xlabel(_line(scene), loc="left", labelpad=0.9 * rcParams["font.size"])
    set_alt_text(figure, _in_words(scene))
    return figure


def _draw_units(ax: Axes, scene: FirstLayer, values: Floats, colors: tuple[str, float, float], label: str) -> None:
    """One picture of many, a unit a tile, with its number above it, and a bar that says what the colours mean."""
    units, side, _ = values.shape
    columns = math.ceil(math.sqrt(units))
    rows = math.ceil(units / columns)
    sheet = np.full((rows * (side + _ABOVE), columns * (side + _BESIDE) - _BESIDE), np.nan)
    borders = _borders(scene.kept if scene.dark is None else scene.dark)
    lines = []
    for i, picture in enumerate(values):
        top, left = (i // columns) * (side + _ABOVE) + _ABOVE, (i % columns) * (side + _BESIDE)
        sheet[top : top + side, left : left + side] = picture
        lines.append(borders + np.array([left - 0.5, top - 0.5]))
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


def _borders(inside: NDArray[np.bool_]) -> Floats:
    """Edges of pixels between those inside and those not, shape (n, 2, 2); the frame of the picture is none."""
    down = np.argwhere(inside[:, 1:] != inside[:, :-1])  # the edge on the right of (row, column)
    across = np.argwhere(inside[1:] != inside[:-1])  # the edge below
    upright = [[(column + 1, row), (column + 1, row + 1)] for row, column in down]
    level = [[(column, row + 1), (column + 1, row + 1)] for row, column in across]
    return np.array(upright + level, dtype=float).reshape(-1, 2, 2)


def _title(scene: FirstLayer) -> str:
    if scene.dark_kept_the_prior:
        assert scene.dark is not None
        return (
            f"The {scene.dark.sum()} pixels that were never on teach nothing: their weights keep the prior's mean 0 "
            f"and width {scene.prior_std:g}"
        )
    kept = int(scene.kept.sum())
    if not kept:
        return f"No pixel has kept all its weights at the prior's mean 0 and width {scene.prior_std:g}"
    return f"The weights of {kept} pixels are still at the prior's mean 0 and width {scene.prior_std:g}"


def _which(scene: FirstLayer) -> str:
    chosen = len(scene.chosen)
    some = (
        f"the {chosen} of {scene.hidden} units that learned most" if chosen < scene.hidden else f"all {chosen} units"
    )
    return f"{some}\nafter {scene.about}" if scene.about else some


def _line(scene: FirstLayer) -> str:
    where = "still at the prior" if scene.dark is None else "never on"
    return f"line: around the pixels that were {where}"


def _in_words(scene: FirstLayer) -> str:
    after = f" after {scene.about}" if scene.about else ""
    names = ", ".join(map(str, scene.chosen))
    moved = ~scene.kept
    mean_inside = scene.std[:, moved].mean() if moved.any() else scene.prior_std
    side, least = scene.kept.shape[0], f"{scene.mean.min():.2f}".replace("-", "−")
    return f"""Two sheets of {side} by {side} pixel pictures, one a hidden unit: the weights into
        {len(scene.chosen)} of {scene.hidden} units{after}. They are units {names}, from {scene.learned[0]:.0f} to
        {scene.learned[-1]:.0f} nats from the prior. Left: means, from {least} to
        {scene.mean.max():.2f} around the prior's 0. Right: standard deviations, from {scene.std.min():.2f} to
        {scene.std.max():.2f}; on average {mean_inside:.2f} where weights have moved. {_title(scene)};
        {scene.kept.sum()} of {side * side} pixels have all weights as in the prior."""
