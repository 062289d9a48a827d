"""Compiled rounds of an MLP against plain NumPy loops over the model, the flow and the normals."""

import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from bflo_viz.flows import carry
from bflo_viz.kernels import mlp, mlp_rounds, normals
from bflo_viz.models import MLP

pytest.importorskip("numba")

# Odd numbers of weights, and odd numbers a row, so that pairs of normals straddle rows, layers and updates.
NETS = [
    MLP((7, 3), bias=True),
    MLP((5, 1), bias=False),
    MLP((6, 5, 3)),
    MLP((9, 4, 1), bias=False),
    MLP((5, 7, 3, 2)),
    MLP((6, 3, 5, 4), bias=False),
]
nets = pytest.mark.parametrize("model", NETS, ids=lambda m: "-".join(map(str, m.sizes)) + ("+b" if m.bias else ""))
precisions = pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
TOLERANCE = {np.float64: 1e-10, np.float32: 1e-4}


def stream(model, rounds, seed=0, zeros=0.4):
    """Rows with many zeros, labels and keys."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, model.sizes[0])).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < zeros] = 0
    X[rounds // 2] = 0  # nothing but the bias
    y = rng.integers(0, max(model.outputs, 2), rounds)
    return X, y, rng.integers(0, 1 << 64, rounds, dtype=np.uint64)


def prior(model, seed=1, std=0.5):
    rng = np.random.default_rng(seed)
    dim = model.size(model.sizes[0])
    return rng.normal(size=dim), std * (0.5 + rng.random(dim))


def normal(key, k, dim, dtype):
    return normals.normals_numpy(normals.split_key(key), k * dim + np.arange(dim), dtype).astype(np.float64)


def judged(model, w, x, y):
    return model.label(model.predict(w, x)), model.loss_of(w, x, y)


# --- the oracles ----------------------------------------------------------------------------------------------------
def slow_belief_flow(model, X, y, keys, mean, std, *, eta, updates, narrow, min_std, dtype):
    record = []
    for x, label, key in zip(X, y, keys, strict=True):
        for k in range(updates):
            z = normal(key, k, mean.size, dtype)
            w = mean + std * z
            if k == 0:
                record.append(judged(model, w, x, label))
            mean, std = carry(mean, std, z, -eta * model.gradient(w, x, label), non_expansive=narrow)
            std = np.maximum(std, min_std)
    return (mean, std), record


def slow_sgd(model, X, y, keys, w, *, eta, updates, dtype):
    record = []
    for x, label in zip(X, y, strict=True):
        record.append(judged(model, w, x, label))
        for _ in range(updates):
            w = w - eta * model.gradient(w, x, label)
    return (w,), record


def slow_langevin(model, X, y, keys, w, *, eta, updates, noise, precision, dtype):
    record = []
    for x, label, key in zip(X, y, keys, strict=True):
        record.append(judged(model, w, x, label))
        for k in range(updates):
            gradient = model.gradient(w, x, label)
            w = w - eta / 2 * (gradient + precision * w) + noise * normal(key, k, w.size, dtype)
    return (w,), record


def slow_dropout(model, X, y, keys, w, *, eta, updates, input_rate, hidden_rate, dtype):
    """A unit is left out by silencing the weights out of it; it is scaled by scaling them."""

    def outgoing(shares):
        rows = [np.append(share, 1.0) if model.bias else share for share in shares]
        pieces = zip(rows, model.sizes[1:], strict=True)
        return np.concatenate([np.repeat(row, units) for row, units in pieces])

    rates = [input_rate] + [hidden_rate] * (len(model.sizes) - 2)
    mean_net = outgoing([np.full(n, 1 - rate) for n, rate in zip(model.sizes[:-1], rates, strict=True)])
    record = []
    for x, label, key in zip(X, y, keys, strict=True):
        record.append(judged(model, w * mean_net, x, label))
        for k in range(updates):
            kept = outgoing(mlp.dropout_masks(int(key), k, model.sizes, input_rate, hidden_rate))
            w = w - eta * kept * model.gradient(w * kept, x, label)
    return (w,), record


# --- the kernels, called alike --------------------------------------------------------------------------------------
def compiled_pass(kernel, model, X, y, keys, state, *settings, csr=False):
    """Run a kernel on copies; return the state after it, the labels and the losses."""
    state = tuple(array.copy() for array in state)
    predicted, loss = np.full(len(y), -1), np.full(len(y), np.nan)
    rows = (X,)
    if csr:
        kernel = getattr(mlp, kernel.__name__ + "_csr")
        matrix = sparse.csr_matrix(X.astype(state[0].dtype))
        rows = matrix.data, matrix.indices, matrix.indptr
    keyed = () if kernel in (mlp.sgd, mlp.sgd_csr) else (keys,)
    kernel(*state, model.sizes, model.bias, *rows, y, *keyed, *settings, predicted, loss)
    return state, predicted, loss


CASES = {
    "belief flow": (mlp.belief_flow, slow_belief_flow, {"eta": 0.3, "updates": 3, "narrow": False, "min_std": 0.0}),
    "non-expansive": (mlp.belief_flow, slow_belief_flow, {"eta": 0.3, "updates": 2, "narrow": True, "min_std": 0.0}),
    "floor": (mlp.belief_flow, slow_belief_flow, {"eta": 2.0, "updates": 2, "narrow": False, "min_std": 0.4}),
    "sgd": (mlp.sgd, slow_sgd, {"eta": 0.3, "updates": 3}),
    "langevin": (mlp.langevin, slow_langevin, {"eta": 0.2, "updates": 3, "noise": 0.05, "precision": 0.1}),
    "dropout": (mlp.dropout, slow_dropout, {"eta": 0.3, "updates": 3, "input_rate": 0.2, "hidden_rate": 0.5}),
}
cases = pytest.mark.parametrize("case", CASES)


def start(kernel, model, dtype):
    state = [array.astype(dtype) for array in prior(model)]
    return tuple(state) if kernel is mlp.belief_flow else (state[0],)


@cases
@nets
@precisions
def test_rounds_are_those_of_the_plain_loop(case, model, dtype):
    kernel, slow, settings = CASES[case]
    rounds = 50 if dtype is np.float64 else 8
    X, y, keys = stream(model, rounds)
    state = start(kernel, model, dtype)
    after, predicted, loss = compiled_pass(kernel, model, X, y, keys, state, *settings.values())
    expected, record = slow(
        model, X, y, keys, *(array.astype(np.float64) for array in state), **settings, dtype=dtype
    )
    for array, wanted in zip(after, expected, strict=True):
        np.testing.assert_allclose(array, wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    np.testing.assert_allclose(loss, [loss for _, loss in record], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    assert predicted.tolist() == [label for label, _ in record]


@cases
@nets
def test_sparse_rows_give_the_same_bits(case, model):
    kernel, _, settings = CASES[case]
    X, y, keys = stream(model, 20)
    for dtype in (np.float32, np.float64):
        run = partial(compiled_pass, kernel, model, X, y, keys, start(kernel, model, dtype), *settings.values())
        dense, compressed = run(), run(csr=True)
        for a, b in zip((*dense[0], *dense[1:]), (*compressed[0], *compressed[1:]), strict=True):
            np.testing.assert_array_equal(a, b)


@cases
@precisions
def test_a_pass_cut_in_two_is_one_pass(case, dtype):
    kernel, _, settings = CASES[case]
    model = NETS[2]
    X, y, keys = stream(model, 21)
    state = start(kernel, model, dtype)
    whole = compiled_pass(kernel, model, X, y, keys, state, *settings.values())
    again = compiled_pass(kernel, model, X, y, keys, state, *settings.values())
    labels, losses = [], []
    for part in (slice(0, 8), slice(8, 8), slice(8, 21)):
        state, predicted, loss = compiled_pass(kernel, model, X[part], y[part], keys[part], state, *settings.values())
        labels.extend(predicted)
        losses.extend(loss)
    for a, b, c in zip(whole[0], state, again[0], strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    assert whole[1].tolist() == labels
    assert whole[2].tolist() == losses


def test_other_keys_give_another_pass():
    model = NETS[2]
    X, y, keys = stream(model, 5)
    for case in ("belief flow", "langevin", "dropout"):
        kernel, _, settings = CASES[case]
        run = partial(compiled_pass, kernel, model, X, y)
        one, other = (run(k, start(kernel, model, np.float64), *settings.values())[0][0] for k in (keys, keys[::-1]))
        assert (one != other).any()


@precisions
@pytest.mark.parametrize("narrow", [False, True])
def test_weights_of_pixels_never_seen_keep_their_bits(narrow, dtype):
    model = MLP((12, 5, 3))
    X, y, keys = stream(model, 40)
    X[:, [0, 4, 5, 11]] = 0
    mean, std = (array.astype(dtype) for array in prior(model))
    (new_mean, new_std), _, _ = compiled_pass(mlp.belief_flow, model, X, y, keys, (mean, std), 0.5, 2, narrow, 1e-3)
    for old, new in ((mean, new_mean), (std, new_std)):
        same = (old == new)[: 13 * 5].reshape(13, 5)
        assert same[[0, 4, 5, 11]].all()
        assert not same[[1, 2, 3, 6, 7, 8, 9, 10, 12]].any()


@precisions
def test_widths_never_grow_when_told_not_to_and_never_pass_the_floor(dtype):
    model = NETS[4]
    X, y, keys = stream(model, 60, zeros=0.0)
    mean, std = (array.astype(dtype) for array in prior(model))
    grew = shrank = False
    for r in range(60):
        row = X[r : r + 1], y[r : r + 1], keys[r : r + 1]
        (_, free), _, _ = compiled_pass(mlp.belief_flow, model, *row, (mean, std), 1.0, 3, False, 0.0)
        grew |= bool((free > std).any())
        (mean, new), _, _ = compiled_pass(mlp.belief_flow, model, *row, (mean, std), 1.0, 3, True, 0.01)
        assert (new <= std).all()
        assert (new >= dtype(0.01)).all()
        shrank |= bool((new < std).any())
        std = new
    assert grew
    assert shrank
    assert (std == dtype(0.01)).any()  # or the floor would not have been seen


def test_the_floor_reaches_weights_that_were_not_touched():
    """As in `DiagonalBelief.flow`, whose floor is for every weight: after the first update, not before it."""
    model = MLP((3, 2))
    mean, std = np.zeros(8), np.full(8, 1e-3)
    X, y, keys = np.array([[1.0, 0.0, 0.0]]), np.array([0]), np.array([7], np.uint64)
    (_, new), _, loss = compiled_pass(mlp.belief_flow, model, X, y, keys, (mean, std), 0.1, 1, True, 0.5)
    assert (new == 0.5).all()
    assert abs(loss[0] - np.log(2)) < 0.01


@precisions
@pytest.mark.parametrize("std", [0.0, 1e-45, 1e-38, 1e-30, 1e-19, 1e-10])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_breaks_once_widths_have_collapsed(dtype, std, narrow):
    model = MLP((6, 5, 3))
    X, y, keys = stream(model, 2000)
    mean = prior(model)[0].astype(dtype)
    state = mean, np.full(mean.size, std, dtype)
    (mean, new), _, loss = compiled_pass(mlp.belief_flow, model, X, y, keys, state, 0.5, 1, narrow, 0.0)
    assert np.isfinite(mean).all()
    assert np.isfinite(new).all()
    assert np.isfinite(loss).all()
    assert (new >= 0).all()
    assert (new <= dtype(std)).all() if narrow else (new > 1e-6).any()  # a point can widen again, if it may


def test_a_point_belief_walks_as_sgd_does():
    model = NETS[2]
    X, y, keys = stream(model, 50)
    w = prior(model)[0]
    (mean, _), *_ = compiled_pass(mlp.belief_flow, model, X, y, keys, (w, np.zeros_like(w)), 0.3, 2, True, 0.0)
    (walked,), *_ = compiled_pass(mlp.sgd, model, X, y, keys, (w,), 0.3, 2)
    np.testing.assert_allclose(mean, walked, rtol=1e-12)


@precisions
@pytest.mark.parametrize("narrow", [False, True])
def test_steps_whose_squares_overflow_are_carried_all_the_same(dtype, narrow):
    model = NETS[0]
    X, y, keys = stream(model, 1, seed=3)
    X[:] = 1
    state = start(mlp.belief_flow, model, dtype)
    settings = {"eta": 1e21 if dtype is np.float32 else 1e160, "updates": 1, "narrow": narrow, "min_std": 0.0}
    after, _, _ = compiled_pass(mlp.belief_flow, model, X, y, keys, state, *settings.values())
    expected, _ = slow_belief_flow(model, X, y, keys, *(a.astype(np.float64) for a in state), **settings, dtype=dtype)
    np.testing.assert_allclose(after[0], expected[0], rtol=1e-4)
    # A width far below one step is lost in float32; it has to be small, not right.
    np.testing.assert_allclose(after[1], expected[1], rtol=1e-4, atol=1e-18)


@precisions
def test_weights_into_a_saturated_unit_keep_their_bits(dtype):
    """Its derivative is zero, so its weights did not move, though their inputs are there."""
    model = MLP((4, 3, 2))
    X, y, keys = stream(model, 20, zeros=0.0)
    mean, std = (array.astype(dtype) for array in prior(model))
    mean[4 * 3 + 1] = 1e4  # the bias of the second hidden unit
    after, _, _ = compiled_pass(mlp.belief_flow, model, X, y, keys, (mean, std), 0.5, 2, False, 0.0)
    for old, new in zip((mean, std), after, strict=True):
        same = (old == new)[:15].reshape(5, 3)
        assert same[:, 1].all()
        assert not same[:, [0, 2]].any()


def test_zeros_stored_in_a_sparse_matrix_and_read_only_rows_change_nothing():
    model = NETS[2]
    X, y, keys = stream(model, 10)
    state = start(mlp.belief_flow, model, np.float64)
    expected, *_ = compiled_pass(mlp.belief_flow, model, X, y, keys, state, 0.3, 2, False, 0.0)
    full = np.tile(np.arange(6), 10), np.arange(0, 61, 6)
    for array in (X, y, keys):
        array.flags.writeable = False
    variants = len(mlp_rounds.compiled()["belief_flow"].signatures)
    for rows in (X, (X.ravel(), *full)):
        mean, std = (array.copy() for array in state)
        predicted, loss = np.zeros(10, np.int64), np.zeros(10)
        mlp.belief_flow(mean, std, model.sizes, model.bias, rows, y, keys, 0.3, 2, False, 0.0, predicted, loss)
        np.testing.assert_array_equal(mean, expected[0])
        np.testing.assert_array_equal(std, expected[1])
    assert len(mlp_rounds.compiled()["belief_flow"].signatures) == variants  # nothing was compiled anew


@precisions
@pytest.mark.parametrize("scale", [1e4, 1e15])
def test_huge_inputs_saturate_and_stay_finite(dtype, scale):
    model = MLP((6, 5, 3))
    X, y, keys = stream(model, 30)
    mean, std = (array.astype(dtype) for array in prior(model))
    for case in ("belief flow", "non-expansive", "sgd", "dropout"):
        kernel, _, settings = CASES[case]
        state = (mean, std) if kernel is mlp.belief_flow else (mean,)
        after, _, loss = compiled_pass(kernel, model, X * scale, y, keys, state, *settings.values())
        assert all(np.isfinite(array).all() for array in after)
        assert np.isfinite(loss).all()


@precisions
@pytest.mark.parametrize("first", [0, 1, 6, 2**32 - 3])
@pytest.mark.parametrize("size", [1, 2, 3, 1500])
def test_draws_are_the_numbers_of_the_stream(dtype, first, size):
    """Run uncompiled: the very lines that numba compiles are Python too."""
    out, key = np.empty(size, dtype), np.uint64(0xBF10_0000_5EED)
    mlp_rounds._draw(key, first, out)
    expected = normals.normals_numpy(normals.split_key(key), first + np.arange(size), dtype)
    np.testing.assert_array_equal(out, expected)


def test_dropout_masks_keep_the_share_they_should():
    sizes = (2000, 1000, 500, 10)
    inputs, first, second = mlp.dropout_masks(99, 3, sizes, 0.2, 0.5)
    assert (inputs.size, first.size, second.size) == sizes[:-1]
    assert set(np.concatenate([inputs, first, second])) == {0.0, 1.0}
    for mask, share in ((inputs, 0.8), (first, 0.5), (second, 0.5)):
        assert abs(mask.mean() - share) < 4 * np.sqrt(share * (1 - share) / mask.size)
    assert (mlp.dropout_masks(99, 4, sizes, 0.2, 0.5)[0] != inputs).any()
    assert (mlp.dropout_masks(98, 3, sizes, 0.2, 0.5)[0] != inputs).any()
    assert all(mask.all() for mask in mlp.dropout_masks(99, 3, sizes, 0.0, 0.0))
    np.testing.assert_array_equal(inputs, mlp.dropout_masks((99, 0), 3, sizes, 0.2, 0.5)[0])


@pytest.mark.parametrize("narrow", [False, True])
def test_single_precision_learns_as_double_does(narrow):
    """Errors on the first rounds of the digits, several seeds: the means differ by less than their noise."""
    digits = pytest.importorskip("sklearn.datasets").load_digits()
    model = MLP((64, 32, 10))
    errors = {np.float32: [], np.float64: []}
    for dtype, counts in errors.items():
        for seed in range(6):
            rng = np.random.default_rng(seed)
            rows = rng.permutation(len(digits.target))[:600]
            X, y = digits.data[rows] / 16, digits.target[rows]
            keys = rng.integers(0, 1 << 64, rows.size, dtype=np.uint64)
            std = np.full(model.size(64), 0.3, dtype)
            state = (np.zeros_like(std), std)
            _, predicted, _ = compiled_pass(mlp.belief_flow, model, X, y, keys, state, 1.0, 5, narrow, 0.0)
            counts.append(np.mean(predicted != y))
    single, double = errors.values()
    assert np.mean(single) < 0.6  # of ten classes: it does learn
    spread = np.hypot(np.std(single, ddof=1), np.std(double, ddof=1)) / np.sqrt(6)
    assert abs(np.mean(single) - np.mean(double)) < 2 * spread


GOOD = {
    "mean": np.zeros(8),
    "std": np.ones(8),
    "layers": (3, 2),
    "bias": True,
    "X": np.ones((4, 3)),
    "y": np.zeros(4, np.int64),
    "keys": np.zeros(4, np.uint64),
    "eta": 0.1,
    "updates": 1,
    "non_expansive": False,
    "min_std": 0.0,
    "predicted": np.zeros(4, np.int64),
    "loss": np.zeros(4),
}
IN_PLACE = "must be a writable contiguous float64 array of shape (8,), but it was"
CSR = np.ones(4), np.zeros(4, np.int64), np.arange(5)
BAD = [
    ("layers", (3,), "layers must be two or more positive sizes, but it was [3]."),
    ("layers", (3, 0), "layers must be two or more positive sizes, but it was [3, 0]."),
    ("mean", np.zeros(7), f"mean {IN_PLACE} float64 of shape (7,)."),
    ("mean", np.zeros(8, int), f"mean {IN_PLACE} int64 of shape (8,)."),
    ("std", np.ones(16)[::2], f"std {IN_PLACE} float64 of shape (8,)."),
    ("std", np.ones(8, np.float32), f"std {IN_PLACE} float32 of shape (8,)."),
    ("std", [1.0] * 8, f"std {IN_PLACE} a list."),
    ("X", np.ones((4, 2)), "X must have shape (4, 3), but it has shape (4, 2)."),
    ("X", np.ones((3, 3)), "X must have shape (4, 3), but it has shape (3, 3)."),
    ("y", np.full(4, 2), "y must be classes from 0 to 1, but it goes from 2 to 2."),
    ("y", np.zeros((4, 1)), "y must be one class a round, but it has shape (4, 1)."),
    ("keys", np.zeros(4, int), "keys must be 4 uint64 numbers, one a round, but it was int64 of shape (4,)."),
    ("keys", np.zeros(3, np.uint64), "keys must be 4 uint64 numbers, one a round, but it was uint64 of shape (3,)."),
    ("updates", 0, "updates must be a whole number, 1 or more, but it was 0."),
    (
        "predicted",
        np.zeros(3, int),
        f"predicted {IN_PLACE} int64 of shape (3,).".replace("float64", "int64").replace("8", "4"),
    ),
    ("X", (CSR[0], CSR[1] + 3, CSR[2]), "indices must be one column from 0 to 2 for each of the 4 data."),
    ("X", (CSR[0], CSR[1][:3], CSR[2]), "indices must be one column from 0 to 2 for each of the 4 data."),
    ("X", (CSR[0], CSR[1], CSR[2] + 1), "indptr must be 5 ascending places in data, which has 4."),
    ("X", (CSR[0], CSR[1], CSR[2][:4]), "indptr must be 5 ascending places in data, which has 4."),
    ("X", (*CSR[:2], [0, 4, 4, 4, 4]), "indices must not name a column twice, but a row has more than 3 of them."),
]


@pytest.mark.parametrize(("name", "value", "sentence"), BAD, ids=[f"{name}: {text[-40:]}" for name, _, text in BAD])
def test_what_would_write_beyond_an_array_is_refused(name, value, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        mlp.belief_flow(**{**GOOD, name: value})


def test_without_numba_the_module_loads_and_says_so():
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "from bflo_viz.kernels import mlp\n"
        "assert not mlp.available()\n"
        "import numpy as np\n"
        "try: mlp.sgd(np.zeros(2), (2, 1), False, np.ones((1, 2)), [0], 0.1, 1, np.zeros(1, int), np.zeros(1))\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "numba is not installed, so there are no compiled passes."


def test_importing_the_module_does_not_load_numba():
    code = "import sys, bflo_viz.kernels.mlp; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
