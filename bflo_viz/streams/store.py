"""The parsed form of a stream on disk: whole and right, or not there."""

import os
import tempfile
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _places
from bflo_viz.streams.parsers import Arrays
from bflo_viz.streams.registry import Recipe

_LEFT_BEHIND = 24 * 3600  # seconds after which a half-written file belongs to nobody any more


def path_of(recipe: Recipe) -> Path:
    """Where the parsed form belongs. The name has the fingerprint: a file of other content has another name."""
    return _places.cache_folder() / f"{recipe.name}-{recipe.sha256[:16]}.arrays"


def load(recipe: Recipe) -> Arrays | None:
    """The parsed form if it is there and whole; one that is not whole is removed."""
    path = path_of(recipe)
    try:
        with path.open("rb") as file:
            *parts, check = [np.load(file, allow_pickle=False) for _ in range(5 if recipe.sparse else 3)]
        if _checksum(parts) == check:
            return _joined(recipe, parts)
    except OSError:  # not there, or not to be read
        return None
    except Exception:  # whatever a broken file looks like
        pass
    with suppress(OSError):
        path.unlink()
    return None


def save(recipe: Recipe, arrays: Arrays) -> None:
    """Keep the parsed form: written under a name of its own, and renamed when it is whole and on the disk."""
    path = path_of(recipe)
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path.parent)
    handle, name = tempfile.mkstemp(prefix=f"{recipe.name}-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            parts = _parts(arrays)
            for part in (*parts, _checksum(parts)):
                np.save(file, part, allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _parts(arrays: Arrays) -> list[NDArray[Any]]:
    X = arrays.X
    if not hasattr(X, "indptr"):
        return [X, arrays.y]
    narrow = np.min_scalar_type(max(0, X.shape[1] - 1))
    return [X.data, X.indices.astype(narrow), X.indptr.astype(np.int64), arrays.y]


def _joined(recipe: Recipe, parts: list[NDArray[Any]]) -> Arrays:
    *examples, y = parts
    if not recipe.sparse:
        return Arrays(examples[0], y)
    from scipy.sparse import csr_array

    data, indices, indptr = examples
    return Arrays(csr_array((data, indices.astype(np.int32), indptr), shape=(recipe.rows, recipe.features)), y)


def _checksum(parts: list[NDArray[Any]]) -> NDArray[np.uint32]:
    check = 0
    for part in parts:
        check = zlib.crc32(f"{part.dtype.str} {part.shape}".encode(), check)
        check = zlib.crc32(np.ascontiguousarray(part).data, check)
    return np.array(check, dtype=np.uint32)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left half-written."""
    for left in (*folder.glob("*.tmp"), *folder.glob("tmp*")):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
                left.unlink()
