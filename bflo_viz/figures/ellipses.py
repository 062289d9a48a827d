"""What the two-dimensional figures share: a belief as its ellipses, a weight that moves, and words beside them."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse, FancyArrowPatch
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief
from bflo_viz.figures import palette


def covariance_ellipse(ax: Axes, mean: Floats, covariance: Floats, sigmas: float = 1.0, **look: Any) -> Ellipse:
    """Draw where a two-dimensional Gaussian is ``sigmas`` standard deviations from its mean."""
    variances, directions = np.linalg.eigh(covariance)
    (width, height), (x, y) = 2 * sigmas * np.sqrt(variances), directions[:, 0]
    where = float(mean[0]), float(mean[1])
    look = {"lw": 0.8 * rcParams["lines.linewidth"], **look}
    patch = Ellipse(where, float(width), float(height), angle=float(np.degrees(np.arctan2(y, x))), **look)
    ax.add_patch(patch)
    return patch


def draw_prior(ax: Axes, belief: Belief, sigmas: tuple[float, ...] = (1.0, 2.0)) -> None:
    """Draw a prior: grey outlines, no filling, and a hollow square at its mean."""
    ax.plot(*belief.mean, "s", color=palette.PRIOR, mfc="white", zorder=4, label="prior mean")
    edge = {"ec": palette.PRIOR, "fc": "none", "zorder": 3, "label": "prior"}
    for k in sigmas:
        covariance_ellipse(ax, belief.mean, belief.covariance, k, **edge)


def draw_posterior(ax: Axes, belief: Belief, sigmas: tuple[float, ...] = (1.0, 2.0)) -> None:
    """Draw a posterior: vermilion, filled, and a full square at its mean."""
    ax.plot(*belief.mean, "s", color=palette.POSTERIOR, zorder=4.1, label="posterior mean")
    filling = {"ec": palette.POSTERIOR, "fc": (palette.POSTERIOR, 0.2), "zorder": 2, "label": "posterior"}
    for k in sigmas:
        covariance_ellipse(ax, belief.mean, belief.covariance, k, **filling)


def draw_move(ax: Axes, w: Floats, w_new: Floats, names: tuple[str, str] = ("$w$", "$w'$")) -> None:
    """Draw the step of the sampled weight: a dashed arrow from a hollow dot to a full one, its names at both ends."""
    (before,) = ax.plot(*w, "o", color=palette.WEIGHT, mfc="white", zorder=5, label="weight before")
    ax.plot(*w_new, "o", color=palette.WEIGHT, zorder=5, label="weight after")
    gap = 0.5 * before.get_markersize() + 1
    arrow = FancyArrowPatch(
        (float(w[0]), float(w[1])),
        (float(w_new[0]), float(w_new[1])),
        arrowstyle="-|>",
        mutation_scale=2 * before.get_markersize(),
        shrinkA=gap,
        shrinkB=gap,
        color=palette.WEIGHT,
        lw=0.9 * before.get_linewidth(),
        linestyle=(0, (3, 1.5)),
        zorder=4.5,
        label="step",
    )
    ax.add_patch(arrow)
    for name, point, towards in ((names[0], w, w - w_new), (names[1], w_new, w_new - w)):
        if name:
            write_beside(ax, name, point, towards, color=palette.WEIGHT)


def write_beside(ax: Axes, words: str, point: Floats, towards: Floats, **look: Any) -> Annotation:
    """Write beside a point, in a direction (on axes of equal aspect), legible on top of anything."""
    length = float(np.hypot(*towards))
    size = float(rcParams["font.size"])
    x, y = (1.1 * size * towards / length).tolist() if length > 0 else (0.0, 1.1 * size)
    # Words are wider than high: what lies to the side begins (or ends) at the point.
    side = "left" if x > 0.5 * size else "right" if x < -0.5 * size else "center"
    shift = {"left": -0.4, "right": 0.4, "center": 0.0}[side] * size
    return ax.annotate(
        words,
        (float(point[0]), float(point[1])),
        (x + shift, y),
        textcoords="offset points",
        ha=side,
        va="center",
        path_effects=[withStroke(linewidth=0.3 * size, foreground="white")],
        **{"zorder": 6, **look},
    )
