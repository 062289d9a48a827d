"""Learners that choose what they look at: each weight is a lever, and only one that is pulled shows its outcome."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Kernel, Predictions, Round, share
from bflo_viz.learners.belief_flow import BeliefFlow
from bflo_viz.learners.sgd import SGD


class Thompson(BeliefFlow):
    """A belief flow that chooses by its sample (Thompson, 1933): Algorithm 1, whose sample first picks a lever.

    `choose` draws every weight and names the largest; the `step` after it lets that very sample flow. A step without
    a choice before it draws as that of every `BeliefFlow` does.

    >>> from bflo_viz import DiagonalBelief
    >>> learner, rng = Thompson(DiagonalBelief([0.0, 0.0], 1.0), eta=1.0), np.random.default_rng(0)
    >>> lever = learner.choose(rng)
    >>> learner.step(np.eye(2)[lever], 1, rng).weights.argmax() == lever
    np.True_
    """

    _chosen: Floats | None = None  # the normals of the sample that chose, until it flows

    def choose(self, rng: RNG) -> int:
        """The lever whose sampled weight is the largest."""
        self._chosen = check.generator(rng).standard_normal(self.dim)
        return int(self._belief.weight(self._chosen).argmax())

    def reset(self) -> None:
        """Forget everything, a choice too."""
        super().reset()
        self._chosen = None

    def _draw(self, x: Floats, rng: RNG) -> Floats:
        chosen, self._chosen = self._chosen, None
        return super()._draw(x, rng) if chosen is None else chosen

    def _block(self, kernel: Kernel) -> Predictions | None:
        return super()._block(kernel) if self._chosen is None else None


class EpsilonGreedy(SGD):
    """SGD that pulls the lever with the largest weight, and in a share ``epsilon`` of the rounds any lever."""

    def __init__(self, features: int, *, epsilon: float = 0.1, **options: Any) -> None:
        super().__init__(features, **options)
        self.epsilon = share("epsilon", epsilon)

    def choose(self, rng: RNG) -> int:
        """The lever with the largest weight (of equal ones the first), or now and then any.

        It draws two numbers in every round, so that another ``epsilon`` changes no other number.
        """
        tries, which = check.generator(rng).random(2)
        if tries < self.epsilon:
            return int(which * self.dim)
        return int(self.weights_for_prediction().argmax())


def play(
    learner: Thompson | EpsilonGreedy, pays: ArrayLike, rng: RNG, *, callback: Callable[[Round], object] | None = None
) -> NDArray[np.int64]:
    """Let a learner play levers, and return which it pulled in each round.

    ``pays`` has a row for each round, and in it whether each lever would pay. The learner is shown that of the lever
    it pulls, as the label of an example whose only input is that lever.
    """
    table = np.atleast_2d(check.array("pays", pays))
    if table.shape[1] != learner.dim:
        raise ValueError(f"pays must have {learner.dim} columns, one for each lever, but it has {table.shape[1]}.")
    inputs, pulls = np.eye(learner.dim), np.empty(len(table), np.int64)
    for n, row in enumerate(table):
        pulls[n] = learner.choose(rng)
        outcome = learner.step(inputs[pulls[n]], row[pulls[n]], rng)
        if callback is not None:
            callback(outcome)
    return pulls
