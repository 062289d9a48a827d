"""A belief flow read as Bayes' rule: each round adds pseudo-observations or removes them (Figure 3 of the paper)."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow, Recorder
from bflo_viz.pseudo import PseudoObservation, pseudo_observation
from bflo_viz.scenes.base import Scene, minus

FLOWS = ("spherical", "diagonal", "full")
PROBLEMS: dict[str, dict[str, Any]] = {
    "separable": {"noise": 0.0},
    "noisy labels": {"noise": 0.15},
    "drifting": {"noise": 0.0, "turn": 180.0},
}
SPAN = 3.2  # of the weights that are shown, the same for all runs
TOTALS = {
    "spherical": ["precision of each weight"],
    "diagonal": ["precision of w₁", "precision of w₂"],
    "full": ["precision in all directions together (trace)"],
}


@dataclass(frozen=True, eq=False)
class PseudoScene(Scene):
    """A run of a belief flow over two weights, read as pseudo-observations added and removed.

    A round has up to two marks: a spherical flow one point; a diagonal flow one number a weight, so a line across
    each axis; a full flow one number along one direction, so one line. A line is marked at its point nearest to the
    mean before the round.

    Attributes
    ----------
    flow, about
        Name of the flow, and what it learns, in a few words.
    true
        The true weight in each round, (rounds + 1, 2).
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
    now
        The round to look at: the last one, unless `at` chose another.
    """

    flow: str
    about: str
    true: Floats
    beliefs: tuple[Any, ...]
    weights: Floats
    moved: Floats
    places: Floats
    directions: Floats
    precisions: Floats
    totals: Floats
    now: int

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self.weights)

    @property
    def means(self) -> Floats:
        """The means of the beliefs, (rounds + 1, 2)."""
        return np.array([belief.mean for belief in self.beliefs])

    @property
    def own_precisions(self) -> Floats:
        """What ``totals`` must equal, read off the beliefs themselves."""
        if self.flow == "full":
            return np.array([[np.square(belief.inverse_factor).sum()] for belief in self.beliefs])
        return np.array([np.atleast_1d(belief.std) ** -2.0 for belief in self.beliefs])

    @property
    def large(self) -> float:
        """A precision that few marks exceed, to size them by: the largest would leave the others no room."""
        sizes = np.abs(self.precisions[~np.isnan(self.precisions)])
        return float(np.quantile(sizes, 0.95)) if sizes.size else 1.0

    def at(self, now: int) -> Self:
        """The same scene as it was after round ``now``."""
        if not 0 <= now <= self.rounds:
            raise ValueError(f"now must be a round from 0 to {self.rounds}, but it was {now}.")
        return replace(self, now=int(now))

    def _words(self) -> str:
        precisions, places = self.precisions[: self.now], self.places[: self.now]
        added, removed = (int(np.count_nonzero(side * precisions > 0)) for side in (1, -1))
        outside = int(np.count_nonzero(np.abs(places).max(axis=2, initial=0.0) > SPAN))
        kind = "pseudo-points" if self.flow == "spherical" else "pseudo-observations, each a line of weights,"
        totals = " and ".join(f"from {a:.2f} to {b:.2f}" for a, b in self.totals[[0, self.now]].T)
        about = f" ({self.about})" if self.about else ""
        return f"""A {self.flow} belief flow{about} after {self.now} of {self.rounds} rounds. In the first panel, the
            weights: {added} {kind} added so far as blue discs with a plus and {removed} removed as red rings with a
            minus, areas by precision, {outside} outside of the view; the belief before as grey outlines and after
            filled in vermilion, the path of its mean, and the true weight as a star. In the second panel, over
            rounds, {", ".join(TOTALS[self.flow])}: prior plus all points so far, {totals}. {self.sentence()}"""

    def sentence(self) -> str:
        """What the round did, in one sentence; round 0 is the prior."""
        if self.now == 0:
            return "Round 0: the prior. Step or play, and see what each round adds to what is known, or takes away."
        before, after = self.beliefs[self.now - 1], self.beliefs[self.now]
        marks = " and ".join(filter(None, (self._mark_in_words(i) for i in range(2))))
        mean = _place(after.mean)
        if not marks:
            return f"Round {self.now}: no point; the widths stayed as they were, and the mean is {mean}."
        return f"Round {self.now}: {marks}. The mean moved to {mean}; {_widths(before, after)}."

    def _mark_in_words(self, i: int) -> str:
        precision, place = self.precisions[self.now - 1, i], self.places[self.now - 1, i]
        if np.isnan(precision):
            return ""
        verb = f"{'added' if precision > 0 else 'removed'} with precision {_number(abs(precision))}"
        if self.flow == "spherical":
            return f"a point at {_place(place)} was {verb}"
        direction = self.directions[self.now - 1, i]
        value = _number(float(direction @ place))
        if self.flow == "diagonal":
            return f"the line w{'₁₂'[i]} = {value} was {verb}"
        across = f"{_number(direction[0])} w₁ {'−' if direction[1] < 0 else '+'} {_number(abs(direction[1]))} w₂"
        return f"the line {across} = {value} was {verb}"


def pseudo_dataset(
    rng: np.random.Generator,
    flow: str = "spherical",
    *,
    rounds: int = 60,
    mean: ArrayLike = (-1.0, 0.5),
    std: float = 1.0,
    eta: float = 0.5,
    noise: float = 0.1,
    turn: float = 0.0,
    non_expansive: bool = False,
    rule: str = "printed",
    about: str = "",
) -> PseudoScene:
    """Learn from a stream of two inputs, and collect what every round adds and removes.

    Inputs are standard normal, labels say on which side of the true weight they lie, which begins at (1, 1). Equal
    generators give all flows the same stream and the same normals.

    Parameters
    ----------
    rng
        Where inputs, wrong labels and sampled weights come from.
    flow
        ``"spherical"``, ``"diagonal"`` or ``"full"``.
    rounds, noise, turn
        Length of the stream, share of wrong labels, and by how many degrees the true weight turns in all.
    mean, std
        The prior.
    eta, non_expansive, rule
        See `BeliefFlow`.
    about
        What is learned, in a few words.
    """
    prior = _prior(check.choice("flow", flow, FLOWS), check.vector("mean", mean, 2), std)
    X, y, true = _stream(check.generator(rng), check.dimension("rounds", rounds), noise, turn)
    recorder = Recorder()
    learner = BeliefFlow(prior, eta=eta, non_expansive=non_expansive, rule=rule)
    learner.run(X, y, rng, callback=recorder)
    return read_as_points(flow, about, true, recorder.beliefs, recorder.weights, recorder.moved)


def _prior(flow: str, mean: Floats, std: float) -> Belief:
    if flow == "full":
        return FullBelief(mean, std**2 * np.eye(2))
    return (SphericalBelief if flow == "spherical" else DiagonalBelief)(mean, std)


def _stream(
    rng: np.random.Generator, rounds: int, noise: float, turn: float
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Inputs and labels, and the true weight in each round and after the last."""
    X, chance = rng.standard_normal((rounds, 2)), rng.random(rounds)
    angle = np.radians(45 - np.linspace(0, turn, rounds + 1))
    true = np.sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
    right = np.sum(X * true[:-1], axis=1) > 0
    return X, (right ^ (chance < check.scalar("noise", noise, least=0.0))).astype(np.int64), true


def read_as_points(
    flow: str, about: str, true: Floats, beliefs: tuple[Any, ...], weights: Floats, moved: Floats
) -> PseudoScene:
    """Read each round of any run over two weights as pseudo-observations."""
    count = len(beliefs) - 1
    places, directions, precisions = (np.full((count, 2, *rest), np.nan) for rest in ((2,), (2,), ()))
    for r, before in enumerate(beliefs[:-1]):
        for i, mark in enumerate(_marks(pseudo_observation(before, beliefs[r + 1]), before)):
            if mark[2] != 0:
                places[r, i], directions[r, i], precisions[r, i] = mark
    first = np.trace(np.linalg.inv(beliefs[0].covariance)) if flow == "full" else np.square(1 / beliefs[0].std)
    gains = np.nan_to_num(precisions[:, : np.size(first)])
    totals = first + np.vstack([np.zeros(np.size(first)), np.cumsum(gains, axis=0)])
    return PseudoScene(flow, about, true, beliefs, weights, moved, places, directions, precisions, totals, count)


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
    if across[np.argmax(np.abs(across))] < 0:  # of the two ways to write a line, that with the larger part positive
        length, across = -length, -across
    return [(before.mean + across * (seen.x / length - across @ before.mean), across, length**2 / seen.R)]


def _widths(before: Any, after: Any) -> str:
    """What became of the widths: of all directions, of each weight, or of the two axes of the ellipse."""
    axes = isinstance(after, FullBelief)
    old, new = (np.linalg.svd(b.factor, compute_uv=False) if axes else np.atleast_1d(b.std) for b in (before, after))
    name = f"the standard deviation{'s' if len(old) > 1 else ''}{' along the axes of the ellipse' if axes else ''}"
    return f"{name} went from {' and '.join(map(_number, old))} to {' and '.join(map(_number, new))}"


def _place(point: Floats) -> str:
    return f"({_number(point[0])}, {_number(point[1])})"


def _number(value: float) -> str:
    """Two decimals, or two significant digits where the number is small."""
    value = float(value)
    return minus(f"{value:.2f}" if abs(value) >= 0.095 or value == 0 else f"{value:.2g}")
