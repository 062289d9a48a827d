"""The look of all figures: one decorator, one style sheet, and files that come out the same each time."""

import functools
import logging
from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

_SHEET = Path(__file__).with_name("bflo_viz.mplstyle")
COLUMN = 6.8  # inches: no figure is wider, so that on a phone (390 pixels) its letters are still read
_DPI = 96  # of a picture in a notebook, as it is shown: a point is that of the page

Drawing = Callable[..., tuple[Figure, str]]


class Entry(NamedTuple):
    """A figure that `bflo figures` writes: its title, and the function that draws it from no arguments."""

    title: str
    draw: Callable[..., Figure]


FIGURES: dict[str, Entry] = {}


class Shown(Figure):
    """A figure that a notebook shows as the last line of a cell, with alt text for readers who cannot see it."""

    alt_text = ""

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {"image/png": png(self), "text/plain": f"Figure. {self.alt_text}"}, {"image/png": about_png(self)}


def figure(title: str = "", *variants: str) -> Callable[[Drawing], Callable[..., Figure]]:
    """Turn ``draw_x``, which returns a figure and one sentence about it, into a function that returns the figure.

    It draws in the style of the package, and the sentence becomes the alt text. With a title it is listed in
    ``FIGURES`` as "x", or once for each of ``variants``, which is then its first argument.
    """

    def decorate(draw: Drawing) -> Callable[..., Figure]:
        @functools.wraps(draw)
        def drawn(*args: Any, **options: Any) -> Figure:
            with matplotlib.style.context(_SHEET):
                picture, sentence = draw(*args, **options)
            picture.alt_text = sentence  # type: ignore[attr-defined]
            return picture

        name = draw.__name__.removeprefix("draw_")
        for variant in variants:
            FIGURES[f"{name}_{variant}"] = Entry(title.format(variant[-1]), functools.partial(drawn, variant))
        if title and not variants:
            FIGURES[name] = Entry(title, drawn)
        return drawn

    return decorate


def panels(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Figure, list[Axes]]:
    """Return a figure of so many inches, outside of pyplot's windows and global state, and its axes row by row."""
    picture = Shown(figsize=size, layout="constrained")
    return picture, list(np.ravel(picture.subplots(rows, columns, **options)))


def png(picture: Shown) -> str:
    """Return a picture small enough to be stored in a notebook, as base64: 256 colours are plenty."""
    raw, small = BytesIO(), BytesIO()
    picture.savefig(raw, format="png", dpi=2 * _DPI, pil_kwargs={"compress_level": 1})
    drawn = Image.open(raw).convert("RGB")
    drawn.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(small, "png")
    return b64encode(small.getvalue()).decode()


def about_png(picture: Shown) -> dict[str, Any]:
    """Return alt text and size of that picture on a page: half of its pixels, so that it is sharp."""
    width, height = (int(_DPI * inches) for inches in picture.get_size_inches())
    return {"alt": picture.alt_text, "width": width, "height": height}


def save(picture: Figure, path: Path) -> None:
    """Save with the alt text inside, and with nothing in it that changes from run to run."""
    text = getattr(picture, "alt_text", "")
    metadata: dict[str, Any] = {
        ".png": {"Description": text, "Software": None},
        ".svg": {"Description": text, "Date": None, "Creator": None},
        ".pdf": {"Subject": text, "CreationDate": None, "Creator": None, "Producer": None},
    }[path.suffix]
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it remarks on dates inside of fonts
    with matplotlib.style.context(_SHEET), matplotlib.rc_context({"svg.hashsalt": "bflo_viz"}):
        picture.savefig(path, metadata=metadata)
