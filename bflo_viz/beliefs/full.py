"""Belief with any covariance: Theorem 1 as a rank-one update."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs.base import HALF_LOG_2PIE, Belief, clip, directions, too_far
from bflo_viz.flows import SAFE_SQUARES, norm, stretch, turn

WIDEST_PRECISION = 1e300  # of the inverse factor: beyond, its numbers are no numbers
_BLOCK = 131_072  # numbers of a factor at a time: read once from memory, used several times from the cache


class _Move(NamedTuple):
    """A flow in whitened coordinates."""

    w_new: Floats
    rotation: int
    a: float
    u: float
    source: Floats  # unit vector towards w (towards w_new, where w is the mean)
    target: Floats  # unit vector towards w_new, the direction that is stretched
    row: Floats  # target times the inverse factor


@dataclass(frozen=True, eq=False, repr=False, init=False)
class FullBelief(Belief):
    """Gaussian with any covariance, kept as a factor ``S`` with ``S Sᵀ = covariance``, and the inverse of ``S``.

    A flow changes both by a matrix of rank one, in O(dim²).

    >>> prior = FullBelief([0.0, 0.0], [[1.0, 0.8], [0.8, 1.0]])
    >>> post = prior.flow([1.0, 0.0], [0.5, 0.0])
    >>> post.std.round(4).tolist(), round(post.kl(prior), 4)
    ([0.9121, 1.0], 0.1546)
    """

    _shown = "covariance"
    factor: Floats
    inverse_factor: Floats
    _log_det: float
    _least_std: float  # no direction is narrower; a bound that saves `min_std` most of its decompositions

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        mean = np.array(check.vector("mean", mean))
        factor = _cholesky(covariance, mean.size)
        log_det = float(np.log(np.diag(factor)).sum())
        self.__setstate__(full_fields(mean, factor, np.asarray(np.linalg.inv(factor)), log_det))

    @classmethod
    def from_factor(cls, mean: ArrayLike, factor: ArrayLike) -> Self:
        """Belief with covariance ``factor factorᵀ``: more accurate than from the covariance, if a factor is known."""
        mean = np.array(check.vector("mean", mean))
        factor = np.array(check.numbers("factor", factor))
        if factor.shape != (mean.size, mean.size):
            raise ValueError(f"factor must have shape ({mean.size}, {mean.size}), but it has shape {factor.shape}.")
        log_det = float(np.linalg.slogdet(factor)[1])
        if not math.isfinite(log_det):
            raise ValueError("factor must be invertible, but its determinant is 0.")
        return cls._of(full_fields(mean, factor, np.linalg.inv(factor), log_det))

    @classmethod
    def _around_zero(cls, dim: int, std: Any) -> Self:
        width = check.positive_number("std", std)
        return cls.from_factor(np.zeros(dim), width * np.eye(dim))

    @property
    def covariance(self) -> Floats:
        """Covariance matrix, ``S Sᵀ``."""
        return self.factor @ self.factor.T

    @property
    def std(self) -> Floats:
        """Standard deviation of each weight by itself."""
        with np.errstate(over="ignore"):
            squares = np.einsum("ij,ij->i", self.factor, self.factor)
        if SAFE_SQUARES[0] < squares.min() <= squares.max() < SAFE_SQUARES[1]:
            return np.asarray(np.sqrt(squares))
        return np.array([norm(row) for row in self.factor])

    def _moved(self, **fields: Any) -> Self:
        if "factor" in fields and "_log_det" not in fields:
            log_det = float(np.linalg.slogdet(fields["factor"])[1])
            fields = full_fields(fields["mean"], fields["factor"], fields["inverse_factor"], log_det)
        return super()._moved(**fields)

    def entropy(self) -> float:
        """Differential entropy in nats."""
        return self.dim * HALF_LOG_2PIE + self._log_det

    def _color(self, z: Floats) -> Floats:
        return z @ self.factor.T

    def _kl(self, prior: Self) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            shift = norm(prior.inverse_factor @ (self.mean - prior.mean))
            size = norm((prior.inverse_factor @ self.factor).ravel())
        kl = 0.5 * shift * shift + 0.5 * (size * size - self.dim) - (self._log_det - prior._log_det)
        return math.inf if math.isnan(kl) else kl

    def _full(self) -> Self:
        return self

    def _posterior(self, move: _Move | None, floor: float) -> dict[str, Any]:
        fields: dict[str, Any] = dict(self.__dict__)
        if move is not None:
            column, fields = self._stretched(move)
            fields["mean"] = move.w_new - (move.a * move.u) * column
        return fields | _floored(fields, floor) if floor > fields["_least_std"] else fields

    def _push(self, move: _Move | None, offsets: Floats) -> tuple[Floats, Floats]:
        if move is None:
            return self.mean, offsets
        mean = move.w_new - (move.a * move.u) * (self.factor @ move.target)
        white = offsets @ self.inverse_factor.T
        turned = turn(white, move.source, move.target, rotation=move.rotation)
        turned += np.multiply.outer((move.a - 1) * (white @ move.source), move.target)
        return mean, turned @ self.factor.T

    def _solve(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        non_expansive: bool = False,
        branch: int = 1,
        z: Any = None,
        rotation: int = 1,
    ) -> _Move | None:
        """Solve for the flow in whitened coordinates; None is the identity."""
        rotation = check.sign("rotation", rotation)
        w, w_new = check.vector("w", w, self.dim), check.vector("w_new", w_new, self.dim)
        before, after, row = self._whitened(w, w_new)
        before = before if z is None else check.vector("z", z, self.dim)
        u, v = norm(before), norm(after)
        if not math.isfinite(u) or not math.isfinite(v):
            too_far("w" if not math.isfinite(u) else "w_new", self._least_std)
        a = clip(stretch(u, v, branch=branch), non_expansive)
        source, target = directions(before, u, after, v)
        if (source is None and target is None) or (branch > 0 and np.array_equal(w, w_new)):
            return None
        if target is None:  # w_new is the mean: the belief contracts along w
            return _Move(w_new, rotation, a, u, source, source, source @ self.inverse_factor)  # type: ignore[arg-type, operator]
        return _Move(w_new, rotation, a, u, target if source is None else source, target, row / v)

    def _whitened(self, w: Floats, w_new: Floats) -> tuple[Floats, Floats, Floats]:
        """Return T D, T D' and (T D')ᵀ T with T the inverse factor, which is read only once."""
        white, white_after = np.empty(self.dim), np.empty(self.dim)
        row = np.zeros(self.dim)
        with np.errstate(over="ignore", invalid="ignore"):
            before, after = w - self.mean, w_new - self.mean
            for part in _row_blocks(self.dim):
                block = self.inverse_factor[part]
                np.matmul(block, before, out=white[part])
                np.matmul(block, after, out=white_after[part])
                row += white_after[part] @ block
        return white, white_after, row

    def _stretched(self, move: _Move) -> tuple[Floats, dict[str, Any]]:
        """Return S e, and both factors with the whitened direction e stretched by a: S' = S + (a − 1)(S e) eᵀ."""
        a, e = move.a, move.target
        if a == 1:
            return self.factor @ e, dict(self.__dict__)
        factor, inverse = np.empty_like(self.factor), np.empty_like(self.factor)
        column = np.empty(self.dim)
        if not norm(move.row) < WIDEST_PRECISION * abs(a):
            raise ValueError(
                f"the belief must stay wider than about 1e-300 in every direction, but it narrowed further "
                f"(from a bound of {self._least_std:g} by a factor {a:g}); set min_std."
            )
        gain, loss = (a - 1) * e, (1 / a - 1) * e
        for part in _row_blocks(self.dim):
            # (S e) by multiplication, though it equals (w_new − mean)/v: then S' S'⁻¹ = S S⁻¹ and errors never grow.
            np.matmul(self.factor[part], e, out=column[part])
            np.multiply(column[part, None], gain, out=factor[part])
            factor[part] += self.factor[part]
            np.multiply(loss[part, None], move.row, out=inverse[part])
            inverse[part] += self.inverse_factor[part]
        return column, {
            "factor": factor,
            "inverse_factor": inverse,
            "_log_det": self._log_det + math.log(abs(a)),
            "_least_std": self._least_std * min(abs(a), 1.0),
        }


def _row_blocks(dim: int) -> list[slice]:
    rows = max(8, _BLOCK // dim)
    return [slice(start, start + rows) for start in range(0, dim, rows)]


def diagonal_factor(mean: Floats, std: Floats) -> FullBelief:
    """A full belief of independent weights; no width is squared, so any will do."""
    with np.errstate(divide="ignore", over="ignore"):
        inverse, log_det = np.diag(1 / std), float(np.log(std).sum())
    return FullBelief._of(full_fields(mean, np.diag(std), inverse, log_det) | {"_least_std": float(std.min())})


def full_fields(mean: Floats, factor: Floats, inverse: Floats, log_det: float) -> dict[str, Any]:
    """All fields of a full belief; the inverse of a norm of the inverse factor bounds the widths from below."""
    bound = 1 / norm(inverse.ravel())
    return {"mean": mean, "factor": factor, "inverse_factor": inverse, "_log_det": log_det, "_least_std": bound}


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
        factor = np.linalg.cholesky(cov / 2 + cov.T / 2)
        # What a singular matrix leaves of a variance, given the weights before it, is rounding.
        left = np.square(np.diag(factor) / np.sqrt(np.diag(cov))).min()
    except np.linalg.LinAlgError:
        left = 0.0
    if left <= dim * np.finfo(np.float64).eps:
        least = np.linalg.eigvalsh(cov)[0]
        raise ValueError(f"covariance must be positive definite, but its smallest eigenvalue is {least:g}.")
    return np.asarray(factor, dtype=np.float64)
