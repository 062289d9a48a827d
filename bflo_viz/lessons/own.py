"""A learner that a student has built, with all that learners of the package can do: run, predict, be reset."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.learners import BeliefFlow
from bflo_viz.learners.base import Labels, Learner, Predictions, Round
from bflo_viz.learners.rows import Rows
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.models import Logistic


class OwnFlow(Learner):
    """Logistic regression by a class of one's own: ``make(mean, std, eta, non_expansive)``, with a ``step``."""

    def __init__(self, make: Any, belief: DiagonalBelief, *, eta: float = 1e-3, non_expansive: bool = False) -> None:
        super().__init__(Logistic(), belief.dim)
        self._make: Callable[[], Any] = partial(make, belief.mean, belief.std, eta, non_expansive)
        self._prior = belief
        self.reset()

    def reset(self) -> None:
        """Forget everything: back to the prior."""
        self._own, self.rounds = self._make(), 0

    @property
    def belief(self) -> DiagonalBelief:
        """The belief over the weights, as it is now."""
        return self._prior._moved(mean=np.array(self._own.mean), std=np.array(self._own.std))

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The mean of the belief, or a Thompson sample of it."""
        return self.belief.mean if rng is None else self.belief.sample(rng)

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        before = self.belief
        label = int(self._own.step(x, y, rng))
        after = self.belief
        return Round(self.rounds, before.mean, after.mean, np.nan, label, y, np.nan, before, after)

    def _rounds(
        self, rows: Rows, start: int, stop: int, y: Labels, rng: RNG, callback: Any, every: int
    ) -> Predictions:
        """A block of rounds; without anyone to see them, beliefs between them are not made."""
        if callback is not None:
            return super()._rounds(rows, start, stop, y, rng, callback, every)
        with np.errstate(all="ignore"):
            labels = [self._own.step(x, t, rng) for x, t in zip(rows.dense(start, stop), y.tolist(), strict=True)]
        self.rounds += stop - start
        return np.array(labels, np.int64), np.full(stop - start, np.nan)


def yours_or_ours(number: str, answer: Any) -> Callable[..., Learner]:
    """What makes diagonal belief flows: the student's class if it passes its check, and the package's otherwise.

    It says which. Both are called with a belief, ``eta=`` and ``non_expansive=``, and make learners.
    """
    if BOOK[number].check(answer).right:
        print("Your learner runs from here on, in place of ours.")
        return lambda belief, **options: OwnFlow(answer, belief, **options)
    print(f"Ours runs from here on. When {number} is right, run this cell again, and yours does.")
    return BeliefFlow
