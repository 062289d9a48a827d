"""A belief flow read as Bayes' rule: each round adds pseudo-observations or removes them (Figure 3 of the paper)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, SphericalBelief
from bflo_viz.learners import BeliefFlow, Recorder
from bflo_viz.pseudo import pseudo_observation
from bflo_viz.scenes.base import PlayedScene, isotropic, minus, place

FLOWS = ("spherical", "diagonal", "full")
PROBLEMS = {
    "separable": {"noise": 0.0, "turn": 0.0},
    "noisy labels": {"noise": 0.15, "turn": 0.0},
    "drifting": {"noise": 0.0, "turn": 180.0},
}
PRIOR_MEAN = (-1.0, 0.5)
SPAN = 3.2  # of the weights that are shown, the same for all runs
LARGE = 0.3  # radius of a mark of large precision, in weights
ENOUGH = 0.95  # of all marks are not larger than that
REACH = 0.55  # half the length of the piece of a line that is drawn, in weights
TOTALS = {  # what `totals` are the precision of
    "spherical": ("each weight",),
    "diagonal": ("w₁", "w₂"),
    "full": ("all directions together (trace)",),
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
    recent
        Of how many rounds up to ``now`` the marks are shown; 0 for all. Many marks hide each other.
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
    now: int
    recent: int = 0

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
    def totals(self) -> Floats:
        """Precision of the prior plus those of all marks so far, (rounds + 1, 1 or 2).

        It is that of every weight (spherical), of each weight (diagonal), or that in all directions together, the
        trace (full).
        """
        first = self.own_precisions[0]
        gains = np.nan_to_num(self.precisions[:, : len(first)])
        return np.asarray(first + np.cumsum(np.vstack([0 * first, gains]), axis=0))

    @property
    def large(self) -> float:
        """A precision that few marks exceed, to size them by: the largest would leave the others no room."""
        sizes = np.abs(self.precisions[~np.isnan(self.precisions)])
        return float(np.quantile(sizes, ENOUGH)) if sizes.size else 1.0

    def _words(self) -> str:
        precisions, places = self.precisions[: self.now], self.places[: self.now]
        added, removed = (int(np.count_nonzero(side * precisions > 0)) for side in (1, -1))
        outside = int(np.count_nonzero(np.abs(places).max(axis=2, initial=0.0) > SPAN))
        kind = "points" if self.flow == "spherical" else "lines"
        totals = " and ".join(f"from {a:.3g} to {b:.3g}" for a, b in self.own_precisions[[0, self.now]].T)
        about = f" ({self.about})" if self.about else ""
        shown = f"; those of the last {self.recent} rounds are drawn" if self.recent else ""
        marks = [] if not self.now else zip(precisions[-1], places[-1], strict=True)
        last = " and ".join(f"{minus(f'{size:+.3g}')} at {place(at)}" for size, at in marks if not np.isnan(size))
        return f"""A {self.flow} belief flow{about} after {self.now} of {self.rounds} rounds. Left, the weights:
            {added} {kind} added, as blue discs with a plus, and {removed} removed, as red rings with a minus, areas
            by precision; {outside} of them lie further out than {SPAN:g}, and are not seen{shown}.
            Right, the precision of {" and ".join(TOTALS[self.flow])}: {totals}.
            {f"In the last round: {last}." if last else ""}"""


def pseudo_dataset(
    rng: RNG,
    flow: str = "spherical",
    *,
    rounds: int = 60,
    eta: float = 0.5,
    noise: float = 0.1,
    turn: float = 0.0,
    non_expansive: bool = False,
    about: str = "",
    recent: int = 0,
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
    eta, non_expansive
        See `BeliefFlow`.
    about
        What is learned, in a few words.
    recent
        Of how many of the last rounds the marks are shown; 0 for all.
    """
    prior = isotropic(check.choice("flow", flow, FLOWS), PRIOR_MEAN, 1.0)
    X, y, true, rng = _stream(check.generator(rng), check.positive_int("rounds", rounds), noise, turn)
    recorder = Recorder()
    BeliefFlow(prior, eta=eta, non_expansive=non_expansive).run(X, y, rng, callback=recorder)
    beliefs = recorder.beliefs
    places, directions, precisions = (np.full((rounds, 2, *rest), np.nan) for rest in ((2,), (2,), ()))
    for r, (before, after) in enumerate(pairwise(beliefs)):
        for i, mark in enumerate(_marks(before, after)):
            if mark[2] != 0:
                places[r, i], directions[r, i], precisions[r, i] = mark
    marks = places, directions, precisions
    return PseudoScene(flow, about, true, beliefs, recorder.weights, recorder.moved, *marks, rounds, recent)


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
