"""A callback that keeps every round of a run."""

from typing import Any

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.learners.base import Round

_ARRAYS = {"mistakes": "mistake", "labels": "label"} | {
    name: name for name in ("loss", "entropy", "kl", "weights", "moved")
}


class Recorder(list[Round]):
    """A list of the rounds of a run: ``learner.run(X, y, rng, callback=recorder)``.

    Its ``mistakes``, ``labels``, ``loss``, ``entropy``, ``kl``, ``weights`` and ``moved`` are arrays to plot, with a
    row for each round. Rounds keep their weights and beliefs. For a large network, therefore, a callback of your own
    that keeps only what you need takes far less memory.

    >>> from bflo_viz import BeliefFlow, DiagonalBelief
    >>> recorder, learner = Recorder(), BeliefFlow(DiagonalBelief([0.0], 1.0), eta=0.1)
    >>> record = learner.run([[1.0]] * 5, [1] * 5, np.random.default_rng(0), callback=recorder)
    >>> recorder.entropy.shape
    (5,)
    """

    def __call__(self, outcome: Round) -> None:
        """Keep a round."""
        self.append(outcome)

    def __getattr__(self, name: str) -> Any:
        if name not in _ARRAYS:
            raise AttributeError(f"a Recorder has no {name!r}; its arrays are {', '.join(_ARRAYS)}.")
        return np.array([getattr(outcome, _ARRAYS[name]) for outcome in self])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_ARRAYS]

    @property
    def beliefs(self) -> tuple[Any, ...]:
        """Belief before the first round that was kept, and after each."""
        return *(done.belief_before for done in self[:1]), *(done.belief_after for done in self)

    @property
    def path(self) -> Floats:
        """Weights (or means of beliefs) before the first round that was kept, and after each: one row more."""
        if self.beliefs[0] is None:
            return np.vstack([self.weights[:1], self.moved])
        return np.array([belief.mean for belief in self.beliefs])
