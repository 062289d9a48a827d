"""A callback that keeps rounds, or numbers of them: what scenes are made of."""

import warnings
from collections import deque
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief
from bflo_viz.learners.base import Round

_NUMBERS = {"index": "index", "mistakes": "mistake", "loss": "loss", "entropy": "entropy", "kl": "kl"}  # of a round
_ARRAYS = _NUMBERS | {"labels": "label", "weights": "weights", "moved": "moved"}
_MEMORY = 2**30


class Recorder:
    """Keep rounds of a run: ``learner.run(X, y, rng, callback=recorder)``. Their numbers are arrays to plot.

    Parameters
    ----------
    names
        What to keep: ``"mistakes"``, ``"loss"``, ``"entropy"`` or ``"kl"``, some bytes a round. Without names whole
        rounds are kept with their weights and beliefs (16 d² bytes for a full one with d weights), as many as fit
        into 1 GiB; then the oldest are forgotten, and this is said.
    every
        1 keeps each round. Rounds between those that are kept run compiled.
    keep
        Keep only the last so many of those rounds.

    Attributes
    ----------
    index, mistakes, loss, entropy, kl
        Arrays of the rounds that are kept: their number from 0, whether the predicted label was wrong, its loss, the
        entropy of the belief after the round and its KL from the belief before, in nats (NaN without a belief).
    labels, weights, moved
        Of whole rounds: the labels that were predicted, the weights that did it, and where they went.

    Examples
    --------
    >>> from bflo_viz import BeliefFlow, DiagonalBelief
    >>> recorder = Recorder("entropy", "mistakes")
    >>> learner = BeliefFlow(DiagonalBelief([0.0], 1.0), eta=0.1)
    >>> record = learner.run([[1.0]] * 5, [1] * 5, np.random.default_rng(0), callback=recorder)
    >>> recorder.entropy.shape, int(recorder.mistakes.sum()) == int(record.mistakes.sum())
    ((5,), True)
    """

    def __init__(self, *names: str, every: int = 1, keep: int | None = None) -> None:
        for name in names:
            check.choice("what a recorder keeps", name, tuple(_NUMBERS))
        self.names = names
        self.every = check.positive_int("every", every)
        self.keep = None if keep is None else check.positive_int("keep", keep)
        self.rounds: deque[Any] = deque(maxlen=self.keep)

    def __call__(self, outcome: Round) -> None:
        """Keep a round, if it is one of those to be kept."""
        if outcome.index % self.every:
            return
        kept: Any = outcome
        if self.names:
            kept = SimpleNamespace(
                **{(at := _NUMBERS[name]): getattr(outcome, at) for name in ("index", *self.names)}
            )
        elif self.rounds.maxlen is None:
            self.rounds = deque(maxlen=max(1, _MEMORY // _bytes(outcome)))
        elif self.keep is None and len(self.rounds) == self.rounds.maxlen:
            warnings.warn(
                f"a recorder holds 1 GiB, {len(self.rounds)} rounds, and forgets the oldest: name what to keep, "
                "such as Recorder('entropy'), or pass every=10.",
                UserWarning,
                stacklevel=2,
            )
        self.rounds.append(kept)

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rounds)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *_ARRAYS]

    def __getattr__(self, name: str) -> Any:
        if name not in _ARRAYS:
            raise AttributeError(f"a Recorder has no attribute {name!r}.")
        return np.array(self._read(name, _ARRAYS[name]))

    @property
    def path(self) -> Floats:
        """The weights (or means of beliefs) before the first round that is kept, and after each: one row more."""
        beliefs = self.beliefs
        if beliefs[0] is None:
            return np.vstack([self.weights[:1], self.moved])
        return np.array([belief.mean for belief in beliefs])

    @property
    def beliefs(self) -> tuple[Any, ...]:
        """The belief before the first round that is kept, and after each."""
        after = self._read("beliefs", "belief_after")
        if not after:
            raise ValueError("beliefs must be read after a run, but no round was kept.")
        return self.rounds[0].belief_before, *after

    def _read(self, name: str, attribute: str) -> list[Any]:
        if self.names and name not in ("index", *self.names):
            raise ValueError(
                f"{name} must be kept to be read, but this recorder keeps {', '.join(self.names)}: Recorder() "
                "keeps whole rounds."
            )
        return [getattr(outcome, attribute) for outcome in self.rounds]


def _bytes(held: Any) -> int:
    """About how much memory a round holds, with its weights and beliefs."""
    if isinstance(held, partial):  # a belief that is made when it is asked for
        return sum(map(_bytes, held.args))
    if isinstance(held, (Round, Belief)):
        return sum(map(_bytes, vars(held).values()))
    return int(getattr(held, "nbytes", 64))
