"""The pseudo dataset of a belief flow, played round by round: what is added, and what is taken away."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bflo_viz.explorers.player import Player, playing_speed
from bflo_viz.explorers.traits import Choice, Number
from bflo_viz.scenes import pseudo_points as scenes
from bflo_viz.scenes.pseudo_points import PROBLEMS, PseudoScene, pseudo_dataset

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PseudoDatasetExplorer(Player):
    """Play a belief flow as Bayes' rule: each round adds a pseudo-point to the dataset, or removes one.

    >>> explorer = PseudoDatasetExplorer(flow="full", problem="drifting", round=40)
    >>> bool(explorer.posterior.kl(explorer.belief) > 0)
    True
    """

    flow = Choice(
        "spherical",
        options={
            "spherical": "spherical: points",
            "diagonal": "diagonal: a line a weight",
            "full": "full: one line",
        },
        help="The type of the belief and of its flow.",
    )
    problem = Choice(
        "separable",
        options={
            "separable": "separable: all labels right",
            "noisy labels": "noisy labels: 15 % wrong",
            "drifting": "drifting: the truth turns by 180°",
        },
        help="What there is to learn.",
    )
    eta = Number(
        0.3, low=0.01, high=1, step=0.01, label="rate η", help="Learning rate: how far a sampled weight steps."
    )
    speed = playing_speed(10, high=60)
    _view = Path(__file__).with_name("view.js")
    _title = "A belief flow as points added and removed"
    _help = (
        "Bayes' rule would have made the same updates from the points that are shown here. "
        "Play, step, or drag the line on the right."
    )
    _panels: ClassVar = {
        "plane": ("Round {round}: {added} added, {removed} removed", "first weight w₁", "second weight w₂"),
        "total": ("Prior plus all points: precision of {names}", "round", "precision of the belief"),
    }
    _rounds = 120
    _settings = ("flow", "problem", "eta")
    _facts: ClassVar = {
        "rounds": _rounds,
        "span": scenes.SPAN,
        "large": scenes.LARGE,
        "enough": scenes.ENOUGH,
        "reach": scenes.REACH,
        "mean": scenes.PRIOR_MEAN,
        "problems": PROBLEMS,
        "totals": scenes.TOTALS,
    }

    @staticmethod
    def _run(rng: np.random.RandomState, rounds: int, **settings: Any) -> PseudoScene:
        """What the truth turns in the first rounds, it turns on."""
        problem = settings.pop("problem")
        noise, turn = PROBLEMS[problem]["noise"], PROBLEMS[problem]["turn"] * rounds / PseudoDatasetExplorer._rounds
        return pseudo_dataset(rng, rounds=rounds, about=problem, noise=noise, turn=turn, **settings)

    @property
    def belief(self) -> Any:
        """The belief before the round; at round 0 the prior."""
        return self._belief_after(max(0, self.round - 1))

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset

        return draw_pseudo_dataset(self.scene, whole=False, style=style)
