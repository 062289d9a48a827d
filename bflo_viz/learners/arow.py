"""AROW (Crammer, Kulesza and Dredze, 2009) and NHERD, Gaussian herding (Crammer and Lee, 2010).

NHERD is the nearest ancestor of belief flows. Both keep a Gaussian over the weights that moves when a margin falls
below 1. Its covariance is kept as a factor S: both updates are S' = S − c (S q) qᵀ with q = Sᵀx, with a different c.
"""

import copy
from typing import Any

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief
from bflo_viz.learners.base import Labels, Learner, Predictions, normals
from bflo_viz.learners.rows import Block
from bflo_viz.models import Logistic


class ConfidenceLearner(Learner):
    """Logistic regression with a Gaussian belief, full or diagonal, that each label moves by a change of rank one."""

    kind: int  # of `bflo_viz.kernels.confidence_update`
    predicting = "mean"
    process_noise = 0.0

    def __init__(self, belief: Belief, strength: float = 0.0) -> None:
        if not isinstance(belief, FullBelief | DiagonalBelief):
            raise ValueError(f"belief must be a FullBelief or a DiagonalBelief, but it was {check.short(belief)}.")
        super().__init__(Logistic(), belief.dim, prior=belief)
        self._strength = strength

    def weights_of_round(self, x: Floats, rng: RNG) -> Floats:
        """Return the mean or, if a sample predicts, that which the pass will draw."""
        if self.predicting == "mean":
            return self.belief.mean
        movable = (x != 0) | isinstance(self.belief, FullBelief)
        return self.belief.weight(normals(copy.deepcopy(rng), movable))

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions:
        """Do a block of rounds compiled."""
        settings = self.kind, self._strength, 1, self.predicting == "sample", self.process_noise, False, 0.0, 1.0
        return self.move_belief(rows, y, rng, settings, inverse=False)


class AROW(ConfidenceLearner):
    """AROW: move as little as possible while the margin and the confidence in the input grow.

    With v = xᵀΣx, β = 1/(v + r) and hinge loss h: ``mean + h β y Σx`` and ``Σ − β Σx xᵀΣ``. The larger ``r``, the
    smaller each move. A ``"diagonal"`` covariance keeps the diagonal of each update. In each round the ``"mean"`` or
    a ``"sample"`` predicts; the score of label 1 is the logistic function of the margin, not a calibrated
    probability.
    """

    kind = kernels.AROW

    def __init__(
        self, features: int, *, r: float = 10.0, std: float = 1.0, covariance: str = "full", predicting: str = "mean"
    ) -> None:
        self.r = check.positive_number("r", r)
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        super().__init__(_prior(features, std, covariance), self.r)


class NHERD(ConfidenceLearner):
    """NHERD: a linear map of the weights that lowers the loss of the input and disturbs the distribution little.

    With v = xᵀΣx and hinge loss h: ``mean + h y Σx / (v + 1/C)`` and ``A = I − C Σx xᵀ/(1 + C v)``, ``Σ' = A Σ Aᵀ``.
    The larger ``C``, the larger each move. A ``"diagonal"`` covariance lets A act on each weight by itself.
    """

    kind = kernels.NHERD

    def __init__(
        self, features: int, *, C: float = 1.0, std: float = 1.0, covariance: str = "full", predicting: str = "mean"
    ) -> None:
        self.C = check.positive_number("C", C)
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        super().__init__(_prior(features, std, covariance), self.C)


def _prior(features: int, std: float, covariance: str) -> Belief:
    kind = FullBelief if check.choice("covariance", covariance, ("full", "diagonal")) == "full" else DiagonalBelief
    return kind.for_model(Logistic(), std, features)
