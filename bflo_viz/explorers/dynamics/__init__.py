"""Three ways to learn on one loss surface, and the ensemble that a belief stands for, played round by round."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.traits import Choice, Number, Whole
from bflo_viz.scenes.surfaces import SURFACES
from bflo_viz.scenes.three_ways import FLOWS, STD, DynamicsScene, dynamics, for_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 150  # that are shown at first; it goes on as long as one plays
MOST = 100_000
_SETTINGS = ("surface", "eta", "std", "flow", "truth", "seed")


@functools.lru_cache(maxsize=4)
def computed(seed: int, rounds: int, **settings: Any) -> DynamicsScene:
    """The scene of these settings, as the page has it; the last few are kept, since a cell is often run again."""
    return dynamics(np.random.RandomState(seed), rounds=rounds, **settings)


class DynamicsExplorer(Explorer):
    """Play the same examples to gradient descent, to Bayes' rule and to a belief flow, on one of three loss surfaces.

    Beside them is the ensemble that the flow stands for, in which every weight steps by itself. ``surface`` is what
    they learn, ``round`` how many examples they have seen, ``seed`` where all random numbers come from: the same seed
    begins alike on every surface. ``eta`` is the learning rate (None: that of the surface), ``std`` the width of the
    prior, ``flow`` the type of the belief; ``truth`` says whether the optimum is drawn from the prior. The page
    computes for itself; Python computes the same when it is asked.

    >>> explorer = DynamicsExplorer(surface="double well", round=150)
    >>> bool(explorer.posterior.entropy() < explorer.belief.entropy())
    True
    """

    surface = Choice("convex", options=tuple(SURFACES), label="Loss surface", help="What all learn on.")
    flow = Choice("full", options=FLOWS, label="Flow", help="The type of the belief and of its flow.")
    truth = Choice(
        "given",
        options={"given": "given", "drawn": "drawn from the prior"},
        label="Optimum",
        help="Where the lowest point is: where the surface has it, or drawn from the prior with the seed.",
    )
    eta = Number(
        None,
        low=0.005,
        high=0.5,
        step=0.005,
        digits=3,
        label="Rate η",
        help="Learning rate of all gradient steps; until it is set, that of the surface.",
    )
    std = Number(STD, low=0.2, high=2.5, step=0.1, digits=1, label="Prior σ", help="Width of the prior.")
    seed = Whole(0, label="Seed", help="Where the random numbers come from.")
    round = Whole(0, high=MOST, label="Round", help="How many examples have been seen.")
    speed = Number(
        10, low=1, high=500, step=1, digits=0, unit="rounds/s", label="Speed", help="Rounds a second, when it plays."
    )
    _view = Path(__file__).with_name("view.js")
    _title = "Three ways to learn"
    _help = (
        "One stream of examples, three learners, and the ensemble that the flow stands for. Step through the rounds "
        "or play them; then change the surface."
    )
    _facts: ClassVar = {"rounds": ROUNDS, **for_page()}

    @property
    def scene(self) -> DynamicsScene:
        """What they have done on this surface by this round, with these settings."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        return computed(**settings, rounds=max(ROUNDS, self.round)).at(self.round)

    @property
    def belief(self) -> Belief:
        """The prior, from which all begin."""
        return self.scene.beliefs[0]

    @property
    def posterior(self) -> Belief:
        """What the flow has made of it by this round."""
        return self.scene.beliefs[int(self.round)]

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.dynamics import draw_dynamics

        return draw_dynamics(self.scene, whole=False, style=style)
