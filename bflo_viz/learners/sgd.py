"""Gradient descent (SGD), and Langevin dynamics (Welling and Teh), which adds noise to half a step."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Kernel, Learner, Predictions, Round
from bflo_viz.models import Logistic, Model


class PointLearner(Learner):
    """A learner whose state is one weight vector, which starts at zero or is drawn from N(0, std²)."""

    def __init__(
        self, features: int, model: Model | None = None, *, eta: float = 1e-3, std: float = 0.0, updates: int = 1
    ) -> None:
        super().__init__(Logistic() if model is None else model, features, updates=updates)
        self.eta = check.scalar("eta", eta, least=0.0)
        self.std = check.scalar("std", std, least=0.0)
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

    def _compiled_block(self, kernel: Kernel, name: str, *settings: Any) -> Predictions:
        """Do a block; the weights change only when it has ended."""
        weights = np.array(self.weights, dtype=self.model.precision)
        predictions = kernel(name, [weights], *settings)
        self.weights = self._kept("weights", weights.astype(np.float64, copy=False))
        return predictions


class _Descent(PointLearner):
    """A learner that steps along the gradient of its own weights."""

    @abstractmethod
    def _step(self, w: Floats, gradient: Floats, rng: RNG) -> Floats:
        """Weights after an update."""

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        first = w = self.weights_for_prediction()
        passed = []
        for _ in range(self.updates):
            passed.append(self.model.forward(w, x))
            w = self._step(w, passed[-1].gradient(y), rng)
        outcome = self._outcome(first, w, passed[0], y)
        self.weights = self._kept("weights", w)
        return outcome


class SGD(_Descent):
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

    def _step(self, w: Floats, gradient: Floats, rng: RNG) -> Floats:
        return w - self.eta * gradient

    def _block(self, kernel: Kernel) -> Predictions:
        # Langevin dynamics, whose step is eta/2, without its noise and its prior
        return self._compiled_block(kernel, "langevin", 2 * self.eta, self.updates, 0.0, 0.0)


class Langevin(_Descent):
    """Langevin dynamics: ``w − (eta/2)(gradient + w / prior_std²) + noise z`` with z standard normal.

    Parameters
    ----------
    features, model, eta, std, updates
        As for `SGD`.
    noise
        Standard deviation of the noise of a step; ``sqrt(eta)`` (the default) is that of Welling and Teh. The paper
        leaves it open, and what fits its table is 1e-4 or less. With 0 nothing is drawn.
    prior_std
        Standard deviation of the Gaussian prior of the weights; None for none.
    """

    def __init__(
        self,
        features: int,
        model: Model | None = None,
        *,
        eta: float = 1e-3,
        std: float = 0.0,
        updates: int = 1,
        noise: float | None = None,
        prior_std: float | None = None,
    ) -> None:
        super().__init__(features, model, eta=eta, std=std, updates=updates)
        self.noise = math.sqrt(self.eta) if noise is None else check.scalar("noise", noise, least=0.0)
        self.prior_std = None if prior_std is None else check.scalar("prior_std", prior_std, least=1e-150)
        self._prior_precision = 0.0 if self.prior_std is None else self.prior_std**-2

    def _step(self, w: Floats, gradient: Floats, rng: RNG) -> Floats:
        w = w - 0.5 * self.eta * (gradient + self._prior_precision * w)
        return w + self.noise * rng.standard_normal(self.dim) if self.noise else w

    def _block(self, kernel: Kernel) -> Predictions:
        return self._compiled_block(kernel, "langevin", self.eta, self.updates, self.noise, self._prior_precision)
