"""Three flows learn three problems, and every round is read as pseudo-observations added or removed."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow
from bflo_viz.pseudo import PseudoObservation, pseudo_observation

ROUNDS = 120
FLOWS = ("spherical", "diagonal", "full")
PROBLEMS = ("separable", "noisy labels", "drifting")
ETA = 0.3
NOISE = 0.15  # share of wrong labels in the noisy problem
TURN = np.pi  # by how much the true weight of the drifting problem turns in all
_MEAN = (-1.0, 0.5)  # of the prior, whose standard deviation is 1: it has something to learn


@dataclass(frozen=True, eq=False)
class Run:
    """One flow on one problem.

    A round has up to two marks: a spherical flow one point; a diagonal flow one number a weight, so a line across
    each axis; a full flow one number along one direction, so one line. A line is marked at its point nearest to the
    mean before the round.

    Attributes
    ----------
    flow, true
        Name of the flow; the true weight in each round, (rounds + 1, 2).
    beliefs
        The belief before the first round and after each.
    weights, moved
        The sampled weight of each round, and where its step took it.
    places, directions, precisions
        The marks, (rounds, 2, 2), (rounds, 2, 2) and (rounds, 2): NaN where there is none. Directions are of length
        1, across a line; 0 of a point.
    totals
        Precision of the prior plus those of all marks so far: of every weight (spherical), of each weight
        (diagonal), or in all directions together, the trace of the precision (full). Each (rounds + 1, 1 or 2).
    """

    flow: str
    true: Floats
    beliefs: tuple[Any, ...]
    weights: Floats
    moved: Floats
    places: Floats
    directions: Floats
    precisions: Floats
    totals: Floats

    @property
    def large(self) -> float:
        """A precision that few marks exceed, to size them by: the largest would leave the others no room."""
        found = np.abs(self.precisions[~np.isnan(self.precisions)])
        return float(np.quantile(found, 0.95)) if found.size else 1.0

    def sentence(self, after: int) -> str:
        """What a round did, in one sentence; round 0 is the prior."""
        if after == 0:
            return "Round 0: the prior. Step or play, and see what each round adds to what is known, or takes away."
        before, now = self.beliefs[after - 1], self.beliefs[after]
        seen = [self._seen(after - 1, i) for i in range(2)]
        words = " and ".join(word for word in seen if word)
        if not words:
            return f"Round {after}: no point; the widths stayed as they were, and the mean is {_point(now.mean)}."
        verb = _widths(before, now)
        return f"Round {after}: {words}. The mean moved to {_point(now.mean)}; {verb}."

    def _seen(self, r: int, i: int) -> str:
        precision, place = self.precisions[r, i], self.places[r, i]
        if np.isnan(precision):
            return ""
        what = f"{'added' if precision > 0 else 'removed'} with precision {_number(abs(precision))}"
        if self.flow == "spherical":
            return f"a point at {_point(place)} was {what}"
        direction = self.directions[r, i]
        value = _number(float(direction @ place))
        if self.flow == "diagonal":
            return f"the line w{'₁₂'[i]} = {value} was {what}"
        across = f"{_number(direction[0])} w₁ {'−' if direction[1] < 0 else '+'} {_number(abs(direction[1]))} w₂"
        return f"the line {across} = {value} was {what}"


@functools.lru_cache(maxsize=4)
def learn_all(seed: int) -> dict[str, dict[str, Run]]:
    """The runs of all flows on all problems, by problem and flow; all see the same inputs and normals."""
    return {problem: {flow: learn(flow, problem, seed) for flow in FLOWS} for problem in PROBLEMS}


def learn(flow: str, problem: str, seed: int) -> Run:
    """Let a belief flow learn, and collect what its rounds add and remove."""
    X, y, true = stream(problem, seed)
    learner = BeliefFlow(prior(flow), eta=ETA)
    rng = np.random.default_rng([seed, 1])
    rounds = [learner.step(x, label, rng) for x, label in zip(X, y, strict=True)]
    beliefs: tuple[Any, ...] = (prior(flow), *(done.belief_after for done in rounds))
    return read(
        flow, true, beliefs, np.array([done.weights for done in rounds]), np.array([done.moved for done in rounds])
    )


def prior(flow: str) -> Belief:
    """The belief that all runs of a flow begin with."""
    if flow == "full":
        return FullBelief(_MEAN, np.eye(2))
    return (SphericalBelief if flow == "spherical" else DiagonalBelief)(_MEAN, 1.0)


def stream(problem: str, seed: int) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Inputs and labels of a problem, and its true weight in each round (and after the last)."""
    rng = np.random.default_rng([seed, 0])
    X, chance = rng.standard_normal((ROUNDS, 2)), rng.random(ROUNDS)
    angle = np.full(ROUNDS + 1, np.pi / 4)
    if problem == "drifting":
        angle -= np.linspace(0, TURN, ROUNDS + 1)
    true = np.sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
    y = np.sum(X * true[:-1], axis=1) > 0
    if problem == "noisy labels":
        y ^= chance < NOISE
    return X, y.astype(np.int64), true


def read(flow: str, true: Floats, beliefs: tuple[Any, ...], weights: Floats, moved: Floats) -> Run:
    """Read each round as pseudo-observations."""
    count = len(beliefs) - 1
    places, directions, precisions = (np.full((count, 2, *rest), np.nan) for rest in ((2,), (2,), ()))
    gains = np.zeros((count, 2))
    for r in range(count):
        before = beliefs[r]
        marks = _marks(pseudo_observation(before, beliefs[r + 1]), before)
        for i, (place, direction, precision) in enumerate(marks):
            if precision != 0:
                places[r, i], directions[r, i], precisions[r, i] = place, direction, gains[r, i] = (
                    place,
                    direction,
                    precision,
                )
    first = np.array([2.0]) if flow == "full" else np.ones(2 if flow == "diagonal" else 1)
    totals = first + np.vstack([np.zeros(first.size), np.cumsum(gains[:, : first.size], axis=0)])
    return Run(flow, true, beliefs, weights, moved, places, directions, precisions, totals)


def _marks(seen: PseudoObservation, before: Belief) -> list[tuple[Floats, Floats, float]]:
    """Place, direction and precision of what a round added or removed; a precision of 0 is nothing."""
    if isinstance(before, SphericalBelief):
        return [(seen.x, np.zeros(2), seen.precision)]
    if isinstance(before, DiagonalBelief):
        return [(np.where(np.arange(2) == i, seen.x, before.mean), np.eye(2)[i], seen.precision[i]) for i in range(2)]
    if seen.direction is None:
        return []
    length = float(np.hypot(*seen.direction))
    across = seen.direction / length
    if (
        across[np.argmax(np.abs(across))] < 0
    ):  # of the two ways to write a line, the one with the larger part positive
        length, across = -length, -across
    return [(before.mean + across * (seen.x / length - across @ before.mean), across, length**2 / seen.R)]


def _widths(before: Any, now: Any) -> str:
    """What became of the widths: of all directions, of each weight, or of the two axes of the ellipse."""
    s, t = (np.atleast_1d(b.std) if not isinstance(b, FullBelief) else _axes(b) for b in (before, now))
    name = "the standard deviation" if len(s) == 1 else "the standard deviations"
    if isinstance(now, FullBelief):
        name += " along the axes of the ellipse"
    return f"{name} went from {_list(s)} to {_list(t)}"


def _axes(belief: FullBelief) -> Floats:
    return np.asarray(np.linalg.svd(belief.factor, compute_uv=False))


def _list(values: Floats) -> str:
    return " and ".join(map(_number, values))


def _point(place: Floats) -> str:
    return f"({_number(place[0])}, {_number(place[1])})"


def _number(value: float) -> str:
    """A number as a reader takes it: three significant digits where it is small, a real minus."""
    value = float(value)
    text = f"{value:.2f}" if abs(value) >= 0.095 or value == 0 else f"{value:.2g}"
    return text.replace("-", "−")
