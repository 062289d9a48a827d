"""A learner that a student has built, with all that learners of the package can do: run, predict, be reset."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.learners import BeliefFlow
from bflo_viz.learners.base import Labels, Learner, Predictions, Round
from bflo_viz.learners.rows import Block
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

    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round of the student's."""
        x, y = self.example(x, y, rng)
        before, self.rounds = self.belief, self.rounds + 1
        label = int(self._own.step(x, y, rng))
        after = self.belief
        return Round(self.rounds - 1, before.mean, after.mean, np.nan, label, y, np.nan, before, after)

    def learn(self, rows: Block, y: Labels, rng: np.random.Generator) -> Predictions:
        """Do rounds that nobody watches: beliefs between them are not made."""
        data, columns, begin = rows
        found, x = np.empty(len(y), np.int64), np.zeros(self.dim)
        with np.errstate(all="ignore"):
            for n, label in enumerate(y.tolist()):
                part = slice(begin[n], begin[n + 1])
                x[:] = 0.0
                x[columns[part]] = data[part]
                found[n] = self._own.step(x.copy(), label, rng)
        return found, np.full(len(y), np.nan)


def yours_or_ours(number: str, answer: Any) -> Callable[..., Learner]:
    """What makes diagonal belief flows: the student's class if it passes its check, and the package's otherwise.

    It says which. Both are called with a belief, ``eta=`` and ``non_expansive=``, and make learners.
    """
    if BOOK[number].check(answer).right:
        print("Your learner runs from here on, in place of ours.")
        return lambda belief, **options: OwnFlow(answer, belief, **options)
    print(f"Ours runs from here on. When {number} is right, run this cell again, and yours does.")
    return BeliefFlow
