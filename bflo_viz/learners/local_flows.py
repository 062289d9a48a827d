"""Local flows: how one sampled weight moves. Any callable ``(w, gradient) -> w_new`` will do."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners.base import probability


@dataclass(frozen=True, eq=False)
class GradientStep:
    """Plain gradient descent, ``w − eta gradient``: the paper's local flow."""

    eta: float = 1e-3

    def __post_init__(self) -> None:
        """Check the rate."""
        object.__setattr__(self, "eta", check.scalar("eta", self.eta, least=0.0))

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Return itself: it has no state, so a copy would only cost time."""
        return self

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return where the weight goes."""
        return w - self.eta * gradient


@dataclass(eq=False)
class Momentum:
    """Heavy-ball momentum: the step is the last one times ``decay``, less ``eta`` times the gradient.

    The samples of successive rounds differ, but share their velocity.
    """

    eta: float = 1e-3
    decay: float = 0.9
    velocity: Floats | float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        """Check the rates."""
        self.eta, self.decay = check.scalar("eta", self.eta, least=0.0), probability("decay", self.decay)

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return where the weight goes."""
        self.velocity = self.decay * self.velocity - self.eta * gradient
        return w + self.velocity


@dataclass(eq=False)
class Adam:
    """Adam (Kingma and Ba): steps scaled by running moments of the gradient, shared by the samples of all rounds."""

    eta: float = 1e-3
    decay: float = 0.9
    square_decay: float = 0.999
    epsilon: float = 1e-8
    steps: int = field(default=0, repr=False)
    first: Floats | float = field(default=0.0, repr=False)
    second: Floats | float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        """Check the rates."""
        self.eta = check.scalar("eta", self.eta, least=0.0)
        self.epsilon = check.positive_number("epsilon", self.epsilon)
        self.decay, self.square_decay = (
            probability("decay", self.decay),
            probability("square_decay", self.square_decay),
        )

    def __call__(self, w: Floats, gradient: Floats) -> Floats:
        """Return where the weight goes."""
        self.steps += 1
        self.first = self.decay * self.first + (1 - self.decay) * gradient
        self.second = self.square_decay * self.second + (1 - self.square_decay) * gradient**2
        mean = self.first / (1 - self.decay**self.steps)
        scale = np.sqrt(self.second / (1 - self.square_decay**self.steps))
        return w - self.eta * mean / (scale + self.epsilon)
