"""Files into arrays: text and idx, packed or not. Nothing in a file is executed, and what is unpacked is bounded."""

import bz2
import gzip
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bflo_viz.streams.progress import Progress
from bflo_viz.streams.registry import Recipe, Way
from bflo_viz.streams.stream import Labels, fingerprint, narrow

_BLOCK = 1 << 22  # bytes of text parsed at a time
_LINE = 1 << 22  # bytes of a line, and many more than any has: to parse one takes much memory
_IMAGES, _LABELS = 0x803, 0x801  # how idx files of unsigned bytes begin


class ContentError(Exception):
    """A file that is not what its name promises; the message is the check that failed, ``path`` the file if known."""

    path: Path | None = None


class Arrays(NamedTuple):
    """The examples and the labels of a stream, as parsed."""

    X: Any
    y: Labels


def read(recipe: Recipe, way: Way, paths: Sequence[Path]) -> Arrays:
    """Parse the files of a stream and hold them to its recipe; a ContentError says which check failed."""
    with Progress(f"reading {recipe.name}", recipe.rows, "rows") as progress:
        X, labels = _PARSERS[way.format](recipe, paths, progress)
    unknown = [label for label in np.unique(labels).tolist() if label not in way.labels]
    if unknown:
        raise ContentError(f"it has a label {unknown[0]:g}")
    classes = np.zeros(len(labels), np.uint8)
    for label, place in way.labels.items():
        classes[labels == label] = place
    arrays = Arrays(X, classes)
    verify(recipe, arrays)
    return arrays


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say of whatever is wrong with the content of a file that it is this file."""
    try:
        yield
        return
    except EOFError:
        wrong = ContentError("it is cut off")
    except (ValueError, zlib.error) as problem:
        wrong = ContentError(f"it is damaged or of another format ({' '.join(str(problem).split())})")
    except OSError as problem:
        if problem.errno is not None:  # the disk, not the content
            raise
        wrong = ContentError(f"it is damaged or of another format ({problem})")
    except ContentError as problem:
        wrong = problem
    wrong.path = path
    raise wrong from None


def verify(recipe: Recipe, arrays: Arrays) -> None:
    """Hold parsed arrays to what the registry says; a ContentError says which check failed."""
    rows, features = arrays.X.shape
    if rows != recipe.rows:
        raise ContentError(f"it has {rows:,} rows, not {recipe.rows:,}")
    if features != recipe.features:
        raise ContentError(f"it has {features} features, not {recipe.features}")
    counts = np.bincount(arrays.y, minlength=len(recipe.classes)).tolist()
    for (name, wanted), count in zip(recipe.classes.items(), counts, strict=True):
        if count != wanted:
            raise ContentError(f"class {name!r} has {count:,} rows, not {wanted:,}")
    found = fingerprint(arrays.X, arrays.y)
    if found != recipe.sha256:
        raise ContentError(f"the SHA-256 of its content is {found[:12]}…, not {recipe.sha256[:12]}…")


def unpacked(path: Path) -> BufferedIOBase:
    """Open a file, packed or not, by its content: some browsers unpack and keep the name."""
    with path.open("rb") as file:
        start = file.read(3)
    if start[:2] == b"\x1f\x8b":
        return gzip.open(path)
    return bz2.open(path) if start == b"BZh" else path.open("rb")


def _whole_lines(path: Path, most: int) -> Iterator[bytes]:
    """The text of a file in blocks that end where a line ends, and never more than ``most`` bytes of it."""
    rest, total = b"", 0
    with unpacked(path) as file:
        while block := file.read(_BLOCK):
            total += len(block)
            if total > most:
                raise ContentError(f"it unpacks to more than {most / 1e6:.0f} MB")
            text, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                yield text + newline
            if len(rest) > _LINE:
                raise ContentError(f"it has a line of more than {_LINE / 1e6:.0f} MB")
    if rest.strip():
        yield rest


def _table(recipe: Recipe, blocks: Iterator[bytes], progress: Progress) -> tuple[Any, NDArray[Any]]:
    """Numbers between commas, the label last; comments as ARFF has them."""
    X = np.empty((recipe.rows, recipe.features), recipe.dtype)
    labels = np.empty(recipe.rows, np.int64)
    done = 0
    for text in blocks:
        if not text.strip():
            continue
        lines = text.decode("ascii").splitlines()
        block = np.loadtxt(lines, dtype=recipe.dtype, delimiter=",", comments="%", ndmin=2)
        if block.shape[1] != recipe.features + 1:
            raise ContentError(f"it has {block.shape[1] - 1} features, not {recipe.features}")
        if done + len(block) > recipe.rows:
            raise ContentError(f"it has more than {recipe.rows:,} rows")
        X[done : done + len(block)] = block[:, :-1]
        labels[done : done + len(block)] = narrow(block[:, -1], np.int64)
        done += len(block)
        progress.update(done)
    if not np.isfinite(X[:done]).all():
        raise ValueError("a number is not finite")
    return X[:done], labels[:done]


def _csv(recipe: Recipe, paths: Sequence[Path], progress: Progress) -> tuple[Any, NDArray[Any]]:
    (path,) = paths
    with _reading(path):
        return _table(recipe, _whole_lines(path, recipe.most), progress)


def _arff(recipe: Recipe, paths: Sequence[Path], progress: Progress) -> tuple[Any, NDArray[Any]]:
    (path,) = paths

    def data() -> Iterator[bytes]:
        blocks, header = _whole_lines(path, recipe.most), b""
        for block in blocks:
            header += block
            at = header.lower().find(b"\n@data")
            if at >= 0:
                yield header[at + 1 :].partition(b"\n")[2]
                yield from blocks
                return
        raise ContentError("it has no line @DATA")

    with _reading(path):
        return _table(recipe, data(), progress)


def _libsvm(recipe: Recipe, paths: Sequence[Path], progress: Progress) -> tuple[Any, NDArray[Any]]:
    """Lines ``label feature:value …``, features counted from 1 and in order."""
    from scipy.sparse import csr_array

    labels, columns, values, lengths = [], [], [], []
    done = 0
    for path in paths:
        with _reading(path):
            before = done
            for text in _whole_lines(path, recipe.most):
                lines = [line for line in text.splitlines() if line.strip()]
                pairs = np.array([line.count(b":") for line in lines], dtype=np.int64)
                numbers = np.array(text.replace(b":", b" ").split(), dtype=np.float64)
                if len(numbers) != len(lines) + 2 * pairs.sum():
                    raise ValueError("a line is not 'label feature:value ...'")
                done += len(lines)
                if done > recipe.rows:
                    raise ContentError(f"it has more than {recipe.rows:,} rows")
                starts = np.cumsum(2 * pairs + 1) - 2 * pairs - 1
                others = np.delete(numbers, starts)
                places = narrow(others[::2], np.int32) - 1
                if places.size and not 0 <= places.min() <= places.max() < recipe.features:
                    wrong = places.max() if places.max() >= recipe.features else places.min()
                    raise ContentError(f"it has a feature {wrong + 1}, beyond 1 to {recipe.features}")
                columns.append(places)
                values.append(narrow(others[1::2], recipe.dtype))
                labels.append(narrow(numbers[starts], np.int64))
                lengths.append(pairs)
                progress.update(done)
            if done == before:
                raise EOFError
    ends = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    X = csr_array((np.concatenate(values), np.concatenate(columns), ends), shape=(done, recipe.features))
    X.sum_duplicates()
    X.eliminate_zeros()
    return (X if recipe.sparse else X.toarray()), np.concatenate(labels)


def _idx(recipe: Recipe, paths: Sequence[Path], progress: Progress) -> tuple[Any, NDArray[Any]]:
    """Pairs of an image file and a label file, one pair after the other."""
    X = np.empty((recipe.rows, recipe.features), np.uint8)
    labels = np.empty(recipe.rows, np.uint8)
    done = 0
    for images, classes in zip(paths[::2], paths[1::2], strict=True):
        left = recipe.rows - done
        with _reading(images):
            count = _fill(images, _IMAGES, X[done:], left, progress)
        with _reading(classes):
            found = _fill(classes, _LABELS, labels[done:, None], left, progress)
        if found != count:
            raise ContentError("images and labels differ in number")
        done += count
        progress.update(done)
    return X[:done], labels[:done]


def _fill(path: Path, magic: int, into: NDArray[np.uint8], left: int, progress: Progress) -> int:
    """Read an idx file into the rows given, and tell how many of them it has filled."""
    with unpacked(path) as file:
        dimensions = 3 if magic == _IMAGES else 1
        if _exactly(file, 4) != struct.pack(">I", magic):
            raise ContentError(f"{path.name} is no idx file of {'images' if dimensions == 3 else 'labels'}")
        count, *sides = struct.unpack(f">{dimensions}I", _exactly(file, 4 * dimensions))
        if int(np.prod(sides, dtype=object)) != into.shape[1]:
            raise ContentError(f"{path.name} has pictures of {' x '.join(map(str, sides))} pixels")
        if count > left:
            raise ContentError(f"{path.name} has {count:,} rows, more than the {left:,} that there should be")
        step = max(1, _BLOCK // into.shape[1])
        for start in range(0, count, step):
            block = into[start : min(start + step, count)]
            block[...] = np.frombuffer(_exactly(file, block.size), np.uint8).reshape(block.shape)
            if dimensions == 3:
                progress.update(start + len(block))
        if file.read(1):
            raise ContentError(f"{path.name} goes on after its {count:,} rows")
    return int(count)


def _exactly(file: BufferedIOBase, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise EOFError
    return data


_PARSERS: dict[str, Callable[[Recipe, Sequence[Path], Progress], tuple[Any, NDArray[Any]]]] = {
    "csv": _csv,
    "arff": _arff,
    "libsvm": _libsvm,
    "idx": _idx,
}
