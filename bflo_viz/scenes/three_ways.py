"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows."""

import functools
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief
from bflo_viz.learners import BeliefFlow, Recorder, Round
from bflo_viz.scenes.base import Scene, place
from bflo_viz.scenes.surfaces import SURFACES, Filtered, Surface

NOTICE = {
    "convex": "One bowl. Bayes’ rule is near the lowest point after a few examples, since it knows how they are "
    "made; SGD and the belief flow follow one slope a round.",
    "ravine": "Steep across, flat along. SGD drops to the floor and creeps. Bayes’ posterior stays long along the "
    "floor, where little is known yet, and moves on; the belief flow narrows before it has arrived.",
    "double well": "No example can tell the two wells apart. Bayes’ rule keeps both, half and half; SGD falls into "
    "one; the belief flow, a single Gaussian, lies across both until it drifts into one.",
}
TOO_SURE = 3.0  # so many standard deviations between a belief and the optimum are too many
CHOSEN = 0.95  # of a belief on one side: it has chosen a well
_DISTANCES = (0.25, *np.arange(0.5, 6.1, 0.5))


@dataclass(frozen=True, eq=False)
class DynamicsScene(Scene):
    """What three learners made of the same examples; every trace begins with round 0, before any example.

    Attributes
    ----------
    name, surface, examples
        What is learned, and from what.
    points
        Stochastic gradient descent: the weights after each round. It begins at one draw of the prior.
    bayes
        Bayesian filtering: what Bayes' rule says after each round.
    beliefs, sampled, moved
        Belief flow: the belief after each round, and in each round the sampled weights before and after their step.
    clouds
        An ensemble after each round, (rounds + 1, size, 2), carried along by the flow; its mean and covariance are
        those of the belief, at first by construction and then because the flow is affine.
    now
        The round to look at: the last one, unless `at` chose another.
    """

    name: str
    surface: Surface
    examples: Floats
    points: Floats
    bayes: Filtered
    beliefs: tuple[FullBelief, ...]
    sampled: Floats
    moved: Floats
    clouds: Floats
    now: int

    @property
    def rounds(self) -> int:
        """How many examples there were."""
        return len(self.examples)

    def at(self, now: int) -> Self:
        """The same scene as it was after round ``now``."""
        if not 0 <= now <= self.rounds:
            raise ValueError(f"now must be a round from 0 to {self.rounds}, but it was {now}.")
        return replace(self, now=int(now))

    @functools.cached_property
    def levels(self) -> Floats:
        """Contour lines of the surface, pieces apart by NaN; equal steps of distance, so evenly spaced in a bowl."""
        gap = np.full((1, 2), np.nan)
        return np.vstack([part for d in _DISTANCES for part in (self.surface.level(d), gap)])

    @functools.cached_property
    def facts(self) -> dict[str, Floats]:
        """What there is to say after each round, by the name of the learner.

        ``away`` is the distance from the nearest optimum, of a point, of a mean, or (double well) of the right half
        of the posterior; ``std`` are its standard deviations, the narrowest and the widest; ``far`` is how many of
        them lie between mean and nearest optimum; ``right`` is how much of a belief has a positive first weight.
        """
        flow = _facts(self.surface, [b.mean for b in self.beliefs], [b.covariance for b in self.beliefs])
        bayes = _facts(self.surface, self.bayes.mean, self.bayes.covariance)
        if len(self.bayes.hill_mean):
            bayes |= {"away": self.surface.away(self.bayes.hill_mean), "std": np.sort(self.bayes.hill_std, axis=1)}
        named = {f"bayes_{name}": values for name, values in bayes.items()}
        named |= {f"flow_{name}": values for name, values in flow.items()}
        return {"sgd_away": self.surface.away(self.points), **named}

    def _words(self) -> str:
        return f"""Round {self.now} of {self.rounds} on the surface “{self.name}” of two weights: the path of a point,
            the outline of a posterior, and an ensemble of {self.clouds.shape[1]} points with its ellipse.
            {" ".join(self.sentences())}"""

    def sentences(self) -> tuple[str, str, str]:
        """Where SGD, the posterior and the belief are, how far from the nearest optimum, and how sure they are."""
        facts = {name: values[self.now] for name, values in self.facts.items()}
        return self._point(facts), self._posterior(facts), self._belief(facts)

    def _point(self, facts: dict[str, Floats]) -> str:
        w = self.points[self.now]
        return (
            f"SGD is at {place(w)}, {facts['sgd_away']:.2f} from the {self._optimum(w)}; "
            "a point cannot say how sure it is."
        )

    def _posterior(self, facts: dict[str, Floats]) -> str:
        mean, std = place(self.bayes.mean[self.now]), _from_to(facts["bayes_std"])
        if not self.surface.two_wells:
            return (
                f"Bayes’ posterior has its mean at {mean}, {facts['bayes_away']:.2f} from the optimum, and standard "
                f"deviations {std}; the optimum is {facts['bayes_far']:.1f} of them away."
            )
        apart = self.bayes.apart[self.now]
        where = f"its mean {mean} is on the ridge between them" if apart else "the halves still meet"
        around = place(self.bayes.hill_mean[self.now]).replace("(", "(±")
        return (
            f"Bayes’ posterior has half of itself on each side, around {around}, "
            f"{facts['bayes_away']:.2f} from the optima, with standard deviations {std}; {where}."
        )

    def _belief(self, facts: dict[str, Floats]) -> str:
        mean = self.beliefs[self.now].mean
        words = (
            f"The belief flow has its mean at {place(mean)}, {facts['flow_away']:.2f} from the "
            f"{self._optimum(mean)}, and standard deviations {_from_to(facts['flow_std'])}; "
        )
        if not self.surface.two_wells:
            sure = ": it is too sure" if facts["flow_far"] > TOO_SURE else ""
            return f"{words}the optimum is {facts['flow_far']:.1f} of them away{sure}."
        right = facts["flow_right"]
        decided = abs(right - 0.5) > CHOSEN - 0.5
        chosen = f"has chosen the {_side(right - 0.5)} well" if decided else "lies across both wells"
        return f"{words}{100 * right:.0f} % of it is on the right: it {chosen}."

    def _optimum(self, w: Floats) -> str:
        return f"{_side(w[0])} optimum" if self.surface.two_wells else "optimum"


def dynamics(
    rng: np.random.Generator,
    surface: str = "convex",
    *,
    rounds: int = 300,
    eta: float | None = None,
    std: float = 1.2,
    ensemble: int = 60,
) -> DynamicsScene:
    """Let gradient descent, Bayes' rule and a full belief flow learn from one stream of examples.

    Descent begins at a draw of the prior N(0, std²), the others with all of it. Equal generators give all surfaces
    the same random numbers, so that like is compared with like.

    Parameters
    ----------
    rng
        Where the random numbers come from.
    surface
        The name of a loss surface: one of `SURFACES`.
    rounds
        How many examples there are.
    eta
        Learning rate of descent and of the belief flow; that of the surface, if it is None.
    std
        Width of the prior.
    ensemble
        How many members are carried along.
    """
    rounds, ensemble = check.dimension("rounds", rounds), check.dimension("ensemble", ensemble)
    chosen = SURFACES[check.choice("surface", surface, tuple(SURFACES))]
    if eta is not None:
        chosen = replace(chosen, eta=check.scalar("eta", eta, least=0.0))
    prior = FullBelief(np.zeros(2), std**2 * np.eye(2))
    examples = chosen.stream(check.generator(rng).standard_normal((rounds, 3)))
    cloud = std * _standard(rng.standard_normal((ensemble, 2)))
    start = prior.sample(rng)
    learner, recorder = BeliefFlow(prior, local_flow=_SurfaceStep(chosen, examples)), Recorder()
    # The surface has all examples, and tells each sampled weight where to go: the model is not asked.
    learner.run(np.ones((rounds, 2)), np.ones(rounds, dtype=np.int64), rng, callback=recorder)
    return DynamicsScene(
        name=surface,
        surface=chosen,
        examples=examples,
        points=np.array(list(accumulate(examples, chosen.step, initial=start))),
        bayes=chosen.filter(examples, prior),
        beliefs=recorder.beliefs,
        sampled=recorder.weights,
        moved=recorder.moved,
        clouds=np.array(list(accumulate(recorder, _carried, initial=cloud))),
        now=rounds,
    )


class _SurfaceStep:
    """A local flow: the sampled weight steps down the loss of the newest example of a surface."""

    def __init__(self, surface: Surface, examples: Floats) -> None:
        self._surface, self._examples, self._seen = surface, examples, 0

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        example = self._examples[self._seen]
        self._seen += 1
        return self._surface.step(w, example)


def _carried(cloud: Floats, done: Round) -> Floats:
    """The members of an ensemble, moved as the belief was in a round."""
    before = done.belief_before
    assert isinstance(before, FullBelief)
    return before.transport(cloud, done.weights, done.moved)


def _facts(surface: Surface, means: ArrayLike, covariances: ArrayLike) -> dict[str, Floats]:
    mean, covariance = np.asarray(means), np.asarray(covariances)
    offsets = surface.optima - mean[:, None]
    squared = np.einsum("noi,nij,noj->no", offsets, np.linalg.inv(covariance), offsets)
    return {
        "away": surface.away(mean),
        "std": np.sqrt(np.linalg.eigvalsh(covariance)),
        "far": np.sqrt(squared.min(axis=1)),
        "right": ndtr(mean[:, 0] / np.sqrt(covariance[:, 0, 0])),
    }


def _standard(points: Floats) -> Floats:
    """Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)


def _side(x: float | Floats) -> str:
    return "right" if x >= 0 else "left"


def _from_to(std: Floats) -> str:
    return f"from {std[0]:.2f} to {std[1]:.2f}"
