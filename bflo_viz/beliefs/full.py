"""Belief with any covariance: Theorem 1 as a rank-one update."""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs.base import HALF_LOG_2PIE, Belief, clip, directions, too_far
from bflo_viz.flows import norm, stretch, turn


@dataclass(frozen=True, eq=False, repr=False, init=False)
class FullBelief(Belief):
    """Gaussian with any covariance, kept as a factor ``S`` with ``S Sᵀ = covariance``, and the inverse of ``S``.

    A flow changes both by a matrix of rank one, in O(dim²).

    >>> prior = FullBelief([0.0, 0.0], [[1.0, 0.8], [0.8, 1.0]])
    >>> post = prior.flow([1.0, 0.0], [0.5, 0.0])
    >>> post.std.round(4).tolist(), round(post.kl(prior), 4)
    ([0.9121, 1.0], 0.1546)
    """

    factor: Floats
    inverse_factor: Floats
    _log_det: float
    _least_std: float  # no direction is narrower; a bound that saves `min_std` most of its decompositions

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        mean = np.array(check.vector("mean", mean))
        factor = _cholesky(covariance, mean.size)
        inverse: Floats = np.asarray(np.linalg.inv(factor), dtype=np.float64)
        if not np.isfinite(inverse).all():
            raise ValueError("covariance must be positive definite, but it is too close to singular to invert.")
        self.__setstate__(
            {
                "mean": mean,
                "factor": factor,
                "inverse_factor": inverse,
                "_log_det": float(np.log(np.diag(factor)).sum()),
                "_least_std": 1 / norm(inverse.ravel()),
            }
        )

    @property
    def covariance(self) -> Floats:
        """Covariance matrix, ``S Sᵀ``."""
        return self.factor @ self.factor.T

    @property
    def std(self) -> Floats:
        """Standard deviation of each weight by itself."""
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", self.factor, self.factor)))

    def entropy(self) -> float:
        """Differential entropy in nats."""
        return self.dim * HALF_LOG_2PIE + self._log_det

    def _color(self, z: Floats) -> Floats:
        return z @ self.factor.T

    def _spread(self) -> str:
        return f"covariance={self.covariance}".replace("\n", "") if self.dim <= 3 else f"std={self.std}"

    def _kl(self, prior: Self) -> float:
        shift = norm(prior.inverse_factor @ (self.mean - prior.mean))
        ratio = prior.inverse_factor @ self.factor
        trace = norm(ratio.ravel()) ** 2
        return 0.5 * shift**2 + 0.5 * (trace - self.dim) - (self._log_det - prior._log_det)

    def flow(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
    ) -> Self:
        """Posterior of the least-KL linear flow that carries ``w`` to ``w_new`` (Theorem 1).

        The parameters are those of `SphericalBelief.flow`. ``non_expansive`` acts in whitened coordinates, so that
        the posterior covariance never exceeds the prior's in any direction. ``min_std`` is a floor for the standard
        deviation along every direction; only a flow that reaches it costs an O(dim³) decomposition.
        """
        floor = check.scalar("min_std", min_std, least=0.0)
        w, w_new = self._weights(w, w_new)
        a, mean, _, e = self._solve(w, w_new, branch, non_expansive)
        fields = {"mean": mean, **self._stretched(a, e)}
        if floor > fields["_least_std"]:
            fields |= _floored(fields, floor)
        return self._moved(**fields)

    def _push(
        self,
        offsets: Floats,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        rotation: int = 1,
    ) -> tuple[Floats, Floats]:
        w, w_new = self._weights(w, w_new)
        rotation = check.sign("rotation", rotation)
        a, mean, source, target = self._solve(w, w_new, branch, non_expansive)
        if target is None:
            return mean, offsets
        source = target if source is None else source
        white = offsets @ self.inverse_factor.T
        turned = turn(white, source, target, rotation=rotation)
        turned += np.multiply.outer((a - 1) * (white @ source), target)
        return mean, turned @ self.factor.T

    def _solve(
        self, w: Floats, w_new: Floats, branch: int, non_expansive: bool
    ) -> tuple[float, Floats, Floats | None, Floats | None]:
        """Stretch, new mean, and the whitened unit directions of w and w_new (see `directions`)."""
        before, after = self.inverse_factor @ (w - self.mean), self.inverse_factor @ (w_new - self.mean)
        u, v = norm(before), norm(after)
        if not math.isfinite(u) or not math.isfinite(v):
            too_far("w" if not math.isfinite(u) else "w_new", self._least_std)
        a = stretch(u, v, branch=branch)
        if np.array_equal(w, w_new) and branch > 0:
            return 1.0, self.mean, None, None
        a = clip(a, non_expansive)
        source, target = directions(before, u, after, v)
        if target is None:  # w_new is the mean: the belief contracts along w
            target = source
        if target is None:
            return 1.0, self.mean, None, None
        return a, w_new - (a * u) * (self.factor @ target), source, target

    def _stretched(self, a: float, e: Floats | None) -> dict[str, Any]:
        """Both factors with the whitened direction ``e`` stretched by ``a``: S' = S + (a − 1)(S e) eᵀ."""
        if e is None or a == 1:
            return {k: getattr(self, k) for k in ("factor", "inverse_factor", "_log_det", "_least_std")}
        # (S e) by multiplication, though it equals (w_new − mean)/v: then S' S'⁻¹ = S S⁻¹ and errors never grow.
        factor = np.multiply.outer((a - 1) * (self.factor @ e), e)
        factor += self.factor
        inverse = np.multiply.outer((1 / a - 1) * e, e @ self.inverse_factor)
        inverse += self.inverse_factor
        return {
            "factor": factor,
            "inverse_factor": inverse,
            "_log_det": self._log_det + math.log(abs(a)),
            "_least_std": self._least_std * min(abs(a), 1.0),
        }


def _floored(fields: dict[str, Any], floor: float) -> dict[str, Any]:
    """Raise every standard deviation of a full belief, along any direction, to at least ``floor``."""
    left, std, right = np.linalg.svd(fields["factor"])
    if std[-1] >= floor:
        return {"_least_std": float(std[-1])}
    std = np.maximum(std, floor)
    return {
        "factor": (left * std) @ right,
        "inverse_factor": (right.T / std) @ left.T,
        "_log_det": float(np.log(std).sum()),
        "_least_std": floor,
    }


def _cholesky(covariance: ArrayLike, dim: int) -> Floats:
    cov = check.numbers("covariance", covariance)
    if cov.shape != (dim, dim):
        raise ValueError(
            f"covariance must have shape ({dim}, {dim}) for a mean of {dim}, but it has shape {cov.shape}."
        )
    gap = np.abs(cov - cov.T)
    if gap.max() > 1e-10 * np.abs(cov).max():
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        raise ValueError(
            f"covariance must be symmetric, but covariance[{i}, {j}] is {cov[i, j]:g} "
            f"and covariance[{j}, {i}] is {cov[j, i]:g}."
        )
    try:
        return np.asarray(np.linalg.cholesky((cov + cov.T) / 2), dtype=np.float64)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(cov)[0]
        raise ValueError(f"covariance must be positive definite, but its smallest eigenvalue is {least:g}.") from None
