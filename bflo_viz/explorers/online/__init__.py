"""The demonstration of the paper, live: a stream with wrong labels, four learners, their boundaries and curves."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.traits import Choice, Flag, Number, Subset, Whole
from bflo_viz.scenes.online import CALIBRATED, FLOWS, OTHERS, SAMPLES, SHOWN, TOO_SURE, OnlineScene, learn_online

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 2000  # that are shown at first; it goes on as long as one plays
MOST = 20_000
_SETTINGS = ("eta", "std", "flip", "drift", "non_expansive", "seed")


@functools.lru_cache(maxsize=4)
def computed(seed: int, **settings: Any) -> OnlineScene:
    """The scene of these settings, as the page has it; the last few are kept, since a cell is often run again."""
    return learn_online(np.random.RandomState(seed), **settings)


class OnlineExplorer(Explorer):
    """Watch SGD, belief flows and others learn a line from labels that are often wrong, round by round.

    Inputs are drawn from N(0, I₂), and the true weight is (1, 1). Changing a setting computes all rounds anew
    with the same random numbers; another ``seed`` draws others. The page computes for itself; Python computes the
    same when it is asked.

    >>> explorer = OnlineExplorer(eta=0.02, flows=["full"], round=500)
    >>> explorer.posterior["full"].dim
    2
    """

    eta = Number(
        0.03,
        low=0.001,
        high=0.1,
        step=0.001,
        digits=3,
        label="rate η",
        help="Learning rate; the paper has 0.01, and four times the rounds.",
    )
    std = Number(
        1.0,
        low=0.1,
        high=3,
        step=0.1,
        digits=1,
        label="prior σ",
        help="Standard deviation of the prior, and of the weights where SGD begins.",
    )
    flip = Number(0.4, low=0, high=0.5, step=0.01, label="flipped", help="Share of the labels that are wrong.")
    drift = Number(
        0.0,
        low=0,
        high=45,
        step=1,
        digits=0,
        unit="°/100 rounds",
        help="By how many degrees the true weight turns in 100 rounds.",
    )
    predict = Choice(
        "sample",
        options={"sample": "by a sample of the belief", "mean": "by its mean"},
        label="predict",
        help="What predicts, when mistakes are counted; SGD and Langevin have one weight, which does both.",
    )
    flows = Subset(list(FLOWS), options=FLOWS, label="Flows", help="The flows that are shown, beside SGD.")
    others = Subset([], options=OTHERS, label="Others", help="Other learners to compare with.")
    non_expansive = Flag(False, label="non-expansive", help="Whether beliefs may not widen.")
    seed = Whole(0, label="Seed", help="What all random numbers are drawn from.")
    round = Whole(500, high=MOST, label="Round", help="How many rounds are done.")
    speed = Whole(100, low=1, high=500, unit="rounds/s", label="Speed", help="Rounds a second when it plays.")
    _view = Path(__file__).with_name("view.js")
    _title = "Learning a line online"
    _help = (
        "All learners see the same stream of labels, many of them wrong. Every change keeps the random numbers: "
        "like is compared with like. Play as long as you like, step, or drag the line on a curve."
    )
    _facts: ClassVar = {
        "rounds": ROUNDS,
        "shown": SHOWN,
        "samples": SAMPLES,
        "calibrated": CALIBRATED,
        "tooSure": TOO_SURE,
        "words": {
            "median": "Calibration: from the mean of a belief that is as sure as it should be, the best weight (that "
            "with the least expected loss) lies {ideal} standard deviations away in the median. "
            "Over the later half of the rounds so far: {told}.",
            "sure": "too sure",
            "unsure": "less sure than it could be",
            "fair": "about right",
            "endless": "Calibration: without wrong labels a longer weight is always better, and none is the best.",
        },
    }

    @property
    def scene(self) -> OnlineScene:
        """What the learners that are shown have done by this round."""
        names = ("SGD", *self.flows, *self.others)
        settings = {name: getattr(self, name) for name in _SETTINGS}
        scene = computed(**settings, names=names, rounds=max(ROUNDS, self.round))
        return scene.at(self.round, predict=self.predict)

    @property
    def belief(self) -> dict[str, Belief]:
        """The priors of those that have one."""
        return {name: path[0] for name, path in self.scene.beliefs.items()}

    @property
    def posterior(self) -> dict[str, Belief]:
        """Their beliefs after the round."""
        return {name: path[self.round] for name, path in self.scene.beliefs.items()}

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.online import draw_online

        return draw_online(self.scene, style=style)
