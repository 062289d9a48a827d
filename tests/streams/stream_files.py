"""Tiny streams in the real formats, written and fingerprinted without the package's own code."""

import bz2
import gzip
import hashlib
import struct

import numpy as np

from bflo_viz.streams.datasets import Dataset, FileSet

TYPES = {"uint8": "B", "int16": "h", "float64": "d"}
NOBODY = "http://127.0.0.1:9/tiny"  # nobody listens there


def fingerprint(X, y, dtype):
    """The canonical SHA-256, number by number."""
    digest = hashlib.sha256(f"{len(X)} {len(X[0])} {dtype}\n".encode())
    for row in X:
        for value in row:
            digest.update(struct.pack("<" + TYPES[dtype], value + 0 if value else 0))
    digest.update(bytes(int(label) for label in y))
    return digest.hexdigest()


def dataset(X, y, *, dtype="int16", sparse=False, kind="libsvm", labels=None, urls=None):
    """What the registry would say of these rows, and of files with these names and addresses."""
    X, y = np.asarray(X).tolist(), [int(label) for label in y]
    classes = max(2, max(y) + 1)
    return Dataset(
        name="tiny",
        classes={f"class {label}": y.count(label) for label in range(classes)},
        feature_names=tuple(f"feature {i + 1}" for i in range(len(X[0]))),
        dtype=dtype,
        sha256=fingerprint(X, y, dtype),
        source="here",
        licence="MIT",
        citation="nobody",
        sparse=sparse,
        max_mb=1,
        file_sets=(FileSet(kind, labels or [(label,) for label in range(classes)], urls or {"tiny": NOBODY}),),
    )


def libsvm(X, labels, *, ending="\n"):
    """Rows as LIBSVM writes them, with the blank at the end of each line."""
    lines = []
    for row, label in zip(np.asarray(X).tolist(), labels, strict=True):
        pairs = " ".join(f"{i + 1}:{value!r}" for i, value in enumerate(row) if value)
        lines.append(f"{label} {pairs} ")
    return ("\n".join(lines) + ending).encode()


def csv(X, labels):
    """Rows as UCI writes covtype.data, the label last."""
    rows = zip(np.asarray(X).tolist(), np.asarray(labels).tolist(), strict=True)
    return ("\n".join(",".join(map(repr, [*row, label])) for row, label in rows) + "\n").encode()


def arff(X, labels, *, data="@DATA"):
    """Rows as UCI writes EEG Eye State.arff, and a comment."""
    names = "".join(f"@ATTRIBUTE V{i} NUMERIC\n" for i in range(np.shape(X)[1]))
    return f"% a comment\n@RELATION TINY\n\n{names}@ATTRIBUTE c {{0,1}}\n\n{data}\n".encode() + csv(X, labels)


def idx(array):
    """An idx file of unsigned bytes."""
    array = np.asarray(array, dtype=np.uint8)
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}


def rows(count=50, features=7, seed=0):
    """Whole numbers, many of them zero, and two classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-300, 300, (count, features)) * (rng.random((count, features)) < 0.4)
    return X, rng.integers(0, 2, count)
