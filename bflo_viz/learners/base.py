"""What all learners share: one round, a run of many, and what either leaves behind."""

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief
from bflo_viz.learners.rows import Block, Rows, checked_labels, checked_row, one_row
from bflo_viz.models import MLP, Logistic

Model = Logistic | MLP
Labels = NDArray[np.int64]
Predictions = tuple[Labels, Floats]  # a label and a loss for each round


@dataclass(frozen=True, eq=False)
class Round:
    """Record of one round.

    ``weights`` made the prediction. ``moved`` is where a belief flow's sample went with its first step; for other
    learners it is where their weights (or means) are after the round. ``before`` and ``after`` are the beliefs around
    the round, or functions that make them, or None for learners without one.
    """

    index: int
    weights: Floats
    moved: Floats
    probability: Any
    label: int
    target: int
    loss: float
    before: Belief | Callable[[], Belief] | None = None
    after: Belief | Callable[[], Belief] | None = None

    @property
    def belief_before(self) -> Belief | None:
        """Belief before the round."""
        return self.before() if callable(self.before) else self.before

    @property
    def belief_after(self) -> Belief | None:
        """Belief after the round."""
        return self.after() if callable(self.after) else self.after

    @property
    def mistake(self) -> bool:
        """True if the predicted label is not the one that came."""
        return self.label != self.target

    @property
    def entropy(self) -> float:
        """Differential entropy of the belief after the round, in nats; NaN without a belief."""
        after = self.belief_after
        return float("nan") if after is None else after.entropy()

    @property
    def kl(self) -> float:
        """KL of the belief after the round from the belief before it, in nats; NaN without a belief."""
        before, after = self.belief_before, self.belief_after
        return float("nan") if before is None or after is None else after.kl(before)


@dataclass(frozen=True, eq=False)
class Record:
    """Record of a run: sums over blocks of rounds, so that its size does not grow with the stream.

    ``rounds``, ``mistakes`` and ``loss`` have one number per block (``loss`` is the sum over its rounds), ``entropy``
    that of the belief at its end (NaN for learners without one).
    """

    rounds: NDArray[np.int64]
    mistakes: NDArray[np.int64]
    loss: Floats
    entropy: Floats

    @property
    def error(self) -> float:
        """Share of rounds with a mistake; NaN if there were none."""
        rounds = int(self.rounds.sum())
        return int(self.mistakes.sum()) / rounds if rounds else float("nan")


class Learner(ABC):
    """An online learner: it predicts, looks at the label, and updates, one example per round.

    A learner says in `step` what one round does; `run`, `predict` and the rest follow. It may say in `learn`, too, how
    many rounds are done at once by a compiled pass: then `run` calls that, and with a network `step` is that pass on
    one row. A subclass that overrides `step` alone is run by its `step`.

    Random numbers come from the generator that is passed in: *a round draws, in index order, one standard normal for
    each weight that can move*, in each of its updates, so that `run` and a loop over `step` see the same numbers and
    leave the generator in the same state. A diagonal belief flow moves the weights of non-zero inputs (all of them on
    branch −1 or with an optimiser such as `Momentum`); spherical and full flows and `Langevin` move all weights. AROW
    and NHERD draw for all weights if they predict by sample. Initial weights are drawn in the first round if their
    standard deviation is not 0. `Dropout` draws a uniform number for each unit that it can leave out: inputs that are
    not zero, then hidden units. Networks in float32 draw doubles, too.
    """

    def __init__(self, model: Model, features: int, *, updates: int = 1) -> None:
        if not isinstance(model, Model):
            raise ValueError(f"model must be a Logistic or an MLP, but it was a {type(model).__name__}.")
        self.model = model
        self.features = check.positive_int("features", features)
        self.dim = model.size(self.features)
        self.updates = check.positive_int("updates", updates)
        self.rounds = 0

    def __init_subclass__(cls) -> None:
        """Let a subclass that overrides `step` alone be run by its `step`."""
        if "step" in vars(cls) and "learn" not in vars(cls):
            cls.learn = Learner.learn  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Settings, size and rounds so far, on one line."""
        names = dict.fromkeys((*inspect.signature(type(self)).parameters, "model", "dim", "rounds"))
        values = {name: getattr(self, name) for name in names if hasattr(self, name)}
        words = {n: type(v).__name__ if isinstance(v, Belief) else repr(v) for n, v in values.items()}
        return f"{type(self).__name__}({', '.join(f'{name}={word}' for name, word in words.items())})"

    @property
    def belief(self) -> Belief | None:
        """Belief over the weights; None if the learner keeps none."""
        return None

    @abstractmethod
    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round: predict, look at the label, update. ``x`` is a dense vector or a sparse row."""

    @abstractmethod
    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return weights to predict with: the mean, or with a generator a sample of the belief (if there is one)."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything: back to the state before the first round."""

    def learn(self, rows: Block, y: Labels, rng: np.random.Generator, shown: Any = None) -> Predictions | None:
        """Do a block of rounds by a compiled pass; None if there is none, and nothing was done.

        A belief flow on a network also writes into ``shown`` its first sample, and where that went.
        """
        return None

    def begin(self, rng: RNG) -> None:  # noqa: B027
        """Draw initial weights, if they are still to be drawn."""

    def entropy(self) -> float:
        """Return the differential entropy of the belief in nats; NaN for a learner without one."""
        return float("nan") if self.belief is None else self.belief.entropy()

    def example(self, x: Any, y: Any, rng: RNG) -> tuple[Floats, int]:
        """Check the arguments of `step`, and draw initial weights that are still to be drawn."""
        if not (isinstance(y, (int, np.integer)) and 0 <= y < max(2, self.model.outputs)):
            (y,) = checked_labels(np.atleast_1d(y), 1, self.model.outputs)
        row = checked_row(x, self.features)
        self.begin(check.generator(rng))
        return row, int(y)

    def outcome(
        self, w: Floats, moved: Floats, forward: Any, y: int, seen: Predictions | None = None, **beliefs: Any
    ) -> Round:
        """Count a round, and return its record: ``forward`` is the prediction of ``w``, or ``seen`` what a pass saw."""
        label, loss = (forward.label, forward.loss(y)) if seen is None else (int(seen[0][0]), float(seen[1][0]))
        self.rounds += 1
        return Round(self.rounds - 1, w, moved, forward.probability, label, y, loss, **beliefs)

    def pass_of_one(self, x: Floats, y: int, rng: RNG, *shown: Any) -> Predictions | None:
        """Do one round of a network by its compiled pass, so that watching a run cannot change it."""
        if not (isinstance(self.model, MLP) and _can_compile(rng)):
            return None
        return self.learn(one_row(x, self.model.precision), np.array([y]), rng, *shown)  # type: ignore[arg-type]

    def by_pass(self, name: str, state: list[Any], rows: Block, y: Labels, rng: Any, settings: Any) -> Predictions:
        """Do rounds by the pass ``name`` of `bflo_viz.kernels`, which changes the arrays of the state."""
        out = np.empty(len(y), np.int64), np.empty(len(y))
        with rng.bit_generator.lock:  # as NumPy's own methods do: passes let other threads run
            kernels.passes()[name](*state, rows, y, rng, settings, out)
        return out

    def run(
        self,
        X: Any,
        y: Any,
        rng: RNG,
        *,
        truth: Any = None,
        blocks: int = 100,
        callback: Callable[[Round], object] | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Record:
        """Do one round for each row of ``X``, dense or sparse: the rounds of `step`, compiled where numba is there.

        Parameters
        ----------
        X, y
            Examples and their labels, checked whole before the first round. Should the weights overflow on the way,
            the learner keeps the state before that block.
        rng
            Source of the random numbers. With a ``numpy.random.RandomState``, which numba does not know, every round
            is done step by step.
        truth
            Labels to count mistakes against, if those of ``y`` have noise in them.
        blocks
            Number of points of the record, about.
        callback
            Function of the `Round` of every round, or of every n-th if it has an attribute ``every``; only those
            rounds are done step by step.
        progress
            Function of the rounds done and the rounds in all, called after each block.
        """
        rows = Rows(X, self.features, precision=self.model.precision)
        y = checked_labels(y, len(rows), self.model.outputs)
        truth = y if truth is None else checked_labels(truth, len(rows), self.model.outputs)
        size = max(1, -(-len(rows) // check.positive_int("blocks", blocks)))
        every = check.positive_int("callback.every", getattr(callback, "every", 1))
        for name, function in (("callback", callback), ("progress", progress)):
            if function is not None and not callable(function):
                raise ValueError(f"{name} must be callable, but it was a {type(function).__name__}.")
        check.generator(rng)
        points = []
        for start in range(0, len(rows), size):
            stop = min(start + size, len(rows))
            self.begin(rng)
            predicted, loss = np.empty(stop - start, np.int64), np.empty(stop - start)
            done = start
            while done < stop:
                end = stop if callback is None else min(stop, done + -self.rounds % every)  # the next to be seen
                compiled = None
                if end > done and _can_compile(rng):
                    compiled = self.learn(rows.block(done, end, self.model.precision), y[done:end], rng)
                if compiled is not None:
                    predicted[done - start : end - start], loss[done - start : end - start] = compiled
                    self.rounds += end - done
                else:
                    end = done + 1
                    outcome = self.step(rows.dense(done, end)[0], y[done], rng)
                    predicted[done - start], loss[done - start] = outcome.label, outcome.loss
                    if callback is not None and outcome.index % every == 0:
                        callback(outcome)
                done = end
            mistakes = np.count_nonzero(predicted != truth[start:stop])
            points.append((stop - start, mistakes, loss.sum(), self.entropy()))
            if progress is not None:
                progress(stop, len(rows))
        table = np.array(points).reshape(-1, 4)
        return Record(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], table[:, 3])

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """Return the probability of label 1 for each row (of each class, for several outputs), without learning.

        ``rng=None`` predicts with the mean of the belief, a generator with one Thompson sample of it.
        """
        rows = Rows(X, self.features)
        w = self.weights_for_prediction(None if rng is None else check.generator(rng))
        width = () if self.model.outputs == 1 else (self.model.outputs,)
        size = max(1, (1 << 20) // self.features)  # rows at a time: sparse ones are filled up for this
        out = np.empty((len(rows), *width))
        for start in range(0, len(rows), size):
            stop = min(start + size, len(rows))
            out[start:stop] = self.model.predict_many(w, rows.dense(start, stop)).reshape(-1, *width)
        return out

    def predict(self, X: Any, rng: RNG | None = None) -> NDArray[np.int64]:
        """Return the label of each row; see `predict_proba`."""
        return self.model.labels(self.predict_proba(X, rng))

    def copy(self) -> Self:
        """Return an independent copy, state included."""
        return copy.deepcopy(self)


def _can_compile(rng: RNG) -> bool:
    """True if numba is there and knows how this generator draws: a subclass of Generator may have its own way."""
    return type(rng) is np.random.Generator and bool(kernels.passes())


def finite(name: str, value: Floats) -> Floats:
    """Return an array for a learner to keep: finite, and not to be written to by whoever is shown it."""
    if not np.isfinite(value).all():
        raise ValueError(f"the {name} overflowed: take smaller steps or scale the features.")
    value.setflags(write=False)
    return value


def normals(rng: RNG, movable: NDArray[np.bool_]) -> Floats:
    """Return standard normal numbers for the weights that can move, in index order, and 0 for the others."""
    z = np.zeros(movable.size)
    z[movable] = rng.standard_normal(np.count_nonzero(movable))
    return z


def probability(name: str, value: Any) -> float:
    """Return a number from 0 to below 1."""
    part = check.scalar(name, value, least=0.0)
    if part >= 1:
        raise ValueError(f"{name} must be below 1, but it was {part:g}.")
    return part
