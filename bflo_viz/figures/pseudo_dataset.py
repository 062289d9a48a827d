"""A belief flow as points added and removed, and how the precision came about (Figure 3 of the paper)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import draw_move, draw_posterior, draw_prior
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.scenes.pseudo_points import LARGE, REACH, SPAN, TOTALS, PseudoScene, pseudo_dataset

LAST = 12  # rounds that a picture of all of them shows from nearby, too


@draws(pseudo_dataset)
def draw_pseudo_dataset(scene: PseudoScene, *, whole: bool = True, style: str = "paper") -> Figure:
    """Draw what was added and removed by round ``scene.now``, and how precision grew.

    ``whole`` shows all rounds by smaller marks, and the last twelve from nearby. Otherwise the round itself stands
    out: what it added or removed, the belief before and after it, and the step of the sampled weight.
    """
    if whole:
        figure, (plane, nearby, total) = new_panels((1, 3), (12.0, 4.6), style)
        _draw_last(nearby, plane, scene)
    else:
        figure, (plane, total) = new_panels((1, 2), (9.6, 4.9), style, width_ratios=(1.1, 1))
    draw_points(plane, scene, whole=whole)
    about = f", {scene.about}" if scene.about else ""
    shown = f"\nmarks of the last {scene.recent} rounds" if scene.recent else ""
    plane.set_title(f"{scene.flow.capitalize()} flow{about}: round {scene.now} of {scene.rounds}{shown}")
    _draw_totals(total, scene)
    figure.legend(*_key(plane, scene, whole), loc="outside lower center", ncols=3, columnspacing=1.2)
    return figure


def draw_points(ax: Axes, scene: PseudoScene, *, whole: bool = True) -> None:
    """Draw the weights: what was added and removed, the belief before and after, and the true weight."""
    now = scene.now
    last = 0 if whole else max(0, now - 1)
    ax.plot(*scene.true[: now + 1].T, color=palette.INK, lw=0.7, ls=":")
    ax.plot([0, scene.true[now, 0]], [0, scene.true[now, 1]], color=palette.FAINT, lw=1, zorder=1)
    ax.plot(*scene.true[now], "*", color=palette.INK, mfc="white", ms=2 * rcParams["lines.markersize"], zorder=6)
    first = max(0, now - scene.recent) if scene.recent else 0
    _draw_marks(ax, scene, slice(first, now if whole else last), strong=0.4, scale=0.55 if whole else 1)
    if not whole:
        _draw_marks(ax, scene, slice(last, now), strong=1.0, scale=1)
    draw_prior(ax, scene.beliefs[last])
    draw_posterior(ax, scene.beliefs[now])
    halo = [withStroke(linewidth=1.6, foreground=palette.PAPER)]  # above the marks, which would hide it
    path: dict[str, Any] = {"color": palette.INK, "lw": 0.8, "zorder": 4, "path_effects": halo}
    ax.plot(*scene.means[: now + 1].T, label="path of the mean", **path)
    if now and not whole:
        draw_move(ax, scene.weights[now - 1], scene.moved[now - 1], names=("", ""))
    ax.set(aspect="equal", xlabel="first weight", ylabel="second weight", xticks=(-2, 0, 2), yticks=(-2, 0, 2))
    (left, right), (low, high) = _window(scene) if whole else ((-SPAN, SPAN), (-SPAN, SPAN))
    ax.set(xlim=(left, right), ylim=(low, high))


def _draw_last(ax: Axes, whole: Axes, scene: PseudoScene) -> None:
    """Draw the last rounds from nearby: their marks, and where the mean went; a frame says where that is."""
    now, start = scene.now, max(0, scene.now - LAST)
    belief, rounds = scene.beliefs[now], slice(start, now)
    width = float(np.sqrt(np.diag(belief.covariance).max()))
    marks = scene.places[rounds].reshape(-1, 2)
    near = marks[np.abs(marks - belief.mean).max(axis=1, initial=0.0) < 3 * width]
    seen = np.vstack([near, scene.means[start : now + 1]])
    (x, y), half = (seen.min(axis=0) + seen.max(axis=0)) / 2, max(width, 0.65 * np.ptp(seen, axis=0).max())
    _draw_marks(ax, scene, rounds, strong=1.0, scale=0.1 * half / LARGE)
    draw_posterior(ax, belief)
    ax.plot(*scene.means[start : now + 1].T, ".-", color=palette.INK, lw=0.8, zorder=4)
    ax.set(aspect="equal", xlim=(x - half, x + half), ylim=(y - half, y + half), xlabel="first weight")
    ax.locator_params(nbins=5)
    ax.set_title(f"Within the frame: rounds {start + 1} to {now}")
    whole.add_patch(Rectangle((x - half, y - half), 2 * half, 2 * half, ec=palette.INK, fc="none", lw=0.8, zorder=6))


def _window(scene: PseudoScene) -> list[tuple[float, float]]:
    """A square that holds the first belief and the last one, all means and the true weight: many marks need room."""
    ends = [scene.beliefs[0], scene.beliefs[scene.now]]
    reach = [belief.mean + side * 2 * np.sqrt(np.diag(belief.covariance)) for belief in ends for side in (-1, 1)]
    seen = np.vstack([*reach, scene.means[: scene.now + 1], scene.true[[scene.now]]]).clip(-SPAN, SPAN)
    middle, half = (seen.min(axis=0) + seen.max(axis=0)) / 2, 0.55 * np.ptp(seen, axis=0).max()
    return [(float(at - half), float(at + half)) for at in middle]


def _draw_marks(ax: Axes, scene: PseudoScene, rounds: slice, *, strong: float, scale: float) -> None:
    """Draw discs with a plus and rings with a minus, their area the precision; of a line, a piece through it."""
    places, directions = scene.places[rounds].reshape(-1, 2), scene.directions[rounds].reshape(-1, 2)
    precisions = scene.precisions[rounds].ravel()
    turn = np.linspace(0, 2 * np.pi, 33)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    signs = np.array([[[-0.5, 0], [0.5, 0]], [[0, -0.5], [0, 0.5]]])  # of a plus; a minus is the first of them
    for side, color, dash in ((1, palette.ADDED, "-"), (-1, palette.REMOVED, (0, (4, 2)))):
        chosen = (side * precisions > 0) & (np.abs(places).max(axis=1, initial=0.0) < 3 * SPAN)
        middle, size = places[chosen, None], np.abs(precisions[chosen])[:, None, None]
        radius = scale * LARGE * np.sqrt(size / scene.large)
        look: dict[str, Any] = {"color": color, "alpha": strong, "zorder": 5 if strong == 1 else 2.5}
        rings = middle + radius * circle
        if side > 0:
            ax.add_collection(PolyCollection(list(rings), **{**look, "alpha": 0.4 * strong, "lw": 0}), autolim=False)
        strokes = [middle + radius * sign for sign in signs[: 2 if side > 0 else 1]]
        pieces = [*rings, *np.concatenate(strokes)]
        ax.add_collection(LineCollection(pieces, lw=1.6 * strong, **look), autolim=False)
        if scene.flow != "spherical":
            along = directions[chosen, None, ::-1] * (-1, 1)
            near, far = radius * along, np.maximum(REACH, 1.5 * radius) * along
            ends = [np.concatenate([middle + sign * near, middle + sign * far], axis=1) for sign in (-1, 1)]
            lines = LineCollection(list(np.concatenate(ends)), lw=1.8 * strong, ls=dash, **look)
            ax.add_collection(lines, autolim=False)


def _draw_totals(ax: Axes, scene: PseudoScene) -> None:
    """Draw prior plus sum, what has been and faintly what is to come; circles are the precision of the belief."""
    now, own = scene.now, scene.own_precisions
    circles: dict[str, Any] = {"ls": "none", "marker": "o", "mfc": "none", "ms": 0.5 * rcParams["lines.markersize"]}
    for name, total, dash in zip(TOTALS[scene.flow], scene.totals.T, ("-", "--"), strict=False):
        ax.plot(total, color=palette.POSTERIOR, ls=dash, alpha=0.3)
        ax.plot(total[: now + 1], color=palette.POSTERIOR, ls=dash, label=f"precision of {name}")
        ax.plot([now], total[[now]], "s", color=palette.POSTERIOR)
    lines = ax.plot(own[: now + 1], color=palette.INK, mew=0.6, zorder=3, **circles)
    lines[0].set_label("of the belief itself (1 / std²)")
    ax.axvline(now, color=palette.INK, lw=0.8, zorder=1)
    ax.set(xlim=(0, scene.rounds), yscale="log", xlabel="round", ylabel="precision of the belief (1 / weight²)")
    low, high = own.min() / 2, 2 * own.max()
    ticks = [tick for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(1.6 * low, high)  # the legend lies above the highest point
    ax.legend(loc="upper left")
    ax.set_title("Prior plus all points so far: " + " and ".join(f"{total:.2f}" for total in own[now]))


def _key(ax: Axes, scene: PseudoScene, whole: bool) -> tuple[list[Any], list[str]]:
    known = {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    disc: dict[str, Any] = {"marker": "o", "ls": "none", "ms": 9, "mew": 1.2}
    kind = "point" if scene.flow == "spherical" else "line"
    names = {
        f"{kind} added (+), area: precision": Line2D([], [], color=palette.ADDED, mfc=(palette.ADDED, 0.5), **disc),
        f"{kind} removed (−)": Line2D([], [], color=palette.REMOVED, mfc="none", **disc),
        "prior" if whole else "before": known["prior"],
        f"after round {scene.now}" if whole else "after": known["posterior"],
        "path of the mean": known["path of the mean"],
        "true weight": Line2D([], [], marker="*", ls="none", color=palette.INK, mfc="white", ms=10),
    }
    return list(names.values()), list(names)
