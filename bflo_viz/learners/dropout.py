"""Dropout (Hinton and others, 2012): steps of a network with units left out, prediction by the mean network."""

from typing import Any

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

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the weights of the mean network: those out of inputs and hidden units times the share kept."""
        w = super().weights_for_prediction().copy()
        for layer, (block, units) in enumerate(zip(self.model.unflatten(w), self.model.sizes, strict=False)):
            block[:units] *= 1 - (self.hidden_rate if layer else self.input_rate)
        return w
