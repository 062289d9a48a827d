"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows.

And what the belief stands for: an ensemble of which every weight descends by itself.
``explorers/dynamics/scene.js`` is the same for a page, which has its sentences from here.
"""

import functools
import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow, Recorder, Round
from bflo_viz.scenes.base import PlayedScene, isotropic, number, place
from bflo_viz.scenes.surfaces import COMMON, REACH, SURFACES, Filtered, Surface

FLOWS = ("full", "diagonal", "spherical")
TRUTHS = ("given", "drawn")
STD, ENSEMBLE = 1.2, 60
NOTICE = {
    "convex": "One bowl. Bayes’ rule is near the lowest point after a few examples, since it knows how they are "
    "made; SGD and the belief flow follow one slope a round. The true ensemble shrinks onto one path, and the flow "
    "lags behind.",
    "ravine": "Steep across, flat along. SGD drops to the floor and creeps. Bayes’ posterior stays long along the "
    "floor, where little is known yet. The true ensemble gets thin across and stays long along the floor; "
    "the belief flow, which sees one weight a round, narrows in both directions before it has arrived.",
    "double well": "No example can tell the two wells apart. Bayes’ rule keeps both, half and half, and the true "
    "ensemble parts; SGD falls into one; the belief flow, a single Gaussian, lies across both until it drifts into "
    "one.",
    "drawn": "The optimum was drawn from the prior: what Bayes’ rule assumes is true.",
    "runaway": "Steps of this length run away: take a smaller learning rate.",
}
TOO_SURE = 3.0  # so many standard deviations between a belief and the optimum are too many
VERY_FAR = 1000.0  # from here on it is not told how far: flows can be narrower for a moment than anyone would say
CHOSEN = 0.95  # of a belief on one side: it has chosen a well
WORDS = {
    "point": "SGD is at {at}, {away} from the {optimum}; a point cannot say how sure it is.",
    "posterior": "Bayes’ posterior has its mean at {at}, {away} from the optimum, and standard deviations from "
    "{least} to {most}; the optimum is {far} of them away.",
    "halves": "Bayes’ posterior has half of itself on each side, around {around}, {away} from the optima, with "
    "standard deviations from {least} to {most}; {where}.",
    "apart": "its mean {at} is on the ridge between them",
    "together": "the halves still meet",
    "belief": "The belief flow has its mean at {at}, {away} from the {optimum}, and standard deviations from {least} "
    "to {most}; {judged}.",
    "fair": "the optimum is {far} of them away",
    "too sure": "the optimum is {far} of them away: it is too sure",
    "across": "{right} % of it is on the right: it lies across both wells",
    "chosen": "{right} % of it is on the right: it has chosen the {side} well",
    "ensemble": "The true ensemble has its mean at {at}, its weights {away} from the optimum on average. {widths}",
    "parted": "The true ensemble has {right} of its {size} weights on the right, {away} from the nearest optimum on "
    "average. {widths}",
    "widths": "{first}, its standard deviation is {along} and the flow’s {flow_along}; {second}, {across} and "
    "{flow_across}.",
    "very far": "over 1,000",
    "one": "optimum",
    "right": "right",
    "left": "left",
    "side": "{side} optimum",
}

_TINY = 1e-150  # no width is taken for less than this, where it divides


@dataclass(frozen=True, eq=False)
class DynamicsScene(PlayedScene):
    """What three learners made of the same examples; every trace begins with round 0, before any example.

    Attributes
    ----------
    name, surface, examples
        What is learned, and from what.
    truth
        Where its optimum comes from: ``"given"``, or ``"drawn"`` from the prior.
    points
        Stochastic gradient descent: the weights after each round. It begins at one draw of the prior.
    bayes
        Bayesian filtering: what Bayes' rule says after each round.
    beliefs, sampled, moved
        Belief flow: the belief after each round, and in each round the sampled weights before and after their step.
    clouds
        An ensemble after each round, (rounds + 1, size, 2), carried along by the flow; its mean and covariance are
        those of the belief, at first by construction and then because the flow is affine.
    ensembles
        The true ensemble after each round, of the same shape: it begins where that of the flow does, and then every
        weight takes gradient steps of its own.
    """

    name: str
    surface: Surface
    truth: str
    examples: Floats
    points: Floats
    bayes: Filtered
    beliefs: tuple[Belief, ...]
    sampled: Floats
    moved: Floats
    clouds: Floats
    ensembles: Floats
    now: int

    @property
    def rounds(self) -> int:
        """How many examples there were."""
        return len(self.examples)

    @functools.cached_property
    def facts(self) -> dict[str, Floats]:
        """What there is to say after each round, by the name of the learner.

        ``away`` is the distance from the nearest optimum, of a point, of a mean, of the weights of an ensemble on
        average, or (double well) of the right half of the posterior; ``std`` are its standard deviations, the
        narrowest and the widest; ``far`` is how many of them lie between mean and nearest optimum; ``right`` is how
        much of a belief has a positive first weight, or how many weights of an ensemble; ``wide`` are the standard
        deviations in the directions of the surface.
        """
        flow = _facts(self.surface, [b.mean for b in self.beliefs], np.array([_factor(b) for b in self.beliefs]))
        bayes = _facts(self.surface, self.bayes.mean, np.linalg.cholesky(self.bayes.covariance))
        if len(self.bayes.hill_mean):
            bayes |= {"away": self.surface.away(self.bayes.hill_mean), "std": np.sort(self.bayes.hill_std, axis=1)}
        named = {f"bayes_{name}": values for name, values in bayes.items()}
        named |= {f"flow_{name}": values for name, values in flow.items()}
        center = self.ensembles.mean(axis=1)
        spread = (self.ensembles - center[:, None]) @ self.surface.axes.T
        return {
            "sgd_away": self.surface.away(self.points),
            **named,
            "ensemble_away": self.surface.away(self.ensembles).mean(axis=1),
            "ensemble_wide": np.sqrt(np.square(spread).mean(axis=1)),
            "ensemble_right": (self.ensembles[..., 0] >= 0).sum(axis=1),
        }

    @property
    def notice(self) -> str:
        """What to look at, on this surface and with this truth."""
        if max(np.abs(self.points[self.now]).max(), np.abs(self.ensembles[self.now]).max()) >= REACH:
            return NOTICE["runaway"]
        return NOTICE[self.name] + (f" {NOTICE['drawn']}" if self.truth == "drawn" else "")

    def _words(self) -> str:
        flow = type(self.beliefs[0]).__name__.removesuffix("Belief").lower()
        return f"""Round {self.now} on the surface “{self.name}” of two weights: the path of a point, the outline of a
            posterior, an ensemble of {self.clouds.shape[1]} points that a {flow} flow carries with its ellipse, and
            the same points when each takes its own steps. {" ".join(self.sentences())}"""

    def sentences(self) -> tuple[str, str, str, str]:
        """Where SGD, the posterior, the belief and the true ensemble are, how far off, and how sure they are."""
        facts = {name: values[self.now] for name, values in self.facts.items()}
        return self._point(facts), self._posterior(facts), self._belief(facts), self._ensemble(facts)

    def _point(self, facts: dict[str, Any]) -> str:
        w = self.points[self.now]
        return WORDS["point"].format(at=place(w), away=number(facts["sgd_away"], 2), optimum=self._optimum(w))

    def _posterior(self, facts: dict[str, Any]) -> str:
        told = {"at": place(self.bayes.mean[self.now]), "away": number(facts["bayes_away"], 2)}
        told |= _least_and_most(facts["bayes_std"])
        if not self.surface.two_wells:
            return WORDS["posterior"].format(**told, far=_far(facts["bayes_far"]))
        where = WORDS["apart" if self.bayes.apart(self.now) else "together"].format(**told)
        around = place(self.bayes.hill_mean[self.now]).replace("(", "(±")
        return WORDS["halves"].format(**told, around=around, where=where)

    def _belief(self, facts: dict[str, Any]) -> str:
        mean, right = self.beliefs[self.now].mean, facts["flow_right"]
        if self.surface.two_wells:
            judged = "chosen" if abs(right - 0.5) > CHOSEN - 0.5 else "across"
        else:
            judged = "too sure" if facts["flow_far"] > TOO_SURE else "fair"
        told = {"far": _far(facts["flow_far"]), "right": number(100 * right, 0), "side": _side(right - 0.5)}
        return WORDS["belief"].format(
            at=place(mean),
            away=number(facts["flow_away"], 2),
            optimum=self._optimum(mean),
            **_least_and_most(facts["flow_std"]),
            judged=WORDS[judged].format(**told),
        )

    def _ensemble(self, facts: dict[str, Any]) -> str:
        members, names = self.ensembles[self.now], ("along", "across", "flow_along", "flow_across")
        told = zip(names, [*facts["ensemble_wide"], *facts["flow_wide"]], strict=True)
        first, second = self.surface.directions
        widths = WORDS["widths"].format(first=first, second=second, **{name: number(x, 2) for name, x in told})
        return WORDS["parted" if self.surface.two_wells else "ensemble"].format(
            at=place(members.mean(axis=0)),
            right=facts["ensemble_right"],
            size=len(members),
            away=number(facts["ensemble_away"], 2),
            widths=widths,
        )

    def _optimum(self, w: Floats) -> str:
        return WORDS["side"].format(side=_side(w[0])) if self.surface.two_wells else WORDS["one"]


def dynamics(
    rng: RNG,
    surface: str = "convex",
    *,
    rounds: int = 300,
    eta: float | None = None,
    std: float = STD,
    flow: str = "full",
    truth: str = "given",
    ensemble: int = ENSEMBLE,
) -> DynamicsScene:
    """Let gradient descent, Bayes' rule and a belief flow learn from one stream of examples.

    Descent begins at a draw of the prior N(0, std²), the others with all of it. Equal generators give all surfaces
    the same random numbers, so that like is compared with like; and more rounds begin with the same ones. Drawn are,
    in this order:

    1. a uniform number ``u``: ``RandomState(int(2**32 * u))`` gives what the flow draws, two normal numbers a round;
    2. two normal numbers that are the optimum, times ``std``, if it is drawn;
    3. two normal numbers that are the start of descent, times ``std``;
    4. two normal numbers for each weight of the ensemble;
    5. three normal numbers for each example.

    Parameters
    ----------
    rng
        Where the random numbers come from; a page draws those of ``numpy.random.RandomState(seed)``.
    surface
        The name of a loss surface: one of `SURFACES`.
    rounds
        How many examples there are.
    eta
        Learning rate of descent, of the belief flow and of the ensemble; that of the surface, if it is None.
    std
        Width of the prior.
    flow
        The type of the belief: "full", "diagonal" or "spherical".
    truth
        "given" is the optimum of the surface; "drawn" draws it from the prior.
    ensemble
        How many weights are carried along, and how many step by themselves.
    """
    rounds, ensemble = check.positive_int("rounds", rounds), check.positive_int("ensemble", ensemble)
    if ensemble < 3:
        raise ValueError(f"ensemble must be at least 3, to have a width in both directions, but it was {ensemble}.")
    chosen = SURFACES[check.choice("surface", surface, tuple(SURFACES))]
    std = check.positive_number("std", std)
    prior = isotropic(check.choice("flow", flow, FLOWS), np.zeros(2), std)
    own = np.random.RandomState(int(2**32 * check.generator(rng).random()))
    optimum, start, cloud = (std * rng.standard_normal((size, 2)) for size in (1, 1, ensemble))
    if check.choice("truth", truth, TRUTHS) == "drawn":
        chosen = chosen.with_optimum(optimum[0])
    if eta is not None:
        chosen = replace(chosen, eta=check.scalar("eta", eta, least=0.0))
    examples = chosen.stream(rng.standard_normal((rounds, 3)))
    standard = _standard(cloud)
    learner, recorder = BeliefFlow(prior, local_flow=_SurfaceStep(chosen, examples)), Recorder()
    # The surface has all examples, and tells each sampled weight where to go: the model is not asked.
    learner.run(np.ones((rounds, 2)), np.ones(rounds, dtype=np.int64), own, callback=recorder)
    return DynamicsScene(
        name=surface,
        surface=chosen,
        truth=truth,
        examples=examples,
        points=np.array(list(accumulate(examples, chosen.step, initial=start[0]))),
        bayes=chosen.filter(examples, std),
        beliefs=recorder.beliefs,
        sampled=recorder.weights,
        moved=recorder.moved,
        clouds=_carried(recorder.beliefs, standard, np.cumsum([0.0, *map(_turn, recorder)])),
        ensembles=np.array(list(accumulate(examples, chosen.step, initial=std * standard))),
        now=rounds,
    )


def for_page() -> dict[str, Any]:
    """All numbers and words that the page has to have, to compute these scenes by itself."""
    return {
        **COMMON,
        "surfaces": {name: surface.numbers() for name, surface in SURFACES.items()},
        "ensemble": ENSEMBLE,
        "tooSure": TOO_SURE,
        "veryFar": VERY_FAR,
        "chosen": CHOSEN,
        "notice": NOTICE,
        "words": WORDS,
    }


def covariance_of(belief: Belief) -> Floats:
    """Covariance of a belief of any type in two dimensions, as a matrix."""
    return np.asarray(_factor(belief) @ _factor(belief).T)


class _SurfaceStep:
    """A local flow: the sampled weight steps down the loss of the newest example of a surface."""

    def __init__(self, surface: Surface, examples: Floats) -> None:
        self._surface, self._examples, self._seen = surface, examples, 0

    def __deepcopy__(self, memo: dict[int, Any]) -> "_SurfaceStep":
        """A learner copies its local flow in every round: the examples are shared, which nothing changes."""
        new = _SurfaceStep(self._surface, self._examples)
        new._seen = self._seen
        return new

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        example = self._examples[self._seen]
        self._seen += 1
        return self._surface.step(w, example)


def _turn(done: Round) -> float:
    """By which angle a round turned the ensemble that the flow carries, in whitened coordinates."""
    before = done.belief_before
    if isinstance(before, DiagonalBelief):
        return 0.0
    assert before is not None
    whiten = before.inverse_factor if isinstance(before, FullBelief) else np.eye(2)
    u, v = (whiten @ (w - before.mean) for w in (done.weights, done.moved))
    return math.atan2(u[0] * v[1] - u[1] * v[0], u @ v)


def _carried(beliefs: tuple[Belief, ...], standard: Floats, turns: Floats) -> Floats:
    """An ensemble after each round: flows turn it in whitened coordinates, and the belief stretches and moves it."""
    cosines, sines = np.cos(turns), np.sin(turns)
    turned = standard @ np.array([[cosines, sines], [-sines, cosines]]).transpose(2, 0, 1)
    return np.array([belief.weight(z) for belief, z in zip(beliefs, turned, strict=True)])


def _facts(surface: Surface, means: ArrayLike, factors: NDArray[np.floating]) -> dict[str, Floats]:
    """What there is to say of Gaussians with covariance S Sᵀ; the squares of narrow widths would be 0."""
    mean, covariance = np.asarray(means), factors @ factors.transpose(0, 2, 1)
    (a, b), (c, d) = factors.transpose(1, 2, 0)
    offsets = (surface.optima - mean[:, None]).transpose(1, 2, 0)
    first = np.maximum(_TINY, np.hypot(a, b))
    size = np.maximum(_TINY, np.abs(a * d - b * c) / first)  # S is turned into a lower triangle: first, below, size
    below = (a * c + b * d) / first
    white = [(x / first, (y - below * (x / first)) / size) for x, y in offsets]
    return {
        "away": surface.away(mean),
        "std": np.linalg.svd(factors, compute_uv=False)[:, ::-1],
        "far": np.min([np.hypot(u, v) for u, v in white], axis=0),
        "right": np.array([0.5 + 0.5 * math.erf(side) for side in mean[:, 0] / (math.sqrt(2) * first)]),
        "wide": np.sqrt(np.einsum("ki,nij,kj->nk", surface.axes, covariance, surface.axes)),
    }


def _factor(belief: Belief) -> Floats:
    if isinstance(belief, FullBelief):
        return belief.factor
    assert isinstance(belief, (DiagonalBelief, SphericalBelief))
    return np.diag(np.broadcast_to(belief.std, 2))


def _standard(points: Floats) -> Floats:
    """Points moved and stretched so that their mean is exactly 0 and their covariance (over n) exactly I."""
    points = points - points.mean(axis=0)
    factor = np.linalg.cholesky(points.T @ points / len(points))
    return np.asarray(np.linalg.solve(factor, points.T).T)


def _side(x: float | Floats) -> str:
    return WORDS["right" if x >= 0 else "left"]


def _far(far: float) -> str:
    return number(far) if far < VERY_FAR else WORDS["very far"]


def _least_and_most(std: Floats) -> dict[str, str]:
    return {"least": number(std[0], 2), "most": number(std[1], 2)}
