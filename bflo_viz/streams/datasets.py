"""What each dataset must be (the table ``datasets.toml``), and its files into arrays: text and idx, packed or not.

Nothing in a file is executed, and what is unpacked is bounded.
"""

import bz2
import gzip
import math
import struct
import sys
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz.streams.stream import Labels, StreamError, fingerprint, narrow

_LONGEST_LINE = 100_000  # bytes, many more than any line has: to parse a very long one takes much memory


@dataclass(frozen=True)
class FileSet:
    """Files that together hold a whole dataset, how to read them, and which labels in them mean which class."""

    format: str  # csv, arff, libsvm or idx
    labels: Sequence[Sequence[int]]
    urls: Mapping[str, str]  # by the official name of the file


@dataclass(frozen=True)
class Dataset:
    """What a dataset must be, by content; ``datasets.toml`` explains the fields."""

    name: str
    classes: Mapping[str, int]
    feature_names: tuple[str, ...]
    dtype: str
    sha256: str
    source: str
    licence: str
    citation: str
    sparse: bool = False
    maximum: int = 255
    about: str = ""
    download_mb: float = 0.0
    max_mb: float = 0.0
    file_sets: tuple[FileSet, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """How many examples it has, and how many features they have."""
        return sum(self.classes.values()), len(self.feature_names)


def pixel_names(side: int) -> tuple[str, ...]:
    """Names of the pixels of a square picture, row by row."""
    return tuple(f"pixel {row},{column}" for row in range(side) for column in range(side))


def _dataset(name: str, entry: dict[str, Any]) -> Dataset:
    pixels, names, files = (entry.pop(key, []) for key in ("pixels", "names", "files"))
    features = list(pixel_names(pixels)) if pixels else []
    for words in names:
        feature, _, count = words.partition(" * ")
        features += [f"{feature} {i + 1}" for i in range(int(count))] if count else [feature]
    file_sets = tuple(FileSet(**file_set) for file_set in files)
    return Dataset(name=name, feature_names=tuple(features), file_sets=file_sets, **entry)


_TABLE = tomllib.loads(Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8"))
_DATASETS = [_dataset(name, entry) for name, entry in _TABLE.items()]
FROM_FILES = {dataset.name: dataset for dataset in _DATASETS if dataset.file_sets}
BUNDLED = {dataset.name: dataset for dataset in _DATASETS if not dataset.file_sets}  # with scikit-learn


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
        raise StreamError(f"{dataset.name} is read with scikit-learn: pip install scikit-learn, and try again.")
    parts = [_parsed(dataset, file_set.format, path, place) for place, path in enumerate(paths)]
    examples, labels = (parts[::2], parts[1::2]) if file_set.format == "idx" else zip(*parts, strict=True)
    X, file_labels = np.concatenate(examples), np.concatenate(labels)
    y = np.full(len(file_labels), 255, np.uint8)
    for class_number, its_labels in enumerate(file_set.labels):
        y[np.isin(file_labels, its_labels)] = class_number
    if (y == 255).any():
        raise ContentError(f"it has a label {file_labels[y == 255][0]:g}")
    verify(dataset, Arrays(X, y))
    return Arrays(X, y)


def verify(dataset: Dataset, arrays: Arrays) -> None:
    """Compare dense arrays with what the table says; a ContentError says which check failed."""
    X, y = arrays
    if X.shape != dataset.shape:
        rows, features = dataset.shape
        raise ContentError(f"it has {len(X):,} rows of {X.shape[1]} features, not {rows:,} of {features}")
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
            return _idx(content, dataset.shape[1] if place % 2 == 0 else None)
        lines = content.splitlines()
        if kind == "arff":
            starts = [number for number, line in enumerate(lines, 1) if line.strip().lower() == b"@data"]
            if not starts:
                raise ContentError("it has no line @DATA")
            lines = lines[starts[0] :]
        if not any(line.strip() for line in lines):
            raise EOFError
        if max(map(len, lines)) > _LONGEST_LINE:
            raise ContentError(f"a line has more than {_LONGEST_LINE:,} bytes")
        return _libsvm(content, dataset) if kind == "libsvm" else _table(lines, dataset)
    except ContentError as problem:
        raise ContentError(str(problem), path) from None
    except (EOFError, struct.error):
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

    X, labels = load_svmlight_file(BytesIO(content), n_features=dataset.shape[1], zero_based=False)
    return narrow(X.toarray(), dataset.dtype), labels


def _idx(content: bytes, pixels: int | None) -> NDArray[np.uint8]:
    """Images of so many pixels, one in a row; or labels, if there are no pixels."""
    kind, dimensions = ("labels", 1) if pixels is None else ("images", 3)
    if not content.startswith(bytes((0, 0, 8, dimensions))):  # of unsigned bytes
        raise ContentError(f"it is no idx file of {kind}")
    rows, *sides = struct.unpack_from(f">{dimensions}I", content, 4)
    if math.prod(sides) != (pixels or 1):
        raise ContentError(f"its images have {' x '.join(map(str, sides))} pixels")
    header, size = 4 + 4 * dimensions, rows * (pixels or 1)
    if len(content) < header + size:
        raise EOFError
    if len(content) > header + size:
        raise ContentError(f"it goes on after its {rows:,} rows")
    numbers = np.frombuffer(content, np.uint8, offset=header)
    return numbers if pixels is None else numbers.reshape(rows, pixels)
