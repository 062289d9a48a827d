"""AROW (Crammer, Kulesza and Dredze, 2009) and NHERD, Gaussian herding (Crammer and Lee, 2010).

NHERD is the nearest ancestor of belief flows. Both keep a Gaussian over the weights that moves when a margin falls
below 1. Its covariance is kept as a factor S: both updates are S' = S − c (S q) qᵀ with q = Sᵀx, with a different c.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.learners.base import Labels, Learner, Predictions, Round, finite, normals
from bflo_viz.learners.rows import Block
from bflo_viz.models import Logistic


class ConfidenceLearner(Learner):
    """Logistic regression with a Gaussian N(mean, S Sᵀ) that each label moves by a change of rank one.

    The factor S is a matrix or, of independent weights, the vector of their standard deviations.
    """

    kind: int  # of `bflo_viz.kernels.confidence_update`
    predicting = "mean"
    process_noise = 0.0

    def __init__(self, model: Any, mean: Floats, factor: Floats, strength: float = 0.0) -> None:
        if model is not None and not isinstance(model, Logistic):
            raise ValueError(
                f"model must be Logistic() for {type(self).__name__}: it cannot learn a network, "
                "but BeliefFlow, SGD, Dropout and Langevin can."
            )
        super().__init__(Logistic(), mean.size)
        self._prior, self._strength = (mean, factor), strength
        self.reset()

    def reset(self) -> None:
        """Forget everything: back to the prior."""
        self._keep(*(array.copy() for array in self._prior))
        self.rounds = 0

    def _keep(self, mean: Floats, factor: Floats) -> None:
        self.mean, self.factor = finite("belief", mean), finite("belief", factor)

    @property
    def belief(self) -> Belief:
        """Gaussian over the weights."""
        return self._maker()()

    def _maker(self) -> Callable[[], Belief]:
        """Return what makes the belief of now when somebody asks: that costs more than a round."""
        return partial(DiagonalBelief if self.factor.ndim == 1 else FullBelief.from_factor, self.mean, self.factor)

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the mean, or a sample."""
        return self.mean if rng is None else self._weight(rng.standard_normal(self.dim))

    def _weight(self, z: Floats) -> Floats:
        return self.mean + (self.factor * z if self.factor.ndim == 1 else self.factor @ z)

    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Do one round: predict, look at the label, and move the Gaussian."""
        x, y = self.example(x, y, rng)
        before, mean, S = self._maker(), self.mean, self.factor
        full = S.ndim == 2
        w = self._weight(normals(rng, (x != 0) | full)) if self.predicting == "sample" else mean
        prediction = self.model.forward(w, x)
        if self.process_noise > 0:  # Σ + Q I
            drift = self.process_noise
            S = np.asarray(np.linalg.cholesky(S @ S.T + drift * np.eye(self.dim)) if full else np.sqrt(S * S + drift))
        q = S.T @ x if full else S * x
        v = float(q @ q)
        if v > 0:
            gain, c, power = kernels.confidence_update(self.kind, y, float(mean @ x), v, self._strength)
            g = S @ q if full else S * q  # Σx
            mean = mean + gain * g
            if full:
                S = S - np.multiply.outer(c * g, q)
            elif gain or c:
                S = kernels.confidence_std(self.kind, S, q, v, power)
        self._keep(mean, S)
        return self.outcome(w, mean, prediction, y, before=before, after=self._maker())

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions:
        """Do a block of rounds compiled."""
        mean, factor = self.mean.copy(), self.factor.copy()
        settings = self.kind, self._strength, 1, self.predicting == "sample", self.process_noise, False, 0.0, 1.0
        if factor.ndim == 2:
            predictions = self.by_pass("full_pass", [mean, factor, np.empty((0, 0))], rows, y, rng, settings)
        else:
            predictions = self.by_pass("diagonal_pass", [mean, factor], rows, y, rng, settings)
        self._keep(mean, factor)
        return predictions

    def entropy(self) -> float:
        """Return the differential entropy of the belief, in nats."""
        volume = np.log(self.factor).sum() if self.factor.ndim == 1 else np.linalg.slogdet(self.factor)[1]
        return float(0.5 * self.dim * math.log(2 * math.pi * math.e) + volume)


class _Margin(ConfidenceLearner):
    """A learner that a margin of the mean below 1 moves."""

    def __init__(
        self, features: int, model: Any, strength: float, std: float, covariance: str, predicting: str
    ) -> None:
        self.std, features = check.positive_number("std", std), check.positive_int("features", features)
        self.covariance = check.choice("covariance", covariance, ("full", "diagonal"))
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        factor = self.std * np.eye(features) if covariance == "full" else np.full(features, self.std)
        super().__init__(model, np.zeros(features), factor, strength)


class AROW(_Margin):
    """AROW: move as little as possible while the margin and the confidence in the input grow.

    With v = xᵀΣx, β = 1/(v + r) and hinge loss h: ``mean + h β y Σx`` and ``Σ − β Σx xᵀΣ``. The larger ``r``, the
    smaller each move. A ``"diagonal"`` covariance keeps the diagonal of each update. In each round the ``"mean"`` or
    a ``"sample"`` predicts; the score of label 1 is the logistic function of the margin, not a calibrated
    probability.
    """

    kind = kernels.AROW

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


class NHERD(_Margin):
    """NHERD: a linear map of the weights that lowers the loss of the input and disturbs the distribution little.

    With v = xᵀΣx and hinge loss h: ``mean + h y Σx / (v + 1/C)`` and ``A = I − C Σx xᵀ/(1 + C v)``, ``Σ' = A Σ Aᵀ``.
    The larger ``C``, the larger each move. A ``"diagonal"`` covariance lets A act on each weight by itself.
    """

    kind = kernels.NHERD

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
