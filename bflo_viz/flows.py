"""One flow along one direction: how far it stretches a belief, what that costs, and in which regime it is.

Distances are *whitened*, that is, measured from the mean in prior standard deviations: ``u`` is where the sampled
weight was before its gradient step, ``v`` where it is afterwards.
"""

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats


def stretch(u: ArrayLike, v: ArrayLike, *, branch: int = 1, dim: int = 1) -> Any:
    """Return the stretch a* of the least-KL flow that carries ``u`` to ``v`` (equation of α in Theorem 1).

    Parameters
    ----------
    u, v
        Distances before and after the step, in standard deviations. Arrays broadcast.
    branch
        The paper's δ₁: ``+1`` is connected to the identity, ``-1`` reflects the belief through its mean.
    dim
        1 in the paper; the exact spherical flow in d dimensions has ``dim=d``.

    Examples
    --------
    >>> stretch(1.0, 1.0)      # nothing moved, so nothing changes
    1.0
    >>> round(stretch(1.0, 0.0), 4)      # pulled onto the mean: the belief narrows by 1/√2
    0.7071
    >>> stretch(0.0, 3.0)      # the mean itself moved: a translation
    1.0
    """
    branch, dim = check.sign("branch", branch), check.positive_int("dim", dim)
    u, v = check.numbers("u", u), check.numbers("v", v)
    with np.errstate(over="ignore"):
        a = stretch_root(u, v, branch, dim)
    if not np.isfinite(a).all():
        raise FloatingPointError("u and v must be distances in standard deviations with a product below 1e154.")
    return a if a.ndim else float(a)


def stretch_root(u: Any, v: Any, branch: int = 1, dim: int = 1) -> Floats:
    """Return the root of (dim + u²) a² − u v a − dim = 0 that has the sign of the branch, without any check."""
    p, q = branch * u * v / 2, dim + u * u
    large = np.abs(p) + np.sqrt(p * p + dim * q)
    a = np.where(p >= 0, large / q, dim / large)  # two forms of one root, each where it does not cancel
    return branch * np.where(u == branch * v, 1.0, a)


def stretch_kl(a: ArrayLike, u: ArrayLike, v: ArrayLike, *, dim: int = 1) -> Any:
    """Return KL(posterior ‖ prior) in nats of the flow that stretches by ``a`` and carries ``u`` to ``v``.

    ``½ (v − a u)² + ½ dim (a² − 1 − log a²)``: the first term is the price of the mean, the second that of the width.
    It is infinite at ``a = 0``, which separates the two branches.

    >>> stretch_kl(1.0, 1.0, 1.0)
    0.0
    """
    dim = check.positive_int("dim", dim)
    a, u, v = check.numbers("a", a), check.numbers("u", u), check.numbers("v", v)
    with np.errstate(over="ignore"):
        kl = np.asarray(0.5 * (v - a * u) ** 2 + dim * width_kl(a))
    return kl if kl.ndim else float(kl)


def width_kl(ratio: Floats) -> Floats:
    """Return ½ (ratio² − 1 − log ratio²), the KL in nats of two Gaussians that differ in width alone."""
    with np.errstate(divide="ignore"):
        return 0.5 * (ratio - 1) * (ratio + 1) - np.log(np.abs(ratio))


class Regime(StrEnum):
    """Regime of a one-dimensional update (section 3.2).

    ``contracting``: the weight moved towards the mean and stayed on its side, so the belief narrows.
    ``crossing``: it moved past the mean, and the further it went, the narrower the belief becomes.
    ``expanding``: it moved away from the mean, so the belief widens.
    ``unchanged``: it did not move, or it was the mean itself, and the belief keeps its width.
    """

    CONTRACTING = "contracting"
    CROSSING = "crossing"
    EXPANDING = "expanding"
    UNCHANGED = "unchanged"


def regime(delta: ArrayLike, delta_new: ArrayLike, *, branch: int = 1) -> Any:
    """Return the regime of the pair (Δ, Δ′): where the weight was, and is now, relative to the mean.

    A single pair gives a `Regime`; arrays give an array of names. On the reflected branch (``branch=-1``) the belief
    is turned over first, so the regime is that of (−Δ, Δ′).

    >>> regime(1.0, 0.5), regime(1.0, -0.5), regime(1.0, 2.0)
    (<Regime.CONTRACTING: 'contracting'>, <Regime.CROSSING: 'crossing'>, <Regime.EXPANDING: 'expanding'>)
    """
    delta = check.sign("branch", branch) * check.numbers("delta", delta)
    delta_new = check.numbers("delta_new", delta_new)
    side = np.sign(delta) * np.sign(delta_new)  # of the signs, because the product Δ Δ′ itself can underflow
    still, nearer = (delta == delta_new) | (delta == 0), np.abs(delta_new) < np.abs(delta)
    names = np.select(
        [still, side < 0, nearer], [Regime.UNCHANGED, Regime.CROSSING, Regime.CONTRACTING], Regime.EXPANDING
    )
    return names if names.ndim else Regime(str(names))
