"""A stream: examples in the order in which a learner meets them, with their names."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz._checks import UserError

Labels = NDArray[np.uint8]

_BLOCK = 1 << 22  # numbers hashed at a time


class StreamError(UserError):
    """A dataset is missing, or a file has the wrong content; one sentence says what to do."""


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Examples and labels in order. ``Stream(X, y)`` is enough, and ``for x, y in stream`` gives them one by one."""

    X: Any  # one row per example: an array, or a scipy.sparse.csr_array
    y: Labels  # what a learner is shown: 0, 1, 2 and so on, the positions in class_names
    class_names: tuple[str, ...] = ()
    name: str = "own"
    true_labels: Labels | None = None  # where some labels in y were flipped
    maximum: int = 255  # value of a white pixel

    def __post_init__(self) -> None:
        X, y = _examples(self.X), _labels(self.y)
        truth = None if self.true_labels is None else _labels(self.true_labels)
        largest = max(int(labels.max(initial=1)) for labels in (y, truth) if labels is not None)
        class_names = tuple(map(str, self.class_names)) or tuple(map(str, range(largest + 1)))
        if X.shape[0] != len(y) or (truth is not None and truth.shape != y.shape):
            raise ValueError(f"X must have a row for each of {len(y)} labels, but it has shape {X.shape}.")
        if y.size and largest >= len(class_names):
            raise ValueError(f"labels must be below {len(class_names)}, but one is {largest}.")
        checked = {"X": X, "y": y, "class_names": class_names, "true_labels": truth}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """Number of examples."""
        return int(self.X.shape[0])

    @property
    def features(self) -> int:
        """Number of features of an example."""
        return int(self.X.shape[1])

    @property
    def truth(self) -> Labels:
        """Labels to judge predictions by, while ``y`` has those to learn from."""
        return self.y if self.true_labels is None else self.true_labels

    @property
    def is_sparse(self) -> bool:
        """True if X is a sparse array."""
        return hasattr(self.X, "tocsr")

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        for row in range(self.rows):
            yield (self.X[[row]].toarray()[0] if self.is_sparse else self.X[row]), int(self.y[row])

    def __repr__(self) -> str:
        kind = f"{'sparse' if self.is_sparse else 'dense'} {self.X.dtype}"
        return f"<Stream {self.name}: {self.rows:,} rows x {self.features} features, {kind}>"

    def take(self, rows: Any) -> "Stream":
        """Select rows: by a slice, a mask, or positions in the order that is wanted."""
        true_labels = None if self.true_labels is None else self.true_labels[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], true_labels=true_labels)


def _examples(X: Any) -> Any:
    if hasattr(X, "tocsr"):
        from scipy.sparse import csr_array

        X = X if isinstance(X, csr_array) else csr_array(X)
    else:
        X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        raise ValueError(f"X must have one row of numbers per example, but it is {X.dtype} of shape {X.shape}.")
    if X.dtype.kind == "f" and not np.isfinite(X.data if hasattr(X, "tocsr") else X).all():
        raise ValueError("X must be finite, but it has infinite or missing values.")
    return X


def _labels(y: Any) -> Labels:
    try:
        return cast_exactly(np.asarray(y), np.uint8)
    except (ValueError, TypeError):
        advice = "class_names, y = numpy.unique(y, return_inverse=True) makes them from any others."
        raise ValueError(f"labels must be 0, 1, 2 and so on, up to 255: {advice}") from None


def fingerprint(X: Any, y: Labels) -> str:
    """Return the SHA-256 of a line ``rows features dtype``, every row, dense and little-endian, and the labels."""
    rows, features = X.shape
    digest = hashlib.sha256(f"{rows} {features} {X.dtype.name}\n".encode())
    step = max(1, _BLOCK // max(1, features))
    for start in range(0, rows, step):
        block = X[start : start + step]
        block = block.toarray() if hasattr(block, "toarray") else block
        block = np.ascontiguousarray(block, dtype=X.dtype.newbyteorder("<"))
        digest.update((block + block.dtype.type(0)).data)  # −0 becomes 0
    digest.update(np.ascontiguousarray(y, dtype=np.uint8).data)
    return digest.hexdigest()


def cast_exactly(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Return the same numbers in another type; a ValueError if it cannot hold one of them."""
    with np.errstate(invalid="ignore", over="ignore"):
        cast = values.astype(dtype, copy=False)
    if not np.array_equal(cast, values):
        raise ValueError(f"some numbers are not of type {np.dtype(dtype).name}")
    return cast
