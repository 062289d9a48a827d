"""AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze, 2009)."""

import math

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners.herd import HerdLearner
from bflo_viz.models import Logistic


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

    _herding = False

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
        self.r = float(check.positive("r", check.scalar("r", r)))
        super().__init__(features, model, std=std, covariance=covariance, predicting=predicting)

    @property
    def strength(self) -> float:
        """What the kernels call ``r``."""
        return self.r

    def _pull(self, variance: float) -> tuple[float, float, float]:
        # I − β q qᵀ = (I − c q qᵀ)², so that 1 − c v is the root of r/(v + r)
        total = variance + self.strength
        shrink = (1 - math.sqrt(self.strength / total)) / variance
        return 1 / total, shrink, -0.5 * math.log1p(variance / self.strength)

    def _diagonal(self, variances: Floats, squares: Floats, variance: float) -> Floats:
        # variances − (variances x)²/(v + r), without cancelling
        rest = np.maximum(variance - variances * squares, 0)
        return np.asarray(variances * (self.strength + rest) / (variance + self.strength))
