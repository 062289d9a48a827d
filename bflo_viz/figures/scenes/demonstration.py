"""The paper's demonstration in two dimensions: who errs how often, and what the beliefs do meanwhile."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import SGD, BeliefFlow

NAMES = ("SGD", "full", "diagonal", "spherical")


@dataclass(frozen=True, eq=False)
class Demonstration:
    """Curves of four learners, one row a run.

    Attributes
    ----------
    rounds
        The rounds after which something was noted, from 0.
    error
        By learner: share of mistakes up to each of ``rounds[1:]``, in percent, against the *true* labels.
    entropy
        By learner, SGD left out, which has no belief: differential entropy in nats at each of ``rounds``.
    flip
        Share of the labels that were wrong in training.
    """

    rounds: NDArray[np.int64]
    error: dict[str, Floats]
    entropy: dict[str, Floats]
    flip: float

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.error["SGD"])


def demonstration(
    rng: np.random.Generator,
    *,
    runs: int = 10,
    rounds: int = 8000,
    points: int = 200,
    flip: float = 0.4,
    eta: float = 0.01,
    std: float = 1.0,
) -> Demonstration:
    """Run SGD and the full, diagonal and spherical flow on the streams that the paper describes.

    Inputs are drawn from N(0, I₂), true labels are those of w* = (1, 1), and the learners see them flipped with
    probability ``flip``. Flows may expand, and a sample predicts; SGD starts at a draw from N(0, std²).

    Parameters
    ----------
    rng
        Where the random numbers come from.
    runs, rounds
        The paper has 50 runs of 8000 rounds.
    points
        The curves have about so many points.
    flip, eta, std
        Share of wrong labels, learning rate, width of the prior.
    """
    check.generator(rng)
    found: dict[str, list[tuple[Floats, Floats]]] = {name: [] for name in NAMES}
    for _ in range(check.dimension("runs", runs)):
        X = rng.normal(size=(check.dimension("rounds", rounds), 2))
        truth = (X.sum(axis=1) > 0).astype(np.int64)
        seen = truth ^ (rng.random(rounds) < flip)
        for name, learner in _learners(eta, std).items():
            start = learner.entropy()
            record = learner.run(X, seen, rng, truth=truth, blocks=points)
            noted = np.cumsum(record.rounds)
            found[name].append((100 * np.cumsum(record.mistakes) / noted, np.append(start, record.entropy)))
    return Demonstration(
        rounds=np.append(0, noted),
        error={name: np.array([error for error, _ in found[name]]) for name in NAMES},
        entropy={name: np.array([entropy for _, entropy in found[name]]) for name in NAMES if name != "SGD"},
        flip=flip,
    )


def _learners(eta: float, std: float) -> dict[str, Any]:
    flat = np.zeros(2)
    return {
        "SGD": SGD(2, eta=eta, std=std),
        "full": BeliefFlow(FullBelief(flat, std**2 * np.eye(2)), eta=eta),
        "diagonal": BeliefFlow(DiagonalBelief(flat, std), eta=eta),
        "spherical": BeliefFlow(SphericalBelief(flat, std), eta=eta),
    }
