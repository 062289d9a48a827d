"""Learning a line online: the stream with the boundaries of the learners, their mistakes and entropies so far."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.curves import name_ends
from bflo_viz.figures.old_style import SCALE, draws, new_figure
from bflo_viz.scenes.online import DIPS, LOWEST, SETTLED, SHOWN, SPAN, TITLES, OnlineScene, learn_online

RIM = 0.72  # of the span: from there on faint lines are drawn, and leave the examples alone
EVERY = 5  # rounds from one point of a curve to the next


@draws(learn_online)
def draw_online(scene: OnlineScene, *, style: str = "paper") -> Figure:
    """Draw the last examples with the boundaries, and both curves with a cursor at the round."""
    figure = new_figure(9.6 * SCALE[style], 4.4 * SCALE[style], layout="none")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.15))
    plane, error, entropy = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))
    figure.subplots_adjust(left=0.06, right=0.905, top=0.92, bottom=0.16, wspace=0.2, hspace=0.55)
    _draw_plane(plane, scene)
    _draw_curves(error, entropy, scene)
    name_ends([error, entropy])
    handles, labels = plane.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), columnspacing=1.4)
    return figure


def _draw_plane(ax: Axes, scene: OnlineScene) -> None:
    """Draw the last examples, the true boundary with its side of 1 shaded, and the boundary of each mean weight."""
    now = scene.now
    angle = scene.angle[now]
    along, towards = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    far = 3 * SPAN * np.array([along, -along, -along + towards, along + towards])
    ax.fill(*far.T, color=palette.FAINT, alpha=0.25, lw=0, zorder=0)
    ax.plot(*far[:2].T, color=palette.FAINT, lw=3 * rcParams["lines.linewidth"], zorder=1, label="truth")
    for name in scene.names:
        look_of = palette.SERIES[name]
        if name in scene.factors:
            a, b, c = scene.factors[name][now]
            weights = scene.means[name][now] + scene.samples @ np.array([[a, b], [0, c]])
            faint: dict[str, Any] = {"color": look_of.color, "ls": look_of.linestyle, "lw": 0.9, "alpha": 0.6}
            _draw_boundaries(ax, weights, RIM * SPAN, zorder=2, **faint)
        bold = {"lw": 1.3 * rcParams["lines.linewidth"], "zorder": 3, "label": name}
        mean = scene.means[name][now]
        _draw_boundaries(ax, mean[None], color=look_of.color, ls=look_of.linestyle, **bold)
        _draw_side(ax, mean, look_of.color)
    recent = slice(max(0, now - SHOWN), now)
    X, seen, flipped = scene.X[recent], scene.seen[recent], (scene.seen != scene.truth)[recent]
    size = 0.9 * rcParams["lines.markersize"]
    for label, marker, filled in ((1, "o", True), (0, "s", False)):
        for wrong, color in ((False, palette.INK), (True, palette.REMOVED)):
            at = X[(seen == label) & (flipped == wrong)]
            shape: dict[str, Any] = {"marker": marker, "ls": "none", "ms": size, "color": color}
            name = f"label {label}" if not wrong else "_"
            ax.plot(*at.T, **shape, mfc=color if filled else "white", label=name, zorder=4)
            if wrong:
                ax.plot(*at.T, "x", ms=1.9 * size, color=color, mew=1, label="flipped" if label else "_", zorder=4)
    ax.set(xlim=(-SPAN, SPAN), ylim=(-SPAN, SPAN), aspect="equal", xlabel="first input", ylabel="second input")
    ax.set(xticks=(-2, 0, 2), yticks=(-2, 0, 2))
    ax.set_title(TITLES["plane"].format(round=f"{now:,}", last=len(X)) if now else TITLES["none"])


def _draw_boundaries(ax: Axes, weights: Any, start: float = 0.0, **look_of: Any) -> None:
    """Draw where weights predict one half: lines through 0, across each weight, from so far out on."""
    across = np.column_stack([-weights[:, 1], weights[:, 0]])
    length = np.hypot(*across.T)
    along = across[length > 0] / length[length > 0, None]
    gap = np.full(len(along), np.nan)
    stops = (-3 * SPAN, -start, None, start, 3 * SPAN, None) if start else (-3 * SPAN, 3 * SPAN, None)
    x, y = (np.column_stack([gap if at is None else at * e for at in stops]).ravel() for e in along.T)
    ax.plot(x, y, **look_of)


def _draw_side(ax: Axes, mean: Any, color: str) -> None:
    """Mark the side of the boundary where label 1 is predicted, at both of its ends."""
    length = float(np.hypot(*mean))
    if length == 0:
        return
    towards = mean / length
    for side in (-1, 1):
        foot = side * 0.86 * SPAN * np.array([-towards[1], towards[0]])
        ax.plot(*np.column_stack([foot, foot + 0.28 * towards]), color=color, zorder=3)


def _draw_curves(error: Axes, entropy: Axes, scene: OnlineScene) -> None:
    now, rounds = scene.now, np.arange(scene.rounds + 1)
    least, most = 0.0, 0.0
    for name in scene.names:
        look_of = palette.SERIES[name]
        mistakes = 100 * np.cumsum(scene.wrong[name]) / rounds[1:]
        _draw_curve(error, rounds[1:], mistakes, now, look_of, name)
        most = max(most, float(mistakes[min(SETTLED, scene.rounds - 1) :].max()))
        if name in scene.entropy:
            _draw_curve(entropy, rounds, scene.entropy[name], now, look_of, name)
            deep = float(np.quantile(scene.entropy[name], DIPS, method="lower"))
            least = min(least, max(LOWEST, deep))
    for ax in (error, entropy):
        ax.axvline(now, color=palette.INK, lw=0.8)
        ax.set_xlim(0, scene.rounds)
    error.set(ylabel="mistakes so far (%)", ylim=(0, min(100.0, 1.1 * most)))
    error.set_title(TITLES["mistakes"])
    entropy.set(xlabel="round", ylabel="entropy (nats)")
    entropy.set_ylim(bottom=least - 0.5)
    entropy.set_title(TITLES["entropy"])


def _draw_curve(ax: Axes, x: Any, y: Any, now: int, look_of: palette.Series, name: str) -> None:
    """Draw what has been, and faintly what is to come; the end has the name."""
    x, y = x[::EVERY], y[::EVERY]
    past = x <= now
    names = ("_past", name) if not past.all() else (name, "_rest")
    for part, alpha, label in ((past, 1.0, names[0]), (~past, 0.3, names[1])):
        ax.plot(x[part], y[part], color=look_of.color, ls=look_of.linestyle, alpha=alpha, label=label)
