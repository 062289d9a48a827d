"""Every state of a run of logistic regression over two weights, in plain numbers.

The kernels of `logistic` keep only the last state. Here a round is written out for two weights, with their formulas
and in their order: thousands of rounds take some milliseconds without numba, whose import alone takes longer. Random
numbers are an input: row r of ``z`` holds the normals of round r.
"""

from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import Floats
from bflo_viz.kernels import normals
from bflo_viz.kernels.logistic import _carried, _sigmoid, _stretch


class Trace(NamedTuple):
    """What a run leaves behind: one row before the first round and one after each.

    ``width`` is the standard deviation of a spherical belief, those of a diagonal one, or the factor of a full one
    row by row; it is empty for SGD. ``stretch`` has that of each round of a full flow, and is empty otherwise.
    """

    mean: Floats
    width: Floats
    logits: Floats
    stretch: Floats


def normals_of(keys: NDArray[np.uint64]) -> Floats:
    """The two standard normal numbers that a round with such a key draws, one row a round."""
    low, high = keys & np.uint64(0xFFFFFFFF), keys >> np.uint64(32)
    return np.column_stack(normals.pair64(low, high, np.uint64(0)))


def trace_sgd(w: Floats, X: Floats, y: NDArray[np.int64], eta: float) -> Trace:
    """Gradient descent from ``w``."""
    w0, w1 = map(float, w)
    kept, logits = [w0, w1], []
    for x0, x1, label in zip(*X.T.tolist(), y.tolist(), strict=True):
        logit = w0 * x0 + w1 * x1
        rate = eta * (label - _sigmoid(logit))
        w0 += rate * x0
        w1 += rate * x1
        kept += (w0, w1)
        logits.append(logit)
    return _trace(kept, [], logits)


def trace_diagonal(
    mean: Floats, std: Floats, X: Floats, y: NDArray[np.int64], z: Floats, eta: float, non_expansive: bool
) -> Trace:
    """Diagonal belief flow."""
    (m0, m1), (s0, s1) = map(float, mean), map(float, std)
    kept, widths, logits = [m0, m1], [s0, s1], []
    for x0, x1, label, z0, z1 in zip(*X.T.tolist(), y.tolist(), *z.T.tolist(), strict=True):
        logit = (m0 + s0 * z0) * x0 + (m1 + s1 * z1) * x1
        rate = eta * (label - _sigmoid(logit))
        m0, s0 = _moved(m0, s0, z0, rate * x0, non_expansive)
        m1, s1 = _moved(m1, s1, z1, rate * x1, non_expansive)
        kept += (m0, m1)
        widths += (s0, s1)
        logits.append(logit)
    return _trace(kept, widths, logits)


def _moved(mean: float, std: float, z: float, step: float, non_expansive: bool) -> tuple[float, float]:
    """Carry one weight of a diagonal belief along with the step of its sample."""
    if step == 0:
        return mean, std
    moved = z * std + step
    new = _carried(std, z, moved)
    if non_expansive:
        new = min(new, std)
    return mean + (moved - z * new), new


def trace_spherical(
    mean: Floats, std: float, X: Floats, y: NDArray[np.int64], z: Floats, eta: float, non_expansive: bool
) -> Trace:
    """Spherical belief flow, by the rule as it is printed."""
    (m0, m1), s = map(float, mean), float(std)
    kept, widths, logits = [m0, m1], [s], []
    for x0, x1, label, z0, z1 in zip(*X.T.tolist(), y.tolist(), *z.T.tolist(), strict=True):
        logit = (m0 + s * z0) * x0 + (m1 + s * z1) * x1
        rate = eta * (label - _sigmoid(logit))
        d0, d1 = rate * x0, rate * x1
        if d0 or d1:
            u, v = hypot(z0, z1), hypot(z0 + d0 / s, z1 + d1 / s)
            a = _stretch(u, v, 1.0)
            if non_expansive:
                a = min(a, 1.0)
            if v > 0:
                keep = 1 - a * u / v
                m0 += keep * (s * z0 + d0)
                m1 += keep * (s * z1 + d1)
            else:  # w_new is the mean: the belief contracts along w
                m0 -= a * s * z0
                m1 -= a * s * z1
            s *= a
        kept += (m0, m1)
        widths.append(s)
        logits.append(logit)
    return _trace(kept, widths, logits)


def trace_full(
    mean: Floats, factor: Floats, X: Floats, y: NDArray[np.int64], z: Floats, eta: float, non_expansive: bool
) -> Trace:
    """Full belief flow: factor S and its inverse T change by rank one along the whitened direction e."""
    (m0, m1), (s00, s01, s10, s11) = map(float, mean), map(float, np.ravel(factor))
    t00, t01, t10, t11 = map(float, np.linalg.inv(factor).ravel())
    kept, widths, logits, stretches = [m0, m1], [s00, s01, s10, s11], [], []
    for x0, x1, label, z0, z1 in zip(*X.T.tolist(), y.tolist(), *z.T.tolist(), strict=True):
        c0, c1 = s00 * z0 + s01 * z1, s10 * z0 + s11 * z1
        logit = (m0 + c0) * x0 + (m1 + c1) * x1
        rate = eta * (label - _sigmoid(logit))
        d0, d1 = rate * x0, rate * x1
        a = 1.0
        if d0 or d1:
            e0, e1 = z0 + t00 * d0 + t01 * d1, z1 + t10 * d0 + t11 * d1
            u, v = hypot(z0, z1), hypot(e0, e1)
            a = _stretch(u, v, 1.0)
            if non_expansive:
                a = min(a, 1.0)
            # At v = 0, w_new is the mean and the belief contracts along w.
            e0, e1 = (e0 / v, e1 / v) if v > 0 else (z0 / u, z1 / u)
            p0, p1 = s00 * e0 + s01 * e1, s10 * e0 + s11 * e1
            q0, q1 = e0 * t00 + e1 * t10, e0 * t01 + e1 * t11
            m0 += c0 + d0 - a * u * p0
            m1 += c1 + d1 - a * u * p1
            gain, loss = a - 1, 1 / a - 1
            s00, s01, s10, s11 = (
                s00 + gain * p0 * e0,
                s01 + gain * p0 * e1,
                s10 + gain * p1 * e0,
                s11 + gain * p1 * e1,
            )
            t00, t01, t10, t11 = (
                t00 + loss * e0 * q0,
                t01 + loss * e0 * q1,
                t10 + loss * e1 * q0,
                t11 + loss * e1 * q1,
            )
        kept += (m0, m1)
        widths += (s00, s01, s10, s11)
        logits.append(logit)
        stretches.append(a)
    return _trace(kept, widths, logits, stretches)


def _trace(
    kept: list[float], widths: list[float], logits: list[float], stretches: list[float] | None = None
) -> Trace:
    """Rows of the flat lists: numbers alone, so that Python's garbage collector has nothing to look through."""
    states, shape = len(kept) // 2, () if len(widths) == len(kept) // 2 else (-1,)
    width = np.array(widths).reshape(states, *shape) if widths else np.empty((states, 0))
    return Trace(np.array(kept).reshape(-1, 2), width, np.array(logits), np.array(stretches or [], dtype=np.float64))
