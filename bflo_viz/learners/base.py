"""What all learners share: one round, a run of many, and the records that both leave."""

import copy
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
from bflo_viz.learners.rows import Block, Rows, checked_labels, one_row
from bflo_viz.models import MLP, Logistic, dense_row

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
    before: Any = None
    after: Any = None

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
    """Record of a run in blocks of rounds: their number, mistakes, summed loss, and the entropy at their end."""

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

    A learner says in `step` what one round does; `run`, `predict` and the rest follow. It may say in `learn`, too,
    how a compiled pass does many rounds at once: then `run` calls that, and with a network `step` is that pass on one
    row. A subclass that overrides `step` alone is run by its `step`.

    Random numbers come from the generator that is passed in: *a round draws, in index order, one standard normal for
    each weight that can move*, in each of its updates, so that `run` and a loop over `step` see the same numbers and
    leave the generator in the same state. A diagonal belief flow moves the weights of non-zero inputs (all of them on
    branch −1, or with an optimiser such as `Momentum`); spherical and full flows and `Langevin` move all weights.
    AROW and NHERD draw if they predict by sample. Initial weights are drawn in the first round, if their standard
    deviation is not 0. `Dropout` draws a uniform number for each unit that it can leave out: inputs that are not
    zero, then hidden units. Networks in float32 draw doubles, too.
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
        if "step" in vars(cls) and "learn" not in vars(cls):
            cls.learn = Learner.learn  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model}, dim={self.dim}, rounds={self.rounds})"

    @abstractmethod
    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round: predict, look at the label, update. ``x`` is a dense vector or a sparse row."""

    @abstractmethod
    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return weights to predict with: the mean or, with a generator, a sample of the belief (if there is one)."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything: back to the state before the first round."""

    @property
    def belief(self) -> Belief | None:
        """Belief over the weights; None if the learner keeps none."""
        return None

    def entropy(self) -> float:
        """Return the differential entropy of the belief in nats; NaN for a learner without one."""
        return float("nan") if self.belief is None else self.belief.entropy()

    def begin(self, rng: RNG) -> None:  # noqa: B027
        """Draw initial weights, if they are still to be drawn."""

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions | None:
        """Do a block of rounds by a compiled pass; return None if there is none, and do nothing."""
        return None

    def example(self, x: Any, y: Any, rng: RNG) -> tuple[Floats, int]:
        """Check the arguments of `step`, and draw initial weights that are still to be drawn."""
        if not (isinstance(y, (int, np.integer)) and 0 <= y < max(2, self.model.outputs)):
            (y,) = checked_labels(np.atleast_1d(y), 1, self.model.outputs)
        row = dense_row(x, self.features)
        self.begin(check.generator(rng))
        return row, int(y)

    def outcome(
        self, w: Floats, moved: Floats, forward: Any, y: int, seen: Predictions | None = None, **beliefs: Any
    ) -> Round:
        """Count a round, and return its record: ``forward`` is the prediction of ``w``, ``seen`` that of a pass."""
        label, loss = (forward.label, forward.loss(y)) if seen is None else (int(seen[0][0]), float(seen[1][0]))
        self.rounds += 1
        return Round(self.rounds - 1, w, moved, forward.probability, label, y, loss, **beliefs)

    def pass_of_one(self, x: Floats, y: int, rng: RNG) -> Predictions | None:
        """Do one round of a network by its compiled pass, so that watching a run cannot change it."""
        if not (isinstance(self.model, MLP) and _can_compile(rng)):
            return None
        return self.learn(one_row(x, self.model.precision), np.array([y]), rng)

    def by_pass(self, name: str, state: list[Any], rows: Block, y: Labels, rng: Any, settings: Any) -> Predictions:
        """Do rounds by a pass of `bflo_viz.kernels`, which changes the arrays of the state."""
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

        Everything is checked before the first round; should the weights overflow, those before that block are kept.
        Mistakes are counted against the labels ``truth``, if those of ``y`` have noise in them. The record has about
        so many ``blocks``, and after each of them ``progress`` is called with the rounds done and the rounds in all.
        The ``callback`` sees every `Round`, or every n-th if it has an attribute ``every``, and only those are done
        step by step. So is everything with a ``numpy.random.RandomState``, which numba does not know.
        """
        rows, every = Rows(X, self.features), getattr(callback, "every", 1)
        y = checked_labels(y, len(rows), self.model.outputs)
        truth = y if truth is None else checked_labels(truth, len(rows), self.model.outputs)
        size = max(1, -(-len(rows) // check.positive_int("blocks", blocks)))
        for name, function in (("callback", callback), ("progress", progress)):
            if function is not None and not callable(function):
                raise ValueError(f"{name} must be callable, but it was a {type(function).__name__}.")
        compiled = _can_compile(check.generator(rng))
        points = []
        for start in range(0, len(rows), size):
            done, stop = start, min(start + size, len(rows))
            label, loss = np.empty(stop - start, np.int64), np.empty(stop - start)
            self.begin(rng)
            while done < stop:
                end = stop if callback is None else min(stop, done + -self.rounds % every)  # the next to be seen
                seen = None
                if compiled and end > done:
                    seen = self.learn(rows.block(done, end, self.model.precision), y[done:end], rng)
                if seen is not None:
                    label[done - start : end - start], loss[done - start : end - start] = seen
                    self.rounds += end - done
                else:
                    end, outcome = done + 1, self.step(rows.dense(done, done + 1)[0], y[done], rng)
                    label[done - start], loss[done - start] = outcome.label, outcome.loss
                    if callback is not None and outcome.index % every == 0:
                        callback(outcome)
                done = end
            points.append((stop - start, np.count_nonzero(label != truth[start:stop]), loss.sum(), self.entropy()))
            if progress is not None:
                progress(stop, len(rows))
        table = np.array(points).reshape(-1, 4)
        return Record(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], table[:, 3])

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """Return the probability of label 1 for each row (of each class, for several outputs), without learning.

        ``rng=None`` predicts with the mean of the belief, a generator with one Thompson sample of it.
        """
        rows, w = Rows(X, self.features), self.weights_for_prediction(None if rng is None else check.generator(rng))
        size = max(1, (1 << 20) // self.features)  # rows at a time: sparse ones are filled up for this
        ends = range(0, max(1, len(rows)), size)
        parts = [self.model.predict_many(w, rows.dense(at, min(at + size, len(rows)))) for at in ends]
        return np.concatenate(parts).reshape((len(rows),) if self.model.outputs == 1 else (len(rows), -1))

    def predict(self, X: Any, rng: RNG | None = None) -> Labels:
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
        raise FloatingPointError(f"the {name} overflowed: take smaller steps or scale the features.")
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
