"""What AROW and NHERD share: a Gaussian over weights that moves when a margin falls below 1.

A full covariance is kept as a factor S. Both updates are S' = S − c (S q) qᵀ with q = Sᵀx, and differ in c only.
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
from bflo_viz.learners.base import Block, Labels, Learner, Round, normals
from bflo_viz.learners.rows import Rows
from bflo_viz.models import MLP, Logistic


class HerdLearner(Learner):
    """A linear classifier with a Gaussian belief over its weights; a margin of the mean below 1 moves it."""

    _herding: bool  # NHERD rather than AROW, for the kernels
    _form = 0  # which diagonal update, for the kernels

    def __init__(self, features: int, model: Any, *, std: float, covariance: str, predicting: str) -> None:
        if isinstance(model, MLP):
            raise ValueError(
                f"{type(self).__name__} cannot learn a network: it is for logistic regression; "
                "BeliefFlow, SGD, Dropout and Langevin can."
            )
        super().__init__(Logistic() if model is None else model, features)
        self.std = float(check.positive("std", check.scalar("std", std)))
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

    @property
    @abstractmethod
    def strength(self) -> float:
        """AROW's r, NHERD's C."""

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

    def _block(self, rows: Rows, start: int, stop: int, y: Labels, rng: np.random.Generator) -> Block:
        mean, spread, log_det = self.mean.copy(), self.spread.copy(), np.array([self._log_det])
        full, by_sample = self.covariance == "full", self.predicting == "sample"
        name, kind = ("herd_full", self._herding) if full else ("herd_diagonal", self._form)
        state = (mean, spread, log_det) if full else (mean, spread)
        block = self._compiled(name, state, rows, start, stop, y, rng, self.strength, kind, by_sample)
        self._keep(mean, spread, float(log_det[0]))
        return block

    def predict_proba(self, X: Any, rng: RNG | None = None) -> Floats:
        """A score of label 1 for each row: the logistic function of its margin, not a calibrated probability."""
        return super().predict_proba(X, rng)
