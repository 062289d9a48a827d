"""Where a flow takes a standard normal, for every place of the sampled weight before and after its step."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.flows import Regime, regime

KINDS = ("diagonal", "spherical")
_MOVES = {Regime.CONTRACTING: "nears", Regime.CROSSING: "crosses", Regime.EXPANDING: "moves away"}


@dataclass(frozen=True, eq=False)
class RegimeMap:
    """Posterior mean and standard deviation of N(0, 1) over Δ (columns) and Δ' (rows), both along ``delta``."""

    delta: Floats
    mean: Floats
    std: Floats
    regime: NDArray[np.str_]
    kind: str
    branch: int
    non_expansive: bool

    @property
    def name(self) -> str:
        """Which update this is, in a few words."""
        return f"{self.kind}, δ = {'+' if self.branch > 0 else '−'}1{', non-expansive' if self.non_expansive else ''}"

    @property
    def about_mean(self) -> str:
        """Whether the mean goes the way of the weight, and no further, in words."""
        step = self.delta[:, None] - self.delta
        follows = np.all(self.mean * step >= 0) and np.all(np.abs(self.mean) <= np.abs(step) + 1e-9)
        return "goes with the step, never further" if follows else "may go against the step"

    @property
    def about_std(self) -> str:
        """In which regimes the belief becomes wider (by more than rounding), in words."""
        names = [name for name in _MOVES if np.any(self.std[self.regime == name] > 1 + 1e-9)]
        if len(names) == 1:
            return f"grows only where the weight {_MOVES[names[0]]}"
        return f"grows only when {' or '.join(names)}" if names else "never grows"


def regime_map(
    *, kind: str = "diagonal", branch: int = 1, non_expansive: bool = False, points: int = 161, span: float = 4.0
) -> RegimeMap:
    """Update a standard normal for each pair (Δ, Δ') on a square grid of ``points`` a side, from −span to span.

    ``kind="spherical"`` is the spherical flow of one weight. It knows only the sizes |Δ| and |Δ'|, and turns one
    direction onto the other: past the mean the turn is a reflection, so that what was the branch +1 of the diagonal
    flow becomes −1 there, and −1 becomes +1.
    """
    kind, branch = check.choice("kind", kind, KINDS), check.sign("branch", branch)
    delta = np.linspace(-1.0, 1.0, check.dimension("points", points)) * check.scalar("span", span)
    before, after = np.meshgrid(delta, delta)
    names = regime(before, after)
    mean, std = _posterior(before, after, branch, non_expansive)
    if kind == "spherical":
        reflected = _posterior(before, after, -branch, non_expansive)
        crossing = names == Regime.CROSSING
        mean, std = np.where(crossing, reflected[0], mean), np.where(crossing, reflected[1], std)
    return RegimeMap(delta, mean, std, names, kind, branch, bool(non_expansive))


def regime_variants(points: int = 81) -> tuple[RegimeMap, ...]:
    """Return every variant of the map: branch +1 and −1, spherical beside diagonal; first free to widen, then not."""
    return tuple(
        regime_map(kind=kind, branch=branch, non_expansive=non_expansive, points=points)
        for non_expansive in (False, True)
        for branch in (1, -1)
        for kind in KINDS
    )


def _posterior(before: Floats, after: Floats, branch: int, non_expansive: bool) -> tuple[Floats, Floats]:
    """Mean and width of one standard normal a pair: the weights of a diagonal belief do not know each other."""
    prior = DiagonalBelief(np.zeros(before.size), 1.0)
    post = prior.flow(before.ravel(), after.ravel(), branch=branch, non_expansive=non_expansive)
    return post.mean.reshape(before.shape), post.std.reshape(before.shape)
