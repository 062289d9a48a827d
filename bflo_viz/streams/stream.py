"""A stream: examples in the order in which a learner meets them, with their names and where they come from."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.uint8]

_BLOCK = 1 << 22  # numbers looked at together


class StreamError(ValueError):
    """A stream is not here, or a file is not what it should be; one sentence says what to do."""


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Examples and labels, in order.

    Attributes
    ----------
    X
        One row an example: an array, or a ``scipy.sparse.csr_array``, of the smallest type that loses nothing.
    y
        The labels that a learner is shown, as places in ``class_names``.
    feature_names, class_names
        What the columns and the labels mean.
    name, source, licence, citation
        What it is, whom it comes from, what one may do with it, and what to cite.
    true_labels
        What the labels should be, where noise was added to ``y``; ``truth`` has them in any case.
    """

    X: Any
    y: Labels
    feature_names: tuple[str, ...]
    class_names: tuple[str, ...]
    name: str
    source: str
    licence: str
    citation: str
    true_labels: Labels | None = None

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.X.shape[1] != len(self.feature_names):
            raise ValueError(f"X must have {len(self.feature_names)} features, but it has shape {self.X.shape}.")
        for which, labels in (("y", self.y), ("true_labels", self.truth)):
            if labels.shape != (self.rows,):
                raise ValueError(
                    f"{which} must have {self.rows} labels, as X has rows, but has shape {labels.shape}."
                )
            if labels.size and labels.max() >= len(self.class_names):
                raise ValueError(f"{which} must be below {len(self.class_names)}, but one label is {labels.max()}.")

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
        counts = np.bincount(self.y, minlength=len(self.class_names))
        return {name: int(count) for name, count in zip(self.class_names, counts, strict=True)}

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        kind = f"{'sparse' if self.is_sparse else 'dense'} {self.X.dtype}"
        return f"<Stream {self.name}: {self.rows:,} rows x {self.features} features, {kind}>"

    def take(self, rows: Any) -> "Stream":
        """Some of the rows: a slice, a mask, or the places of rows in the order that is wanted."""
        true_labels = None if self.true_labels is None else self.true_labels[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], true_labels=true_labels)


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
