"""Passes over a stream that numba compiles when they are first called, with their randomness passed in.

A pass takes the state of a learner as arrays, which it changes in place; the rows of the stream, compressed (inputs that
are not zero, their columns, and where each row begins); their labels; the generator; its settings; and arrays for what
it predicts before any update, a label and a loss for each round. Passes draw NumPy's numbers to the bit, by the rule
that `Learner` states, and check nothing. All of them stand in this one file, because numba compiles a pass anew when
its own file has changed, but not when a function that it calls in another file has.
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


# --- shared -----------------------------------------------------------------------------------------------------------
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


def row(rows: Rows, r: int) -> tuple[Array, Array]:
    """Return the inputs of row r that are not zero, and their columns."""
    data, columns, begin = rows
    return data[begin[r] : begin[r + 1]], columns[begin[r] : begin[r + 1]]


def draw(rng: RNG, out: Array) -> None:
    """Fill in standard normals, drawn as doubles whatever ``out`` holds."""
    for i in range(out.size):
        out[i] = rng.standard_normal()


def dot(a: Array, b: Array) -> Any:
    """Return a · b; the order of the sum is that of the pass it is in."""
    total = a.dtype.type(0)
    for i in range(a.size):
        total += a[i] * b[i]
    return total


def add(out: Array, scale: Any, a: Array) -> None:
    """Add a multiple of an array."""
    for i in range(out.size):
        out[i] += scale * a[i]


def flow_gaussian(mean: Array, std: Array, z: Array, x: Array, rate: Any, non_expansive: bool, floor: Any) -> None:
    """Carry Gaussians along as each weight ``mean + z std`` moves by ``rate x``: `DiagonalBelief.flow`, in place."""
    zero, half, one = mean.dtype.type(0), mean.dtype.type(0.5), mean.dtype.type(1)
    for i in range(mean.size):
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


def stretch(u: float, v: float, dim: float) -> float:
    """Return the paper's a* for distances u, v ≥ 0: root of ``(dim + u²) a² − u v a − dim = 0``."""
    q = dim + u * u
    p = 0.5 * u * v
    return (p + math.sqrt(p * p + dim * q)) / q


# --- logistic regression ----------------------------------------------------------------------------------------------
def descent_pass(w: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Gradient descent; with noise or a prior, Langevin dynamics: w ← w − rate (gradient + precision w) + noise z."""
    rate, updates, noise, precision = settings
    z = np.zeros(w.size)
    for r in range(y.size):
        x, places = row(rows, r)
        for k in range(updates):
            logit = 0.0
            for i in range(x.size):
                logit += w[places[i]] * x[i]
            step = rate * (predict(logit, k == 0, r, y, out) - y[r])
            if noise != 0:
                draw(rng, z)
            if noise != 0 or precision != 0:
                for j in range(w.size):
                    w[j] += noise * z[j] - rate * precision * w[j]
            for i in range(x.size):
                w[places[i]] -= step * x[i]


def diagonal_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Diagonal belief flow, which draws and moves only weights of non-zero inputs: the others cannot change."""
    rate, updates, non_expansive, floor, _ = settings
    z, near_mean, near_std = np.empty(mean.size), np.empty(mean.size), np.empty(mean.size)
    for r in range(y.size):
        x, places = row(rows, r)
        every = x.size == mean.size
        m, s, u = (mean if every else near_mean)[: x.size], (std if every else near_std)[: x.size], z[: x.size]
        if not every:  # gather the weights side by side
            for i in range(x.size):
                m[i], s[i] = mean[places[i]], std[places[i]]
        for k in range(updates):
            draw(rng, u)
            logit = 0.0
            for i in range(x.size):
                logit += (m[i] + s[i] * u[i]) * x[i]
            step = rate * (y[r] - predict(logit, k == 0, r, y, out))
            flow_gaussian(m, s, u, x, step, non_expansive, floor)
        if not every:
            for i in range(x.size):
                mean[places[i]], std[places[i]] = m[i], s[i]


def spherical_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Spherical belief flow; ``std`` holds one number, and ``dim`` is that of `stretch`."""
    rate, updates, non_expansive, floor, dim = settings
    z = np.empty(mean.size)
    for r in range(y.size):
        x, places = row(rows, r)
        for k in range(updates):
            draw(rng, z)
            s, logit = std[0], 0.0
            for i in range(x.size):
                logit += (mean[places[i]] + s * z[places[i]]) * x[i]
            step = rate * (y[r] - predict(logit, k == 0, r, y, out))
            std[0] = max(s, floor)
            if step == 0 or x.size == 0:
                continue
            u = v = dot(z, z)
            for i in range(x.size):  # v² = |z + step x / s|²
                v += step * x[i] / s * (2 * z[places[i]] + step * x[i] / s)
            u, v = math.sqrt(u), math.sqrt(max(v, 0.0))
            a = stretch(u, v, dim)
            a = min(a, 1.0) if non_expansive else a
            keep = 1 - a * u / v if v > 0 else 0.0  # mean + (1 − a u/v) D′, where D′ = s z + step x; −a s z at v = 0
            add(mean, keep * s if v > 0 else -a * s, z)
            for i in range(x.size):
                mean[places[i]] += keep * step * x[i]
            std[0] = max(a * s, floor)


def full_pass(mean: Array, S: Array, T: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Full belief flow by Theorem 1 as a rank-one change of the factor S, and of its inverse T."""
    rate, updates, non_expansive, _, _ = settings
    dim = mean.size
    z, D, e, eT, step = np.empty(dim), np.empty(dim), np.empty(dim), np.empty(dim), np.zeros(dim)
    for r in range(y.size):
        x, places = row(rows, r)
        for k in range(updates):
            draw(rng, z)
            for j in range(dim):  # D = w − mean = S z
                D[j] = dot(S[j], z)
            logit = 0.0
            for i in range(x.size):
                logit += (mean[places[i]] + D[places[i]]) * x[i]
            slope = rate * (y[r] - predict(logit, k == 0, r, y, out))
            if slope == 0 or x.size == 0:
                continue
            for i in range(x.size):
                step[places[i]] = slope * x[i]
            for j in range(dim):  # T D′ = z + T step
                e[j] = z[j] + dot(T[j], step)
            u, v = math.sqrt(dot(z, z)), math.sqrt(dot(e, e))
            a = stretch(u, v, 1.0)
            a = min(a, 1.0) if non_expansive else a
            for j in range(dim):  # the direction that is stretched; at v = 0 the belief contracts along w
                e[j] = e[j] / v if v > 0 else z[j] / u
                eT[j] = 0.0
            for j in range(dim):  # S′ = S + (a − 1) (S e) eᵀ,  mean′ = mean + D′ − a u S e
                column = dot(S[j], e)
                mean[j] += D[j] + step[j] - a * u * column
                add(S[j], (a - 1) * column, e)
                add(eT, e[j], T[j])
            for j in range(dim):  # T′ = T + (1/a − 1) e (eᵀ T)
                add(T[j], (1 / a - 1) * e[j], eT)
                step[j] = 0.0


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
    return gain, (1 - left) / v if left > 2**-52 else math.nan, strength  # less would be lost to rounding


def confidence_variance(kind: int, s: Any, square: Any, v: float, strength: float) -> Any:
    """Return the new variance of a weight by itself, whose input has this square."""
    if kind == AROW:  # s − (s x)²/(v + r), without cancelling
        return s * (strength + np.maximum(v - s * square, 0.0)) / (v + strength)
    return s / (1 + strength * square * s) ** (2 if kind == NHERD else 1)


def confidence_pass(mean: Array, S: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """AROW, NHERD and the extended Kalman filter, with covariance ``S Sᵀ``: a rank-one change of the factor."""
    kind, strength, by_sample, process_noise = settings
    q, z = np.empty(mean.size), np.empty(mean.size)
    for r in range(y.size):
        x, places = row(rows, r)
        if process_noise > 0:
            S[:] = np.linalg.cholesky(S @ S.T + process_noise * np.eye(mean.size))
        q[:], margin = 0.0, 0.0
        for i in range(x.size):
            margin += mean[places[i]] * x[i]
            add(q, x[i], S[places[i]])
        logit = margin
        if by_sample:  # x · (mean + S z)
            draw(rng, z)
            logit += dot(q, z)
        predict(logit, True, r, y, out)
        v = dot(q, q)
        if v > 0:
            gain, shrink, _ = confidence_update(kind, y[r], margin, v, strength)
            for j in range(mean.size if gain != 0 else 0):
                column = dot(S[j], q)  # Σx = S q
                mean[j] += gain * column
                add(S[j], -shrink * column, q)


def confidence_diagonal_pass(mean: Array, var: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """AROW, NHERD and the extended Kalman filter, with independent weights."""
    kind, strength, by_sample, process_noise = settings
    z = np.zeros(mean.size)
    for r in range(y.size):
        x, places = row(rows, r)
        if process_noise > 0:
            for j in range(mean.size):
                var[j] += process_noise
        if by_sample:
            draw(rng, z[: x.size])
        margin = v = away = 0.0
        for i in range(x.size):
            s = var[places[i]]
            margin += mean[places[i]] * x[i]
            v += s * x[i] * x[i]
            away += math.sqrt(s) * z[i] * x[i]
        predict(margin + away, True, r, y, out)
        if v > 0:
            gain, _, power = confidence_update(kind, y[r], margin, v, strength)
            for i in range(x.size if gain != 0 else 0):
                s = var[places[i]]
                mean[places[i]] += gain * s * x[i]
                var[places[i]] = confidence_variance(kind, s, x[i] * x[i], v, power)


# --- networks, in float32 or float64 ----------------------------------------------------------------------------------
# Weights are flat, as `MLP` lays them out. The inputs of a layer are a list of units and their values, the bias being one
# more unit of value 1. Zero pixels and dropped units are not in the list, so their weights are neither drawn nor moved.
def network_pass(mean: Array, std: Array, rows: Rows, y: Array, rng: RNG, settings: Any, out: Any) -> None:
    """Diagonal belief flow, if there is a ``std``; else gradient descent with dropout, or with noise and a prior."""
    sizes, bias, rate, updates, (non_expansive, floor), (noise, precision), rates, shown = settings
    wide, real, flows, drops = sizes.max() + 1, mean.dtype.type, std.size > 0, rates[0] > 0 or rates[1] > 0
    which, value = np.empty((sizes.size, wide), np.int64), np.empty((sizes.size, wide), mean.dtype)
    delta = np.empty((sizes.size, wide), mean.dtype)  # logits, and then the derivatives of the loss by them
    net = sizes, bias, which, value, np.empty(sizes.size, np.int64), delta
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
                move(net, shown[1], std[:0], z, rate, non_expansive, real(floor))
            if not flows and z.size > 0:
                if noise > 0:
                    draw(rng, z)
                for j in range(w.size):
                    w[j] = real(1 - rate * precision) * w[j] + real(noise) * z[j]
            move(net, mean, std, z, rate, non_expansive, real(floor))


def counts(rate: float, drawn: bool, rng: RNG) -> Any:
    """Return the share of a unit that counts: 1 or 0 if it is drawn, else the mean."""
    return (1.0 if rate == 0 or rng.random() >= rate else 0.0) if drawn else 1 - rate


def forward(
    net: Any, rows: Rows, r: int, w: Array, mean: Array, std: Array, z: Array, rng: RNG, rates: Any, drawn: bool
) -> None:
    """Pass row r up to the logits of the outputs; what is random is drawn on the way, in index order."""
    sizes, bias, which, value, count, delta = net
    x, places = row(rows, r)
    n = start = 0
    for i in range(x.size):
        share = counts(rates[0], drawn, rng)
        which[0, n], value[0, n] = places[i], x[i] * value.dtype.type(share)
        n += share != 0
    for layer in range(sizes.size - 1):
        if bias:
            which[layer, n], value[layer, n] = sizes[layer], 1
            n += 1
        count[layer] = n
        h = delta[layer, : sizes[layer + 1]]
        h[:] = 0
        for i in range(n):
            a = start + which[layer, i] * h.size
            b = a + h.size
            if std.size > 0:
                draw(rng, z[a:b])
                for j in range(a, b):
                    w[j] = mean[j] + std[j] * z[j]
            add(h, value[layer, i], w[a:b])
        start += (sizes[layer] + bias) * h.size
        n = 0
        for j in range(h.size if layer + 2 < sizes.size else 0):
            share = counts(rates[1], drawn, rng)
            which[layer + 1, n], value[layer + 1, n] = j, value.dtype.type(share) * sigmoid(h[j])
            n += share != 0


def record(net: Any, r: int, y: Array, out: Any) -> None:
    """Record the label and the loss of the logits as they are now, in float64."""
    sizes, delta = net[0], net[-1]
    outputs = sizes[-1]
    best, top, total = 0, -1.0, 0.0
    for k in range(outputs):
        z, loss = judge(np.float64(delta[sizes.size - 2, k]), y[r] == 1 if outputs == 1 else y[r] == k)
        if z > top:
            best, top = k, z
        total += loss
    out[0][r], out[1][r] = (top > 0.5 if outputs == 1 else best), total / outputs


def backward(net: Any, w: Array, label: int) -> None:
    """Turn the logits of the units into the derivatives of the loss, a mean over the outputs, with respect to them."""
    sizes, bias, which, value, count, delta = net
    top, start, one = sizes.size - 2, w.size, w.dtype.type(1)
    for k in range(sizes[-1]):
        right = label == 1 if sizes[-1] == 1 else label == k
        delta[top, k] = (sigmoid(delta[top, k]) - w.dtype.type(right)) / w.dtype.type(sizes[-1])
    for layer in range(top, 0, -1):
        d = delta[layer, : sizes[layer + 1]]
        start -= (sizes[layer] + bias) * d.size
        delta[layer - 1, : sizes[layer]] = 0  # so it stays for units that were left out
        for i in range(count[layer] - bias):
            a, h = start + which[layer, i] * d.size, value[layer, i]
            delta[layer - 1, which[layer, i]] = dot(d, w[a : a + d.size]) * h * (one - h)


def move(net: Any, w: Array, std: Array, z: Array, rate: float, non_expansive: bool, floor: Any) -> None:
    """Move the weights that count against their gradient, or if they have widths let them flow."""
    sizes, bias, which, value, count, delta = net
    start = 0
    for layer in range(sizes.size - 1):
        d = delta[layer, : sizes[layer + 1]]
        for i in range(count[layer]):
            a, step = start + which[layer, i] * d.size, w.dtype.type(-rate * value[layer, i])
            b = a + d.size
            if std.size > 0:
                flow_gaussian(w[a:b], std[a:b], z[a:b], d, step, non_expansive, floor)
            else:
                add(w[a:b], step, d)
        start += (sizes[layer] + bias) * d.size


def sigmoid(t: Any) -> Any:
    """Return the logistic function in the precision of its argument."""
    one, limit = type(t)(1), type(t)(80)  # beyond, it is 0 or 1 to rounding, and exp(80) is still a float32
    return one / (one + np.exp(-min(max(t, -limit), limit)))


# --- numba ------------------------------------------------------------------------------------------------------------
@cache
def passes() -> dict[str, Callable[..., Any]]:
    """Return the passes by name, to be compiled when first called; none where numba is not installed."""
    try:
        from numba import njit
        from numba.extending import register_jitable
    except ImportError:
        return {}
    found = {}
    for name, function in [item for item in globals().items() if isfunction(item[1]) and item[1].__module__ == __name__]:
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
