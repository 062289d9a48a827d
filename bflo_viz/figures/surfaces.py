"""Three loss surfaces of two weights: their examples, the step on one example, and what Bayes' rule says."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz._checks import Floats

REACH = 50.0  # no step leads further than this from 0 along any weight: what diverges stays a number
DISTANCES = (0.25, *(0.5 * k for k in range(1, 13)))  # of the lines of equal loss, which is ½ distance²
NODES = 401  # where a side of the double well's posterior is integrated, by the trapezoid rule
WIDE = 9.0  # standard deviations to either side: what lies beyond is no more than rounding


class Filtered(NamedTuple):
    """Moments of the posterior by Bayes' rule, before the first example and after each.

    Where its two sides are alike, ``hill_mean`` and ``hill_std`` are the mean and the standard deviations of what
    lies on the right.
    """

    mean: Floats  # (rounds + 1, 2)
    covariance: Floats  # (rounds + 1, 2, 2)
    hill_mean: Floats | None = None  # (rounds + 1, 2)
    hill_std: Floats | None = None


@dataclass(frozen=True, eq=False)
class Surface(ABC):
    """A loss surface: the expected loss of noisy examples."""

    optima: Floats  # the lowest points, as rows
    noise: float  # standard deviation of what an example tells
    eta: float  # learning rate of gradient descent and of the belief flow
    low: tuple[float, float]  # corners of the part that is shown
    high: tuple[float, float]

    @property
    def two_wells(self) -> bool:
        """True if there are two lowest points, on the left and on the right."""
        return len(self.optima) == 2

    def with_optimum(self, w: Floats) -> Self:
        """Return the surface with its lowest point elsewhere; a second one is on the other side."""
        both = np.array([[abs(w[0]), w[1]], [-abs(w[0]), w[1]]])
        return replace(self, optima=both if self.two_wells else w[None])

    def numbers(self) -> dict[str, Any]:
        """Return what a page has to know of it."""
        return {name: np.asarray(value).tolist() for name, value in vars(self).items()}

    def away(self, w: ArrayLike) -> Floats:
        """Return the distance of weights, shape (..., 2), from the nearest optimum."""
        apart = np.asarray(w)[..., None, :] - self.optima
        return np.asarray(np.linalg.norm(apart, axis=-1).min(axis=-1))

    @abstractmethod
    def loss(self, w: ArrayLike) -> Floats:
        """Return the expected loss at weights, shape (..., 2)."""

    @abstractmethod
    def gradient(self, w: Floats, example: Floats) -> Floats:
        """Return the slope of the loss of one example at weights, shape (..., 2)."""

    def step(self, w: Floats, example: Floats) -> Floats:
        """Return where a gradient step on the loss of one example takes each of the weights, shape (..., 2)."""
        return np.asarray(np.clip(w - self.eta * self.gradient(w, example), -REACH, REACH))


@dataclass(frozen=True, eq=False)
class Regression(Surface):
    """Linear regression: an example is ``(x, y)`` with ``y = optimum @ x`` and noise; its loss ½ (w @ x − y)²."""

    factor: NDArray[np.floating]  # a lower triangle that makes inputs of normal numbers

    @property
    def moments(self) -> Floats:
        """The matrix E[x xᵀ]: the steepness of the surface along each direction."""
        return np.asarray(self.factor @ self.factor.T)

    def stream(self, normals: Floats) -> Floats:
        """Return examples as rows (x₁, x₂, y)."""
        X = normals[:, :2] @ self.factor.T
        return np.column_stack([X, X @ self.optima[0] + self.noise * normals[:, 2]])

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """Return (w @ x − y) x."""
        x, y = example[:2], example[2]
        return np.asarray(np.multiply.outer(w @ x - y, x))

    def loss(self, w: ArrayLike) -> Floats:
        """Return ½ E[(w @ x − optimum @ x)²]."""
        away = np.asarray(w) - self.optima[0]
        return np.asarray(0.5 * np.einsum("...i,ij,...j", away, self.moments, away))

    def filter(self, examples: Floats, std: float) -> Filtered:
        """Return the posteriors, Gaussians to which every example adds its precision."""
        X, y = examples[:, :2], examples[:, 2]
        gains = np.cumsum(np.einsum("ni,nj->nij", X, X), axis=0) / self.noise**2
        natural = np.cumsum(X * y[:, None], axis=0) / self.noise**2
        covariance = np.linalg.inv(np.eye(2) / std**2 + np.concatenate([np.zeros((1, 2, 2)), gains]))
        mean = np.vstack([np.zeros(2), np.einsum("nij,nj->ni", covariance[1:], natural)])
        return Filtered(mean, covariance)


@dataclass(frozen=True, eq=False)
class DoubleWell(Surface):
    """A sign that nothing tells: an example is (w₁²/4, w₂) of an optimum and noise; its loss ½ |(w₁²/4, w₂) − y|²."""

    @property
    def target(self) -> Floats:
        """Mean of the examples, the same for both optima."""
        return _folded(self.optima[0])

    def stream(self, normals: Floats) -> Floats:
        """Return examples as rows (y₁, y₂)."""
        return self.target + self.noise * normals[:, :2]

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """Return (w₁²/4 − y₁) w₁/2 along the first weight, w₂ − y₂ along the second."""
        wrong = _folded(w) - example
        return np.stack([wrong[..., 0] * w[..., 0] / 2, wrong[..., 1]], axis=-1)

    def loss(self, w: ArrayLike) -> Floats:
        """Return ½ (w₁²/4 − 1)² + ½ (w₂ − c)², where the optima are (±2, c)."""
        return np.asarray(0.5 * np.square(_folded(np.asarray(w)) - self.target).sum(axis=-1))

    def log_posterior(self, w: Floats, examples: Floats, std: float) -> Floats:
        """Return the logarithm of prior times likelihood of weights, shape (..., 2), up to a constant."""
        q = _folded(w)
        fit = len(examples) * np.square(q).sum(axis=-1) - 2 * q @ examples.sum(axis=0)
        return np.asarray(-0.5 * (np.square(w).sum(axis=-1) / std**2 + fit / self.noise**2))

    def filter(self, examples: Floats, std: float) -> Filtered:
        """Return the posteriors: Gaussians of w₂ times exp(−w₁²/2σ₀² − n (w₁²/4 − ȳ₁)²/2σ²).

        As a function of q = w₁²/4 that is a normal curve around ``ȳ₁ − 2σ²/(n σ₀²)`` of width ``σ/√n``.
        """
        variance, noise = std**2, self.noise**2
        n = np.arange(1, len(examples) + 1)
        seen = np.cumsum(examples, axis=0) / n[:, None]
        gain = n * variance + noise
        curves = np.column_stack([seen[:, 0] - 2 * noise / (n * variance), self.noise / np.sqrt(n)])
        sides = [[std * math.sqrt(2 / math.pi), std * math.sqrt(1 - 2 / math.pi)]]  # of the prior: half a Gaussian
        first = np.vstack([sides, _side(*curves.T)])
        middle, width = seen[:, 1] * n * variance / gain, np.sqrt(noise * variance / gain)
        second = np.vstack([[0.0, std], np.column_stack([middle, width])])
        variances = np.column_stack([np.square(first).sum(axis=1), np.square(second[:, 1])])
        return Filtered(
            mean=np.column_stack([np.zeros(len(first)), second[:, 0]]),
            covariance=np.einsum("ni,ij->nij", variances, np.eye(2)),
            hill_mean=np.column_stack([first[:, 0], second[:, 0]]),
            hill_std=np.column_stack([first[:, 1], second[:, 1]]),
        )


def _folded(w: Floats) -> Floats:
    """Return (w₁²/4, w₂), all that an example of the double well can tell."""
    return np.stack([np.square(w[..., 0]) / 4, w[..., 1]], axis=-1)


def _side(centre: Floats, width: Floats) -> Floats:
    """Return mean and standard deviation, as rows, of w ≥ 0 whose w²/4 has normal curves of these centres."""
    low = 2 * np.sqrt(np.maximum(0, centre - WIDE * width))
    high = 2 * np.sqrt(centre + np.hypot(np.minimum(centre, 0), WIDE * width))
    w = np.linspace(low, high, NODES)
    away = np.square((np.square(w) / 4 - centre) / width)
    share = np.exp((away.min(axis=0) - away) / 2)
    share[[0, -1]] /= 2
    mean, square = (np.sum(share * values, axis=0) / share.sum(axis=0) for values in (w, np.square(w)))
    return np.column_stack([mean, np.sqrt(square - mean**2)])


def _ravine(degrees: float, flat: float, steep: float) -> Floats:
    """Return moments of inputs that are short along a direction and long across it."""
    t = math.radians(degrees)
    along, across = np.array([math.cos(t), math.sin(t)]), np.array([-math.sin(t), math.cos(t)])
    return flat * np.outer(along, along) + steep * np.outer(across, across)


SURFACES: dict[str, Regression | DoubleWell] = {
    "convex": Regression(
        optima=np.array([[2.9, -2.0]]),
        noise=0.7,
        eta=0.1,
        low=(-3.2, -4.0),
        high=(4.8, 3.2),
        factor=np.linalg.cholesky([[1.0, 0.3], [0.3, 0.6]]),
    ),
    "ravine": Regression(
        optima=np.array([[1.9, 2.6]]),
        noise=0.7,
        eta=0.1,
        low=(-3.6, -3.2),
        high=(4.4, 4.0),
        factor=np.linalg.cholesky(_ravine(25, flat=0.05, steep=1.5)),
    ),
    "double well": DoubleWell(
        optima=np.array([[2.0, 0.8], [-2.0, 0.8]]),
        noise=0.7,
        eta=0.25,
        low=(-4.0, -3.0),
        high=(4.0, 4.2),
    ),
}
