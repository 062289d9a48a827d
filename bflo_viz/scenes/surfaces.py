"""Three loss surfaces of two weights: their examples, the step on one example, and what Bayes' rule says.

``explorers/dynamics/surfaces.js`` is the same for a page, which has the numbers of a surface from `Surface.numbers`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz._checks import Floats

INSIDE = 1 - math.exp(-2)  # what an ellipse of two standard deviations holds of a Gaussian: 86 %
REACH = 50.0  # no step leads further than this from 0 along any weight: what diverges stays a number
DISTANCES = (0.25, *(0.5 * k for k in range(1, 13)))  # of the lines of equal loss
NODES = 401  # where a side of the double well's posterior is integrated, by the trapezoid rule
_WIDE = 9.0  # standard deviations to either side: what lies beyond is no more than rounding
_AROUND = 48  # steps once around a line of equal height
_BLOCK = 1000  # rounds that are integrated at a time
COMMON = {"inside": INSIDE, "reach": REACH, "distances": DISTANCES, "nodes": NODES, "wide": _WIDE, "around": _AROUND}


class Filtered(NamedTuple):
    """What Bayes' rule says before the first example and after each.

    Attributes
    ----------
    mean, covariance
        Of the posterior, shapes (rounds + 1, 2) and (rounds + 1, 2, 2).
    hill_mean, hill_std
        Mean and standard deviations of what lies on the right, (rounds + 1, 2), where the two sides are alike;
        None where the posterior is a Gaussian.
    outline
        ``outline(now)`` is the line of equal density around 86 % of the posterior after a round, as points (n, 2),
        pieces apart by NaN; None where the posterior is a Gaussian: there it is the ellipse of two standard
        deviations.
    """

    mean: Floats
    covariance: Floats
    hill_mean: Floats | None = None
    hill_std: Floats | None = None
    outline: Callable[[int], Floats] | None = None


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
        Corners of the part that is shown, if prior and optima are in it.
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

    @property
    def axes(self) -> Floats:
        """Two directions at right angles, as rows: those in which widths are told."""
        return np.eye(2)

    def with_optimum(self, w: Floats) -> Self:
        """The same surface with its lowest point elsewhere; a second one is on the other side."""
        both = np.array([[abs(w[0]), w[1]], [-abs(w[0]), w[1]]])
        return replace(self, optima=both if self.two_wells else w[None])

    def window(self, std: float) -> tuple[Floats, Floats]:
        """Corners of what to show: ``low`` and ``high``, or so much more that the prior N(0, std²) is in it."""
        low = np.minimum.reduce([np.array(self.low), self.optima.min(axis=0) - 1, np.full(2, -2.2 * std)])
        high = np.maximum.reduce([np.array(self.high), self.optima.max(axis=0) + 1, np.full(2, 2.2 * std)])
        shape = np.subtract(self.high, self.low)
        half = ((high - low) / shape).max() * shape / 2
        return (low + high) / 2 - half, (low + high) / 2 + half

    def numbers(self) -> dict[str, Any]:
        """What a page has to know of it."""
        return {name: np.asarray(value).tolist() for name, value in (vars(self) | {"axes": self.axes}).items()}

    def away(self, w: ArrayLike) -> Floats:
        """Distance of weights, shape (..., 2), from the nearest optimum."""
        apart = np.asarray(w)[..., None, :] - self.optima
        return np.asarray(np.linalg.norm(apart, axis=-1).min(axis=-1))

    @abstractmethod
    def gradient(self, w: Floats, example: Floats) -> Floats:
        """Slope of the loss of one example at weights, shape (..., 2)."""

    def step(self, w: Floats, example: Floats) -> Floats:
        """Where a gradient step on the loss of one example takes weights, shape (..., 2), each by itself."""
        return np.asarray(np.clip(w - self.eta * self.gradient(w, example), -REACH, REACH))


@dataclass(frozen=True, eq=False)
class Regression(Surface):
    """Linear regression: an example is ``(x, y)`` with ``y = optimum @ x`` and noise; its loss ½ (w @ x − y)²."""

    factor: NDArray[np.floating]  # a lower triangle that makes inputs of normal numbers

    @property
    def moments(self) -> Floats:
        """E[x xᵀ]: how steep the surface is along each direction."""
        return np.asarray(self.factor @ self.factor.T)

    @property
    def axes(self) -> Floats:
        """The flattest direction and the steepest."""
        return np.asarray(np.linalg.eigh(self.moments)[1].T)

    def stream(self, normals: Floats) -> Floats:
        """Examples as rows (x₁, x₂, y)."""
        X = normals[:, :2] @ self.factor.T
        return np.column_stack([X, X @ self.optima[0] + self.noise * normals[:, 2]])

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """(w @ x − y) x."""
        x, y = example[:2], example[2]
        return np.asarray(np.multiply.outer(w @ x - y, x))

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
        circle = distance * _circle()
        return np.asarray(self.optima[0] + np.linalg.solve(self.factor.T, circle.T).T)

    def filter(self, examples: Floats, std: float) -> Filtered:
        """The posterior is a Gaussian: every example adds its precision."""
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
        """What the examples say on average, the same for both optima."""
        return _folded(self.optima[0])

    def stream(self, normals: Floats) -> Floats:
        """Examples as rows (y₁, y₂)."""
        return self.target + self.noise * normals[:, :2]

    def gradient(self, w: Floats, example: Floats) -> Floats:
        """(w₁²/4 − y₁) w₁/2 along the first weight, w₂ − y₂ along the second."""
        wrong = _folded(w) - example
        return np.stack([wrong[..., 0] * w[..., 0] / 2, wrong[..., 1]], axis=-1)

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

    def filter(self, examples: Floats, std: float) -> Filtered:
        """The posterior is a Gaussian of the second weight times exp(−w₁²/2σ₀² − n (w₁²/4 − ȳ₁)²/2σ²) of the first.

        As a function of q = w₁²/4 that is a normal curve around ``ȳ₁ − 2σ²/(n σ₀²)`` of width ``σ/√n``, so lines of
        equal density are ellipses in (q, w₂). Only how much they hold has to be integrated.
        """
        variance, noise = std**2, self.noise**2
        n = np.arange(1, len(examples) + 1)
        seen = np.cumsum(examples, axis=0) / n[:, None]
        gain = n * variance + noise
        centre = np.column_stack([seen[:, 0] - 2 * noise / (n * variance), seen[:, 1] * n * variance / gain])
        width = np.column_stack([self.noise / np.sqrt(n), np.sqrt(noise * variance / gain)])
        blocks = np.split(np.column_stack([centre[:, 0], width[:, 0]]), range(_BLOCK, len(n), _BLOCK))
        sides = [[std * math.sqrt(2 / math.pi), std * math.sqrt(1 - 2 / math.pi)]]  # of the prior: half a Gaussian
        first = np.vstack([sides, *(_side(*block.T) for block in blocks)])
        second = np.vstack([[0.0, std], np.column_stack([centre[:, 1], width[:, 1]])])
        variances = np.column_stack([np.square(first).sum(axis=1), np.square(second[:, 1])])

        def outline(now: int) -> Floats:
            if now == 0:
                return 2 * std * _circle()
            c, s = centre[now - 1], width[now - 1]
            return _unfolded(c, _radius(c[0], s[0]) * s)

        return Filtered(
            mean=np.column_stack([np.zeros(len(first)), second[:, 0]]),
            covariance=np.einsum("ni,ij->nij", variances, np.eye(2)),
            hill_mean=np.column_stack([first[:, 0], second[:, 0]]),
            hill_std=np.column_stack([first[:, 1], second[:, 1]]),
            outline=outline,
        )


def _circle() -> Floats:
    """Points once around 0, the first one twice."""
    t = np.linspace(0, 2 * np.pi, 2 * _AROUND)
    return np.column_stack([np.cos(t), np.sin(t)])


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


def _nodes(centre: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Places w ≥ 0 on one side, (NODES, ...), and what each holds of a normal curve of q = w²/4: shares of 1."""
    low = 2 * np.sqrt(np.maximum(0, centre - _WIDE * width))
    high = 2 * np.sqrt(centre + np.hypot(np.minimum(centre, 0), _WIDE * width))
    w = low + np.linspace(0, 1, NODES).reshape(-1, *np.ones(np.ndim(centre), int)) * (high - low)
    away = np.square((np.square(w) / 4 - centre) / width)
    share = np.exp((away.min(axis=0) - away) / 2)
    share[0] /= 2
    share[-1] /= 2
    return w, share / share.sum(axis=0)


def _side(centre: Floats, width: Floats) -> Floats:
    """Mean and standard deviation of the first weight on the right, as rows."""
    w, share = _nodes(centre, width)
    mean = (share * w).sum(axis=0)
    return np.column_stack([mean, np.sqrt((share * np.square(w - mean)).sum(axis=0))])


def _radius(centre: float, width: float) -> float:
    """How large the ellipse in (q, w₂) must be, in widths, to hold its share."""
    from scipy.optimize import brentq
    from scipy.special import erf

    w, share = _nodes(np.asarray(centre), np.asarray(width))
    away = np.square((np.square(w) / 4 - centre) / width)

    def surplus(radius: float) -> float:
        # Along the second weight the ellipse holds erf(half its height / √2) of a Gaussian.
        return float(share @ erf(np.sqrt(np.maximum(0, radius**2 - away) / 2))) - INSIDE

    least = math.sqrt(away.min())
    return float(brentq(surplus, least, least + 8, xtol=1e-14))


def _ravine(degrees: float, flat: float, steep: float) -> Floats:
    """Moments of inputs that are short along a direction and long across it."""
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
