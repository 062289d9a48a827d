"""A stream: examples in the order in which a learner meets them, with their names and where they come from."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._errors import UserError

Labels = NDArray[np.uint8]

_BLOCK = 1 << 22  # numbers looked at together


class StreamError(UserError):
    """A stream is not here, or a file is not what it should be; one sentence says what to do."""


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Examples and labels, in order. ``Stream(X, y)`` is enough, and ``for x, y in stream`` gives them one by one.

    Attributes
    ----------
    X
        Examples in rows: an array, or a ``scipy.sparse.csr_array``, of the smallest type that loses nothing.
    y
        The labels that a learner is shown, as places in ``class_names``: 0, 1 and so on.
    feature_names, class_names
        What the columns and the labels mean; numbered if it is not said.
    name, source, licence, citation
        What it is, where it comes from, what you may do with it, and what to cite.
    true_labels
        What the labels should be, where noise was added to ``y``; ``truth`` has them in any case.
    maximum
        The greatest value that pixels may have: `to_unit` divides by it.
    about
        What to know before learning from it, if there is anything.
    """

    X: Any
    y: Labels
    feature_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    name: str = "own"
    source: str = ""
    licence: str = ""
    citation: str = ""
    true_labels: Labels | None = None
    maximum: int = 255
    about: str = ""

    def __post_init__(self) -> None:
        X, y = _examples(self.X), _labels("y", self.y)
        truth = y if self.true_labels is None else _labels("true_labels", self.true_labels)
        largest = max(int(labels.max(initial=1)) for labels in (y, truth))
        names = tuple(self.feature_names) or tuple(f"x{i + 1}" for i in range(X.shape[1]))
        class_names = tuple(map(str, self.class_names)) or tuple(map(str, range(largest + 1)))
        if X.shape[1] != len(names):
            raise ValueError(f"X must have {len(names)} features, but it has shape {X.shape}.")
        for which, labels in (("y", y), ("true_labels", truth)):
            if labels.shape != X.shape[:1]:
                raise ValueError(
                    f"{which} must have {X.shape[0]} labels, as X has rows, but has shape {labels.shape}."
                )
        if y.size and largest >= len(class_names):
            raise ValueError(f"labels must be below {len(class_names)}, but one is {largest}.")
        checked = {"X": X, "y": y, "feature_names": names, "class_names": class_names}
        for name, value in (checked | ({} if self.true_labels is None else {"true_labels": truth})).items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """How many examples there are."""
        return int(self.X.shape[0])

    @property
    def features(self) -> int:
        """How many features an example has."""
        return int(self.X.shape[1])

    @property
    def truth(self) -> Labels:
        """The true labels: to be judged by, while ``y`` is to be learned from."""
        return self.y if self.true_labels is None else self.true_labels

    @property
    def is_sparse(self) -> bool:
        """Whether zeros are left out."""
        return hasattr(self.X, "tocsr")

    @property
    def class_counts(self) -> dict[str, int]:
        """How many examples are shown with each label."""
        counts = np.bincount(self.y.astype(np.intp), minlength=len(self.class_names))
        return {name: int(count) for name, count in zip(self.class_names, counts, strict=True)}

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[tuple[Any, int]]:
        """Rows one by one, each with the label that a learner is shown."""
        for row in range(self.rows):
            yield (self.X[[row]].toarray()[0] if self.is_sparse else self.X[row]), int(self.y[row])

    def __repr__(self) -> str:
        kind = f"{'sparse' if self.is_sparse else 'dense'} {self.X.dtype}"
        return f"<Stream {self.name}: {self.rows:,} rows x {self.features} features, {kind}>"

    def take(self, rows: Any) -> "Stream":
        """Some of the rows: a slice, a mask, or the places of rows in the order that is wanted."""
        true_labels = None if self.true_labels is None else self.true_labels[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], true_labels=true_labels)


def _examples(X: Any) -> Any:
    """Rows as an array or as a ``csr_array``, of finite numbers in the type that they have."""
    if hasattr(X, "tocsr"):
        from scipy.sparse import csr_array

        X = X if isinstance(X, csr_array) else csr_array(X)
    else:
        X = np.asarray(X)
        X = X if X.dtype.kind in "fiub" else check.reals("X", X)
    if X.ndim != 2:
        raise ValueError(f"X must have examples in rows, two dimensions, but it has shape {X.shape}.")
    name, values = ("X.data", X.data) if hasattr(X, "tocsr") else ("X", X)
    with np.errstate(over="ignore", invalid="ignore"):
        may_be_wrong = values.dtype.kind == "f" and not np.isfinite(values.sum())
    if may_be_wrong:
        check.numbers(name, values)
    return X


def _labels(name: str, y: Any) -> Labels:
    """Labels in their type; the sentence that refuses others says how to make them."""
    array = np.asarray(y)
    if array.dtype == np.uint8:
        return array
    with np.errstate(invalid="ignore"):
        fits = array.astype(np.uint8) == array if array.dtype.kind in "fiub" else np.zeros(array.shape, bool)
    if not fits.all():
        advice = "class_names, y = numpy.unique(y, return_inverse=True) makes them of any others."
        raise ValueError(
            f"{name} must be labels 0, 1, 2 and so on, up to 255, but one is {array[~fits][0]}: {advice}"
        )
    return array.astype(np.uint8)


def fingerprint(X: Any, y: Labels) -> str:
    """SHA-256 of what a stream says, whatever files it was read from and however it is stored.

    The bytes are a line ``rows features dtype``, then every row, dense and little-endian in that type, then the
    labels. Zero has no sign.
    """
    rows, features = X.shape
    digest = hashlib.sha256(f"{rows} {features} {X.dtype.name}\n".encode())
    step = max(1, _BLOCK // max(1, features))
    for start in range(0, rows, step):
        block = X[start : start + step]
        block = block.toarray() if hasattr(block, "toarray") else block
        block = np.ascontiguousarray(block, dtype=X.dtype.newbyteorder("<"))
        digest.update((block + block.dtype.type(0) if block.dtype.kind == "f" else block).data)
    digest.update(np.ascontiguousarray(y, dtype=np.uint8).data)
    return digest.hexdigest()


def narrow(values: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The same numbers in another type; a ValueError where it cannot hold one of them."""
    with np.errstate(invalid="ignore", over="ignore"):
        narrowed = values.astype(dtype)
    same = narrowed == values
    if not same.all():
        raise ValueError(f"{values[~same][0]} is not a number of type {np.dtype(dtype).name}")
    return narrowed
