"""Stochastic gradient Langevin dynamics (Welling and Teh): half a gradient step, and noise."""

import math

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.learners.base import Block, Predictions, Round, rate
from bflo_viz.learners.sgd import PointLearner
from bflo_viz.models import Model


class Langevin(PointLearner):
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
        self.noise = math.sqrt(self.eta) if noise is None else rate("noise", noise)
        self.prior_std = None
        if prior_std is not None:
            self.prior_std = check.scalar("prior_std", prior_std, least=1e-150)

    @property
    def _prior_precision(self) -> float:
        return 0.0 if self.prior_std is None else self.prior_std**-2

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        first = w = self.weights_for_prediction()
        passed = []
        for _ in range(self.updates):
            passed.append(self.model.forward(w, x))
            w = w - 0.5 * self.eta * (passed[-1].gradient(y) + self._prior_precision * w)
            if self.noise:
                w = w + self.noise * rng.standard_normal(self.dim)
        outcome = self._outcome(first, w, passed[0], y)
        self.weights = self._kept("weights", w)
        return outcome

    def _block(self, block: Block) -> Predictions:
        settings = (self.eta, self.updates, self.noise, self._prior_precision)
        return self._compiled_block("langevin", block, *settings)
