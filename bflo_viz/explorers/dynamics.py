"""Three ways to learn on one loss surface, and the ensemble that a belief stands for, played round by round."""

from typing import Any, ClassVar

from bflo_viz.explorers.base import Explorer, remembered
from bflo_viz.explorers.controls import choice, number, numbers, whole
from bflo_viz.figures import three_ways
from bflo_viz.figures.three_ways import FLOWS, SURFACES, Dynamics, dynamics

ROUNDS = 150  # that are in sight at first
_SETTINGS = ("surface", "eta", "std", "flow", "truth", "optimum")
_PICTURES = {"flow": "belief flow", "sgd": "SGD", "bayes": "Bayes", "ensemble": "true ensemble"}


class DynamicsExplorer(Explorer):
    """Play the same examples to gradient descent, to Bayes' rule and to a belief flow, on one of two loss surfaces.

    Beside them is the ensemble that the flow stands for, in which every weight steps by itself. ``truth`` says
    whether the lowest point is drawn from the prior; ``optimum`` is where a hand put it, whatever ``truth`` says.

    >>> explorer = DynamicsExplorer(surface="convex", round=150)
    >>> bool(explorer.posterior.entropy() < explorer.belief.entropy())
    True
    """

    view, title = "dynamics", "Three ways to learn"
    constants: ClassVar = {
        **{"rounds": ROUNDS, "ensemble": three_ways.ENSEMBLE, "tooSure": three_ways.TOO_SURE},
        **{"reach": three_ways.REACH, "distances": three_ways.DISTANCES},
        "surfaces": {name: surface.numbers() for name, surface in SURFACES.items()},
    }
    surface = choice("ravine", {"convex": "bowl", "ravine": "ravine"}, label="Loss")
    flow = choice("full", FLOWS, label="Flow")
    truth = choice("given", {"given": "given", "drawn": "drawn from the prior"}, label="lowest point")
    optimum = numbers(None, -6, 6, about="The lowest point; None: that of the surface, or the one that is drawn.")
    eta = number(None, 0.005, 0.5, step=0.005, label="rate η", about="None: that of the surface.")
    std = number(three_ways.STD, 0.2, 2.5, label="prior σ", about="Width of the prior.")
    round = whole(26, 0, 20_000, label="round", about="Number of examples seen.")
    seed = whole(3, label="seed", about="Seed of all random numbers.")
    speed = whole(10, 1, 60, label="speed", unit=" rounds/s")
    main = choice("flow", _PICTURES, label="large picture")

    @property
    def scene(self) -> Dynamics:
        """The run of all of them, up to this round."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        settings["optimum"] = self.optimum and tuple(self.optimum)
        return remembered(dynamics, self.seed, rounds=max(ROUNDS, self.round), **settings)

    @property
    def belief(self) -> Any:
        """The prior."""
        return self.scene.beliefs[0]

    @property
    def posterior(self) -> Any:
        """The belief after the round."""
        return self.scene.beliefs[self.round]
