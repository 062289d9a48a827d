"""Gradient descent, Bayes' rule and a belief flow on one stream of examples, on each of the three surfaces."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief
from bflo_viz.explorers.dynamics.surfaces import PRIOR, SURFACES, Filtered, Surface

ROUNDS = 150
ENSEMBLE = 60
_DISTANCES = (0.25, *np.arange(0.5, 6.1, 0.5))


@dataclass(frozen=True, eq=False)
class Run:
    """What three learners made of the same examples; every trace begins with round 0, before any example.

    Attributes
    ----------
    surface, examples
        What is learned, and from what.
    points
        Stochastic gradient descent: the weights after each round. It begins at one draw of the prior.
    bayes
        Bayesian filtering: what Bayes' rule says after each round.
    beliefs, sampled, moved
        Belief flow: the belief after each round, and in each round the sampled weights before and after their step.
    clouds
        An ensemble after each round, (rounds + 1, size, 2), carried along by the flow; its mean and covariance are
        those of the belief, at first by construction and then because the flow is affine.
    """

    surface: Surface
    examples: Floats
    points: Floats
    bayes: Filtered
    beliefs: tuple[FullBelief, ...]
    sampled: Floats
    moved: Floats
    clouds: Floats

    @functools.cached_property
    def levels(self) -> Floats:
        """Contour lines of the surface, pieces apart by NaN; equal steps of distance, so evenly spaced in a bowl."""
        gap = np.full((1, 2), np.nan)
        return np.vstack([part for d in _DISTANCES for part in (self.surface.level(d), gap)])

    @functools.cached_property
    def facts(self) -> dict[str, Floats]:
        """What there is to say after each round, by the name of the learner.

        ``away`` is the distance from the nearest optimum, of a point, of a mean, or (double well) of the right half
        of the posterior; ``std`` are its standard deviations, the narrowest and the widest; ``far`` is how many of
        them lie between mean and nearest optimum; ``right`` is how much of a belief has a positive first weight.
        """
        flow = _said(self.surface, [b.mean for b in self.beliefs], [b.covariance for b in self.beliefs])
        bayes = _said(self.surface, self.bayes.mean, self.bayes.covariance)
        if len(self.bayes.hill_mean):
            bayes |= {"away": self.surface.away(self.bayes.hill_mean), "std": np.sort(self.bayes.hill_std, axis=1)}
        named = {f"bayes_{name}": values for name, values in bayes.items()}
        named |= {f"flow_{name}": values for name, values in flow.items()}
        return {"sgd_away": self.surface.away(self.points), **named}


def learn(surface: Surface, seed: int, *, rounds: int = ROUNDS, ensemble: int = ENSEMBLE) -> Run:
    """Let the three learn; a seed gives all surfaces the same random numbers, so that like is compared with like."""
    rng = np.random.default_rng(seed)
    examples = surface.stream(rng.standard_normal((rounds, 3)))
    cloud = PRIOR.weight(_standard(rng.standard_normal((ensemble, 2))))
    start, draws = PRIOR.sample(rng), rng.standard_normal((rounds, 2))
    points, clouds, beliefs, sampled, moved = [start], [cloud], [PRIOR], [], []
    for example, z in zip(examples, draws, strict=True):
        points.append(points[-1] - surface.eta * surface.gradient(points[-1], example))
        belief = beliefs[-1]
        w = belief.weight(z)
        w_new = w - surface.eta * surface.gradient(w, example)
        clouds.append(belief.transport(clouds[-1], w, w_new))
        beliefs.append(belief.flow(w, w_new))
        sampled.append(w)
        moved.append(w_new)
    return Run(
        surface=surface,
        examples=examples,
        points=np.array(points),
        bayes=surface.filter(examples),
        beliefs=tuple(beliefs),
        sampled=np.array(sampled),
        moved=np.array(moved),
        clouds=np.array(clouds),
    )


@functools.lru_cache(maxsize=4)
def learn_all(seed: int) -> dict[str, Run]:
    """The runs of all surfaces by name; the last few are kept, since a cell is often run again."""
    return {name: learn(surface, seed) for name, surface in SURFACES.items()}


def _said(surface: Surface, means: ArrayLike, covariances: ArrayLike) -> dict[str, Floats]:
    mean, covariance = np.asarray(means), np.asarray(covariances)
    offsets = surface.optima - mean[:, None]
    squared = np.einsum("noi,nij,noj->no", offsets, np.linalg.inv(covariance), offsets)
    return {
        "away": surface.away(mean),
        "std": np.sqrt(np.linalg.eigvalsh(covariance)),
        "far": np.sqrt(squared.min(axis=1)),
        "right": ndtr(mean[:, 0] / np.sqrt(covariance[:, 0, 0])),
    }


def _standard(points: Floats) -> Floats:
    """Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)
