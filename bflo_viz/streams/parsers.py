"""Files into arrays: text and idx, packed or not. Nothing in a file is executed, and what is unpacked is bounded."""

import bz2
import gzip
import math
import struct
import sys
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz._advice import missing
from bflo_viz.streams.registry import Dataset, FileSet
from bflo_viz.streams.stream import Labels, StreamError, fingerprint, narrow

_LONGEST_LINE = 100_000  # bytes, many more than any line has: to parse a very long one takes much memory
_IDX_IMAGES, _IDX_LABELS = b"\0\0\x08\x03", b"\0\0\x08\x01"  # how idx files of unsigned bytes begin


class ContentError(Exception):
    """A file is not what its name promises: which check failed, and which file of several, if that is known."""

    def __init__(self, failed_check: str, path: Path | None = None) -> None:
        super().__init__(failed_check)
        self.path = path


class Arrays(NamedTuple):
    """The examples and the labels of a dataset."""

    X: Any
    y: Labels


def read(dataset: Dataset, file_set: FileSet, paths: Sequence[Path]) -> Arrays:
    """Parse the files of a dataset into dense arrays and verify them; a ContentError says which check failed."""
    if file_set.format == "libsvm" and find_spec("sklearn") is None:
        raise StreamError(f"{dataset.name} is read with scikit-learn: {missing('scikit-learn', 'lab')}")
    parts = [_parsed(dataset, file_set.format, path, place) for place, path in enumerate(paths)]
    examples, labels = (parts[::2], parts[1::2]) if file_set.format == "idx" else zip(*parts, strict=True)
    X, file_labels = np.concatenate(examples), np.concatenate(labels)
    y = np.zeros(len(file_labels), np.uint8)
    known = np.zeros(len(file_labels), np.bool_)
    for class_number, its_labels in enumerate(file_set.labels):
        mine = np.isin(file_labels, its_labels)
        y[mine], known[mine] = class_number, True
    if not known.all():
        raise ContentError(f"it has a label {file_labels[~known][0]:g}")
    verify(dataset, Arrays(X, y))
    return Arrays(X, y)


def verify(dataset: Dataset, arrays: Arrays) -> None:
    """Compare dense arrays with what the registry says; a ContentError says which check failed."""
    X, y = arrays
    features = len(dataset.feature_names)
    if X.shape != (dataset.rows, features):
        raise ContentError(f"it has {len(X):,} rows of {X.shape[1]} features, not {dataset.rows:,} of {features}")
    if len(y) != len(X):
        raise ContentError("images and labels differ in number")
    for (name, expected), count in zip(dataset.classes.items(), np.bincount(y, minlength=256).tolist(), strict=False):
        if count != expected:
            raise ContentError(f"class {name!r} has {count:,} rows, not {expected:,}")
    sha256 = fingerprint(X, y)
    if sha256 != dataset.sha256:
        raise ContentError(f"the SHA-256 of its content is {sha256[:12]}…, not {dataset.sha256[:12]}…")


def progress_bar(*lines: Any, **options: Any) -> Any:
    """A bar of tqdm, in a notebook or in a terminal, but not in a log."""
    from tqdm.auto import tqdm

    is_notebook = "IPython" in sys.modules and hasattr(sys.modules["IPython"].get_ipython(), "kernel")
    return tqdm(*lines, unit_scale=True, leave=False, disable=False if is_notebook else None, **options)


def unpacked(path: Path, max_bytes: int) -> bytes:
    """The content of a file, packed or not: its first bytes tell, as browsers may unpack a file and keep its name."""
    with path.open("rb") as file:
        start = file.read(3)
    opened: Any = gzip.open if start[:2] == b"\x1f\x8b" else bz2.open if start == b"BZh" else open
    with opened(path, "rb") as file:
        content: bytes = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ContentError(f"it unpacks to more than {max_bytes / 1e6:.0f} MB")
    return content


def _parsed(dataset: Dataset, kind: str, path: Path, place: int) -> Any:
    """One file, parsed; whatever is wrong with its content becomes a ContentError that names it."""
    try:
        content = unpacked(path, int(dataset.max_mb * 1e6))
        if kind == "idx":
            return _idx(content, len(dataset.feature_names) if place % 2 == 0 else None)
        lines = content.splitlines()
        if kind == "arff":
            starts = [number for number, line in enumerate(lines) if line.strip().lower() == b"@data"]
            if not starts:
                raise ValueError("it has no line @DATA")
            lines = lines[starts[0] + 1 :]
        if not any(line.strip() for line in lines):
            raise EOFError
        if max(map(len, lines)) > _LONGEST_LINE:
            raise ValueError(f"a line has more than {_LONGEST_LINE:,} bytes")
        return _libsvm(content, dataset) if kind == "libsvm" else _table(lines, dataset)
    except ContentError as problem:
        raise ContentError(str(problem), path) from None
    except EOFError:
        raise ContentError("it is cut off", path) from None
    except (ValueError, OSError, zlib.error) as problem:
        if getattr(problem, "errno", None) is not None:  # the disk failed, and the content may be right
            raise
        raise ContentError(f"it is damaged or of another format ({' '.join(str(problem).split())})", path) from None


def _table(lines: list[bytes], dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers between commas, the label last; % begins a comment in ARFF."""
    with progress_bar(lines, desc=f"reading {dataset.name}", unit=" rows", delay=1) as rows:
        table = np.loadtxt(rows, dataset.dtype, delimiter=",", comments="%", ndmin=2, encoding="ascii")
    return table[:, :-1], table[:, -1]


def _libsvm(content: bytes, dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lines ``label feature:value …``, features counted from 1."""
    from sklearn.datasets import load_svmlight_file

    X, labels = load_svmlight_file(BytesIO(content), n_features=len(dataset.feature_names), zero_based=False)
    return narrow(X.toarray(), dataset.dtype), labels


def _idx(content: bytes, pixels: int | None) -> NDArray[np.uint8]:
    """Images of so many pixels, one in a row; or labels, if there are no pixels."""
    start, kind, dimensions = (_IDX_LABELS, "labels", 1) if pixels is None else (_IDX_IMAGES, "images", 3)
    if not content.startswith(start):
        raise ContentError(f"it is no idx file of {kind}")
    header = 4 + 4 * dimensions
    if len(content) < header:
        raise EOFError
    rows, *sides = struct.unpack(f">{dimensions}I", content[4:header])
    if math.prod(sides) != (pixels or 1):
        raise ContentError(f"its images have {' x '.join(map(str, sides))} pixels")
    size = rows * math.prod(sides)
    if len(content) < header + size:
        raise EOFError
    if len(content) > header + size:
        raise ContentError(f"it goes on after its {rows:,} rows")
    numbers = np.frombuffer(content, np.uint8, offset=header)
    return numbers if pixels is None else numbers.reshape(rows, pixels)
