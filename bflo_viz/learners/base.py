"""What all learners share: the verbs, the checks, running in blocks, and what a round leaves behind."""

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief
from bflo_viz.kernels import logistic, network
from bflo_viz.learners.rows import Rows, labels
from bflo_viz.models import MLP, Forward, Model, dense_row

Labels = NDArray[np.int64]
Predictions = tuple[Labels, Floats]  # predicted labels, and their losses
_FEW = 4  # features with which a kernel that is not compiled is faster than rounds step by step, for every learner
Kernel = Callable[..., Predictions]  # does a block of rounds, by its name, the arrays of the state, and settings


@dataclass(frozen=True, eq=False)
class Round:
    """What happened in one round.

    ``weights`` made the prediction. ``moved`` is where a belief flow's sample went with its first step, and for other
    learners where their weights (or mean) are after the round. ``belief_before`` and ``belief_after`` are the beliefs
    around the round, None for learners that have none.
    """

    index: int
    weights: Floats
    moved: Floats
    probability: Any
    label: int
    target: int
    loss: float
    before: Belief | Callable[[], Belief] | None = None  # a callable makes the belief when it is asked for
    after: Belief | Callable[[], Belief] | None = None

    @property
    def belief_before(self) -> Belief | None:
        """The belief before the round."""
        return self.before() if callable(self.before) else self.before

    @property
    def belief_after(self) -> Belief | None:
        """The belief after the round."""
        return self.after() if callable(self.after) else self.after

    @property
    def mistake(self) -> bool:
        """Whether the label that was predicted is not the one that came."""
        return self.label != self.target

    @property
    def entropy(self) -> float:
        """Differential entropy of the belief after the round, in nats."""
        after = self.belief_after
        return float("nan") if after is None else after.entropy()

    @property
    def kl(self) -> float:
        """KL of the belief after the round from the belief before it, in nats."""
        before, after = self.belief_before, self.belief_after
        return float("nan") if before is None or after is None else after.kl(before)


@dataclass(frozen=True, eq=False)
class Record:
    """What a run leaves behind: sums over blocks of rounds, so that its size does not grow with the stream.

    ``rounds``, ``mistakes`` and ``loss`` have one number a block (``loss`` is the sum over its rounds), ``entropy``
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
    """An online learner: it predicts, looks, and updates, one example a round.

    A learner draws its random numbers from the generator it is given: *a round draws, in index order, one normal for
    each weight that can move*, in each of its updates. So `run` and a loop over `step` see the same numbers, and
    leave the generator in the same state. Precisely:

    - A diagonal belief flow draws for the weights that the gradient can reach: all but those of inputs that are zero.
      On branch −1, and with a local flow other than `GradientStep`, every weight can move, and all are drawn.
    - Spherical and full belief flows draw for all weights, as does `Langevin` (for none if its noise is 0).
    - AROW and NHERD draw if they predict by sample: for all weights, or with a diagonal covariance for those of
      inputs that are not zero.
    - Initial weights are drawn in the first round, all of them, if their standard deviation is not 0.
    - `Dropout` draws one uniform number, ``rng.random()``, for each unit that can be left out: inputs that are not
      zero, then hidden units; none where the rate is 0.

    Weights that are not drawn have the normal 0: nothing depends on it. Networks in float32 draw doubles, too.
    """

    def __init__(self, model: Model, features: int, *, updates: int = 1) -> None:
        if not isinstance(model, Model):
            raise ValueError(f"model must be a Logistic or an MLP, but it was a {type(model).__name__}.")
        self.model = model
        self.features = check.positive_int("features", features)
        self.dim = model.size(self.features)
        self.updates = check.positive_int("updates", updates)
        self.rounds = 0

    def __repr__(self) -> str:
        """Settings, size and rounds so far, on one line."""
        names = dict.fromkeys((*inspect.signature(type(self)).parameters, "model", "dim", "rounds"))
        settings = {name: getattr(self, name) for name in names if hasattr(self, name)}
        words = (type(value).__name__ if isinstance(value, Belief) else repr(value) for value in settings.values())
        return f"{type(self).__name__}({', '.join(map('='.join, zip(settings, words, strict=True)))})"

    @property
    def belief(self) -> Belief | None:
        """The learner's belief over the weights; None if it keeps none."""
        return None

    @abstractmethod
    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Weights to predict with: the mean, or with a generator a sample of the belief (if there is one)."""

    @abstractmethod
    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        """One round in NumPy: the readable form of the algorithm. It changes the state last."""

    def _block(self, kernel: Kernel) -> Predictions | None:
        """Do a block of rounds by ``kernel(name, state, *settings)``; None if there is no kernel for them."""
        return None

    def _begin(self, rng: RNG) -> None:  # noqa: B027
        """Draw initial weights, if they are still to be drawn."""

    def entropy(self) -> float:
        """Differential entropy of the belief in nats; NaN for a learner without one."""
        return float("nan") if self.belief is None else self.belief.entropy()

    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round: predict, look at the label, update. ``x`` is a dense vector or a sparse row."""
        x = dense_row(x, self.features).copy()
        (target,) = labels(np.atleast_1d(y), 1, self.model.outputs)
        self._begin(check.generator(rng))
        outcome = self._round(x, int(target), rng)
        self.rounds += 1
        return outcome

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
            Examples and their labels. They are checked whole before the first round. Should the weights overflow on
            the way, the learner keeps the state before that block.
        rng
            Where the random numbers come from. With a ``numpy.random.RandomState``, which numba does not know, every
            round is done step by step.
        truth
            Labels to count mistakes against, if those of ``y`` have noise in them.
        blocks
            The record has about so many points.
        callback
            Is called with the `Round` of every round, or of every n-th if it has an attribute ``every``; only those
            rounds are done step by step.
        progress
            Is called with the rounds done and the rounds in all, after each block.
        """
        rows = Rows(X, self.features, precision=self.model.precision)
        y = labels(y, len(rows), self.model.outputs)
        truth = y if truth is None else labels(truth, len(rows), self.model.outputs)
        size = max(1, -(-len(rows) // check.positive_int("blocks", blocks)))
        every = check.positive_int("callback.every", getattr(callback, "every", 1))
        for name, function in (("callback", callback), ("progress", progress)):
            if function is not None and not callable(function):
                raise ValueError(f"{name} must be callable, but it was a {type(function).__name__}.")
        check.generator(rng)
        points = []
        for start in range(0, len(rows), size):
            stop = min(start + size, len(rows))
            self._begin(rng)
            predicted, loss = self._rounds(rows, start, stop, y[start:stop], rng, callback, every)
            mistakes = np.count_nonzero(predicted != truth[start:stop])
            points.append((stop - start, mistakes, loss.sum(), self.entropy()))
            if progress is not None:
                progress(stop, len(rows))
        table = np.array(points).reshape(-1, 4)
        return Record(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2], table[:, 3])

    def _rounds(
        self, rows: Rows, start: int, stop: int, y: Labels, rng: RNG, callback: Any, every: int
    ) -> Predictions:
        """A block: rounds that a callback wants to see one by one, those between them compiled."""
        predicted, loss = np.empty(stop - start, np.int64), np.empty(stop - start)
        # A subclass of Generator may draw in a way of its own, which numba would not see.
        few = self.features <= _FEW and not isinstance(self.model, MLP)
        by_kernel = type(rng) is np.random.Generator and (kernels.available() or few)
        i, end = 0, stop - start
        while i < end:
            seen = end if callback is None else min(end, i + -self.rounds % every)  # the next round to be seen
            if by_kernel and seen > i:
                done = self._tried_block(partial(self._by_kernel, rows, start + i, y[i:seen], rng), rng)
                if done is not None:
                    predicted[i:seen], loss[i:seen] = done
                    self.rounds += seen - i
                    i = seen
                    continue
            outcome = self._round(rows.dense(start + i, start + i + 1)[0], int(y[i]), rng)
            predicted[i], loss[i] = outcome.label, outcome.loss
            self.rounds += 1
            i += 1
            if callback is not None and outcome.index % every == 0:
                callback(outcome)
        return predicted, loss

    def _tried_block(self, kernel: Kernel, rng: Any) -> Predictions | None:
        """A block by its kernel; None where it has none, and where plain Python cannot compute what numba could."""
        if kernels.available():
            return self._block(kernel)
        before = rng.bit_generator.state
        try:
            return self._block(kernel)
        except (ArithmeticError, ValueError):  # infinities: rounds step by step know what to do, or to say
            rng.bit_generator.state = before
            return None

    def _by_kernel(
        self, rows: Rows, start: int, y: Labels, rng: Any, name: str, state: Sequence[Any], *settings: Any
    ) -> Predictions:
        """Do the rounds of these labels, whose rows begin at ``start``, by the kernel ``name`` for this model."""
        module: ModuleType = logistic
        if isinstance(self.model, MLP):
            module, settings = network, (np.array(self.model.sizes), self.model.bias, *settings)
        predictions = np.empty(len(y), np.int64), np.empty(len(y))
        block = rows.block(start, start + len(y), self.model.precision)
        arguments = tuple(state), block, y, rng, settings, predictions
        with rng.bit_generator.lock:  # as NumPy's own methods do: the kernels let other threads run
            if kernels.available():
                kernels.compiled(module)[name](*arguments)
            else:
                kernels.plain(getattr(module, name), *arguments)
        return predictions

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """Probability of label 1 for each row (of each class, for several outputs), without learning.

        ``rng=None`` predicts with the mean of the belief, a generator with one Thompson sample of it.
        """
        rows = Rows(X, self.features)
        w = self.weights_for_prediction(None if rng is None else check.generator(rng))
        width = () if self.model.outputs == 1 else (self.model.outputs,)
        out = np.empty((len(rows), *width))
        size = max(1, (1 << 20) // self.features)  # rows at a time: sparse ones are filled up for this
        for start in range(0, len(rows), size):
            stop = min(start + size, len(rows))
            out[start:stop] = self.model.predict_many(w, rows.dense(start, stop)).reshape(-1, *width)
        return out

    def predict(self, X: Any, rng: RNG | None = None) -> NDArray[np.int64]:
        """Label of each row; see `predict_proba`."""
        return self.model.labels(self.predict_proba(X, rng))

    @abstractmethod
    def reset(self) -> None:
        """Forget everything: back to the state before the first round."""

    def copy(self) -> Self:
        """An independent copy, state included."""
        return copy.deepcopy(self)

    def _kept(self, name: str, value: Floats) -> Floats:
        """State for the learner to keep: finite, and not to be written to by whoever is shown it."""
        try:
            value = check.numbers(name, value)
        except ValueError as problem:
            raise ValueError(f"{str(problem)[:-1]}: take smaller steps or scale the features.") from None
        value.setflags(write=False)
        return value

    def _outcome(self, w: Floats, moved: Floats, forward: Forward, y: int, **beliefs: Any) -> Round:
        """What happened in a round whose prediction was ``forward``, made with the weights ``w``."""
        return Round(self.rounds, w, moved, forward.probability, forward.label, y, forward.loss(y), **beliefs)


def normals(rng: RNG, movable: NDArray[np.bool_]) -> Floats:
    """Standard normal numbers for the weights that can move, in index order, and 0 for the others."""
    z = np.zeros(movable.size)
    z[movable] = rng.standard_normal(np.count_nonzero(movable))
    return z


def share(name: str, value: Any) -> float:
    """A number from 0 to below 1."""
    part = check.scalar(name, value, least=0.0)
    if part >= 1:
        raise ValueError(f"{name} must be below 1, but it was {part:g}.")
    return part
