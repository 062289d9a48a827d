"""Two weights and three: one prior and one moved weight, read by the three flows, and the plane of a full flow."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import norm
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, FullBelief
from bflo_viz.flows import stretch
from bflo_viz.scenes.base import Scene, isotropic, minus, number, place

TITLES = {  # of a flow and how far it turned, in figures and in the page
    "title": "{name} {turn}: {rank} change",
    "own": "{name} {turn}",  # flows from different priors: their costs are not compared
    "none": "does not turn",
    "hardly any": "hardly turns",
    "turns": "turns {turn}",
}
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
    """One prior, the sampled weight before and after its step, and the three flows that agree with it."""

    w: Floats
    w_new: Floats
    grid: Floats  # (side, side, 2)
    low: Floats  # corners of a square that holds all of it
    high: Floats
    flows: tuple[Flow, ...]
    rule: str
    non_expansive: bool
    loss: QuadraticLoss | None = None  # what the weight stepped down; None if it was moved by hand

    @property
    def is_isotropic(self) -> bool:
        """Whether all three flows start from one belief, which is as wide in every direction."""
        circle = self.flows[-1].prior.covariance
        return all(np.abs(flow.prior.covariance - circle).max() <= 1e-9 * circle.max() for flow in self.flows)

    def rank(self, flow: Flow) -> str:
        """No, least, more or most change, by KL as it is written; of two that change equally none is the least."""
        own = float(f"{flow.kl:.3f}")
        others = [float(f"{other.kl:.3f}") for other in self.flows if other.name != flow.name]
        if own == 0:
            return "no"
        if own < min(others):
            return "least"
        if own > max(others):
            return "most"
        return "less" if own < max(others) and own == min(others) else "more"

    def _words(self) -> str:
        parts = "; ".join(
            f"{flow.name}, mean at {place(flow.posterior.mean)}, {_turned(flow)}" for flow in self.flows
        )
        costs = ", ".join(f"{flow.name} {number(flow.kl, 3)}" for flow in self.flows)
        prior = "isotropic prior" if self.is_isotropic else "prior, as near as each type of belief comes to it,"
        step = self.loss and (
            f"""The step is a gradient step, eta {self.loss.eta:.2f}, on a {self.loss.name} quadratic loss around
            {place(self.loss.optimum)}."""
        )
        return f"""Three panels show one {prior} around {place(self.flows[0].prior.mean)} and the posteriors of three
            flows that all carry the sampled weight from {place(self.w)} to {place(self.w_new)}: {parts}. Their KL
            from the prior, in nats: {costs}. {step or ""}"""


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
) -> FlowTypes:
    """Move one isotropic Gaussian by the full, the diagonal and the spherical flow (Figure 2a of the paper).

    The weight was sampled at ``w`` and stepped to ``w_new``. For the options see `SphericalBelief.flow`; ``rule`` is
    for the spherical flow only.
    """
    middle = check.vector("mean", mean, 2)
    priors = {name: isotropic(name, middle, std) for name in ("full", "diagonal", "spherical")}
    return compare_flows(priors, w, w_new, non_expansive=non_expansive, rule=rule)


def compare_flows(
    priors: Mapping[str, Any],
    w: ArrayLike,
    w_new: ArrayLike,
    *,
    non_expansive: bool = False,
    rule: str = "printed",
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
    steps = (np.arange(9) + 0.5) / 9
    grid = np.stack(np.meshgrid(*(low + np.multiply.outer(steps, high - low)).T), axis=-1)
    flows = []
    for name, prior in priors.items():
        moved, matrix = (
            prior.transport(grid, w, w_new, **options[name]),
            prior.affine_map(w, w_new, **options[name]).A,
        )
        post = posteriors[name]
        change = post.kl(prior), post.entropy() - prior.entropy()
        flows.append(Flow(name, prior, post, moved, _angle(matrix), *change))
    return FlowTypes(w, w_new, grid, low, high, tuple(flows), rule, non_expansive, loss)


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


@dataclass(frozen=True, eq=False)
class Subspace(Scene):
    """A full flow of three weights, and what it does inside and outside of the plane S.

    S passes through the mean along w − mean and w' − mean; ``normal`` is orthogonal to it. Surfaces are the 1 sigma
    ellipsoids, shape ``(rings, spokes, 3)``; the flow carries each point of one to that of the other. Rings are
    parallel to S, the middle one lies in it, and the last is the point furthest along the normal. The fields from
    ``u`` on are those of Theorem 1, whitened, along the unit vectors mu-hat and nu-hat.
    """

    prior: FullBelief
    posterior: FullBelief
    w: Floats
    w_new: Floats
    normal: Floats
    prior_surface: Floats
    posterior_surface: Floats
    prior_extent: float  # standard deviation along the normal
    posterior_extent: float  # the same
    plane: Floats  # corners of a rectangle in S
    u: float  # the weight before its step
    v_parallel: float
    v_perp: float
    stretch: float  # a* along the weight after its step
    A: Floats  # 2 × 2
    circle: Floats  # the prior
    image: Floats  # the posterior
    shift: Floats  # its mean

    @property
    def turn(self) -> float:
        """By how many degrees the flow turns the plane."""
        return float(np.degrees(np.arctan2(self.v_perp, self.v_parallel)))

    def _words(self) -> str:
        return f"""Left, a belief over three weights and its posterior as ellipsoids, cut by the plane S through the
            prior mean, the sampled weight and where it moved. Along the normal of S both reach equally far,
            {self.prior_extent:.2f} and {self.posterior_extent:.2f}. Right, inside of S, in prior standard deviations:
            the weight moves from ({self.u:.2f}, 0.00) to ({self.v_parallel:.2f}, {self.v_perp:.2f}), and the flow
            turns the unit circle by {self.turn:.0f} degrees, stretches it by {self.stretch:.2f} along the new
            direction and moves its centre to {place(self.shift)}."""


def subspace(
    mean: ArrayLike = (0.0, 0.0, 0.0),
    covariance: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    w: ArrayLike = (1.9, -0.6, -0.5),
    w_new: ArrayLike = (1.0, 0.75, 0.0),
) -> Subspace:
    """Move a belief over three weights by the full flow that carries ``w`` to ``w_new``, which must span a plane."""
    prior = FullBelief(check.vector("mean", mean, 3), covariance)
    w, w_new = check.vector("w", w, 3), check.vector("w_new", w_new, 3)
    T, S = prior.inverse_factor, prior.factor
    before, after = T @ (w - prior.mean), T @ (w_new - prior.mean)
    u = norm(before)
    along = before / u if u > 0 else before
    aside = after - (after @ along) * along
    v_perp = norm(aside)
    if not v_perp > 1e-9 * norm(after):
        raise ValueError("w and w_new must span a plane with the mean, but the three lie on one line.")
    basis = np.array([along, aside / v_perp])  # rows: mu-hat, nu-hat
    third = np.cross(*basis)
    third = -third if (T.T @ third)[2] < 0 else third  # look at S from above
    normal = T.T @ third / norm(T.T @ third)
    posterior = prior.flow(w, w_new)
    prior_surface = prior.mean + _sphere(np.vstack([basis, third])) @ S.T
    angles = np.linspace(0, 2 * np.pi, 181)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    moved = prior.transport(prior.mean + circle @ basis @ S.T, w, w_new)
    surface = prior.transport(prior_surface, w, w_new)
    extents = norm(S.T @ normal), norm(posterior.factor.T @ normal)
    plane = _rectangle(prior.mean, np.vstack([moved, prior_surface.reshape(-1, 3), w, w_new]), normal, w_new)
    v_parallel, a = float(after @ along), stretch(u, norm(after))
    A = basis @ T @ prior.affine_map(w, w_new).A @ S @ basis.T
    image, shift = (moved - prior.mean) @ T.T @ basis.T, basis @ T @ (posterior.mean - prior.mean)
    space = prior, posterior, w, w_new, normal, prior_surface, surface
    return Subspace(*space, *extents, plane, u, v_parallel, v_perp, a, A, circle, image, shift)


def _sphere(axes: Floats) -> Floats:
    """Points of a unit sphere, rings around the third axis from its south to its north pole."""
    up, around = np.meshgrid(np.pi * np.linspace(-0.5, 0.5, 25), np.linspace(0, 2 * np.pi, 73), indexing="ij")
    points = [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up)]
    return np.asarray(np.stack(points, axis=-1) @ axes)


def _rectangle(mean: Floats, points: Floats, normal: Floats, w_new: Floats) -> Floats:
    """Corners of a rectangle in the plane through the mean, around all points seen along the normal."""
    first = (w_new - mean) / norm(w_new - mean)
    axes = np.array([first, np.cross(normal, first)])
    reach = (points - mean) @ axes.T
    low, high = reach.min(axis=0), reach.max(axis=0)
    low, high = low - 0.12 * (high - low), high + 0.12 * (high - low)
    return np.asarray(mean + np.array([low, [high[0], low[1]], high, [low[0], high[1]]]) @ axes)
