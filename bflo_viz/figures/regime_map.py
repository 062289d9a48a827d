"""Posterior mean and width over (Δ, Δ'): the regimes of a flow as a map (the paper's Figure 2b)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patheffects import withStroke

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.flows import Regime
from bflo_viz.scenes.base import minus
from bflo_viz.scenes.one_dimension import RegimeMap, RegimeVariants, regime_map, regime_variants

WIDTHS = (0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 1.6, 2.0)  # contours of the standard deviation; 1 is no change
_LEAST_WIDTH = 1 / 8  # where the colours of narrowing end, and of widening at its inverse
_STEP = 1 - 1e-9  # just below 1: found even where a map is 1 all over
# Where the regimes are named, as parts of the span; each is named on both sides of the mean.
PLACES = {Regime.CONTRACTING: (0.66, 0.2), Regime.CROSSING: (0.55, -0.55), Regime.EXPANDING: (0.36, 0.84)}


@draws(regime_map)
def draw_regime_map(scene: RegimeMap, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the maps of the posterior mean and of the posterior standard deviation, with the regimes named.

    Given axes must be two; each makes room for a colour bar.
    """
    figure, (left, right) = panels(axes, (1, 2), (7.6, 3.6), style)
    for ax, image, title in (
        (left, _mean_map(left, scene), f"Posterior mean:\n{scene.about_mean}"),
        (right, draw_std_map(right, scene), f"Posterior standard deviation:\n{scene.about_std}"),
    ):
        ax.set_title(title)
        ax.set(xlabel="Δ: weight before its step (prior std)", ylabel="Δ′: weight after its step (prior std)")
        _name_lines(ax, scene)
        _label_contours(ax, scene, _name_regimes(ax, scene))
        _bar(image, cax=ax.inset_axes((1.04, 0.0, 0.05, 1.0)))
    if axes is None and scene.name != "diagonal, δ = +1":
        figure.suptitle(scene.name.capitalize(), x=0.01, ha="left")
    return figure


@draws(regime_variants)
def draw_regime_variants(scene: RegimeVariants, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the widths, then the means, of several maps: four panels a row, each titled by its update.

    Given axes must be twice as many as the maps: first those for the widths, then those for the means.
    """
    maps = scene.maps
    rows, columns = -(-len(maps) // 4), min(4, len(maps))
    shape = (2 * rows, columns) if rows * columns == len(maps) else (2 * len(maps), 1)
    figure, every = panels(axes, shape, (1.85 * shape[1] + 0.9, 1.95 * shape[0] + 0.2), style)
    reach = max(float(np.abs(each.mean).max()) for each in maps)
    halves = every[: len(maps)], every[len(maps) :]
    for each, std, mean in zip(maps, *halves, strict=True):
        images = draw_std_map(std, each), _mean_map(mean, each, reach)
        for ax in (std, mean):
            ax.set_title(_variant_title(each), fontsize="medium")
            ends = each.delta[[0, -1]]
            ax.set(xlabel="Δ (prior std)", ylabel="Δ′ (prior std)", xticks=[0, *ends], yticks=[0, *ends])
            draw_reference_lines(ax, each)
            if axes is None:
                ax.label_outer()
    for half, image in zip(halves, images, strict=True):
        _bar(image, ax=half, aspect=30, pad=0.02)
    if axes is None:
        title = "Posterior width (above) and mean (below); bold lines: it does not change"
        figure.suptitle(title, x=0.01, ha="left")
    return figure


def _mean_map(ax: Axes, scene: RegimeMap, reach: float = 0.0) -> AxesImage:
    reach = reach or float(np.abs(scene.mean).max())
    image = _fill(ax, scene, scene.mean, Normalize(-reach, reach))
    levels = np.arange(-np.floor(reach), np.floor(reach) + 1)
    # A spherical flow turns around where Δ' changes its side: the mean jumps there, and no contour belongs there.
    sides = (scene.delta < 0, scene.delta > 0) if scene.kind == "spherical" else (np.full(scene.delta.size, True),)
    for rows in sides:
        _contours(ax, scene.delta, scene.delta[rows], scene.mean[rows], levels, 0.0)
    return image


def draw_std_map(ax: Axes, scene: RegimeMap) -> AxesImage:
    """Draw the posterior width as colours and contours, and nothing else."""
    image = _fill(ax, scene, scene.std, LogNorm(_LEAST_WIDTH, 1 / _LEAST_WIDTH))
    _contours(ax, scene.delta, scene.delta, scene.std, np.where(np.array(WIDTHS) == 1, _STEP, WIDTHS), _STEP)
    return image


def _fill(ax: Axes, scene: RegimeMap, values: Floats, norm: Normalize) -> AxesImage:
    low, high, half = scene.delta[0], scene.delta[-1], (scene.delta[1] - scene.delta[0]) / 2
    edges = (low - half, high + half, low - half, high + half)
    image = ax.imshow(
        values, cmap=palette.AROUND, norm=norm, extent=edges, origin="lower", interpolation="bilinear", zorder=0
    )
    ticks = np.linspace(low, high, 5)
    ax.set(xlim=(low, high), ylim=(low, high), xticks=ticks, yticks=ticks)
    ax.spines[["top", "right"]].set_visible(True)
    ax.tick_params(pad=0.5 * rcParams["font.size"])
    return image


def _contours(ax: Axes, x: Floats, y: Floats, values: Floats, levels: Floats, still: float) -> None:
    """Dashed below what does not change, solid above it, and bold for what does not change."""
    levels = levels[(levels >= values.min()) & (levels <= values.max())]
    if levels.size:
        bold = np.isclose(levels, still)
        ax.contour(
            x,
            y,
            values,
            levels=levels,
            colors=palette.INK,
            linewidths=(rcParams["lines.linewidth"] * np.where(bold, 1.25, 0.5)).tolist(),
            linestyles=["-" if level >= still else "--" for level in levels],
        )


def _label_contours(ax: Axes, scene: RegimeMap, taken: list[tuple[float, float]]) -> None:
    """Write each level on its contour, as far from all other words as it can be.

    Turned by half a turn about its middle, the map of widths is itself, and that of means changes its sign: so each
    label has its partner there.
    """
    span, mirrored = scene.delta[-1], ax.images[0].get_array().min() < 0  # type: ignore[union-attr]
    for contours in ax.collections:
        for level, path in zip(contours.levels, contours.get_paths(), strict=True):  # type: ignore[attr-defined]
            spots = np.asarray(path.vertices, dtype=float)
            spots = spots[np.abs(spots).max(axis=1) < 0.9 * span]
            if not len(spots) or (level <= 0.5 if mirrored else np.isclose(level, 1)):
                continue  # named already, or a partner
            apart = (spots[:, None] - np.array(taken)) * (0.6, 1.0)  # words are wider than high
            nearest = np.hypot(*np.moveaxis(apart, -1, 0)).min(axis=1)
            if nearest.max() > 0.09 * span:
                spot = spots[int(nearest.argmax())]
                for side in (1, -1):
                    value = side * level if mirrored else level
                    _write(ax, side * spot, minus(f"{value:g}"))
                    taken.append((side * spot[0], side * spot[1]))


def _name_regimes(ax: Axes, scene: RegimeMap) -> list[tuple[float, float]]:
    """Name the regimes on the map; return the places that this and the names of the lines take."""
    span = scene.delta[-1]
    along = [float(x) for x in np.linspace(-0.9, 0.9, 13)]
    taken = [place for x in along for place in ((0.0, x), (x, x))]  # the two lines
    taken += [(side * 0.52, side * 0.68) for side in (1, -1)] + [(side * 0.68, side * 0.52) for side in (1, -1)]
    for name, (x, y) in PLACES.items():
        for side in (1, -1):
            _write(ax, (side * x * span, side * y * span), name.value, weight="bold")
            taken += [(side * (x + shift), side * y) for shift in (-0.2, 0.0, 0.2)]
    return [(x * span, y * span) for x, y in taken]


def _name_lines(ax: Axes, scene: RegimeMap) -> None:
    """Draw the diagonal and the vertical, and write along them what they are."""
    span = scene.delta[-1]
    draw_reference_lines(ax, scene)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    _write(ax, (0, 0.5 * span), "Δ = 0", rotation=90, bbox=box)
    _write(ax, (-0.6 * span, -0.6 * span), "Δ′ = Δ", rotation=45, bbox=box)


def draw_reference_lines(ax: Axes, scene: RegimeMap) -> None:
    """Draw the diagonal, where nothing moves, and the vertical, where the mean itself does."""
    ends = scene.delta[[0, -1]]
    ax.plot(ends, ends, color=palette.INK, linewidth=rcParams["lines.linewidth"] * 0.6, linestyle=":")
    ax.plot([0, 0], ends, color=palette.INK, linewidth=rcParams["lines.linewidth"] * 0.6, linestyle=":")


def _write(ax: Axes, place: Any, word: str, **options: Any) -> None:
    """Write a small word that can be read on any colour."""
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    x, y = place
    ax.text(x, y, word, ha="center", va="center", fontsize="small", path_effects=halo, **options)


def _bar(image: AxesImage, **place: Any) -> None:
    """Say what the colours mean; the widths have a logarithmic scale, on which half and double are equally far."""
    figure: Any = image.figure
    if isinstance(image.norm, LogNorm):
        bar = figure.colorbar(image, extend="min", label="posterior std (prior std)", **place)
        bar.set_ticks(
            [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"], minor=False
        )
        bar.minorticks_off()
    else:
        figure.colorbar(image, label="posterior mean (prior std)", **place)


def _variant_title(scene: RegimeMap) -> str:
    kind, rest = scene.name.split(", ", 1)
    return f"{kind.capitalize()}, {rest}".replace(", non", "\nnon")
