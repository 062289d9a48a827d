"""Dropout (Hinton and others, 2012): steps of a network with units left out, prediction by the mean network."""

from itertools import pairwise

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Kernel, Predictions, Round, share
from bflo_viz.learners.sgd import PointLearner
from bflo_viz.models import MLP, Logistic, Model


class Dropout(PointLearner):
    """Gradient descent with dropout; the mean network, its activations scaled by what was kept, predicts.

    Parameters
    ----------
    features, model, eta, std, updates
        As for `SGD`; each update leaves out other units.
    hidden_rate, input_rate
        Probability that a hidden unit, or an input, is left out. Biases never are.
    """

    def __init__(
        self,
        features: int,
        model: Model | None = None,
        *,
        eta: float = 1e-3,
        std: float = 0.0,
        updates: int = 1,
        hidden_rate: float = 0.5,
        input_rate: float = 0.2,
    ) -> None:
        if model is None or isinstance(model, Logistic):  # a network without hidden units, so that there is one code
            model = MLP((check.positive_int("features", features), 1), bias=False, precision="float64")
        super().__init__(features, model, eta=eta, std=std, updates=updates)
        self.hidden_rate = share("hidden_rate", hidden_rate)
        self.input_rate = share("input_rate", input_rate)

    @property
    def _network(self) -> MLP:
        assert isinstance(self.model, MLP)
        return self.model

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The weights of the mean network: those out of inputs and hidden units scaled by what is kept of them."""
        blocks = [block.copy() for block in self._network.unflatten(super().weights_for_prediction())]
        for layer, block in enumerate(blocks):
            inputs = self._network.sizes[layer]
            block[:inputs] *= 1 - (self.hidden_rate if layer else self.input_rate)
        return np.concatenate([block.ravel() for block in blocks])

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        w = super().weights_for_prediction()
        mean = self.weights_for_prediction()
        for _ in range(self.updates):
            kept = self._masks(x, rng)
            w = w - self.eta * (kept * self.model.gradient(w * kept, x, y))
        outcome = self._outcome(mean, w, self.model.forward(mean, x), y)
        self.weights = self._kept("weights", w)
        return outcome

    def _masks(self, x: Floats, rng: RNG) -> Floats:
        """What an update keeps, 1 or 0 for each weight: a unit that is left out takes the weights out of it along."""
        masks = []
        for layer, (inputs, units) in enumerate(pairwise(self._network.sizes)):
            rate = self.hidden_rate if layer else self.input_rate
            keep, droppable = np.ones(inputs + self._network.bias), np.zeros(inputs + self._network.bias, bool)
            droppable[:inputs] = rate > 0 and (layer > 0 or x != 0)
            keep[droppable] = rng.random(np.count_nonzero(droppable)) >= rate
            masks.append(np.repeat(keep, units))
        return np.concatenate(masks)

    def _block(self, kernel: Kernel) -> Predictions:
        return self._compiled_block(kernel, "dropout", self.eta, self.updates, self.input_rate, self.hidden_rate)
