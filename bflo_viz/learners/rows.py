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
        self._csr: Any = None
        if hasattr(X, "tocsr"):
            check.sparse("X", X)
            csr = X.tocsr()
            csr = type(csr)((csr.data, csr.indices, csr.indptr), shape=csr.shape)  # without what X believes of itself
            if not csr.has_canonical_format:
                csr = csr.copy()
                csr.sum_duplicates()
            self._csr, values, shape = (csr.data, csr.indices, csr.indptr), check.array("X", csr.data), csr.shape
        else:
            values = check.array("X", X)
            shape = values.shape
        if values.dtype.kind not in "fiub":
            values = check.reals("X", values)
        if len(shape) != 2:
            raise ValueError(f"X must have one row per example, two dimensions, but it has shape {shape}.")
        if shape[1] != features:
            raise ValueError(f"X must have {features} features, as this learner has, but it has {shape[1]}.")
        for start in range(0, len(values), chunk := max(1, _CHECKED // max(1, features))):
            part = values[start : start + chunk]  # a finite sum proves every term finite
            if not np.isfinite(part.sum()) and not np.isfinite(part).all():
                raise ValueError("X must be finite, but it holds NaN or infinity.")
        self._dense = values
        self.features = features
        self._columns = np.empty(0, np.uint32)  # of dense rows without zeros, as many as a block has needed
        self._count = int(shape[0])

    def __len__(self) -> int:
        return self._count

    def dense(self, start: int, stop: int) -> Floats:
        """Return a block of rows as a dense array."""
        if self._csr is None:
            return self._dense[start:stop].astype(np.float64, copy=False)
        data, columns, begin = self.block(start, stop)
        X = np.zeros((stop - start, self.features))
        X[np.repeat(np.arange(stop - start), np.diff(begin)), columns] = data
        return X

    def block(self, start: int, stop: int, dtype: Any = np.float64) -> Block:
        """Return a block of rows as passes take them."""
        if self._csr is not None:
            data, columns, begin = self._csr
            part = slice(int(begin[start]), int(begin[stop]))
            data, columns, begin = data[part], columns[part], begin[start : stop + 1].astype(np.int64) - part.start
            present = data != 0
            if not present.all():  # zeros that are stored
                places = np.flatnonzero(present)
                data, columns, begin = data[places], columns[places], np.searchsorted(places, begin)
        else:
            data, begin = self._dense[start:stop].reshape(-1), self.features * np.arange(stop - start + 1)
            present = data != 0
            if present.all():
                if self._columns.size < data.size:
                    self._columns = np.tile(np.arange(self.features, dtype=np.uint32), stop - start)
                columns = self._columns[: data.size]
            else:
                places, ends = np.flatnonzero(present), begin
                data, begin = data[places], np.searchsorted(places, ends)
                columns = places - np.repeat(ends[:-1], np.diff(begin))
        # Columns have no sign, which spares passes the question whether they count from the end.
        return np.require(data, dtype, _PLAIN), np.require(columns, np.uint32, _PLAIN), np.require(begin, np.int64)


def checked_row(x: Any, features: int) -> Floats:
    """Return one example as a dense vector of finite numbers."""
    if hasattr(x, "tocsr"):
        check.sparse("x", x)
        x = x.toarray().reshape(-1)
    row = check.numbers("x", x)
    if row.shape != (features,):
        raise ValueError(f"x must have shape ({features},), one number per feature, but it has shape {row.shape}.")
    return row


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
