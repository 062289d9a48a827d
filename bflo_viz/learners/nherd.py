"""NHERD, Gaussian herding (Crammer and Lee, 2010): the nearest ancestor, a linear flow for a large margin."""

import math

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners.herd import HerdLearner
from bflo_viz.models import Logistic

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

    _herding = True

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
        self.C = float(check.positive("C", check.scalar("C", C)))
        self.form = check.choice("form", form, _FORMS)
        self._form = 1 + _FORMS.index(form)
        super().__init__(features, model, std=std, covariance=covariance, predicting=predicting)

    @property
    def strength(self) -> float:
        """What the kernels call ``C``."""
        return self.C

    def _pull(self, variance: float) -> tuple[float, float, float]:
        C = self.strength
        return 1 / (variance + 1 / C), C / (1 + C * variance), -math.log1p(C * variance)

    def _diagonal(self, variances: Floats, squares: Floats, variance: float) -> Floats:
        C = self.strength
        if self.form == "exact":
            return variances / np.square(1 + C * squares * variances)
        gain = 2 * C + C * C * variance
        if self.form == "project":
            return variances / (1 + gain * squares * variances)
        # variances − gain (variances x)²/(1 + C v)², without cancelling: (1 + C v)² = 1 + gain v
        rest = np.maximum(variance - variances * squares, 0)
        return np.asarray(variances * (1 + gain * rest) / np.square(1 + C * variance))
