"""The demonstration of the paper, live: a stream with wrong labels, four learners, their boundaries and curves."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bflo_viz.explorers.player import Player, playing_speed, rounds_done
from bflo_viz.explorers.traits import Choice, Flag, Number, Subset
from bflo_viz.scenes import online as scenes
from bflo_viz.scenes.online import FLOWS, OTHERS, TITLES, OnlineScene, learn_online

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class OnlineExplorer(Player):
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
        label="rate η",
        help="Learning rate; the paper has 0.01, and four times the rounds.",
    )
    std = Number(
        1.0,
        low=0.1,
        high=3,
        step=0.1,
        label="prior σ",
        help="Standard deviation of the prior, and of the weights where SGD begins.",
    )
    flip = Number(0.4, low=0, high=0.5, step=0.01, label="flipped", help="Share of the labels that are wrong.")
    drift = Number(
        0.0,
        low=0,
        high=45,
        step=1,
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
    round = rounds_done(500)
    speed = playing_speed(100)
    _view = Path(__file__).with_name("view.js")
    _title = "Learning a line online"
    _help = (
        "All learners see the same stream of labels, many of them wrong. Every change keeps the random numbers: "
        "like is compared with like. Play as long as you like, step, or drag the line on a curve."
    )
    _panels: ClassVar = {
        "plane": (TITLES["plane"], "first input", "second input"),
        "mistakes": (TITLES["mistakes"], "round", "mistakes so far (%)"),
        "entropy": (TITLES["entropy"], "round", "entropy (nats)"),
        "distance": ("Distance of the best weight", "round", "standard deviations"),
    }
    _rounds = 2000
    _settings = ("eta", "std", "flip", "drift", "non_expansive", "flows", "others")
    _facts: ClassVar = {
        "rounds": _rounds,
        "shown": scenes.SHOWN,
        "samples": scenes.SAMPLES,
        "span": scenes.SPAN,
        "settled": scenes.SETTLED,
        "lowest": scenes.LOWEST,
        "dips": scenes.DIPS,
        "calibrated": scenes.CALIBRATED,
        "tooSure": scenes.TOO_SURE,
        "integral": (scenes.NODES, scenes.FAR),
        "words": {
            "none": TITLES["none"],
            "median": "Calibration: from the mean of a belief that is as sure as it should be, the best weight (that "
            "with the least expected loss) lies {ideal} standard deviations away in the median. "
            "Over the later half of the rounds so far: {told}.",
            "sure": "too sure",
            "unsure": "less sure than it could be",
            "fair": "about right",
            "endless": "Calibration: without wrong labels a longer weight is always better, and none is the best.",
        },
    }

    @staticmethod
    def _run(rng: np.random.RandomState, rounds: int, **settings: Any) -> OnlineScene:
        names = ("SGD", *settings.pop("flows"), *settings.pop("others"))
        return learn_online(rng, rounds=rounds, names=names, **settings)

    @property
    def scene(self) -> OnlineScene:
        """What the learners that are shown have done by this round."""
        scene: OnlineScene = self._whole().at(self.round, predict=self.predict)
        return scene

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.online import draw_online

        return draw_online(self.scene, style=style)
