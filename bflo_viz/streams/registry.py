"""What each dataset must be, and where its files are: the table ``datasets.toml``."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class FileSet:
    """Files that together hold a whole dataset, how to read them, and which labels in them mean which class."""

    format: str  # csv, arff, libsvm or idx
    labels: tuple[tuple[int, ...], ...]
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
    def rows(self) -> int:
        """How many examples it has."""
        return sum(self.classes.values())


def pixel_names(side: int) -> tuple[str, ...]:
    """Names of the pixels of a square picture, row by row."""
    return tuple(f"pixel {row},{column}" for row in range(side) for column in range(side))


def _feature_names(entries: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    for entry in entries:
        name, _, count = entry.partition(" * ")
        names += [f"{name} {i + 1}" for i in range(int(count))] if count else [name]
    return tuple(names)


def _dataset(name: str, entry: dict[str, Any]) -> Dataset:
    pixels, names, sets = (entry.pop(key, []) for key in ("pixels", "names", "files"))
    file_sets = tuple(FileSet(s["format"], tuple(map(tuple, s["labels"])), s["urls"]) for s in sets)
    features = pixel_names(pixels) if pixels else _feature_names(names)
    return Dataset(name=name, feature_names=features, file_sets=file_sets, **entry)


_TABLE = tomllib.loads(Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8"))
_DATASETS = [_dataset(name, entry) for name, entry in _TABLE.items()]
FROM_FILES = {dataset.name: dataset for dataset in _DATASETS if dataset.file_sets}
BUNDLED = {dataset.name: dataset for dataset in _DATASETS if not dataset.file_sets}  # with scikit-learn
