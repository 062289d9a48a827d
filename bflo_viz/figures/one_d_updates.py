"""A weight a standard deviation from the mean, and one near it, each moved four ways (the paper's Figure 2c)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.base import minus
from bflo_viz.scenes.one_dimension import MovedWeight, OneDUpdates, one_d_updates

_STYLES = ((0, (4, 1.2)), "-", (0, (6, 1.2, 1, 1.2)), (0, (1, 1)))  # one a displacement, in turn
_ALIGN: dict[int, Any] = {-1: "right", 0: "center", 1: "left"}
_MOSTLY = 0.9  # of the KL paid for the mean: mostly a shift


@draws(one_d_updates)
def draw_one_d_updates(scene: OneDUpdates, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the prior and the posterior of each displacement, one panel a sampled weight, on a common scale.

    Given axes must be as many as the sampled weights of the scene.
    """
    count = len(scene.panels)
    figure, places = panels(axes, (1, count), (3.8 * count, 3.3), style, sharey=True)
    peak = max(float(panel.densities.max()) for panel in scene.panels)
    peak = max(peak, float(scene.prior_density.max()))
    for ax, panel in zip(places, scene.panels, strict=True):
        _draw_beliefs(ax, scene, panel)
        _draw_weights(ax, scene, panel, peak)
        ax.set(xlim=scene.x[[0, -1]], ylim=(0, 1.3 * peak), xlabel="weight, in prior standard deviations")
        ax.set(ylabel="density", title=_title(panel))
        ax.tick_params(pad=0.5 * rcParams["font.size"])
        if axes is None:
            ax.label_outer()
    return figure


def _draw_beliefs(ax: Axes, scene: OneDUpdates, panel: MovedWeight) -> None:
    curves = np.vstack([scene.prior_density, panel.densities])
    names = ["prior", *(_signed(d) for d in scene.displacements)]
    for k, (name, density) in enumerate(zip(names, curves, strict=True)):
        color = palette.POSTERIOR if k else palette.PRIOR
        if k:
            ax.fill_between(scene.x, density, color=color, alpha=0.15, linewidth=0)
            dashes, label = _STYLES[(k - 1) % len(_STYLES)], f"posterior {name}"
            ax.plot(scene.x, density, color=color, linestyle=dashes, label=label)
        else:
            ax.plot(scene.x, density, color=color, label=name)
        at = int((density - np.delete(curves, k, axis=0).max(axis=0)).argmax())  # highest above all others
        weights = np.append(panel.moved, panel.weight) - scene.x[at]
        closest = weights[int(np.abs(weights).argmin())]
        _write(ax, scene.x[at], density[at], name, color, 0 if abs(closest) > 0.8 else -1 if closest > 0 else 1)


def _draw_weights(ax: Axes, scene: OneDUpdates, panel: MovedWeight, peak: float) -> None:
    """Draw dashed verticals: one with a hollow dot for the weight before, one with a full dot for each after."""
    names = ["w", *(f"w{_signed(d)}" for d in scene.displacements)]
    for name, at in zip(names, (panel.weight, *panel.moved), strict=True):
        ax.plot(
            [at, at],
            [0, 1.16 * peak],
            color=palette.WEIGHT,
            linestyle="--",
            linewidth=1.0,
            marker="o",
            markevery=[1],
            markerfacecolor="white" if name == "w" else palette.WEIGHT,
            label="weight before" if name == "w" else f"weight after {_signed(float(at - panel.weight))}",
        )
        _write(ax, at, 1.18 * peak, name, palette.WEIGHT)


def _write(ax: Axes, x: float, y: float, word: str, color: str, side: int = 0) -> None:
    """Write just above a point, in front of all lines: over it, or to its left (-1) or right (+1)."""
    halo = [withStroke(linewidth=2.5, foreground="white")]
    where: dict[str, Any] = {"xytext": (2 * side, 3), "textcoords": "offset points", "va": "bottom"}
    ax.annotate(word, (x, y), color=color, fontsize="small", path_effects=halo, ha=_ALIGN[side], zorder=5, **where)


def _title(panel: MovedWeight) -> str:
    if panel.mean_share.min() >= _MOSTLY:
        return f"A weight {abs(panel.weight):g}σ from the mean:\nthe belief mostly shifts"
    return f"A weight {abs(panel.weight):g}σ from the mean:\nthe belief shifts, and its width changes too"


def _signed(d: float) -> str:
    return minus(f"{d:+.4g}")
