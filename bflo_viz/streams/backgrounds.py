"""MNIST digits on backgrounds, as Larochelle et al. (2007) made them: uniform noise, and patches of photographs.

Our photographs are not the original ones, nor is it known how flat a patch had to be for them to reject it. All draws
come from ``rng.bytes``, so that a seed gives the same digits with every version of NumPy.
"""

import hashlib
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import _places
from bflo_viz.streams.stream import Stream, StreamError

Picture = NDArray[np.uint8]

SIDE = 28
LEAST_STD = 10  # grey levels: patches that deviate by less are drawn again

_BOX = 20  # side of the square that MNIST's digits fill
_BLOCK = 500  # digits that get their background together
_TRIES = 1000  # draws of a patch before the photographs are given up as too flat
_PHOTOS = "photos.npz"
_PHOTOS_SHA256 = "6ed2de88666ea52241fb64796f088245cbe566318b99ca7ce23f2db49ef268e8"
_INSTALLED = (
    ("sklearn", "datasets/images/china.jpg"),
    ("sklearn", "datasets/images/flower.jpg"),
    ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
)


def on_noise(stream: Stream, rng: np.random.Generator, *, join: str = "maximum") -> Stream:
    """Put digits on a background whose pixels are uniform from 0 to 255.

    ``join="maximum"`` takes the brighter of two pixels, as Larochelle et al. did; ``"replace"`` shows the background
    where a digit is black, and ``"add"`` adds the two up to white.
    """
    X = _digits(stream)
    noise = np.frombuffer(check.generator(rng).bytes(X.size), np.uint8).reshape(X.shape)
    if check.choice("join", join, ("maximum", "replace", "add")) == "replace":
        return replace(stream, X=np.where(X > 0, X, noise))
    return replace(stream, X=np.maximum(X, noise) if join == "maximum" else X + np.minimum(noise, 255 - X))


def on_photographs(
    stream: Stream, photographs: Sequence[Picture], rng: np.random.Generator, *, least_std: int = LEAST_STD
) -> Stream:
    """Put each digit on a patch of a photograph; a patch that deviates by less than ``least_std`` is drawn again."""
    X = _digits(stream)
    if not photographs or any(min(picture.shape) < SIDE for picture in photographs):
        raise ValueError(f"photographs must have at least {SIDE} x {SIDE} grey pixels.")
    background = np.empty_like(X)
    for start in range(0, len(X), _BLOCK):
        patches = background[start : start + _BLOCK]
        flat = np.arange(len(patches))
        for _ in range(_TRIES):
            patches[flat] = _drawn_patches(photographs, flat.size, check.generator(rng))
            pixels = patches[flat].astype(np.int64)  # whole numbers, which no machine rounds
            variance = SIDE**2 * (pixels * pixels).sum(axis=1) - pixels.sum(axis=1) ** 2  # times 28⁴
            flat = flat[variance < (SIDE**2 * least_std) ** 2]
            if not flat.size:
                break
        else:
            raise ValueError(f"photographs must have texture, but hardly a patch has a deviation of {least_std}.")
    return replace(stream, X=np.maximum(X, background))


def enlarge(stream: Stream) -> Stream:
    """Interpolate scikit-learn's digits of 8 x 8 pixels to the size and brightness of MNIST's."""
    side = math.isqrt(stream.features)
    if stream.is_sparse or side * side != stream.features or not 1 < side <= _BOX or stream.X.max(initial=0) > 16:
        raise ValueError(f"enlarge is for square pictures with pixels from 0 to 16, not for {stream!r}.")
    positions = np.linspace(0, side - 1, _BOX)
    weights = np.maximum(0, 1 - np.abs(positions[:, None] - np.arange(side)))
    pictures = weights @ (stream.X.reshape(-1, side, side) * (255 / 16)) @ weights.T
    edge = (SIDE - _BOX) // 2
    framed = np.pad(np.rint(pictures).astype(np.uint8), ((0, 0), (edge, edge), (edge, edge)))
    return replace(stream, X=framed.reshape(len(framed), -1), feature_names=(), maximum=255)


def photographs() -> tuple[list[Picture], str]:
    """Return the photographs that are here, and their description.

    These are the 20 of ``photos.npz``, if the folder that BFLO_DATA names or the cache folder has it; else 20 regions
    of the pictures that come with scikit-learn and matplotlib.
    """
    for folder in filter(None, (_places.data_folder(), _places.cache_folder())):
        if (folder / _PHOTOS).is_file():
            return _from_file(folder / _PHOTOS), f"the 20 photographs of {_PHOTOS}"
    pictures = [picture for place in _INSTALLED for picture in _installed(*place)]
    regions = []
    for i, picture in enumerate(pictures):
        columns = 10 // len(pictures) + (i < 10 % len(pictures))
        for half in np.array_split(picture, 2):
            regions += np.array_split(half, columns, axis=1)
    return regions, f"20 regions of {len(pictures)} photographs that come with scikit-learn and matplotlib"


def _drawn_patches(photographs: Sequence[Picture], count: int, rng: np.random.Generator) -> Picture:
    """Draw patches, one per row: first their photographs, then their upper edges, then their left edges."""
    which, top, left = np.frombuffer(rng.bytes(3 * 8 * count), "<u8").reshape(3, count)
    patches = np.empty((count, SIDE * SIDE), np.uint8)
    for number, photograph in enumerate(photographs):
        mine = which % len(photographs) == number
        windows = np.lib.stride_tricks.sliding_window_view(photograph, (SIDE, SIDE))
        chosen = windows[top[mine] % windows.shape[0], left[mine] % windows.shape[1]]
        patches[mine] = chosen.reshape(-1, SIDE * SIDE)
    return patches


def _digits(stream: Stream) -> Picture:
    if stream.is_sparse or stream.X.dtype != np.uint8 or stream.features != SIDE * SIDE:
        raise ValueError(f"backgrounds are for pictures of {SIDE} x {SIDE} pixels from 0 to 255, not for {stream!r}.")
    return np.asarray(stream.X)


def _from_file(path: Path) -> list[Picture]:
    digest, pictures = hashlib.sha256(), {}
    with suppress(Exception), np.load(path, allow_pickle=False) as parts:  # a torn file leaves a wrong digest
        pictures = dict(sorted(parts.items()))
        for name, picture in pictures.items():
            digest.update(f"{name} {picture.shape} {picture.dtype.name}\n".encode() + picture.tobytes())
    if digest.hexdigest() != _PHOTOS_SHA256:
        raise StreamError(f"{path} is not the known set of photographs: replace it, or delete it.")
    return list(pictures.values())


def _installed(package: str, file: str) -> list[Picture]:
    """Read a grey picture inside an installed package without importing it; none if it is not there."""
    from PIL import Image

    spec = find_spec(package)
    path = Path(spec.origin).parent / file if spec and spec.origin else None
    return [np.asarray(Image.open(path).convert("L"))] if path and path.is_file() else []
