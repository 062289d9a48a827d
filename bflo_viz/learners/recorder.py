"""A callback that keeps rounds, or numbers of them."""

from collections import deque
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
    ``index`` is the number of each round from 0. ``every`` keeps every n-th round, while those between run compiled,
    and ``keep`` only the last so many of them.

    >>> from bflo_viz import BeliefFlow, DiagonalBelief
    >>> recorder, learner = Recorder("entropy"), BeliefFlow(DiagonalBelief([0.0], 1.0), eta=0.1)
    >>> record = learner.run([[1.0]] * 5, [1] * 5, np.random.default_rng(0), callback=recorder)
    >>> recorder.entropy.shape
    (5,)
    """

    def __init__(self, *names: str, every: int = 1, keep: int | None = None) -> None:
        self.names = tuple(check.choice("what a recorder keeps", name, tuple(_NUMBERS)) for name in names)
        self.every = check.positive_int("every", every)
        self.keep = None if keep is None else check.positive_int("keep", keep)
        self.rounds: deque[Any] = deque(maxlen=self.keep)

    def __call__(self, outcome: Round) -> None:
        """Keep a round, if it is one of those to be kept."""
        if outcome.index % self.every == 0:
            read = {_NUMBERS[name]: getattr(outcome, _NUMBERS[name]) for name in ("index", *self.names)}
            self.rounds.append(SimpleNamespace(**read) if self.names else outcome)

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rounds)

    def __getattr__(self, name: str) -> Any:
        if name not in _ARRAYS:
            raise AttributeError(f"a Recorder has no attribute {name!r}.")
        return np.array(self._read(name, _ARRAYS[name]))

    @property
    def path(self) -> Floats:
        """Weights (or means of beliefs) before the first round that is kept, and after each: one row more."""
        beliefs = self.beliefs
        if beliefs[0] is None:
            return np.vstack([self.weights[:1], self.moved])
        return np.array([belief.mean for belief in beliefs])

    @property
    def beliefs(self) -> tuple[Any, ...]:
        """Belief before the first round that is kept, and after each."""
        after = self._read("beliefs", "belief_after")
        if not after:
            raise ValueError("beliefs must be read after a run, but no round was kept.")
        return self.rounds[0].belief_before, *after

    def _read(self, name: str, attribute: str) -> list[Any]:
        if self.names and name not in ("index", *self.names):
            raise ValueError(f"{name} must be kept to be read, but this recorder keeps {', '.join(self.names)}.")
        return [getattr(outcome, attribute) for outcome in self.rounds]
