"""Dropout (Hinton and others, 2012): steps of a network with units left out, prediction by the mean network."""

from itertools import pairwise
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Model
from bflo_viz.learners.sgd import SGD
from bflo_viz.models import MLP, Logistic


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
        self._rates = np.repeat([self.input_rate, self.hidden_rate], [features, sum(model.sizes[1:-1])])

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the weights of the mean network: those out of inputs and hidden units times the share kept."""
        return self._of_weights(1 - self._rates) * super().weights_for_prediction()

    def moved(self, w: Floats, x: Floats, y: int, rng: RNG) -> Floats:
        """Return the weights after one update, by a network with units left out."""
        able, kept = self._rates > 0, np.ones(self._rates.size)
        able[: x.size] &= x != 0
        kept[able] = rng.random(np.count_nonzero(able)) >= self._rates[able]
        kept = self._of_weights(kept)
        return w - self.eta * kept * self.model.forward(w * kept, x).gradient(y)

    def _of_weights(self, kept: Floats) -> Floats:
        """Return a share for each weight, that of the input or hidden unit that it leads out of; biases are kept."""
        parts = []
        for n, units in pairwise(self.model.sizes):
            parts += [np.repeat(kept[:n], units), np.ones(units * self.model.bias)]
            kept = kept[n:]
        return np.concatenate(parts)
