"""The full, the diagonal and the spherical flow side by side (Figure 2a of the paper)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import covariance_ellipse, draw_move, draw_posterior, draw_prior, write_beside
from bflo_viz.figures.style import draws, panels
from bflo_viz.flows import norm
from bflo_viz.scenes.base import signed
from bflo_viz.scenes.two_dimensions import HESSIANS, SHORTENED, Flow, FlowTypes, QuadraticLoss, flow_types

_LEVELS = range(1, 9)


@draws(flow_types)
def draw_flow_types(scene: FlowTypes, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw the three posteriors, their flow fields, and the loss if there is one; ``axes``, if given, are three."""
    figure, places = panels(axes, (1, 3), (9.6, 4.3), style, layout="compressed")
    for ax, flow in zip(places, scene.flows, strict=True):
        _draw_flow(ax, scene, flow)
        if not scene.is_isotropic and flow is not scene.flows[0]:
            _draw_ellipse(ax, scene.flows[0].prior)
        if scene.loss is not None:
            _draw_loss(ax, scene, scene.loss)
    places[0].set_ylabel(_unit(scene, "second"))
    for ax in places[1:]:
        ax.tick_params(labelleft=False)
    _name_beliefs(places[0], scene, scene.flows[0])
    return figure


def _draw_flow(ax: Axes, scene: FlowTypes, flow: Flow) -> None:
    size = float(scene.high[0] - scene.low[0])
    step = flow.moved - scene.grid
    ax.quiver(
        *scene.grid.reshape(-1, 2).T,
        *step.reshape(-1, 2).T,
        angles="xy",
        scale_units="xy",
        scale=SHORTENED,
        color=palette.FAINT,
        width=0.006,
        zorder=1,
        label="flow",
    )
    draw_prior(ax, flow.prior)
    draw_posterior(ax, flow.posterior)
    draw_move(ax, scene.w, scene.w_new)
    ax.set_title(_title(scene, flow))
    ax.set_xlabel(_unit(scene, "first"))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    ax.set(xlim=(scene.low[0], scene.high[0]), ylim=(scene.low[1] - 0.2 * size, scene.high[1]), aspect="equal")
    words = f"KL {flow.kl:.3f} nats\nentropy {signed(flow.entropy_change, 3)} nats"
    ax.text(0.03, 0.02, words, transform=ax.transAxes, linespacing=1.4)


def _name_beliefs(ax: Axes, scene: FlowTypes, flow: Flow) -> None:
    """Name the posterior where it is widest and the prior around it, each away from the weights."""
    taken = [scene.w, scene.w_new]
    variances, directions = np.linalg.eigh(flow.posterior.covariance)
    wide = 1.5 * np.sqrt(variances[-1]) * directions[:, -1]
    place = max((flow.posterior.mean - wide, flow.posterior.mean + wide), key=lambda at: _room(at, taken))
    ax.text(place[0], place[1], "posterior", ha="center", va="center", zorder=6)
    precision = np.linalg.inv(flow.prior.covariance)
    around = [np.array(side) for side in ((0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0))]
    edges = [2 * side / np.sqrt(side @ precision @ side) for side in around]  # of the outer ellipse
    rooms = [_room(flow.prior.mean + edge, [*taken, place]) for edge in edges]
    enough = (i for i, room in enumerate(rooms) if room > 0.5 * norm(edges[i]))
    best = next(enough, int(np.argmax(rooms)))
    write_beside(ax, "prior", flow.prior.mean + edges[best], around[best], color=palette.PRIOR)
    note = f"arrows drawn at\n1/{SHORTENED} of their length"
    ax.text(0.98, 0.02, note, transform=ax.transAxes, ha="right", linespacing=1.4, color=palette.PRIOR)


def _room(point: Floats, taken: list[Floats]) -> float:
    return float(np.min(np.linalg.norm(np.subtract(taken, point), axis=1)))


def _title(scene: FlowTypes, flow: Flow) -> str:
    size = abs(flow.angle)
    turn = "does not turn" if size == 0 else "hardly turns" if size < 0.05 else f"turns {size:.{int(size < 1)}f}°"
    return f"{flow.name.capitalize()} {turn}: {scene.rank(flow)} change"


def _draw_ellipse(ax: Axes, full: Belief) -> None:
    """The prior of the full flow, dashed: a diagonal or a spherical belief can only come near to it."""
    for sigmas in (1.0, 2.0):
        dashed = {"ec": palette.PRIOR, "fc": "none", "ls": (0, (4, 3)), "lw": 0.8, "zorder": 2.9, "label": "ellipse"}
        covariance_ellipse(ax, full.mean, full.covariance, sigmas, **dashed)


def _draw_loss(ax: Axes, scene: FlowTypes, loss: QuadraticLoss) -> None:
    """Levels of the loss, one unit apart where it is steepest, and a cross at its lowest point."""
    inside = ax.get_xlim(), ax.get_ylim()
    field = Rectangle(scene.low.tolist(), *(scene.high - scene.low).tolist(), transform=ax.transData)
    shape = np.asarray(np.linalg.inv(HESSIANS[loss.name]), dtype=np.float64)
    for level in _LEVELS:
        thin = {"ec": (palette.INK, 0.45), "fc": "none", "lw": 0.6, "zorder": 0.9, "label": "loss"}
        line = covariance_ellipse(ax, np.array(loss.optimum), shape, level, **thin)
        line.set_clip_path(field)  # below the field there are words
    ax.plot(*loss.optimum, "+", color=palette.INK, ms=11, mew=1.8, zorder=4.2, label="optimum")
    ax.set(xlim=inside[0], ylim=inside[1])


def _unit(scene: FlowTypes, which: str) -> str:
    if not scene.is_isotropic:
        return f"{which} weight"
    return f"{which} weight (prior std {scene.flows[0].prior.covariance[0, 0] ** 0.5:g})"
