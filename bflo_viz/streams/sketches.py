"""Sketches of 28 x 28 cells as a short text, and as a network sees them: sized and centred as MNIST has its digits.

MNIST fitted each digit into a box of 20 x 20 pixels and put its centre of mass into the middle of 28 x 28. Here that
is done at half of the size, by areas: a cell of what is seen is as bright as the share of it that ink covers. What is
learned and what is drawn go the same way.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.streams.backgrounds import SIDE
from bflo_viz.streams.datasets import pixel_names
from bflo_viz.streams.stream import Stream

Ink = NDArray[np.bool_]

SEEN = 14  # cells a side of what a network sees
BOX = 10  # of them, the longer side of a sketch fills so many
BRUSH = 1.3  # cells from the middle of a stroke to its edge
PATTERN = rf"([0-9a-f]{{0,7}}\.){{0,{SIDE - 1}}}[0-9a-f]{{0,7}}"
WORDS = f"at most {SIDE} rows of up to 7 hexadecimal digits, with a dot between rows"


def to_text(ink: ArrayLike) -> str:
    """A picture of 28 x 28 cells as a text: a row is a number in hexadecimal digits, and its first cell the top bit.

    Dots stand between rows; what is empty is left out.

    >>> page = np.zeros((28, 28), bool)
    >>> page[1, 27] = page[2, 26] = True
    >>> to_text(page)
    '.1.2'
    """
    rows = [int("".join("01"[int(cell)] for cell in row), 2) for row in _page("ink", ink)]
    return ".".join(f"{row:x}" if row else "" for row in rows).rstrip(".")


def from_text(text: str) -> Ink:
    """The cells that have ink, of a text that `to_text` wrote.

    >>> np.argwhere(from_text(".1.2")).tolist()
    [[1, 27], [2, 26]]
    """
    if not isinstance(text, str) or not re.fullmatch(PATTERN, text):
        raise ValueError(f"sketch must be {WORDS}, but it was {check.short(text)}.")
    rows = [int(row or "0", 16) for row in text.split(".")]
    bits = [[row >> (SIDE - 1 - i) & 1 for i in range(SIDE)] for row in rows]
    return np.array(bits + [[0] * SIDE] * (SIDE - len(rows)), bool)


def of_picture(picture: ArrayLike) -> Ink:
    """Ink where a picture is at least half as bright as its brightest pixel; of any size, light on dark.

    A picture that is not 28 x 28 is put on the page as large as it fits, in its middle.
    """
    shades = check.numbers("picture", picture)
    if shades.ndim != 2 or min(shades.shape) < 1 or max(shades.shape) > 4096 or shades.min() < 0:
        wanted = "rows and columns of brightness from 0 up, such as an array of shape (28, 28)"
        raise ValueError(f"picture must be {wanted}, but it has shape {shades.shape}.")
    scale = SIDE / max(shades.shape)
    down, across = (_overlaps(n, SIDE, scale, (SIDE - n * scale) / 2) for n in shades.shape)
    page = down @ shades @ across.T
    return np.asarray(page >= 0.5 * max(float(page.max()), 1e-300))


def drawn(strokes: Iterable[ArrayLike]) -> Ink:
    """Draw with the round brush: each stroke is points (x, y) in cells from the left and from the top."""
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    ink = np.zeros((SIDE, SIDE), bool)
    for stroke in strokes:
        points = check.rows("strokes", stroke, 2).reshape(-1, 2)
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[-1]], strict=True):
            along = (x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)
            part = np.clip(along / max((x1 - x0) ** 2 + (y1 - y0) ** 2, 1e-12), 0, 1)
            away = (x - x0 - part * (x1 - x0)) ** 2 + (y - y0 - part * (y1 - y0)) ** 2
            ink |= away <= BRUSH**2
    return ink


def seen(ink: ArrayLike) -> Floats:
    """What a network sees of a page: 14 x 14 shares of ink, with the centre of mass in the middle."""
    page = _page("ink", ink).astype(np.float64)
    if not page.any():
        return np.zeros((SEEN, SEEN))
    sides = page.sum(axis=1), page.sum(axis=0)
    extents = [np.flatnonzero(side) for side in sides]
    scale = BOX / max(int(found[-1] - found[0]) + 1 for found in extents)
    middles = [float(side @ (np.arange(SIDE) + 0.5)) / float(side.sum()) for side in sides]
    down, across = (_overlaps(SIDE, SEEN, scale, SEEN / 2 - scale * middle) for middle in middles)
    return np.asarray(down @ page @ across.T)


def as_seen(stream: Stream) -> Stream:
    """Digits of 28 x 28 pixels as a network sees them, were they drawn: pixels below half of white are no ink."""
    if stream.is_sparse or stream.features != SIDE * SIDE:
        raise ValueError(f"as_seen is for pictures of {SIDE} x {SIDE} pixels, not for {stream!r}.")
    pages = stream.X.reshape(-1, SIDE, SIDE) >= (stream.maximum + 1) / 2
    X = np.array([seen(page) for page in pages], np.float32).reshape(-1, SEEN * SEEN)
    return replace(stream, X=X, feature_names=pixel_names(SEEN))


def _page(name: str, ink: ArrayLike) -> NDArray[np.bool_]:
    page = check.numbers(name, ink)
    if page.shape != (SIDE, SIDE):
        raise ValueError(f"{name} must have shape ({SIDE}, {SIDE}), but it has shape {page.shape}.")
    return np.asarray(page != 0)


def _overlaps(cells: int, into: int, scale: float, start: float) -> Floats:
    """How much of each of ``into`` cells lies under each of ``cells`` of width ``scale``, from ``start`` on."""
    low = start + scale * np.arange(cells)
    place = np.arange(into)[:, None]
    return np.asarray(np.maximum(0, np.minimum(low + scale, place + 1) - np.maximum(low, place)))
