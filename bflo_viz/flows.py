"""One flow along one direction: how far it stretches a belief, what that costs, and which regime it is in.

All of it is written in *whitened* distances from the mean: ``u`` is how many standard deviations the sampled weight
lies from the mean before its gradient step, ``v`` after it.
"""

import math
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats

SAFE_SQUARES = 1e-280, 1e300  # a sum of squares in between lost nothing to underflow or overflow


def stretch(u: ArrayLike, v: ArrayLike, *, branch: int = 1, dim: int = 1) -> Any:
    """Stretch ``a`` of the least-KL flow that carries ``u`` to ``v`` (whitened distances from the mean).

    The KL of a stretch, `stretch_kl`, is stationary where ``(dim + u²) a² − u v a − dim = 0``.

    Parameters
    ----------
    u, v
        Distances before and after the step, in standard deviations. Arrays broadcast as in any NumPy function.
    branch
        The paper's δ: ``+1`` is the root connected to the identity, ``-1`` reflects the belief through its mean.
    dim
        1 in the paper; the exact spherical flow in d dimensions has ``dim=d``.

    Examples
    --------
    >>> stretch(1.0, 1.0)      # nothing moved: nothing changes
    1.0
    >>> stretch(1.0, 0.0)      # pulled onto the mean: the belief narrows by 1/√2
    0.7071067811865475
    >>> stretch(0.0, 3.0)      # the mean itself moved: a translation
    1.0
    """
    branch, dim = check.sign("branch", branch), check.positive_int("dim", dim)
    u, v = _pair("u", u, "v", v)
    v = branch * v  # the lower root of (u, v) is minus the upper root of (u, -v)
    # With b = |(u, √dim)| a it is b² − 2 p b − dim = 0. Nothing is squared, so nothing overflows.
    norm = np.hypot(u, math.sqrt(dim))
    p = 0.5 * v * (u / norm)
    larger = np.abs(p) + np.hypot(p, math.sqrt(dim))
    # One root, two algebraic forms; each is used on the side where it does not cancel.
    a = np.where(p >= 0, larger, dim / larger) / norm
    a = branch * np.where(u == v, 1.0, a)
    return a if a.ndim else float(a)


def stretch_kl(a: ArrayLike, u: ArrayLike, v: ArrayLike, *, dim: int = 1) -> Any:
    """KL(posterior ‖ prior) in nats of the flow that stretches by ``a`` and carries ``u`` to ``v``.

    ``½ (v − a u)² + ½ dim (a² − 1 − log a²)``: the first term pays for the mean, the second for the width. As a
    function of ``a`` it is the landscape whose lowest point is `stretch`; it is infinite at ``a = 0``, which
    separates the two branches.

    >>> stretch_kl(1.0, 1.0, 1.0)
    0.0
    """
    dim = check.positive_int("dim", dim)
    u, v = _pair("u", u, "v", v)
    a, _ = _pair("a", a, "u and v", np.broadcast_arrays(u, v)[0])
    with np.errstate(divide="ignore", over="ignore"):
        kl = np.asarray(0.5 * (v - a * u) ** 2 + dim * width_kl(a))
    return kl if kl.ndim else float(kl)


def width_kl(ratio: Floats) -> Floats:
    """KL in nats between Gaussians of one mean, by the ratio of their widths: ½ (ratio² − 1 − log ratio²)."""
    return np.asarray(0.5 * (ratio - 1) * (ratio + 1) - np.log(np.abs(ratio)))


class Minimum(NamedTuple):
    """A lowest point of the KL landscape: where it is, and how low."""

    stretch: Any
    kl: Any


def minimum(u: ArrayLike, v: ArrayLike, *, branch: int = 1, dim: int = 1) -> Minimum:
    """Lowest point of the KL landscape over positive (``branch=+1``) or negative (``branch=-1``) stretches.

    >>> here, reflected = minimum(1.0, -2.0), minimum(1.0, -2.0, branch=-1)
    >>> round(here.kl, 3), round(reflected.kl, 3)      # crossing the mean: reflecting would be cheaper
    (3.371, 0.322)
    """
    a = stretch(u, v, branch=branch, dim=dim)
    return Minimum(a, stretch_kl(a, u, v, dim=dim))


class Regime(StrEnum):
    """Regime of a one-dimensional update (section 3.2).

    ``contracting``: the weight moved towards the mean and stayed on its side, so the belief narrows.
    ``crossing``: it moved past the mean, and the belief narrows all the more the further it went.
    ``expanding``: it moved away from the mean, so the belief widens.
    ``unchanged``: it did not move, or it was the mean itself, and the belief keeps its width.
    """

    CONTRACTING = "contracting"
    CROSSING = "crossing"
    EXPANDING = "expanding"
    UNCHANGED = "unchanged"


def regime(delta: ArrayLike, delta_new: ArrayLike, *, branch: int = 1) -> Any:
    """Return the regime of the pair (Δ, Δ'): where the weight was, and is now, relative to the mean.

    A single pair gives a `Regime`; arrays give an array of names. On the reflected branch (``branch=-1``) the belief
    is turned over first, so the regime is that of (−Δ, Δ').

    >>> regime(1.0, 0.5), regime(1.0, -0.5), regime(1.0, 2.0)
    (<Regime.CONTRACTING: 'contracting'>, <Regime.CROSSING: 'crossing'>, <Regime.EXPANDING: 'expanding'>)
    """
    delta, delta_new = _pair("delta", delta, "delta_new", delta_new)
    delta = check.sign("branch", branch) * delta
    # Signs and sizes, not the product Δ Δ': a product can underflow and land in the wrong regime.
    side = np.sign(delta) * np.sign(delta_new)
    still, nearer = (delta == delta_new) | (delta == 0), np.abs(delta_new) < np.abs(delta)
    names = np.select(
        [still, side < 0, nearer],
        [Regime.UNCHANGED.value, Regime.CROSSING.value, Regime.CONTRACTING.value],
        Regime.EXPANDING.value,
    )
    return names if names.ndim else Regime(str(names))


def carry(
    mean: Floats,
    std: Floats,
    z: Floats,
    step: Floats,
    branch: int = 1,
    non_expansive: bool = False,
    out: tuple[Floats, Floats] | None = None,
) -> tuple[Floats, Floats]:
    """Carry independent Gaussians along as each weight ``mean + z std`` moves by ``step``, without dividing by std.

    Returns the new means and the *signed* new standard deviations ``a std`` (negative on the reflected branch). It
    holds for any width, a width of zero included. On the identity branch a weight that did not move leaves its
    Gaussian as it was, to the bit. The arrays have one shape and are not checked; ``out`` may not overlap the others.
    """
    moved, new_std = out or (np.empty_like(mean), np.empty_like(std))
    np.multiply(z, std, out=moved)  # becomes D' = w' − mean, and then the shift of the mean
    if branch < 0:
        step = -2 * moved - step  # reflect D', flow on the identity branch, reflect back
    moved += step
    _carried_std(std, z, moved, new_std)
    if non_expansive:
        np.minimum(new_std, std, out=new_std)
    moved -= z * new_std
    still = step == 0
    if still.any():
        np.copyto(new_std, std, where=still)
        np.copyto(moved, 0.0, where=still)
    if branch < 0:
        np.negative(moved, out=moved)
        np.negative(new_std, out=new_std)
    moved += mean
    return moved, new_std


def _carried_std(std: Floats, z: Floats, moved: Floats, out: Floats) -> None:
    """Fill in `stretch` times the standard deviation: the root s of ``(1 + z²) s² − z D' s − std² = 0``."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        variance = np.multiply(std, std, out=out)
        q = z * z
        q += 1
        root = q * variance
        p = z * moved
        p *= 0.5
        root += p * p
    tiny, huge = SAFE_SQUARES
    if variance.min() < tiny or not root.max() < huge:
        return _carried_std_scaled(std, z, moved, out)
    np.sqrt(root, out=root)
    root += np.abs(p)
    crosses = p < 0  # there p + root would cancel: std²/(root − p) is the same number
    np.copyto(q, root, where=crosses)
    np.copyto(variance, root, where=~crosses)
    np.divide(variance, q, out=out)
    return None


def _carried_std_scaled(std: Floats, z: Floats, moved: Floats, out: Floats) -> None:
    """Do as `_carried_std` for numbers so small or large that their squares are not numbers: three times slower."""
    norm = np.hypot(z, 1.0)
    p = 0.5 * moved * (z / norm)
    larger = np.abs(p) + np.hypot(p, std)
    smaller = std * np.divide(std, larger, out=np.zeros_like(std), where=larger > 0)
    np.divide(np.where(p >= 0, larger, smaller), norm, out=out)


def _pair(name: str, first: ArrayLike, other: str, second: ArrayLike) -> tuple[Floats, Floats]:
    x, y = check.numbers(name, first), check.numbers(other, second)
    try:
        np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ValueError(
            f"{name} and {other} must have shapes that fit together, but they have {x.shape} and {y.shape}."
        ) from None
    return x, y


def norm(x: Floats) -> float:
    """Euclidean length of a vector, right for the smallest and the largest numbers too."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(x @ x)
    low, high = SAFE_SQUARES
    if low < squares < high:
        return float(np.sqrt(squares))
    largest = float(np.abs(x).max())
    if largest == 0 or not np.isfinite(largest):
        return largest
    scaled = x / largest
    return largest * float(np.sqrt(scaled @ scaled))


def turn(points: Floats, source: Floats, target: Floats, *, rotation: int = 1) -> Floats:
    """Turn points (rows) in the plane of two unit vectors so that ``source`` falls on ``target``.

    What is orthogonal to the plane stays. ``rotation=-1`` also mirrors the plane across ``target``: the paper's δ₂.
    """
    cosine = float(source @ target)
    across = _orthogonal(source, target, cosine)
    along = points @ source
    if across is None:  # one dimension: no plane to turn in, only a sign
        return np.multiply.outer(along, target)
    sine = float(across @ target)
    aside = points @ across
    out = points - np.multiply.outer(along, source) - np.multiply.outer(aside, across)
    out += np.multiply.outer(along, target)
    out += np.multiply.outer(rotation * aside, cosine * across - sine * source)
    return out


def _orthogonal(source: Floats, target: Floats, cosine: float) -> NDArray[np.float64] | None:
    """Return a unit vector orthogonal to ``source`` in its plane with ``target`` (any, where they are parallel)."""
    if source.size == 1:
        return None
    across = target - cosine * source
    if norm(across) < 1e-15:
        # Parallel: every orthogonal direction serves. The axis least along source gives one without cancellation.
        across = np.zeros_like(source)
        across[np.argmin(np.abs(source))] = 1.0
    for _ in range(2):  # once more, or rounding would leave it slightly askew
        across = across - (across @ source) * source
        across = across / norm(across)
    return across
