"""Three ways to learn on one loss surface, played round by round."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from traitlets import Dict, default, observe

from bflo_viz.beliefs import FullBelief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.traits import Choice, Number, Whole
from bflo_viz.scenes.surfaces import SURFACES
from bflo_viz.scenes.three_ways import NOTICE, DynamicsScene, dynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 150


@functools.lru_cache(maxsize=4)
def scenes(seed: int) -> dict[str, DynamicsScene]:
    """The scenes of all surfaces by name; the last few are kept, since a cell is often run again."""
    return {name: dynamics(np.random.default_rng(seed), name, rounds=ROUNDS) for name in SURFACES}


class DynamicsExplorer(Explorer):
    """Play the same examples to gradient descent, to Bayes' rule and to a belief flow, on one of three loss surfaces.

    ``surface`` is what they learn, ``round`` how many examples they have seen, ``seed`` where all random numbers come
    from: the same seed begins alike on every surface. ``speed`` is in rounds a second.

    >>> explorer = DynamicsExplorer(surface="double well", round=150)
    >>> bool(explorer.posterior.entropy() < explorer.belief.entropy())
    True
    """

    surface = Choice("convex", options=tuple(SURFACES), label="Loss surface", help="What all three learn on.")
    seed = Whole(0, label="Seed", help="Where the random numbers come from.")
    round = Whole(0, high=ROUNDS, label="Round", help="How many examples have been seen.")
    speed = Number(
        10, low=1, high=60, step=1, digits=0, unit="rounds/s", label="Speed", help="Rounds a second, when it plays."
    )
    _run = Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Three ways to learn"
    _help = "One stream of examples, three learners. Step through the rounds or play them; then change the surface."
    _grid: ClassVar = {"seed": (0, 1, 2, 3)}
    _steps: ClassVar = {"clouds": 2**-10}

    @property
    def scene(self) -> DynamicsScene:
        """What the three have done on this surface by this round, with this seed."""
        return scenes(self.seed)[str(self.surface)].at(self.round)

    @property
    def belief(self) -> FullBelief:
        """The prior, from which all three begin."""
        return self.scene.beliefs[0]

    @property
    def posterior(self) -> FullBelief:
        """What the flow has made of it by this round."""
        return self.scene.beliefs[int(self.round)]

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.dynamics import draw_dynamics

        return draw_dynamics(self.scene, whole=False, style=style)

    @default("_run")
    def _first_run(self) -> dict[str, Any]:
        return _packed(self.seed)

    @observe("seed")
    def _run_anew(self, _: Any) -> None:
        self._run = _packed(self.seed)


def _packed(seed: int) -> dict[str, Any]:
    """The scenes of a seed on all surfaces, as the view takes them."""
    return {"of": seed, **{name: _pack_scene(scene) for name, scene in scenes(seed).items()}}


def _pack_scene(scene: DynamicsScene) -> dict[str, Any]:
    arrays = {
        "levels": scene.levels,
        "fitting": np.array([scene.surface.fitting(example) for example in scene.examples]),
        "points": scene.points,
        "bayesMean": scene.bayes.mean,
        "bayesCovariance": scene.bayes.covariance,
        "outline": scene.bayes.outline,
        "hill": scene.bayes.hill_mean,
        "flowMean": np.array([belief.mean for belief in scene.beliefs]),
        "flowCovariance": np.array([belief.covariance for belief in scene.beliefs]),
        "sampled": scene.sampled,
        "moved": scene.moved,
        "clouds": scene.clouds,
    }
    surface = scene.surface
    return {
        "notice": NOTICE[scene.name],
        "optima": surface.optima.tolist(),
        "x": [surface.low[0], surface.high[0]],
        "y": [surface.low[1], surface.high[1]],
        "arrays": {name: pack(values) for name, values in arrays.items()},
        "facts": {name: pack(values) for name, values in scene.facts.items()},
    }
