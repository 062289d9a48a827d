"""The extended Kalman filter of logistic regression: the Bayesian filter of the paper's Figure 1b, for its own model.

In each round the weights drift by the process noise Q, and the label is taken for a Gaussian observation whose mean
p = sigmoid(m·x) is linearised at the mean m of the belief, and whose variance is r = p (1 − p). With v = xᵀΣx,

    m' = m + Σx (y − p)/(1 + r v),    Σ' = Σ − Σx xᵀΣ r/(1 + r v),

which is AROW's change of rank one with a different gain. There is no learning rate; the filter needs a likelihood
where a flow needs only a gradient. It is the linearised update of BONG (Jones, Chang and Murphy, 2024), too.
"""

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz.beliefs import DiagonalBelief, FullBelief
from bflo_viz.learners.arow import ConfidenceLearner


class Kalman(ConfidenceLearner):
    """Extended Kalman filter of logistic regression; the mean predicts.

    The ``belief`` is the prior. A `FullBelief` is filtered as above. A `DiagonalBelief` takes the same mean, and the
    diagonal of the new precision, ``1/σ'² = 1/σ² + r x²``, so weights of zero inputs drift. By ``process_noise``,
    the variance Q, each weight drifts before each round; 0 is for a world that stands still.
    """

    kind = kernels.KALMAN

    def __init__(self, belief: FullBelief | DiagonalBelief, *, process_noise: float = 0.0) -> None:
        self.process_noise = check.scalar("process_noise", process_noise, least=0.0)
        super().__init__(belief)
