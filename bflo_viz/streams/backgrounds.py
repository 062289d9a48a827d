"""MNIST digits on backgrounds, as Larochelle et al. (2007) made them: uniform noise, and patches of photographs.

Their paper is "An empirical evaluation of deep architectures on problems with many factors of variation".
Our photographs are not the original ones, nor is it known how flat a patch had to be for them to reject it. All draws
come from ``rng.bytes``, so that a seed gives the same digits with every version of NumPy.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz import _places
from bflo_viz.streams.stream import Stream, StreamError

Picture = NDArray[np.uint8]

SIDE = 28

_BOX = 20  # side of the square that MNIST's digits fill
_BLOCK = 500  # digits that get their background together
_TRIES = 1000  # draws of a patch before the photographs are given up as too flat
_PHOTOS = "photos.npz"
_PHOTOS_SHA256 = "ef8de5824fb732138ea4fee9da44669e4e0e894fa1efa9d71f7e2cbe7967949c"
_INSTALLED = (  # package, file, and the regions across each half of it
    ("scikit-learn", "sklearn/datasets/images/china.jpg", 4),
    ("scikit-learn", "sklearn/datasets/images/flower.jpg", 3),
    ("matplotlib", "matplotlib/mpl-data/sample_data/grace_hopper.jpg", 3),
)


def on_noise(stream: Stream, rng: np.random.Generator) -> Stream:
    """Put digits on pixels that are uniform from 0 to 255; of two pixels, the brighter is seen."""
    X = _digits(stream)
    noise = np.frombuffer(check.generator(rng).bytes(X.size), np.uint8)
    return replace(stream, X=np.maximum(X, noise.reshape(X.shape)))


def on_photographs(
    stream: Stream, photographs: Sequence[Picture], rng: np.random.Generator, *, least_std: int = 10
) -> Stream:
    """Put each digit on a patch of a photograph; one that deviates by less than ``least_std`` is drawn anew."""
    X = _digits(stream)
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
            raise ValueError(f"photographs must have texture, but hardly any patch has a deviation of {least_std}.")
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
    return replace(stream, X=framed.reshape(len(framed), -1), maximum=255)


def photographs() -> tuple[list[Picture], str]:
    """Return the photographs of ``photos.npz`` if it is here, else of installed packages, and their description."""
    for folder in filter(None, (_places.data_folder(), _places.cache_folder())):
        if (folder / _PHOTOS).is_file():
            if hashlib.sha256((folder / _PHOTOS).read_bytes()).hexdigest() != _PHOTOS_SHA256:
                raise StreamError(f"{folder / _PHOTOS} is not the known set of photographs: replace or delete it.")
            pictures = np.load(folder / _PHOTOS)
            return [pictures[name] for name in sorted(pictures)], f"the 20 photographs of {_PHOTOS}"
    regions: list[Any] = []
    try:
        from PIL import Image

        for package, file, columns in _INSTALLED:
            picture = Image.open(str(metadata.distribution(package).locate_file(file))).convert("L")
            for half in np.array_split(np.asarray(picture), 2):
                regions += np.array_split(half, columns, axis=1)
    except (ImportError, OSError):
        raise StreamError("photographs come with scikit-learn: pip install scikit-learn.") from None
    return regions, f"20 regions of {len(_INSTALLED)} photographs that come with scikit-learn and matplotlib"


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
