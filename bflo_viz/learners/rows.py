"""Examples and labels as learners take them: checked whole before anything changes, then read in blocks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats

Block = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # inputs that are not zero, their columns, where rows begin
_PLAIN: Any = ("C", "W", "E")  # memory layout: to numba arrays of another one are of another type, compiled anew


class Rows:
    """Rows of a dense array or of any ``scipy.sparse`` matrix; neither is changed."""

    def __init__(self, X: Any, features: int) -> None:
        if hasattr(X, "tocsr"):
            csr = check.sparse("X", X).tocsr()
            X = type(csr)((csr.data, csr.indices, csr.indptr), shape=csr.shape)  # without what it believes of itself
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            values = check.reals("X", X.data)
        else:
            X = values = check.reals("X", X)
        if len(X.shape) != 2 or X.shape[1] != features:
            raise ValueError(f"X must have one row of {features} features per example, but it has shape {X.shape}.")
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(values.sum()) and not np.isfinite(values).all():  # a finite sum needs no mask
                raise ValueError("X must be finite, but it holds NaN or infinity.")
        self.X, self.features = X, features
        self._columns = np.empty(0, np.uint32)  # of dense rows, as many as a block has needed

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def block(self, part: slice) -> Block:
        """Return a block of rows as passes take them."""
        start, stop, _ = part.indices(len(self))
        if hasattr(self.X, "tocsr"):
            begin = self.X.indptr[start : stop + 1].astype(np.int64)
            stored = slice(int(begin[0]), int(begin[-1]))
            data, columns, begin = self.X.data[stored], self.X.indices[stored], begin - begin[0]
        else:
            data, begin = self.X[start:stop].reshape(-1), self.features * np.arange(stop - start + 1)
            if self._columns.size < data.size:
                self._columns = np.tile(np.arange(self.features, dtype=np.uint32), stop - start)
            columns = self._columns[: data.size]
        present = data != 0
        if not present.all():
            places = np.flatnonzero(present)
            data, columns, begin = data[places], columns[places], np.searchsorted(places, begin)
        columns = np.require(columns, np.uint32, _PLAIN)  # without a sign, so that passes need not ask for it
        return np.require(data, np.float64, _PLAIN), columns, np.require(begin, np.int64)


def checked_row(x: Any, features: int) -> Floats:
    """Return one example as a dense vector."""
    if hasattr(x, "tocsr"):
        x = check.sparse("x", x).toarray().reshape(-1)
    return check.vector("x", x, features)


def checked_labels(y: Any, count: int, outputs: int) -> NDArray[np.int64]:
    """Return labels, 0 … K−1 for K classes, as integers."""
    labels, classes = check.reals("y", y), max(outputs, 2)
    if labels.shape != (count,):
        raise ValueError(f"y must have one label for each of {count} rows, but it has shape {labels.shape}.")
    wrong = ~np.isin(labels, np.arange(classes))
    if wrong.any():
        raise ValueError(f"y must be labels from 0 to {classes - 1}, but one is {labels[wrong][0]:g}.")
    return labels.astype(np.int64)
