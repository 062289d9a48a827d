"""Rounds of the learners of an MLP, compiled: whole blocks of a stream in one call, in float32 or float64.

Every pass changes flat weights, laid out as `bflo_viz.models.MLP` says, in place; their dtype is the precision of the
pass. It takes one example a round and as many ``updates`` a round as asked, and writes for each round the label it
predicted before any update (``predicted``) and the loss of that prediction (``loss``, float64).

Randomness is an input: one 64-bit key a round. In update ``k`` of a round the normal of weight ``i`` is number
``k * dim + i`` of the stream of that key (`bflo_viz.kernels.normals`; float32 passes read the float32 stream), so any
subset can be drawn in any order, and a pass cut in two goes on where it was.

Exact sparsity: a weight from an input that is zero has no gradient, so it is neither drawn nor touched. The flow is
that of branch +1; on branch -1 unmoved weights change too, so that branch has no compiled pass.

Examples are the rows of a dense ``X``, or, for the functions called ``…_csr``, of a CSR matrix in canonical form
(columns ascending in each row, none twice). Both give the same numbers to the bit.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz.kernels import normals
from bflo_viz.kernels.mlp_rounds import MASKS, compiled

Array = NDArray[Any]


def available() -> bool:
    """Whether numba is there to compile the passes."""
    return compiled() is not None


def belief_flow(
    mean: Array,
    std: Array,
    layers: ArrayLike,
    bias: bool,
    X: Any,
    y: ArrayLike,
    keys: ArrayLike,
    eta: float,
    updates: int,
    non_expansive: bool,
    min_std: float,
    predicted: Array,
    loss: Array,
) -> None:
    """Rounds of a diagonal belief flow: each update draws the weights anew, and the first draw of a round predicts.

    A width whose square underflows (below about 1e-22 in float32, 1e-161 in float64) may fall to zero, earlier than
    in `flows.carry`; its weight then moves as in gradient descent until an expanding step widens it again.
    """
    settings = _keys(keys, y), float(eta), check.dimension("updates", updates), bool(non_expansive), float(min_std)
    _run("belief_flow", {"mean": mean, "std": std}, layers, bias, X, y, settings, predicted, loss)


def sgd(
    weights: Array,
    layers: ArrayLike,
    bias: bool,
    X: Any,
    y: ArrayLike,
    eta: float,
    updates: int,
    predicted: Array,
    loss: Array,
) -> None:
    """Rounds of gradient descent: Langevin dynamics, whose step is ``eta/2``, without its noise and its prior."""
    keys = np.zeros(np.size(y), np.uint64)
    langevin(weights, layers, bias, X, y, keys, 2 * eta, updates, 0.0, 0.0, predicted, loss)


def dropout(
    weights: Array,
    layers: ArrayLike,
    bias: bool,
    X: Any,
    y: ArrayLike,
    keys: ArrayLike,
    eta: float,
    updates: int,
    input_rate: float,
    hidden_rate: float,
    predicted: Array,
    loss: Array,
) -> None:
    """Rounds of gradient descent with dropout (Hinton et al., 2012), masks as `dropout_masks` draws them.

    Each update descends the gradient of a network without the dropped units; the mean network, with every input and
    hidden activation times the share that is kept, predicts.
    """
    settings = _keys(keys, y), float(eta), check.dimension("updates", updates), float(input_rate), float(hidden_rate)
    _run("dropout", {"weights": weights}, layers, bias, X, y, settings, predicted, loss)


def langevin(
    weights: Array,
    layers: ArrayLike,
    bias: bool,
    X: Any,
    y: ArrayLike,
    keys: ArrayLike,
    eta: float,
    updates: int,
    noise: float,
    prior_precision: float,
    predicted: Array,
    loss: Array,
) -> None:
    """Rounds of Langevin dynamics: ``w ← w − eta/2 (gradient + prior_precision w) + noise z``, z for every weight."""
    settings = _keys(keys, y), float(eta), check.dimension("updates", updates), float(noise), float(prior_precision)
    _run("langevin", {"weights": weights}, layers, bias, X, y, settings, predicted, loss)


def belief_flow_csr(
    mean: Array, std: Array, layers: ArrayLike, bias: bool, data: Array, indices: Array, indptr: Array, *rest: Any
) -> None:
    """Do as `belief_flow`, with data, indices, indptr of a CSR matrix in place of ``X``."""
    belief_flow(mean, std, layers, bias, (data, indices, indptr), *rest)


def sgd_csr(
    weights: Array, layers: ArrayLike, bias: bool, data: Array, indices: Array, indptr: Array, *rest: Any
) -> None:
    """Do as `sgd`, with data, indices, indptr of a CSR matrix in place of ``X``."""
    sgd(weights, layers, bias, (data, indices, indptr), *rest)


def dropout_csr(
    weights: Array, layers: ArrayLike, bias: bool, data: Array, indices: Array, indptr: Array, *rest: Any
) -> None:
    """Do as `dropout`, with data, indices, indptr of a CSR matrix in place of ``X``."""
    dropout(weights, layers, bias, (data, indices, indptr), *rest)


def langevin_csr(
    weights: Array, layers: ArrayLike, bias: bool, data: Array, indices: Array, indptr: Array, *rest: Any
) -> None:
    """Do as `langevin`, with data, indices, indptr of a CSR matrix in place of ``X``."""
    langevin(weights, layers, bias, (data, indices, indptr), *rest)


def dropout_masks(
    key: int | normals.Key, k: int, layers: ArrayLike, input_rate: float, hidden_rate: float
) -> list[NDArray[np.float64]]:
    """Masks of update ``k`` in a round with this key: 1 for each unit kept, for the inputs and each hidden layer.

    Unit ``i`` (inputs first) is dropped where a 32-bit hash of (key, k, i), as a fraction of 2³², is below its rate.
    """
    sizes = np.asarray(layers, np.int64)[:-1]
    units, rates = int(sizes.sum()), np.repeat([input_rate, hidden_rate], [sizes[0], sizes[1:].sum()])
    low, high = key if isinstance(key, tuple) else normals.split_key(key)
    words, _ = normals.philox(
        np.uint64(low), np.uint64(high), MASKS + np.uint64(k * units) + np.arange(units, dtype=np.uint64)
    )
    kept = (words.astype(np.float64) * 2.0**-32 >= rates).astype(np.float64)
    return np.split(kept, np.cumsum(sizes)[:-1])


def _run(
    name: str,
    state: dict[str, Array],
    layers: ArrayLike,
    bias: bool,
    X: Any,
    y: ArrayLike,
    settings: tuple[Any, ...],
    predicted: Array,
    loss: Array,
) -> None:
    """Run a compiled pass, after checking what it takes on trust: it would write beyond arrays that are too short."""
    passes = compiled()
    if passes is None:
        raise ImportError("numba is not installed, so there are no compiled passes.")
    sizes, labels = _plain(layers, np.int64), _plain(y, np.int64)
    if labels.ndim != 1:
        raise ValueError(f"y must be one class a round, but it has shape {labels.shape}.")
    if sizes.ndim != 1 or sizes.size < 2 or sizes.min() < 1:
        raise ValueError(f"layers must be two or more positive sizes, but it was {sizes.tolist()}.")
    dim = int(((sizes[:-1] + bool(bias)) * sizes[1:]).sum())
    dtype = getattr(next(iter(state.values())), "dtype", None)
    for role, array in state.items():
        _in_place(role, array, dim, dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64))
    _in_place("predicted", predicted, labels.size, np.dtype(np.int64))
    _in_place("loss", loss, labels.size, np.dtype(np.float64))
    classes = max(int(sizes[-1]), 2)
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        raise ValueError(
            f"y must be classes from 0 to {classes - 1}, but it goes from {labels.min()} to {labels.max()}."
        )
    rows = _rows(X, labels.size, int(sizes[0]), dtype)
    passes[name](tuple(state.values()), (sizes, bool(bias)), rows, labels, settings, predicted, loss)


def _in_place(name: str, array: Any, size: int, dtype: Any) -> None:
    whole = isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable
    if not (whole and array.shape == (size,) and array.dtype == dtype):
        was = (
            f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else f"a {type(array).__name__}"
        )
        raise ValueError(f"{name} must be a writable contiguous {dtype} array of shape ({size},), but it was {was}.")


def _rows(X: Any, n: int, features: int, dtype: Any) -> tuple[Array, Array, Array, Array]:
    """Rows as the passes take them: a dense array and an empty CSR matrix, or the other way round."""
    if not isinstance(X, tuple):
        dense = _plain(X, dtype)
        if dense.shape != (n, features):
            raise ValueError(f"X must have shape ({n}, {features}), but it has shape {dense.shape}.")
        return dense, np.empty(0, dtype), np.empty(0, np.int64), np.zeros(1, np.int64)
    data, indices, indptr = (_plain(a, t) for a, t in zip(X, (dtype, np.int64, np.int64), strict=True))
    if indptr.shape != (n + 1,) or indptr[0] < 0 or (np.diff(indptr) < 0).any() or indptr[-1] > data.size:
        raise ValueError(f"indptr must be {n + 1} ascending places in data, which has {data.size}.")
    if indices.shape != data.shape or (data.size and not 0 <= indices.min() <= indices.max() < features):
        raise ValueError(f"indices must be one column from 0 to {features - 1} for each of the {data.size} data.")
    if np.diff(indptr).max(initial=0) > features:
        raise ValueError(f"indices must not name a column twice, but a row has more than {features} of them.")
    return np.empty((0, features), dtype), data, indices, indptr


def _keys(keys: ArrayLike, y: ArrayLike) -> NDArray[np.uint64]:
    array = _plain(keys, None)
    if array.dtype != np.uint64 or array.shape != (np.size(y),):
        raise ValueError(
            f"keys must be {np.size(y)} uint64 numbers, one a round, but it was {array.dtype} of shape {array.shape}."
        )
    return array


def _plain(value: Any, dtype: Any) -> Array:
    """Array of the one kind the passes are compiled for: to numba a read-only array is another type."""
    return np.require(value, dtype, ["C", "W", "E"])
