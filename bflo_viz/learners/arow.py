"""AROW (Crammer, Kulesza and Dredze, 2009) and NHERD, Gaussian herding (Crammer and Lee, 2010).

NHERD is the nearest ancestor of belief flows. Both keep a Gaussian over the weights that moves when a margin falls
below 1. A full covariance is kept as a factor S: both updates are S' = S − c (S q) qᵀ with q = Sᵀx, with another c.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.kernels.logistic import NARROWEST, herd, herd_variance
from bflo_viz.learners.base import Kernel, Learner, Predictions, Round, normals
from bflo_viz.models import MLP, Logistic


class HerdLearner(Learner):
    """A linear classifier with a Gaussian belief over its weights; a margin of the mean below 1 moves it."""

    _herding = False  # strength is NHERD's C, not AROW's r

    def __init__(
        self, features: int, model: Any, strength: float, std: float, covariance: str, predicting: str
    ) -> None:
        if isinstance(model, MLP):
            raise ValueError(
                f"model must be Logistic() for {type(self).__name__}: it cannot learn a network, "
                "but BeliefFlow, SGD, Dropout and Langevin can."
            )
        super().__init__(Logistic() if model is None else model, features)
        self._strength = strength
        self.std = check.positive_number("std", std)
        self.covariance = check.choice("covariance", covariance, ("full", "diagonal"))
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        full = self.covariance == "full"
        spread = np.diag(np.full(self.dim, self.std)) if full else np.full(self.dim, self.std**2)
        self._keep(np.zeros(self.dim), spread, self.dim * math.log(self.std))
        self.rounds = 0

    def _keep(self, mean: Floats, spread: Floats, log_det: float) -> None:
        if not math.isfinite(log_det):
            raise ValueError("features must not narrow the belief by 1e15 in one round, but one did: scale them.")
        mean, spread = self._kept("mean", mean), self._kept("spread", spread)
        self.mean, self.spread, self._log_det = mean, spread, log_det

    @property
    def belief(self) -> Belief:
        """The Gaussian over the weights."""
        return self._make_belief()()

    def _make_belief(self) -> Callable[[], Belief]:
        """The belief of now, to be made when somebody asks: it costs more than a round."""
        if self.covariance == "full":
            return partial(FullBelief.from_factor, self.mean, self.spread)
        return partial(DiagonalBelief, self.mean, np.sqrt(np.maximum(self.spread, np.finfo(np.float64).tiny)))

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The mean, or a sample."""
        return self.mean if rng is None else self._at(rng.standard_normal(self.dim))

    def _at(self, z: Floats) -> Floats:
        return self.mean + (self.spread @ z if self.covariance == "full" else np.sqrt(self.spread) * z)

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        before, predicting = self._make_belief(), self.mean
        full = self.covariance == "full"
        if self.predicting == "sample":
            predicting = self._at(normals(rng, (x != 0) | full))
        margin, side = float(self.mean @ x), 2 * y - 1
        q = self.spread.T @ x if full else np.sqrt(self.spread) * x
        variance = float(q @ q)
        mean, spread, log_det = self.mean, self.spread, self._log_det
        if margin * side < 1 and variance > 0:
            total, shrink, narrowing = herd(variance, self._strength, self._herding)
            pull = side * (1 - margin * side) * (1 / total)
            if full:
                column = spread @ q
                mean = mean + pull * column
                spread = spread - np.multiply.outer(shrink * column, q)
                log_det += narrowing if narrowing > NARROWEST else -math.inf
            else:
                mean = mean + pull * spread * x
                spread = herd_variance(spread, x * x, variance, self._strength, self._herding)
        outcome = self._outcome(predicting, mean, self.model.forward(predicting, x), y, before=before)
        self._keep(mean, spread, log_det)
        return replace(outcome, after=self._make_belief())

    def entropy(self) -> float:
        """Differential entropy of the belief, in nats."""
        log_det = self._log_det
        if self.covariance == "diagonal":
            with np.errstate(divide="ignore"):
                log_det = 0.5 * float(np.log(self.spread).sum())
        return 0.5 * self.dim * math.log(2 * math.pi * math.e) + log_det

    def _block(self, kernel: Kernel) -> Predictions | None:
        mean, spread, log_det = self.mean.copy(), self.spread.copy(), np.array([self._log_det])
        settings = (self._strength, self._herding, self.predicting == "sample")
        predictions = kernel(f"herd_{self.covariance}", (mean, spread, log_det), *settings)
        self._keep(mean, spread, float(log_det[0]))
        return predictions

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """A score of label 1 for each row: the logistic function of its margin, not a calibrated probability."""
        return super().predict_proba(X, rng)


class AROW(HerdLearner):
    """AROW: move as little as possible while the margin and the confidence in the input grow.

    With v = xᵀΣx, β = 1/(v + r) and hinge loss h: ``mean + h β y Σx`` and ``Σ − β Σx xᵀΣ``.

    Parameters
    ----------
    features
        Number of features of an example.
    model
        `Logistic`, the only one it can learn; it need not be named.
    r
        Regularisation: the larger, the smaller each move.
    std
        Initial standard deviation of each weight.
    covariance
        ``"full"``, or ``"diagonal"``, which keeps the diagonal of each update.
    predicting
        In each round by the ``"mean"`` or by a ``"sample"``.
    """

    def __init__(
        self,
        features: int,
        model: Logistic | None = None,
        *,
        r: float = 10.0,
        std: float = 1.0,
        covariance: str = "full",
        predicting: str = "mean",
    ) -> None:
        self.r = check.positive_number("r", r)
        super().__init__(features, model, self.r, std, covariance, predicting)


class NHERD(HerdLearner):
    """NHERD: a linear map of the weights that lowers the loss of the input and disturbs the distribution little.

    With v = xᵀΣx and hinge loss h: ``mean + h y Σx / (v + 1/C)`` and ``A = I − C Σx xᵀ/(1 + C v)``, ``Σ' = A Σ Aᵀ``.

    Parameters
    ----------
    features, model, std, predicting
        As for `AROW`.
    C
        Strength: the larger, the larger each move.
    covariance
        ``"full"``, or ``"diagonal"``, which lets A act on each weight by itself.
    """

    _herding = True

    def __init__(
        self,
        features: int,
        model: Logistic | None = None,
        *,
        C: float = 1.0,
        std: float = 1.0,
        covariance: str = "full",
        predicting: str = "mean",
    ) -> None:
        self.C = check.positive_number("C", C)
        super().__init__(features, model, self.C, std, covariance, predicting)
