"""The state of the regime explorer for print."""

from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.one_update import UpdateView
from bflo_viz.figures.regime_map import draw_regime_map
from bflo_viz.figures.scenes.kl_landscape import kl_landscape
from bflo_viz.figures.scenes.regime_map import regime_map
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
        scene = regime_map(
            branch=state.branch,
            non_expansive=state.non_expansive,
            points=81,
            span=max(4.0, 1.05 * abs(u), 1.05 * abs(v)),
        )
        draw_regime_map(scene, axes=[mean, width], style=style)
        for ax in (mean, width):
            ax.plot([u], [v], "o", ms=11, mew=2.2, color=palette.INK, mfc="none", zorder=6, label="here")
        words = alt_text(figure)
        reach = max(5.0, 1.1 * abs(u), 1.1 * abs(v))
        view = UpdateView(beliefs, span=(-reach, reach))
        one = DiagonalBelief([0.0], [1.0])
        post = one.flow([u], [v], branch=state.branch, non_expansive=state.non_expansive)
        view.show(one, post, u, v, branch=state.branch)
        beliefs.legend(loc="upper left")
        _draw_landscape(landscape, u, v, state)
    unit = f"In prior standard deviations (here {state.std:g}):"
    set_alt_text(figure, f"{unit} {view.alt} {words} A ring marks the update on both maps.")
    return figure


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
