"""Three ways to learn from one stream: a point that descends, a posterior that is filtered, a belief that flows.

And what the belief stands for: an ensemble of which every weight descends by itself.
``explorers/js/views/dynamics_scene.js`` is the same for a page.
"""

import functools
import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow, Recorder, Round
from bflo_viz.scenes.base import PlayedScene, isotropic, number
from bflo_viz.scenes.surfaces import SURFACES, DoubleWell, Filtered, Regression, Surface

FLOWS = ("full", "diagonal", "spherical")
STD, ENSEMBLE = 1.2, 60  # width of the prior, and how many weights an ensemble has
TOO_SURE = 3.0  # so many standard deviations between a belief and the optimum are too many
TINY = 1e-140  # no width is taken for less than this, where it divides


@dataclass(frozen=True, eq=False)
class DynamicsScene(PlayedScene):
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
    ensembles
        The true ensemble after each round, of the same shape: it begins where that of the flow does, and then every
        weight takes gradient steps of its own.
    """

    name: str
    surface: Regression | DoubleWell
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
        means, factors = (np.array([part(b) for b in self.beliefs]) for part in (lambda b: b.mean, _factor))
        bayes = _facts(self.surface, self.bayes.mean, np.linalg.cholesky(self.bayes.covariance))
        if self.bayes.hill_mean is not None and self.bayes.hill_std is not None:
            bayes |= {"away": self.surface.away(self.bayes.hill_mean), "std": np.sort(self.bayes.hill_std, axis=1)}
        by_learner: dict[str, dict[str, Any]] = {
            "sgd": {"away": self.surface.away(self.points)},
            "bayes": bayes,
            "flow": _facts(self.surface, means, factors),
            "ensemble": {
                "away": self.surface.away(self.ensembles).mean(axis=1),
                "wide": (self.ensembles @ self.surface.axes.T).std(axis=1),
                "right": (self.ensembles[..., 0] >= 0).sum(axis=1),
            },
        }
        return {f"{who}_{what}": values for who, facts in by_learner.items() for what, values in facts.items()}

    def _words(self) -> str:
        facts = {name: values[self.now] for name, values in self.facts.items()}
        sgd, bayes, flow, ensemble = (number(facts[f"{who}_away"], 2) for who in ("sgd", "bayes", "flow", "ensemble"))
        kind = type(self.beliefs[0]).__name__.removesuffix("Belief").lower()
        side = f", {100 * facts['flow_right']:.0f} % of it on the right" if self.surface.two_wells else ""
        return f"""Four panels over two weights on the surface “{self.name}”, round {self.now} of {self.rounds}. From
            the nearest optimum SGD is {sgd} away, Bayes' posterior {bayes}, the mean of a {kind} belief flow {flow}
            ({facts["flow_far"]:.3g} of its standard deviations{side}), and the true ensemble {ensemble} on
            average."""


def dynamics(
    rng: RNG,
    surface: str = "convex",
    *,
    rounds: int = 300,
    eta: float | None = None,
    std: float = STD,
    flow: str = "full",
    truth: str = "given",
    optimum: tuple[float, float] | None = None,
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
    optimum
        Where the optimum is, whatever ``truth`` says.
    """
    rounds, std = check.positive_int("rounds", rounds), check.positive_number("std", std)
    chosen = SURFACES[check.choice("surface", surface, tuple(SURFACES))]
    prior = isotropic(check.choice("flow", flow, FLOWS), np.zeros(2), std)
    own = np.random.RandomState(int(2**32 * check.generator(rng).random()))
    drawn, start, cloud = (std * rng.standard_normal((size, 2)) for size in (1, 1, ENSEMBLE))
    if check.choice("truth", truth, ("given", "drawn")) == "drawn":
        chosen = chosen.with_optimum(drawn[0])
    if optimum is not None:
        chosen = chosen.with_optimum(np.array(optimum, dtype=np.float64))
    if eta is not None:
        chosen = replace(chosen, eta=check.scalar("eta", eta, least=0.0))
    examples = chosen.stream(rng.standard_normal((rounds, 3)))
    standard, newest, recorder = _standard(cloud), iter(examples), Recorder()
    # The surface tells each sampled weight where to go by the newest example: the model is not asked.
    learner = BeliefFlow(prior, local_flow=lambda w, gradient: chosen.step(w, next(newest)))
    learner.run(np.ones((rounds, 2)), np.ones(rounds, dtype=np.int64), own, callback=recorder)
    return DynamicsScene(
        name=surface,
        surface=chosen,
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


def _facts(surface: Surface, means: Floats, factors: NDArray[np.floating]) -> dict[str, Floats]:
    """What there is to say of Gaussians with covariance S Sᵀ; the squares of narrow widths would be 0."""
    turns, widths, _ = np.linalg.svd(factors)
    offsets = (surface.optima - means[:, None]) @ turns / np.maximum(TINY, widths)[:, None]
    first = np.maximum(TINY, np.linalg.norm(factors[:, 0], axis=1))
    return {
        "away": surface.away(means),
        "std": widths[:, ::-1],
        "far": np.linalg.norm(offsets, axis=2).min(axis=1),
        "right": np.array([0.5 + 0.5 * math.erf(side) for side in means[:, 0] / (math.sqrt(2) * first)]),
        "wide": np.linalg.norm(surface.axes @ factors, axis=2),
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
