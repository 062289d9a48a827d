"""The datasets of ``datasets.toml``, read from files that are here or downloaded, and verified by their content."""

import bz2
import gzip
import sys
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _places
from bflo_viz.streams.stream import Labels, StreamError, cast_exactly, fingerprint

Arrays = tuple[Any, Labels]  # examples and labels


@dataclass(frozen=True)
class Dataset:
    """A dataset as it must be; ``datasets.toml`` explains the fields."""

    name: str
    classes: Mapping[str, int]
    features: int
    dtype: str
    sha256: str
    source: str
    licence: str
    citation: str
    sparse: bool = False
    maximum: int = 255
    about: str = ""
    feature_names: Sequence[str] = ()
    download_mb: float = 0.0
    format: str = "scikit-learn"
    labels: Sequence[Sequence[int]] = ()
    urls: Mapping[str, str] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of examples, and of their features."""
        return sum(self.classes.values()), self.features


_TABLE = tomllib.loads(Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8"))
_DATASETS = [Dataset(name=name, **entry) for name, entry in _TABLE.items()]
FROM_FILES = {dataset.name: dataset for dataset in _DATASETS if dataset.urls}
BUNDLED = {dataset.name: dataset for dataset in _DATASETS if not dataset.urls}  # with scikit-learn


def load_arrays(dataset: Dataset, *, download: bool = True) -> Arrays:
    """Return the verified examples and labels, from files that are here or after a download."""
    paths, is_new = find_files(dataset), False
    if paths is None:
        names = " and ".join(dataset.urls)
        by_hand = f"put {names} into the folder that {_places.DATA_VARIABLE} names, or into {_places.cache_folder()}"
        if not download:
            raise StreamError(f"{dataset.name} is not here: run  bflo data fetch {dataset.name}, or {by_hand}.")
        paths, is_new = _downloaded(dataset, by_hand), True
    try:
        X, y = _parsed(dataset, paths) if paths else _bundled(dataset)
        sha256 = fingerprint(X, y)
        if sha256 != dataset.sha256:
            raise ValueError(f"its {X.shape[0]:,} x {X.shape[1]} numbers have the SHA-256 {sha256[:12]}…")
    except ImportError:
        raise StreamError(f"{dataset.name} is read with scikit-learn: pip install scikit-learn.") from None
    except Exception as problem:  # parsers raise anything over a torn or wrong file
        advice = f"delete it, then run  bflo data fetch {dataset.name}"
        if is_new:
            advice = f"it was deleted, so try again, or {by_hand}"
            for path in paths:
                path.unlink()
        origin = " and ".join(map(str, paths)) or "the dataset of this scikit-learn"
        raise StreamError(f"{origin} is not {dataset.name} ({' '.join(str(problem).split())}): {advice}.") from None
    if dataset.sparse:
        from scipy.sparse import csr_array

        X = csr_array(X)
    return X, y


def find_files(dataset: Dataset) -> list[Path] | None:
    """Return the files of a dataset, from the folder of BFLO_DATA or the cache folder; None if one is missing."""
    folders = [folder for folder in (_places.data_folder(), _places.cache_folder()) if folder]
    found = [[folder / name for folder in folders if (folder / name).is_file()] for name in dataset.urls]
    return [paths[0] for paths in found] if all(found) else None


def _downloaded(dataset: Dataset, by_hand: str) -> list[Path]:
    import pooch

    pooch.get_logger().setLevel("WARNING")  # a failure is told in one sentence
    paths = [_places.cache_folder() / name for name in dataset.urls]
    try:
        for path, url in zip(paths, dataset.urls.values(), strict=True):
            pooch.retrieve(url, None, path.name, path.parent, progressbar=sys.stderr.isatty())
    except OSError as problem:  # of the network or of the disk
        why = f"{url}: {problem.strerror or type(problem).__name__}"
        raise StreamError(f"{dataset.name} could not be downloaded ({why}): {by_hand}.") from None
    return paths


def _bundled(dataset: Dataset) -> Arrays:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{dataset.name.replace('-', '_')}")(return_X_y=True)
    return cast_exactly(X, dataset.dtype), cast_exactly(y, np.uint8)


def _parsed(dataset: Dataset, paths: Sequence[Path]) -> Arrays:
    """Parse the files of a dataset into dense arrays."""
    parts: list[Any] = []
    for path in paths:
        try:
            parts.append(_PARSERS[dataset.format](_unpacked(path), dataset))
        except (EOFError, OSError, ValueError, IndexError, zlib.error) as problem:
            raise ValueError(f"{path.name}: {problem}") from None
    examples, labels = (parts[::2], parts[1::2]) if dataset.format == "idx" else zip(*parts, strict=True)
    in_files = np.concatenate(labels)
    y = np.full(len(in_files), 255, np.uint8)  # a label of no class
    for number, its_labels in enumerate(dataset.labels):
        y[np.isin(in_files, its_labels)] = number
    return np.concatenate(examples), y


def _unpacked(path: Path) -> bytes:
    """Return the content of a file, packed or not: browsers may unpack a file and keep its name."""
    content = path.read_bytes()
    unpack = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress}.get(content[:2], bytes)
    return unpack(content)


def _table(content: bytes, dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Parse CSV, or ARFF below its lines that begin with @; the label is the last number of a row."""
    table = np.loadtxt(BytesIO(content), dataset.dtype, delimiter=",", comments="@", ndmin=2)
    return table[:, :-1], table[:, -1]


def _libsvm(content: bytes, dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Parse lines ``label feature:value …``, with features counted from 1."""
    from sklearn.datasets import load_svmlight_file

    X, labels = load_svmlight_file(BytesIO(content), n_features=dataset.features, zero_based=False)
    return cast_exactly(X.toarray(), dataset.dtype), labels


def _idx(content: bytes, _: Dataset) -> NDArray[np.uint8]:
    """Parse images, one per row, or labels: the fourth byte has the number of dimensions, whose sizes follow."""
    dimensions = content[3]
    sizes = np.frombuffer(content, ">u4", dimensions, offset=4).tolist()
    numbers = np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(sizes)
    return numbers if dimensions == 1 else numbers.reshape(len(numbers), -1)


_PARSERS: dict[str, Callable[[bytes, Dataset], Any]] = {"csv": _table, "arff": _table, "libsvm": _libsvm, "idx": _idx}
