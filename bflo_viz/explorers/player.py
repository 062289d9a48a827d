"""What explorers of rounds share: a run that is made of a seed and settings, and one of its rounds to look at."""

import functools
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.traits import Whole

MOST = 20_000  # rounds that can be played


def rounds_done(first: int) -> Whole:
    """The round that is looked at."""
    return Whole(first, high=MOST, label="Round", help="How many rounds are done.")


def playing_speed(first: int, high: int = 500) -> Whole:
    """How fast it plays."""
    return Whole(first, low=1, high=high, unit="rounds/s", label="Speed", help="Rounds a second when it plays.")


class Player(Explorer):
    """An explorer whose page plays rounds of a run; Python computes the same run when it is asked.

    With the random numbers of a page no round is compiled: Python takes some 0.2 ms for a round of each learner.
    """

    seed = Whole(0, label="Seed", help="What all random numbers are drawn from.")
    round = rounds_done(0)
    speed = playing_speed(10)
    _rounds: ClassVar[int]  # that are shown at first; it goes on as long as one plays
    _settings: ClassVar[tuple[str, ...]]  # the traits that a run is made of, besides its seed
    _run: ClassVar[Any]  # what makes the scene of a run of a generator, rounds and settings

    def _whole(self) -> Any:
        """The run as far as it is shown; the last few are kept, since a cell is often run again."""
        values = {name: getattr(self, name) for name in self._settings}
        settings = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        return computed(self._run, self.seed, max(self._rounds, self.round), **settings)

    @property
    def scene(self) -> Any:
        """What has been done by this round, with these settings."""
        return self._whole().at(self.round)

    @property
    def belief(self) -> Any:
        """What is believed before the first round: the prior."""
        return self._belief_after(0)

    @property
    def posterior(self) -> Any:
        """What is believed after the round."""
        return self._belief_after(self.round)

    def _belief_after(self, now: int) -> Any:
        beliefs = self._whole().beliefs
        return {name: path[now] for name, path in beliefs.items()} if isinstance(beliefs, dict) else beliefs[now]


@functools.lru_cache(maxsize=8)
def computed(run: Callable[..., Any], seed: int, rounds: int, **settings: Any) -> Any:
    """The run of these settings, with the random numbers of the page."""
    return run(np.random.RandomState(seed), rounds=rounds, **settings)
