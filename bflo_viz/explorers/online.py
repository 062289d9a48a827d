"""The demonstration of the paper, live: a stream with wrong labels, its learners and their curves."""

from dataclasses import replace
from typing import Any, ClassVar

import traitlets

from bflo_viz.explorers.base import Explorer, remembered
from bflo_viz.explorers.controls import choice, flag, hidden, number, several, whole
from bflo_viz.figures import online
from bflo_viz.figures.online import LEARNERS, OnlineRun, learn_online

ROUNDS = 2000  # that are in sight at first
_SETTINGS = ("eta", "std", "flip", "drift", "non_expansive")


class OnlineExplorer(Explorer):
    """Watch a point, filters and belief flows learn a line from labels that are often wrong, round by round.

    ``learners`` are those in sight, such as ``["SGD", "Kalman", "full"]``. Inputs are drawn from N(0, I₂), and the
    true weight is (1, 1) at first. ``turns`` lists rounds from which on it has turned by so many degrees more; the
    page adds one wherever the true line is dragged. Another setting computes all rounds anew with the same numbers.

    >>> explorer = OnlineExplorer(eta=0.02, learners=["SGD", "Kalman", "full"], round=500)
    >>> explorer.posterior["full"].dim
    2
    """

    view, title = "online", "Learning a line online"
    constants: ClassVar = {
        **{"rounds": ROUNDS, "samples": online.SAMPLES, "integral": [online.NODES, online.FAR]},
        "calibrated": online.CALIBRATED,
    }
    eta = number(0.03, 0.001, 0.1, step=0.001, label="rate η", about="Learning rate; the paper has 0.01.")
    std = number(1.0, 0.1, 3, step=0.1, label="prior σ", about="Also of the weights where SGD begins.")
    flip = number(0.4, 0, 0.5, step=0.01, unit=" %", label="wrong labels", about="Share of labels that are wrong.")
    drift = number(0.0, 0, 45, step=1, label="truth turns", unit="° / 100", about="Degrees in 100 rounds.")
    turns = hidden(traitlets.List(traitlets.Tuple(traitlets.Int(min=0), traitlets.CFloat(min=-360, max=360))), row=2)
    predict = choice("sample", {"sample": "a sample", "mean": "the mean"}, label="predicts")
    learners = several(LEARNERS, ("SGD", "Kalman", *online.FLOWS), label="learners")
    non_expansive = flag(label="cannot widen", about="True if the beliefs cannot widen.")
    round = whole(500, 0, 20_000, label="round", about="Number of rounds done.")
    seed = whole(0, label="seed", about="Seed of all random numbers.")
    speed = whole(100, 1, 500, label="speed", unit=" rounds/s")

    @property
    def scene(self) -> OnlineRun:
        """The run of the learners, up to this round."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        settings |= {"names": tuple(self.learners), "turns": tuple(self.turns)}
        run = remembered(learn_online, self.seed, rounds=max(ROUNDS, self.round), **settings)
        return replace(run, predict=self.predict)

    @property
    def belief(self) -> dict[str, Any]:
        """The prior of each learner that has one."""
        return {name: path[0] for name, path in self.scene.beliefs.items()}

    @property
    def posterior(self) -> dict[str, Any]:
        """The belief of each of them after the round."""
        return {name: path[self.round] for name, path in self.scene.beliefs.items()}
