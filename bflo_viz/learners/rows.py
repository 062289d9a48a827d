"""Examples and labels as learners take them: checked whole before anything changes, then read in blocks."""

import math
import warnings
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import Floats

_PLAIN: Any = ("C", "W", "E")  # memory layout
_CHECKED = 1 << 20  # numbers checked at a time: a mask over the whole stream would double its memory


class Rows:
    """The rows of a dense array or of any ``scipy.sparse`` matrix; neither is changed."""

    def __init__(self, X: Any, features: int, *, precision: str = "float64", name: str = "X") -> None:
        if hasattr(X, "tocsr"):
            check.sparse(name, X)
            csr = X.tocsr()
            if csr is not X:
                check.sparse(name, csr)
            csr = type(csr)((csr.data, csr.indices, csr.indptr), shape=csr.shape)  # without what X believes of itself
            if not csr.has_canonical_format:
                csr = csr.copy()
                csr.sum_duplicates()
            self._csr, self._dense = (_array(name, csr.data), csr.indices, csr.indptr), None
            shape, values = csr.shape, csr.data
        else:
            values = self._dense = _array(name, X)
            shape = values.shape
        if len(shape) != 2:
            raise ValueError(f"{name} must have one row an example, two dimensions, but it has shape {shape}.")
        if shape[1] != features:
            raise ValueError(f"{name} must have {features} features, as this learner has, but it has {shape[1]}.")
        _finite(name, values, self._csr[1:] if self.is_sparse else None, precision)
        self.features = features
        self._columns = np.empty(0, np.int32)  # of dense rows, as many as a block has needed
        self._count = int(shape[0])

    def __len__(self) -> int:
        return self._count

    @property
    def is_sparse(self) -> bool:
        """Whether zeros are left out."""
        return self._dense is None

    def dense(self, start: int, stop: int) -> Floats:
        """A block of rows as a dense array."""
        if self._dense is not None:
            return self._dense[start:stop].astype(np.float64, copy=False)
        data, indices, indptr = self.block(start, stop)
        X = np.zeros((stop - start, self.features))
        X[np.repeat(np.arange(stop - start), np.diff(indptr).astype(np.intp)), indices] = data
        return X

    def block(self, start: int, stop: int, dtype: Any = np.float64) -> tuple[NDArray[Any], ...]:
        """A block of rows as kernels take them: what is not zero, its columns, and where each row begins.

        The arrays are writable and contiguous: to numba others are of another type, and compiled anew. Columns have
        no sign, which spares kernels the question whether they count from the end.
        """
        if self._dense is None:
            data, columns, begin = self._csr
            part = slice(int(begin[start]), int(begin[stop]))
            data, columns, begin = data[part], columns[part], begin[start : stop + 1].astype(np.int64) - part.start
            present = data != 0
            if not present.all():
                places = np.flatnonzero(present)
                data, columns, begin = data[places], columns[places], np.searchsorted(places, begin)
        elif (self._dense[start:stop] != 0).all():
            data = self._dense[start:stop].reshape(-1)
            if self._columns.size < data.size:
                self._columns = np.tile(np.arange(self.features, dtype=np.int32), stop - start)
            columns, begin = self._columns[: data.size], self.features * np.arange(stop - start + 1)
        else:
            X = np.require(self._dense[start:stop], np.float64, _PLAIN)
            data, columns, begin = np.empty(X.size), np.empty(X.size, np.int32), np.zeros(len(X) + 1, np.int64)
            kernels.compressor()(X, data, columns, begin)
            data, columns = data[: begin[-1]], columns[: begin[-1]]
        return np.require(data, dtype, _PLAIN), np.require(columns, np.int32, _PLAIN).view(np.uint32), begin


def labels(y: Any, count: int, outputs: int) -> NDArray[np.int64]:
    """Labels as integers from 0; for two classes −1 and +1 are read as 0 and 1, and this is said."""
    classes = max(outputs, 2)
    array = check.array("y", y)
    if array.shape != (count,):
        raise ValueError(f"y must have one label for each of {count} rows, but it has shape {array.shape}.")
    wanted = "0 or 1 (or -1 and +1)" if classes == 2 else f"whole numbers from 0 to {classes - 1}"
    if array.dtype.kind == "O":
        names = [n for n in array.tolist() if not isinstance(n, Real) or n not in range(-1, classes)]
        array = np.array(names, dtype=object) if names else array.astype(np.float64)
    _finite("y", array)
    if array.dtype.kind not in "fiub":
        wrong = array
    elif classes == 2 and (array == -1).any():
        wrong = array[(array != -1) & (array != 1)]
        if not wrong.size:
            warnings.warn("labels -1 and +1 are read as 0 and 1.", UserWarning, stacklevel=3)
            return (array > 0).astype(np.int64)
    else:
        wrong = array[(array < 0) | (array >= classes) | (array != np.floor(array))]
    if wrong.size:
        raise ValueError(
            f"y must be {wanted}, but one label is {check.short(wrong.tolist()[0])}; "
            "BeliefFlowClassifier takes labels of any kind."
        )
    return array.astype(np.int64)


def _array(name: str, value: Any) -> NDArray[Any]:
    """As an array of real numbers of whatever type it has: integers need no copy and no check."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return check.array(name, value) if kind in tuple("fiub") else check.reals(name, value)


def _finite(name: str, values: NDArray[Any], places: Any = None, precision: str = "float64") -> None:
    """Refuse what is not finite, or will not be in the precision of the pass; say where it stands."""
    if values.dtype.kind != "f" or not values.size:
        return
    most = float(np.finfo(precision).max)
    rows = max(1, _CHECKED // values[0].size)
    for start in range(0, len(values), rows):
        part = values[start : start + rows]
        with np.errstate(over="ignore", invalid="ignore"):
            fine = math.isfinite(part.sum()) and (precision == "float64" or np.abs(part).max() <= most)
        if fine:
            continue
        bad = np.argwhere(~(np.abs(part) <= most))
        if len(bad):
            where = [start + int(bad[0][0]), *map(int, bad[0][1:])]
            if places is not None:  # of the data of sparse rows: say the row and the column
                indices, indptr = places
                where = [int(np.searchsorted(indptr, where[0], "right")) - 1, int(indices[where[0]])]
            value, limit = part[tuple(bad[0])], "" if most > 1e300 else f" and at most {most:.0e} in float32"
            raise ValueError(f"{name} must be finite{limit}, but {name}{where} is {value}.")
