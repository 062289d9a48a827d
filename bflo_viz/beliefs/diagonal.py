"""Belief with independent weights."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs.base import HALF_LOG_2PIE, Belief, kl_of_widths, too_far
from bflo_viz.beliefs.full import FullBelief, diagonal_factor
from bflo_viz.flows import carry

_BLOCK = 16_384  # weights at a time: what is computed on the way then stays in the processor's cache


@dataclass(frozen=True, eq=False, repr=False, init=False)
class DiagonalBelief(Belief):
    """Gaussian with independent weights, each with its own standard deviation.

    ``std`` is an array as long as the mean, or one number for all weights.

    >>> prior = DiagonalBelief([0.0, 0.0], [1.0, 1.0])
    >>> post = prior.flow([1.0, 1.0], [0.5, 1.0])      # only the first weight moved, towards the mean
    >>> post.std.round(4).tolist()
    [0.8431, 1.0]
    """

    std: Floats

    def __init__(self, mean: ArrayLike, std: ArrayLike) -> None:
        mean = np.array(check.vector("mean", mean))
        std = np.array(check.positive("std", std))
        if std.ndim == 0:
            std = np.full(mean.size, std)
        self.__setstate__({"mean": mean, "std": check.vector("std", std, mean.size)})

    @property
    def covariance(self) -> Floats:
        """Covariance matrix, ``diag(std²)``."""
        with np.errstate(over="ignore"):
            return np.diag(np.square(self.std))

    def entropy(self) -> float:
        """Differential entropy in nats."""
        with np.errstate(divide="ignore"):
            return float(self.dim * HALF_LOG_2PIE + np.log(self.std).sum())

    def _color(self, z: Floats) -> Floats:
        return self.std * z

    def _full(self) -> FullBelief:
        return diagonal_factor(self.mean, self.std)

    def _spread(self) -> str:
        return f"std={self.std}"

    def _kl(self, prior: Self) -> float:
        return float(np.sum(kl_of_widths(self.std, prior.std, self.mean - prior.mean, 1)))

    def flow(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
        z: ArrayLike | None = None,
    ) -> Self:
        """Posterior of the flow that stretches each coordinate by itself and carries ``w`` to ``w_new``.

        The parameters are those of `SphericalBelief.flow`; ``non_expansive`` and ``min_std`` act on each coordinate.
        A coordinate that did not move comes back unchanged to the bit (on the identity branch).
        """
        floor = check.scalar("min_std", min_std, least=0.0)
        mean, signed = self._solve(w, w_new, branch, non_expansive, z)
        std = np.abs(signed, out=signed) if branch < 0 else signed
        return self._moved(mean=mean, std=np.maximum(std, floor, out=std) if floor else std)

    def _push(
        self,
        offsets: Floats,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
    ) -> tuple[Floats, Floats]:
        mean, signed = self._solve(w, w_new, branch, non_expansive)
        a = np.divide(signed, self.std, out=np.ones_like(signed), where=self.std > 0)
        return mean, a * offsets

    def _solve(
        self, w: ArrayLike, w_new: ArrayLike, branch: int, non_expansive: bool, z: ArrayLike | None = None
    ) -> tuple[Floats, Floats]:
        branch, non_expansive = check.sign("branch", branch), check.flag("non_expansive", non_expansive)
        before, after = check.shaped("w", w, self.dim), check.shaped("w_new", w_new, self.dim)
        given = None if z is None else check.vector("z", z, self.dim)
        mean, std = np.empty(self.dim), np.empty(self.dim)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for start in range(0, self.dim, _BLOCK):
                part = slice(start, start + _BLOCK)
                step = after[part] - before[part]
                if given is None:
                    white = before[part] - self.mean[part]
                    white /= self.std[part]
                else:
                    white = given[part]
                if not math.isfinite(white.sum() + step.sum()):  # rare: find out why
                    white = self._explained(white, before, after, start)
                carry(
                    self.mean[part],
                    self.std[part],
                    white,
                    step,
                    branch=branch,
                    non_expansive=non_expansive,
                    out=(mean[part], std[part]),
                )
        return mean, std

    def _explained(self, z: Floats, w: Floats, w_new: Floats, start: int) -> Floats:
        """Whitened offsets of a block whose sum is not finite: say what is wrong, or put it right."""
        check.vector("w", w, self.dim)
        check.vector("w_new", w_new, self.dim)
        part = slice(start, start + z.size)
        # A width that underflowed to zero: all it can sample is its mean.
        z = np.where((self.std[part] == 0) & (w[part] == self.mean[part]), 0.0, z)
        if not np.isfinite(z).all():
            i = start + int(np.flatnonzero(~np.isfinite(z))[0])
            too_far(f"w[{i}]", self.std[i])
        return z
