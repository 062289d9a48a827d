"""Belief with one width for all directions."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs.base import HALF_LOG_2PIE, Belief, clip, directions, kl_of_widths, too_far
from bflo_viz.beliefs.full import FullBelief, diagonal_factor
from bflo_viz.flows import norm, stretch, turn


@dataclass(frozen=True, eq=False, repr=False, init=False)
class SphericalBelief(Belief):
    """Gaussian with one standard deviation for all directions.

    >>> prior = SphericalBelief([0.0, 0.0], 1.0)
    >>> post = prior.flow([1.0, 0.0], [0.0, 0.5])      # turned a quarter, and pulled half-way in
    >>> round(post.std, 4)
    0.8431
    """

    std: float

    def __init__(self, mean: ArrayLike, std: float) -> None:
        width = check.positive_number("std", std)
        self.__setstate__({"mean": np.array(check.vector("mean", mean)), "std": width})

    @property
    def covariance(self) -> Floats:
        """Covariance matrix, ``std² I``."""
        with np.errstate(over="ignore"):
            return np.diag(np.full(self.dim, np.square(self.std)))

    def entropy(self) -> float:
        """Differential entropy in nats."""
        return self.dim * (HALF_LOG_2PIE + _log(self.std))

    def _color(self, z: Floats) -> Floats:
        return self.std * z

    def _full(self) -> FullBelief:
        return diagonal_factor(self.mean, np.full(self.dim, self.std))

    def _spread(self) -> str:
        return f"std={self.std:.4g}"

    def _kl(self, prior: Self) -> float:
        return float(kl_of_widths(self.std, prior.std, norm(self.mean - prior.mean), self.dim))

    def flow(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
        rule: str = "printed",
        z: ArrayLike | None = None,
    ) -> Self:
        """Posterior of the flow ``A = a U`` that carries ``w`` to ``w_new``; U turns one direction onto the other.

        Parameters
        ----------
        w, w_new
            The sampled weight, before and after its step.
        non_expansive
            Never widen: stretches beyond 1 in size become 1.
        branch
            ``+1`` is connected to the identity, ``-1`` reflects through the mean.
        min_std
            Numerical correction: the new standard deviation is at least this, after the flow.
        rule
            ``"printed"`` is the paper's ``a*``, the least KL in one dimension only; ``"exact"`` is the least KL in
            ``dim`` dimensions.
        z
            The standard normal numbers that ``w`` was made of, if known: ``w == belief.weight(z)``. They spare the
            division by the width, and hold what rounding takes from a width much smaller than the mean.
        """
        w, w_new = self._weights(w, w_new)
        floor = check.scalar("min_std", min_std, least=0.0)
        a, mean, _, _ = self._solve(w, w_new, branch, non_expansive, rule, self._offset(z))
        return self._moved(mean=mean, std=max(abs(a) * self.std, floor))

    def _push(
        self,
        offsets: Floats,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        rule: str = "printed",
    ) -> tuple[Floats, Floats]:
        w, w_new = self._weights(w, w_new)
        a, mean, source, target = self._solve(w, w_new, branch, non_expansive, rule)
        if source is None or target is None:
            return mean, a * offsets
        return mean, a * turn(offsets, source, target)

    def _offset(self, z: ArrayLike | None) -> Floats | None:
        return None if z is None else self.std * check.vector("z", z, self.dim)

    def _solve(
        self, w: Floats, w_new: Floats, branch: int, non_expansive: bool, rule: str, before: Floats | None = None
    ) -> tuple[float, Floats, Floats | None, Floats | None]:
        """Stretch, new mean, and the unit directions of w and w_new (None where nothing turns)."""
        dim = self.dim if check.choice("rule", rule, ("printed", "exact")) == "exact" else 1
        with np.errstate(over="ignore"):
            if before is None:
                before, after = w - self.mean, w_new - self.mean
            else:
                after = before + (w_new - w)
        u, v = norm(before), norm(after)
        a = stretch(*_in_units(self.std, u, v), branch=branch, dim=dim)
        if np.array_equal(w, w_new) and branch > 0:
            return 1.0, self.mean, None, None
        a = clip(a, non_expansive)
        source, target = directions(before, u, after, v)
        if source is None or target is None:
            return a, w_new - a * before, None, None  # one of the two is the mean itself: no turn
        return a, w_new - (a * u) * target, source, target


def _in_units(std: float, u: float, v: float) -> tuple[float, float]:
    """Distances in standard deviations."""
    if std == 0:  # a width that underflowed: all it can sample is its mean
        if u > 0:
            too_far("w", std)
        return 0.0, 0.0
    if not math.isfinite(u / std) or not math.isfinite(v / std):
        too_far("w" if not math.isfinite(u / std) else "w_new", std)
    return u / std, v / std


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
