"""The demonstration of the paper, live: a stream with wrong labels, four learners, their boundaries and curves."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import traitlets

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.traits import Flag, Number, Subset, Whole
from bflo_viz.scenes.online import FLOWS, OnlineScene, learn_online

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 2000


@functools.lru_cache(maxsize=4)
def computed(seed: int, **settings: Any) -> OnlineScene:
    """The scene of these settings; the last few are kept, since a cell is often run again."""
    return learn_online(np.random.default_rng(seed), rounds=ROUNDS, **settings)


class OnlineExplorer(Explorer):
    """Watch SGD and belief flows learn a line from labels that are often wrong, round by round.

    Inputs are drawn from N(0, I₂), and the true weight is (1, 1). Changing a setting computes all rounds anew
    with the same random numbers; another ``seed`` draws others.

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
    flows = Subset(list(FLOWS), options=FLOWS, label="Flows", help="The flows that are shown, beside SGD.")
    non_expansive = Flag(False, label="non-expansive", help="Whether beliefs may not widen.")
    seed = Whole(0, label="Seed", help="What all random numbers are drawn from.")
    round = Whole(500, high=ROUNDS, label="Round", help="How many rounds are done.")
    speed = Whole(100, low=1, high=500, unit="rounds/s", label="Speed", help="Rounds a second when it plays.")
    _run = traitlets.Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Learning a line online"
    _help = (
        "Four learners see the same stream of labels, many of them wrong. Every change keeps the random numbers: "
        "like is compared with like. Play, step, or drag the line on a curve."
    )
    _grid: ClassVar = {
        "eta": (0.01, 0.03, 0.1),
        "std": (0.3, 1.0, 3.0),
        "flip": (0.0, 0.4, 0.5),
        "drift": (0.0, 20.0),
        "non_expansive": (False, True),
        "seed": (),  # that of the page alone
    }
    _steps: ClassVar = {"mean": 2**-10, "factor": 2**-10, "entropy": 2**-6}

    @property
    def settings(self) -> dict[str, Any]:
        """What the rounds depend on."""
        return {name: getattr(self, name) for name in self._grid}

    @property
    def scene(self) -> OnlineScene:
        """What all learners have done by this round, with the flows that are shown."""
        return computed(**self.settings).at(self.round, self.flows)

    @property
    def belief(self) -> dict[str, Belief]:
        """The priors of the flows that are shown."""
        scene = self.scene
        return {flow: scene.beliefs[flow][0] for flow in scene.flows}

    @property
    def posterior(self) -> dict[str, Belief]:
        """Their beliefs after the round."""
        scene = self.scene
        return {flow: scene.beliefs[flow][scene.now] for flow in scene.flows}

    @traitlets.default("_run")
    def _first_run(self) -> dict[str, Any]:
        return packed(self.settings)

    @traitlets.observe("eta", "std", "flip", "drift", "non_expansive", "seed")
    def _learn(self, change: Any = None) -> None:
        if self._run.get("of") != self.settings:  # several settings may have changed at once
            self._run = self._first_run()

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.online import draw_online

        return draw_online(self.scene, style=style)


def packed(settings: dict[str, Any]) -> dict[str, Any]:
    """What the browser needs of a scene."""
    scene = computed(**settings)
    learners = {name: {"mean": pack(scene.means[name]), "wrong": pack(scene.wrong[name])} for name in scene.means}
    for flow in FLOWS:
        learners[flow] |= {"factor": pack(scene.factors[flow]), "entropy": pack(scene.entropy[flow])}
    return {
        "of": settings,
        "rounds": scene.rounds,
        "x": pack(scene.X),
        "seen": pack(scene.seen.astype("u1")),
        "flipped": pack((scene.seen != scene.truth).astype("u1")),
        "samples": pack(scene.samples),
        "learners": learners,
    }
