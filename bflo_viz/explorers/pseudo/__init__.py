"""The pseudo dataset of a belief flow, played round by round: what is added, and what is taken away."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.traits import Choice, Number, Whole
from bflo_viz.scenes.pseudo_points import PRIOR_MEAN, PROBLEMS, SPAN, WORDS, PseudoScene, pseudo_dataset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 120  # that are shown at first; it goes on as long as one plays
MOST = 20_000


@functools.lru_cache(maxsize=8)
def computed(seed: int, flow: str, problem: str, eta: float, rounds: int) -> PseudoScene:
    """The scene of these settings, as the page has it; what the truth turns in so many rounds, it turns on."""
    noise, turn = PROBLEMS[problem]["noise"], PROBLEMS[problem].get("turn", 0.0) * rounds / ROUNDS
    rng = np.random.RandomState(seed)
    return pseudo_dataset(rng, flow, rounds=rounds, eta=eta, noise=noise, turn=turn, about=problem)


class PseudoDatasetExplorer(Explorer):
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
    seed = Whole(0, label="Seed", help="What all random numbers are drawn from.")
    round = Whole(0, high=MOST, label="Round", help="How many rounds are done.")
    speed = Whole(10, low=1, high=60, unit="rounds/s", label="Speed", help="Rounds a second when it plays.")
    _view = Path(__file__).with_name("view.js")
    _title = "A belief flow as points added and removed"
    _help = (
        "Bayes' rule would have made the same updates from the points that are shown here. "
        "Play, step, or drag the line on the right."
    )
    _facts: ClassVar = {
        "rounds": ROUNDS,
        "span": SPAN,
        "mean": PRIOR_MEAN,
        "problems": {name: {"turn": 0.0} | settings for name, settings in PROBLEMS.items()},
        "words": WORDS,
    }

    @property
    def scene(self) -> PseudoScene:
        """What the flow has done on the problem by this round."""
        rounds = max(ROUNDS, self.round)
        return computed(self.seed, self.flow, self.problem, self.eta, rounds).at(self.round)

    @property
    def belief(self) -> Belief:
        """The belief before the round; at round 0 the prior."""
        return self.scene.beliefs[max(0, self.round - 1)]  # type: ignore[no-any-return]

    @property
    def posterior(self) -> Belief:
        """The belief after the round."""
        return self.scene.beliefs[self.round]  # type: ignore[no-any-return]

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset

        return draw_pseudo_dataset(self.scene, whole=False, style=style)
