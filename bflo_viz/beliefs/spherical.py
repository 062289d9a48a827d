"""Belief with one width for all directions."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs.base import HALF_LOG_2PIE, Belief, clip, directions, kl_of_widths, too_far
from bflo_viz.beliefs.full import FullBelief, diagonal_factor
from bflo_viz.flows import norm, stretch, turn


class _Move(NamedTuple):
    """The flow ``A = a U``; U turns the direction of w onto that of w_new."""

    a: float
    mean: Floats  # the new one
    source: Floats | None = None  # unit vector towards w (None where nothing turns)
    target: Floats | None = None  # unit vector towards w_new


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
        return self.dim * (HALF_LOG_2PIE + (math.log(self.std) if self.std > 0 else -math.inf))

    def _color(self, z: Floats) -> Floats:
        return self.std * z

    def _full(self) -> FullBelief:
        return diagonal_factor(self.mean, np.full(self.dim, self.std))

    def _kl(self, prior: Self) -> float:
        return float(kl_of_widths(self.std, prior.std, norm(self.mean - prior.mean), self.dim))

    def _posterior(self, move: _Move, floor: float) -> dict[str, Any]:
        return {"mean": move.mean, "std": max(abs(move.a) * self.std, floor)}

    def _push(self, move: _Move, offsets: Floats) -> tuple[Floats, Floats]:
        a, mean, source, target = move
        return mean, a * (offsets if source is None or target is None else turn(offsets, source, target))

    def _solve(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        non_expansive: bool = False,
        branch: int = 1,
        z: Any = None,
        rule: str = "printed",
    ) -> _Move:
        w, w_new = check.vector("w", w, self.dim), check.vector("w_new", w_new, self.dim)
        dim = self.dim if check.choice("rule", rule, ("printed", "exact")) == "exact" else 1
        with np.errstate(over="ignore"):
            if z is None:
                before, after = w - self.mean, w_new - self.mean
            else:
                before = self.std * check.vector("z", z, self.dim)
                after = before + (w_new - w)
        u, v = norm(before), norm(after)
        a = stretch(*_in_units(self.std, u, v), branch=branch, dim=dim)
        if np.array_equal(w, w_new) and branch > 0:
            return _Move(1.0, self.mean)
        a = clip(a, non_expansive)
        source, target = directions(before, u, after, v)
        if source is None or target is None:
            return _Move(a, w_new - a * before)  # one of the two is the mean itself: no turn
        return _Move(a, w_new - (a * u) * target, source, target)


def _in_units(std: float, u: float, v: float) -> tuple[float, float]:
    """Distances in standard deviations."""
    if std == 0:  # a width that underflowed: all it can sample is its mean
        if u > 0:
            too_far("w", std)
        return 0.0, 0.0
    if not math.isfinite(u / std) or not math.isfinite(v / std):
        too_far("w" if not math.isfinite(u / std) else "w_new", std)
    return u / std, v / std
