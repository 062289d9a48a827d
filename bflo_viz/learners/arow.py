"""AROW (Crammer, Kulesza and Dredze, 2009) and NHERD, Gaussian herding (Crammer and Lee, 2010).

NHERD is the nearest ancestor of belief flows. Both keep a Gaussian over the weights that moves when a margin falls
below 1. A full covariance is kept as a factor S: both updates are S' = S − c (S q) qᵀ with q = Sᵀx, with another c.
"""

import copy
import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.kernels.logistic import NARROWEST
from bflo_viz.learners.base import Block, Learner, Predictions, Round, normals
from bflo_viz.models import MLP, Logistic


class HerdLearner(Learner):
    """A linear classifier with a Gaussian belief over its weights; a margin of the mean below 1 moves it."""

    _strength: str  # name of the setting that the kernels call so: AROW's r, NHERD's C
    _form = 0  # which diagonal update, for the kernels

    def __init__(self, features: int, model: Any, *, std: float, covariance: str, predicting: str) -> None:
        if isinstance(model, MLP):
            raise ValueError(
                f"{type(self).__name__} cannot learn a network: it is for logistic regression; "
                "BeliefFlow, SGD, Dropout and Langevin can."
            )
        super().__init__(Logistic() if model is None else model, features)
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
    def belief(self) -> FullBelief | DiagonalBelief:
        """The Gaussian over the weights."""
        if self.covariance == "full":
            return FullBelief.from_factor(self.mean, self.spread)
        return DiagonalBelief(self.mean, np.sqrt(np.maximum(self.spread, np.finfo(np.float64).tiny)))

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The mean, or a sample."""
        return self.mean if rng is None else self._at(rng.standard_normal(self.dim))

    def _at(self, z: Floats) -> Floats:
        return self.mean + (self.spread @ z if self.covariance == "full" else np.sqrt(self.spread) * z)

    @abstractmethod
    def _pull(self, variance: float) -> tuple[float, float, float]:
        """How far along Σx the mean moves for each unit of hinge loss, c of the factor's update, and log(1 − c v)."""

    @abstractmethod
    def _diagonal(self, variances: Floats, squares: Floats, variance: float) -> Floats:
        """New variances of a diagonal covariance; ``squares`` are those of the inputs."""

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        before, predicting = self._snapshot(), self.mean
        if self.predicting == "sample":
            predicting = self._at(normals(rng, (x != 0) | (self.covariance == "full")))
        margin, side = float(self.mean @ x), 2 * y - 1
        q = self.spread.T @ x if self.covariance == "full" else np.sqrt(self.spread) * x
        variance = float(q @ q)
        mean, spread, log_det = self.mean, self.spread, self._log_det
        if margin * side < 1 and variance > 0:
            pull, shrink, narrowing = self._pull(variance)
            hinge = 1 - margin * side
            if self.covariance == "full":
                column = spread @ q
                mean = mean + side * hinge * pull * column
                spread = spread - np.multiply.outer(shrink * column, q)
                log_det += narrowing if narrowing > NARROWEST else -math.inf
            else:
                mean = mean + side * hinge * pull * spread * x
                spread = self._diagonal(spread, x * x, variance)
        outcome = self._outcome(predicting, mean, self.model.forward(predicting, x), y, before=before)
        self._keep(mean, spread, log_det)
        return replace(outcome, after=self._snapshot())

    def _snapshot(self) -> Callable[[], Belief]:
        """The belief of now, to be made when somebody asks: it costs more than the round."""
        now = copy.copy(self)  # arrays are replaced in each round, never changed
        return partial(getattr, now, "belief")

    def entropy(self) -> float:
        """Differential entropy of the belief, in nats."""
        log_det = self._log_det
        if self.covariance == "diagonal":
            with np.errstate(divide="ignore"):
                log_det = 0.5 * float(np.log(self.spread).sum())
        return 0.5 * self.dim * math.log(2 * math.pi * math.e) + log_det

    def _block(self, block: Block) -> Predictions | None:
        mean, spread, log_det = self.mean.copy(), self.spread.copy(), np.array([self._log_det])
        full, by_sample = self.covariance == "full", self.predicting == "sample"
        name, kind = ("herd_full", self._strength == "C") if full else ("herd_diagonal", self._form)
        state = (mean, spread, log_det) if full else (mean, spread)
        predictions = self._compiled(name, state, block, getattr(self, self._strength), kind, by_sample)
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

    _strength = "r"

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
        super().__init__(features, model, std=std, covariance=covariance, predicting=predicting)

    def _pull(self, variance: float) -> tuple[float, float, float]:
        # I − β q qᵀ = (I − c q qᵀ)², so that 1 − c v is the root of r/(v + r)
        total = variance + self.r
        shrink = (1 - math.sqrt(self.r / total)) / variance
        return 1 / total, shrink, -0.5 * math.log1p(variance / self.r)

    def _diagonal(self, variances: Floats, squares: Floats, variance: float) -> Floats:
        # variances − (variances x)²/(v + r), without cancelling
        rest = np.maximum(variance - variances * squares, 0)
        return np.asarray(variances * (self.r + rest) / (variance + self.r))


_FORMS = ("exact", "project", "drop")


class NHERD(HerdLearner):
    """NHERD: a linear map of the weights that lowers the loss of the input and disturbs the distribution little.

    With v = xᵀΣx and hinge loss h: ``mean + h y Σx / (v + 1/C)`` and ``A = I − C Σx xᵀ/(1 + C v)``, ``Σ' = A Σ Aᵀ``.

    Parameters
    ----------
    features
        Number of features of an example.
    model
        `Logistic`, the only one it can learn; it need not be named.
    C
        Strength: the larger, the larger each move.
    std
        Initial standard deviation of each weight.
    covariance
        ``"full"`` or ``"diagonal"``.
    form
        What a diagonal covariance keeps: the ``"exact"`` diagonal flow, the least-KL projection of the full update
        (``"project"``), or its diagonal (``"drop"``).
    predicting
        In each round by the ``"mean"`` or by a ``"sample"``.
    """

    _strength = "C"

    def __init__(
        self,
        features: int,
        model: Logistic | None = None,
        *,
        C: float = 1.0,
        std: float = 1.0,
        covariance: str = "full",
        form: str = "exact",
        predicting: str = "mean",
    ) -> None:
        self.C = check.positive_number("C", C)
        self.form = check.choice("form", form, _FORMS)
        self._form = 1 + _FORMS.index(form)
        super().__init__(features, model, std=std, covariance=covariance, predicting=predicting)

    def _pull(self, variance: float) -> tuple[float, float, float]:
        C = self.C
        return 1 / (variance + 1 / C), C / (1 + C * variance), -math.log1p(C * variance)

    def _diagonal(self, variances: Floats, squares: Floats, variance: float) -> Floats:
        C = self.C
        if self.form == "exact":
            return variances / np.square(1 + C * squares * variances)
        gain = 2 * C + C * C * variance
        if self.form == "project":
            return variances / (1 + gain * squares * variances)
        # variances − gain (variances x)²/(1 + C v)², without cancelling: (1 + C v)² = 1 + gain v
        rest = np.maximum(variance - variances * squares, 0)
        return np.asarray(variances * (1 + gain * rest) / np.square(1 + C * variance))
