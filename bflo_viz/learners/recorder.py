"""A callback that keeps rounds, or numbers of them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners.base import Round

_NUMBERS = {"index": "index", "mistakes": "mistake", "loss": "loss", "entropy": "entropy", "kl": "kl"}  # of a round
_ARRAYS = _NUMBERS | {"labels": "label", "weights": "weights", "moved": "moved"}


class Recorder:
    """Keep rounds of a run: ``learner.run(X, y, rng, callback=recorder)``. Their numbers are arrays to plot.

    With names, ``"mistakes"``, ``"loss"``, ``"entropy"`` or ``"kl"``, only those numbers are kept; without names
    whole rounds are, with their weights and beliefs, and the arrays ``labels``, ``weights`` and ``moved``, too.
    ``index`` is the number of each round from 0. ``every`` keeps every n-th round, and those between run compiled.

    >>> from bflo_viz import BeliefFlow, DiagonalBelief
    >>> recorder, learner = Recorder("entropy"), BeliefFlow(DiagonalBelief([0.0], 1.0), eta=0.1)
    >>> record = learner.run([[1.0]] * 5, [1] * 5, np.random.default_rng(0), callback=recorder)
    >>> recorder.entropy.shape
    (5,)
    """

    def __init__(self, *names: str, every: int = 1) -> None:
        self.names = tuple(check.choice("what a recorder keeps", name, tuple(_NUMBERS)) for name in names)
        self.every = check.positive_int("every", every)
        self.rounds: list[Any] = []

    def __call__(self, outcome: Round) -> None:
        """Keep a round."""
        read = {_NUMBERS[name]: getattr(outcome, _NUMBERS[name]) for name in ("index", *self.names)}
        self.rounds.append(SimpleNamespace(**read) if self.names else outcome)

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rounds)

    def __getattr__(self, name: str) -> Any:
        if name not in _ARRAYS or (self.names and name not in ("index", *self.names)):
            raise AttributeError(f"this Recorder has no {name!r}.")
        return np.array([getattr(outcome, _ARRAYS[name]) for outcome in self.rounds])

    @property
    def beliefs(self) -> tuple[Any, ...]:
        """Belief before the first round that is kept, and after each."""
        return *(done.belief_before for done in self.rounds[:1]), *(done.belief_after for done in self.rounds)

    @property
    def path(self) -> Floats:
        """Weights (or means of beliefs) before the first round that is kept, and after each: one row more."""
        if self.beliefs[0] is None:
            return np.vstack([self.weights[:1], self.moved])
        return np.array([belief.mean for belief in self.beliefs])
