"""Gradient descent (SGD), and two learners that regularise it.

Langevin dynamics (Welling and Teh, 2011) adds noise and a prior; dropout (Hinton and others, 2012) leaves units out.
"""

import math
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Labels, Learner, Model, Predictions
from bflo_viz.learners.rows import Block
from bflo_viz.models import MLP, Logistic


class SGD(Learner):
    """Stochastic gradient descent with a fixed rate: ``w − eta gradient``.

    The ``model`` is `Logistic` (the default) or an `MLP`. Initial weights are drawn in the first round with the
    standard deviation ``std``; 0 starts at zero. Each example gets so many ``updates`` before it is discarded.
    """

    part, precision, noise = 1.0, 0.0, 0.0  # w − part eta (gradient + precision w) + noise z
    input_rate = hidden_rate = 0.0  # of dropout

    def __init__(
        self, features: int, model: Model | None = None, *, eta: float = 1e-3, std: float = 0.0, updates: int = 1
    ) -> None:
        self.eta = check.scalar("eta", eta, least=0.0)
        self.std = check.scalar("std", std, least=0.0)
        super().__init__(Logistic() if model is None else model, features, updates=updates)

    def reset(self) -> None:
        """Forget everything; initial weights with ``std`` above 0 are drawn anew in the next round."""
        self.weights: Any = None if self.std else finite(np.zeros(self.dim))
        self.rounds = 0

    def begin(self, rng: RNG) -> None:
        """Draw the initial weights, if they are still to be drawn."""
        if self.weights is None:
            self.weights = finite(self.std * rng.standard_normal(self.dim))

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the weights; there is nothing to sample."""
        if self.weights is None:
            raise ValueError("the weights must be drawn before a prediction, in the first round.")
        return self.weights

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions:
        """Do a block of rounds compiled."""
        w = np.array(self.weights, self.model.precision)
        settings: Any = self.part * self.eta, self.updates
        if isinstance(self.model, MLP):
            noise, rates = (self.noise, self.precision), (self.input_rate, self.hidden_rate)
            settings = np.array(self.model.sizes), self.model.bias, *settings, False, 0.0, *noise, rates
            predictions = self.by_pass("network_pass", [w, w[:0]], rows, y, rng, settings)
        else:
            predictions = self.by_pass("descent_pass", [w], rows, y, rng, (*settings, self.noise, self.precision))
        self.weights = finite(w.astype(np.float64, copy=False))
        return predictions


class Langevin(SGD):
    """Stochastic gradient Langevin dynamics: half a gradient step of loss and prior, and noise on every weight.

    Welling and Teh step by ``(ε/2)(n gradient + w/prior_std²)`` and add ``√ε z``, where n examples have the posterior
    that the weights are to sample. With ``data_size`` = n and the rate of a single example, ``eta = n ε``, that is
    ``w − (eta/2)(gradient + w/(n prior_std²)) + √(eta/n) z``. With ``noise`` in its place the step is
    ``w − (eta/2)(gradient + w/prior_std²) + noise z``, and noise 0 draws nothing. Without ``prior_std`` there is no
    prior; the other settings are those of `SGD`.
    """

    part = 0.5

    def __init__(
        self,
        features: int,
        model: Model | None = None,
        *,
        data_size: int | None = None,
        noise: float | None = None,
        prior_std: float | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(features, model, **settings)
        if (data_size is None) == (noise is None):
            raise ValueError("Langevin must be given data_size, the number of examples, or noise, and not both.")
        self.data_size = None if data_size is None else check.positive_int("data_size", data_size)
        self.prior_std = None if prior_std is None else check.scalar("prior_std", prior_std, least=1e-150)
        count = self.data_size or 1
        self.noise = math.sqrt(self.eta / count) if noise is None else check.scalar("noise", noise, least=0.0)
        self.precision = 0.0 if self.prior_std is None else self.prior_std**-2 / count


class Dropout(SGD):
    """Gradient descent with dropout; the mean network, its activations scaled by the share that was kept, predicts.

    Each update leaves out hidden units and inputs with these probabilities, but no biases. For the rest see `SGD`.
    """

    model: MLP

    def __init__(
        self,
        features: int,
        model: Model | None = None,
        *,
        hidden_rate: float = 0.5,
        input_rate: float = 0.2,
        **settings: Any,
    ) -> None:
        if model is None or isinstance(model, Logistic):  # a network without hidden units, so that there is one code
            model = MLP(features, 1, bias=False, precision="float64")
        super().__init__(features, model, **settings)
        self.hidden_rate = check.probability("hidden_rate", hidden_rate)
        self.input_rate = check.probability("input_rate", input_rate)

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the weights of the mean network: those out of inputs and hidden units times the share kept."""
        w = super().weights_for_prediction().copy()
        for layer, (block, units) in enumerate(zip(self.model.unflatten(w), self.model.sizes, strict=False)):
            block[:units] *= 1 - (self.hidden_rate if layer else self.input_rate)
        return w


def finite(w: Floats) -> Floats:
    """Return weights to keep: finite, and not to be written to by whoever is shown them."""
    if not math.isfinite(w.sum()):
        raise FloatingPointError("the weights overflowed: take smaller steps or scale the features.")
    w.setflags(write=False)
    return w
