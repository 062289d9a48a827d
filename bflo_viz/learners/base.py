"""What all learners share: one round, a run of many, and the records that both leave."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners.rows import Block, Rows, checked_labels, checked_row
from bflo_viz.models import MLP, Logistic

Model = Logistic | MLP
Labels = NDArray[np.int64]
Predictions = tuple[Labels, Floats]  # a label and a loss for each round


@dataclass(frozen=True, eq=False)
class Round:
    """Record of one round.

    ``weights`` made the prediction. ``moved`` is where a belief flow's sample went with its first step; for other
    learners it is where their weights (or means) are after the round. The beliefs are None for learners without one.
    """

    index: int
    weights: Floats
    moved: Floats
    probability: Any
    label: int
    target: int
    loss: float
    belief_before: Any = None
    belief_after: Any = None

    @property
    def mistake(self) -> bool:
        """True if the predicted label is wrong."""
        return self.label != self.target

    @property
    def entropy(self) -> float:
        """Differential entropy of the belief after the round, in nats; NaN without a belief."""
        return float("nan") if self.belief_after is None else self.belief_after.entropy()

    @property
    def kl(self) -> float:
        """KL of the belief after the round from the belief before it, in nats; NaN without a belief."""
        return float("nan") if self.belief_after is None else self.belief_after.kl(self.belief_before)


Callback = Callable[[Round], object]


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


class Learner:
    """An online learner: it predicts, looks at the label, and updates, one example per round.

    A learner defines `learn`, many rounds by a pass of `bflo_viz.kernels`, and then `step` is that pass on one row,
    so that watching a run cannot change it; or it defines `step`, one round, and then `learn` is a loop over that.
    `run`, `predict` and the rest follow from either.

    Random numbers come from the generator that is passed in: *a round draws, in index order, one standard normal for
    each weight that can move*, in each of its updates, so that `run` and a loop over `step` see the same numbers and
    leave the generator in the same state. A diagonal belief flow moves the weights of non-zero inputs (all of them on
    branch −1, or with an optimiser such as `Momentum`); spherical and full flows and `Langevin` move all weights.
    AROW and NHERD draw if they predict by sample. Initial weights are drawn in the first round, if their standard
    deviation is not 0. `Dropout` draws a uniform number for each unit that it can leave out: inputs that are not
    zero, then hidden units. Networks in float32 draw doubles, too.
    """

    belief: Any = None  # over the weights; None if the learner keeps none

    def __init__(self, model: Model, features: int, *, updates: int = 1, prior: Belief | None = None) -> None:
        if not isinstance(model, Model):
            raise ValueError(f"model must be a Logistic or an MLP, but it was {check.short(model)}.")
        self.model = model
        self.features = check.positive_int("features", features)
        self.dim = model.size(self.features)
        self.updates = check.positive_int("updates", updates)
        if prior is not None and prior.dim != self.dim:
            raise ValueError(f"belief must have the {self.dim} weights of the model, but it has {prior.dim}.")
        self._prior = prior
        self.reset()

    def __init_subclass__(cls) -> None:
        if "step" in vars(cls) and "learn" not in vars(cls):
            cls.learn = Learner.learn  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model}, dim={self.dim}, rounds={self.rounds})"

    def reset(self) -> None:
        """Forget everything: back to the state before the first round."""
        self.belief, self.rounds = self._prior, 0

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return weights to predict with: the mean of the belief or, with a generator, a Thompson sample of it."""
        return self.belief.mean if rng is None else self.belief.sample(rng)

    def entropy(self) -> float:
        """Return the differential entropy of the belief in nats; NaN for a learner without one."""
        return float("nan") if self.belief is None else self.belief.entropy()

    def begin(self, rng: RNG) -> None:
        """Draw initial weights, if they are still to be drawn."""

    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round: predict, look at the label, update. ``x`` is a dense vector or a sparse row."""
        x, y = self.example(x, y, rng)
        before, w = self.belief, self.weights_of_round(rng)
        prediction, seen = self.model.forward(w, x), self.learn(self.one_row(x), np.array([y]), rng)
        return self.outcome(w, self.weights_for_prediction(), prediction, y, seen, before, self.belief)

    def learn(self, rows: Block, y: Labels, rng: RNG) -> Predictions:
        """Do a block of rounds, and return a label and a loss for each."""
        if type(self).step is Learner.step:  # which would call this method again, without end
            raise NotImplementedError(f"{type(self).__name__} must define step, one round, or learn, many.")
        return self.learn_by_steps(rows, y, rng)

    def learn_by_steps(self, rows: Block, y: Labels, rng: RNG, callback: Callback | None = None) -> Predictions:
        """Do a block of rounds by one step after another, each of which the ``callback`` sees."""
        labels, losses = np.empty(len(y), np.int64), np.empty(len(y))
        for r, label in enumerate(y):
            x, (inputs, columns) = np.zeros(self.features), kernels.row(rows, r)
            x[columns] = inputs
            outcome = self.step(x, label, rng)
            labels[r], losses[r] = outcome.label, outcome.loss
            if callback is not None:
                callback(outcome)
        return labels, losses

    def weights_of_round(self, rng: RNG) -> Floats:
        """Return the weights that will predict in the next round; what they draw is drawn from a copy."""
        return self.weights_for_prediction()

    def example(self, x: Any, y: Any, rng: RNG) -> tuple[Floats, int]:
        """Check the arguments of `step`, and draw initial weights that are still to be drawn."""
        if not (isinstance(y, (int, np.integer)) and 0 <= y < max(2, self.model.outputs)):
            (y,) = checked_labels(np.atleast_1d(y), 1, self.model.outputs)
        row = checked_row(x, self.features)
        self.begin(check.generator(rng))
        return row, int(y)

    def outcome(
        self, w: Floats, moved: Floats, forward: Any, y: int, seen: Predictions | None = None, *beliefs: Any
    ) -> Round:
        """Count a round, and return its record: ``forward`` is the prediction of ``w``, ``seen`` that of a pass."""
        label, loss = (forward.label, forward.loss(y)) if seen is None else (int(seen[0][0]), float(seen[1][0]))
        self.rounds += 1
        return Round(self.rounds - 1, w, moved, forward.probability, label, y, loss, *beliefs)

    def one_row(self, x: Floats) -> Block:
        """Return one example as passes take it."""
        places = np.flatnonzero(x)
        return x[places], places.astype(np.uint32), np.array([0, places.size])

    def by_pass(self, name: str, state: list[Any], rows: Block, y: Labels, rng: Any, settings: Any) -> Predictions:
        """Do rounds by a pass of `bflo_viz.kernels`, which changes the arrays of the state."""
        rows = rows[0].astype(state[0].dtype, copy=False), *rows[1:]
        out = np.empty(len(y), np.int64), np.empty(len(y))
        if can_compile(rng):
            with rng.bit_generator.lock:  # as NumPy's own methods do: passes let other threads run
                kernels.passes()[name](*state, rows, y, rng, settings, out)
        else:
            with np.errstate(all="ignore"):
                getattr(kernels, name)(*state, rows, y, rng, settings, out)
        return out

    def run(
        self, X: Any, y: Any, rng: RNG, *, truth: Any = None, blocks: int = 100, callback: Callback | None = None
    ) -> Record:
        """Do one round for each row of ``X``, dense or sparse: the rounds of `step`, compiled where numba is there.

        Everything is checked before the first round; should the weights overflow, those before that block are kept.
        Mistakes are counted against the labels ``truth``, if those of ``y`` have noise in them, and recorded for
        about so many ``blocks``. The ``callback`` sees every `Round`, and rounds are then done one by one. With a
        ``numpy.random.RandomState`` nothing is compiled.
        """
        rows = Rows(X, self.features)
        y = checked_labels(y, len(rows), self.model.outputs)
        truth = y if truth is None else checked_labels(truth, len(rows), self.model.outputs)
        size = max(1, -(-len(rows) // check.positive_int("blocks", blocks)))
        check.generator(rng)
        learn = self.learn if callback is None else partial(self.learn_by_steps, callback=callback)
        points = []
        for block in (slice(start, start + size) for start in range(0, len(rows), size)):
            self.begin(rng)
            before = self.rounds
            label, loss = learn(rows.block(block), y[block], rng)
            self.rounds = before + len(label)
            points.append((len(label), np.count_nonzero(label != truth[block]), loss.sum(), self.entropy()))
        table = np.array(points).reshape(-1, 4)
        return Record(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], table[:, 3])

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """Return the probability of label 1 for each row (of each class, for several outputs), without learning.

        ``rng=None`` predicts with the mean of the belief, a generator with one Thompson sample of it.
        """
        w = self.weights_for_prediction(None if rng is None else check.generator(rng))
        Z = self.model.predict_many(w, Rows(X, self.features).X)
        return Z.reshape(-1) if self.model.outputs == 1 else Z

    def predict(self, X: Any, rng: RNG | None = None) -> Labels:
        """Return the label of each row; see `predict_proba`."""
        return self.model.labels(self.predict_proba(X, rng))

    def move_belief(self, rows: Block, y: Labels, rng: Any, settings: Any, *, inverse: bool = True) -> Predictions:
        """Do rounds by the pass for this kind of belief; without its inverse, a full one works that out anew."""
        belief, full = self.belief, isinstance(self.belief, FullBelief)
        fields = ["mean", "factor" if full else "std"] + ["inverse_factor"] * (full and inverse)
        state = [np.array(getattr(belief, name), self.model.precision, order="C", ndmin=1) for name in fields]
        none = [np.empty((0, 0))] * (full and not inverse)
        name = "network_pass" if isinstance(self.model, MLP) else _PASSES[type(belief)]
        predictions = self.by_pass(name, [*state, *none], rows, y, rng, settings)
        values: list[Any] = [array.astype(np.float64, copy=False) for array in state]
        if isinstance(belief, SphericalBelief):
            values[1] = float(values[1][0])
        self.belief = belief.moved(**dict(zip(fields, values, strict=True)))
        return predictions


_PASSES = {DiagonalBelief: "diagonal_pass", SphericalBelief: "spherical_pass", FullBelief: "full_pass"}


def can_compile(rng: RNG) -> bool:
    """True if numba is there and knows how this generator draws: a subclass of Generator may have its own way."""
    return type(rng) is np.random.Generator and bool(kernels.passes())


def normals(rng: RNG, movable: NDArray[np.bool_]) -> Floats:
    """Return standard normal numbers for the weights that can move, in index order, and 0 for the others."""
    z = np.zeros(movable.size)
    z[movable] = rng.standard_normal(np.count_nonzero(movable))
    return z
