"""What `bflo_viz.kernels.mlp` compiles: the network, its draws, and what each learner does in a round.

The functions are plain Python that numba compiles on first use (`compiled`), for float32 and float64 alike; none of
them checks its arguments. The inputs of a layer are a list of the units that are not silent (their rows in the block
of weights, and their values), the bias being one more unit of value 1. Zero pixels and dropped units are simply not
in the list, so their weights are neither drawn nor touched.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz.kernels import normals

Array = NDArray[Any]
Real = Any  # a float32 or float64 scalar
Word = Any  # a uint64 scalar

_LOW, _1, _32 = np.uint64(0xFFFFFFFF), np.uint64(1), np.uint64(32)
MASKS = np.uint64(1 << 40)  # the hashes that decide on dropping begin here, beyond those behind any normal
_PIECE = 1024  # weights at a time: what is computed on the way then stays in the nearest cache
_LIMIT = 80  # a sigmoid says nothing new beyond this logit, and exp(80) is still a float32
_LARGEST_32, _LARGEST_64 = 1.7e38, 8.9e307


# --- the network ----------------------------------------------------------------------------------------------------
class _Net(NamedTuple):
    """A network's shape and the scratch of one call; layer l begins at ``unit[l]`` in which, value and delta."""

    layers: Array
    bias: bool
    block: Array  # where the weights of each layer begin
    unit: Array
    which: Array  # the inputs of each layer that are not silent: which they are,
    value: Array  # what they say,
    number: Array  # and how many there are
    logits: Array
    delta: Array  # derivative of the loss by the logit of each unit
    keep: Array  # share of each input and hidden unit that counts: 1, or what dropout says
    cols: Array  # what is not zero in the row at hand: where
    vals: Array  # and what


def _network(layers: Array, bias: bool, w: Array) -> _Net:
    block, unit = np.zeros(layers.size, np.int64), np.zeros(layers.size + 1, np.int64)
    for layer in range(layers.size):
        unit[layer + 1] = unit[layer] + layers[layer] + 1
        if layer > 0:
            block[layer] = block[layer - 1] + (layers[layer - 1] + bias) * layers[layer]
    total = unit[layers.size]
    which, number = np.empty(total, np.int64), np.zeros(layers.size, np.int64)
    value, delta, logits = np.empty(total, w.dtype), np.empty(total, w.dtype), np.empty(layers.max(), w.dtype)
    keep = np.ones(layers[:-1].sum(), w.dtype)
    cols, vals = np.empty(layers[0] + 1, np.int64), np.empty(layers[0] + 1, w.dtype)
    return _Net(layers, bias, block, unit, which, value, number, logits, delta, keep, cols, vals)


def _load(r: int, rows: Any, net: _Net) -> int:
    """Collect what is not zero in row r and return how much it is."""
    X, data, indices, indptr = rows  # the dense X or, if it has no rows, a CSR matrix
    n = 0
    if X.shape[0] > 0:
        for j in range(X.shape[1]):
            net.cols[n] = j
            net.vals[n] = X[r, j]
            n += X[r, j] != 0
    else:
        for i in range(indptr[r], indptr[r + 1]):
            net.cols[n] = indices[i]
            net.vals[n] = data[i]
            n += data[i] != 0
    return n


def _present(n: int, net: _Net) -> None:
    """Make the n values of the row, each times the share of its input, the inputs of the first layer."""
    c = 0
    for i in range(n):
        share = net.keep[net.cols[i]]
        net.which[c] = net.cols[i]
        net.value[c] = net.vals[i] * share
        c += share != 0
    net.number[0] = c
    _add_bias(0, net)


def _add_bias(layer: int, net: _Net) -> None:
    if net.bias:
        end = net.unit[layer] + net.number[layer]
        net.which[end] = net.layers[layer]
        net.value[end] = 1
        net.number[layer] += 1


def _forward(w: Array, net: _Net) -> None:
    """Pass the inputs up to the logits of the outputs, each hidden activation times the share of its unit."""
    first = net.layers[0]  # of the units of this layer in keep
    for layer in range(net.layers.size - 1):
        units = net.layers[layer + 1]
        h = net.logits[:units]
        h[:] = 0
        for i in range(net.unit[layer], net.unit[layer] + net.number[layer]):
            a = net.block[layer] + net.which[i] * units
            _add_row(h, net.value[i], w[a : a + units])
        if layer < net.layers.size - 2:
            c = net.unit[layer + 1]
            for k in range(units):
                share = net.keep[first + k]
                net.which[c] = k
                net.value[c] = share * _sigmoid(h[k])
                c += share != 0
            net.number[layer + 1] = c - net.unit[layer + 1]
            _add_bias(layer + 1, net)
            first += units


def _backward(w: Array, y: int, net: _Net) -> None:
    """Pass the derivative of the loss down from the logits of the outputs to those of the first hidden layer."""
    zero, one = w.dtype.type(0), w.dtype.type(1)
    last = net.layers.size - 1
    outputs = net.layers[last]
    for k in range(outputs):
        right = y == 1 if outputs == 1 else y == k
        error = _sigmoid(net.logits[k]) - (one if right else zero)
        net.delta[net.unit[last] + k] = error / w.dtype.type(outputs)  # the loss is a mean over the outputs
    for layer in range(last - 1, 0, -1):
        units, start, above = net.layers[layer + 1], net.unit[layer], _above(layer, net)
        net.delta[start : start + net.layers[layer]] = 0  # so it stays for dropped units
        for i in range(start, start + net.number[layer]):
            j, z = net.which[i], net.value[i]
            if j < net.layers[layer]:
                a = net.block[layer] + j * units
                net.delta[start + j] = _dot(above, w[a : a + units]) * z * (one - z)


def _above(layer: int, net: _Net) -> Array:
    """Derivatives by the logits of the units that a layer's weights lead to."""
    start = net.unit[layer + 1]
    return net.delta[start : start + net.layers[layer + 1]]


def _judge(r: int, y: Array, net: _Net, predicted: Array, loss: Array) -> None:
    """Record label and loss of the logits as they are now, in float64 and finite at any logit."""
    outputs = net.layers[net.layers.size - 1]
    best, top, total = 0, -1.0, 0.0
    for k in range(outputs):
        t = np.float64(net.logits[k])
        small = np.exp(-abs(t))
        z = (1.0 if t >= 0 else small) / (1.0 + small)
        if z > top:
            best, top = k, z
        right = y[r] == 1 if outputs == 1 else y[r] == k
        total += max(-t if right else t, 0.0) + np.log1p(small)
    predicted[r] = top > 0.5 if outputs == 1 else best
    loss[r] = total / outputs


def _sigmoid(t: Real) -> Real:
    one, limit = type(t)(1), type(t)(_LIMIT)
    return one / (one + np.exp(-min(max(t, -limit), limit)))


def _add_row(out: Array, x: Real, row: Array) -> None:
    for k in range(out.size):
        out[k] += x * row[k]


def _scale_row(out: Array, x: Real, row: Array) -> None:
    for k in range(out.size):
        out[k] = x * row[k]


def _dot(a: Array, b: Array) -> Real:
    # In this order on every processor: in float32, another order of one sum shows after some hundred pictures.
    total = a.dtype.type(0)
    for k in range(a.size):
        total += a[k] * b[k]
    return total


# --- draws ----------------------------------------------------------------------------------------------------------
def _draw(key: Word, first: int, out: Array) -> None:
    """Write normals first, first + 1, … of the stream of a key into ``out``, whose precision is the stream's."""
    low, high, start = key & _LOW, key >> _32, np.uint64(first)
    skip = np.int64(start & _1)  # a start in the middle of a pair
    pairs = (out.size - skip) // 2
    end, pair = skip + 2 * pairs, (start + _1) >> _1
    whole = out[skip:end]
    if out.itemsize == 4:
        for j in range(pairs):
            whole[2 * j], whole[2 * j + 1] = normals.pair32(low, high, pair + np.uint64(j))
        if skip:
            out[0] = normals.normal32(low, high, start)
        if end < out.size:
            out[end] = normals.normal32(low, high, start + np.uint64(end))
    else:
        for j in range(pairs):
            whole[2 * j], whole[2 * j + 1] = normals.pair64(low, high, pair + np.uint64(j))
        if skip:
            out[0] = normals.normal64(low, high, start)
        if end < out.size:
            out[end] = normals.normal64(low, high, start + np.uint64(end))


def _sample(key: Word, first: int, mean: Array, std: Array, net: _Net, z: Array, w: Array) -> None:
    """Draw the weights that count: those from the inputs present, and all of the layers above."""
    units, i = net.layers[1], 0
    while i < net.number[0]:  # neighbouring rows are drawn together: short rows would waste the processor's lanes
        a = b = net.which[i] * units
        while i < net.number[0] and b == net.which[i] * units:
            b += units
            i += 1
        _sample_run(key, first, mean, std, z, w, a, b)
    _sample_run(key, first, mean, std, z, w, net.block[1], mean.size)


def _sample_run(key: Word, first: int, mean: Array, std: Array, z: Array, w: Array, start: int, stop: int) -> None:
    for a in range(start, stop, _PIECE):
        b = min(a + _PIECE, stop)
        _draw(key, first + a, z[a:b])
        _spread(mean[a:b], std[a:b], z[a:b], w[a:b])


def _spread(mean: Array, std: Array, z: Array, w: Array) -> None:
    for i in range(w.size):
        w[i] = mean[i] + std[i] * z[i]


def _draw_masks(key: Word, k: int, n: int, rates: Any, net: _Net) -> None:
    """Decide what update k of dropout keeps: 1 or 0 for the inputs at hand and for every hidden unit."""
    inputs, units = net.layers[0], net.keep.size
    for i in range(n + units - inputs):
        u = net.cols[i] if i < n else inputs + i - n
        word, _ = normals.philox(key & _LOW, key >> _32, MASKS + np.uint64(k * units + u))
        net.keep[u] = np.float64(word) * 2.0**-32 >= rates[0 if i < n else 1]


# --- what the learners do with a gradient ---------------------------------------------------------------------------
def _flow(mean: Array, std: Array, z: Array, step: Array, non_expansive: bool, floor: Real) -> None:
    """Carry Gaussians along as each weight ``mean + z std`` moves by ``step``: `flows.carry`, in place."""
    zero, half, one = mean.dtype.type(0), mean.dtype.type(0.5), mean.dtype.type(1)
    largest = mean.dtype.type(_LARGEST_32 if mean.itemsize == 4 else _LARGEST_64)
    for i in range(mean.size):
        u, sigma = z[i], std[i]
        moved = u * sigma + step[i]
        p = half * u * moved
        q = one + u * u
        variance = sigma * sigma
        # Where the square overflows, the root is |p| to rounding.
        root = abs(p) + max(abs(p), np.sqrt(min(p * p + q * variance, largest)))
        crosses = p < zero  # there p + root would cancel: variance / (root − p) is the same number
        s = (variance if crosses else root) / (root if crosses else q)
        s = min(s, sigma) if non_expansive else s
        still = step[i] == zero
        mean[i] += zero if still else moved - u * s
        std[i] = sigma if still else max(s, floor)


def _flow_all(
    mean: Array, std: Array, z: Array, step: Array, eta: float, net: _Net, narrow: bool, floor: Real
) -> None:
    """Let the weights that count flow, by groups of neighbouring rows as in `_sample`."""
    for layer in range(net.layers.size - 1):
        units, block, above = net.layers[layer + 1], net.block[layer], _above(layer, net)
        i, end = net.unit[layer], net.unit[layer] + net.number[layer]
        while i < end:
            a = b = block + net.which[i] * units
            while i < end and b == block + net.which[i] * units and (b == a or b + units <= a + _PIECE):
                _scale_row(step[b : b + units], mean.dtype.type(-eta * net.value[i]), above)
                b += units
                i += 1
            _flow(mean[a:b], std[a:b], z[a:b], step[a:b], narrow, floor)


def _descend(w: Array, eta: float, net: _Net) -> None:
    """Move the weights that count against their gradient."""
    for layer in range(net.layers.size - 1):
        units, above = net.layers[layer + 1], _above(layer, net)
        for i in range(net.unit[layer], net.unit[layer] + net.number[layer]):
            a = net.block[layer] + net.which[i] * units
            _add_row(w[a : a + units], w.dtype.type(-eta * net.value[i]), above)


def _diffuse(w: Array, shrink: Real, noise: Real, z: Array) -> None:
    for i in range(w.size):
        w[i] = shrink * w[i] + noise * z[i]


# --- the passes -----------------------------------------------------------------------------------------------------
def _belief_flow(state: Any, shape: Any, rows: Any, y: Any, settings: Any, predicted: Any, loss: Any) -> None:
    mean, std = state
    keys, eta, updates, non_expansive, min_std = settings
    net = _network(shape[0], shape[1], mean)
    z, w = np.empty_like(mean), np.empty_like(mean)
    floor = mean.dtype.type(min_std)
    for r in range(y.size):
        _present(_load(r, rows, net), net)
        for k in range(updates):
            _sample(keys[r], k * mean.size, mean, std, net, z, w)
            _forward(w, net)
            if k == 0:
                _judge(r, y, net, predicted, loss)
            _backward(w, y[r], net)
            _flow_all(mean, std, z, w, eta, net, non_expansive, floor)  # the sample is done with: steps go there
            if r == 0 and k == 0 and min_std > 0:  # weights that were not touched heed the floor too
                np.maximum(std, floor, std)


def _langevin(state: Any, shape: Any, rows: Any, y: Any, settings: Any, predicted: Any, loss: Any) -> None:
    (w,) = state
    keys, eta, updates, noise, prior_precision = settings
    net = _network(shape[0], shape[1], w)
    z, shrink = np.empty(_PIECE, w.dtype), w.dtype.type(1 - eta / 2 * prior_precision)
    for r in range(y.size):
        _present(_load(r, rows, net), net)
        for k in range(updates):
            _forward(w, net)
            if k == 0:
                _judge(r, y, net, predicted, loss)
            _backward(w, y[r], net)
            for a in range(0, w.size, _PIECE) if noise != 0 or prior_precision != 0 else range(0, 0, _PIECE):
                b = min(a + _PIECE, w.size)
                _draw(keys[r], k * w.size + a, z[: b - a])
                _diffuse(w[a:b], shrink, w.dtype.type(noise), z[: b - a])
            _descend(w, eta / 2, net)


def _dropout(state: Any, shape: Any, rows: Any, y: Any, settings: Any, predicted: Any, loss: Any) -> None:
    (w,) = state
    keys, eta, updates, input_rate, hidden_rate = settings
    net = _network(shape[0], shape[1], w)
    for r in range(y.size):
        n = _load(r, rows, net)
        net.keep[: net.layers[0]], net.keep[net.layers[0] :] = 1 - input_rate, 1 - hidden_rate
        _present(n, net)
        _forward(w, net)  # the mean network predicts
        _judge(r, y, net, predicted, loss)
        for k in range(updates):
            _draw_masks(keys[r], k, n, (input_rate, hidden_rate), net)
            _present(n, net)
            _forward(w, net)
            _backward(w, y[r], net)
            _descend(w, eta, net)


@cache
def compiled() -> dict[str, Any] | None:
    """Return the compiled passes by name, or None where numba is not installed.

    They are kept on disk until this file changes; numba does not see a change in ``normals.py``.
    """
    if normals.enable_numba() is None:
        return None
    from numba.extending import register_jitable

    helpers = (
        _network,
        _load,
        _present,
        _add_bias,
        _forward,
        _backward,
        _above,
        _judge,
        _sigmoid,
        _add_row,
        _scale_row,
        _dot,
    )
    draws = _draw, _sample, _sample_run, _spread, _draw_masks
    for helper in (*helpers, *draws, _flow, _flow_all, _descend, _diffuse):
        register_jitable(error_model="numpy")(helper)
    passes = _belief_flow, _langevin, _dropout
    return {f.__name__[1:]: normals.compiled(f, error_model="numpy", nogil=True) for f in passes}
