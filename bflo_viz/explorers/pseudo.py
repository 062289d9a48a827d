"""The pseudo dataset of a belief flow, played round by round: what is added, and what is taken away."""

from typing import Any, ClassVar

from bflo_viz.explorers.base import Explorer, remembered
from bflo_viz.explorers.controls import choice, number, whole
from bflo_viz.figures.pseudo_points import PseudoDataset, pseudo_dataset

ROUNDS = 120  # that are in sight at first
PROBLEMS = {
    "separable": {"noise": 0.0, "turn": 0.0},
    "noisy labels": {"noise": 0.15, "turn": 0.0},
    "drifting": {"noise": 0.0, "turn": 180.0},  # degrees in the first rounds; it turns on
}


class PseudoDatasetExplorer(Explorer):
    """Play a belief flow as Bayes' rule: each round adds a pseudo-point to the dataset, or removes one.

    ``flow`` is the type of the belief, ``problem`` what there is to learn and ``eta`` the learning rate; ``seed`` and
    ``round`` say which run, and where in it.

    >>> explorer = PseudoDatasetExplorer(flow="full", problem="drifting", round=40)
    >>> bool(explorer.posterior.kl(explorer.belief) > 0)
    True
    """

    view, title = "pseudo", "A belief flow as points"
    constants: ClassVar = {"rounds": ROUNDS, "problems": PROBLEMS, "mean": [-1.0, 0.5]}
    flow = choice("spherical", ["spherical", "diagonal", "full"], label="Flow")
    problem = choice(
        "noisy labels", {"separable": "right", "noisy labels": "some wrong", "drifting": "turning"}, label="Labels"
    )
    eta = number(0.3, 0.01, 1, step=0.01, label="rate η", about="Learning rate of a sampled weight.")
    round = whole(44, 0, 20_000, label="round", about="Number of rounds done.")
    seed = whole(0, label="seed", about="Seed of all random numbers.")
    speed = whole(10, 1, 60, label="speed", unit=" rounds/s")

    @property
    def scene(self) -> PseudoDataset:
        """The run as data, up to the round: beliefs, weights, and the points that they stand for."""
        rounds = max(ROUNDS, self.round)
        noise, turn = PROBLEMS[self.problem]["noise"], PROBLEMS[self.problem]["turn"] * rounds / ROUNDS
        settings = {"flow": self.flow, "eta": self.eta, "noise": noise, "turn": turn}
        return remembered(pseudo_dataset, self.seed, rounds=rounds, **settings)

    @property
    def belief(self) -> Any:
        """The belief before the round; at round 0 the prior."""
        return self.scene.beliefs[max(0, self.round - 1)]

    @property
    def posterior(self) -> Any:
        """The belief after the round."""
        return self.scene.beliefs[self.round]
