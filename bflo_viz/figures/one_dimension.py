"""One weight: its updates, where they lie on the map of regimes, and what each stretch costs (Figures 2b and 2c)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from bflo_viz.figures import palette
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.figures.regime_map import draw_map
from bflo_viz.scenes.base import minus, number
from bflo_viz.scenes.one_dimension import (
    BELIEFS,
    LANDSCAPE,
    LandscapePanel,
    LandscapeScene,
    MovedWeight,
    OneDUpdates,
    UpdateScene,
    UpdatesScene,
    density,
    kl_landscape,
    one_d_updates,
    one_update,
    short,
)

_DASHES = ((0, (4, 1.2)), "-", (0, (6, 1.2, 1, 1.2)), (0, (1, 1)))  # one for each displacement, in turn
_ROOM = np.array([0.15, 0.055])  # half of what the numbers of a lowest point take, as parts of a panel
_TERMS: dict[str, Any] = {"color": palette.PRIOR, "lw": 1.0}


@draws(kl_landscape)
def draw_kl_landscape(scene: LandscapeScene, *, style: str = "paper") -> Figure:
    """Draw the KL by stretch of each pair: a full dot where the update goes, a hollow one at the reflection."""
    count = len(scene.panels)
    figure, places = new_panels((1, count), (0.6 + max(2.65 * count, 4.0), 3.8), style, sharey=True)
    top = max(
        [7.0] + [1.8 * float(lowest.kl) for panel in scene.panels for lowest in (panel.picked, panel.reflected)]
    )
    for ax, panel in zip(places, scene.panels, strict=True):
        _draw_landscape(ax, panel, panel.picked, panel.reflected, ("picked", "reflected"))
        _name_minima(ax, panel, top)
        ax.set(ylim=(0, top), title=_landscape_title(panel))
        ax.label_outer()
    figure.legend(handles=places[0].get_lines(), loc="outside lower center", ncols=5 if count > 1 else 3)
    return figure


def _draw_landscape(ax: Axes, panel: LandscapePanel, taken: Any, other: Any, names: tuple[str, str]) -> None:
    """Draw the KL, its two terms, and the two lowest points: the one that was taken full, the other hollow."""
    ax.plot(panel.stretch, panel.kl, color=palette.INK, label="KL")
    ax.plot(panel.stretch, panel.mean_term, ls="--", label="its part for the mean", **_TERMS)
    ax.plot(panel.stretch, panel.width_term, ls=":", label="its part for the width", **_TERMS)
    for lowest, name, face in zip((taken, other), names, (palette.POSTERIOR, "white"), strict=True):
        dot: dict[str, Any] = {"color": palette.POSTERIOR, "mfc": face, "mew": 1.5, "ls": "none", "zorder": 3}
        ax.plot([lowest.stretch], [lowest.kl], marker="o", label=name, clip_on=False, **dot)
    ax.set(xlim=panel.stretch[[0, -1]], xlabel="stretch a; |a| = posterior std / prior std")
    ax.set_ylabel("KL divergence (nats)")


def _name_minima(ax: Axes, panel: LandscapePanel, top: float) -> None:
    """Write the numbers of both lowest points where no curve passes: as near to them as there is room."""
    lowest = (panel.picked, panel.reflected)
    x, (low, high) = panel.stretch, panel.stretch[[0, -1]]
    room = _ROOM * (high - low, top)
    curves = np.vstack([panel.kl, panel.mean_term, panel.width_term])
    # A curve is in the way where it, between two neighbouring stretches, crosses the height of the words.
    bottoms, tops = np.minimum(curves[:, 1:], curves[:, :-1]), np.maximum(curves[:, 1:], curves[:, :-1])
    busy = [(np.array([one.stretch, one.kl]), 1.2 * room) for one in lowest]  # dots, then words
    for one in lowest:
        at = np.array([one.stretch, one.kl])
        grid = np.stack(np.meshgrid(np.linspace(low, high, 61), np.linspace(0, top, 61)), -1).reshape(-1, 2)
        free = grid[(np.abs(grid - (low + high, top) / np.array(2)) < (high - low, top) / np.array(2) - room).all(1)]
        across = free[:, 0] * one.stretch < 0  # the wall: only if there is no room on this side of it
        far = np.square((free - at) / (high - low, top)).sum(axis=1) + across
        for place in free[np.argsort(far, kind="stable")]:
            beside = np.abs((x[1:] + x[:-1]) / 2 - place[0]) < room[0]
            crossed = (bottoms[:, beside] < place[1] + room[1]) & (tops[:, beside] > place[1] - room[1])
            if not crossed.any() and all((np.abs(place - other) > away).any() for other, away in busy):
                break
        busy.append((place, 2.2 * room))
        _name_minimum(ax, one, (float(place[0]), float(place[1])))


def _name_minimum(ax: Axes, lowest: Any, place: tuple[float, float]) -> None:
    """Write the numbers of a lowest point at a place, with a thin line to it."""
    look: dict[str, Any] = {"fontsize": "small", "ha": "center", "va": "center", "zorder": 5}
    leader = {"arrowstyle": "-", "color": palette.POSTERIOR, "lw": 0.8, "shrinkB": rcParams["lines.markersize"]}
    box = {"facecolor": palette.PAPER, "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    words = f"a = {short(lowest.stretch)}\nKL = {short(lowest.kl)}"
    ax.annotate(words, (lowest.stretch, lowest.kl), place, arrowprops=leader, bbox=box, **look)


def _landscape_title(panel: LandscapePanel) -> str:
    saved = panel.picked.kl - panel.reflected.kl
    words = f"reflecting would cost {saved:.2f} nats less" if saved > 0 else "the update picks the lowest point"
    if abs(saved) < 1e-9:
        words = "both sides cost the same"
    return f"{panel.regime.capitalize()}, u = {short(panel.u)}, v = {short(panel.v)}:\n{words}"


@draws(one_d_updates)
def draw_one_d_updates(scene: OneDUpdates, *, style: str = "paper") -> Figure:
    """Draw the prior and the posterior of each displacement, a panel for each sampled weight, on a common scale."""
    count = len(scene.panels)
    figure, places = new_panels((1, count), (3.8 * count, 3.3), style, sharey=True)
    peak = max(float(curves.max()) for curves in (scene.prior_density, *(p.densities for p in scene.panels)))
    for ax, panel in zip(places, scene.panels, strict=True):
        _draw_posteriors(ax, scene, panel)
        for d in (0.0, *scene.displacements):
            at = panel.weight + d
            _draw_weight(ax, at, 1.16 * peak, "weight after" if d else "weight before")
            _write(ax, at, 1.18 * peak, f"w{_signed(d)}" if d else "w", palette.WEIGHT)
        shifts = "mostly shifts" if panel.mean_share.min() >= 0.9 else "shifts, and its width changes too"
        ax.set_title(f"A weight {abs(panel.weight):g}σ from the mean:\nthe belief {shifts}")
        ax.set(xlim=scene.x[[0, -1]], ylim=(0, 1.3 * peak), xlabel="weight, in prior standard deviations")
        ax.set_ylabel("density")
        ax.tick_params(pad=0.5 * rcParams["font.size"])
        ax.label_outer()
    return figure


def _draw_posteriors(ax: Axes, scene: OneDUpdates, panel: MovedWeight) -> None:
    """Draw all densities, each named where it is highest above the others, beside the upright lines of weights."""
    curves = np.vstack([scene.prior_density, panel.densities])
    names = ["prior", *(_signed(d) for d in scene.displacements)]
    for k, (name, curve) in enumerate(zip(names, curves, strict=True)):
        color = palette.POSTERIOR if k else palette.PRIOR
        if k:
            ax.fill_between(scene.x, curve, color=color, alpha=0.15, linewidth=0)
        label = f"posterior {name}" if k else name
        ax.plot(scene.x, curve, color=color, ls=_DASHES[(k - 1) % len(_DASHES)] if k else "-", label=label)
        at = int((curve - np.delete(curves, k, axis=0).max(axis=0)).argmax())
        near = np.append(panel.moved, panel.weight) - scene.x[at]
        near = near[np.abs(near).argmin()]
        _write(ax, scene.x[at], curve[at], name, color, side=0 if abs(near) > 0.8 else -1 if near > 0 else 1)


@draws(one_update)
def draw_one_update(scene: UpdatesScene, *, style: str = "paper") -> Figure:
    """Draw several updates of a standard normal side by side and on one scale."""
    count = len(scene.updates)
    figure, places = new_panels((1, count), (3.5 * count, 2.9), style)
    for ax, update in zip(places, scene.updates, strict=True):
        draw_beliefs(ax, update, 4.2)
    top = max(ax.get_ylim()[1] for ax in places)
    for ax in places:
        ax.set_ylim(0, top)
        ax.label_outer()
    figure.legend(handles=places[0].get_lines(), loc="outside lower center", ncols=4)
    return figure


@draws(UpdateScene)
def draw_update(scene: UpdateScene, *, small: bool = False, covered: bool = False, style: str = "paper") -> Figure:
    """Draw the maps with the update on them, the beliefs and the landscape, all in prior standard deviations.

    ``small`` leaves the map of the width and the beliefs: it is drawn quickly, and small enough for a notebook.
    ``covered`` hides on the maps where the weight crosses the mean.
    """
    here = scene.whitened
    if small:
        figure, (width, beliefs) = new_panels((1, 2), (9.6, 3.8), style, width_ratios=(1, 1.3))
    else:
        figure, (mean, width, beliefs, landscape) = new_panels((2, 2), (9.6, 7.6), style)
        draw_map(mean, scene.map, "mean", (here.delta, here.delta_new), covered=covered)
        _draw_cost(landscape, scene)
    draw_map(width, scene.map, "std", (here.delta, here.delta_new), covered=covered)
    draw_beliefs(beliefs, here, max(5.0, 1.1 * abs(here.delta), 1.1 * abs(here.delta_new)))
    beliefs.legend(loc="best")
    return figure


def draw_beliefs(ax: Axes, scene: UpdateScene, reach: float) -> None:
    """Draw the densities of prior and posterior, and the weight before and after its step."""
    x = np.linspace(-reach, reach, 501)
    (mean,), (std,) = scene.posterior.mean, scene.posterior.std
    old, ratio = density(x, 0.0, scene.prior.std[0]), float(std / scene.prior.std[0])
    places = x if ratio > 0.05 else np.union1d(x, mean + std * np.linspace(-5, 5, 101))
    new = density(places, mean, std)
    top = 1.15 * max(float(old.max()), float(new.max()))
    ax.fill_between(places, new, color=palette.POSTERIOR, alpha=0.25, linewidth=0)
    ax.plot(x, old, color=palette.PRIOR, label="prior")
    ax.plot(places, new, color=palette.POSTERIOR, label="posterior")
    for at, name in ((scene.delta, "weight before"), (scene.delta_new, "weight after")):
        _draw_weight(ax, at, 0.93 * top, name)
    verb = "keeps its width" if ratio == 1 else f"{'narrows' if ratio < 1 else 'widens'} to {ratio:.0%}"
    ax.set_title(BELIEFS.format(regime=scene.regime.capitalize(), verb=verb))
    ax.set(xlim=(-reach, reach), ylim=(0, top), xlabel="weight (prior standard deviations)", ylabel="density")


def _draw_cost(ax: Axes, scene: UpdateScene) -> None:
    """Draw what each stretch would have cost; a non-expansive update may not take the lowest point."""
    panel = scene.landscape
    other = panel.reflected if scene.branch > 0 else panel.picked
    _draw_landscape(ax, panel, scene.taken, other, ("taken", "other branch"))
    cost = float(scene.taken.kl)
    ax.set_ylim(0, max(4.0, 1.5 * cost, 1.5 * float(other.kl)))
    ax.set_title(LANDSCAPE.format(a=number(scene.taken.stretch, 3), kl=number(cost, 3)))
    ax.legend(loc="best")


def _draw_weight(ax: Axes, at: float, top: float, name: str) -> None:
    """Draw a dashed upright: with a hollow dot for the weight before its step, a full one for the weight after."""
    face = "white" if name == "weight before" else palette.WEIGHT
    dash: dict[str, Any] = {"color": palette.WEIGHT, "ls": "--", "lw": 0.7 * rcParams["lines.linewidth"]}
    ax.plot([at, at], [0, top], marker="o", markevery=[1], mfc=face, label=name, clip_on=False, **dash)


def _write(ax: Axes, x: float, y: float, words: str, color: str, side: int = 0) -> None:
    """Write just above a point, in front of all lines: over it, or to its left (-1) or right (+1)."""
    align = ("center", "left", "right")[side]
    halo = [withStroke(linewidth=2.5, foreground="white")]
    look: dict[str, Any] = {"color": color, "fontsize": "small", "path_effects": halo, "zorder": 5}
    ax.annotate(words, (x, y), (2 * side, 3), textcoords="offset points", ha=align, va="bottom", **look)


def _signed(d: float) -> str:
    return minus(f"{d:+.4g}")
