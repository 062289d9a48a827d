"""Local flows: how one sampled weight moves. Any callable ``(w, gradient) -> w_new`` will do."""

from dataclasses import dataclass, field

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners.base import probability


@dataclass(eq=False)
class GradientStep:
    """Plain gradient descent, ``w − eta gradient``: the paper's local flow."""

    eta: float = 1e-3

    def __post_init__(self) -> None:
        self.eta = check.scalar("eta", self.eta, least=0.0)

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return the weight after its step."""
        return w - self.eta * gradient


@dataclass(eq=False)
class Momentum(GradientStep):
    """Heavy-ball momentum: the step is the last one times ``decay``, less ``eta`` times the gradient.

    The samples of successive rounds differ, but share their velocity.
    """

    decay: float = 0.9
    velocity: Floats | float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.decay = probability("decay", self.decay)

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return the weight after its step."""
        self.velocity = self.decay * self.velocity - self.eta * gradient
        return w + self.velocity


@dataclass(eq=False)
class Adam(GradientStep):
    """Adam (Kingma and Ba): steps scaled by running moments of the gradient, shared by the samples of all rounds."""

    decay: float = 0.9
    square_decay: float = 0.999
    epsilon: float = 1e-8
    steps: int = field(default=0, repr=False)
    first: Floats | float = field(default=0.0, repr=False)
    second: Floats | float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.epsilon = check.positive_number("epsilon", self.epsilon)
        for name in ("decay", "square_decay"):
            setattr(self, name, probability(name, getattr(self, name)))

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return the weight after its step."""
        self.steps += 1
        self.first = self.decay * self.first + (1 - self.decay) * gradient
        self.second = self.square_decay * self.second + (1 - self.square_decay) * gradient**2
        mean = self.first / (1 - self.decay**self.steps)
        scale = np.sqrt(self.second / (1 - self.square_decay**self.steps))
        return w - self.eta * mean / (scale + self.epsilon)
