"""MNIST digits on backgrounds, as Larochelle et al. (2007) made them: uniform noise, and patches of photographs.

Digit and background are joined by the pixel-wise maximum. How little variance made them reject a patch is not known;
here it is a standard deviation below ``LEAST_STD`` grey levels, or what is asked for. Our photographs are not the
original ones either. Whatever is drawn comes from ``rng.bytes``, so that a seed gives the same digits with every
version of NumPy.
"""

import hashlib
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import _places
from bflo_viz._advice import missing
from bflo_viz.streams.sources import set_aside
from bflo_viz.streams.stream import Labels, Stream, StreamError

Picture = NDArray[np.uint8]

SIDE = 28
_BOX = 20  # MNIST's digits fill a box of so many pixels, in the middle
LEAST_STD = 10
JOINS = ("maximum", "replace", "add")
REGIONS = 20

_BLOCK = 500  # digits that get their background together
_TRIES = 1000  # draws of a patch before the photographs are given up as too flat
_PHOTOS = "photos.npz"
_PHOTOS_SHA256 = "6ed2de88666ea52241fb64796f088245cbe566318b99ca7ce23f2db49ef268e8"
_PHOTOS_MOST = 20_000_000
_INSTALLED = (
    ("sklearn", "datasets/images/china.jpg"),
    ("sklearn", "datasets/images/flower.jpg"),
    ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
)


def on_noise(stream: Stream, rng: np.random.Generator, *, join: str = "maximum") -> Stream:
    """Digits on a background of which every pixel is uniform from 0 to 255, joined as `join_with` says."""
    X = _digits(stream).copy()
    add_noise(X, rng, join)
    return replace(stream, X=X)


def on_photographs(
    stream: Stream, photographs: Sequence[Picture], rng: np.random.Generator, *, join: str = "maximum"
) -> Stream:
    """Digits, each on a patch of one of the photographs, all equally likely; flat patches are drawn again."""
    X = _digits(stream).copy()
    add_photographs(X, photographs, rng, join)
    return replace(stream, X=X)


def join_with(background: Picture, X: Picture, join: str) -> None:
    """Put a background behind digits, in place.

    ``"maximum"`` takes the brighter pixel, as Larochelle et al. did; ``"replace"`` shows the background where a digit
    is black, ``"add"`` adds the two up to white.
    """
    if join == "maximum":
        np.maximum(X, background, out=X)
    elif join == "replace":
        np.copyto(X, background, where=X == 0)
    else:
        check.choice("join", join, JOINS)
        X += np.minimum(background, 255 - X)


def add_noise(X: Picture, rng: np.random.Generator, join: str = "maximum") -> None:
    """Put noise behind digits, in place."""
    check.generator(rng)
    for start in range(0, len(X), _BLOCK):
        block = X[start : start + _BLOCK]
        noise = np.frombuffer(rng.bytes(block.size), np.uint8).reshape(block.shape)
        join_with(noise, block, join)


def add_photographs(
    X: Picture,
    photographs: Sequence[Picture],
    rng: np.random.Generator,
    join: str = "maximum",
    least_std: int = LEAST_STD,
) -> None:
    """Put patches of photographs behind digits, in place; none whose pixels deviate by less than ``least_std``."""
    check.generator(rng)
    check.dimension("least_std", least_std)
    draw = _Patches(photographs)
    for start in range(0, len(X), _BLOCK):
        block = X[start : start + _BLOCK]
        patches = draw(len(block), rng)
        flat = np.arange(len(block))
        for _ in range(_TRIES):
            flat = flat[_is_flat(patches[flat], least_std)]
            if not flat.size:
                break
            patches[flat] = draw(flat.size, rng)
        else:
            raise ValueError(f"photographs must have texture, but hardly a patch has a deviation of {least_std}.")
        join_with(patches, block, join)


def keep_some(X: Picture, y: Labels, rows: int, rng: np.random.Generator) -> tuple[Picture, Labels]:
    """So many rows drawn from all, in their order; X is moved up in place, as a copy would double the memory."""
    kept = drawn_rows(len(X), rows, rng)
    for start in range(0, rows, _BLOCK):
        part = kept[start : start + _BLOCK]
        X[start : start + len(part)] = X[part]  # a row only moves up, so none is overwritten before it is read
    return X[:rows], y[kept]


def drawn_rows(count: int, rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Places of so many rows drawn from ``count``, in their order."""
    check.generator(rng)
    if not 1 <= check.dimension("rows", rows) <= count:
        raise ValueError(f"rows must be at most {count:,}, but it was {rows:,}.")
    return np.sort(np.argsort(_words(rng, count), kind="stable")[:rows])


def enlarge(stream: Stream) -> Stream:
    """scikit-learn's digits of 8 x 8 pixels as large and as bright as those of MNIST, interpolated linearly."""
    side = math.isqrt(stream.features)
    if stream.is_sparse or side * side != stream.features or not 1 < side <= _BOX or stream.X.max(initial=0) > 16:
        raise ValueError(f"enlarge is for square pictures with pixels from 0 to 16, not for {stream!r}.")
    places = np.linspace(0, side - 1, _BOX)
    weights = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(side)))
    pictures = weights @ (stream.X.reshape(-1, side, side) * (255 / 16)) @ weights.T
    edge = (SIDE - _BOX) // 2
    framed = np.pad(np.rint(pictures).astype(np.uint8), ((0, 0), (edge, edge), (edge, edge)))
    names = tuple(f"pixel {row},{column}" for row in range(SIDE) for column in range(SIDE))
    return replace(stream, X=framed.reshape(len(framed), -1), feature_names=names, maximum=255)


def photographs() -> tuple[list[Picture], str]:
    """The photographs that are here, and what they are.

    These are the 20 of ``photos.npz``, if the folder that BFLO_DATA names or the cache folder has it; else 20 regions
    of the pictures that come with scikit-learn and matplotlib.
    """
    path = _photo_file()
    if path:
        return _from_file(path), f"the 20 photographs of {_PHOTOS}"
    pictures = [picture for package, file in _INSTALLED for picture in _installed(package, file)]
    if not pictures:
        raise StreamError(f"no photograph is here: {missing('scikit-learn', 'lab')}")
    regions = []
    for i, picture in enumerate(pictures):
        columns = REGIONS // 2 // len(pictures) + (i < REGIONS // 2 % len(pictures))
        for half in np.array_split(picture, 2):
            regions += np.array_split(half, columns, axis=1)
    return regions, f"{REGIONS} regions of {len(pictures)} photographs that come with scikit-learn and matplotlib"


def has_known_photographs() -> bool:
    """Whether they are those of ``photos.npz``, the same pixels for everyone who has that file."""
    return _photo_file() is not None


class _Patches:
    """Draws patches of photographs of any size."""

    def __init__(self, photographs: Sequence[Picture]) -> None:
        small = [p.shape for p in photographs if p.ndim != 2 or min(p.shape) < SIDE]
        if small or not photographs:
            raise ValueError(f"photographs must be at least {SIDE} x {SIDE} grey pixels, but one is {small[:1]}.")
        self._pixels = np.concatenate([np.asarray(p, dtype=np.uint8).ravel() for p in photographs])
        self._shapes = np.array([p.shape for p in photographs], dtype=np.int64)
        self._starts = np.cumsum([0, *(p.size for p in photographs)])[:-1]

    def __call__(self, count: int, rng: np.random.Generator) -> Picture:
        which, down, right = _words(rng, 3 * count).reshape(3, count)
        which = which % np.uint64(len(self._shapes))
        room = (self._shapes[which] - SIDE + 1).astype(np.uint64)
        down, right = (down % room[:, 0]).astype(np.int64), (right % room[:, 1]).astype(np.int64)
        width = self._shapes[which, 1]
        corners = self._starts[which] + down * width + right
        steps = np.arange(SIDE)
        inside = (corners[:, None] + steps * width[:, None])[:, :, None] + steps
        return np.asarray(self._pixels[inside.reshape(count, SIDE * SIDE)])


def _is_flat(patches: Picture, least_std: int) -> NDArray[np.bool_]:
    """Whether pixels deviate by less than that; in whole numbers, so that no machine rounds otherwise."""
    pixels = patches.astype(np.int32)
    total, squares = pixels.sum(axis=1, dtype=np.int64), (pixels * pixels).sum(axis=1, dtype=np.int64)
    count = patches.shape[1]
    return np.asarray(count * squares - total * total < (count * least_std) ** 2)


def _words(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    return np.frombuffer(rng.bytes(8 * count), "<u8").astype(np.uint64)


def _digits(stream: Stream) -> Picture:
    if stream.is_sparse or stream.X.dtype != np.uint8 or stream.features != SIDE * SIDE:
        raise ValueError(f"backgrounds are for pictures of {SIDE} x {SIDE} pixels from 0 to 255, not for {stream!r}.")
    pixels: Picture = stream.X
    return pixels


def _photo_file() -> Path | None:
    folders = filter(None, (_places.data_folder(), _places.cache_folder()))
    return next((folder / _PHOTOS for folder in folders if (folder / _PHOTOS).is_file()), None)


def _from_file(path: Path) -> list[Picture]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _PHOTOS_MOST:
            raise ValueError("it unpacks to too much")
        with np.load(path, allow_pickle=False) as archive:
            pictures: dict[str, Any] = {name: archive[name] for name in sorted(archive)}
        if not all(isinstance(picture, np.ndarray) for picture in pictures.values()):
            raise ValueError("a part of it is no array")
        if photo_fingerprint(pictures) != _PHOTOS_SHA256:
            raise ValueError("the SHA-256 of its content is another")
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as problem:
        aside = set_aside([path])
        raise StreamError(f"{path} is not the known set of photographs: {problem}, {aside}.") from None
    return list(pictures.values())


def photo_fingerprint(pictures: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over names, shapes and pixels, by name."""
    digest = hashlib.sha256()
    for name in sorted(pictures):
        digest.update(f"{name} {pictures[name].shape} {pictures[name].dtype.name}\n".encode())
        digest.update(np.ascontiguousarray(pictures[name]).data)
    return digest.hexdigest()


def _installed(package: str, file: str) -> list[Picture]:
    """A picture inside an installed package, in grey; none if it is not there. The package is not imported."""
    from PIL import Image

    spec = find_spec(package)
    path = Path(spec.origin).parent / file if spec and spec.origin else None
    if path is None or not path.is_file():
        return []
    with Image.open(path) as picture:
        return [np.asarray(picture.convert("L"))]
