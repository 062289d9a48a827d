"""Whole blocks of rounds of logistic regression, compiled.

Every kernel takes the state as arrays that it changes in place and the rows of the stream in compressed form
(``data``, ``indices``, ``indptr``; no index twice in a row), and writes the logit that each round predicted with.
Random numbers are an input: round r uses the normals of the stream ``keys[r]``, its update k those with the numbers
``k dim + j`` for the weights j.
"""

import math
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from bflo_viz.kernels import normals
from bflo_viz.kernels.normals import hash64, map64, map_pair64, normal64, philox, row64

_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(32)
NARROWEST = math.log(2**-52)  # a covariance that one round narrows further along a direction is lost to rounding
_LANES = 4  # loops over so many numbers at a time; rows are padded to whole vectors with inputs of zero


def _sigmoid(t: Any) -> Any:
    e = math.exp(-abs(t))
    return (1.0 if t >= 0 else e) / (1 + e)


def _carried(std: Any, z: Any, moved: Any) -> Any:
    """`flows.carry` for one weight: the new standard deviation; D' is ``moved``."""
    p = 0.5 * z * moved
    q = 1 + z * z
    larger = abs(p) + math.sqrt(p * p + q * std * std)
    return (larger if p >= 0 else std * std) / (q if p >= 0 else larger)


def _stretch(u: Any, v: Any, dim: Any) -> Any:
    """`flows.stretch` for one pair of non-negative distances."""
    length = math.sqrt(dim + u * u)
    p = 0.5 * v * u / length
    return (p + math.sqrt(p * p + dim)) / length


def _padded(count: Any) -> Any:
    return (count + _LANES - 1) // _LANES * _LANES


def _dot(w: Any, data: Any, indices: Any, start: Any, stop: Any) -> Any:
    total = 0.0
    for i in range(start, stop):
        total += w[indices[i]] * data[i]
    return total


def sgd(w, data, indices, indptr, y, eta, updates, logits):  # type: ignore[no-untyped-def]
    """Gradient descent."""
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        for k in range(updates):
            logit = _dot(w, data, indices, start, stop)
            if k == 0:
                logits[r] = logit
            rate = eta * (_sigmoid(logit) - y[r])
            for i in range(start, stop):
                w[indices[i]] -= rate * data[i]


def langevin(  # type: ignore[no-untyped-def]
    w, data, indices, indptr, y, keys, eta, updates, noise, prior_precision, logits
):
    """Stochastic gradient Langevin dynamics: half a gradient step of loss and prior, and noise on every weight."""
    z = np.empty(w.size)
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        for k in range(updates):
            logit = _dot(w, data, indices, start, stop)
            if k == 0:
                logits[r] = logit
            row64(keys[r] & _LOW, keys[r] >> _HIGH, k * w.size, z)
            for i in range(w.size):
                w[i] += noise * z[i] - 0.5 * eta * prior_precision * w[i]
            rate = 0.5 * eta * (_sigmoid(logit) - y[r])
            for i in range(start, stop):
                w[indices[i]] -= rate * data[i]


def _moves(mean: Any, std: Any, z: Any, x: Any, count: Any, rate: Any, non_expansive: Any, min_std: Any) -> None:
    """Carry weights along as each moves by ``rate x``; branch-free, so that it vectorises."""
    for j in range(count):
        step = rate * x[j]
        moved = z[j] * std[j] + step
        new = _carried(std[j], z[j], moved)
        new = min(new, std[j]) if non_expansive else new
        shift = moved - z[j] * new
        mean[j] += shift if step != 0 else 0.0
        std[j] = max(new, min_std) if step != 0 else std[j]


def belief_flow_diagonal(  # type: ignore[no-untyped-def]
    mean, std, data, indices, indptr, y, keys, eta, updates, non_expansive, min_std, logits
):
    """Diagonal belief flow that samples and moves only the weights of non-zero inputs: the others cannot change."""
    dim = mean.size
    room = dim + _LANES
    where, first, second = np.zeros(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.uint64)
    z, x, some_mean, some_std = np.empty(room), np.empty(room), np.empty(room), np.empty(room)
    for r in range(y.size):
        low, high = keys[r] & _LOW, keys[r] >> _HIGH
        start = indptr[r]
        count = indptr[r + 1] - start
        padded = _padded(count)
        for i in range(count):
            j = np.uint64(indices[start + i])
            where[i], x[i], some_mean[i], some_std[i] = j, data[start + i], mean[j], std[j]
        for i in range(count, padded):
            x[i], some_mean[i], some_std[i] = 0.0, 0.0, 1.0
        for k in range(updates):
            offset = np.uint64(k * dim)
            # Hashes first, then their maps: shorter loops, of which the processor has more in flight.
            for i in range(padded):
                first[i], second[i] = hash64(low, high, offset + where[i])
            for i in range(padded):
                z[i] = map64(first[i], second[i])
            logit = 0.0
            for i in range(padded):
                logit += (some_mean[i] + some_std[i] * z[i]) * x[i]
            if k == 0:
                logits[r] = logit
            _moves(some_mean, some_std, z, x, padded, eta * (y[r] - _sigmoid(logit)), non_expansive, min_std)
        for i in range(count):
            mean[where[i]], std[where[i]] = some_mean[i], some_std[i]


def belief_flow_diagonal_dense(  # type: ignore[no-untyped-def]
    mean, std, X, y, keys, eta, updates, non_expansive, min_std, logits
):
    """The same for dense rows: every weight, without look-ups."""
    dim = mean.size
    padded = _padded(dim)
    all_mean, all_std, x = np.zeros(padded), np.ones(padded), np.zeros(padded)
    all_mean[:dim], all_std[:dim] = mean, std
    pairs = _padded(dim // 2 + 1)
    drawn, one, other = np.empty(2 * pairs), np.empty(pairs, np.uint64), np.empty(pairs, np.uint64)
    for r in range(y.size):
        low, high = keys[r] & _LOW, keys[r] >> _HIGH
        for j in range(dim):
            x[j] = X[r, j]
        for k in range(updates):
            first = np.uint64(k * dim // 2)
            for j in range(pairs):
                one[j], other[j] = philox(low, high, first + np.uint64(j))
            for j in range(pairs):
                drawn[2 * j], drawn[2 * j + 1] = map_pair64(one[j], other[j])
            if k * dim % 2 == 1:  # this update's numbers start with the second of a pair
                for j in range(dim):
                    drawn[j] = drawn[j + 1]
            logit = 0.0
            for j in range(padded):
                logit += (all_mean[j] + all_std[j] * drawn[j]) * x[j]
            if k == 0:
                logits[r] = logit
            _moves(all_mean, all_std, drawn, x, padded, eta * (y[r] - _sigmoid(logit)), non_expansive, min_std)
    mean[:], std[:] = all_mean[:dim], all_std[:dim]


def belief_flow_spherical(  # type: ignore[no-untyped-def]
    mean, std, data, indices, indptr, y, keys, eta, updates, non_expansive, min_std, dim, logits
):
    """Spherical belief flow; ``std`` is an array of one number, ``dim`` that of the rule."""
    z = np.empty(mean.size)
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        for k in range(updates):
            row64(keys[r] & _LOW, keys[r] >> _HIGH, k * mean.size, z)
            s = std[0]
            logit = 0.0
            for i in range(start, stop):
                logit += (mean[indices[i]] + s * z[indices[i]]) * data[i]
            if k == 0:
                logits[r] = logit
            rate = eta * (y[r] - _sigmoid(logit))
            u = 0.0
            for j in range(mean.size):
                u += z[j] * z[j]
            # |z + step/s|² without a second pass over the weights whose input is zero
            v = u
            moves = False
            for i in range(start, stop):
                step = rate * data[i] / s
                moves = moves or step != 0
                v += step * (2 * z[indices[i]] + step)
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
            for i in range(start, stop):
                mean[indices[i]] += keep * rate * data[i]
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
    mean, factor, inverse, log_det, least, data, indices, indptr, y, keys, eta, updates, non_expansive, logits
):
    """Full belief flow: four matrix-vector products and two rank-one updates, fused where they read the same rows."""
    dim = mean.size
    S, T = _wide(factor), _wide(inverse)
    rows, width = S.shape
    z, white, row, step = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    colored, column = np.empty(rows), np.empty(rows)
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        for k in range(updates):
            row64(keys[r] & _LOW, keys[r] >> _HIGH, k * dim, z[:dim])
            for i in range(0, rows, 4):
                _dots(S, i, z, colored)
            logit = _dot(mean, data, indices, start, stop) + _dot(colored, data, indices, start, stop)
            if k == 0:
                logits[r] = logit
            rate = eta * (y[r] - _sigmoid(logit))
            moves = False
            for i in range(start, stop):
                step[indices[i]] = rate * data[i]
                moves = moves or rate * data[i] != 0
            if not moves:
                continue
            for i in range(0, rows, 4):
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
            for i in range(0, rows, 4):
                _dots(S, i, white, column)
                if a != 1:
                    _add_to_rows(S, i, a - 1, column, white)
                    _add_rows(row, white, T, i)
            for j in range(dim):
                mean[j] += colored[j] + step[j] - a * u * column[j]
            if a != 1:
                for i in range(0, rows, 4):
                    _add_to_rows(T, i, 1 / a - 1, white, row)
                log_det[0] += math.log(a)
                least[0] *= min(a, 1.0)
            for i in range(start, stop):
                step[indices[i]] = 0.0
    factor[:], inverse[:] = S[:dim, :dim], T[:dim, :dim]


def herd_full(  # type: ignore[no-untyped-def]
    mean, factor, log_det, data, indices, indptr, y, keys, strength, herding, by_sample, logits
):
    """AROW and NHERD with covariance ``factor factorᵀ``: two matrix-vector products and one rank-one update."""
    dim = mean.size
    S = _wide(factor)
    rows, width = S.shape
    x, q, z, column = np.zeros(rows), np.empty(width), np.empty(dim), np.empty(rows)
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        for i in range(start, stop):
            x[indices[i]] = data[i]
        q[:] = 0.0
        for i in range(0, rows, 4):
            if x[i] != 0 or x[i + 1] != 0 or x[i + 2] != 0 or x[i + 3] != 0:
                _add_rows(q, x, S, i)
        for i in range(start, stop):
            x[indices[i]] = 0.0
        variance, margin = 0.0, _dot(mean, data, indices, start, stop)
        for j in range(width):
            variance += q[j] * q[j]
        logits[r] = margin
        if by_sample:  # x·(mean + S z) = margin + q·z
            row64(keys[r] & _LOW, keys[r] >> _HIGH, 0, z)
            for j in range(dim):
                logits[r] += q[j] * z[j]
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            pull, shrink, narrowing = _herd(margin * side, variance, strength, herding)
            for i in range(0, rows, 4):
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
    mean, variances, data, indices, indptr, y, keys, strength, form, by_sample, logits
):
    """AROW (form 0) and NHERD (1 exact, 2 project, 3 drop) with a diagonal covariance."""
    for r in range(y.size):
        start, stop = indptr[r], indptr[r + 1]
        margin, variance, seen = 0.0, 0.0, 0.0
        for i in range(start, stop):
            j = indices[i]
            margin += mean[j] * data[i]
            variance += variances[j] * data[i] * data[i]
            if by_sample:
                seen += math.sqrt(variances[j]) * normal64(keys[r] & _LOW, keys[r] >> _HIGH, j) * data[i]
        seen += margin
        logits[r] = seen
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            pull, _, _ = _herd(margin * side, variance, strength, form > 0)
            for i in range(start, stop):
                j = indices[i]
                mean[j] += side * pull * variances[j] * data[i]
                variances[j] = _herd_variance(variances[j], data[i] * data[i], variance, strength, form)


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
def compiled() -> Any:
    """The kernels above, compiled when first called and kept on disk; None where numba is not installed."""
    if normals.enable_numba() is None:
        return None
    from numba.extending import register_jitable

    vectors = (_sigmoid, _carried, _moves, _padded, _stretch, _dot, _herd, _herd_variance)
    for helper in (*vectors, _wide, _dots, _add_rows, _add_to_rows):
        register_jitable(helper)
    # Sums may be reordered, so that they vectorise; infinities and NaN keep their meaning.
    options = {"error_model": "numpy", "nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}
    flows = belief_flow_diagonal, belief_flow_diagonal_dense, belief_flow_spherical, belief_flow_full
    kernels = sgd, langevin, *flows, herd_full, herd_diagonal
    return SimpleNamespace(**{kernel.__name__: normals.compiled(kernel, **options) for kernel in kernels})
