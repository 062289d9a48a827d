"""What the three beliefs share."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.flows import width_kl

HALF_LOG_2PIE = 0.5 * math.log(2 * math.pi * math.e)


class AffineMap(NamedTuple):
    """The flow ``w -> A w + b``."""

    A: Floats
    b: Floats


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Belief(ABC):
    """What the three beliefs share: sampling, and moving any point by the flow that moved one weight."""

    mean: Floats
    _shown: ClassVar[str] = "std"  # of a belief of few weights, in its repr

    @classmethod
    def for_model(cls, model: Any, std: Any, features: int | None = None) -> Self:
        """A prior around 0 over the weights of a model, each with this standard deviation.

        ``features`` is needed for `Logistic`, which has a weight for each; an `MLP` knows its inputs.
        """
        return cls._around_zero(model.size(features), std)

    @classmethod
    def _around_zero(cls, dim: int, std: Any) -> Self:
        return cls(np.zeros(dim), std)  # type: ignore[call-arg]

    @property
    def dim(self) -> int:
        """Number of weights."""
        return self.mean.size

    @property
    @abstractmethod
    def covariance(self) -> Floats:
        """Covariance matrix, shape ``(dim, dim)``."""

    @abstractmethod
    def entropy(self) -> float:
        """Differential entropy in nats."""

    @abstractmethod
    def _color(self, z: Floats) -> Floats:
        """Give standard normal rows the width of this belief."""

    @abstractmethod
    def _kl(self, prior: Self) -> float:
        """KL from a prior of the same type and dimension."""

    @abstractmethod
    def _full(self) -> "Belief":
        """The same Gaussian as a full belief."""

    @abstractmethod
    def _solve(
        self, w: ArrayLike, w_new: ArrayLike, non_expansive: bool = False, branch: int = 1, z: Any = None
    ) -> Any:
        """Solve for the flow; what it is is for `_posterior` and `_push` to know."""

    @abstractmethod
    def _posterior(self, move: Any, floor: float) -> dict[str, Any]:
        """Fields of the belief after the flow, no width below the floor."""

    @abstractmethod
    def _push(self, move: Any, offsets: Floats) -> tuple[Floats, Floats]:
        """Posterior mean, and offsets from the prior mean (rows) after the linear part of the flow."""

    def sample(self, rng: RNG, size: int | None = None) -> Floats:
        """Draw one weight vector, or ``size`` of them as rows."""
        count = () if size is None else (check.positive_int("size", size),)
        return self.weight(check.generator(rng).standard_normal((*count, self.dim)))

    def weight(self, z: ArrayLike) -> Floats:
        """Weight vector that ``dim`` standard normal numbers stand for, mean + S z; rows of them give rows."""
        return self.mean + self._color(check.rows("z", z, self.dim))

    def kl(self, prior: "Belief") -> float:
        """Kullback-Leibler divergence KL(self ‖ prior) in nats; the two may be of different types."""
        if not isinstance(prior, Belief):
            raise ValueError(f"prior must be a belief, but it was a {type(prior).__name__}.")
        if prior.dim != self.dim:
            raise ValueError(f"prior must have {self.dim} weights as this belief has, but it has {prior.dim}.")
        if type(self) is type(prior):
            return max(0.0, self._kl(prior))
        return self._full().kl(prior._full())

    def flow(
        self,
        w: ArrayLike,
        w_new: ArrayLike,
        *,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
        z: ArrayLike | None = None,
        **rule: Any,
    ) -> Self:
        """Posterior of the least-KL flow of this family that carries ``w`` to ``w_new``.

        Parameters
        ----------
        w, w_new
            The sampled weight, before and after its step.
        non_expansive
            Never widen: stretches beyond 1 in size become 1, in each coordinate of a diagonal belief, and in whitened
            coordinates of a full one, so that its covariance never exceeds the prior's in any direction.
        branch
            ``+1`` is connected to the identity, ``-1`` reflects through the mean.
        min_std
            Numerical correction: the new standard deviation is at least this, after the flow; that of a full belief
            along every direction. Only a flow that reaches it costs a full belief an O(dim³) decomposition.
        z
            The standard normal numbers that ``w`` was made of, if known: ``w == belief.weight(z)``. They spare the
            division by the width, and hold what rounding takes from a width much smaller than the mean.
        rule
            Of a spherical belief: ``"printed"`` (the default) is the paper's ``a*``, the least KL in one dimension
            only; ``"exact"`` is the least KL in ``dim`` dimensions.
        """
        floor = check.scalar("min_std", min_std, least=0.0)
        move = self._solve(w, w_new, non_expansive, branch, z, **rule)
        return self._moved(**self._posterior(move, floor))

    def transport(self, points: ArrayLike, w: ArrayLike, w_new: ArrayLike, **options: Any) -> Floats:
        """Move points, shape ``(..., dim)``, by the affine map of the flow that carries ``w`` to ``w_new``.

        The options are ``non_expansive``, ``branch`` and ``rule`` of `flow`. A full belief also takes ``rotation``,
        the paper's δ₂: it changes where single points go, not the posterior.
        """
        offsets = check.rows("points", points, self.dim) - self.mean
        mean, pushed = self._push(self._solve(w, w_new, **options), offsets)
        return mean + pushed

    def affine_map(self, w: ArrayLike, w_new: ArrayLike, **options: Any) -> AffineMap:
        """Return the matrix ``A`` and the offset ``b`` of the flow that carries ``w`` to ``w_new``.

        The options are those of `transport`. For a full belief ``branch`` and ``rotation`` are δ₁ and δ₂ of
        Theorem 1: all four of its solutions.
        """
        A = self._push(self._solve(w, w_new, **options), np.eye(self.dim))[1].T
        return AffineMap(A, check.vector("w_new", w_new, self.dim) - A @ check.vector("w", w, self.dim))

    def __repr__(self) -> str:
        """Mean and width on one line, long arrays shortened."""
        with np.printoptions(precision=4, threshold=8, edgeitems=3, linewidth=10_000):
            width = self._shown if self.dim <= 3 else "std"
            text = f"{type(self).__name__}(mean={self.mean}, {width}={np.asarray(getattr(self, width))})"
        return text.replace("\n", "")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set all fields at once, arrays read-only (which NumPy forgets when it unpickles)."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
        self.__dict__.update(state)

    def _moved(self, **fields: Any) -> Self:
        """Return a belief of this type with these fields, results that need no second check, and its other ones."""
        fields = self.__dict__ | fields
        for name in ("mean", "std"):
            value = fields.get(name, 0.0)
            with np.errstate(over="ignore", invalid="ignore"):
                total = np.sum(value)
            if not np.isfinite(total) and not np.isfinite(value).all():
                raise ValueError(
                    f"w_new must be near enough for a finite posterior {name}, but the {name} overflowed."
                )
        return self._of(fields)

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Self:
        """Make a belief of its fields, unchecked."""
        new = object.__new__(cls)
        new.__setstate__(fields)
        return new


def directions(before: Floats, u: float, after: Floats, v: float) -> tuple[Floats | None, Floats | None]:
    """Return unit vectors along both offsets; None for an offset of length zero, which has no direction."""
    return before / u if u > 0 else None, after / v if v > 0 else None


def too_far(name: str, std: float) -> NoReturn:
    """Refuse a weight that this belief could not have sampled."""
    raise ValueError(
        f"{name} must lie within 1e308 standard deviations of the mean, but the belief is too narrow there "
        f"(std {std:g}); sample w from this belief, or set min_std."
    )


def clip(a: float, non_expansive: bool) -> float:
    """Limit a stretch to what does not widen, if asked to (on the reflected branch none does)."""
    return min(1.0, a) if check.flag("non_expansive", non_expansive) else a


def kl_of_widths(std: Any, prior_std: Any, shift: Any, dim: int) -> Any:
    """KL in nats of Gaussians with ``dim`` directions of one width whose means lie ``shift`` apart."""
    std, prior_std = np.asarray(std), np.asarray(prior_std)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kl = 0.5 * np.square(shift / prior_std) + dim * width_kl(std / prior_std)
    # A width of zero (it underflowed): no distance from itself, infinitely far from anything else.
    same = (std == prior_std) & (shift == 0)
    return np.where(same, 0.0, np.where(np.isnan(kl), np.inf, kl))
