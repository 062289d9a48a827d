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
from bflo_viz.streams.datasets import pixel_names
from bflo_viz.streams.sources import set_aside
from bflo_viz.streams.stream import Stream, StreamError

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
_PHOTOS_MAX_BYTES = 20_000_000
_INSTALLED = (
    ("sklearn", "datasets/images/china.jpg"),
    ("sklearn", "datasets/images/flower.jpg"),
    ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
)


def on_noise(stream: Stream, rng: np.random.Generator, *, join: str = "maximum") -> Stream:
    """Digits on a background of which every pixel is uniform from 0 to 255.

    ``join="maximum"`` takes the brighter pixel of the two, as Larochelle et al. did; ``"replace"`` shows the
    background where a digit is black, ``"add"`` adds the two up to white.
    """
    X = _digits(stream)
    noise = np.frombuffer(check.generator(rng).bytes(X.size), np.uint8).reshape(X.shape)
    return replace(stream, X=_joined(X, noise, join))


def on_photographs(
    stream: Stream,
    photographs: Sequence[Picture],
    rng: np.random.Generator,
    *,
    join: str = "maximum",
    least_std: int = LEAST_STD,
) -> Stream:
    """Digits, each on a patch of one of the photographs, all equally likely; flat patches are drawn again.

    A patch is flat if its pixels deviate by less than ``least_std``; ``join`` is that of `on_noise`.
    """
    X = _digits(stream)
    check.generator(rng)
    check.positive_int("least_std", least_std)
    small = [picture.shape for picture in photographs if picture.ndim != 2 or min(picture.shape) < SIDE]
    if small or not photographs:
        raise ValueError(f"photographs must be at least {SIDE} x {SIDE} grey pixels, but one is {small[:1]}.")
    background = np.empty_like(X)
    for start in range(0, len(X), _BLOCK):
        patches = background[start : start + _BLOCK]
        flat = np.arange(len(patches))
        for _ in range(_TRIES):
            patches[flat] = _drawn_patches(photographs, flat.size, rng)
            flat = flat[_is_flat(patches[flat], least_std)]
            if not flat.size:
                break
        else:
            raise ValueError(f"photographs must have texture, but hardly a patch has a deviation of {least_std}.")
    return replace(stream, X=_joined(X, background, join))


def _joined(digits: Picture, background: Picture, join: str) -> Picture:
    if check.choice("join", join, JOINS) == "maximum":
        return np.maximum(digits, background)
    if join == "replace":
        return np.where(digits > 0, digits, background)
    return digits + np.minimum(background, 255 - digits)


def enlarge(stream: Stream) -> Stream:
    """scikit-learn's digits of 8 x 8 pixels as large and as bright as those of MNIST, interpolated linearly."""
    side = math.isqrt(stream.features)
    if stream.is_sparse or side * side != stream.features or not 1 < side <= _BOX or stream.X.max(initial=0) > 16:
        raise ValueError(f"enlarge is for square pictures with pixels from 0 to 16, not for {stream!r}.")
    positions = np.linspace(0, side - 1, _BOX)
    weights = np.maximum(0, 1 - np.abs(positions[:, None] - np.arange(side)))
    pictures = weights @ (stream.X.reshape(-1, side, side) * (255 / 16)) @ weights.T
    edge = (SIDE - _BOX) // 2
    framed = np.pad(np.rint(pictures).astype(np.uint8), ((0, 0), (edge, edge), (edge, edge)))
    return replace(stream, X=framed.reshape(len(framed), -1), feature_names=pixel_names(SIDE), maximum=255)


def photographs() -> tuple[list[Picture], str]:
    """The photographs that are here, and what they are.

    These are the 20 of ``photos.npz``, if the folder that BFLO_DATA names or the cache folder has it; else 20 regions
    of the pictures that come with scikit-learn and matplotlib.
    """
    folders = filter(None, (_places.data_folder(), _places.cache_folder()))
    for path in (folder / _PHOTOS for folder in folders):
        if path.is_file():
            return _from_file(path), f"the 20 photographs of {_PHOTOS}"
    pictures = [picture for package, file in _INSTALLED for picture in _installed(package, file)]
    if not pictures:
        raise StreamError("no photograph is here: pip install scikit-learn, and try again.")
    regions = []
    for i, picture in enumerate(pictures):
        columns = REGIONS // 2 // len(pictures) + (i < REGIONS // 2 % len(pictures))
        for half in np.array_split(picture, 2):
            regions += np.array_split(half, columns, axis=1)
    return regions, f"{REGIONS} regions of {len(pictures)} photographs that come with scikit-learn and matplotlib"


def _drawn_patches(photographs: Sequence[Picture], count: int, rng: np.random.Generator) -> Picture:
    """So many patches, one in a row: first which photographs, then how far down, then how far to the right."""
    which, down, right = np.frombuffer(rng.bytes(3 * 8 * count), "<u8").reshape(3, count)
    patches = np.empty((count, SIDE * SIDE), np.uint8)
    for number, photograph in enumerate(photographs):
        mine = which % len(photographs) == number
        windows = np.lib.stride_tricks.sliding_window_view(photograph, (SIDE, SIDE))
        chosen = windows[down[mine] % windows.shape[0], right[mine] % windows.shape[1]]
        patches[mine] = chosen.reshape(-1, SIDE * SIDE)
    return patches


def _is_flat(patches: Picture, least_std: int) -> NDArray[np.bool_]:
    """Whether pixels deviate by less than that; in whole numbers, so that no machine rounds otherwise."""
    pixels = patches.astype(np.int64)
    count, total, squares = patches.shape[1], pixels.sum(axis=1), (pixels * pixels).sum(axis=1)
    return np.asarray(count * squares - total * total < (count * least_std) ** 2)


def _digits(stream: Stream) -> Picture:
    if stream.is_sparse or stream.X.dtype != np.uint8 or stream.features != SIDE * SIDE:
        raise ValueError(f"backgrounds are for pictures of {SIDE} x {SIDE} pixels from 0 to 255, not for {stream!r}.")
    pixels: Picture = stream.X
    return pixels


def _from_file(path: Path) -> list[Picture]:
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _PHOTOS_MAX_BYTES:
                raise ValueError("it unpacks to too much")
        with np.load(path, allow_pickle=False) as parts:
            pictures = {name: np.asarray(parts[name]) for name in sorted(parts)}
        if photo_fingerprint(pictures) != _PHOTOS_SHA256:
            raise ValueError("the SHA-256 of its content is another")
    except (ValueError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error) as problem:
        renamed = set_aside([path])
        raise StreamError(f"{path} is not the known set of photographs: {problem}, {renamed}.") from None
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
