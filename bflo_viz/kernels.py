"""Passes over a stream that numba compiles when they are first called, with their randomness passed in.

A pass takes the state of a learner as arrays, which it changes in place; the rows of the stream, compressed (inputs
that are not zero, their columns, and where each row begins); their labels; the generator; its settings; and arrays
for what it predicts before any update, a label and a loss for each round. Passes draw NumPy's numbers to the bit, by
the rule that `Learner` states, and check nothing. All of them stand in this one file, because numba compiles a pass
anew when its own file has changed, but not when a function that it calls in another file has.
"""

import math
from collections.abc import Callable
from functools import cache
from inspect import isfunction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rows = tuple[Array, Array, Array]
RNG = np.random.Generator
AROW, NHERD, KALMAN = range(3)  # kinds of `confidence_update`


# --- shared ---------------------------------------------------------------------------------------------------------
def judge(logit: float, right: bool) -> tuple[float, float]:
    """Return the sigmoid z of a logit, and the loss ``−log z`` or ``−log(1 − z)``, finite at any logit."""
    small = np.exp(-abs(logit))
    return (1.0 if logit >= 0 else small) / (1.0 + small), max(-logit if right else logit, 0.0) + np.log1p(small)


def predict(logit: float, first: bool, r: int, y: Array, out: Any) -> float:
    """Return the probability of label 1; the first update of round r also records its label and loss."""
    z, loss = judge(logit, y[r] == 1)
    if first:
        out[0][r], out[1][r] = z > 0.5, loss
    return z


def draw(rng: RNG, out: Array, n: int) -> None:
    """Fill in n standard normals, drawn as doubles whatever ``out`` holds."""
    for i in range(n):
        out[i] = rng.standard_normal()


def add(out: Array, scale: Any, x: Array) -> None:
    """Add a multiple of x."""
    for i in range(x.size):
        out[i] += scale * x[i]


def flow_gaussian(mean: Array, std: Array, z: Array, x: Array, rate: Any, non_expansive: bool, floor: Any) -> None:
    """Carry Gaussians along as each weight ``mean + z std`` moves by ``rate x``: `DiagonalBelief.flow`, in place."""
    zero, half, one = mean.dtype.type(0), mean.dtype.type(0.5), mean.dtype.type(1)
    for i in range(x.size):
        u, sigma, step = z[i], std[i], rate * x[i]
        moved = u * sigma + step
        p, q, variance = half * u * moved, one + u * u, sigma * sigma
        big = abs(p) + np.sqrt(p * p + q * variance)  # the root that cannot cancel
        crosses = p < zero
        s = (variance if crosses else big) / (big if crosses else q)
        s = min(s, sigma) if non_expansive else s
        still = step == zero  # then the Gaussian stays as it is, to the bit
        mean[i] += zero if still else moved - u * s
        std[i] = sigma if still else max(s, floor)


# --- logistic regression --------------------------------------------------------------------------------------------
def descent_pass(w: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Gradient descent; with noise or a prior, Langevin dynamics: w ← w − rate (gradient + precision w) + noise z."""
    rate, updates, noise, precision = settings
    x, columns, begin = rows
    z = np.zeros(w.size)
    for r in range(y.size):
        for k in range(updates):
            logit = 0.0
            for i in range(begin[r], begin[r + 1]):
                logit += w[columns[i]] * x[i]
            step = rate * (predict(logit, k == 0, r, y, out) - y[r])
            if noise != 0:
                draw(rng, z, z.size)
            if noise != 0 or precision != 0:
                for j in range(w.size):
                    w[j] += noise * z[j] - rate * precision * w[j]
            for i in range(begin[r], begin[r + 1]):
                w[columns[i]] -= step * x[i]


def diagonal_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Diagonal belief flow, which draws and moves only weights of non-zero inputs: the others cannot change."""
    rate, updates, non_expansive, floor, _ = settings
    data, columns, begin = rows
    z, m, s = np.empty(mean.size), np.empty(mean.size), np.empty(mean.size)
    for r in range(y.size):
        a, x = begin[r], data[begin[r] : begin[r + 1]]
        for k in range(updates):
            draw(rng, z, x.size)
            logit = 0.0
            if x.size == mean.size:
                for i in range(x.size):
                    logit += (mean[i] + std[i] * z[i]) * x[i]
            else:  # gather the weights side by side
                for i in range(x.size):
                    m[i], s[i] = mean[columns[a + i]], std[columns[a + i]]
                    logit += (m[i] + s[i] * z[i]) * x[i]
            step = rate * (y[r] - predict(logit, k == 0, r, y, out))
            if x.size == mean.size:
                flow_gaussian(mean, std, z, x, step, non_expansive, floor)
            else:
                flow_gaussian(m, s, z, x, step, non_expansive, floor)
                for i in range(x.size):
                    mean[columns[a + i]], std[columns[a + i]] = m[i], s[i]


def stretch(u: float, v: float, dim: float) -> float:
    """Return the paper's a* for distances u, v ≥ 0: root of ``(dim + u²) a² − u v a − dim = 0``."""
    p, q = 0.5 * u * v, dim + u * u
    return (p + math.sqrt(p * p + dim * q)) / q


def spherical_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Spherical belief flow; ``std`` holds one number, and ``dim`` is that of `stretch`."""
    rate, updates, non_expansive, floor, dim = settings
    x, columns, begin = rows
    z = np.empty(mean.size)
    for r in range(y.size):
        for k in range(updates):
            draw(rng, z, z.size)
            s, logit, u = std[0], 0.0, 0.0
            for i in range(begin[r], begin[r + 1]):
                logit += (mean[columns[i]] + s * z[columns[i]]) * x[i]
            step = rate * (y[r] - predict(logit, k == 0, r, y, out))
            std[0] = max(s, floor)
            if step == 0 or begin[r] == begin[r + 1]:
                continue
            for j in range(z.size):
                u += z[j] * z[j]
            v = u
            for i in range(begin[r], begin[r + 1]):  # v² = |z + step x / s|²
                v += step * x[i] / s * (2 * z[columns[i]] + step * x[i] / s)
            u, v = math.sqrt(u), math.sqrt(max(v, 0.0))
            a = stretch(u, v, dim)
            a = min(a, 1.0) if non_expansive else a
            keep = 1 - a * u / v if v > 0 else 0.0  # mean + (1 − a u/v) D′, where D′ = s z + step x; −a s z at v = 0
            add(mean, keep * s if v > 0 else -a * s, z)
            for i in range(begin[r], begin[r + 1]):
                mean[columns[i]] += keep * step * x[i]
            std[0] = max(a * s, floor)


# Matrices are read four rows at a time, so that a vector is loaded once for four; their number is filled up with
# zeros.
def padded(M: Array) -> Array:
    """Return a copy with zeros added."""
    wide = np.zeros(((len(M) + 3) // 4 * 4, (len(M) + 7) // 8 * 8))
    wide[: len(M), : len(M)] = M
    return wide


def times(M: Array, i: int, v: Array, out: Array) -> None:
    """Multiply rows i to i + 3 by v."""
    a = b = c = d = 0.0
    for j in range(v.size):
        a += M[i, j] * v[j]
        b += M[i + 1, j] * v[j]
        c += M[i + 2, j] * v[j]
        d += M[i + 3, j] * v[j]
    out[i], out[i + 1], out[i + 2], out[i + 3] = a, b, c, d


def add_rows(out: Array, scale: Array, M: Array, i: int) -> None:
    """Add rows i to i + 3, each times its scale."""
    a, b, c, d = scale[i], scale[i + 1], scale[i + 2], scale[i + 3]
    for j in range(out.size):
        out[j] += a * M[i, j] + b * M[i + 1, j] + c * M[i + 2, j] + d * M[i + 3, j]


def add_outer(M: Array, i: int, factor: float, scale: Array, v: Array) -> None:
    """Add v to rows i to i + 3, each times its scale and the common factor."""
    for row in range(i, i + 4):
        a = factor * scale[row]
        for j in range(v.size):
            M[row, j] += a * v[j]


def full_pass(mean: Array, S0: Array, T0: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Full belief flow by Theorem 1, as a rank-one change of the factor S and of its inverse T."""
    rate, updates, non_expansive, _, _ = settings
    x, columns, begin = rows
    S, T, dim = padded(S0), padded(T0), mean.size
    height, width = S.shape
    z, e, row, step = np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width)
    D, column = np.empty(height), np.empty(height)
    for r in range(y.size):
        for k in range(updates):
            draw(rng, z, dim)
            for i in range(0, height, 4):  # D = w − mean
                times(S, i, z, D)
            logit = u = v = 0.0
            for i in range(begin[r], begin[r + 1]):
                logit += (mean[columns[i]] + D[columns[i]]) * x[i]
            slope = rate * (y[r] - predict(logit, k == 0, r, y, out))
            if slope == 0 or begin[r] == begin[r + 1]:
                continue
            for i in range(begin[r], begin[r + 1]):
                step[columns[i]] = slope * x[i]
            for i in range(0, height, 4):
                times(T, i, step, e)
            for j in range(dim):  # T D′ = z + T step
                e[j] += z[j]
                u += z[j] * z[j]
                v += e[j] * e[j]
            u, v = math.sqrt(u), math.sqrt(v)
            a = stretch(u, v, 1.0)
            a = min(a, 1.0) if non_expansive else a
            for j in range(width):  # the direction that is stretched; at v = 0 the belief contracts along w
                e[j] = e[j] / v if v > 0 else z[j] / u
                row[j] = 0.0
            for i in range(0, height, 4):  # S′ = S + (a − 1) (S e) eᵀ
                times(S, i, e, column)
                if a != 1:
                    add_outer(S, i, a - 1, column, e)
                    add_rows(row, e, T, i)
            for i in range(0, height if a != 1 else 0, 4):  # T′ = T + (1/a − 1) e (eᵀ T)
                add_outer(T, i, 1 / a - 1, e, row)
            for j in range(dim):
                mean[j] += D[j] + step[j] - a * u * column[j]
                step[j] = 0.0
    S0[:], T0[:] = S[:dim, :dim], T[:dim, :dim]


def confidence_update(kind: int, y: int, margin: float, v: float, strength: float) -> tuple[float, float, float]:
    """Return what a label does to a Gaussian with v = xᵀΣx: the gain of the mean along Σx; c of the new factor
    S − c (S q) qᵀ, where q = Sᵀx and |q|² = v; and the strength for `confidence_variance`.
    """  # noqa: D205
    side, gain, left = 2 * y - 1, 0.0, 1.0  # 1 − c v is left of the factor along q
    if kind == KALMAN:  # gain (y − p)/(1 + r v) with r = p (1 − p), and Σ' = Σ − Σx xᵀΣ r/(1 + r v)
        p, _ = judge(margin, True)
        strength = p * (1 - p)
        gain, left = (y - p) / (1 + strength * v), 1 / math.sqrt(1 + strength * v)
    elif margin * side < 1 and kind == AROW:  # Σ' = Σ − Σx xᵀΣ/(v + r)
        gain, left = (side - margin) / (v + strength), math.sqrt(strength / (v + strength))
    elif margin * side < 1:  # NHERD: Σ' = A Σ Aᵀ with A = I − C Σx xᵀ/(1 + C v)
        gain, left = (side - margin) / (v + 1 / strength), 1 / (1 + strength * v)
    shrink = (1 - left) / v if v > 0 else 0.0
    return gain, shrink if left > 2**-52 else math.nan, strength  # less would be lost to rounding


def confidence_variance(kind: int, s: Any, square: Any, v: float, strength: float) -> Any:
    """Return the new variance of a weight by itself, whose input has this square."""
    if kind == AROW:  # s − (s x)²/(v + r), without cancelling
        return s * (strength + np.maximum(v - s * square, 0.0)) / (v + strength)
    return s / (1 + strength * square * s) ** (2 if kind == NHERD else 1)


def confidence_pass(mean: Array, factor: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """AROW, NHERD and the extended Kalman filter, with covariance ``S Sᵀ``: a rank-one change of the factor."""
    kind, strength, by_sample, process_noise = settings
    x, columns, begin = rows
    S, dim = padded(factor), mean.size
    height, width = S.shape
    dense, q, z, column = np.zeros(height), np.empty(width), np.empty(dim), np.empty(height)
    for r in range(y.size):
        if process_noise > 0:
            S[:dim, :dim] = np.linalg.cholesky(S[:dim] @ S[:dim].T + process_noise * np.eye(dim))
        margin = v = away = 0.0
        for i in range(begin[r], begin[r + 1]):
            margin += mean[columns[i]] * x[i]
            dense[columns[i]] = x[i]
        q[:] = 0.0
        for i in range(0, height, 4):
            if dense[i] != 0 or dense[i + 1] != 0 or dense[i + 2] != 0 or dense[i + 3] != 0:
                add_rows(q, dense, S, i)
        for i in range(begin[r], begin[r + 1]):
            dense[columns[i]] = 0.0
        if by_sample:  # x · (mean + S z)
            draw(rng, z, dim)
            for j in range(dim):
                away += q[j] * z[j]
        for j in range(dim):
            v += q[j] * q[j]
        predict(margin + away, True, r, y, out)
        gain, shrink, _ = confidence_update(kind, y[r], margin, v, strength)
        moves = v > 0 and (gain != 0 or shrink != 0)
        for i in range(0, height if moves else 0, 4):
            times(S, i, q, column)  # Σx = S q
            add_outer(S, i, -shrink, column, q)
        for j in range(dim if moves else 0):
            mean[j] += gain * column[j]
    factor[:] = S[:dim, :dim]


def confidences_pass(mean: Array, var: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """AROW, NHERD and the extended Kalman filter, with independent weights."""
    kind, strength, by_sample, process_noise = settings
    x, columns, begin = rows
    z = np.zeros(mean.size)
    for r in range(y.size):
        a, n = begin[r], begin[r + 1] - begin[r]
        for j in range(mean.size if process_noise > 0 else 0):
            var[j] += process_noise
        if by_sample:
            draw(rng, z, n)
        margin = v = away = 0.0
        for i in range(n):
            s = var[columns[a + i]]
            margin += mean[columns[a + i]] * x[a + i]
            v += s * x[a + i] * x[a + i]
            away += math.sqrt(s) * z[i] * x[a + i]
        predict(margin + away, True, r, y, out)
        gain, shrink, power = confidence_update(kind, y[r], margin, v, strength)
        for i in range(a, a + n if v > 0 and (gain != 0 or shrink != 0) else a):
            s = var[columns[i]]
            mean[columns[i]] += gain * s * x[i]
            var[columns[i]] = confidence_variance(kind, s, x[i] * x[i], v, power)


# --- networks, in float32 or float64 --------------------------------------------------------------------------------
# Weights are flat, as `MLP` lays them out. The inputs of a layer are a list of units and their values, the bias being
# one more unit of value 1. Zero pixels and dropped units are not in it, so their weights are neither drawn nor moved.
def network_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Diagonal belief flow, if there is a ``std``; else gradient descent with dropout, or with noise and a prior."""
    sizes, bias, rate, updates, (non_expansive, floor), (noise, precision), rates, shown = settings
    units, wide, real, flows, drops = sizes[1:], sizes.max() + 1, mean.dtype.type, std.size > 0, max(rates) > 0
    which, value = np.empty((units.size, wide), np.int64), np.empty((units.size, wide), mean.dtype)
    delta = np.empty((units.size, wide), mean.dtype)  # logits of units, and then the derivatives of the loss by them
    net = sizes, bias, which, value, np.empty(units.size, np.int64), delta.ravel(), wide
    w = mean.copy() if flows else mean
    z = np.zeros(mean.size if flows or noise > 0 or precision > 0 else 0, mean.dtype)
    for r in range(y.size):
        if drops:  # the mean network predicts
            forward(net, rows, r, w, mean, std, z, rng, rates, False)
            record(net, r, y, out)
        for k in range(updates):
            forward(net, rows, r, w, mean, std, z, rng, rates, drops)
            if k == 0 and not drops:
                record(net, r, y, out)
            backward(net, w, y[r])
            if k == 0 and shown.size > 0:  # the sample, and where its step leads
                shown[0], shown[1] = w, w
                move(net, shown[1], std[:0], z, w, rate, non_expansive, real(floor))
            if noise > 0:
                draw(rng, z, z.size)
            for j in range(0 if flows else z.size):
                w[j] = real(1 - rate * precision) * w[j] + real(noise) * z[j]
            move(net, mean, std, z, w, rate, non_expansive, real(floor))


def counts(rate: float, drawn: bool, rng: RNG) -> float:
    """Return the share of a unit that counts: 1 or 0 if it is drawn, else the mean."""
    return (1.0 if rate == 0 or rng.random() >= rate else 0.0) if drawn else 1 - rate


def forward(
    net: Any, rows: Rows, r: int, w: Array, mean: Array, std: Array, z: Array, rng: RNG, rates: Any, drawn: bool
) -> None:
    """Pass row r up to the logits of the outputs; what is random is drawn on the way, in index order."""
    sizes, bias, which, value, count, delta, wide = net
    (x, columns, begin), real = rows, value.dtype.type
    n = start = 0
    for i in range(begin[r], begin[r + 1]):
        share = counts(rates[0], drawn, rng)
        which[0, n], value[0, n] = columns[i], x[i] * real(share)
        n += share != 0
    for layer in range(sizes.size - 1):
        units = sizes[layer + 1]
        h = delta[layer * wide : layer * wide + units]
        if bias:
            which[layer, n], value[layer, n] = sizes[layer], 1
            n += 1
        count[layer] = n
        h[:] = 0
        runs = 1 if n == sizes[layer] + bias else n  # if no unit is silent, all rows stand side by side
        for i in range(runs if std.size > 0 else 0):
            a = start + which[layer, i] * units
            b = a + n // runs * units
            sample(rng, mean[a:b], std[a:b], z[a:b], w[a:b])
        for i in range(n):
            a = start + which[layer, i] * units
            add(h, value[layer, i], w[a : a + units])
        start += (sizes[layer] + bias) * units
        n = 0
        for j in range(units if layer + 2 < sizes.size else 0):
            share = counts(rates[1], drawn, rng)
            which[layer + 1, n], value[layer + 1, n] = j, real(share) * sigmoid(h[j])
            n += share != 0


def sample(rng: RNG, mean: Array, std: Array, z: Array, w: Array) -> None:
    """Draw weights."""
    draw(rng, z, z.size)
    for j in range(z.size):
        w[j] = mean[j] + std[j] * z[j]


def record(net: Any, r: int, y: Array, out: Any) -> None:
    """Record the label and the loss of the logits as they are now, in float64."""
    outputs, first = net[0][-1], (net[0].size - 2) * net[-1]
    best, top, total = 0, -1.0, 0.0
    for k in range(outputs):
        z, loss = judge(np.float64(net[-2][first + k]), y[r] == 1 if outputs == 1 else y[r] == k)
        best, top = (k, z) if z > top else (best, top)
        total += loss
    out[0][r], out[1][r] = (top > 0.5 if outputs == 1 else best), total / outputs


def backward(net: Any, w: Array, label: int) -> None:
    """Turn the logits of the units into the derivatives of the loss, a mean over the outputs, by them."""
    sizes, bias, which, value, count, delta, wide = net
    top, start, real = sizes.size - 2, w.size, w.dtype.type
    for k in range(top * wide, top * wide + sizes[-1]):
        right = label == 1 if sizes[-1] == 1 else label == k - top * wide
        delta[k] = (sigmoid(delta[k]) - real(right)) / real(sizes[-1])
    for layer in range(top, 0, -1):
        units, below = sizes[layer + 1], (layer - 1) * wide
        d = delta[layer * wide : layer * wide + units]
        start -= (sizes[layer] + bias) * units
        delta[below : below + sizes[layer]] = 0  # so it stays for units that were left out
        for i in range(count[layer] - bias):
            total, h, a = real(0), value[layer, i], start + which[layer, i] * units
            ws = w[a : a + units]
            for k in range(units):  # in this order on every processor: in float32 another one would soon show
                total += d[k] * ws[k]
            delta[below + which[layer, i]] = total * h * (real(1) - h)


def move(net: Any, mean: Array, std: Array, z: Array, w: Array, rate: float, non_expansive: bool, floor: Any) -> None:
    """Move the weights that count against their gradient; those with widths flow, their steps kept in w."""
    sizes, bias, which, value, count, delta, wide = net
    start = 0
    for layer in range(sizes.size - 1):
        units = sizes[layer + 1]
        d = delta[layer * wide : layer * wide + units]
        n = count[layer]
        for i in range(n):
            a, step = start + which[layer, i] * units, w.dtype.type(-rate * value[layer, i])
            if std.size > 0:
                w[a : a + units] = 0
                add(w[a : a + units], step, d)
            else:
                add(mean[a : a + units], step, d)
        runs = 1 if n == sizes[layer] + bias else n
        for i in range(runs if std.size > 0 else 0):
            a = start + which[layer, i] * units
            b = a + n // runs * units
            flow_gaussian(mean[a:b], std[a:b], z[a:b], w[a:b], w.dtype.type(1), non_expansive, floor)
        start += (sizes[layer] + bias) * units


def sigmoid(t: Any) -> Any:
    """Return the logistic function in the precision of its argument."""
    one, limit = type(t)(1), type(t)(80)  # beyond, it is 0 or 1 to rounding, and exp(80) is still a float32
    return one / (one + np.exp(-min(max(t, -limit), limit)))


# --- numba ----------------------------------------------------------------------------------------------------------
@cache
def passes() -> dict[str, Callable[..., Any]]:
    """Return the passes by name, to be compiled when first called; none where numba is not installed."""
    try:
        from numba import njit
        from numba.extending import register_jitable
    except ImportError:
        return {}
    found: dict[str, Callable[..., Any]] = {}
    functions = {name: f for name, f in globals().items() if isfunction(f) and f.__module__ == __name__}
    for name, function in functions.items():
        if not name.endswith("_pass"):
            free = {"fastmath": False} if function is draw else {}  # others inherit what their pass may do
            register_jitable(error_model="numpy", **free)(function)
            continue
        # Sums over features may be reordered to vectorise; those of a network in float32 may not, as it would show.
        sums = False if name == "network_pass" else {"reassoc", "contract", "nsz"}
        try:
            found[name] = njit(error_model="numpy", nogil=True, fastmath=sums, cache=True)(function)
        except RuntimeError:  # neither this folder nor the user's cache can be written to
            found[name] = njit(error_model="numpy", nogil=True, fastmath=sums)(function)
    return found
