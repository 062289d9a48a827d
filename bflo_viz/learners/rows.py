"""Examples and labels as learners take them: checked whole before anything changes, then read in blocks."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats

Block = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # inputs that are not zero, their columns, where rows begin
_PLAIN: Any = ("C", "W", "E")  # memory layout: to numba arrays of another one are of another type, compiled anew
_CHECKED = 1 << 20  # numbers checked at a time: a mask over the whole stream would double its memory


class Rows:
    """Rows of a dense array or of any ``scipy.sparse`` matrix; neither is changed."""

    def __init__(self, X: Any, features: int) -> None:
        if hasattr(X, "tocsr"):
            check.sparse("X", X)
            csr = X.tocsr()
            csr = type(csr)((csr.data, csr.indices, csr.indptr), shape=csr.shape)  # without what X believes of itself
            if not csr.has_canonical_format:
                csr = csr.copy()
                csr.sum_duplicates()
            values, shape = check.array("X", csr.data), csr.shape
        else:
            values = check.array("X", X)
            shape = values.shape
        if values.dtype.kind not in "fiub":
            check.reals("X", values)
        if len(shape) != 2:
            raise ValueError(f"X must have one row per example, two dimensions, but it has shape {shape}.")
        if shape[1] != features:
            raise ValueError(f"X must have {features} features, as this learner has, but it has {shape[1]}.")
        for start in range(0, len(values), chunk := max(1, _CHECKED // max(1, features))):
            part = values[start : start + chunk]  # a finite sum proves every term finite
            if not np.isfinite(part.sum()) and not np.isfinite(part).all():
                raise ValueError("X must be finite, but it holds NaN or infinity.")
        self._rows: Any = csr if hasattr(X, "tocsr") else values
        self.features = features
        self._columns = np.empty(0, np.uint32)  # of dense rows, as many as a block has needed

    def __len__(self) -> int:
        return int(self._rows.shape[0])

    def dense(self, start: int, stop: int) -> Floats:
        """Return a block of rows as a dense array."""
        part = self._rows[start:stop]
        return np.asarray(part.toarray() if hasattr(part, "tocsr") else part, np.float64)

    def block(self, start: int, stop: int, dtype: Any = np.float64) -> Block:
        """Return a block of rows as passes take them."""
        if hasattr(self._rows, "tocsr"):
            begin = self._rows.indptr[start : stop + 1].astype(np.int64)
            part = slice(int(begin[0]), int(begin[-1]))
            data, columns, begin = self._rows.data[part], self._rows.indices[part], begin - part.start
        else:
            data, begin = self._rows[start:stop].reshape(-1), self.features * np.arange(stop - start + 1)
            if self._columns.size < data.size:
                self._columns = np.tile(np.arange(self.features, dtype=np.uint32), stop - start)
            columns = self._columns[: data.size]
        present = data != 0
        if not present.all():
            places = np.flatnonzero(present)
            data, columns, begin = data[places], columns[places], np.searchsorted(places, begin)
        # Columns have no sign, which spares passes the question whether they count from the end.
        return np.require(data, dtype, _PLAIN), np.require(columns, np.uint32, _PLAIN), np.require(begin, np.int64)


def one_row(x: Floats, dtype: str) -> Block:
    """Return one example as passes take it."""
    places = np.flatnonzero(x)
    return x[places].astype(dtype), places.astype(np.uint32), np.array([0, places.size])


def checked_labels(y: Any, count: int, outputs: int) -> NDArray[np.int64]:
    """Return labels as integers from 0; for two classes −1 and +1 are read as 0 and 1, with a warning."""
    classes = max(outputs, 2)
    array = check.array("y", y)
    if array.shape != (count,):
        raise ValueError(f"y must have one label for each of {count} rows, but it has shape {array.shape}.")
    try:
        numbers = check.reals("y", array.astype(np.float64) if array.dtype.kind == "O" else array)
    except (TypeError, ValueError):
        numbers = np.full(count, 0.5)
    wrong = (numbers < 0) | (numbers >= classes) | (numbers != np.floor(numbers))
    if classes == 2 and np.any(numbers == -1) and np.isin(numbers, (-1, 1)).all():
        warnings.warn("labels -1 and +1 are read as 0 and 1.", UserWarning, stacklevel=3)
        return (numbers > 0).astype(np.int64)
    if wrong.any():
        wanted = "0 or 1 (or -1 and +1)" if classes == 2 else f"whole numbers from 0 to {classes - 1}"
        was = check.short(array[wrong].tolist()[0])
        raise ValueError(f"y must be {wanted}, but one label is {was}. BeliefFlowClassifier takes any labels.")
    return numbers.astype(np.int64)
