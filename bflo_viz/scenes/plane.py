"""The plane in which a full flow acts (the illustration that is commented out in the paper's source)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief
from bflo_viz.flows import norm, stretch
from bflo_viz.scenes.base import Scene


@dataclass(frozen=True, eq=False)
class Subspace(Scene):
    """A full flow of three weights, and what it does inside and outside of the plane S.

    S passes through the mean along w − mean and w' − mean; ``normal`` is orthogonal to it. Points in weight space
    have three numbers, those of the whitened plane two: along the unit vectors mu-hat and nu-hat of Theorem 1.

    Attributes
    ----------
    prior_surface, posterior_surface
        The 1 sigma ellipsoids, shape ``(rings, spokes, 3)``; the flow carries each point of one to that of the other.
        Rings are parallel to S, and the middle one lies in it.
    prior_top, posterior_top
        The point of each ellipsoid that lies furthest from S, on the side of the normal.
    prior_extent, posterior_extent
        Standard deviation along the normal; they are equal.
    plane
        Corners of a rectangle in S.
    u, v_parallel, v_perp, stretch, A
        Theorem 1: whitened weights before and after the step, the stretch a* along the latter, and A₂ₓ₂.
    circle, image, shift
        In the whitened plane: the prior (unit circle), the posterior, and the posterior's mean.
    """

    prior: FullBelief
    posterior: FullBelief
    w: Floats
    w_new: Floats
    normal: Floats
    prior_surface: Floats
    posterior_surface: Floats
    prior_top: Floats
    posterior_top: Floats
    prior_extent: float
    posterior_extent: float
    plane: Floats
    u: float
    v_parallel: float
    v_perp: float
    stretch: float
    A: Floats
    circle: Floats
    image: Floats
    shift: Floats

    @property
    def turn(self) -> float:
        """By how many degrees the flow turns the plane."""
        return float(np.degrees(np.arctan2(self.v_perp, self.v_parallel)))

    def _words(self) -> str:
        return f"""Left, a belief over three weights as a grey wire ellipsoid and its posterior as a filled one, cut
            by the plane S through the prior mean, the sampled weight and where it moved. Along the normal of S both
            reach equally far, {self.prior_extent:.2f} and {self.posterior_extent:.2f}. Right, inside of S, in prior
            standard deviations: the prior is the unit circle, the weight moves from ({self.u:.2f}, 0.00) to
            ({self.v_parallel:.2f}, {self.v_perp:.2f}), and the flow turns the circle by {self.turn:.0f} degrees,
            stretches it by {self.stretch:.2f} along the new direction and moves its centre to
            ({self.shift[0]:.2f}, {self.shift[1]:.2f})."""


def subspace(
    mean: ArrayLike = (0.0, 0.0, 0.0),
    covariance: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    w: ArrayLike = (1.9, -0.6, -0.5),
    w_new: ArrayLike = (0.8, 0.6, 0.0),
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
    if (T.T @ third)[2] < 0:
        third = -third  # look at S from above
    normal = T.T @ third
    normal = normal / norm(normal)
    posterior = prior.flow(w, w_new)
    prior_surface = prior.mean + _sphere(np.vstack([basis, third])) @ S.T
    posterior_surface = prior.transport(prior_surface, w, w_new)
    angles = np.linspace(0, 2 * np.pi, 181)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    moved = prior.transport(prior.mean + circle @ basis @ S.T, w, w_new)
    return Subspace(
        prior=prior,
        posterior=posterior,
        w=w,
        w_new=w_new,
        normal=normal,
        prior_surface=prior_surface,
        posterior_surface=posterior_surface,
        prior_top=prior_surface[-1, 0],
        posterior_top=posterior_surface[-1, 0],
        prior_extent=norm(S.T @ normal),
        posterior_extent=norm(posterior.factor.T @ normal),
        plane=_plane(prior.mean, np.vstack([moved, prior_surface.reshape(-1, 3), w, w_new]), normal, w_new),
        u=u,
        v_parallel=float(after @ along),
        v_perp=v_perp,
        stretch=stretch(u, norm(after)),
        A=basis @ T @ prior.affine_map(w, w_new).A @ S @ basis.T,
        circle=circle,
        image=(moved - prior.mean) @ T.T @ basis.T,
        shift=basis @ T @ (posterior.mean - prior.mean),
    )


def _sphere(axes: Floats, rings: int = 25, spokes: int = 72) -> Floats:
    """Points of a unit sphere, rings around the third axis from its south to its north pole."""
    up, round_ = np.meshgrid(
        np.linspace(-0.5, 0.5, rings) * np.pi, np.linspace(0, 2 * np.pi, spokes + 1), indexing="ij"
    )
    return np.asarray(
        np.stack([np.cos(up) * np.cos(round_), np.cos(up) * np.sin(round_), np.sin(up)], axis=-1) @ axes
    )


def _plane(mean: Floats, points: Floats, normal: Floats, w_new: Floats) -> Floats:
    """Corners of a rectangle in the plane through the mean, around all points seen along the normal."""
    first = (w_new - mean) / norm(w_new - mean)
    second = np.cross(normal, first)
    reach = (points - mean) @ np.column_stack([first, second])
    low, high = reach.min(axis=0), reach.max(axis=0)
    low, high = low - 0.12 * (high - low), high + 0.12 * (high - low)
    corners = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    return np.asarray(mean + corners @ np.array([first, second]))
