"""The three flows of one step, for print."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.flow.losses import HESSIANS
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse
from bflo_viz.figures.flow_types import draw_flow_types
from bflo_viz.figures.scenes.flow_types import FlowTypes, compare_flows
from bflo_viz.figures.style import alt_text, look, new_figure, set_alt_text

_SIZES = {"paper": (9.6, 4.3), "slides": (15.0, 6.8)}
_LEVELS = range(1, 9)


class _State(Protocol):
    """What of an explorer is drawn."""

    w: list[float]
    w_new: list[float]
    rule: str
    non_expansive: bool
    gradient_step: bool
    loss: str
    optimum: list[float]
    eta: float

    @property
    def belief(self) -> Mapping[str, Belief]: ...


def draw(state: _State, style: str) -> Figure:
    """Draw the posteriors and the flow fields side by side and, for a gradient step, the loss behind them."""
    scene = compare_flows(state.belief, state.w, state.w_new, non_expansive=state.non_expansive, rule=state.rule)
    with look(style):
        figure = new_figure(*_SIZES[style], layout="none")
        axes = figure.subplots(1, 3)
        figure.subplots_adjust(left=0.07, right=0.99, top=0.9, bottom=0.12, wspace=0.07)
        draw_flow_types(scene, axes=axes, style=style)
        for ax, flow in zip(axes, scene.flows, strict=True):
            if flow is not scene.flows[0]:
                _draw_ellipse(ax, scene.flows[0].prior)
            if state.gradient_step:
                _draw_loss(ax, state, scene)
    if state.gradient_step:
        x, y = state.optimum
        at = f"({x:z.2f}, {y:z.2f})"
        words = f"The step is a gradient step, eta {state.eta:.2f}, on a quadratic loss ({state.loss}) around {at}."
        set_alt_text(figure, f"{alt_text(figure)} {words} Thin lines are its levels.")
    return figure


def _draw_ellipse(ax: Axes, full: Belief) -> None:
    """The prior of the full flow, dashed: a diagonal or a spherical belief can only come near to it."""
    for sigmas in (1.0, 2.0):
        dashed = {"ec": palette.PRIOR, "fc": "none", "ls": (0, (4, 3)), "lw": 0.8, "zorder": 2.9, "label": "ellipse"}
        covariance_ellipse(ax, full.mean, full.covariance, sigmas, **dashed)


def _draw_loss(ax: Axes, state: _State, scene: FlowTypes) -> None:
    """Levels of the loss, one unit apart where it is steepest, and a cross at its lowest point."""
    inside = ax.get_xlim(), ax.get_ylim()
    field = Rectangle(scene.low.tolist(), *(scene.high - scene.low).tolist(), transform=ax.transData)
    shape = np.asarray(np.linalg.inv(HESSIANS[state.loss]), dtype=np.float64)
    for level in _LEVELS:
        thin = {"ec": (palette.INK, 0.45), "fc": "none", "lw": 0.6, "zorder": 0.9, "label": "loss"}
        line = covariance_ellipse(ax, np.array(state.optimum), shape, level, **thin)
        line.set_clip_path(field)  # below the field there are words
    ax.plot(*state.optimum, "+", color=palette.INK, ms=11, mew=1.8, zorder=4.2, label="optimum")
    ax.set(xlim=inside[0], ylim=inside[1])
