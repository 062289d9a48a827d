"""Three ways to learn on one loss surface, and the ensemble that a belief stands for, played round by round."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from bflo_viz.explorers.player import Player
from bflo_viz.explorers.traits import Choice, Number
from bflo_viz.scenes.surfaces import DISTANCES, NODES, REACH, SURFACES, WIDE
from bflo_viz.scenes.three_ways import ENSEMBLE, FLOWS, STD, TINY, TOO_SURE, dynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WEIGHTS = ("first weight", "second weight")


class DynamicsExplorer(Player):
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
        label="Rate η",
        help="Learning rate of all gradient steps; until it is set, that of the surface.",
    )
    std = Number(STD, low=0.2, high=2.5, step=0.1, label="Prior σ", help="Width of the prior.")
    _view = Path(__file__).with_name("view.js")
    _title = "Three ways to learn"
    _help = (
        "One stream of examples, three learners, and the ensemble that the flow stands for. Step through the rounds "
        "or play them; then change the surface."
    )
    _panels: ClassVar = {
        "sgd": ("SGD: a point moves", *_WEIGHTS),
        "bayes": ("Bayes filter: a posterior sharpens", *_WEIGHTS),
        "flow": ("Belief flow: an ensemble is carried", *_WEIGHTS),
        "ensemble": ("True ensemble: each weight steps", *_WEIGHTS),
    }
    _rounds = 150
    _settings = ("surface", "eta", "std", "flow", "truth")
    _run = staticmethod(dynamics)
    _facts: ClassVar = {
        "rounds": _rounds,
        "reach": REACH,
        "distances": DISTANCES,
        "nodes": NODES,
        "wide": WIDE,
        "surfaces": {name: surface.numbers() for name, surface in SURFACES.items()},
        "ensemble": ENSEMBLE,
        "tiny": TINY,
        "tooSure": TOO_SURE,
    }

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.dynamics import draw_dynamics

        return draw_dynamics(self.scene, whole=False, style=style)
