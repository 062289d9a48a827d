"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief
from bflo_viz.pseudo import PseudoObservation, condition

OPTIMUM = np.array([2.9, -2.0])
MOMENTS = np.array([[1.0, 0.3], [0.3, 0.6]])  # E[x xᵀ]: how steep the error is along each direction


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Linear regression of two weights, seen by three learners; every trace begins with round 0, before any example.

    Attributes
    ----------
    X, y
        The examples, the same for all three.
    optimum, moments, noise
        ``y`` is ``optimum @ x`` and noise of this standard deviation; ``moments`` is E[x xᵀ].
    points
        Stochastic gradient descent: the weights after each round.
    posteriors
        Bayesian filtering: what Bayes' rule says after each round.
    beliefs, sampled, moved
        Belief flow: the belief after each round, and in each round the sampled weights before and after their step.
    clouds
        An ensemble after each round, (rounds + 1, size, 2), carried along by the flow; its mean and covariance are
        those of the belief, at first by construction and then because the flow is affine.
    posteriors_at, clouds_at
        The rounds to show.
    now
        How far the picture goes: the last round, unless `at` chose another.
    """

    X: Floats
    y: Floats
    optimum: Floats
    moments: Floats
    noise: float
    points: Floats
    posteriors: tuple[FullBelief, ...]
    beliefs: tuple[FullBelief, ...]
    sampled: Floats
    moved: Floats
    clouds: Floats
    posteriors_at: tuple[int, ...]
    clouds_at: tuple[int, ...]
    now: int

    @property
    def rounds(self) -> int:
        """How many examples there were."""
        return len(self.y)

    def error(self, w: ArrayLike) -> Floats:
        """Expected error ½ E[(w @ x − y)²] of weights, shape (..., 2)."""
        away = check.rows("w", w, 2) - self.optimum
        return np.asarray(0.5 * np.einsum("...i,ij,...j", away, self.moments, away) + 0.5 * self.noise**2)

    def at(self, now: int) -> Self:
        """The same scene as it was after round ``now``."""
        if not 0 <= now <= self.rounds:
            raise ValueError(f"now must be a round from 0 to {self.rounds}, but it was {now}.")
        return replace(self, now=int(now))


def dynamics(
    rng: np.random.Generator, *, rounds: int = 300, eta: float = 0.06, noise: float = 0.7, ensemble: int = 60
) -> Dynamics:
    """Let gradient descent, Bayesian filtering and a full belief flow learn from one stream of examples.

    All three begin at the prior N(0, I): descent at its mean, the others with all of it.

    Parameters
    ----------
    rng
        Where the random numbers come from.
    rounds, noise
        How many examples, and how noisy.
    eta
        Learning rate of descent and of the belief flow.
    ensemble
        How many members are carried along.
    """
    rounds, ensemble = check.dimension("rounds", rounds), check.dimension("ensemble", ensemble)
    X = check.generator(rng, legacy=False).multivariate_normal(np.zeros(2), MOMENTS, size=rounds, method="cholesky")
    y = X @ OPTIMUM + noise * rng.normal(size=rounds)
    prior = FullBelief(np.zeros(2), np.eye(2))
    points, posteriors, beliefs = [prior.mean], [prior], [prior]
    clouds, sampled, moved = [_standard(rng.normal(size=(ensemble, 2)))], [], []
    for x, target in zip(X, y, strict=True):
        points.append(points[-1] - eta * (points[-1] @ x - target) * x)
        posteriors.append(condition(posteriors[-1], _seen(x, target, noise**2)))
        belief = beliefs[-1]
        w = belief.sample(rng)
        w_new = w - eta * (w @ x - target) * x
        clouds.append(belief.transport(clouds[-1], w, w_new))
        beliefs.append(belief.flow(w, w_new))
        sampled.append(w)
        moved.append(w_new)
    return Dynamics(
        X=X,
        y=y,
        optimum=OPTIMUM,
        moments=MOMENTS,
        noise=noise,
        points=np.array(points),
        posteriors=tuple(posteriors),
        beliefs=tuple(beliefs),
        sampled=np.array(sampled),
        moved=np.array(moved),
        clouds=np.array(clouds),
        posteriors_at=tuple(sorted({0, min(2, rounds), min(8, rounds), rounds})),
        clouds_at=tuple(sorted({0, rounds // 3, rounds})),
        now=rounds,
    )


def _seen(x: Floats, target: float, variance: float) -> PseudoObservation:
    """An example as Bayes' rule takes it in: ``x @ w`` was observed with noise."""
    return PseudoObservation(np.outer(x, x) / variance, x * target / variance, float(target), variance, x)


def _standard(points: Floats) -> Floats:
    """Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)
