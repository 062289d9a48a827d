"""Three loss surfaces of two weights: their examples, the step on one example, and what Bayes' rule says."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf

from bflo_viz._checks import Floats
from bflo_viz.beliefs import FullBelief

INSIDE = 1 - math.exp(-2)  # what an ellipse of two standard deviations holds of a Gaussian: 86 %
_AROUND = 48  # steps once around a line of equal height
_W1 = np.linspace(0, 8.4, 841)  # where the double well's posterior is integrated: one side of it, since it is even


class Filtered(NamedTuple):
    """What Bayes' rule says before the first example and after each.

    Attributes
    ----------
    mean, covariance
        Of the posterior, shapes (rounds + 1, 2) and (rounds + 1, 2, 2).
    outline
        The line of equal density around 86 % of the posterior, (rounds + 1, points, 2), pieces apart by NaN;
        empty where the posterior is a Gaussian, since then it is the ellipse of two standard deviations.
    hill_mean, hill_std
        Mean and standard deviations of what lies on the right, (rounds + 1, 2), where the two sides are alike;
        empty where the posterior is a Gaussian.
    """

    mean: Floats
    covariance: Floats
    outline: Floats
    hill_mean: Floats
    hill_std: Floats

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Whether the outline is in two pieces, after each round."""
        return np.asarray(np.isnan(self.outline).any(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class Surface(ABC):
    """A loss surface: the expected loss of noisy examples.

    Attributes
    ----------
    optima
        The lowest points, as rows.
    noise
        Standard deviation of what an example tells.
    eta
        Learning rate of gradient descent and of the belief flow.
    low, high
        Corners of the part that is shown.
    """

    optima: Floats
    noise: float
    eta: float
    low: tuple[float, float]
    high: tuple[float, float]

    @property
    def two_wells(self) -> bool:
        """Whether there are two lowest points, on the left and on the right."""
        return len(self.optima) == 2

    def away(self, w: ArrayLike) -> Floats:
        """Distance of weights, shape (..., 2), from the nearest optimum."""
        apart = np.asarray(w)[..., None, :] - self.optima
        return np.asarray(np.linalg.norm(apart, axis=-1).min(axis=-1))

    @abstractmethod
    def stream(self, normals: Floats) -> Floats:
        """Examples as rows, from rows of three standard normal numbers."""

    @abstractmethod
    def gradient(self, w: Floats, example: Floats) -> Floats:
        """Slope of the loss of one example."""

    def step(self, w: Floats, example: Floats) -> Floats:
        """Where a gradient step on the loss of one example takes weights."""
        return np.asarray(w - self.eta * self.gradient(w, example))

    @abstractmethod
    def loss(self, w: ArrayLike) -> Floats:
        """Expected loss of weights, shape (..., 2), above that of the best."""

    @abstractmethod
    def fitting(self, example: Floats) -> Floats:
        """The weights that fit one example best, as points (n, 2): a line of them, or each by itself."""

    @abstractmethod
    def level(self, distance: float) -> Floats:
        """The line on which the loss is ``½ distance²``, as points (n, 2), pieces apart by NaN."""

    @abstractmethod
    def filter(self, examples: Floats, prior: FullBelief) -> Filtered:
        """Bayes' rule on the examples, one after the other; the prior is round, and its mean is 0."""


@dataclass(frozen=True, eq=False)
class Regression(Surface):
    """Linear regression: an example is ``(x, y)`` with ``y = optimum @ x`` and noise; its loss ½ (w @ x − y)²."""

    moments: Floats  # E[x xᵀ]: how steep the surface is along each direction

    def stream(self, normals: Floats) -> Floats:
        """Examples as rows (x₁, x₂, y)."""
        X = normals[:, :2] @ np.linalg.cholesky(self.moments).T
        return np.column_stack([X, X @ self.optima[0] + self.noise * normals[:, 2]])

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """(w @ x − y) x."""
        x, y = example[:2], example[2]
        return np.asarray((w @ x - y) * x)

    def loss(self, w: ArrayLike) -> Floats:
        """½ E[(w @ x − optimum @ x)²]."""
        away = np.asarray(w) - self.optima[0]
        return np.asarray(0.5 * np.einsum("...i,ij,...j", away, self.moments, away))

    def fitting(self, example: Floats) -> Floats:
        """Two far points of the line w @ x = y, which every gradient of the example crosses at right angles."""
        x, y = example[:2], example[2]
        length = np.linalg.norm(x)
        return np.asarray(y * x / length**2 + 30 / length * np.array([[-x[1], x[0]], [x[1], -x[0]]]))

    def level(self, distance: float) -> Floats:
        """An ellipse around the optimum."""
        t = np.linspace(0, 2 * np.pi, 2 * _AROUND)
        circle = distance * np.column_stack([np.cos(t), np.sin(t)])
        return np.asarray(self.optima[0] + np.linalg.solve(np.linalg.cholesky(self.moments).T, circle.T).T)

    def filter(self, examples: Floats, prior: FullBelief) -> Filtered:
        """The posterior is a Gaussian: every example adds its precision."""
        X, y = examples[:, :2], examples[:, 2]
        gains = np.cumsum(np.einsum("ni,nj->nij", X, X), axis=0) / self.noise**2
        natural = np.cumsum(X * y[:, None], axis=0) / self.noise**2
        covariance = np.linalg.inv(np.linalg.inv(prior.covariance) + np.concatenate([np.zeros((1, 2, 2)), gains]))
        mean = np.vstack([prior.mean, np.einsum("nij,nj->ni", covariance[1:], natural)])  # the prior's mean is 0
        return Filtered(mean, covariance, np.empty((0, 0, 2)), np.empty((0, 2)), np.empty((0, 2)))


@dataclass(frozen=True, eq=False)
class DoubleWell(Surface):
    """A sign that nothing tells: an example is (w₁²/4, w₂) of an optimum and noise; its loss ½ |(w₁²/4, w₂) − y|²."""

    @property
    def target(self) -> Floats:
        """What the examples say on average, the same for both optima."""
        return _folded(self.optima[0])

    def stream(self, normals: Floats) -> Floats:
        """Examples as rows (y₁, y₂)."""
        return self.target + self.noise * normals[:, :2]

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """(w₁²/4 − y₁) w₁/2 along the first weight, w₂ − y₂ along the second."""
        wrong = _folded(w) - example
        return np.array([wrong[0] * w[0] / 2, wrong[1]])

    def loss(self, w: ArrayLike) -> Floats:
        """½ (w₁²/4 − 1)² + ½ (w₂ − c)², where the optima are (±2, c)."""
        return np.asarray(0.5 * np.square(_folded(np.asarray(w)) - self.target).sum(axis=-1))

    def fitting(self, example: Floats) -> Floats:
        """One weight on each side (or one between them, if y₁ is negative and none fits)."""
        x = 2 * math.sqrt(max(0.0, float(example[0])))
        return np.array([[x, example[1]], [-x, example[1]]])

    def level(self, distance: float) -> Floats:
        """The two weights that (w₁²/4, w₂) on a circle can come from."""
        return _unfolded(self.target, np.array([distance, distance]))

    def filter(self, examples: Floats, prior: FullBelief) -> Filtered:
        """The posterior is a Gaussian of the second weight times exp(−w₁²/2σ₀² − n (w₁²/4 − ȳ₁)²/2σ²) of the first.

        As a function of q = w₁²/4 that is a normal curve around ``ȳ₁ − 2σ²/(n σ₀²)`` of width ``σ/√n``, so lines of
        equal density are ellipses in (q, w₂). Only how much they hold has to be integrated.
        """
        variance, noise = prior.covariance[0, 0], self.noise**2
        n = np.arange(1, len(examples) + 1)
        seen = np.cumsum(examples, axis=0) / n[:, None]
        centre = np.column_stack(
            [seen[:, 0] - 2 * noise / (n * variance), seen[:, 1] * n * variance / (n * variance + noise)]
        )
        width = np.column_stack([self.noise / np.sqrt(n), np.sqrt(noise * variance / (n * variance + noise))])
        away = (np.square(_W1) / 4 - centre[:, :1]) / width[:, :1]
        mass = _normalised(np.vstack([0.5 * np.square(_W1) / variance, 0.5 * np.square(away)]))
        radius = _radius_around(INSIDE, away, mass[1:])
        second = np.vstack([[prior.mean[1], prior.std[1]], np.column_stack([centre[:, 1], width[:, 1]])])
        right, square = mass @ _W1, mass @ np.square(_W1)
        return Filtered(
            mean=np.column_stack([np.zeros(len(mass)), second[:, 0]]),
            covariance=np.einsum("ni,ij->nij", np.column_stack([square, np.square(second[:, 1])]), np.eye(2)),
            outline=np.array(
                [
                    _circle(prior),
                    *(_unfolded(*ellipse) for ellipse in zip(centre, radius[:, None] * width, strict=True)),
                ]
            ),
            hill_mean=np.column_stack([right, second[:, 0]]),
            hill_std=np.column_stack([np.sqrt(square - np.square(right)), second[:, 1]]),
        )


def _folded(w: Floats) -> Floats:
    """(w₁²/4, w₂): all that an example of the double well can tell."""
    return np.stack([np.square(w[..., 0]) / 4, w[..., 1]], axis=-1)


def _unfolded(centre: Floats, axes: Floats) -> Floats:
    """The weights that fold onto an ellipse: one loop around both wells, or one around each with NaN between them."""
    least = -centre[0] / axes[0]  # of the cosine, where w₁ is 0
    apart = least <= -1
    t = (np.pi if apart else math.acos(least)) * np.linspace(-1, 1, _AROUND)
    x = 2 * np.sqrt(np.maximum(0, centre[0] + axes[0] * np.cos(t)))
    y = centre[1] + axes[1] * np.sin(t)
    right, left = np.column_stack([x, y]), np.column_stack([-x, y])[::-1]
    return np.vstack([right, np.full(2, np.nan) if apart else left[0], left, left[-1] if apart else right[0]])


def _circle(prior: FullBelief) -> Floats:
    """The prior's line of equal density, with as many points as `_unfolded` gives."""
    t = np.linspace(0, 2 * np.pi, 2 * _AROUND + 2)
    return np.asarray(2 * prior.std * np.column_stack([np.cos(t), np.sin(t)]))


def _normalised(height: Floats) -> Floats:
    """Weights of the points of `_W1`, rows that sum to 1, from minus the log of a density (trapezoid rule)."""
    density = np.exp(height.min(axis=1, keepdims=True) - height)
    density[:, 0] /= 2  # the other half of that point belongs to the left side
    return np.asarray(density / density.sum(axis=1, keepdims=True))


def _radius_around(share: float, away: Floats, mass: Floats) -> Floats:
    """How large the ellipse in (q, w₂) must be, in widths, to hold this share: by halving an interval."""
    low = np.abs(away).min(axis=1)
    high = low + 8
    for _ in range(22):
        middle = (low + high) / 2
        # Along the second weight the ellipse holds erf(half its height / √2) of a Gaussian.
        half = np.sqrt(np.maximum(0, np.square(middle)[:, None] - np.square(away)) / 2)
        enough = np.einsum("ij,ij->i", mass, erf(half)) > share
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray((low + high) / 2)


def _ravine(degrees: float, flat: float, steep: float) -> Floats:
    t = math.radians(degrees)
    along, across = np.array([math.cos(t), math.sin(t)]), np.array([-math.sin(t), math.cos(t)])
    return flat * np.outer(along, along) + steep * np.outer(across, across)


SURFACES: dict[str, Surface] = {
    "convex": Regression(
        optima=np.array([[2.9, -2.0]]),
        noise=0.7,
        eta=0.1,
        low=(-3.2, -4.0),
        high=(4.8, 3.2),
        moments=np.array([[1.0, 0.3], [0.3, 0.6]]),
    ),
    "ravine": Regression(
        optima=np.array([[1.9, 2.6]]),
        noise=0.7,
        eta=0.1,
        low=(-3.6, -3.2),
        high=(4.4, 4.0),
        moments=_ravine(25, flat=0.05, steep=1.5),
    ),
    "double well": DoubleWell(
        optima=np.array([[2.0, 0.8], [-2.0, 0.8]]), noise=0.7, eta=0.25, low=(-4.0, -3.0), high=(4.0, 4.2)
    ),
}
