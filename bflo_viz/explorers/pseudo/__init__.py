"""The pseudo dataset of a belief flow, played round by round: what is added, and what is taken away."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import traitlets

from bflo_viz.beliefs import Belief
from bflo_viz.explorers.base import Explorer, pack
from bflo_viz.explorers.traits import Choice, Whole
from bflo_viz.scenes.pseudo_points import FLOWS, PROBLEMS, PseudoScene, pseudo_dataset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROUNDS = 120
ETA = 0.3


@functools.lru_cache(maxsize=4)
def scenes(seed: int) -> dict[str, dict[str, PseudoScene]]:
    """The scenes of all flows on all problems, by problem and flow; all see the same inputs and normals."""
    return {
        problem: {
            flow: pseudo_dataset(np.random.default_rng(seed), flow, rounds=ROUNDS, eta=ETA, about=problem, **settings)
            for flow in FLOWS
        }
        for problem, settings in PROBLEMS.items()
    }


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
    seed = Whole(0, label="Seed", help="What all random numbers are drawn from.")
    round = Whole(0, high=ROUNDS, label="Round", help="How many rounds are done.")
    speed = Whole(10, low=1, high=60, unit="rounds/s", label="Speed", help="Rounds a second when it plays.")
    _run = traitlets.Dict().tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "A belief flow as points added and removed"
    _help = (
        "Bayes' rule would have made the same updates from the points that are shown here. "
        "Play, step, or drag the line on the right."
    )
    _grid: ClassVar = {"seed": (0, 1, 2, 3)}

    @property
    def scene(self) -> PseudoScene:
        """What the flow has done on the problem by this round."""
        return scenes(self.seed)[self.problem][self.flow].at(self.round)

    @property
    def belief(self) -> Belief:
        """The belief before the round; at round 0 the prior."""
        return self.scene.beliefs[max(0, self.round - 1)]  # type: ignore[no-any-return]

    @property
    def posterior(self) -> Belief:
        """The belief after the round."""
        return self.scene.beliefs[self.round]  # type: ignore[no-any-return]

    @traitlets.default("_run")
    def _first_run(self) -> dict[str, Any]:
        return packed(self.seed)

    @traitlets.observe("seed")
    def _learn(self, change: Any = None) -> None:
        if self._run.get("of") != {"seed": self.seed}:
            self._run = packed(self.seed)

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.pseudo_dataset import draw_pseudo_dataset

        return draw_pseudo_dataset(self.scene, whole=False, style=style)


def packed(seed: int) -> dict[str, Any]:
    """What the browser needs of all scenes of a seed."""
    return {
        "of": {"seed": seed},
        "rounds": ROUNDS,
        "problems": {
            problem: {flow: _packed(scene) for flow, scene in flows.items()}
            for problem, flows in scenes(seed).items()
        },
    }


def _packed(scene: PseudoScene) -> dict[str, Any]:
    covariances = np.array([belief.covariance for belief in scene.beliefs])
    arrays = {
        "true": scene.true,
        "mean": scene.means,
        "covariance": covariances[:, [0, 0, 1], [0, 1, 1]],
        "weights": scene.weights,
        "moved": scene.moved,
        "places": scene.places,
        "directions": scene.directions,
        "precisions": scene.precisions,
        "totals": scene.totals,
    }
    words = [scene.at(now).sentence() for now in range(scene.rounds + 1)]
    return {name: pack(array) for name, array in arrays.items()} | {"words": words, "large": scene.large}
