"""Rounds of logistic regression."""

import math
from typing import Any

import numpy as np

from bflo_viz.kernels import Array, Rows, carry, draw, judge

FASTMATH = {"reassoc", "contract", "nsz"}  # sums may be reordered to vectorise; infinities and NaN keep their meaning
NARROWEST = math.log(2**-52)  # a covariance that one round narrows further along a direction is lost to rounding
_LANES = 4  # numbers that a processor moves at a time


def _predict(logit: Any, k: int, r: int, y: Array, out: Any) -> Any:
    """Probability of label 1; the first of the updates of round r also records the label and its loss."""
    z, loss = judge(logit, y[r] == 1)
    if k == 0:
        out[0][r], out[1][r] = z > 0.5, loss
    return z


def _stretch(u: Any, v: Any, dim: Any) -> Any:
    """`flows.stretch` for one pair of non-negative distances."""
    length = math.sqrt(dim + u * u)
    p = 0.5 * v * u / length
    return (p + math.sqrt(p * p + dim)) / length


def _dot(w: Any, rows: Rows, r: int) -> Any:
    x, columns, begin = rows
    total = 0.0
    for i in range(begin[r], begin[r + 1]):
        total += w[columns[i]] * x[i]
    return total


def langevin(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Stochastic gradient Langevin dynamics: half a gradient step of loss and prior, and noise on every weight.

    Without noise and prior it is gradient descent, and draws nothing.
    """
    (w,) = state
    eta, updates, noise, prior_precision = settings
    x, columns, begin = rows
    z = np.zeros(w.size)
    for r in range(y.size):
        for k in range(updates):
            logit = _dot(w, rows, r)
            prediction = _predict(logit, k, r, y, out)
            if noise != 0:
                draw(rng, z)
            if noise != 0 or prior_precision != 0:
                for i in range(w.size):
                    w[i] += noise * z[i] - 0.5 * eta * prior_precision * w[i]
            rate = 0.5 * eta * (prediction - y[r])
            for i in range(begin[r], begin[r + 1]):
                w[columns[i]] -= rate * x[i]


def belief_flow_diagonal(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Diagonal belief flow that draws and moves only the weights of non-zero inputs: the others cannot change."""
    mean, std = state
    eta, updates, non_expansive, min_std, _ = settings
    x, columns, begin = rows
    room = mean.size + _LANES
    z, some_x, some_mean, some_std = np.zeros(room), np.zeros(room), np.zeros(room), np.ones(room)
    for r in range(y.size):
        row, places = x[begin[r] : begin[r + 1]], columns[begin[r] : begin[r + 1]]
        every, end = row.size == mean.size, (row.size + _LANES - 1) // _LANES * _LANES
        for k in range(updates):
            logit = 0.0
            if every:
                draw(rng, z[: row.size])
                for j in range(row.size):
                    logit += (mean[j] + std[j] * z[j]) * row[j]
            else:  # collect the weights side by side, filled up to whole vectors with some that do not move
                for i in range(row.size):
                    j = places[i]
                    z[i], some_x[i], some_mean[i], some_std[i] = rng.standard_normal(), row[i], mean[j], std[j]
                    logit += (some_mean[i] + some_std[i] * z[i]) * row[i]
                for i in range(row.size, end):
                    some_x[i] = 0.0
            prediction = _predict(logit, k, r, y, out)
            rate = eta * (y[r] - prediction)
            if every:
                carry(mean, std, z, row, rate, non_expansive, min_std)
            else:
                carry(some_mean[:end], some_std, z, some_x, rate, non_expansive, min_std)
                for i in range(row.size):
                    j = places[i]
                    mean[j], std[j] = some_mean[i], some_std[i]


def belief_flow_spherical(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Spherical belief flow; ``std`` is an array of one number, ``dim`` that of the rule."""
    mean, std = state
    eta, updates, non_expansive, min_std, dim = settings
    x, columns, begin = rows
    z = np.empty(mean.size)
    for r in range(y.size):
        for k in range(updates):
            draw(rng, z)
            s = std[0]
            logit = _dot(mean, rows, r) + s * _dot(z, rows, r)
            prediction = _predict(logit, k, r, y, out)
            rate = eta * (y[r] - prediction)
            u = 0.0
            for j in range(mean.size):
                u += z[j] * z[j]
            # |z + step/s|² without a second pass over the weights whose input is zero
            v = u
            moves = False
            for i in range(begin[r], begin[r + 1]):
                step = rate * x[i] / s
                moves = moves or step != 0
                v += step * (2 * z[columns[i]] + step)
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
            for i in range(begin[r], begin[r + 1]):
                mean[columns[i]] += keep * rate * x[i]
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


def belief_flow_full(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Full belief flow: four matrix-vector products and two rank-one updates, fused where they read the same rows."""
    mean, factor, inverse, log_det, least = state
    eta, updates, non_expansive, _, _ = settings
    x, columns, begin = rows
    dim = mean.size
    S, T = _wide(factor), _wide(inverse)
    height, width = S.shape
    z, white, row, step = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    colored, column = np.empty(height), np.empty(height)
    for r in range(y.size):
        for k in range(updates):
            draw(rng, z[:dim])
            for i in range(0, height, 4):
                _dots(S, i, z, colored)
            logit = _dot(mean, rows, r) + _dot(colored, rows, r)
            prediction = _predict(logit, k, r, y, out)
            rate = eta * (y[r] - prediction)
            moves = False
            for i in range(begin[r], begin[r + 1]):
                step[columns[i]] = rate * x[i]
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
            for i in range(begin[r], begin[r + 1]):
                step[columns[i]] = 0.0
    factor[:], inverse[:] = S[:dim, :dim], T[:dim, :dim]


def herd_full(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """AROW and NHERD with covariance ``factor factorᵀ``: two matrix-vector products and one rank-one update."""
    mean, factor, log_det = state
    strength, herding, by_sample = settings
    x, columns, begin = rows
    dim = mean.size
    S = _wide(factor)
    height, width = S.shape
    filled = np.zeros(height)
    q, z, column = np.empty(width), np.empty(dim), np.empty(height)
    for r in range(y.size):
        for i in range(begin[r], begin[r + 1]):
            filled[columns[i]] = x[i]
        q[:] = 0.0
        for i in range(0, height, 4):
            if filled[i] != 0 or filled[i + 1] != 0 or filled[i + 2] != 0 or filled[i + 3] != 0:
                _add_rows(q, filled, S, i)
        for i in range(begin[r], begin[r + 1]):
            filled[columns[i]] = 0.0
        variance, margin = 0.0, _dot(mean, rows, r)
        for j in range(width):
            variance += q[j] * q[j]
        logit = margin
        if by_sample:  # x·(mean + S z) = margin + q·z
            draw(rng, z)
            for j in range(dim):
                logit += q[j] * z[j]
        _predict(logit, 0, r, y, out)
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            total, shrink, narrowing = herd(variance, strength, herding)
            pull = (1 - margin * side) / total
            for i in range(0, height, 4):
                _dots(S, i, q, column)
                _add_to_rows(S, i, -shrink, column, q)
            for j in range(dim):
                mean[j] += side * pull * column[j]
            log_det[0] += narrowing if narrowing > NARROWEST else -math.inf
    factor[:] = S[:dim, :dim]


def herd(variance: Any, strength: Any, herding: Any) -> Any:
    """What the hinge loss is divided by, for the move of the mean along Σx; c of the factor; and log(1 − c v)."""
    if herding:  # strength is NHERD's C
        return variance + 1 / strength, strength / (1 + strength * variance), -math.log1p(strength * variance)
    # strength is AROW's r; I − β q qᵀ = (I − c q qᵀ)², so that 1 − c v is the root of r/(v + r)
    shrink = (1 - math.sqrt(strength / (variance + strength))) / variance
    return variance + strength, shrink, -0.5 * math.log1p(variance / strength)


def herd_diagonal(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """AROW and NHERD with a diagonal covariance."""
    mean, variances, _ = state
    strength, herding, by_sample = settings
    x, columns, begin = rows
    z = np.zeros(mean.size)
    for r in range(y.size):
        if by_sample:
            draw(rng, z[: begin[r + 1] - begin[r]])
        margin, variance, seen = 0.0, 0.0, 0.0
        for i in range(begin[r], begin[r + 1]):
            j = columns[i]
            margin += mean[j] * x[i]
            variance += variances[j] * x[i] * x[i]
            seen += math.sqrt(variances[j]) * z[i - begin[r]] * x[i]
        _predict(margin + seen, 0, r, y, out)
        side = 2 * y[r] - 1
        if margin * side < 1 and variance > 0:
            pull = (1 - margin * side) / herd(variance, strength, herding)[0]
            for i in range(begin[r], begin[r + 1]):
                j = columns[i]
                mean[j] += side * pull * variances[j] * x[i]
                variances[j] = herd_variance(variances[j], x[i] * x[i], variance, strength, herding)


def herd_variance(s: Any, square: Any, variance: Any, strength: Any, herding: Any) -> Any:
    """New variance of one weight, or of each, if the covariance is diagonal."""
    if herding:
        return s / (1 + strength * square * s) ** 2
    # s − (s x)²/(v + r), without cancelling
    return s * (strength + np.maximum(variance - s * square, 0.0)) / (variance + strength)
