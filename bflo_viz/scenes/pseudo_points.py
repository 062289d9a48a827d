"""A belief flow read as Bayes' rule: each round adds pseudo-observations or removes them (Figure 3 of the paper)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow, Recorder
from bflo_viz.pseudo import pseudo_observation
from bflo_viz.scenes.base import PlayedScene, isotropic, minus

FLOWS = ("spherical", "diagonal", "full")
PROBLEMS: dict[str, dict[str, Any]] = {
    "separable": {"noise": 0.0},
    "noisy labels": {"noise": 0.15},
    "drifting": {"noise": 0.0, "turn": 180.0},
}
WORDS = {  # of a round; the page fills in the same blanks
    "prior": "Round 0: the prior. Step or play, and see what each round adds to what is known, or takes away.",
    "none": "Round {round}: no point; the widths stayed as they were, and the mean is {mean}.",
    "round": "Round {round}: {marks}. The mean moved to {mean}; {widths} went from {old} to {new}.",
    "added": "added with precision {precision}",
    "removed": "removed with precision {precision}",
    "spherical": "a point at {place} was {verb}",
    "diagonal": "the line {weight} = {value} was {verb}",
    "full": "the line {first} w₁ {sign} {second} w₂ = {value} was {verb}",
    "spherical widths": "the standard deviation",
    "diagonal widths": "the standard deviations",
    "full widths": "the standard deviations along the axes of the ellipse",
}
PRIOR_MEAN = (-1.0, 0.5)
SPAN = 3.2  # of the weights that are shown, the same for all runs
TOTALS = {
    "spherical": ["precision of each weight"],
    "diagonal": ["precision of w₁", "precision of w₂"],
    "full": ["precision in all directions together (trace)"],
}


@dataclass(frozen=True, eq=False)
class PseudoScene(PlayedScene):
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
        """What ``totals`` must equal, read off the beliefs: a sum loses its digits where a belief narrows to 1e-8."""
        with np.errstate(over="ignore", divide="ignore"):
            if self.flow == "full":
                own = np.array([[np.square(belief.inverse_factor).sum()] for belief in self.beliefs])
            else:
                own = np.array([np.atleast_1d(belief.std) ** -2.0 for belief in self.beliefs])
        return np.asarray(np.minimum(own, 1e300))  # what can be drawn

    @property
    def large(self) -> float:
        """A precision that few marks exceed, to size them by: the largest would leave the others no room."""
        sizes = np.abs(self.precisions[~np.isnan(self.precisions)])
        return float(np.quantile(sizes, 0.95)) if sizes.size else 1.0

    def _words(self) -> str:
        precisions, places = self.precisions[: self.now], self.places[: self.now]
        added, removed = (int(np.count_nonzero(side * precisions > 0)) for side in (1, -1))
        outside = int(np.count_nonzero(np.abs(places).max(axis=2, initial=0.0) > SPAN))
        kind = "pseudo-points" if self.flow == "spherical" else "pseudo-observations, each a line of weights,"
        totals = " and ".join(f"from {a:.2f} to {b:.2f}" for a, b in self.own_precisions[[0, self.now]].T)
        about = f" ({self.about})" if self.about else ""
        return f"""A {self.flow} belief flow{about} after {self.now} of {self.rounds} rounds. In the first panel, the
            weights: {added} {kind} added so far as blue discs with a plus and {removed} removed as red rings with a
            minus, areas by precision, {outside} outside of the view; the belief before as grey outlines and after
            filled in vermilion, the path of its mean, and the true weight as a star. In the second panel, over
            rounds, {", ".join(TOTALS[self.flow])}: prior plus all points so far, {totals}. {self.sentence()}"""

    def sentence(self) -> str:
        """What the round did, in one sentence; round 0 is the prior."""
        if self.now == 0:
            return WORDS["prior"]
        marks = " and ".join(filter(None, (self._mark_in_words(i) for i in range(2))))
        mean = _place(self.beliefs[self.now].mean)
        if not marks:
            return WORDS["none"].format(round=self.now, mean=mean)
        old, new = (" and ".join(map(_number, _widths(self.beliefs[now]))) for now in (self.now - 1, self.now))
        widths = WORDS[f"{self.flow} widths"]
        return WORDS["round"].format(round=self.now, marks=marks, mean=mean, widths=widths, old=old, new=new)

    def _mark_in_words(self, i: int) -> str:
        precision, place = self.precisions[self.now - 1, i], self.places[self.now - 1, i]
        if np.isnan(precision):
            return ""
        direction = self.directions[self.now - 1, i]
        return WORDS[self.flow].format(
            verb=WORDS["added" if precision > 0 else "removed"].format(precision=_number(abs(precision))),
            place=_place(place),
            weight=f"w{'₁₂'[i]}",
            value=_number(float(direction @ place)),
            first=_number(direction[0]),
            sign="−" if direction[1] < 0 else "+",
            second=_number(abs(direction[1])),
        )


def pseudo_dataset(
    rng: RNG,
    flow: str = "spherical",
    *,
    rounds: int = 60,
    mean: ArrayLike = PRIOR_MEAN,
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
        Where inputs, wrong labels and sampled weights come from. With a ``RandomState`` they are those of the
        explorer's page, and however many rounds there are, the first are the same.
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
    prior = isotropic(check.choice("flow", flow, FLOWS), check.vector("mean", mean, 2), std)
    X, y, true, rng = _stream(check.generator(rng), check.positive_int("rounds", rounds), noise, turn)
    recorder = Recorder()
    learner = BeliefFlow(prior, eta=eta, non_expansive=non_expansive, rule=rule)
    learner.run(X, y, rng, callback=recorder)
    return read_as_points(flow, about, true, recorder.beliefs, recorder.weights, recorder.moved)


def _stream(rng: RNG, rounds: int, noise: float, turn: float) -> tuple[Floats, NDArray[np.int64], Floats, RNG]:
    """Inputs and labels, the true weight in each round and after the last, and where to draw weights from."""
    inputs = flips = weights = rng
    if isinstance(rng, np.random.RandomState):  # each from its own: a stream that goes on is the same stream
        inputs, flips, weights = (np.random.RandomState(int(2**32 * draw)) for draw in rng.random_sample(3))
    X, chance = inputs.standard_normal((rounds, 2)), flips.random(rounds)
    angle = np.radians(45 - np.linspace(0, turn, rounds + 1))
    true = np.sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
    right = np.sum(X * true[:-1], axis=1) > 0
    return X, (right ^ (chance < check.scalar("noise", noise, least=0.0))).astype(np.int64), true, weights


def read_as_points(
    flow: str, about: str, true: Floats, beliefs: tuple[Any, ...], weights: Floats, moved: Floats
) -> PseudoScene:
    """Read each round of any run over two weights as pseudo-observations."""
    count = len(beliefs) - 1
    places, directions, precisions = (np.full((count, 2, *rest), np.nan) for rest in ((2,), (2,), ()))
    for r, before in enumerate(beliefs[:-1]):
        for i, mark in enumerate(_marks(before, beliefs[r + 1])):
            if mark[2] != 0:
                places[r, i], directions[r, i], precisions[r, i] = mark
    first = np.trace(np.linalg.inv(beliefs[0].covariance)) if flow == "full" else np.square(1 / beliefs[0].std)
    gains = np.nan_to_num(precisions[:, : np.size(first)])
    totals = first + np.vstack([np.zeros(np.size(first)), np.cumsum(gains, axis=0)])
    return PseudoScene(flow, about, true, beliefs, weights, moved, places, directions, precisions, totals, count)


def _marks(before: Belief, after: Belief) -> list[tuple[Floats, Floats, float]]:
    """Place, direction and precision of what a round added or removed; a precision of 0 is nothing."""
    try:
        seen = pseudo_observation(before, after)
    except ValueError:  # for a moment too narrow for a finite precision
        return []
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


def _widths(belief: Any) -> Floats:
    """Its widths: of all directions, of each weight, or of the two axes of the ellipse."""
    if isinstance(belief, FullBelief):
        return np.asarray(np.linalg.svd(belief.factor, compute_uv=False), np.float64)
    return np.atleast_1d(belief.std)


def _place(point: Floats) -> str:
    return f"({_number(point[0])}, {_number(point[1])})"


def _number(value: float) -> str:
    """Two decimals, or two significant digits where the number is small or has more than six before the point."""
    value = float(value)
    return minus(f"{value:.2f}" if 0.095 <= abs(value) < 1e6 or value == 0 else f"{value:.2g}")
