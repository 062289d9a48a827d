"""Pictures of digits and of a network that learns them: its first layer, its hidden units, what drawn weights say."""

import math
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, new_panels
from bflo_viz.scenes.network import (
    Activity,
    Digits,
    Film,
    FirstLayer,
    Opinions,
    activity,
    constant_share,
    digits,
    first_layer,
)


@draws(digits)
def draw_digits(scene: Digits, *, style: str = "paper") -> Figure:
    """Draw the three sets side by side, one row for each class."""
    sets = {"PLAIN": scene.plain, "RANDOM: on uniform noise": scene.random, "IMAGES: on photographs": scene.images}
    figure, places = new_panels((1, 3), (8.4, 4.95), style)
    figure.suptitle(scene.about, x=0.01, ha="left")
    for ax, (title, pictures) in zip(places, sets.items(), strict=True):
        ax.imshow(_sheet(pictures, 2, 2, 255), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        _name_rows(ax, range(10), pictures.shape[2], 2)
        ax.set(title=title, xlabel=f"mean grey {pictures.mean():.0f} of 255")
    places[0].set_ylabel("digit")
    return figure


@draws(first_layer)
def draw_first_layer(scene: FirstLayer, *, style: str = "paper") -> Figure:
    """Draw the means and the widths of the weights into each unit.

    A thin line parts the pixels that were never on from the others; where these are not known, those whose weights
    are still as in the prior.
    """
    figure, axes = new_panels((1, 2), (9.0, 3.9), style)
    figure.suptitle(scene.finding(), x=0.01, ha="left", fontsize=rcParams["axes.titlesize"])
    units, side = len(scene.chosen), scene.mean.shape[1]
    columns = math.ceil(math.sqrt(units))
    shape = (math.ceil(units / columns), columns, side, side)
    above = max(3, side // 4)  # pixels, for the name of a unit
    tiles = []
    for values in (scene.mean, scene.std):
        tiles.append(np.full(shape, np.nan))
        tiles[-1].reshape(-1, side, side)[:units] = values
    low = float(scene.std.min())
    _draw_beliefs(axes, scene, tiles, above, low if low < scene.std.max() else 0.0)
    for ax in axes:
        for i, unit in enumerate(scene.chosen):
            x, y = i % columns * (side + 3) - 0.5, i // columns * (side + above) - 1
            ax.text(x, y, f"unit {unit}", fontsize=rcParams["xtick.labelsize"], va="baseline")
    some = f"the {units} of {scene.hidden} units that learned most"
    label = some if units < scene.hidden else f"all {units} units"
    label += f"\nafter {scene.about}" if scene.about else ""
    axes[0].set_xlabel(label, loc="left", labelpad=0.9 * rcParams["font.size"])
    return figure


@draws(Film.of)
def draw_film(scene: Film, *, style: str = "paper") -> Figure:
    """Draw means on the left and widths on the right: a row for each moment, a column for each unit.

    A thin line parts the pixels that were never on from the others, where they are known.
    """
    layers = list(scene.layers.values())
    units, moments = len(layers[-1].chosen), len(layers)
    figure, axes = new_panels((1, 2), (9.0, 0.75 + 3.3 * moments / units), style)
    tiles = [np.stack([layer.mean for layer in layers]), np.stack([layer.std for layer in layers])]
    _draw_beliefs(axes, layers[-1], tiles, 3, 0.0)
    for ax, names in zip(axes, (list(scene.layers), [""] * moments), strict=True):
        _name_rows(ax, names, tiles[0].shape[2], 3)
    axes[0].set_xlabel(f"{units} of {layers[-1].hidden} hidden units", loc="left")
    return figure


def _draw_beliefs(axes: list[Axes], layer: FirstLayer, tiles: list[Floats], gap: int, low: float) -> None:
    """Draw means and widths as sheets of tiles, each with a bar for its colours and a line around some pixels."""
    most, top = (float(np.nanmax(np.abs(values))) for values in tiles)
    colors = (palette.AROUND, -(most or 1.0), most or 1.0), (palette.GROWING, low, max(top, layer.prior_std))
    labels = "mean of a weight", "standard deviation of a weight"
    outline = layer.kept if layer.dark is None else layer.dark
    for ax, values, (name, least, greatest), label in zip(axes, tiles, colors, labels, strict=True):
        sheet = _sheet(values, gap, 3, np.nan)
        image = ax.imshow(sheet, cmap=name, vmin=least, vmax=greatest, interpolation="nearest")
        if outline.any() and not outline.all():
            inside = _sheet(np.where(np.isnan(values), np.nan, outline), gap, 3, np.nan)
            ax.contour(inside, [0.5], colors=palette.INK, linewidths=0.6 * rcParams["lines.linewidth"])
            inner = "left the prior" if layer.dark is None else "were on at least once"
            axes[1].set_xlabel(f"inside the line: pixels that {inner}", loc="left")
        ax.spines[:].set_visible(False)
        ax.set(xticks=[], yticks=[], xlim=(-0.5, len(sheet[0]) - 0.5), ylim=(len(sheet) - 0.5, -gap))
        ax.figure.colorbar(image, ax=ax, label=label, fraction=0.05, shrink=0.9)
    axes[0].set_title("Means, 0 in the prior")
    axes[1].set_title(f"Widths, {layer.prior_std:g} in the prior")


def _sheet(tiles: NDArray[Any], down: int, across: int, between: float) -> NDArray[Any]:
    """One picture of tiles of shape (row, column, side, side), with so many pixels between them."""
    rows, columns, side, _ = tiles.shape
    padded = np.pad(tiles, ((0, 0), (0, 0), (0, down), (0, across)), constant_values=between)
    return padded.swapaxes(1, 2).reshape(rows * (side + down), columns * (side + across))[:-down, :-across]


def _name_rows(ax: Axes, names: Any, side: int, gap: int) -> None:
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=(side - 1) / 2 + (side + gap) * np.arange(len(names)), yticklabels=names)
    ax.tick_params(length=0)


@draws(activity)
def draw_activity(scene: Activity, *, style: str = "paper") -> Figure:
    """Draw activities by their names, one panel each; units are in the order of their mean.

    A unit that does the same for every picture is an upright stripe.
    """
    count = len(scene.panels)
    figure, places = new_panels((1, count), (3.0 * count + 0.6, 3.3), style)
    for ax, (name, rows) in zip(places, scene.panels.items(), strict=True):
        order = np.argsort(rows.mean(axis=0), kind="stable")
        shown: dict[str, Any] = {"cmap": palette.GROWING, "aspect": "auto", "interpolation": "nearest"}
        image = ax.imshow(rows[:, order], vmin=0, vmax=1, **shown)
        ax.set(title=f"{name}\n{constant_share(rows):.0%} of units constant", xticks=[], yticks=[])
        ax.set_xlabel("hidden units, by their mean")
    places[0].set_ylabel("pictures")
    figure.colorbar(image, ax=places[-1], label="activity")
    return figure


@draws(Opinions.of)
def draw_opinions(scene: Opinions, *, style: str = "paper") -> Figure:
    """Draw each picture above a map of the outputs: a row for each drawn network, a dot on its vote."""
    count = len(scene.pictures)
    figure, places = new_panels((2, count), (2.0 * count + 0.5, 4.1), style, height_ratios=(1, 1.5))
    size = 0.7 * rcParams["lines.markersize"]
    for i, (picture, outputs) in enumerate(zip(places[:count], places[count:], strict=True)):
        picture.imshow(scene.pictures[i], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        picture.set(title=scene.called(i), xticks=[], yticks=[])
        picture.spines[:].set_visible(False)
        image = outputs.imshow(scene.outputs[i], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto")
        votes = scene.outputs[i].argmax(axis=1)
        outputs.plot(votes, np.arange(len(votes)), ls="none", marker="o", ms=size, color=palette.POSTERIOR)
        outputs.set(xticks=range(scene.outputs.shape[2]), yticks=[], xlabel=scene.tally(i))
        outputs.tick_params(length=0)
    places[count].set_ylabel("a row: one drawn network\ndot: its vote")
    figure.colorbar(image, ax=places[-1], label="output", fraction=0.1)
    return figure
