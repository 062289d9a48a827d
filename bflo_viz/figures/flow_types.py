"""The full, the diagonal and the spherical flow side by side (Figure 2a of the paper)."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.ellipses import draw_move, draw_posterior, draw_prior, write_beside
from bflo_viz.figures.scenes.flow_types import Flow, FlowTypes
from bflo_viz.figures.style import look, new_figure, set_alt_text
from bflo_viz.flows import norm

_SHORTENED = 4  # arrows of the field at their full length would hide the beliefs
_SIZES = {"paper": (9.6, 4.3), "slides": (15.0, 6.8)}


def draw_flow_types(scene: FlowTypes, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw the three posteriors and their flow fields; ``axes``, if given, are three."""
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style], layout="compressed")
            axes = [figure.add_subplot(1, 3, i + 1) for i in range(3)]
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for ax, flow in zip(axes, scene.flows, strict=True):
            _draw_flow(ax, scene, flow)
        axes[0].set_ylabel(_unit(scene, "second"))
        for ax in axes[1:]:
            ax.tick_params(labelleft=False)
        _name_beliefs(axes[0], scene, scene.flows[0])
    set_alt_text(figure, _in_words(scene))
    return figure


def _draw_flow(ax: Axes, scene: FlowTypes, flow: Flow) -> None:
    size = float(scene.high[0] - scene.low[0])
    step = flow.moved - scene.grid
    ax.quiver(
        *scene.grid.reshape(-1, 2).T,
        *step.reshape(-1, 2).T,
        angles="xy",
        scale_units="xy",
        scale=_SHORTENED,
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
    words = f"KL {flow.kl:.3f} nats\nentropy {_signed(flow.entropy_change)} nats".replace("-", "−")
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
    note = f"arrows drawn at\n1/{_SHORTENED} of their length"
    ax.text(0.98, 0.02, note, transform=ax.transAxes, ha="right", linespacing=1.4, color=palette.PRIOR)


def _room(point: Floats, taken: list[Floats]) -> float:
    return float(np.min(np.linalg.norm(np.subtract(taken, point), axis=1)))


def _title(scene: FlowTypes, flow: Flow) -> str:
    size = abs(flow.angle)
    turn = "does not turn" if size == 0 else "hardly turns" if size < 0.05 else f"turns {size:.{int(size < 1)}f}°"
    return f"{flow.name.capitalize()} {turn}: {_rank(scene, flow)} change"


def _rank(scene: FlowTypes, flow: Flow) -> str:
    """Least, more or most, by KL; flows that change the belief equally share a word."""
    less = sum(other.kl < flow.kl - 1e-9 for other in scene.flows)
    more = sum(other.kl > flow.kl + 1e-9 for other in scene.flows)
    return "least" if not less else "more" if more else "most"


def _unit(scene: FlowTypes, which: str) -> str:
    if not _isotropic(scene):
        return f"{which} weight"
    return f"{which} weight (prior std {scene.flows[0].prior.covariance[0, 0] ** 0.5:g})"


def _isotropic(scene: FlowTypes) -> bool:
    """Whether all three flows start from one belief, which is as wide in every direction."""
    circle = scene.flows[-1].prior.covariance
    return all(np.abs(flow.prior.covariance - circle).max() <= 1e-9 * circle.max() for flow in scene.flows)


def _in_words(scene: FlowTypes) -> str:
    def at(point: object) -> str:
        return "({:.2f}, {:.2f})".format(*point)  # type: ignore[misc]

    parts = [
        f"{flow.name}, mean at {at(flow.posterior.mean)}, {_turned(flow)}, "
        f"KL {flow.kl:.3f} nats, entropy {_signed(flow.entropy_change)} nats"
        for flow in scene.flows
    ]
    least = [f"the {flow.name} flow" for flow in scene.flows if _rank(scene, flow) == "least"]
    return (
        f"Three panels show {_prior_in_words(scene)} around {at(scene.flows[0].prior.mean)} and the posteriors of "
        f"three flows that all carry the sampled weight from {at(scene.w)} to {at(scene.w_new)}: {'; '.join(parts)}. "
        f"The belief changes least by {' and '.join(least)}. Faint arrows show where each flow takes the plane, at "
        f"1/{_SHORTENED} of their length."
    )


def _prior_in_words(scene: FlowTypes) -> str:
    return "one isotropic prior" if _isotropic(scene) else "one prior, as near as each type of belief comes to it,"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no minus before a zero


def _turned(flow: Flow) -> str:
    return "no turn" if flow.angle == 0 else f"turned by {flow.angle:.0f} degrees"
