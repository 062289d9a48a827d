"""Posterior mean and width over (Δ, Δ'): the regimes of a flow as a map (the paper's Figure 2b)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.flows import regime
from bflo_viz.scenes.base import minus
from bflo_viz.scenes.one_dimension import RegimeMap, RegimeVariants, regime_map, regime_variants

WIDTHS = (0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0)  # contours of the standard deviation; 1 is no change
_SAME = 1 - 1e-9  # just below 1: found even where a map is 1 all over
# Where the regimes are named, as parts of the span, on both sides of the mean.
PLACES = ((0.66, 0.2), (0.55, -0.55), (0.36, 0.6))
_REFLECTED = ((0.66, -0.2), (0.55, 0.55), (0.36, -0.82))


@draws(regime_map)
def draw_regime_map(scene: RegimeMap, *, style: str = "paper") -> Figure:
    """Draw the maps of the posterior mean and of the posterior standard deviation, with the regimes named."""
    figure, (left, right) = new_panels((1, 2), (7.6, 3.6), style)
    draw_map(left, scene, "mean")
    draw_map(right, scene, "std")
    if scene.name != "diagonal, δ = +1":
        figure.suptitle(scene.name.capitalize(), x=0.01, ha="left")
    return figure


def draw_map(
    ax: Axes, scene: RegimeMap, what: str, here: tuple[float, float] | None = None, *, covered: bool = False
) -> None:
    """Draw the posterior ``"mean"`` or ``"std"`` with contours, regimes, words, a bar, and a ring ``here``.

    ``covered`` hides where the weight crosses the mean.
    """
    image = _draw_values(ax, scene, what, labels=True)
    if covered:
        span, gap = float(scene.delta[-1]), 0.05  # the line between is to be seen
        for x, y in ((-span, 0.0), (gap, -span)):
            ax.add_patch(Rectangle((x, y), span - gap, span, facecolor="0.9", zorder=4))
    _name_regimes(ax, scene, here=here, covered=covered)
    if here is not None:
        ring: dict[str, Any] = {"ms": 11, "mew": 2.2, "color": palette.INK, "mfc": "none", "zorder": 6}
        ax.plot(*np.reshape(here, (2, 1)), "o", label="here", **ring)
    # With a ring it is an explorer's, and whoever moves the ring finds out what the map says.
    found = ("orange below 0, violet above", "orange narrower, violet wider")
    mean, std = (scene.about_mean, scene.about_std) if here is None else found
    about = {"mean": f"Posterior mean:\n{mean}", "std": f"Posterior standard deviation:\n{std}"}
    ax.set(title=about[what], xlabel="Δ: weight before its step (prior std)")
    ax.set_ylabel("Δ′: weight after its step (prior std)")
    beyond = "both" if getattr(scene, what).max() > image.norm.vmax else "min" if what == "std" else "neither"
    _bar(image, extend=beyond, cax=ax.inset_axes((1.04, 0.0, 0.05, 1.0)))


def _name_regimes(
    ax: Axes, scene: RegimeMap, here: tuple[float, float] | None = None, *, covered: bool = False
) -> None:
    """Write the names of the regimes where they are; a spherical flow has those of the identity branch on both.

    A name that would lie on the ring ``here`` goes above or below it, where the regime is the same.
    """
    branch = 1 if scene.kind == "spherical" else scene.branch
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.85)]
    look: dict[str, Any] = {"ha": "center", "va": "center", "weight": "bold", "path_effects": halo}
    look |= {"fontsize": "small", "zorder": 5}
    for place in PLACES if branch > 0 else _REFLECTED:
        for side in (1, -1):
            span, shifts = float(scene.delta[-1]), (0.0, 0.15, -0.15, 0.3, -0.3)
            x, y = side * span * np.array(place)
            name = regime(x, y, branch=branch)
            for shift in shifts if here is not None and abs(x - here[0]) < 0.4 * span else ():
                x, y = span * side * (place[0] - 0.1 * bool(shift)), span * (side * place[1] + shift)
                same = regime(x, y, branch=branch) == name
                if same and abs(y - here[1]) > 0.13 * span:  # type: ignore[index]
                    break
            ax.text(x, y, "a bet" if covered and x * y < 0 else name, **look)


@draws(regime_variants)
def draw_regime_variants(scene: RegimeVariants, *, style: str = "paper") -> Figure:
    """Draw the widths, then the means, of the eight maps: four panels in a row, each titled by its update.

    Of four maps or fewer only the widths are drawn, in larger panels.
    """
    maps = scene.maps
    if len(maps) <= 4:
        return _draw_widths(scene, style)
    figure, every = new_panels((4, 4), (8.3, 8.0), style)
    reach = max(float(np.abs(each.mean).max()) for each in maps)
    halves = every[: len(maps)], every[len(maps) :]
    for each, std, mean in zip(maps, *halves, strict=True):
        images = _draw_values(std, each, "std"), _draw_values(mean, each, "mean", reach)
        for ax in (std, mean):
            _title_variant(ax, each)
    for half, image in zip(halves, images, strict=True):
        _bar(image, extend="min" if half is halves[0] else "neither", ax=half, aspect=30, pad=0.02)
    title = "Posterior width (above) and mean (below); bold lines: it does not change"
    figure.suptitle(title, x=0.01, ha="left")
    return figure


def _draw_widths(scene: RegimeVariants, style: str) -> Figure:
    """Draw the width of a few maps in a row, with the values of its contours."""
    figure, places = new_panels((1, len(scene.maps)), (1.0 + 2.3 * len(scene.maps), 3.3), style)
    for ax, each in zip(places, scene.maps, strict=True):
        image = _draw_values(ax, each, "std", labels=True, widths=(0.25, 0.5, 1.0, 2.0))
        _title_variant(ax, each)
    _bar(image, extend="min", ax=places, aspect=25, pad=0.02)
    figure.suptitle("Posterior width; bold lines: it does not change", x=0.01, ha="left")
    return figure


def _title_variant(ax: Axes, scene: RegimeMap) -> None:
    kind, rest = scene.name.split(", ", 1)
    ax.set_title(f"{kind.capitalize()}, {rest}".replace(", non", "\nnon"), fontsize="medium")
    ends = scene.delta[[0, -1]]
    ax.set(xlabel="Δ (prior std)", ylabel="Δ′ (prior std)", xticks=[0, *ends], yticks=[0, *ends])
    ax.label_outer()


def _draw_values(
    ax: Axes, scene: RegimeMap, what: str, reach: float = 0.0, *, labels: bool = False, widths: Any = ()
) -> AxesImage:
    """Draw colours, contours, and dotted lines where the weight stays (diagonal) and where it was the mean."""
    delta, values = scene.delta, getattr(scene, what)
    low, high, half = delta[0], delta[-1], (delta[1] - delta[0]) / 2
    reach = reach or min(float(np.abs(values).max()), 10.0)
    norm = LogNorm(1 / 8, 8) if what == "std" else Normalize(-reach, reach)
    edges = (low - half, high + half, low - half, high + half)
    smooth: dict[str, Any] = {"origin": "lower", "interpolation": "bilinear", "zorder": 0}
    image = ax.imshow(values, cmap=palette.AROUND, norm=norm, extent=edges, **smooth)
    for x in ((low, high), (0, 0)):
        ax.plot(x, (low, high), color=palette.INK, lw=0.6 * rcParams["lines.linewidth"], ls=":")
    ticks = np.linspace(low, high, 5)
    ax.set(xlim=(low, high), ylim=(low, high), xticks=ticks, yticks=ticks)
    ax.spines[["top", "right"]].set_visible(True)
    ax.tick_params(pad=0.5 * rcParams["font.size"])
    if what == "std":
        levels = np.array(widths or WIDTHS)
        _contours(ax, delta, delta, values, np.where(levels == 1, _SAME, levels), _SAME, labels=labels)
        return image
    levels = np.arange(-np.floor(reach), np.floor(reach) + 1, 1 if reach < 8 else 5)
    # A spherical flow turns around where Δ' changes its side: the mean jumps there, and no contour belongs there.
    for rows in (delta < 0, delta > 0) if scene.kind == "spherical" else (delta == delta,):
        _contours(ax, delta, delta[rows], values[rows], levels, 0.0, labels=labels)
    return image


def _contours(ax: Axes, x: Floats, y: Floats, values: Floats, levels: Floats, same: float, *, labels: bool) -> None:
    """Draw lines of equal value: dashed below what does not change, solid above it, and bold on it."""
    levels = levels[(levels >= values.min()) & (levels <= values.max())]
    if not levels.size:
        return
    bold = np.isclose(levels, same)
    widths = (rcParams["lines.linewidth"] * np.where(bold, 1.25, 0.5)).tolist()
    styles = ["-" if level >= same else "--" for level in levels]
    lines = ax.contour(x, y, values, levels=levels, colors=palette.INK, linewidths=widths, linestyles=styles)
    if labels:
        thin = (path for path, is_bold in zip(lines.get_paths(), bold, strict=True) if not is_bold)
        spots = [spot for path in thin for spot in _ends(path, x)]
        ax.clabel(lines, manual=spots, fmt=lambda level: minus(f"{level:g}"), fontsize="small", inline_spacing=2)
        for text in lines.labelTexts:  # legible on the darkest colour, too
            text.set_path_effects([withStroke(linewidth=1.5, foreground="white", alpha=0.7)])


def _ends(contour: Path, x: Floats) -> list[Floats]:
    """Where a contour leaves the map on the left and on the right: the names of regimes are further in."""
    points = np.asarray(contour.vertices)[np.abs(contour.vertices).max(axis=1) < 0.9 * x[-1]]
    sides = (points[side * points[:, 0] > 0.3 * x[-1]] for side in (-1, 1))
    return [half[np.abs(half[:, 0]).argmax()] for half in sides if len(half)]


def _bar(image: AxesImage, extend: str, **place: Any) -> None:
    """Say what the colours mean; the widths have a logarithmic scale, on which half and double are equally far."""
    figure: Any = image.figure
    if not isinstance(image.norm, LogNorm):
        figure.colorbar(image, extend=extend, label="posterior mean (prior std)", **place)
        return
    bar = figure.colorbar(image, extend=extend, label="posterior std (prior std)", **place)
    names = ["1/8", "1/4", "1/2", "1", "2", "4", "8"]
    bar.set_ticks([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], labels=names, minor=False)
    bar.minorticks_off()
