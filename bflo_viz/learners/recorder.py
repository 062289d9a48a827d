"""A callback that keeps rounds: what figures and explorers feed on."""

from collections import deque
from collections.abc import Iterator

from bflo_viz import _checks as check
from bflo_viz.learners.base import Round


class Recorder:
    """Keep every ``every``-th round, and of those the last ``keep``: ``learner.run(X, y, rng, callback=recorder)``.

    The learner does not know of it, and its memory is bounded by ``keep``.

    Parameters
    ----------
    every
        1 keeps each round. Rounds between those that are kept run compiled.
    keep
        At most so many rounds are kept, the oldest are dropped; None keeps them all. A round holds its beliefs: of a
        full one with d weights, 16 d² bytes.
    """

    def __init__(self, every: int = 1, keep: int | None = 1000) -> None:
        self.every = check.dimension("every", every)
        self.rounds: deque[Round] = deque(maxlen=None if keep is None else check.dimension("keep", keep))

    def __call__(self, outcome: Round) -> None:
        """Keep a round, if it is one of those to be kept."""
        if outcome.index % self.every == 0:
            self.rounds.append(outcome)

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)
