"""Gaussian beliefs over the weights, and the least-KL flow of each: spherical, diagonal and full (section 2).

A belief N(μ, S Sᵀ) has sampled ``w = μ + S z``, and a gradient step has moved it to ``w_new``. Every flow is linear,
``w → A w + b``, carries ``w`` to ``w_new``, and otherwise changes the belief as little as its family allows.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.flows import stretch_root, width_kl

HALF_LOG_2PIE = 0.5 * math.log(2 * math.pi * math.e)
NARROWEST, WIDEST = 1e-150, 1e150  # widths that can be squared
_frozen = dataclass(frozen=True, eq=False, repr=False, init=False)


class AffineMap(NamedTuple):
    """The flow ``w → A w + b``."""

    A: Floats
    b: Floats


@_frozen
class Belief:
    """Gaussian over the weights, with the methods that all beliefs share."""

    mean: Floats
    std: Any
    _flow: ClassVar[Any]  # the algebra of each family

    @classmethod
    def for_model(cls, model: Any, std: Any, features: int | None = None) -> Self:
        """Return a prior around 0 over the weights of a model; `Logistic` needs the number of ``features``."""
        size, std = model.size(features), check.positive_number("std", std)
        width = std**2 * np.eye(size) if issubclass(cls, FullBelief) else std
        return cls(np.zeros(size), width)  # type: ignore[call-arg]

    @property
    def dim(self) -> int:
        """Number of weights."""
        return self.mean.size

    @property
    def covariance(self) -> Floats:
        """Covariance matrix S Sᵀ, shape ``(dim, dim)``."""
        S, _ = self._factors()
        return S @ S.T

    def sample(self, rng: RNG, size: int | None = None) -> Floats:
        """Draw one weight vector, or ``size`` of them as rows."""
        count = () if size is None else (check.positive_int("size", size),)
        return self.weight(check.generator(rng).standard_normal((*count, self.dim)))

    def weight(self, z: Floats) -> Floats:
        """Return the weight vector μ + S z that standard normal numbers ``z`` stand for; rows of them give rows."""
        return self.mean + self.std * np.asarray(z)

    def entropy(self) -> float:
        """Return the differential entropy in nats."""
        with np.errstate(divide="ignore"):  # a diagonal width may be 0 for a moment
            return float(np.sum(HALF_LOG_2PIE + np.log(np.broadcast_to(self.std, self.dim))))

    def kl(self, prior: "Belief") -> float:
        """Return the Kullback-Leibler divergence KL(self ‖ prior) in nats; the two may be of different types."""
        if not isinstance(prior, Belief) or prior.dim != self.dim:
            raise ValueError(f"prior must be a belief over {self.dim} weights, but it was {check.short(prior)}.")
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            if isinstance(self, FullBelief) or isinstance(prior, FullBelief):
                (S, _), (S0, T0) = self._factors(), prior._factors()
                shift, ratio = T0 @ (self.mean - prior.mean), (T0 @ S).ravel()
                log_ratio = np.linalg.slogdet(S)[1] - np.linalg.slogdet(S0)[1]
                kl = 0.5 * (shift @ shift + ratio @ ratio - self.dim) - log_ratio
            else:
                shift = (self.mean - prior.mean) / prior.std
                kl = np.sum(0.5 * shift * shift + width_kl(self.std / prior.std))
        return math.inf if np.isnan(kl) else max(0.0, float(kl))

    def flow(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
        z: Floats | None = None,
        **rule: Any,
    ) -> Self:
        """Return the posterior of the least-KL flow of this family that carries ``w`` to ``w_new``.

        A ``non_expansive`` flow never widens (section 2.3): a stretch beyond 1 becomes 1, for each weight of a
        diagonal belief and in the whitened coordinates of a full one. ``branch`` is the paper's δ₁: ``+1`` is
        connected to the identity, ``-1`` reflects through the mean. The new standard deviation is at least
        ``min_std``, along every direction of a full belief. ``z``, if known, are the normals with ``w == weight(z)``:
        they keep the digits that rounding loses where a width is far smaller than the mean. ``rule`` is for spherical
        beliefs: ``"printed"`` is the paper's a*, of least KL in one dimension; ``"exact"`` has least KL in all.
        """
        check.flag("non_expansive", non_expansive)
        check.sign("branch", branch)
        if not (isinstance(min_std, (int, float)) and 0 <= min_std < math.inf):
            raise ValueError(f"min_std must be a finite number of at least 0, but it was {check.short(min_std)}.")
        if rule and (list(rule) != ["rule"] or not isinstance(self, SphericalBelief)):
            raise TypeError(f"the flow of a {type(self).__name__} has no option {', '.join(rule)}.")
        w, w_new = check.pair(w, w_new, self.dim)
        with np.errstate(over="ignore", invalid="ignore"):  # the posterior is checked instead
            return self._flow(w, w_new, z, 1.0 if non_expansive else math.inf, branch, min_std, **rule)

    def affine_map(
        self, w: ArrayLike, w_new: ArrayLike, *, branch: int = 1, rotation: int = 1, **options: Any
    ) -> AffineMap:
        """Return the matrix ``A`` and the offset ``b`` of the flow that carries ``w`` to ``w_new``.

        The options are those of `flow` but ``min_std``. ``rotation`` is the paper's δ₂: it changes where single
        weights go, but not the posterior; with ``branch``, δ₁, it makes all four solutions of Theorem 1.
        """
        posterior = self.flow(w, w_new, branch=branch, min_std=0.0, **options)
        w, w_new, A = np.asarray(w), np.asarray(w_new), np.eye(self.dim)
        if branch < 0 or not np.array_equal(w, w_new):
            # A = S′ U S⁻¹: whiten, turn the direction of w onto that of w′, and give the new width
            (S, _), (_, T) = posterior._factors(), self._factors()
            if not isinstance(self, DiagonalBelief):
                A = _turn(T @ (w - self.mean), T @ (w_new - self.mean), check.sign("rotation", rotation))
            A = S @ A @ T * (1 if isinstance(self, FullBelief) else branch)  # a full factor contains the sign
        return AffineMap(A, w_new - A @ w)

    def transport(self, points: ArrayLike, w: ArrayLike, w_new: ArrayLike, **options: Any) -> Floats:
        """Move points, shape ``(..., dim)``, by the `affine_map` of the flow that carries ``w`` to ``w_new``."""
        points, A = check.rows("points", points, self.dim), self.affine_map(w, w_new, **options).A
        return np.asarray(w_new) + (points - np.asarray(w)) @ A.T

    def _factors(self) -> tuple[Floats, Floats]:
        """Return a matrix S with S Sᵀ = covariance, and its inverse."""
        std = np.broadcast_to(self.std, self.dim)
        with np.errstate(divide="ignore", over="ignore"):  # a diagonal width may be 0 for a moment
            return np.diag(std), np.diag(1 / std)

    def moved(self, **fields: Any) -> Self:
        """Return a belief of this type with these fields, which are checked for overflow alone."""
        new = object.__new__(type(self))
        new.__setstate__(fields)
        width: Any = fields.get("factor", fields.get("std"))
        low, high = (width, width) if isinstance(width, float) else (NARROWEST, width.max())
        high = max(high, -width.min()) if "factor" in fields else high  # whose numbers may be negative
        if not (low >= NARROWEST and high <= WIDEST and math.isfinite(new.mean.sum())):
            _out_of_range()
        return new

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)  # which NumPy forgets when it unpickles
        self.__dict__.update(state)

    def __repr__(self) -> str:
        width = "covariance" if isinstance(self, FullBelief) and self.dim <= 3 else "std"
        with np.printoptions(precision=4, threshold=8, edgeitems=3, linewidth=10_000):
            text = f"{type(self).__name__}(mean={self.mean}, {width}={np.asarray(getattr(self, width))})"
        return text.replace("\n", "")


@_frozen
class SphericalBelief(Belief):
    """Gaussian with one standard deviation for all directions.

    >>> prior = SphericalBelief([0.0, 0.0], 1.0)
    >>> post = prior.flow([1.0, 0.0], [0.0, 0.5])      # turned by a quarter, and pulled half-way in
    >>> round(post.std, 4)
    0.8431
    """

    def __init__(self, mean: ArrayLike, std: float) -> None:
        mean = np.array(check.vector("mean", mean))
        self.__setstate__({"mean": mean, "std": float(_widths(check.scalar("std", std)))})

    def _flow(
        self, w: Floats, w_new: Floats, z: Any, limit: float, branch: int, min_std: float, rule: str = "printed"
    ) -> Self:
        """Stretch by a* and turn (section 2.2): ``w → a U w + b``, where U turns z onto the direction of z′."""
        dim = self.dim if check.choice("rule", rule, ("printed", "exact")) == "exact" else 1
        mean, std = self.mean, self.std
        if branch < 0 or not np.array_equal(w, w_new):
            z = (w - mean) / std if z is None else z
            z_new = z + (w_new - w) / std
            u, v = math.sqrt(z @ z), math.sqrt(z_new @ z_new)
            a = min(float(stretch_root(u, v, branch, dim)), limit)
            # μ′ = w′ − a U (w − μ), and σ′ = |a| σ
            mean = w_new - a * std * (z if v == 0 else (u / v) * z_new)
            std = abs(a) * std
        return self.moved(mean=mean, std=max(std, float(min_std)))


@_frozen
class DiagonalBelief(Belief):
    """Gaussian with independent weights; ``std`` is an array as long as the mean, or one number for all weights.

    >>> prior = DiagonalBelief([0.0, 0.0], [1.0, 1.0])
    >>> post = prior.flow([1.0, 1.0], [0.5, 1.0])      # only the first weight moved, towards the mean
    >>> post.std.round(4).tolist()
    [0.8431, 1.0]
    """

    def __init__(self, mean: ArrayLike, std: ArrayLike) -> None:
        mean, std = np.array(check.vector("mean", mean)), check.numbers("std", std)
        if std.shape not in ((), mean.shape):
            raise ValueError(f"std must have shape ({mean.size},) as the mean has, but it has shape {std.shape}.")
        self.__setstate__({"mean": mean, "std": np.broadcast_to(_widths(std), mean.shape).copy()})

    def _flow(self, w: Floats, w_new: Floats, z: Any, limit: float, branch: int, min_std: float) -> Self:
        """Stretch each weight by itself (section 2.2), by `stretch` times σ, so that nothing is divided by σ."""
        mean, std = self.mean, self.std
        # A narrow width can square itself away when its weight crosses the mean; an expanding step brings it back.
        z = (w - mean) / np.maximum(std, 1e-300) if z is None else z
        step = w_new - w
        away = std * z + step  # w′ − μ
        # σ′ = |a*| σ is the root of (1 + z²) σ′² − δ₁ z (w′ − μ) σ′ − σ² = 0, in two forms, neither of which cancels
        p, q = (0.5 * branch) * z * away, 1 + z * z
        large = np.abs(p) + np.sqrt(p * p + q * (std * std))
        new_std = np.where(p >= 0, large / q, std * (std / np.maximum(large, 1e-300)))
        if limit == 1:
            new_std = np.minimum(new_std, std)
        new_mean = mean + (away - branch * z * new_std)  # μ′ = w′ − a* (w − μ)
        still = step == 0
        if branch > 0 and still.any():  # a weight that did not move keeps its Gaussian to the bit
            new_mean, new_std = np.where(still, mean, new_mean), np.where(still, std, new_std)
        return self.moved(mean=new_mean, std=np.maximum(new_std, min_std) if min_std else new_std)


@_frozen
class FullBelief(Belief):
    """Gaussian with any covariance, kept as a factor ``S`` with ``S Sᵀ = covariance`` and the inverse of ``S``.

    >>> prior = FullBelief([0.0, 0.0], [[1.0, 0.8], [0.8, 1.0]])
    >>> post = prior.flow([1.0, 0.0], [0.5, 0.0])
    >>> post.std.round(4).tolist(), round(post.kl(prior), 4)
    ([0.9121, 1.0], 0.1546)
    """

    factor: Floats

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        mean = np.array(check.vector("mean", mean))
        self.__setstate__({"mean": mean, "factor": _cholesky(covariance, mean.size)})

    @cached_property
    def inverse_factor(self) -> Floats:
        """Inverse of the factor, which flows carry along."""
        self.__setstate__({"inverse_factor": np.linalg.inv(self.factor)})
        return self.inverse_factor

    @property
    def std(self) -> Floats:
        """Standard deviation of each weight by itself."""
        return np.sqrt(np.einsum("ij,ij->i", self.factor, self.factor))

    def weight(self, z: Floats) -> Floats:
        """Return the weight vector μ + S z that standard normal numbers ``z`` stand for; rows of them give rows."""
        return self.mean + z @ self.factor.T

    def entropy(self) -> float:
        """Return the differential entropy in nats."""
        return self.dim * HALF_LOG_2PIE + float(np.linalg.slogdet(self.factor)[1])

    def _factors(self) -> tuple[Floats, Floats]:
        return self.factor, self.inverse_factor

    def _flow(self, w: Floats, w_new: Floats, z: Any, limit: float, branch: int, min_std: float) -> Self:
        """Change the covariance by rank one, in O(dim²) (section 2.1, Theorem 1)."""
        mean, S, T = self.mean, self.factor, self.inverse_factor
        if branch < 0 or not np.array_equal(w, w_new):
            z = T @ (w - mean) if z is None else z
            z_new = z + T @ (w_new - w)
            u, v = math.sqrt(z @ z), math.sqrt(z_new @ z_new)
            a = min(float(stretch_root(u, v, branch)), limit)
            e = z_new / v if v > 0 else z / u if u > 0 else z
            # The flow turns z onto the unit vector e, which no covariance sees, and stretches by a* along it:
            # S′ = S + (a − 1) (S e) eᵀ,   S′⁻¹ = S⁻¹ + (1/a − 1) e (eᵀ S⁻¹),   μ′ = w′ − a u S e
            column, row = S @ e, e @ T
            mean = w_new - (a * u) * column
            if a != 1:
                if not math.sqrt(row @ row) < abs(a) / NARROWEST:
                    _out_of_range()
                S = S + np.outer((a - 1) * column, e)
                T = T + np.outer((1 / a - 1) * e, row)
        if min_std and min_std * np.linalg.norm(T) > 1:  # 1/|S⁻¹| bounds every width from below
            left, widths, right = np.linalg.svd(S)
            widths = np.maximum(widths, min_std)
            S, T = (left * widths) @ right, (right.T / widths) @ left.T
        return self.moved(mean=mean, factor=S, inverse_factor=T)


def _turn(before: Floats, after: Floats, rotation: int) -> Floats:
    """Return the matrix that turns the direction of ``before`` onto that of ``after`` in their plane.

    ``rotation=-1`` also mirrors the plane across ``after``. A vector of length zero has no direction to turn.
    """
    lengths = np.linalg.norm(before), np.linalg.norm(after)
    if 0 in lengths:
        return np.eye(before.size)
    source, target = before / lengths[0], after / lengths[1]
    cosine = float(source @ target)
    if source.size == 1:  # one dimension has no plane to turn in, only a sign
        return np.array([[cosine]])
    across = target - cosine * source
    if np.linalg.norm(across) < 1e-15:  # parallel: any orthogonal direction serves
        across = np.eye(source.size)[np.argmin(np.abs(source))]
    for _ in range(2):  # twice, or rounding would leave it slightly askew
        across = across - (across @ source) * source
        across = across / np.linalg.norm(across)
    image = rotation * (cosine * across - (across @ target) * source)
    return np.eye(source.size) + np.outer(target - source, source) + np.outer(image - across, across)


def _widths(std: Any) -> Any:
    if not (np.min(std) >= NARROWEST and np.max(std) <= WIDEST):
        raise ValueError(f"std must be positive, from {NARROWEST:g} to {WIDEST:g}, but it was {check.short(std)}.")
    return std


def _out_of_range() -> NoReturn:
    raise FloatingPointError("the belief overflowed: take smaller steps, scale the features or set min_std.")


def _cholesky(covariance: ArrayLike, dim: int) -> Floats:
    cov = check.numbers("covariance", covariance)
    if cov.shape != (dim, dim) or np.abs(cov - cov.T).max() > 1e-10 * np.abs(cov).max():
        raise ValueError(f"covariance must be symmetric with shape ({dim}, {dim}), but it was {check.short(cov)}.")
    std = np.sqrt(np.maximum(np.diag(cov), NARROWEST**2))
    correlation = (cov / std + cov.T / std).T / (2 * std)
    if np.linalg.eigvalsh(correlation)[0] <= dim * np.finfo(np.float64).eps:  # the rounding of a singular matrix
        raise ValueError("covariance must be positive definite, but it is not.")
    return std[:, None] * np.linalg.cholesky(correlation)
