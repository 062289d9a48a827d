"""The arrays of a dataset from where they are: the cache of parsed data, files that are here, or a download."""

import time
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import numpy as np

from bflo_viz import _places
from bflo_viz._places import write_whole
from bflo_viz.streams.datasets import Arrays, ContentError, Dataset, FileSet, progress_bar, read
from bflo_viz.streams.stream import StreamError

TIMEOUT = (10.0, 20.0)  # seconds to connect, and of silence
LEAST_SPEED = 1000.0  # bytes in a second on average: a slower download would take hours
PATIENCE = 60.0  # seconds before a download is called slow


class DownloadError(Exception):
    """A download that was given up; the message is a part of a sentence."""


def obtain(dataset: Dataset, *, may_download: bool = True) -> Arrays:
    """The arrays of a dataset, verified. What had to be parsed is kept in the cache."""
    arrays = from_cache(dataset)
    if arrays is None:
        files = find_files(dataset)
        if files:
            arrays = from_files(dataset, *files)
        elif may_download:
            arrays = _downloaded(dataset)
        else:
            advice = f"run  bflo data fetch {dataset.name}, or {_by_hand(dataset)}"
            raise StreamError(f"{dataset.name} is not here: {advice}.")
        try:
            _keep(dataset, arrays)
        except OSError as problem:
            words = f"{dataset.name} could not be kept in {_places.cache_folder()}: {problem.strerror or problem}."
            warnings.warn(words, RuntimeWarning, stacklevel=3)
    if not dataset.sparse:
        return arrays
    from scipy.sparse import csr_array

    return Arrays(csr_array(arrays.X), arrays.y)


def cache_path(dataset: Dataset) -> Path:
    """Where the parsed form belongs. The name has the fingerprint: other content has another name."""
    return _places.cache_folder() / f"{dataset.name}-{dataset.sha256[:16]}.npz"


def from_cache(dataset: Dataset) -> Arrays | None:
    """The parsed form, dense, if it is there and whole; one that is not whole is removed.

    It was verified when it was written, and the checksums of its format are compared here.
    """
    path = cache_path(dataset)
    try:
        with np.load(path, allow_pickle=False) as parts:
            X, y = parts["X"], parts["y"]
        if X.shape == dataset.shape and y.shape == X.shape[:1]:
            return Arrays(X, y)
    except OSError:  # it is not there, or cannot be read
        return None
    except Exception:  # a broken file may look like anything
        pass
    with suppress(OSError):
        path.unlink()
    return None


def _keep(dataset: Dataset, arrays: Arrays) -> None:
    content = BytesIO()
    np.savez(content, X=arrays.X, y=arrays.y)
    _places.cache_folder().mkdir(parents=True, exist_ok=True)
    write_whole(cache_path(dataset), content.getvalue())


def find_files(dataset: Dataset) -> tuple[FileSet, list[Path]] | None:
    """The first complete set of files: in the folder that BFLO_DATA names, else in the cache folder."""
    for folder in filter(None, (_places.data_folder(), _places.cache_folder())):
        for file_set in dataset.file_sets:
            paths = [_packed_or_not(folder / name) for name in file_set.urls]
            if all(paths):
                return file_set, [path for path in paths if path]
    return None


def _packed_or_not(path: Path) -> Path | None:
    """A file under its official name, or under that name packed or unpacked."""
    plain = path.name.removesuffix(".gz").removesuffix(".bz2")
    candidates = (path, *(path.with_name(plain + ending) for ending in ("", ".gz", ".bz2")))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def from_files(dataset: Dataset, file_set: FileSet, paths: Sequence[Path]) -> Arrays:
    """Parse files and verify them; those that are wrong are renamed, so that nobody uses them by mistake."""
    try:
        return read(dataset, file_set, paths)
    except ContentError as problem:
        wrong = [problem.path] if problem.path else paths
        what = "the stream" if len(wrong) == len(paths) else "a part of the stream"
        where = f"{' and '.join(path.name for path in wrong)} in {wrong[0].parent}"
        raise StreamError(f"{where} is not {what} {dataset.name}: {problem}, {set_aside(wrong)}.") from None
    except OSError as problem:
        raise StreamError(f"{problem.filename or paths[0]} cannot be read: {problem.strerror}.") from None


def set_aside(paths: Iterable[Path]) -> str:
    """Rename wrong files so that they are not found again; a part of a sentence says what became of them."""
    names = []
    for path in paths:
        endings = chain([".rejected"], (f".rejected-{number}" for number in count(2)))
        candidates = (path.with_name(path.name + ending) for ending in endings)
        new = next(candidate for candidate in candidates if not candidate.exists())  # an older one keeps its name
        try:
            path.rename(new)
        except FileNotFoundError:  # another process has done it
            pass
        except OSError:
            return "and it could not be renamed, so move it away"
        names.append(new.name)
    return f"so it was renamed to {' and '.join(names)} and is not used any more"


def _downloaded(dataset: Dataset) -> Arrays:
    """Try one set of files after the other, until one has the right content."""
    problems = []
    for file_set in dataset.file_sets:
        paths = [_places.cache_folder() / name for name in file_set.urls]
        try:
            for path, url in zip(paths, file_set.urls.values(), strict=True):
                _download(url, path, int(dataset.max_mb * 1e6))
            return from_files(dataset, file_set, paths)
        except (DownloadError, StreamError) as problem:
            problems.append(str(problem).rstrip("."))
    why = "; ".join(dict.fromkeys(problems))
    raise StreamError(f"{dataset.name} is not here and could not be downloaded ({why}): {_by_hand(dataset)}.")


def _download(url: str, path: Path, max_bytes: int) -> None:
    """Download a file with pooch, which renames it when it is complete."""
    import pooch

    def bounded(url: str, output_file: str, manager: Any) -> None:
        # A bar without a total is not taken by pooch, which sets the right one.
        with open(output_file, "wb") as file, progress_bar(desc=path.name, unit="B", total=1) as bar:
            options: dict[str, Any] = {"timeout": TIMEOUT, "headers": {"User-Agent": "bflo-viz"}}
            download = pooch.HTTPDownloader(progressbar=bar, chunk_size=128, **options)
            download(url, _BoundedFile(file, max_bytes), manager)

    pooch.get_logger().setLevel("WARNING")  # failures are told in a sentence of ours
    manager = pooch.create(path.parent, "", registry={path.name: None}, urls={path.name: url}, retry_if_failed=1)
    try:
        manager.fetch(path.name, downloader=bounded)
    except DownloadError as problem:
        raise DownloadError(f"{urlsplit(url).netloc}: {problem}") from None
    except OSError as problem:  # of the network or of the disk
        if problem.errno is not None:
            raise DownloadError(f"{path.parent} cannot be written: {problem.strerror}") from None
        answer = getattr(problem, "response", None)
        failed = f"the connection failed ({type(problem).__name__})"
        why = failed if answer is None else f"the server answers {answer.status_code}"
        raise DownloadError(f"{urlsplit(url).netloc}: {why}") from None


class _BoundedFile:
    """A file that gives up when it grows too large, or too slowly; small pieces let it notice."""

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self._file, self._max_bytes, self._began = file, max_bytes, time.monotonic()

    def write(self, piece: bytes) -> None:
        """Append a piece."""
        self._file.write(piece)
        size, seconds = self._file.tell(), time.monotonic() - self._began
        if size > self._max_bytes:
            raise DownloadError(f"the file is larger than {self._max_bytes / 1e6:.0f} MB, so it cannot be right")
        if seconds > PATIENCE and size < LEAST_SPEED * seconds:
            raise DownloadError(f"it is too slow, {size / seconds:.0f} bytes in a second")

    def flush(self) -> None:
        """Nothing: pooch asks for it after every piece."""


def _by_hand(dataset: Dataset) -> str:
    names = " and ".join(dataset.file_sets[0].urls)
    folders = f"the folder that {_places.DATA_VARIABLE} names, or into {_places.cache_folder()}"
    return f"put {names} into {folders} (bflo data tells where to get it)"
