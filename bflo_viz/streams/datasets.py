"""The datasets of ``datasets.toml``, read from files that are here or downloaded, and verified by their content."""

import gzip
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
    licence: str
    sparse: bool = False
    maximum: int = 255
    download_mb: float = 0.0
    format: str = "scikit-learn"
    labels: Sequence[Sequence[int]] = ()
    urls: Mapping[str, str] = field(default_factory=dict)


_TABLE = tomllib.loads(Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8"))
_DATASETS = [Dataset(name=name, **entry) for name, entry in _TABLE.items()]
FROM_FILES = {dataset.name: dataset for dataset in _DATASETS if dataset.urls}
BUNDLED = {dataset.name: dataset for dataset in _DATASETS if not dataset.urls}  # with scikit-learn


def load_arrays(dataset: Dataset) -> Arrays:
    """Return the verified examples and labels, from files that are here or after a download."""
    paths = find_files(dataset)
    if paths is None:
        paths = _downloaded(dataset)
    try:
        X, y = _parsed(dataset, paths) if paths else _bundled(dataset)
        sha256 = fingerprint(X, y)
        if sha256 != dataset.sha256:
            raise ValueError(f"its {X.shape[0]:,} x {X.shape[1]} numbers have the SHA-256 {sha256[:12]}…")
    except ImportError:
        raise StreamError(f"{dataset.name} is read with scikit-learn: pip install scikit-learn.") from None
    except Exception as problem:  # parsers raise anything over a torn or wrong file
        origin = " and ".join(map(str, paths)) or "the dataset of this scikit-learn"
        advice = f"delete it, then run  bflo data fetch {dataset.name}"
        raise StreamError(f"{origin} is not {dataset.name} ({' '.join(str(problem).split())}): {advice}.") from None
    from scipy.sparse import csr_array

    return csr_array(X) if dataset.sparse else X, y


def find_files(dataset: Dataset) -> list[Path] | None:
    """Return the files of a dataset, from the folder of BFLO_DATA or the cache folder; None if one is missing."""
    folders = [folder for folder in (_places.data_folder(), _places.cache_folder()) if folder]
    found = [[folder / name for folder in folders if (folder / name).is_file()] for name in dataset.urls]
    return [paths[0] for paths in found] if all(found) else None


def _downloaded(dataset: Dataset) -> list[Path]:
    import pooch

    pooch.get_logger().setLevel("WARNING")  # a failure is told in one sentence
    paths = [_places.cache_folder() / name for name in dataset.urls]
    try:
        for path, url in zip(paths, dataset.urls.values(), strict=True):
            pooch.retrieve(url, None, path.name, path.parent, progressbar=sys.stderr.isatty())
    except OSError as problem:  # of the network or of the disk
        why = f"{url}: {problem.strerror or type(problem).__name__}"
        by_hand = f"put {' and '.join(dataset.urls)} into {path.parent}, or where {_places.DATA_VARIABLE} says"
        raise StreamError(f"{dataset.name} could not be downloaded ({why}): {by_hand}.") from None
    return paths


def _bundled(dataset: Dataset) -> Arrays:
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{dataset.name.replace('-', '_')}")(return_X_y=True)
    return cast_exactly(X, dataset.dtype), cast_exactly(y, np.uint8)


def _parsed(dataset: Dataset, paths: Sequence[Path]) -> Arrays:
    """Parse the files of a dataset into dense arrays."""
    parts = [_PARSERS[dataset.format](path, dataset) for path in paths]
    examples, labels = (parts[::2], parts[1::2]) if dataset.format == "idx" else zip(*parts, strict=True)
    in_files = np.concatenate(labels)
    y = np.full(len(in_files), 255, np.uint8)  # a label of no class
    for number, its_labels in enumerate(dataset.labels):
        y[np.isin(in_files, its_labels)] = number
    return np.concatenate(examples), y


def _table(path: Path, dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Parse CSV, or ARFF below its lines that begin with @; the label is the last number of a row."""
    table = np.loadtxt(path, dataset.dtype, delimiter=",", comments="@", ndmin=2)
    return table[:, :-1], table[:, -1]


def _libsvm(path: Path, dataset: Dataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """Parse lines ``label feature:value …``, with features counted from 1."""
    from sklearn.datasets import load_svmlight_file

    X, labels = load_svmlight_file(path, n_features=dataset.features, zero_based=False)
    return cast_exactly(X.toarray(), dataset.dtype), labels


def _idx(path: Path, _: Dataset) -> NDArray[np.uint8]:
    """Parse images, one per row, or labels: the fourth byte has the number of dimensions, whose sizes follow."""
    content = gzip.decompress(path.read_bytes())
    dimensions = content[3]
    sizes = np.frombuffer(content, ">u4", dimensions, offset=4).tolist()
    numbers = np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(sizes)
    return numbers if dimensions == 1 else numbers.reshape(len(numbers), -1)


_PARSERS: dict[str, Callable[[Path, Dataset], Any]] = {"csv": _table, "arff": _table, "libsvm": _libsvm, "idx": _idx}
