"""The state of the pseudo dataset explorer for print."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from bflo_viz.explorers.pseudo.run import ROUNDS, Run
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import draw_move, draw_posterior, draw_prior
from bflo_viz.figures.style import look, new_figure, set_alt_text

SPAN = 3.2  # of the weights that are shown, the same for all runs
LARGE = 0.3  # radius of a mark of large precision, in weights
TOTALS = {
    "spherical": ["precision of each weight"],
    "diagonal": ["precision of w₁", "precision of w₂"],
    "full": ["precision in all directions together (trace)"],
}
_SIZES = {"paper": (9.6, 4.9), "slides": (15.6, 8.0)}
_DASHES = ("-", "--")
_REACH = 0.55  # half the length of the piece of a line that is drawn, in weights


def draw(run: Run, problem: str, after: int, style: str) -> Figure:
    """Draw the weights with what was added and removed so far, and how the precision came about."""
    with look(style):
        figure = new_figure(*_SIZES[style], layout="none")
        plane, total = figure.subplots(1, 2, width_ratios=(1.1, 1))
        figure.subplots_adjust(left=0.06, right=0.985, top=0.92, bottom=0.2, wspace=0.2)
        _draw_plane(plane, run, after)
        plane.set_title(f"{run.flow.capitalize()} flow, {problem}: round {after} of {ROUNDS}")
        _draw_totals(total, run, after)
        figure.legend(*_key(plane, run), loc="lower center", ncols=6, columnspacing=1.2)
    set_alt_text(figure, _in_words(run, problem, after))
    return figure


def _draw_plane(ax: Axes, run: Run, after: int) -> None:
    means = np.array([belief.mean for belief in run.beliefs[: after + 1]])
    ax.plot(*run.true[: after + 1].T, color=palette.INK, lw=0.7, ls=":")
    ax.plot([0, run.true[after, 0]], [0, run.true[after, 1]], color=palette.FAINT, lw=1, zorder=1)
    ax.plot(*run.true[after], "*", color=palette.INK, mfc="white", ms=2 * rcParams["lines.markersize"], zorder=6)
    for rounds, newest in ((slice(0, max(0, after - 1)), False), (slice(max(0, after - 1), after), True)):
        _draw_marks(ax, run, rounds, newest=newest)
    draw_prior(ax, run.beliefs[max(0, after - 1)])
    draw_posterior(ax, run.beliefs[after])
    ax.plot(*means.T, color=palette.INK, lw=1, zorder=4, label="path of the mean")
    if after:
        draw_move(ax, run.weights[after - 1], run.moved[after - 1], names=("", ""))
    ax.set(xlim=(-SPAN, SPAN), ylim=(-SPAN, SPAN), aspect="equal", xlabel="first weight", ylabel="second weight")
    ax.set(xticks=(-2, 0, 2), yticks=(-2, 0, 2))


def _draw_marks(ax: Axes, run: Run, rounds: slice, *, newest: bool) -> None:
    """Draw discs with a plus and rings with a minus, their area the precision; of a line, a piece through it."""
    places, directions = run.places[rounds].reshape(-1, 2), run.directions[rounds].reshape(-1, 2)
    precisions = run.precisions[rounds].ravel()
    turn = np.linspace(0, 2 * np.pi, 33)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    for side, color, dash in ((1, palette.ADDED, "-"), (-1, palette.REMOVED, (0, (4, 2)))):
        chosen = (side * precisions > 0) & (np.abs(places).max(axis=1, initial=0.0) < 3 * SPAN)
        middle, radius = places[chosen], LARGE * np.sqrt(np.abs(precisions[chosen]) / run.large)
        look_of: dict[str, Any] = {"color": color, "alpha": 1.0 if newest else 0.35, "zorder": 5 if newest else 2}
        rings = middle[:, None] + radius[:, None, None] * circle
        if side > 0:
            look_of_disc = {**look_of, "alpha": 0.45 if newest else 0.12, "lw": 0}
            ax.add_collection(PolyCollection(list(rings), **look_of_disc), autolim=False)
        signs = [[[-0.5, 0], [0.5, 0]], [[0, -0.5], [0, 0.5]]][: 2 if side > 0 else 1]
        strokes = [m + r * np.array(s) for m, r in zip(middle, radius, strict=True) for s in signs]
        lines = LineCollection([*rings, *strokes], lw=1.6 if newest else 0.7, **look_of)
        ax.add_collection(lines, autolim=False)
        along = directions[chosen][:, ::-1] * (-1, 1)
        near, far = radius[:, None] * along, np.maximum(_REACH, 1.5 * radius)[:, None] * along
        pieces = [[m + s * n, m + s * f] for m, n, f in zip(middle, near, far, strict=True) for s in (-1, 1)]
        if run.flow != "spherical":
            drawn = LineCollection(pieces, lw=1.8 if newest else 0.7, ls=dash, **look_of)
            ax.add_collection(drawn, autolim=False)


def _draw_totals(ax: Axes, run: Run, after: int) -> None:
    """Draw prior plus sum, what has been and faintly what is to come."""
    rounds = np.arange(len(run.totals))
    for name, total, dash in zip(TOTALS[run.flow], run.totals.T, _DASHES, strict=False):
        ax.plot(rounds, total, color=palette.POSTERIOR, ls=dash, alpha=0.3)
        ax.plot(rounds[: after + 1], total[: after + 1], color=palette.POSTERIOR, ls=dash, label=name)
        ax.plot([after], total[[after]], "s", color=palette.POSTERIOR)
    ax.axvline(after, color=palette.INK, lw=0.8, zorder=1)
    ax.set(xlim=(0, ROUNDS), yscale="log", xlabel="round", ylabel="precision of the belief (1 / weight²)")
    ticks = [t for t in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if run.totals.min() / 2 <= t <= 2 * run.totals.max()]
    ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.legend(loc="upper left")
    ax.set_title("Prior plus all points so far: " + " and ".join(f"{t:.2f}" for t in run.totals[after]))


def _key(ax: Axes, run: Run) -> tuple[list[Any], list[str]]:
    known = {label: handle for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    disc = {"marker": "o", "ls": "none", "ms": 9, "mew": 1.2}
    kind = "point" if run.flow == "spherical" else "line"
    added = ax.plot([], [], color=palette.ADDED, mfc=(palette.ADDED, 0.5), **disc)[0]  # type: ignore[arg-type]
    removed = ax.plot([], [], color=palette.REMOVED, mfc="none", **disc)[0]  # type: ignore[arg-type]
    star = ax.plot([], [], "*", color=palette.INK, mfc="white", ms=10)[0]
    names = {
        f"{kind} added (+), area: precision": added,
        f"{kind} removed (−)": removed,
        "before": known["prior"],
        "after the round": known["posterior"],
        "path of the mean": known["path of the mean"],
        "true weight": star,
    }
    return list(names.values()), list(names)


def _in_words(run: Run, problem: str, after: int) -> str:
    """What is to be seen."""
    so_far = run.precisions[:after]
    added, removed = (int(np.count_nonzero(side * so_far > 0)) for side in (1, -1))
    kind = "pseudo-points" if run.flow == "spherical" else "pseudo-observations, each a line of weights,"
    return f"""A {run.flow} belief flow on the problem {problem!r} after {after} of {ROUNDS} rounds. Left: the
        weights, with {added} {kind} added so far as blue discs with a plus and {removed} removed as red rings with a
        minus, areas by precision, the newest strong; the belief before the round as grey outlines and after it
        filled in vermilion, the path of its mean, and the true weight as a star. Right:
        {", ".join(TOTALS[run.flow])}, prior plus all points, over rounds. {run.sentence(after)}"""
