"""Models: losses and gradients against 60 digits, sparse rows, saturation, labels."""

import math
import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from bflo_viz.models import MLP, Logistic

SIZES = st.lists(st.integers(1, 5), min_size=2, max_size=4).map(tuple)  # one to three layers
SEEDS = st.integers(0, 2**32 - 1)


def spelled_out(sizes, bias, w, x, y):
    """Loss and outputs of an MLP written weight by weight from the layout contract; no array code shared."""
    place, signal = 0, [mpmath.mpf(number) for number in x]
    for n, units in pairwise(sizes):
        inputs = signal + [mpmath.mpf(1)] * bias
        logits = [sum(value * w[place + j * units + k] for j, value in enumerate(inputs)) for k in range(units)]
        signal = [1 / (1 + mpmath.exp(-logit)) for logit in logits]
        place += (n + bias) * units
    assert place == len(w)
    right = [y == 1] if len(signal) == 1 else [y == k for k in range(len(signal))]
    loss = -sum(mpmath.log(z if said else 1 - z) for z, said in zip(signal, right, strict=True)) / len(signal)
    return loss, signal


def loss_of(model, w, x, y):
    return model.forward(np.asarray(w), np.asarray(x)).loss(y)


def assert_is_spelled_out(model, sizes, bias, w, x, y, seed):
    """Loss, prediction, and the slope of the loss along a random direction, with 60 digits."""
    along, step = np.random.default_rng(seed).normal(size=w.size), mpmath.mpf(10) ** -20
    with mpmath.workdps(60):
        loss, z = spelled_out(sizes, bias, w, x, y)
        ahead, behind = (
            spelled_out(sizes, bias, [a + sign * step * b for a, b in zip(w, along, strict=True)], x, y)[0]
            for sign in (1, -1)
        )
        slope = float((ahead - behind) / (2 * step))
    assert loss_of(model, w, x, y) == pytest.approx(float(loss), rel=1e-12)
    np.testing.assert_allclose(model.predict(w, x), [float(value) for value in z], rtol=1e-12)
    gradient = model.gradient(w, x, y)
    assert gradient @ along == pytest.approx(slope, rel=1e-10, abs=1e-12 * np.abs(gradient * along).max())


def example(sizes, bias, seed):
    rng = np.random.default_rng(seed)
    model = MLP(sizes, bias=bias)
    return (
        model,
        rng.normal(size=model.size(sizes[0])),
        rng.normal(size=sizes[0]),
        int(rng.integers(max(sizes[-1], 2))),
    )


@given(SIZES, st.booleans(), SEEDS)
def test_an_mlp_is_what_its_formula_says_weight_by_weight(sizes, bias, seed):
    model, w, x, y = example(sizes, bias, seed)
    assert_is_spelled_out(model, sizes, bias, w, x, y, seed)


@given(st.integers(1, 8), SEEDS, st.integers(0, 1))
def test_logistic_is_what_its_formula_says_weight_by_weight(features, seed, y):
    w, x = np.random.default_rng(seed).normal(size=(2, features))
    assert_is_spelled_out(Logistic(), (features, 1), False, w, x, y, seed)


@given(SIZES, st.booleans(), SEEDS)
def test_many_rows_are_predicted_as_each_alone(sizes, bias, seed):
    model, w, _, _ = example(sizes, bias, seed)
    X = np.random.default_rng(seed).normal(size=(4, sizes[0]))
    blocks = model.unflatten(w)
    assert [b.shape for b in blocks] == [(n + bias, m) for n, m in pairwise(sizes)]
    np.testing.assert_array_equal(np.concatenate([b.ravel() for b in blocks]), w)
    assert all(np.shares_memory(block, w) for block in blocks)
    Z = model.predict_many(w, X)
    assert Z.shape == (4, sizes[-1])
    np.testing.assert_allclose(Z, [model.predict(w, x) for x in X], rtol=1e-12)
    gradient = model.gradient(w, X[0], 0)
    assert gradient.shape == w.shape
    assert gradient.dtype == Z.dtype == np.float64


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array])
def test_sparse_rows_equal_dense_rows(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(7, 12)) * (rng.random((7, 12)) < 0.3)
    X[2] = 0
    for model in (Logistic(), MLP((12, 5, 3)), MLP((12, 1), bias=False)):
        w = rng.normal(size=model.size(12))
        np.testing.assert_allclose(model.predict_many(w, kind(X)), model.predict_many(w, X), rtol=1e-13)


@pytest.mark.parametrize("logit", [-1e4, -800.0, 800.0, 1e4])
def test_saturated_logits_stay_finite(logit):
    """Warnings are errors here, so this also shows that nothing overflows on the way."""
    for model, w in ((Logistic(), [logit]), (MLP((1, 1), bias=False), [logit])):
        for y in (0, 1):
            right = (logit > 0) == (y == 1)
            assert loss_of(model, w, [1.0], y) == (0.0 if right else abs(logit))
            np.testing.assert_array_equal(model.predict(w, [1.0]), float(logit > 0))
            np.testing.assert_array_equal(model.gradient(w, [1.0], y), float(logit > 0) - y)
    deep = MLP((2, 3, 4))
    w = np.full(deep.size(2), logit)
    assert np.isfinite(deep.gradient(w, [1.0, 1.0], 2)).all()
    assert math.isfinite(loss_of(deep, w, [1.0, 1.0], 2))


def test_the_label_is_that_of_the_largest_output():
    one, three = MLP((2, 1)), MLP((2, 3))
    assert Logistic().labels([0.2, 0.5, np.nextafter(0.5, 1)]).tolist() == [0, 0, 1]
    assert one.labels([[0.2], [0.5], [0.51]]).tolist() == [0, 0, 1]
    assert three.labels([[0.1, 0.3, 0.2], [0.9, 0.9, 0.1]]).tolist() == [1, 0]
    assert three.labels(np.empty((0, 3))).shape == (0,)


def test_models_are_frozen_values():
    model = MLP(3, 2, 1, bias=False, precision="float64")
    same = MLP([np.int64(3), 2, 1], bias=False, precision="float64")
    assert model == same != MLP((3, 2, 1)) and hash(model) == hash(same)
    assert {model: 1}[pickle.loads(pickle.dumps(model))] == 1
    assert pickle.loads(pickle.dumps(Logistic())) == Logistic()
    with pytest.raises(FrozenInstanceError):
        model.sizes = (1, 1)
    with pytest.raises((FrozenInstanceError, TypeError)):
        Logistic().bias = True
    assert model.outputs == 1 == Logistic().outputs
    assert MLP((784, 200, 10)).size(784) == MLP(784, 200, 10).size() == 159_010
    assert MLP((784, 200, 10), bias=False).size(784) == 158_800
    assert Logistic().size(7) == 7


@pytest.mark.parametrize("bias", [True, False])
def test_hidden_activity_is_what_the_outputs_are_made_of(bias):
    model = MLP((16, 6, 3), bias=bias)
    rng = np.random.default_rng(0)
    w, X = rng.standard_normal(model.size(16)), rng.random((5, 16))
    hidden, last = model.hidden(w, X), model.unflatten(w)[1]
    logits = hidden @ last[:6] + (last[6] if bias else 0)
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), model.predict_many(w, X), rtol=1e-12)
    with pytest.raises(ValueError, match="16"):
        model.hidden(w, X[:, :3])
