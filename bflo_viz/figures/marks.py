"""Marks that figures share: beliefs as ellipses, a weight that moves, bands, and words beside what they name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, FancyArrowPatch
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.text import Annotation
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.figures import palette

NARROW = 13  # letters of the name of a curve: a longer one gets a new line after its comma
FEW = 12  # points of a curve up to which each gets a marker: between them nothing was measured


def number(value: float, digits: int = 1) -> str:
    """Return a number with a true minus sign, and none before a zero.

    >>> number(-2.34), number(-0.001, 2), number(float("-inf"))
    ('−2.3', '0.00', '−∞')
    """
    return f"{value:z.{digits}f}".replace("-", "−").replace("inf", "∞")


def signed(value: float, digits: int = 2) -> str:
    """Return a number with its sign, a plus for zero.

    >>> signed(-0.0), signed(1.5)
    ('+0.00', '+1.50')
    """
    return f"{value:+z.{digits}f}".replace("-", "−")


def isotropic(kind: str, mean: ArrayLike, std: float) -> Belief:
    """Return a full, diagonal or spherical belief that is as wide in every direction."""
    if kind == "full":
        return FullBelief(mean, std**2 * np.eye(np.size(mean)))
    return (DiagonalBelief if kind == "diagonal" else SphericalBelief)(mean, std)


def covariance_ellipse(ax: Axes, mean: Floats, covariance: Floats, sigmas: float = 1.0, **look: Any) -> None:
    """Draw where a two-dimensional Gaussian is ``sigmas`` standard deviations from its mean."""
    variances, directions = np.linalg.eigh(covariance)
    (width, height), (x, y) = 2 * sigmas * np.sqrt(variances), directions[:, 0]
    look = {"lw": 0.8 * rcParams["lines.linewidth"], **look}
    ax.add_patch(Ellipse((mean[0], mean[1]), width, height, angle=np.degrees(np.arctan2(y, x)), **look))


def draw_prior(ax: Axes, belief: Belief, sigmas: Sequence[float] = (1.0, 2.0)) -> None:
    """Draw a prior: grey outlines, no filling, and a hollow square at its mean."""
    ax.plot(*belief.mean, "s", color=palette.PRIOR, mfc="white", zorder=4, label="prior mean")
    for k in sigmas:
        outline = {"ec": palette.PRIOR, "fc": "none", "zorder": 3, "label": "prior"}
        covariance_ellipse(ax, belief.mean, belief.covariance, k, **outline)


def draw_posterior(ax: Axes, belief: Belief, sigmas: Sequence[float] = (1.0, 2.0)) -> None:
    """Draw a posterior: orange, filled, and a full square at its mean."""
    ax.plot(*belief.mean, "s", color=palette.POSTERIOR, zorder=4.1, label="posterior mean")
    for k in sigmas:
        filled = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.2), "zorder": 2, "label": "posterior"}
        covariance_ellipse(ax, belief.mean, belief.covariance, k, **filled)


def draw_move(ax: Axes, w: Floats, w_new: Floats) -> None:
    """Draw the step of the sampled weight: a dashed arrow from a hollow dot to a full one, its names at both ends."""
    (before,) = ax.plot(*w, "o", color=palette.WEIGHT, mfc="white", zorder=5, label="weight before")
    ax.plot(*w_new, "o", color=palette.WEIGHT, zorder=5, label="weight after")
    size = before.get_markersize()
    dashed: dict[str, Any] = {"linestyle": (0, (3, 1.5)), "lw": 0.9 * before.get_linewidth(), "zorder": 4.5}
    gaps: dict[str, Any] = {"shrinkA": 0.5 * size + 1, "shrinkB": 0.5 * size + 1, "mutation_scale": 2 * size}
    start, end = (w[0], w[1]), (w_new[0], w_new[1])
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", color=palette.WEIGHT, label="step", **dashed, **gaps))
    for name, point, towards in (("$w$", w, w - w_new), ("$w'$", w_new, w_new - w)):
        write_beside(ax, name, point, towards, color=palette.WEIGHT)


def write_beside(ax: Axes, words: str, point: Floats, towards: Floats, **look: Any) -> Annotation:
    """Write beside a point, in a direction (on axes of equal aspect), legible on top of anything."""
    length = float(np.hypot(*towards))
    size = float(rcParams["font.size"])
    x, y = (1.1 * size * towards / length).tolist() if length > 0 else (0.0, 1.1 * size)
    # Words are wider than high: what lies to the side begins (or ends) at the point.
    side = "left" if x > 0.5 * size else "right" if x < -0.5 * size else "center"
    shift = {"left": -0.4, "right": 0.4, "center": 0.0}[side] * size
    beside: dict[str, Any] = {"textcoords": "offset points", "ha": side, "va": "center", "zorder": 6, **look}
    return ax.annotate(words, (point[0], point[1]), (x + shift, y), path_effects=halo(), **beside)


def halo(width: float = 2.7, alpha: float = 1.0) -> list[AbstractPathEffect]:
    """Return a white rim for words that lie on lines."""
    return [withStroke(linewidth=width, foreground="white", alpha=alpha)]


def plain_ticks(ax: Axes, places: Sequence[float]) -> None:
    """Make the horizontal axis logarithmic, with plain numbers at these places and a little room at its ends."""
    ax.set_xscale("log")
    ax.set_xticks(places, [f"{at:g}" for at in places])
    ax.set_xticks([], minor=True)
    room = (max(places) / min(places)) ** 0.06
    ax.set_xlim(min(places) / room, max(places) * room)


def draw_band(
    ax: Axes, x: ArrayLike, middle: Floats, low: Floats, high: Floats, name: str, series: palette.Series
) -> None:
    """Draw a curve with a band around it, and a marker where it ends; where points are few, at each of them."""
    if not np.array_equal(low, high):
        ax.fill_between(np.asarray(x), low, high, color=series.color, alpha=0.2, lw=0, label=f"{name}, band")
    look: dict[str, Any] = {"color": series.color, "ls": series.linestyle, "marker": series.marker}
    ax.plot(x, middle, markevery=slice(None) if np.size(x) <= FEW else [-1], label=name, **look)


def quantiles(runs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the 10th percentile, the median and the 90th percentile over runs (rows)."""
    # Of runs there are, not between two: one may be minus infinity, of a width that underflowed for a moment.
    low, middle, high = np.quantile(runs, [0.1, 0.5, 0.9], axis=0, method="inverted_cdf")
    return low, middle, high


def name_ends(axes: Sequence[Axes]) -> None:
    """Write the name of each curve at its right end, apart from other names; call it when all else is drawn.

    A piece of the curve leads to its name; the names are in the order of the ends.
    """
    size = float(rcParams["font.size"])
    named = {ax: [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")] for ax in axes}
    labels = {ax: [_name_end(ax, line, size) for line in lines if _has_end(line)] for ax, lines in named.items()}
    axes[0].figure.draw_without_rendering()  # type: ignore[union-attr]
    for ax, texts in labels.items():
        if not texts:
            continue
        point = ax.figure.dpi / 72
        heights = ax.transData.transform([text.xy for text in texts])[:, 1] / point
        places = apart(heights, 1.3 * size * max(1 + 0.85 * text.get_text().count("\n") for text in texts))
        low, high = ax.bbox.y0 / point + size / 2, ax.bbox.y1 / point - size / 2
        places += max(0.0, low - places.min()) - max(0.0, places.max() - high)
        for text, shift in zip(texts, places - heights, strict=True):
            text.set_position((2.3 * size, shift))


def apart(places: Floats, room: float) -> Floats:
    """Return places moved as little as needed (in squares, in their order) so that neighbours are ``room`` apart."""
    order = np.argsort(places, kind="stable")
    steps = room * np.arange(len(places))
    groups: list[tuple[float, int]] = []  # pooled neighbours: their mean, and how many
    for mean in places[order] - steps:
        count = 1
        while groups and groups[-1][0] > mean:
            other, size = groups.pop()
            mean, count = (mean * count + other * size) / (count + size), count + size
        groups.append((float(mean), count))
    moved = np.empty_like(places)
    moved[order] = np.repeat([mean for mean, _ in groups], [count for _, count in groups]) + steps
    return moved


def _has_end(line: Line2D) -> bool:
    return bool(np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any())


def _name_end(ax: Axes, line: Line2D, size: float) -> Any:
    points = np.asarray(line.get_xydata(), dtype=float)
    end = points[np.isfinite(points[:, 1])][-1]
    color, lw = to_hex(line.get_color()), 0.8 * line.get_linewidth()
    arrow = {"arrowstyle": "-", "color": color, "lw": lw, "shrinkA": 0.2 * size, "shrinkB": 0, "relpos": (0, 0.5)}
    beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "annotation_clip": False}
    look = {"color": palette.line_color(color), "arrowprops": {**arrow, "ls": line.get_linestyle()}, **beside}
    name = str(line.get_label())
    name = name.replace(", ", ",\n") if len(name) > NARROW else name
    return ax.annotate(name, tuple(end.tolist()), (2.3 * size, 0.0), linespacing=1.0, **look)
