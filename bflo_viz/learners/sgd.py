"""Stochastic gradient descent: one weight vector, one step."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.kernels import logistic, normals
from bflo_viz.learners.base import Learner, Model, Round, rate, read_logits
from bflo_viz.learners.networks import run_block
from bflo_viz.learners.rows import Rows
from bflo_viz.models import MLP, Logistic


class PointLearner(Learner):
    """A learner whose state is one weight vector, which starts at zero or is drawn from N(0, std²)."""

    def __init__(
        self, features: int, model: Model | None = None, *, eta: float = 1e-3, std: float = 0.0, updates: int = 1
    ) -> None:
        super().__init__(Logistic() if model is None else model, features, updates=updates)
        self.eta = rate("eta", eta)
        self.std = rate("std", std)
        self.weights: Floats | None = None
        self.reset()

    def reset(self) -> None:
        """Forget everything; initial weights with ``std`` above 0 are drawn anew in the next round."""
        self.weights = None if self.std else self._kept("weights", np.zeros(self.dim))
        self.rounds = 0

    def weights_for_prediction(self, rng: np.random.Generator | None = None) -> Floats:
        """The weights; there is nothing to sample."""
        if self.weights is None:
            raise ValueError(
                f"the weights must be drawn before a prediction, in the first round, from N(0, {self.std:g}²)."
            )
        return self.weights

    def _begin(self, rng: np.random.Generator) -> None:
        if self.weights is None:
            z = normals.normals_numpy(normals.key_from(rng), np.arange(self.dim), np.float64)
            self.weights = self._kept("weights", self.std * z)

    def _compiled(self, name: str, rows: Rows, start: int, stop: int, y: NDArray[np.int64], *options: Any) -> Any:
        """Run a block through the kernel ``name`` of the model; the weights change only when it has ended."""
        if isinstance(self.model, MLP):
            weights = np.array(self.weights, dtype=self.model.precision)
            done = run_block(name, (weights,), self.model, rows, start, stop, y, *options)
        else:
            kernels = logistic.compiled()
            if kernels is None:
                return None
            weights, logits = np.array(self.weights), np.empty(stop - start)
            getattr(kernels, name)(weights, *rows.compressed(start, stop), y, *options, logits)
            done = read_logits(logits, y)
        if done is not None:
            self.weights = self._kept("weights", weights.astype(np.float64, copy=False))
        return done


class SGD(PointLearner):
    """Stochastic gradient descent with a fixed rate.

    Parameters
    ----------
    features
        Number of features of an example.
    model
        `Logistic` (the default) or an `MLP`.
    eta
        Learning rate.
    std
        Initial weights are drawn from N(0, std²) in the first round; 0 starts at zero.
    updates
        Steps on each example before it is discarded.
    """

    def _round(self, x: Floats, y: int, key: normals.Key) -> Round:
        first = w = self.weights_for_prediction()
        for _ in range(self.updates):
            w = w - self.eta * self.model.gradient(w, x, y)
        outcome = self._outcome(first, w, x, y)
        self.weights = self._kept("weights", w)
        return outcome

    def _block(self, rows: Rows, start: int, stop: int, y: NDArray[np.int64], keys: Any) -> Any:
        return self._compiled("sgd", rows, start, stop, y, self.eta, self.updates)
