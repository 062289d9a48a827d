"""Two weights: one prior and one moved weight, read by the three flows (Figure 2a of the paper)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.flows import norm
from bflo_viz.scenes.base import Scene, minus, number, place, signed

SHORTENED = 4  # arrows of a flow field at their full length would hide the beliefs
# No direction is steeper than 1: a step of eta 2 mirrors it, and no step within 0 … 2 makes the loss grow.
HESSIANS: dict[str, Floats] = {
    "round": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "valley": np.array([[0.2, 0.0], [0.0, 1.0]]),
    "tilted": np.array([[0.6, -0.4], [-0.4, 0.6]]),
}


@dataclass(frozen=True)
class QuadraticLoss:
    """A loss ½ (w − optimum)ᵀ H (w − optimum) whose H has a name in `HESSIANS`, and the size of a step down it."""

    name: str
    optimum: tuple[float, float]
    eta: float

    def step(self, w: ArrayLike, reach: float = math.inf) -> Floats:
        """Where a gradient step takes ``w``; it ends where it would leave the square from −reach to reach.

        >>> QuadraticLoss("round", (0.0, 0.0), 0.5).step([1.0, 2.0])
        array([0.5, 1. ])
        """
        start = np.asarray(w, dtype=np.float64)
        # Summed by hand, as the browser does: the two must agree to the bit, or each would correct the other.
        step = -self.eta * (HESSIANS[self.name] * (start - np.asarray(self.optimum))).sum(axis=1)
        moving = step != 0
        room = (reach - np.sign(step[moving]) * start[moving]) / np.abs(step[moving])
        share = max(0.0, min([1.0, *room.tolist()]))
        return np.asarray(np.clip(start + share * step, -reach, reach))


@dataclass(frozen=True, eq=False)
class Flow:
    """What one type of flow makes of the step: ``moved`` is where it takes the grid, ``angle`` how far it turns."""

    name: str
    prior: Belief
    posterior: Belief
    moved: Floats
    angle: float  # degrees, anticlockwise
    kl: float  # KL(posterior ‖ prior), nats
    entropy_change: float  # nats


@dataclass(frozen=True, eq=False)
class FlowTypes(Scene):
    """One prior, the sampled weight before and after its step, and the three flows that agree with it.

    ``grid`` has shape ``(side, side, 2)``; ``low`` and ``high`` are corners of a square that holds all of it.
    ``loss`` is what the weight stepped down, None if it was moved by hand.
    """

    w: Floats
    w_new: Floats
    grid: Floats
    low: Floats
    high: Floats
    flows: tuple[Flow, ...]
    rule: str
    non_expansive: bool
    loss: QuadraticLoss | None = None

    @property
    def is_isotropic(self) -> bool:
        """Whether all three flows start from one belief, which is as wide in every direction."""
        circle = self.flows[-1].prior.covariance
        return all(np.abs(flow.prior.covariance - circle).max() <= 1e-9 * circle.max() for flow in self.flows)

    def rank(self, flow: Flow) -> str:
        """Least, more or most change, by KL; flows that change the belief equally share a word."""
        less = sum(other.kl < flow.kl - 1e-9 for other in self.flows)
        more = sum(other.kl > flow.kl + 1e-9 for other in self.flows)
        return "least" if not less else "more" if more else "most"

    def _words(self) -> str:
        parts = [
            f"{flow.name}, mean at {place(flow.posterior.mean)}, {_turned(flow)}, "
            f"entropy {signed(flow.entropy_change, 3)} nats"
            for flow in self.flows
        ]
        costs = ", ".join(f"{flow.name} {number(flow.kl, 3)}" for flow in self.flows)
        least = " and ".join(f"the {flow.name} flow" for flow in self.flows if self.rank(flow) == "least")
        prior = (
            "one isotropic prior" if self.is_isotropic else "one prior, as near as each type of belief comes to it,"
        )
        words = f"""Three panels show {prior} around {place(self.flows[0].prior.mean)} and the posteriors of three
            flows that all carry the sampled weight from {place(self.w)} to {place(self.w_new)}: {"; ".join(parts)}.
            Their KL from the prior, in nats: {costs}. The belief changes least by {least}. Faint arrows show where
            each flow takes the plane, at 1/{SHORTENED} of their length."""
        if self.loss is None:
            return words
        return f"""{words} The step is a gradient step, eta {self.loss.eta:.2f}, on a {self.loss.name} quadratic loss
            around {place(self.loss.optimum)}. Thin lines are its levels."""


def _turned(flow: Flow) -> str:
    return "no turn" if flow.angle == 0 else minus(f"turned by {flow.angle:.0f} degrees")


def flow_types(
    mean: ArrayLike = (0.0, 0.0),
    std: float = 1.0,
    w: ArrayLike = (1.8, -0.4),
    w_new: ArrayLike = (0.8, 0.9),
    *,
    non_expansive: bool = False,
    rule: str = "printed",
    side: int = 9,
) -> FlowTypes:
    """Move one Gaussian of two independent, equally wide weights by the full, the diagonal and the spherical flow.

    Parameters
    ----------
    mean, std
        The prior: isotropic, so that all three flows start from the same belief.
    w, w_new
        The sampled weight, before and after its step.
    non_expansive, rule
        See `SphericalBelief.flow`; ``rule`` is for the spherical flow only.
    side
        The flow fields are shown on a grid of ``side`` times ``side`` points.
    """
    spherical = SphericalBelief(check.vector("mean", mean, 2), std)
    priors = {
        "full": FullBelief(spherical.mean, spherical.covariance),
        "diagonal": DiagonalBelief(spherical.mean, std),
        "spherical": spherical,
    }
    return compare_flows(priors, w, w_new, non_expansive=non_expansive, rule=rule, side=side)


def compare_flows(
    priors: Mapping[str, Any],
    w: ArrayLike,
    w_new: ArrayLike,
    *,
    non_expansive: bool = False,
    rule: str = "printed",
    side: int = 9,
    loss: QuadraticLoss | None = None,
) -> FlowTypes:
    """Move a full, a diagonal and a spherical belief, by the name of their type, each by its own flow.

    ``loss`` is what the weight stepped down, if it did; the other parameters are those of `flow_types`.
    """
    w, w_new = check.vector("w", w, 2), check.vector("w_new", w_new, 2)
    options: dict[str, dict[str, Any]] = {name: {"non_expansive": non_expansive} for name in priors}
    options["spherical"]["rule"] = rule
    posteriors = {name: prior.flow(w, w_new, **options[name]) for name, prior in priors.items()}
    low, high = _square([*priors.values(), *posteriors.values()], np.array([w, w_new]))
    steps = (np.arange(check.dimension("side", side)) + 0.5) / side
    grid = np.stack(np.meshgrid(*(low + np.multiply.outer(steps, high - low)).T), axis=-1)
    flows = tuple(
        Flow(
            name,
            prior,
            posteriors[name],
            prior.transport(grid, w, w_new, **options[name]),
            _angle(prior.affine_map(w, w_new, **options[name]).A),
            posteriors[name].kl(prior),
            posteriors[name].entropy() - prior.entropy(),
        )
        for name, prior in priors.items()
    )
    return FlowTypes(w, w_new, grid, low, high, flows, rule, non_expansive, loss)


def _square(beliefs: list[Belief], points: Floats) -> tuple[Floats, Floats]:
    """Corners of a square around points and the 2 sigma ellipses of beliefs, with a margin."""
    reach = [2 * np.sqrt(np.diag(belief.covariance)) for belief in beliefs]
    low = np.min([*(b.mean - r for b, r in zip(beliefs, reach, strict=True)), *points], axis=0)
    high = np.max([*(b.mean + r for b, r in zip(beliefs, reach, strict=True)), *points], axis=0)
    half = 0.56 * float((high - low).max())
    return (low + high) / 2 - half, (low + high) / 2 + half


def _angle(A: Floats) -> float:
    """Degrees by which a 2 × 2 matrix turns the plane: those of the rotation nearest to it."""
    across, along = A[1, 0] - A[0, 1], A[0, 0] + A[1, 1]
    # What is left of a symmetric matrix is rounding; such a matrix turns by half or not at all.
    return float(np.degrees(np.arctan2(across if abs(across) > 1e-12 * norm(A.ravel()) else 0.0, along)))
