"""The pseudo dataset of a belief flow, played round by round: what is added, and what is taken away."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import traitlets
from matplotlib.figure import Figure

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.pseudo.figure import draw
from bflo_viz.explorers.pseudo.run import FLOWS, PROBLEMS, ROUNDS, Run, learn_all
from bflo_viz.explorers.traits import Choice, Whole


class PseudoDatasetExplorer(Explorer):
    """Play a belief flow as Bayes' rule: each round adds a pseudo-point to the dataset, or removes one.

    >>> explorer = PseudoDatasetExplorer(flow="full", problem="drifting", round=40)
    >>> bool(explorer.posterior.kl(explorer.belief) > 0)
    True
    """

    flow = Choice("spherical", options=FLOWS, help="The type of the belief and of its flow.")
    problem = Choice("separable", options=PROBLEMS, help="What there is to learn.")
    seed = Whole(0, help="What all random numbers are drawn from.")
    round = Whole(0, high=ROUNDS, help="How many rounds are done.")
    speed = Whole(10, low=1, high=60, help="Rounds a second when it plays.")
    _run = traitlets.Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "A belief flow as points added and removed"
    _grid: ClassVar = {"seed": (0, 1, 2, 3)}

    @property
    def run(self) -> Run:
        """All rounds of the flow on the problem."""
        return learn_all(self.seed)[self.problem][self.flow]

    @property
    def belief(self) -> Belief:
        """The belief before the round; at round 0 the prior."""
        return self.run.beliefs[max(0, self.round - 1)]  # type: ignore[no-any-return]

    @property
    def posterior(self) -> Belief:
        """The belief after the round."""
        return self.run.beliefs[self.round]  # type: ignore[no-any-return]

    @traitlets.default("_run")
    def _first_run(self) -> dict[str, Any]:
        return packed(self.seed)

    @traitlets.observe("seed")
    def _learn(self, change: Any = None) -> None:
        if self._run.get("of") != {"seed": self.seed}:
            self._run = packed(self.seed)

    def figure(self, *, style: str = "paper") -> Figure:
        """The same state as a figure for print, with alt text."""
        return draw(self.run, self.problem, self.round, style)

    def _describe(self) -> str:
        return f"A {self.flow} belief flow learns the problem {self.problem!r}. {self.run.sentence(self.round)}"


def packed(seed: int) -> dict[str, Any]:
    """What the browser needs of all runs of a seed."""
    found = learn_all(seed)
    return {
        "of": {"seed": seed},
        "rounds": ROUNDS,
        "problems": {problem: {flow: _packed(run) for flow, run in runs.items()} for problem, runs in found.items()},
    }


def _packed(run: Run) -> dict[str, Any]:
    covariances = np.array([belief.covariance for belief in run.beliefs])
    arrays = {
        "true": run.true,
        "mean": np.array([belief.mean for belief in run.beliefs]),
        "covariance": covariances[:, [0, 0, 1], [0, 1, 1]],
        "weights": run.weights,
        "moved": run.moved,
        "places": run.places,
        "directions": run.directions,
        "precisions": run.precisions,
        "totals": run.totals,
    }
    words = [run.sentence(after) for after in range(len(run.beliefs))]
    return {name: pack(array) for name, array in arrays.items()} | {"words": words, "large": run.large}
