"""One prior, two sampled weights, four displacements each: what becomes of the belief."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief


@dataclass(frozen=True, eq=False)
class MovedWeight:
    """One sampled weight, where each displacement takes it, and the posterior of each; densities in rows."""

    weight: float
    moved: Floats
    posteriors: tuple[DiagonalBelief, ...]
    densities: Floats
    kl: Floats
    mean_share: Floats  # part of the KL that pays for the mean; the rest pays for the width

    @property
    def means(self) -> Floats:
        """Posterior means, one a displacement."""
        return np.array([belief.mean[0] for belief in self.posteriors])

    @property
    def stds(self) -> Floats:
        """Posterior standard deviations, one a displacement."""
        return np.array([belief.std[0] for belief in self.posteriors])


@dataclass(frozen=True, eq=False)
class OneDUpdates:
    """A prior, its density over the weights ``x``, and one panel a sampled weight."""

    prior: DiagonalBelief
    x: Floats
    prior_density: Floats
    displacements: Floats
    panels: tuple[MovedWeight, ...]


def one_d_updates(
    weights: Sequence[float] = (1.0, 0.2), displacements: Sequence[float] = (-4.0, -2.0, 2.0, 4.0)
) -> OneDUpdates:
    """Update N(0, 1) as each weight moves by each displacement, all in prior standard deviations."""
    prior = DiagonalBelief([0.0], [1.0])
    steps = check.vector("displacements", displacements)
    flows = {w: [prior.flow([w], [w + d]) for d in steps] for w in check.vector("weights", weights).tolist()}
    every = [prior, *(post for posts in flows.values() for post in posts)]
    low, high = (side(post.mean[0] + k * post.std[0] for post in every) for side, k in ((min, -2.5), (max, 2.5)))
    x = np.linspace(np.floor(low), np.ceil(high), 701)
    panels = (_panel(prior, x, w, w + steps, posts) for w, posts in flows.items())
    return OneDUpdates(prior, x, _density(prior, x), steps, tuple(panels))


def _panel(
    prior: DiagonalBelief, x: Floats, w: float, moved: Floats, posteriors: list[DiagonalBelief]
) -> MovedWeight:
    kl = np.array([post.kl(prior) for post in posteriors])
    for_mean = np.array([0.5 * ((post.mean[0] - prior.mean[0]) / prior.std[0]) ** 2 for post in posteriors])
    share = np.divide(for_mean, kl, out=np.ones_like(kl), where=kl > 0)
    return MovedWeight(w, moved, tuple(posteriors), np.array([_density(post, x) for post in posteriors]), kl, share)


def _density(belief: DiagonalBelief, x: Floats) -> Floats:
    z = (x - belief.mean[0]) / belief.std[0]
    return np.asarray(np.exp(-0.5 * z * z) / (belief.std[0] * np.sqrt(2 * np.pi)))
