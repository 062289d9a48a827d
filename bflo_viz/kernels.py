"""Passes over a stream that numba compiles when they are first called, with their randomness passed in.

A pass takes the state of a learner as arrays, which it changes in place; the rows of the stream, compressed (inputs
that are not zero, their columns, and where each row begins); their labels; the generator; its settings; and arrays
for what it predicts before any update, a label and a loss for each round. Passes draw NumPy's numbers to the bit, by
the rule that `Learner` states, and check nothing; without numba they run as the Python that they are. All of them
stand in this one file, because numba compiles a pass anew when its own file has changed, but not when a function
that it calls in another file has.
"""

import math
from collections.abc import Callable
from functools import cache
from inspect import isfunction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
RNG = np.random.Generator
FLOW, AROW, NHERD, KALMAN = range(4)  # kinds of update of a Gaussian


def judge(logit: Any, right: bool) -> tuple[float, float]:
    """Return the sigmoid z of a logit, and the loss ``−log z`` or ``−log(1 − z)``, finite at any logit."""
    small = np.exp(-abs(logit))
    return (1.0 if logit >= 0 else small) / (1.0 + small), max(-logit if right else logit, 0.0) + np.log1p(small)


def predict(logit: float, k: int, r: int, y: Array, out: Any) -> float:
    """Return the probability of label 1; the first update of round r also records its label and loss."""
    z, loss = judge(logit, y[r] == 1)
    if k == 0:
        out[0][r], out[1][r] = z > 0.5, loss
    return z


def draw(rng: RNG, out: Array, n: int) -> None:
    """Fill in n standard normals, drawn as doubles whatever ``out`` holds."""
    for i in range(n):
        out[i] = rng.standard_normal()


def add(out: Array, scale: Any, x: Array) -> None:
    """Add a multiple of x."""
    for i in range(out.size):
        out[i] += scale * x[i]


def row(rows: Any, r: int) -> Any:
    """Return the inputs of row r that are not zero, and their columns."""
    x, columns, begin = rows
    return x[begin[r] : begin[r + 1]], columns[begin[r] : begin[r + 1]]


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


# --- logistic regression; settings are: kind, rate, updates, sampled, drift, non_expansive, floor, dim --------------
def descent_pass(w: Array, rows: Any, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Gradient descent; with noise or a prior, Langevin dynamics: w ← w − rate (gradient + precision w) + noise z."""
    rate, updates, noise, precision = settings
    x, columns, begin = rows
    z = np.zeros(w.size)
    for r in range(y.size):
        for k in range(updates):
            logit = 0.0
            for i in range(begin[r], begin[r + 1]):
                logit += w[columns[i]] * x[i]
            step = rate * (predict(logit, k, r, y, out) - y[r])
            if noise != 0:
                draw(rng, z, z.size)
            if noise != 0 or precision != 0:
                for j in range(w.size):
                    w[j] += noise * z[j] - rate * precision * w[j]
            for i in range(begin[r], begin[r + 1]):
                w[columns[i]] -= step * x[i]


def diagonal_pass(mean: Array, std: Array, rows: Any, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Belief flow and extended Kalman filter with independent weights.

    Only weights of non-zero inputs are drawn and moved: the others cannot change, and are left where they are.
    """
    kind, rate, updates, sampled, drift, non_expansive, floor, _ = settings
    z, dense = np.zeros(mean.size), rows[0].size == y.size * mean.size
    m, s = (mean, std) if dense else (np.zeros(mean.size), np.zeros(mean.size))  # the weights side by side
    for r in range(y.size):
        x, where = row(rows, r)
        for j in range(mean.size if drift > 0 else 0):
            std[j] = math.sqrt(std[j] * std[j] + drift)
        for k in range(updates):
            if sampled:
                draw(rng, z, x.size)
            for i in range(0 if dense else x.size):
                m[i], s[i] = mean[where[i]], std[where[i]]
            logit = v = 0.0
            for i in range(x.size):
                logit += (m[i] + s[i] * z[i]) * x[i]
                v += s[i] * x[i] * s[i] * x[i]
            p = predict(logit, k, r, y, out)
            if kind == FLOW:
                flow_gaussian(m, s, z, x, rate * (y[r] - p), non_expansive, floor)
            else:  # the precision of each weight grows by c x² with c = p (1 − p)
                c = p * (1 - p)
                for i in range(x.size):
                    m[i] += (y[r] - p) / (1 + c * v) * s[i] * s[i] * x[i]
                    s[i] /= math.sqrt(1 + c * s[i] * x[i] * s[i] * x[i])
            for i in range(0 if dense else x.size):
                mean[where[i]], std[where[i]] = m[i], s[i]


def turn(z: Array, e: Array, dim: float, non_expansive: bool) -> tuple[float, float]:
    """Divide e, which holds z', by its length, and return a* and how far the mean moves along it."""
    u = v = 0.0
    for j in range(e.size):
        u += z[j] * z[j]
        v += e[j] * e[j]
    u, v = math.sqrt(u), math.sqrt(v)
    p, q = 0.5 * u * v, dim + u * u
    a = (p + math.sqrt(p * p + dim * q)) / q  # root of (dim + u²) a² − u v a − dim = 0
    a = min(a, 1.0) if non_expansive else a
    for j in range(e.size):  # at v = 0 the belief contracts along w
        e[j] = e[j] / v if v > 0 else z[j] / u
    return a, v - a * u


def spherical_pass(mean: Array, std: Array, rows: Any, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Spherical belief flow; ``std`` holds one number, and ``dim`` is that of `turn`."""
    _, rate, updates, _, _, non_expansive, floor, dim = settings
    z, e = np.zeros(mean.size), np.zeros(mean.size)
    for r in range(y.size):
        x, where = row(rows, r)
        for k in range(updates):
            draw(rng, z, z.size)
            s, logit = std[0], 0.0
            for i in range(x.size):
                logit += (mean[where[i]] + s * z[where[i]]) * x[i]
            slope = rate * (y[r] - predict(logit, k, r, y, out))
            if slope == 0 or x.size == 0:
                continue
            e[:] = z
            for i in range(x.size):
                e[where[i]] += slope * x[i] / s
            a, gain = turn(z, e, dim, non_expansive)
            add(mean, gain * s, e)
            std[0] = max(a * s, floor)


def full_pass(mean: Array, S0: Array, T0: Array, rows: Any, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Belief flow, AROW, NHERD and the extended Kalman filter by changes of rank one of the factor S.

    A flow also keeps T, the transpose of the inverse.
    """
    kind, rate, updates, sampled, drift, non_expansive, _, _ = settings
    (x, columns, begin), S, T, dim = rows, padded(S0), padded(T0.T), mean.size
    z, q, e, Se = np.zeros(S.shape[1]), np.zeros(S.shape[1]), np.zeros(S.shape[1]), np.zeros(dim)
    for r in range(y.size):
        if drift > 0:
            S[:, :dim] = np.linalg.cholesky(S @ S.T + drift * np.eye(dim))
        for k in range(updates):
            if sampled:
                draw(rng, z, dim)
            margin = away = v = 0.0
            for i in range(begin[r], begin[r + 1]):
                margin += mean[columns[i]] * x[i]
            times(S, rows, r, q)
            for j in range(q.size):  # w·x = mean·x + z·q
                away += q[j] * z[j]
                v += q[j] * q[j]
            slope = rate * (y[r] - predict(margin + away, k, r, y, out))
            if kind == FLOW and slope != 0 and v > 0:
                times(T, rows, r, e)
                for j in range(e.size):  # z' = S⁻¹ (w' − mean)
                    e[j] = z[j] + slope * e[j]
                a, gain = turn(z, e, 1.0, non_expansive)
                if a != 1:
                    stretch_along(T, 1 / a - 1, e, Se)
                stretch_along(S, a - 1, e, Se)
                add(mean, gain, Se)
            elif kind != FLOW and v > 0:
                gain, left = observe(kind, y[r], margin, v, rate)
                if gain != 0:
                    stretch_along(S, (left - 1) / v, q, Se)
                    add(mean, gain, Se)
    S0[:], T0.T[:] = S[:, :dim], T[:, : len(T)]


def padded(M: Array) -> Array:
    """Return a copy with columns of zeros added, so that no sum over a row has a rest that is not vectorised."""
    wide = np.zeros((len(M), (len(M) + 7) // 8 * 8))
    wide[:, : len(M)] = M
    return wide


def times(M: Array, rows: Any, r: int, out: Array) -> None:
    """Compute Mᵀx of row r."""
    x, columns, begin = rows
    out[:] = 0
    for i in range(begin[r], begin[r + 1]):
        scale, line = x[i], columns[i]
        for j in range(out.size):
            out[j] += scale * M[line, j]


def stretch_along(M: Array, change: float, e: Array, Me: Array) -> None:
    """Compute M e, and change M to ``M + change (M e) eᵀ``."""
    for i in range(len(M)):
        line, total = M[i], 0.0
        for j in range(e.size):
            total += line[j] * e[j]
        Me[i] = total
        for j in range(e.size):
            line[j] += change * total * e[j]


def observe(kind: int, y: int, margin: float, v: float, c: float) -> tuple[float, float]:
    """Return the gain of the mean along Σx, and what is left of the factor along q = Sᵀx, with v = xᵀΣx = |q|².

    A part l is left by S' = S − (1 − l)/v (S q) qᵀ. AROW and a filter add c x xᵀ to the precision, which leaves
    Σ' = Σ − Σx xᵀΣ c/(1 + c v); NHERD takes Σ' = A Σ Aᵀ with A = I − Σx xᵀ c/(1 + c v).
    """
    if kind == KALMAN:
        p, _ = judge(margin, True)
        c, residual = p * (1 - p), y - p
    else:
        side = 2 * y - 1
        residual = c * (side - margin) if side * margin < 1 else 0.0
    gain, left = residual / (1 + c * v), 1 / (1 + c * v)
    left = left if kind == NHERD else math.sqrt(left)
    return gain if left > 2**-52 else math.nan, left  # less would be lost to rounding


# --- networks, in float32 or float64 --------------------------------------------------------------------------------
def network_pass(mean: Array, std: Array, rows: Any, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Diagonal belief flow, if there is a ``std``; else gradient descent with dropout, or with noise and a prior.

    Weights are flat, as `MLP` lays them out: a row for each input of a layer, the bias being one more of value 1.
    Inputs of value 0, dark pixels or dropped units, are not listed: their rows are neither drawn nor moved.
    """
    sizes, bias, rate, updates, non_expansive, floor, noise, precision, rates = settings
    real, top, flows, pulled = mean.dtype.type, sizes.size - 2, std.size > 0, noise > 0 or precision > 0
    shape = sizes.size, sizes.max() + 1
    unit, count, begin = np.zeros(shape, np.uint32), np.zeros(shape[0], np.int64), np.zeros(shape[0], np.int64)
    value, delta = np.zeros(shape, mean.dtype), np.zeros(shape, mean.dtype)  # of inputs; derivatives by the logits
    for layer in range(top + 1):  # inputs of each layer: which they are, their number, where their weights begin
        unit[layer], value[layer, sizes[layer]], count[layer] = np.arange(shape[1]), 1, sizes[layer] + bias
        begin[layer + 1] = begin[layer] + count[layer] * sizes[layer + 1]
    w, z = mean.copy() if flows else mean, np.zeros(mean.size if flows or pulled else 0, mean.dtype)
    first = -1 if max(rates) > 0 else 0  # with dropout the mean network predicts, by an update that moves nothing
    for r in range(y.size):
        x, where = row(rows, r)
        for k in range(first, updates):
            n = 0
            for i in range(x.size):
                share = kept(rates[0], k, rng)
                unit[0, n], value[0, n] = where[i], x[i] * real(share)
                n += share > 0
            unit[0, n], value[0, n], count[0] = sizes[0], 1, n + bias
            for i in range(n + 1 if flows else 0):  # the weights of these inputs, and all that follow them
                a, b = unit[0, i] * sizes[1], (unit[0, i] + 1) * sizes[1] if i < n else w.size
                draw(rng, z[a:b], b - a)
                for j in range(a, b):
                    w[j] = mean[j] + std[j] * z[j]
            for layer in range(top + 1):
                h, W = delta[layer + 1, : sizes[layer + 1]], block(w, begin, sizes, layer)
                h[:] = 0
                for i in range(count[layer]):
                    place, x_i = unit[layer, i], value[layer, i]
                    for j in range(h.size):
                        h[j] += x_i * W[place, j]
                for j in range(h.size if layer < top else 0):
                    share = kept(rates[1], k, rng)
                    value[layer + 1, j] = real(share) * sigmoid(h[j]) if share > 0 else real(0)
            h = delta[top + 1, : sizes[top + 1]]
            if k == first:
                record(h, r, y, out)
            if k < 0:
                continue
            for j in range(h.size):
                right = y[r] == (1 if h.size == 1 else j)
                h[j] = (sigmoid(h[j]) - real(right)) / real(h.size)
            if noise > 0:
                draw(rng, z, z.size)
            for layer in range(top, -1, -1):
                d, W = delta[layer + 1, : sizes[layer + 1]], block(w, begin, sizes, layer)
                for i in range(sizes[layer] if layer > 0 else 0):
                    x_i, total = value[layer, i], real(0)
                    for j in range(d.size):
                        total += d[j] * W[i, j]
                    delta[layer, i] = total * x_i * (real(1) - x_i)
                for j in range(begin[layer], begin[layer + 1] if pulled else 0):
                    w[j] = real(1 - rate * precision) * w[j] + real(noise) * z[j]
                for i in range(count[layer]):
                    place, change = unit[layer, i], real(-rate * value[layer, i])
                    for j in range(d.size):
                        W[place, j] = change * d[j] + (real(0) if flows else W[place, j])
            for i in range(n + 1 if flows else 0):
                a, b = unit[0, i] * sizes[1], (unit[0, i] + 1) * sizes[1] if i < n else w.size
                flow_gaussian(mean[a:b], std[a:b], z[a:b], w[a:b], real(1), non_expansive, real(floor))


def block(w: Array, begin: Array, sizes: Array, layer: int) -> Array:
    """Return the weights of a layer, a row for each input."""
    return w[begin[layer] : begin[layer + 1]].reshape((-1, sizes[layer + 1]))


def kept(rate: float, k: int, rng: RNG) -> float:
    """Return the share of a unit that is kept: 1 or 0, as drawn; in the mean network, before update 0, the mean."""
    return 1 - rate if k < 0 else 1.0 if rate == 0 or rng.random() >= rate else 0.0


def record(logits: Array, r: int, y: Array, out: Any) -> None:
    """Record the label and the loss of the outputs, in float64."""
    best, top, total = 0, -1.0, 0.0
    for k in range(logits.size):
        z, loss = judge(np.float64(logits[k]), y[r] == (1 if logits.size == 1 else k))
        best, top = (k, z) if z > top else (best, top)
        total += loss
    out[0][r], out[1][r] = (top > 0.5 if logits.size == 1 else best), total / logits.size


def sigmoid(t: Any) -> Any:
    """Return the logistic function in the precision of its argument."""
    one, limit = type(t)(1), type(t)(80)  # beyond, it is 0 or 1 to rounding, and exp(80) is still a float32
    return one / (one + np.exp(-min(max(t, -limit), limit)))


@cache
def passes() -> dict[str, Callable[..., Any]]:
    """Return the passes by name, to be compiled when first called; none where numba is not installed."""
    try:
        from numba import njit
        from numba.extending import register_jitable
    except ImportError:
        return {}
    found: dict[str, Callable[..., Any]] = {}
    for name, function in [one for one in globals().items() if isfunction(one[1])]:
        if name.endswith("_pass"):
            # Sums over features may be reordered to vectorise; those of a network in float32 would show it.
            sums = False if name == "network_pass" else {"reassoc", "contract", "nsz"}
            options: Any = {"error_model": "numpy", "nogil": True, "fastmath": sums}
            try:
                found[name] = njit(cache=True, **options)(function)
            except RuntimeError:  # neither this folder nor the user's cache can be written to
                found[name] = njit(**options)(function)
        elif function.__module__ == __name__:
            free = {"fastmath": False} if function is draw else {}  # others inherit what their pass may do
            register_jitable(error_model="numpy", **free)(function)
    return found
