"""Local flows: how one sampled weight moves. Any callable ``(w, gradient) -> w_new`` will do.

The rate of this one falls like eta/√t:

>>> class FallingRate(GradientStep):
...     steps = 0
...
...     def __call__(self, w, gradient):
...         self.steps += 1
...         return w - self.eta / self.steps**0.5 * gradient
>>> flow = FallingRate(0.6)
>>> [round(flow(0, 1), 2) for _ in range(4)]
[-0.6, -0.42, -0.35, -0.3]
"""

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats


class GradientStep:
    """Plain gradient descent, ``w − eta gradient``: the paper's local flow.

    Kernels have the same line compiled. A subclass, or any other local flow, is run step by step.
    """

    def __init__(self, eta: float = 1e-3) -> None:
        self.eta = check.scalar("eta", eta, least=0.0)

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return the weight after its step."""
        return w - self.eta * gradient


class Momentum(GradientStep):
    """Heavy-ball momentum: the step is the last one times ``decay``, minus ``eta`` times the gradient.

    The samples of successive rounds differ, but share their velocity.
    """

    def __init__(self, eta: float = 1e-3, decay: float = 0.9) -> None:
        super().__init__(eta)
        self.decay, self.velocity = check.probability("decay", decay), np.zeros(())

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return the weight after its step."""
        self.velocity = self.decay * self.velocity - self.eta * gradient
        return w + self.velocity
