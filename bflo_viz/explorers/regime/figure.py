"""The state of the regime explorer for print."""

from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.one_update import UpdateView
from bflo_viz.figures.regime_map import PLACES, draw_reference_lines, draw_regime_map, draw_std_map
from bflo_viz.figures.scenes.kl_landscape import kl_landscape
from bflo_viz.figures.scenes.regime_map import RegimeMap, regime_map
from bflo_viz.figures.style import alt_text, look, new_figure, set_alt_text
from bflo_viz.flows import stretch_kl

_SIZES = {"paper": (9.6, 7.4), "slides": (15.0, 11.6)}


class _State(Protocol):
    """What of an explorer is drawn."""

    delta: float
    delta_new: float
    std: float
    branch: int
    non_expansive: bool

    @property
    def belief(self) -> DiagonalBelief: ...
    @property
    def posterior(self) -> DiagonalBelief: ...


def draw(state: _State, style: str) -> Figure:
    """Draw the maps with the point on them, the beliefs and the landscape, all in prior standard deviations."""
    u, v = state.delta / state.std, state.delta_new / state.std
    with look(style):
        figure = new_figure(*_SIZES[style], layout="none")
        (mean, width), (beliefs, landscape) = figure.subplots(2, 2)
        figure.subplots_adjust(left=0.07, right=0.92, top=0.92, bottom=0.08, wspace=0.42, hspace=0.4)
        draw_regime_map(_map(state), axes=[mean, width], style=style)
        for ax in (mean, width):
            _draw_ring(ax, u, v)
        words = f"{_draw_beliefs(beliefs, u, v, state)} {alt_text(figure)} A ring marks the update on both maps."
        _draw_landscape(landscape, u, v, state)
    set_alt_text(figure, words)
    return figure


def draw_small(state: _State) -> Figure:
    """Draw what a notebook stores: the map of the width and the beliefs. It is made before anything can be shown."""
    u, v = state.delta / state.std, state.delta_new / state.std
    scene = _map(state)
    with look():
        figure = new_figure(9.0, 3.6, layout="none")
        width, beliefs = figure.subplots(1, 2, width_ratios=(1, 1.5))
        figure.subplots_adjust(left=0.06, right=0.98, top=0.91, bottom=0.14, wspace=0.18)
        draw_std_map(width, scene)
        draw_reference_lines(width, scene)
        for name, place in PLACES.items():
            x, y = scene.delta[-1] * np.array(place)
            for side in (1, -1):
                width.text(side * x, side * y, name.value, ha="center", va="center", fontsize="small", weight="bold")
        width.set(xlabel="Δ: weight before (prior std)", ylabel="Δ′: weight after (prior std)")
        width.set_title("Posterior std: orange narrower, violet wider")
        _draw_ring(width, u, v)
        words = _draw_beliefs(beliefs, u, v, state)
    set_alt_text(figure, f"{words} A ring marks the update on a map of the posterior width over Δ and Δ′.")
    return figure


def _map(state: _State) -> RegimeMap:
    span = max(4.0, 1.05 * abs(state.delta / state.std), 1.05 * abs(state.delta_new / state.std))
    return regime_map(branch=state.branch, non_expansive=state.non_expansive, points=81, span=span)


def _draw_ring(ax: Axes, u: float, v: float) -> None:
    ax.plot([u], [v], "o", ms=11, mew=2.2, color=palette.INK, mfc="none", zorder=6, label="here")


def _draw_beliefs(ax: Axes, u: float, v: float, state: _State) -> str:
    """Draw prior, posterior and weight; return it in words."""
    reach = max(5.0, 1.1 * abs(u), 1.1 * abs(v))
    view, one = UpdateView(ax, span=(-reach, reach)), DiagonalBelief([0.0], [1.0])
    post = one.flow([u], [v], branch=state.branch, non_expansive=state.non_expansive)
    view.show(one, post, u, v, branch=state.branch)
    ax.legend(loc="upper left")
    return f"In prior standard deviations (here {state.std:g}): {view.alt}"


def _draw_landscape(ax: Axes, u: float, v: float, state: _State) -> None:
    """KL by stretch: the point that was taken is full, the lowest point of the other branch hollow."""
    taken = state.branch * float(state.posterior.std[0] / state.belief.std[0])
    span = 2.5 if abs(taken) < 2.3 else 1.1 * abs(taken)
    (panel,) = kl_landscape([(u, v)], span=span).panels
    other = panel.reflected if state.branch > 0 else panel.picked
    cost = stretch_kl(taken, u, v)
    ax.plot(panel.stretch, panel.kl, color=palette.INK, label="KL")
    ax.plot(panel.stretch, panel.mean_term, color=palette.PRIOR, ls="--", lw=1, label="its part for the mean")
    dot: dict[str, Any] = {
        "marker": "o",
        "ls": "none",
        "ms": 8,
        "mew": 1.5,
        "color": palette.POSTERIOR,
        "clip_on": False,
        "zorder": 3,
    }
    ax.plot([taken], [cost], label="taken", **dot)
    ax.plot([other.stretch], [other.kl], label="other branch", mfc="white", **dot)
    ax.set(xlim=(-span, span), ylim=(0, max(4.0, 1.5 * float(np.max([cost, other.kl])))))
    ax.set(xlabel="stretch a; |a| = posterior std / prior std", ylabel="KL divergence (nats)")
    ax.set_title(f"Stretch a = {taken:.3f} costs {cost:.3f} nats".replace("-", "−"))
    ax.legend(loc="upper center")
