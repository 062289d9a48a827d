"""Stochastic gradient descent: one weight vector, one step."""

from typing import Any

import numpy as np

from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Block, Learner, Predictions, Round, rate
from bflo_viz.models import MLP, Logistic, Model


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

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The weights; there is nothing to sample."""
        if self.weights is None:
            raise ValueError(
                f"the weights must be drawn before a prediction, in the first round, from N(0, {self.std:g}²)."
            )
        return self.weights

    def _begin(self, rng: RNG) -> None:
        if self.weights is None:
            self.weights = self._kept("weights", self.std * rng.standard_normal(self.dim))

    def _compiled_block(self, name: str, block: Block, *settings: Any) -> Predictions:
        """Do a block by the kernel ``name``; the weights change only when it has ended."""
        precision = self.model.precision if isinstance(self.model, MLP) else "float64"
        weights = np.array(self.weights, dtype=precision)
        predictions = self._compiled(name, (weights,), block, *settings)
        self.weights = self._kept("weights", weights.astype(np.float64, copy=False))
        return predictions


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

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        first = w = self.weights_for_prediction()
        passed = []
        for _ in range(self.updates):
            passed.append(self.model.forward(w, x))
            w = w - self.eta * passed[-1].gradient(y)
        outcome = self._outcome(first, w, passed[0], y)
        self.weights = self._kept("weights", w)
        return outcome

    def _block(self, block: Block) -> Predictions:
        # Langevin dynamics, whose step is eta/2, without its noise and its prior
        return self._compiled_block("langevin", block, 2 * self.eta, self.updates, 0.0, 0.0)
