"""The demonstration of the paper, live: a stream with wrong labels, four learners, their boundaries and curves."""

from pathlib import Path
from typing import Any, ClassVar

import traitlets
from matplotlib.figure import Figure

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.online.figure import draw
from bflo_viz.explorers.online.run import FLOWS, LEARNERS, ROUNDS, Run, Settings, learn, prior
from bflo_viz.explorers.traits import Flag, Number, Subset, Whole


class OnlineExplorer(Explorer):
    """Watch SGD and belief flows learn a line from labels that are often wrong, round by round.

    Inputs are drawn from N(0, I₂), and the true weight is (1, 1). Changing a setting computes all rounds anew
    with the same random numbers; another ``seed`` draws others.

    >>> explorer = OnlineExplorer(eta=0.02, flows=["full"], round=500)
    >>> explorer.posterior["full"].dim
    2
    """

    eta = Number(0.03, low=0.001, high=0.1, help="Learning rate; the paper has 0.01, and four times the rounds.")
    std = Number(1.0, low=0.1, high=3, help="Standard deviation of the prior, and of the weights where SGD begins.")
    flip = Number(0.4, low=0, high=0.5, help="Share of the labels that are wrong.")
    drift = Number(0.0, low=0, high=45, help="By how many degrees the true weight turns in 100 rounds.")
    flows = Subset(list(FLOWS), options=FLOWS, help="The flows that are shown, beside SGD.")
    non_expansive = Flag(False, help="Whether beliefs may not widen.")
    seed = Whole(0, help="What all random numbers are drawn from.")
    round = Whole(500, high=ROUNDS, help="How many rounds are done.")
    speed = Whole(100, low=1, high=500, help="Rounds a second when it plays.")
    _run = traitlets.Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Learning a line online"
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
    def settings(self) -> Settings:
        """What the rounds depend on."""
        return Settings(self.eta, self.std, self.flip, self.drift, self.non_expansive, self.seed)

    @property
    def run(self) -> Run:
        """All rounds of all learners."""
        return learn(self.settings)

    @property
    def belief(self) -> dict[str, Belief]:
        """The priors of the flows that are shown."""
        return {flow: prior(flow, self.std) for flow in self.flows}

    @property
    def posterior(self) -> dict[str, Belief]:
        """Their beliefs after the round."""
        return {flow: self.run.belief(flow, self.round) for flow in self.flows}

    @traitlets.default("_run")
    def _first_run(self) -> dict[str, Any]:
        return packed(self.run)

    @traitlets.observe("eta", "std", "flip", "drift", "non_expansive", "seed")
    def _learn(self, change: Any = None) -> None:
        if self._run.get("of") != self.settings._asdict():  # several settings may have changed at once
            self._run = self._first_run()

    def figure(self, *, style: str = "paper") -> Figure:
        """The same state as a figure for print, with alt text."""
        return draw(self.run, self.round, self.flows, style)

    def _describe(self) -> str:
        names = ["SGD", *self.flows]
        how = f"{self.flip:.0%} of the labels flipped, eta {self.eta:g}, prior standard deviation {self.std:g}"
        how += f", a drift of {self.drift:g} degrees in 100 rounds" if self.drift else ""
        how += ", non-expansive" if self.non_expansive else ""
        if not self.round:
            return f"Round 0 of {ROUNDS} with {how}: {', '.join(names)} have seen nothing yet."
        errors = ", ".join(f"{name} {self.run.error(name, self.round):.1f} %" for name in names)
        return f"After {self.round} of {ROUNDS} rounds with {how}, the mistakes are: {errors}."


def packed(run: Run) -> dict[str, Any]:
    """What the browser needs of a run."""
    by_learner = {}
    for name in LEARNERS:
        arrays = {"mean": pack(run.traces[name].mean), "wrong": pack(run.wrong[name])}
        if name in FLOWS:
            arrays |= {"factor": pack(run.factors[name]), "entropy": pack(run.entropy[name])}
        by_learner[name] = arrays
    return {
        "of": run.settings._asdict(),
        "rounds": ROUNDS,
        "x": pack(run.X),
        "seen": pack(run.seen.astype("u1")),
        "flipped": pack((run.seen != run.truth).astype("u1")),
        "samples": pack(run.samples),
        "learners": by_learner,
    }
