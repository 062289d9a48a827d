"""Flows in weight space: three kinds side by side (Figure 2a)."""

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.linalg import norm
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.figures import palette
from bflo_viz.figures.marks import draw_move, draw_posterior, draw_prior, number
from bflo_viz.figures.style import COLUMN, figure, panels

SHORTENED = 4  # arrows of a flow field at their full length would hide the beliefs


class Flow(NamedTuple):
    """One type of flow after a step: ``moved`` is where it takes the grid, ``angle`` how far it turns."""

    name: str
    prior: Belief
    posterior: Belief
    moved: Floats
    angle: float  # degrees, anticlockwise
    kl: float  # KL(posterior ‖ prior), nats


class FlowTypes(NamedTuple):
    """The sampled weight before and after its step, and the three flows of a standard normal that agree with it."""

    w: Floats
    w_new: Floats
    grid: Floats  # (side, side, 2), in a square that holds all beliefs
    flows: tuple[Flow, ...]

    def rank(self, flow: Flow) -> str:
        """Return no, least, more or most change, by KL as it is written; of two equal ones none is the least."""
        own = float(f"{flow.kl:.3f}")
        others = [float(f"{other.kl:.3f}") for other in self.flows if other.name != flow.name]
        if own == 0:
            return "no"
        if own < min(others) or own > max(others):
            return "least" if own < min(others) else "most"
        return "less" if own < max(others) and own == min(others) else "more"


def flow_types(
    w: ArrayLike = (1.8, -0.4),
    w_new: ArrayLike = (0.8, 0.9),
    *,
    non_expansive: bool = False,
    rule: str = "printed",
) -> FlowTypes:
    """Move a standard normal over two weights by the full, the diagonal and the spherical flow (Figure 2a).

    The weight was sampled at ``w`` and stepped to ``w_new``. For the options see `SphericalBelief.flow`; ``rule`` is
    for the spherical flow only.
    """
    w, w_new = check.vector("w", w, 2), check.vector("w_new", w_new, 2)
    zero = np.zeros(2)
    priors = {
        "full": FullBelief(zero, np.eye(2)),
        "diagonal": DiagonalBelief(zero, 1.0),
        "spherical": SphericalBelief(zero, 1.0),
    }
    options: dict[str, dict[str, Any]] = {name: {"non_expansive": non_expansive} for name in priors}
    options["spherical"]["rule"] = rule
    posteriors = {name: prior.flow(w, w_new, **options[name]) for name, prior in priors.items()}
    low, high = _square([*priors.values(), *posteriors.values()], np.array([w, w_new]))
    steps = (np.arange(9) + 0.5) / 9
    grid = np.stack(np.meshgrid(*(low + np.multiply.outer(steps, high - low)).T), axis=-1)
    flows = []
    for name, prior in priors.items():
        moved = prior.transport(grid, w, w_new, **options[name])
        angle = _angle(prior.affine_map(w, w_new, **options[name]).A)
        post = posteriors[name]
        flows.append(Flow(name, prior, post, moved, angle, post.kl(prior)))
    return FlowTypes(w, w_new, grid, tuple(flows))


def _square(beliefs: list[Belief], points: Floats) -> tuple[Floats, Floats]:
    """Return corners of a square around points and the 2 sigma ellipses of beliefs, with a margin."""
    reach = [2 * np.sqrt(np.diag(belief.covariance)) for belief in beliefs]
    low = np.min([*(b.mean - r for b, r in zip(beliefs, reach, strict=True)), *points], axis=0)
    high = np.max([*(b.mean + r for b, r in zip(beliefs, reach, strict=True)), *points], axis=0)
    half = 0.56 * float((high - low).max())
    return (low + high) / 2 - half, (low + high) / 2 + half


def _angle(A: Floats) -> float:
    """Return the degrees by which a 2 × 2 matrix turns the plane: those of the rotation nearest to it."""
    across, along = A[1, 0] - A[0, 1], A[0, 0] + A[1, 1]
    # What is left of a symmetric matrix is rounding; such a matrix turns by half or not at all.
    return float(np.degrees(np.arctan2(across if abs(across) > 1e-12 * norm(A.ravel()) else 0.0, along)))


@figure("One prior, one step, three posteriors (Fig. 2a)")
def draw_flow_types(found: FlowTypes | None = None) -> tuple[Figure, str]:
    """Draw the three posteriors and their flow fields."""
    found = found or flow_types()
    picture, places = panels(1, 3, (COLUMN, 3.7), sharey=True)
    for ax, flow in zip(places, found.flows, strict=True):
        _draw_flow(ax, found, flow)
    places[0].set_ylabel("second weight (prior std)")
    outlines = {patch.get_label(): patch for patch in places[0].patches}
    arrow = Line2D([], [], color=palette.FAINT, marker=">")
    names = "prior, 1 and 2 std", "posterior, 1 and 2 std", f"flow, arrows at 1/{SHORTENED} of their length"
    keys = [outlines["prior"], outlines["posterior"], arrow]
    picture.legend(keys, names, loc="outside lower center", ncols=3)
    parts = "; ".join(
        f"the {flow.name} flow turns by {number(flow.angle, 0)}° at a KL of {number(flow.kl, 3)} nats"
        for flow in found.flows
    )
    return picture, f"Three flows carry a sampled weight as it steps, and make three different posteriors: {parts}."


def _draw_flow(ax: Axes, found: FlowTypes, flow: Flow) -> None:
    step = (flow.moved - found.grid).reshape(-1, 2)
    arrows: dict[str, Any] = {"angles": "xy", "scale_units": "xy", "scale": SHORTENED, "width": 0.004}
    ax.quiver(*found.grid.reshape(-1, 2).T, *step.T, color=palette.FAINT, zorder=1, label="flow", **arrows)
    draw_prior(ax, flow.prior)
    draw_posterior(ax, flow.posterior)
    draw_move(ax, found.w, found.w_new)
    size = abs(flow.angle)
    turn = "does not turn" if size == 0 else "hardly turns" if size < 0.05 else f"turns {size:.{int(size < 1)}f}°"
    ax.set(title=f"{flow.name.capitalize()} {turn}:\n{found.rank(flow)} change", xlabel="first weight (prior std)")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    half = (found.grid[0, 1, 0] - found.grid[0, 0, 0]) / 2
    low, high = found.grid[0, 0] - half, found.grid[-1, -1] + half
    below = 0.16 * float(high[0] - low[0])  # room for the KL
    ax.set(xlim=(low[0], high[0]), ylim=(low[1] - below, high[1]), aspect="equal")
    ax.text(0.03, 0.02, f"KL: {flow.kl:.3f} nats", transform=ax.transAxes)
