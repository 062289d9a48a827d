"""Rounds of a network, in float32 or float64.

The state is flat weights, laid out as `bflo_viz.models.MLP` says; their dtype is the precision of the pass. The
settings begin with the sizes of the layers, and whether there are biases.

The inputs of a layer are a list of the units that are not silent (their rows in the block of weights, and their
values), the bias being one more unit of value 1. Zero pixels and dropped units are simply not in the list, so their
weights are neither drawn nor touched. The flow is that of branch +1; on branch -1 unmoved weights change too, so that
branch has no kernel.
"""

from typing import Any, NamedTuple

import numpy as np

from bflo_viz.kernels import Array, Real, Rows, carry, draw, judge

FASTMATH = False
_PIECE = 1024  # weights at a time: what is computed on the way then stays in the nearest cache
_LIMIT = 80  # a sigmoid says nothing new beyond this logit, and exp(80) is still a float32


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
    return _Net(layers, bias, block, unit, which, value, number, logits, delta, keep)


def _present(rows: Rows, r: int, net: _Net) -> None:
    """Make the values of row r, each times the share of its input, the inputs of the first layer."""
    x, columns, begin = rows
    c = 0
    for i in range(begin[r], begin[r + 1]):
        share = net.keep[columns[i]]
        net.which[c] = columns[i]
        net.value[c] = x[i] * share
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


def _look(w: Array, k: int, r: int, y: Array, net: _Net, out: Any) -> None:
    """Predict, record the prediction of the first update of round r, and compare it with the label."""
    _forward(w, net)
    if k == 0:
        _record(r, y, net, out)
    _backward(w, y[r], net)


def _record(r: int, y: Array, net: _Net, out: Any) -> None:
    """Record label and loss of the logits as they are now, in float64."""
    predicted, loss = out
    outputs = net.layers[net.layers.size - 1]
    best, top, total = 0, -1.0, 0.0
    for k in range(outputs):
        z, output_loss = judge(np.float64(net.logits[k]), y[r] == 1 if outputs == 1 else y[r] == k)
        if z > top:
            best, top = k, z
        total += output_loss
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
def _sample(rng: np.random.Generator, mean: Array, std: Array, net: _Net, z: Array, w: Array) -> None:
    """Draw the weights that can move, in index order: those from the inputs present, and all of the layers above."""
    units, above = net.layers[1], net.block[1]
    for i in range(net.number[0]):
        a = net.which[i] * units
        b = a + units
        _spread(rng, mean[a:b], std[a:b], z[a:b], w[a:b])
    _spread(rng, mean[above:], std[above:], z[above:], w[above:])


def _spread(rng: np.random.Generator, mean: Array, std: Array, z: Array, w: Array) -> None:
    draw(rng, z)
    for i in range(w.size):
        w[i] = mean[i] + std[i] * z[i]


def _draw_masks(rng: np.random.Generator, rows: Rows, r: int, rates: Any, net: _Net) -> None:
    """Decide what an update of dropout keeps: 1 or 0 for the inputs at hand, then for every hidden unit."""
    inputs = net.layers[0]
    _, columns, begin = rows
    for i in range(begin[r], begin[r + 1]):
        net.keep[columns[i]] = rates[0] == 0 or rng.random() >= rates[0]
    for u in range(inputs, net.keep.size):
        net.keep[u] = rates[1] == 0 or rng.random() >= rates[1]


# --- what the learners do with a gradient ---------------------------------------------------------------------------
def _flow_all(
    mean: Array, std: Array, z: Array, step: Array, eta: float, net: _Net, narrow: bool, floor: Real
) -> None:
    """Let the weights that count flow, in groups of neighbouring rows: short loops would waste the processor."""
    for layer in range(net.layers.size - 1):
        units, block, above = net.layers[layer + 1], net.block[layer], _above(layer, net)
        i, end = net.unit[layer], net.unit[layer] + net.number[layer]
        while i < end:
            a = b = block + net.which[i] * units
            while i < end and b == block + net.which[i] * units and (b == a or b + units <= a + _PIECE):
                _scale_row(step[b : b + units], mean.dtype.type(-eta * net.value[i]), above)
                b += units
                i += 1
            carry(mean[a:b], std[a:b], z[a:b], step[a:b], mean.dtype.type(1), narrow, floor)


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
def belief_flow_diagonal(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Diagonal belief flow: each update draws the weights anew, and the first draw of a round predicts."""
    mean, std = state
    layers, bias, eta, updates, non_expansive, min_std, _ = settings
    net = _network(layers, bias, mean)
    z, w = np.empty_like(mean), np.empty_like(mean)
    floor = mean.dtype.type(min_std)
    for r in range(y.size):
        _present(rows, r, net)
        for k in range(updates):
            _sample(rng, mean, std, net, z, w)
            _look(w, k, r, y, net, out)
            _flow_all(mean, std, z, w, eta, net, non_expansive, floor)  # the sample is done with: steps go there


def langevin(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Langevin dynamics: ``w ← w − eta/2 (gradient + prior_precision w) + noise z``, z for every weight.

    Without noise and prior it is gradient descent, and draws nothing.
    """
    (w,) = state
    layers, bias, eta, updates, noise, prior_precision = settings
    net = _network(layers, bias, w)
    z, shrink = np.zeros_like(w), w.dtype.type(1 - eta / 2 * prior_precision)
    for r in range(y.size):
        _present(rows, r, net)
        for k in range(updates):
            _look(w, k, r, y, net, out)
            if noise != 0:
                draw(rng, z)
            if noise != 0 or prior_precision != 0:
                _diffuse(w, shrink, w.dtype.type(noise), z)
            _descend(w, eta / 2, net)


def dropout(state: Any, rows: Rows, y: Array, rng: Any, settings: Any, out: Any) -> None:
    """Gradient descent with dropout: each update leaves out other units.

    The mean network, with every input and hidden activation times the share that is kept, predicts.
    """
    (w,) = state
    layers, bias, eta, updates, input_rate, hidden_rate = settings
    net = _network(layers, bias, w)
    for r in range(y.size):
        net.keep[: net.layers[0]], net.keep[net.layers[0] :] = 1 - input_rate, 1 - hidden_rate
        _present(rows, r, net)
        _forward(w, net)
        _record(r, y, net, out)
        for _ in range(updates):
            _draw_masks(rng, rows, r, (input_rate, hidden_rate), net)
            _present(rows, r, net)
            _forward(w, net)
            _backward(w, y[r], net)
            _descend(w, eta, net)
