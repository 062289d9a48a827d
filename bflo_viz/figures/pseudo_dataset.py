"""A belief flow as points added and removed, and how the precision came about (Figure 3 of the paper)."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import draw_move, draw_posterior, draw_prior
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.pseudo_points import SPAN, TOTALS, PseudoScene, pseudo_dataset

LARGE = 0.3  # radius of a mark of large precision, in weights
_DASHES = ("-", "--")
_REACH = 0.55  # half the length of the piece of a line that is drawn, in weights


@draws(pseudo_dataset)
def draw_pseudo_dataset(scene: PseudoScene, *, whole: bool = True, axes: Any = None, style: str = "paper") -> Figure:
    """Draw what was added and removed by round ``scene.now``, and how precision grew; ``axes``, if given, are two.

    ``whole`` shows all rounds alike, from the prior to the last belief. Otherwise the round itself stands out: what
    it added or removed, the belief before and after it, and the step of the sampled weight.
    """
    figure, (plane, total) = panels(axes, (1, 2), (9.6, 4.9), style, width_ratios=(1.1, 1))
    _draw_plane(plane, scene, whole=whole)
    about = f", {scene.about}" if scene.about else ""
    plane.set_title(f"{scene.flow.capitalize()} flow{about}: round {scene.now} of {scene.rounds}")
    _draw_totals(total, scene)
    if axes is None:
        figure.legend(*_key(plane, scene), loc="outside lower center", ncols=3, columnspacing=1.2)
    return figure


def _draw_plane(ax: Axes, scene: PseudoScene, *, whole: bool) -> None:
    now = scene.now
    last = 0 if whole else max(0, now - 1)
    ax.plot(*scene.true[: now + 1].T, color=palette.INK, lw=0.7, ls=":")
    ax.plot([0, scene.true[now, 0]], [0, scene.true[now, 1]], color=palette.FAINT, lw=1, zorder=1)
    ax.plot(*scene.true[now], "*", color=palette.INK, mfc="white", ms=2 * rcParams["lines.markersize"], zorder=6)
    _draw_marks(ax, scene, slice(0, last), strong=0.35)
    _draw_marks(ax, scene, slice(last, now), strong=0.7 if whole else 1.0)
    draw_prior(ax, scene.beliefs[last])
    draw_posterior(ax, scene.beliefs[now])
    ax.plot(*scene.means[: now + 1].T, color=palette.INK, lw=1, zorder=4, label="path of the mean")
    if now and not whole:
        draw_move(ax, scene.weights[now - 1], scene.moved[now - 1], names=("", ""))
    ax.set(xlim=(-SPAN, SPAN), ylim=(-SPAN, SPAN), aspect="equal", xlabel="first weight", ylabel="second weight")
    ax.set(xticks=(-2, 0, 2), yticks=(-2, 0, 2))


def _draw_marks(ax: Axes, scene: PseudoScene, rounds: slice, *, strong: float) -> None:
    """Draw discs with a plus and rings with a minus, their area the precision; of a line, a piece through it."""
    places, directions = scene.places[rounds].reshape(-1, 2), scene.directions[rounds].reshape(-1, 2)
    precisions = scene.precisions[rounds].ravel()
    turn = np.linspace(0, 2 * np.pi, 33)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    for side, color, dash in ((1, palette.ADDED, "-"), (-1, palette.REMOVED, (0, (4, 2)))):
        chosen = (side * precisions > 0) & (np.abs(places).max(axis=1, initial=0.0) < 3 * SPAN)
        middle, radius = places[chosen], LARGE * np.sqrt(np.abs(precisions[chosen]) / scene.large)
        look_of: dict[str, Any] = {"color": color, "alpha": strong, "zorder": 5 if strong == 1 else 2.5}
        rings = middle[:, None] + radius[:, None, None] * circle
        if side > 0:
            look_of_disc = {**look_of, "alpha": 0.4 * strong, "lw": 0}
            ax.add_collection(PolyCollection(list(rings), **look_of_disc), autolim=False)
        signs = [[[-0.5, 0], [0.5, 0]], [[0, -0.5], [0, 0.5]]][: 2 if side > 0 else 1]
        strokes = [m + r * np.array(s) for m, r in zip(middle, radius, strict=True) for s in signs]
        lines = LineCollection([*rings, *strokes], lw=1.6 * strong, **look_of)
        ax.add_collection(lines, autolim=False)
        along = directions[chosen][:, ::-1] * (-1, 1)
        near, far = radius[:, None] * along, np.maximum(_REACH, 1.5 * radius)[:, None] * along
        pieces = [[m + s * n, m + s * f] for m, n, f in zip(middle, near, far, strict=True) for s in (-1, 1)]
        if scene.flow != "spherical":
            drawn = LineCollection(pieces, lw=1.8 * strong, ls=dash, **look_of)
            ax.add_collection(drawn, autolim=False)


def _draw_totals(ax: Axes, scene: PseudoScene) -> None:
    """Draw prior plus sum, what has been and faintly what is to come; circles are the precision of the belief."""
    now = scene.now
    rounds = np.arange(len(scene.own_precisions))
    for name, total, dash in zip(TOTALS[scene.flow], scene.own_precisions.T, _DASHES, strict=False):
        ax.plot(rounds, total, color=palette.POSTERIOR, ls=dash, alpha=0.3)
        ax.plot(rounds[: now + 1], total[: now + 1], color=palette.POSTERIOR, ls=dash, label=name)
        ax.plot([now], total[[now]], "s", color=palette.POSTERIOR)
    ax.axvline(now, color=palette.INK, lw=0.8, zorder=1)
    ax.set(xlim=(0, scene.rounds), yscale="log", xlabel="round", ylabel="precision of the belief (1 / weight²)")
    ticks = [
        t
        for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
        if scene.own_precisions.min() / 2 <= t <= 2 * scene.own_precisions.max()
    ]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    circles: dict[str, Any] = {"ls": "none", "marker": "o", "mfc": "none", "ms": 0.5 * rcParams["lines.markersize"]}
    for own in scene.own_precisions[: now + 1].T:
        ax.plot(rounds[: now + 1], own, color=palette.INK, mew=0.6, zorder=3, label="_1/std²", **circles)
    ax.plot([], [], color=palette.INK, mew=0.6, label="of the belief itself (1 / std²)", **circles)
    ax.set_ylim(
        0.8 * scene.own_precisions.min(), 2 * scene.own_precisions.max()
    )  # the legend lies above the highest point
    ax.legend(loc="upper left")
    ax.set_title("Prior plus all points so far: " + " and ".join(f"{t:.2f}" for t in scene.own_precisions[now]))


def _key(ax: Axes, scene: PseudoScene) -> tuple[list[Any], list[str]]:
    known = {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    disc = {"marker": "o", "ls": "none", "ms": 9, "mew": 1.2}
    kind = "point" if scene.flow == "spherical" else "line"
    added = ax.plot([], [], color=palette.ADDED, mfc=(palette.ADDED, 0.5), **disc)[0]  # type: ignore[arg-type]
    removed = ax.plot([], [], color=palette.REMOVED, mfc="none", **disc)[0]  # type: ignore[arg-type]
    star = ax.plot([], [], "*", color=palette.INK, mfc="white", ms=10)[0]
    names = {
        f"{kind} added (+), area: precision": added,
        f"{kind} removed (−)": removed,
        "before": known["prior"],
        "after": known["posterior"],
        "path of the mean": known["path of the mean"],
        "true weight": star,
    }
    return list(names.values()), list(names)
