"""Belief with independent weights."""

import math
from dataclasses import dataclass
from typing import Any, Self

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

    def _kl(self, prior: Self) -> float:
        return float(np.sum(kl_of_widths(self.std, prior.std, self.mean - prior.mean, 1)))

    def _posterior(self, move: tuple[Floats, Floats], floor: float) -> dict[str, Any]:
        mean, signed = move
        std = np.abs(signed, out=signed)
        return {"mean": mean, "std": np.maximum(std, floor, out=std) if floor else std}

    def _push(self, move: tuple[Floats, Floats], offsets: Floats) -> tuple[Floats, Floats]:
        mean, signed = move
        return mean, np.divide(signed, self.std, out=np.ones_like(signed), where=self.std > 0) * offsets

    def _solve(
        self, w: ArrayLike, w_new: ArrayLike, non_expansive: bool = False, branch: int = 1, z: Any = None
    ) -> tuple[Floats, Floats]:
        """New means, and new standard deviations with the sign of the stretch.

        A coordinate that did not move comes back unchanged to the bit (on the identity branch).
        """
        branch, non_expansive = check.sign("branch", branch), check.flag("non_expansive", non_expansive)
        before, after = check.shaped("w", w, self.dim), check.shaped("w_new", w_new, self.dim)
        given = None if z is None else check.vector("z", z, self.dim)
        mean, std = np.empty(self.dim), np.empty(self.dim)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for start in range(0, self.dim, _BLOCK):
                part = slice(start, start + _BLOCK)
                step = after[part] - before[part]
                white = (before[part] - self.mean[part]) / self.std[part] if given is None else given[part]
                if not math.isfinite(white.sum() + step.sum()):  # rare: find out why
                    white = self._explained(white, before, after, start)
                out = mean[part], std[part]
                carry(self.mean[part], self.std[part], white, step, branch, non_expansive, out)
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
