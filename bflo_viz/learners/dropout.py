"""Dropout (Hinton and others, 2012): steps of a network with units left out, prediction by the mean network."""

import numpy as np

from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Model, probability
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
        eta: float = 1e-3,
        std: float = 0.0,
        updates: int = 1,
        hidden_rate: float = 0.5,
        input_rate: float = 0.2,
    ) -> None:
        if model is None or isinstance(model, Logistic):  # a network without hidden units, so that there is one code
            model = MLP(features, 1, bias=False, precision="float64")
        super().__init__(features, model, eta=eta, std=std, updates=updates)
        self.hidden_rate = probability("hidden_rate", hidden_rate)
        self.input_rate = probability("input_rate", input_rate)

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the weights of the mean network: those out of inputs and hidden units times the share kept."""
        rates = [self.input_rate, *[self.hidden_rate] * (len(self.model.sizes) - 2)]
        return self._scale([np.full(1, 1 - rate) for rate in rates]) * super().weights_for_prediction()

    def moved(self, w: Floats, x: Floats, y: int, rng: RNG) -> Floats:
        """Return the weights after one update, by a network with units left out."""
        kept = self.mask(x, rng)
        return w - self.eta * kept * self.model.forward(w * kept, x).gradient(y)

    def mask(self, x: Floats, rng: RNG) -> Floats:
        """Draw what an update keeps, 1 or 0 for each weight: with a unit go the weights that lead out of it."""
        able, rate, shares = [x != 0, *(np.ones(n, bool) for n in self.model.sizes[1:-1])], self.input_rate, []
        for units in able:
            kept = np.ones(units.size)
            if rate > 0:
                kept[units] = rng.random(np.count_nonzero(units)) >= rate
            shares.append(kept)
            rate = self.hidden_rate
        return self._scale(shares)

    def _scale(self, shares: list[Floats]) -> Floats:
        """Return a factor for each weight, of shares of the units that they lead out of; biases are kept."""
        blocks = self.model.unflatten(np.ones(self.dim))
        for block, share, units in zip(blocks, shares, self.model.sizes, strict=False):
            block[:units] *= share[:, None]
        return np.concatenate([block.ravel() for block in blocks])
