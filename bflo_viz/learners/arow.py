"""AROW (Crammer, Kulesza and Dredze, 2009), NHERD (Crammer and Lee, 2010), and the extended Kalman filter.

NHERD, or Gaussian herding, is the nearest ancestor of belief flows; the filter is the Bayesian one of the paper's
Figure 1b, for its own model. All three keep a Gaussian over the weights, with a factor S of its covariance that each
label changes by rank one: S' = S − a (S q) qᵀ with q = Sᵀx, where the number ``a`` is what tells them apart.
"""

import copy
from typing import Any

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import DiagonalBelief, FullBelief
from bflo_viz.learners.base import Labels, Learner, Predictions
from bflo_viz.learners.rows import Block
from bflo_viz.models import Logistic


class GaussianLearner(Learner):
    """Logistic regression with a Gaussian belief that each label changes by rank one."""

    kind: int  # of `bflo_viz.kernels.observe`
    predicting = "mean"
    process_noise = 0.0

    def __init__(self, belief: FullBelief | DiagonalBelief, strength: float = 0.0) -> None:
        self._strength = strength
        super().__init__(Logistic(), belief.dim, prior=belief)

    def weights_of_round(self, rng: RNG) -> Floats:
        """Return the mean or, if a sample predicts, that which the pass will draw."""
        return self.weights_for_prediction(None if self.predicting == "mean" else copy.deepcopy(rng))

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions:
        """Do a block of rounds compiled."""
        settings = self.kind, self._strength, 1, self.predicting == "sample", self.process_noise, False, 0.0, 1.0
        return self.move_belief(rows, y, rng, settings, inverse=False)


class AROW(GaussianLearner):
    """AROW: move as little as possible while the margin and the confidence in the input grow.

    With v = xᵀΣx, β = 1/(v + r) and hinge loss h: ``mean + h β y Σx`` and ``Σ − β Σx xᵀΣ``. The larger ``r``, the
    smaller each move. In each round the ``"mean"`` or a ``"sample"`` predicts; the score of label 1 is the logistic
    function of the margin, not a calibrated probability.
    """

    kind = kernels.AROW

    def __init__(self, features: int, *, r: float = 10.0, std: float = 1.0, predicting: str = "mean") -> None:
        self.r = check.positive_number("r", r)
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        super().__init__(FullBelief.for_model(Logistic(), std, features), 1 / self.r)


class NHERD(GaussianLearner):
    """NHERD: a linear map of the weights that lowers the loss of the input, but disturbs the distribution little.

    With v = xᵀΣx and hinge loss h: ``mean + h y Σx / (v + 1/C)`` and ``A = I − C Σx xᵀ/(1 + C v)``, ``Σ' = A Σ Aᵀ``.
    The larger ``C``, the larger each move. It predicts as `AROW` does.
    """

    kind = kernels.NHERD

    def __init__(self, features: int, *, C: float = 1.0, std: float = 1.0, predicting: str = "mean") -> None:
        self.C = check.positive_number("C", C)
        self.predicting = check.choice("predicting", predicting, ("mean", "sample"))
        super().__init__(FullBelief.for_model(Logistic(), std, features), self.C)


class Kalman(GaussianLearner):
    """Extended Kalman filter of logistic regression, as in BONG (Jones, Chang and Murphy, 2024); the mean predicts.

    The label is treated as a Gaussian observation whose mean p = sigmoid(m·x) is linearised at the mean m of the
    belief, and whose variance is r = p (1 − p). With v = xᵀΣx: ``m + Σx (y − p)/(1 + r v)`` and
    ``Σ − Σx xᵀΣ r/(1 + r v)``. It needs no learning rate, but a likelihood, whereas a flow needs only a gradient.

    The ``belief`` is the prior. A `DiagonalBelief` takes the same mean, and the diagonal of the new precision,
    ``1/σ² + r x²``. Before each round every weight drifts by the variance ``process_noise``; 0 is for a world that
    stands still.
    """

    kind = kernels.KALMAN

    def __init__(self, belief: FullBelief | DiagonalBelief, *, process_noise: float = 0.0) -> None:
        if not isinstance(belief, FullBelief | DiagonalBelief):
            raise ValueError(f"belief must be a FullBelief or a DiagonalBelief, but it was {check.short(belief)}.")
        self.process_noise = check.scalar("process_noise", process_noise, least=0.0)
        super().__init__(belief)
