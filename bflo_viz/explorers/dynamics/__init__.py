"""Three ways to learn on one loss surface, played round by round."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure
from traitlets import Dict, default, observe

from bflo_viz.beliefs import FullBelief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.dynamics.figure import draw
from bflo_viz.explorers.dynamics.run import ROUNDS, Run, learn_all
from bflo_viz.explorers.dynamics.surfaces import PRIOR, SURFACES
from bflo_viz.explorers.dynamics.words import NOTICE, sentences
from bflo_viz.explorers.traits import Choice, Number, Whole


class DynamicsExplorer(Explorer):
    """Play the same examples to gradient descent, to Bayes' rule and to a belief flow, on one of three loss surfaces.

    ``surface`` is what they learn, ``round`` how many examples they have seen, ``seed`` where all random numbers come
    from: the same seed begins alike on every surface. ``speed`` is in rounds a second.

    >>> explorer = DynamicsExplorer(surface="double well", round=150)
    >>> explorer.posterior.mean.round(2).tolist()
    [-1.53, 0.83]
    """

    surface = Choice("convex", options=tuple(SURFACES), help="The loss surface.")
    seed = Whole(0, help="Where the random numbers come from.")
    round = Whole(0, high=ROUNDS, help="How many examples have been seen.")
    speed = Number(10, low=1, high=60, help="Rounds a second, when it plays.")
    _run = Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Three ways to learn"
    _grid: ClassVar = {"seed": (0, 1, 2, 3)}
    _steps: ClassVar = {"clouds": 2**-10}

    @property
    def run(self) -> Run:
        """Everything that the three did on this surface, with this seed."""
        return learn_all(self.seed)[str(self.surface)]

    @property
    def belief(self) -> FullBelief:
        """The prior, from which all three begin."""
        return PRIOR

    @property
    def posterior(self) -> FullBelief:
        """What the flow has made of it by this round."""
        return self.run.beliefs[int(self.round)]

    def figure(self, *, style: str = "paper") -> Figure:
        """The same state as a figure for print, with alt text."""
        return draw(self.run, self.surface, self.round, style)

    def _describe(self) -> str:
        return " ".join([f"Round {self.round} on the surface “{self.surface}”.", *sentences(self.run, self.round)])

    @default("_run")
    def _first_run(self) -> dict[str, Any]:
        return _packed(self.seed)

    @observe("seed")
    def _run_anew(self, _: Any) -> None:
        self._run = _packed(self.seed)


def _packed(seed: int) -> dict[str, Any]:
    """The runs of a seed on all surfaces, as the view takes them."""
    return {"of": seed, **{name: _pack_run(run, NOTICE[name]) for name, run in learn_all(seed).items()}}


def _pack_run(run: Run, notice: str) -> dict[str, Any]:
    arrays = {
        "levels": run.levels,
        "fitting": np.array([run.surface.fitting(example) for example in run.examples]),
        "points": run.points,
        "bayesMean": run.bayes.mean,
        "bayesCovariance": run.bayes.covariance,
        "outline": run.bayes.outline,
        "hill": run.bayes.hill_mean,
        "flowMean": np.array([belief.mean for belief in run.beliefs]),
        "flowCovariance": np.array([belief.covariance for belief in run.beliefs]),
        "sampled": run.sampled,
        "moved": run.moved,
        "clouds": run.clouds,
    }
    surface = run.surface
    return {
        "notice": notice,
        "optima": surface.optima.tolist(),
        "x": [surface.low[0], surface.high[0]],
        "y": [surface.low[1], surface.high[1]],
        "arrays": {name: pack(values) for name, values in arrays.items()},
        "facts": {name: pack(values) for name, values in run.facts.items()},
    }
