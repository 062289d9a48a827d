"""The points that a spherical belief flow adds and removes while it learns (Figure 3 of the paper)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, SphericalBelief
from bflo_viz.learners import BeliefFlow
from bflo_viz.pseudo import pseudo_observation


@dataclass(frozen=True, eq=False)
class PseudoDataset:
    """A run of a spherical belief flow over two weights, read as points added (and removed) by Bayes' rule.

    Attributes
    ----------
    points, precisions
        The pseudo-point of each round, shape ``(rounds, 2)``, and its precision: positive added, negative removed.
        Where a round left the width as it was there is no point, only NaN, and the precision is 0.
    means, stds
        The belief before the first round and after each, ``rounds + 1`` of them.
    cumulative
        Precision of the prior plus those of all pseudo-points so far, ``rounds + 1`` numbers; equal to ``1 / stds²``.
    low, high
        Corners of a square that holds the path of the mean and the bulk of the precision.
    """

    w_true: Floats
    points: Floats
    precisions: Floats
    means: Floats
    stds: Floats
    cumulative: Floats
    low: Floats
    high: Floats

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Whether a round has a pseudo-point."""
        return np.asarray(np.isfinite(self.points).all(axis=1))

    def at(self, rounds: int) -> "PseudoDataset":
        """The same run after so many of its rounds, seen through the same square."""
        kept = {name: getattr(self, name)[:rounds] for name in ("points", "precisions")}
        seen = {name: getattr(self, name)[: rounds + 1] for name in ("means", "stds", "cumulative")}
        return replace(self, **kept, **seen)

    @property
    def outside(self) -> int:
        """How many pseudo-points lie outside of the square."""
        seen = np.all((self.points >= self.low) & (self.points <= self.high), axis=1)
        return int(np.count_nonzero(self.exists) - np.count_nonzero(seen))


def pseudo_dataset(
    rng: np.random.Generator,
    *,
    rounds: int = 60,
    mean: ArrayLike = (-1.0, 0.5),
    std: float = 1.0,
    eta: float = 0.5,
    w_true: ArrayLike = (1.0, 1.0),
    noise: float = 0.1,
    non_expansive: bool = False,
    rule: str = "printed",
) -> PseudoDataset:
    """Learn from a stream of two inputs, and collect the pseudo-point of every round.

    Inputs are standard normal, labels say on which side of ``w_true`` they lie, and a share ``noise`` of them is
    wrong.

    Parameters
    ----------
    rng
        Where inputs, wrong labels and sampled weights come from.
    rounds
        Length of the stream.
    mean, std
        The prior.
    eta, non_expansive, rule
        See `BeliefFlow`.
    w_true, noise
        The stream.
    """
    rounds, w_true = check.dimension("rounds", rounds), check.vector("w_true", w_true, 2)
    X = check.generator(rng).standard_normal((rounds, 2))
    y = (X @ w_true > 0) ^ (rng.random(rounds) < check.scalar("noise", noise, least=0.0))
    belief = SphericalBelief(check.vector("mean", mean, 2), std)
    learner = BeliefFlow(belief, eta=eta, non_expansive=non_expansive, rule=rule)
    beliefs: list[Belief] = [belief]
    seen = []
    for x, label in zip(X, y, strict=True):
        learner.step(x, int(label), rng)
        seen.append(pseudo_observation(beliefs[-1], learner.belief))
        beliefs.append(learner.belief)
    points = np.array([o.x for o in seen])
    precisions = np.array([o.precision for o in seen])
    means = np.array([b.mean for b in beliefs])
    stds = np.array([b.covariance[0, 0] ** 0.5 for b in beliefs])
    cumulative = np.cumsum([belief.std**-2, *precisions])
    low, high = _view(points, np.abs(precisions), np.vstack([means, w_true]))
    return PseudoDataset(w_true, points, precisions, means, stds, cumulative, low, high)


def _view(points: Floats, weight: Floats, path: Floats, share: float = 0.9) -> tuple[Floats, Floats]:
    """A square around the path and a share of the precision in each direction; no far, faint point can widen it."""
    low, high = path.min(axis=0), path.max(axis=0)
    if weight.any():
        for i, x in enumerate(points.T):
            order = np.argsort(x, kind="stable")  # points that do not exist come last, and weigh nothing
            below = np.cumsum(weight[order]) / weight.sum()
            ends = order[np.searchsorted(below, [(1 - share) / 2, (1 + share) / 2])]
            low[i], high[i] = min(low[i], x[ends[0]]), max(high[i], x[ends[1]])
    half = 0.58 * float((high - low).max())
    return (low + high) / 2 - half, (low + high) / 2 + half
