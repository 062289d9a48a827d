"""Whole blocks of rounds of logistic regression, compiled.

Every kernel takes the state as arrays that it changes in place, the rows of the stream, dense or compressed (no index
twice in a row), and the generator that it draws from. It writes the logit that each round predicted with.
"""

import math
from functools import cache
from typing import Any

import numpy as np

from bflo_viz.kernels import common
from bflo_viz.kernels.common import carry, draw, load

NARROWEST = math.log(2**-52)  # a covariance that one round narrows further along a direction is lost to rounding
_LANES = 4  # numbers that a processor moves at a time


def _sigmoid(t: Any) -> Any:
    e = math.exp(-abs(t))
    return (1.0 if t >= 0 else e) / (1 + e)


def _stretch(u: Any, v: Any, dim: Any) -> Any:
    """`flows.stretch` for one pair of non-negative distances."""
    length = math.sqrt(dim + u * u)
    p = 0.5 * v * u / length
    return (p + math.sqrt(p * p + dim)) / length


def _dot(w: Any, cols: Any, x: Any, count: Any) -> Any:
    total = 0.0
    for i in range(count):
        total += w[cols[i]] * x[i]
    return total


def langevin(  # type: ignore[no-untyped-def]
    w, rows, y, rng, eta, updates, noise, prior_precision, logits
):
    """Stochastic gradient Langevin dynamics: half a gradient step of loss and prior, and noise on every weight.

    Without noise and prior it is gradient descent, and draws nothing.
    """
    cols, x, z = np.empty(w.size, np.int64), np.empty(w.size), np.zeros(w.size)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        for k in range(updates):
            logit = _dot(w, cols, x, count)
            if k == 0:
                logits[r] = logit
            if noise != 0:
                draw(rng, z)
            if noise != 0 or prior_precision != 0:
                for i in range(w.size):
                    w[i] += noise * z[i] - 0.5 * eta * prior_precision * w[i]
            rate = 0.5 * eta * (_sigmoid(logit) - y[r])
            for i in range(count):
                w[cols[i]] -= rate * x[i]


def belief_flow_diagonal(  # type: ignore[no-untyped-def]
    mean, std, rows, y, rng, eta, updates, non_expansive, min_std, logits
):
    """Diagonal belief flow that draws and moves only the weights of non-zero inputs: the others cannot change."""
    dim = mean.size
    cols, x = np.empty(dim, np.int64), np.empty(dim)
    room = dim + _LANES
    z, step, some_mean, some_std = np.zeros(room), np.zeros(room), np.zeros(room), np.ones(room)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        m, s, end = mean, std, count
        if count < dim:  # side by side, and filled up to whole vectors with weights that do not move
            m, s, end = some_mean, some_std, (count + _LANES - 1) // _LANES * _LANES
            for i in range(count):
                m[i], s[i] = mean[cols[i]], std[cols[i]]
            step[count:end] = 0.0
        for k in range(updates):
            draw(rng, z[:count])
            logit = 0.0
            for i in range(count):
                logit += (m[i] + s[i] * z[i]) * x[i]
            if k == 0:
                logits[r] = logit
            rate = eta * (y[r] - _sigmoid(logit))
            for i in range(count):
                step[i] = rate * x[i]
            carry(m[:end], s[:end], z[:end], step[:end], non_expansive, min_std)
        if count < dim:
            for i in range(count):
                mean[cols[i]], std[cols[i]] = m[i], s[i]


def belief_flow_spherical(  # type: ignore[no-untyped-def]
    mean, std, rows, y, rng, eta, updates, non_expansive, min_std, dim, logits
):
    """Spherical belief flow; ``std`` is an array of one number, ``dim`` that of the rule."""
    cols, x, z = np.empty(mean.size, np.int64), np.empty(mean.size), np.empty(mean.size)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        for k in range(updates):
            draw(rng, z)
            s = std[0]
            logit = 0.0
            for i in range(count):
                logit += (mean[cols[i]] + s * z[cols[i]]) * x[i]
            if k == 0:
                logits[r] = logit
            rate = eta * (y[r] - _sigmoid(logit))
            u = 0.0
            for j in range(mean.size):
                u += z[j] * z[j]
            # |z + step/s|² without a second pass over the weights whose input is zero
            v = u
            moves = False
            for i in range(count):
                step = rate * x[i] / s
                moves = moves or step != 0
                v += step * (2 * z[cols[i]] + step)
            if not moves:
                std[0] = max(s, min_std)
                continue
            u, v = math.sqrt(u), math.sqrt(max(v, 0.0))
            a = _stretch(u, v, dim)
            if non_expansive:
                a = min(a, 1.0)
            # D' (1 − a u / v), where D' = s z + step; at v = 0 the direction is that of z
            keep = 1 - a * u / v if v > 0 else 0.0
            for j in range(mean.size):
                mean[j] += keep * s * z[j] - (a * s * z[j] if v == 0 else 0.0)
            for i in range(count):
                mean[cols[i]] += keep * rate * x[i]
            std[0] = max(a * s, min_std)


def _wide(matrix: Any) -> Any:
    """A copy with zeros added: matrices are read four rows at a time, so that a vector is loaded once for four."""
    rows, columns = matrix.shape
    wide = np.zeros(((rows + 3) // 4 * 4, (columns + 7) // 8 * 8))
    wide[:rows, :columns] = matrix
    return wide


def _dots(matrix: Any, i: Any, v: Any, out: Any) -> None:
    """Products of rows i to i + 3 with v."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(v.size):
        a += matrix[i, j] * v[j]
        b += matrix[i + 1, j] * v[j]
        c += matrix[i + 2, j] * v[j]
        d += matrix[i + 3, j] * v[j]
    out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d


def _add_rows(out: Any, scale: Any, matrix: Any, i: Any) -> None:
    """Add rows i to i + 3, each times its scale."""
    a, b, c, d = scale[i], scale[i + 1], scale[i + 2], scale[i + 3]
    for j in range(out.size):
        out[j] += a * matrix[i, j] + b * matrix[i + 1, j] + c * matrix[i + 2, j] + d * matrix[i + 3, j]


def _add_to_rows(matrix: Any, i: Any, factor: Any, scale: Any, v: Any) -> None:
    """Add v to rows i to i + 3, each times its scale and the common factor."""
    for row in range(i, i + 4):
        a = factor * scale[row]
        for j in range(v.size):
            matrix[row, j] += a * v[j]


def belief_flow_full(  # type: ignore[no-untyped-def]
    mean, factor, inverse, log_det, least, rows, y, rng, eta, updates, non_expansive, logits
):
    """Full belief flow: four matrix-vector products and two rank-one updates, fused where they read the same rows."""
    dim = mean.size
    S, T = _wide(factor), _wide(inverse)
    height, width = S.shape
    z, white, row, step = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    colored, column = np.empty(height), np.empty(height)
    cols, x = np.empty(dim, np.int64), np.empty(dim)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        for k in range(updates):
            draw(rng, z[:dim])
            for i in range(0, height, 4):
                _dots(S, i, z, colored)
            logit = _dot(mean, cols, x, count) + _dot(colored, cols, x, count)
            if k == 0:
                logits[r] = logit
            rate = eta * (y[r] - _sigmoid(logit))
            moves = False
            for i in range(count):
                step[cols[i]] = rate * x[i]
                moves = moves or rate * x[i] != 0
            if not moves:
                continue
            for i in range(0, height, 4):
                _dots(T, i, step, white)
            u, v = 0.0, 0.0
            for j in range(dim):
                white[j] += z[j]
                u += z[j] * z[j]
                v += white[j] * white[j]
            u, v = math.sqrt(u), math.sqrt(v)
            a = _stretch(u, v, 1.0)
            if non_expansive:
                a = min(a, 1.0)
            for j in range(width):  # at v = 0, w_new is the mean and the belief contracts along w
                white[j] = white[j] / v if v > 0 else z[j] / u
                row[j] = 0.0
            for i in range(0, height, 4):
                _dots(S, i, white, column)
                if a != 1:
                    _add_to_rows(S, i, a - 1, column, white)
                    _add_rows(row, white, T, i)
            for j in range(dim):
                mean[j] += colored[j] + step[j] - a * u * column[j]
            if a != 1:
                for i in range(0, height, 4):
                    _add_to_rows(T, i, 1 / a - 1, white, row)
                log_det[0] += math.log(a)
                least[0] *= min(a, 1.0)
            for i in range(count):
                step[cols[i]] = 0.0
    factor[:], inverse[:] = S[:dim, :dim], T[:dim, :dim]


def herd_full(  # type: ignore[no-untyped-def]
    mean, factor, log_det, rows, y, rng, strength, herding, by_sample, logits
):
    """AROW and NHERD with covariance ``factor factorᵀ``: two matrix-vector products and one rank-one update."""
    dim = mean.size
    S = _wide(factor)
    height, width = S.shape
    cols, x, filled = np.empty(dim, np.int64), np.empty(dim), np.zeros(height)
    q, z, column = np.empty(width), np.empty(dim), np.empty(height)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        for i in range(count):
            filled[cols[i]] = x[i]
        q[:] = 0.0
        for i in range(0, height, 4):
            if filled[i] != 0 or filled[i + 1] != 0 or filled[i + 2] != 0 or filled[i + 3] != 0:
                _add_rows(q, filled, S, i)
        for i in range(count):
            filled[cols[i]] = 0.0
        variance, margin = 0.0, _dot(mean, cols, x, count)
        for j in range(width):
            variance += q[j] * q[j]
        logits[r] = margin
        if by_sample:  # x·(mean + S z) = margin + q·z
            draw(rng, z)
            for j in range(dim):
                logits[r] += q[j] * z[j]
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            pull, shrink, narrowing = _herd(margin * side, variance, strength, herding)
            for i in range(0, height, 4):
                _dots(S, i, q, column)
                _add_to_rows(S, i, -shrink, column, q)
            for j in range(dim):
                mean[j] += side * pull * column[j]
            log_det[0] += narrowing if narrowing > NARROWEST else -math.inf
    factor[:] = S[:dim, :dim]


def _herd(margin: Any, variance: Any, strength: Any, herding: Any) -> Any:
    """How far along Σx the mean moves, c of the factor's update S' = S − c (S q) qᵀ, q = Sᵀx, and log(1 − c v)."""
    hinge = 1 - margin
    if herding:  # strength is NHERD's C
        narrowing = -math.log1p(strength * variance)
        return hinge / (variance + 1 / strength), strength / (1 + strength * variance), narrowing
    # strength is AROW's r; (I − β q qᵀ) = (I − c q qᵀ)²
    shrink = (1 - math.sqrt(strength / (variance + strength))) / variance
    return hinge / (variance + strength), shrink, -0.5 * math.log1p(variance / strength)


def herd_diagonal(  # type: ignore[no-untyped-def]
    mean, variances, rows, y, rng, strength, form, by_sample, logits
):
    """AROW (form 0) and NHERD (1 exact, 2 project, 3 drop) with a diagonal covariance."""
    cols, x, z = np.empty(mean.size, np.int64), np.empty(mean.size), np.zeros(mean.size)
    for r in range(y.size):
        count = load(r, rows, cols, x)
        if by_sample:
            draw(rng, z[:count])
        margin, variance, seen = 0.0, 0.0, 0.0
        for i in range(count):
            j = cols[i]
            margin += mean[j] * x[i]
            variance += variances[j] * x[i] * x[i]
            seen += math.sqrt(variances[j]) * z[i] * x[i]
        seen += margin
        logits[r] = seen
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            pull, _, _ = _herd(margin * side, variance, strength, form > 0)
            for i in range(count):
                j = cols[i]
                mean[j] += side * pull * variances[j] * x[i]
                variances[j] = _herd_variance(variances[j], x[i] * x[i], variance, strength, form)


def _herd_variance(s: Any, square: Any, variance: Any, strength: Any, form: Any) -> Any:
    """New variance of one weight: what is left of the diagonal of the full update."""
    if form == 0:
        return s * (strength + max(variance - s * square, 0.0)) / (variance + strength)
    if form == 1:
        return s / (1 + strength * square * s) ** 2
    gain = 2 * strength + strength * strength * variance
    if form == 2:
        return s / (1 + gain * square * s)
    return s * (1 + gain * max(variance - s * square, 0.0)) / (1 + strength * variance) ** 2


@cache
def compiled() -> dict[str, Any] | None:
    """The kernels above, compiled when first called and stored on disk; None where numba is not installed."""
    kernels = langevin, belief_flow_diagonal, belief_flow_spherical, belief_flow_full, herd_full, herd_diagonal
    helpers = _sigmoid, _stretch, _dot, _wide, _dots, _add_rows, _add_to_rows, _herd, _herd_variance
    # Sums may be reordered, so that they vectorise; infinities and NaN keep their meaning.
    return common.compiled(kernels, helpers, fastmath={"reassoc", "contract", "nsz"})
