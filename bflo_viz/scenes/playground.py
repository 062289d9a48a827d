"""A small network that learns two classes in the plane: what it says, where it doubts, how sure each weight is."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.learners import SGD, BeliefFlow, Dropout, Langevin, Learner
from bflo_viz.learners.base import Round
from bflo_viz.models import MLP
from bflo_viz.scenes.base import Scene
from bflo_viz.streams.stream import Stream
from bflo_viz.streams.synthetic import OWN, SHAPES, plane

DATA = (*SHAPES, OWN)
FLOWS = {"flow": "belief flow", "non-expansive": "non-expansive flow"}
LEARNERS = {**FLOWS, "SGD": "SGD", "dropout": "dropout", "Langevin": "Langevin"}
MOST_LAYERS, MOST_UNITS = 3, 12
SPAN = 3.5  # of the inputs that are shown
GRID = 36  # places of a map, across and up
NETWORKS = 30  # that are sampled, and vote
TESTS = 500  # examples that no learner sees
BINS = 5  # of confidence, from one half to one
SHOWN = 150  # of these examples in the maps
BOUNDARIES = 5  # of sampled networks in the first map
MOST_DOUBT = 0.35  # where the colours of the second map end: rarely do networks disagree more
EVERY = 20  # rounds from one of Langevin's weights that vote to the next


RATES = {  # with which the data is learned well, at the other defaults: of flows, and of other learners
    "clouds": (0.75, 0.2),
    "xor": (0.75, 0.2),
    "circles": (0.4, 0.2),
    "moons": (0.75, 0.2),
    "spirals": (0.35, 0.2),
    "points": (0.75, 0.2),
}
TITLES = {  # of the panels, in figures and in the page
    "mean": "What the mean says",
    "doubt": "Where sampled networks disagree",
    "network": "Means, and how sure they are",
    "mistakes": "Mistakes so far, by the true labels",
    "entropy": "Entropy of each layer",
    "calibration": "As sure as it is right?",
}
DOUBTS = {  # what votes, by learner
    "flow": "networks sampled from the belief",
    "non-expansive": "networks sampled from the belief",
    "SGD": "none: it has one weight vector, and no doubt",
    "dropout": "networks with units left out at random",
    "Langevin": f"its weights of earlier rounds, {EVERY} rounds apart",
}


@dataclass(frozen=True, eq=False)
class Bins:
    """Predictions by their confidence: how many, how sure on average, and what share is right (NaN of none)."""

    count: NDArray[np.int64]
    confidence: Floats
    accuracy: Floats


@dataclass(frozen=True, eq=False)
class Track:
    """A learner after its last round."""

    name: str
    model: MLP
    wrong: NDArray[np.uint8]  # whether the prediction of a round was wrong by the true label
    entropy: Floats  # nats a weight, of each layer before the first round and after each; nothing without a belief
    mean: Floats  # the weights of the network that predicts for it
    std: Floats | None
    networks: Floats  # weights that vote, one network a row
    step: tuple[Floats, Floats] | None  # in the last round: the weights that predicted, and where they went
    belief: DiagonalBelief | None
    test: Stream

    def chances(self, X: Floats) -> Floats:
        """Probability of label 1, of each network that votes (rows) at each place; the mean alone if none does."""
        every = self.networks if len(self.networks) else self.mean[None]
        return np.array([self.model.predict_many(w, X)[:, 0] for w in every])

    @cached_property
    def mean_map(self) -> Floats:
        """What the mean says, row by row from low y to high."""
        return self.model.predict_many(self.mean, places())[:, 0].reshape(GRID, GRID)

    @cached_property
    def chance_maps(self) -> Floats:
        """What each network that votes says."""
        return self.chances(places()).reshape(-1, GRID, GRID)

    @property
    def doubt_map(self) -> Floats:
        """How much they disagree: the standard deviation of their probabilities, from 0 to one half."""
        return self.chance_maps.std(axis=0)  # type: ignore[no-any-return]

    @cached_property
    def held_out(self) -> tuple[Floats, Floats, float]:
        """Of new examples: what the mean says, what the vote says (the mean of probabilities), and how they doubt."""
        X = np.asarray(self.test.X)
        if not len(X):
            return np.empty(0), np.empty(0), float("nan")
        chances = self.chances(X)
        return self.model.predict_many(self.mean, X)[:, 0], chances.mean(axis=0), float(chances.std(axis=0).mean())

    @property
    def errors(self) -> tuple[float, float]:
        """Mistakes on new examples in %, by the mean and by the vote; NaN if there are none."""
        mean, vote, _ = self.held_out
        truth = self.test.truth == 1
        wrong = (100 * np.mean((said > 0.5) != truth) if len(said) else np.nan for said in (mean, vote))
        return tuple(map(float, wrong))  # type: ignore[return-value]

    @property
    def calibration(self) -> dict[str, Bins]:
        """Confidence and accuracy on new examples, whose labels are wrong as often as those that were learned."""
        mean, vote, _ = self.held_out
        return {"vote": _binned(vote, self.test.y), "mean": _binned(mean, self.test.y)}

    def error(self, last: int = 0) -> float:
        """Mistakes in % of all rounds, or of the last so many; NaN before the first."""
        return 100 * float(self.wrong[-last:].mean()) if len(self.wrong) else float("nan")


@dataclass(frozen=True, eq=False)
class PlaygroundScene(Scene):
    """One or two learners after some examples of the same stream."""

    stream: Stream
    tracks: tuple[Track, ...]
    settings: Mapping[str, Any]
    now: int

    def _words(self) -> str:
        s = self.settings
        layers = "-".join(map(str, (2, *s["hidden"], 1)))
        if s["data"] == OWN and not self.stream.rows:
            return f"A {layers} network before its first round: there are no points yet to learn from."
        noise = f"noise {s['noise']:g}" + (f", {s['flip']:.0%} of the labels wrong" if s["flip"] else "")
        told = " ".join(self._told(track) for track in self.tracks)
        return f"A {layers} network after {self.now:,} examples of {s['data']} ({noise}). {told}"

    def _told(self, track: Track) -> str:
        mean, vote = track.errors
        so_far = f"{track.error():.1f} % mistakes so far" if self.now else "no example yet"
        words = f"{LEARNERS[track.name].capitalize() if track.name != 'SGD' else 'SGD'}: {so_far}; of new examples"
        if not len(track.networks):
            return f"{words} it gets {mean:.1f} % wrong, and it has no doubt."
        _, _, near = track.held_out
        return f"""{words} its mean gets {mean:.1f} % wrong and the vote of {len(track.networks)} networks
            {vote:.1f} %; these disagree by {near:.3f} there, and by {track.doubt_map.mean():.3f} over the map."""


def places() -> Floats:
    """The places of a map, row by row from low y to high: the middles of its cells."""
    middles = SPAN * ((2 * np.arange(GRID) + 1) / GRID - 1)
    x, y = np.meshgrid(middles, middles)
    return np.column_stack([x.ravel(), y.ravel()])


def learn_playground(
    rng: RNG,
    *,
    data: str = "moons",
    noise: float = 0.1,
    flip: float = 0.0,
    points: Sequence[Sequence[float]] = (),
    hidden: Sequence[int] = (8, 8),
    learner: str = "non-expansive",
    rival: str = "none",
    eta: float | None = None,
    std: float = 2.0,
    updates: int = 5,
    min_std: float = 0.4,
    drop: float = 0.2,
    jitter: float = 0.01,
    rounds: int = 1000,
) -> PlaygroundScene:
    """Let a network learn two classes in the plane from a stream of examples.

    Parameters
    ----------
    rng
        Seeds a generator for the stream, one for each learner (alike, so that like is compared with like), one for
        the networks that are sampled to be shown, and one for new examples. With a ``RandomState`` all numbers are
        those of the explorer's page.
    data, noise, flip, points
        What is learned: see :func:`bflo_viz.streams.synthetic.plane`.
    hidden
        Units of each hidden layer.
    learner, rival
        ``"flow"``, ``"non-expansive"``, ``"SGD"``, ``"dropout"`` or ``"Langevin"``, and for the rival ``"none"``.
    eta
        Learning rate; None: what is usual for this data and this learner, as `usual_rate` says.
    std, min_std
        Width of the prior, and of the weights where others begin; floor of the widths.
    updates
        Updates on each example.
    drop, jitter
        Share of hidden units that dropout leaves out; standard deviation of the noise in a step of Langevin dynamics.
    """
    check.choice("data", data, DATA)
    names = [check.choice("learner", learner, tuple(LEARNERS))]
    if check.choice("rival", rival, ("none", *LEARNERS)) != "none":
        names.append(rival)
    model = MLP(2, *hidden, 1, precision="float64")
    inputs, tests, own, fan = [int(2**32 * draw) for draw in check.generator(rng).random(4)]
    make = np.random.RandomState if isinstance(rng, np.random.RandomState) else np.random.default_rng
    shape: dict[str, Any] = {"shape": data, "noise": noise, "flip": flip, "points": points}
    stream, test = plane(make(inputs), rows=rounds, **shape), plane(make(tests), rows=TESTS, **shape)
    tracks = []
    for name in names:
        rate = usual_rate(data, name) if eta is None else eta
        one = _learner(name, model, eta=rate, std=std, updates=updates, min_std=min_std, drop=drop, jitter=jitter)
        tracks.append(_learned(name, one, stream, test, make(own), make(fan)))
    settings = shape | {"data": data, "hidden": tuple(hidden), "std": std}
    return PlaygroundScene(stream, tuple(tracks), settings, now=stream.rows)


def usual_rate(data: str, learner: str) -> float:
    """The learning rate with which a learner learns the data well, at the other defaults."""
    flow, other = RATES[data]
    return flow if learner in FLOWS else other


def _learner(
    name: str, model: MLP, *, std: float, min_std: float, drop: float, jitter: float, **common: Any
) -> Learner:
    if name in FLOWS:
        prior = DiagonalBelief.for_model(model, std)
        return BeliefFlow(prior, model, non_expansive=name == "non-expansive", min_std=min_std, **common)
    if name == "dropout":
        return Dropout(2, model, std=std, hidden_rate=drop, input_rate=0.0, **common)
    if name == "Langevin":
        return Langevin(2, model, std=std, noise=jitter, **common)
    return SGD(2, model, std=std, **common)


class _Notes:
    """What is kept of each round, and of the last one all."""

    def __init__(self, model: MLP, truth: NDArray[np.uint8], belief: Any) -> None:
        self.ends = np.cumsum([0, *((inputs + 1) * units for inputs, units in pairwise(model.sizes))])
        self.truth, self.wrong = truth, np.zeros(len(truth), np.uint8)
        self.entropy = [] if belief is None else [self._entropy(belief)]
        self.recent: list[Floats] = []
        self.last: Round | None = None

    def __call__(self, outcome: Round) -> None:
        self.last = outcome
        self.wrong[outcome.index] = outcome.label != self.truth[outcome.index]
        if outcome.belief_after is not None:
            self.entropy.append(self._entropy(outcome.belief_after))
        elif outcome.index % EVERY == 0:
            self.recent = [*self.recent[1 - NETWORKS :], outcome.moved]

    def _entropy(self, belief: Any) -> Floats:
        """Nats a weight, of each layer."""
        with np.errstate(divide="ignore"):  # a width that underflowed
            sums = np.add.reduceat(np.log(belief.std), self.ends[:-1])
        return np.asarray(0.5 * math.log(2 * math.pi * math.e) + sums / np.diff(self.ends))


def _learned(name: str, learner: Any, stream: Stream, test: Stream, rng: RNG, fan: RNG) -> Track:
    """Let a learner do all rounds, and sample networks that vote."""
    model, notes = learner.model, _Notes(learner.model, stream.truth, learner.belief)
    learner.begin(rng)  # before its first round it has the weights that it begins with
    learner.run(stream.X, stream.y, rng, callback=notes)
    belief, mean = learner.belief, learner.weights_for_prediction()
    networks: Any = np.empty((0, model.size()))
    if belief is not None:
        networks = belief.mean + belief.std * fan.standard_normal((NETWORKS, model.size()))
    elif name == "dropout":
        units = fan.random((NETWORKS, sum(model.sizes[1:-1]))) >= learner.hidden_rate
        networks = np.array([_masked(model, learner.weights, kept) for kept in units])
    elif name == "Langevin" and notes.recent:
        networks = np.array(notes.recent)
    step = None if notes.last is None else (notes.last.weights, notes.last.moved)
    entropy = np.array(notes.entropy)
    std = None if belief is None else belief.std
    return Track(name, model, notes.wrong, entropy, mean, std, networks, step, belief, test)


def _masked(model: MLP, w: Floats, kept: NDArray[np.bool_]) -> Floats:
    """The weights of a network in which only some hidden units are there."""
    blocks = [block.copy() for block in model.unflatten(w)]
    start = 0
    for block, units in zip(blocks[1:], model.sizes[1:-1], strict=True):
        block[:units] *= kept[start : start + units, None]
        start += units
    return np.concatenate([block.ravel() for block in blocks])


def _binned(chance: Floats, y: NDArray[np.uint8]) -> Bins:
    """Predictions by confidence, which is the probability of the label that is predicted."""
    sure = np.maximum(chance, 1 - chance)
    right = (chance > 0.5) == (y == 1)
    place = np.minimum(np.floor((2 * sure - 1) * BINS), BINS - 1).astype(int)
    count = np.bincount(place, minlength=BINS)
    with np.errstate(invalid="ignore"):
        return Bins(count, *(np.bincount(place, values, BINS) / count for values in (sure, right)))
