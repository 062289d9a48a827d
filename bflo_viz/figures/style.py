"""The look of all figures: two style sheets, alt text, and files that come out the same each time."""

import functools
import inspect
import logging
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz import _checks as check
from bflo_viz.scenes.base import Scene

STYLES = ("paper", "slides")
DPI = 80  # of a picture that a notebook stores
SCALE = {"paper": 1.0, "slides": 15 / 9}  # as their letters are
_SHEETS = Path(__file__).parent


@contextmanager
def look(style: str = "paper") -> Iterator[None]:
    """Draw in the style of the house: ``"paper"`` for print and screen, ``"slides"`` for the back row.

    Everything that is drawn inside keeps its look; matplotlib's own settings are as they were afterwards.
    """
    names = ("bflo_viz", "slides") if check.choice("style", style, STYLES) == "slides" else ("bflo_viz",)
    with matplotlib.style.context([_SHEETS / f"{name}.mplstyle" for name in names]):
        yield


class _Shown(Figure):
    """A figure that a notebook shows as the last line of a cell, with alt text for readers who cannot see it."""

    sharpness = 1  # pixels of the picture for each pixel of the width at which it is shown

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        words, look = alt_text(self), {}
        if self.sharpness > 1:  # else the picture is shown as large as it is
            look = dict(
                zip(("width", "height"), (round(DPI * inches) for inches in self.get_size_inches()), strict=True)
            )
        picture = png(self, DPI * self.sharpness)
        return {"image/png": picture, "text/plain": f"Figure. {words}"}, {"image/png": {"alt": words, **look}}


def draws(compute: Callable[..., Scene]) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Make ``draw_x`` of a function that draws a scene: it takes a scene ``x``, or what ``x`` itself takes.

    What it draws has the look of the house, and the scene's words as its alt text; ``figure.scene`` is the scene.
    """

    def decorate(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        _, *own = inspect.signature(draw).parameters

        @functools.wraps(draw)
        def draw_scene(*given: Any, **named: Any) -> Figure:
            options = {name: named.pop(name) for name in own if name in named}
            if not (given and isinstance(given[0], Scene)):
                scene = compute(*given, **named)
            elif len(given) == 1 and not named:
                scene = given[0]
            else:
                name = getattr(draw, "__name__", "it")
                raise ValueError(f"{name} must be given a scene or the settings of one, but it was given both.")
            with look(options.get("style", "paper")):
                figure = draw(scene, **options)
            set_alt_text(figure, scene.words())
            figure.scene = scene  # type: ignore[attr-defined]
            return figure

        return draw_scene

    return decorate


def new_panels(
    shape: tuple[int, int], size: tuple[float, float], style: str, *, layout: str = "constrained", **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of rows and columns of axes, larger for slides as the text is, and its axes row by row."""
    figure = new_figure(*(SCALE[style] * inches for inches in size), layout=layout)
    return figure, list(np.ravel(figure.subplots(*shape, **options)))


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """A figure of this size in inches, outside of pyplot's windows and global state."""
    return _Shown(figsize=(width, height), **{"layout": "constrained", **options})


def png(figure: Figure, dpi: int = DPI) -> str:
    """A picture small enough to be stored in a notebook, as base64: 192 colours are plenty for lines and maps."""
    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=dpi, pil_kwargs={"compress_level": 1})
    Image.open(raw).convert("RGB").quantize(192, method=Image.Quantize.FASTOCTREE).save(small, "png")
    return b64encode(small.getvalue()).decode()


def set_alt_text(figure: Figure, text: str) -> None:
    """Describe a figure in words, which go into every file that it is saved to."""
    figure.alt_text = " ".join(text.split())  # type: ignore[attr-defined]


def alt_text(figure: Figure) -> str:
    """The words that describe a figure."""
    return str(getattr(figure, "alt_text", ""))


def save(figure: Figure, path: Path) -> None:
    """Save with the alt text inside, and with nothing in it that changes from run to run."""
    text = alt_text(figure)
    title = figure.get_suptitle() or None
    metadata: dict[str, Any] = {
        ".png": {"Description": text, "Software": None},
        ".svg": {"Description": text, "Date": None, "Creator": None},
        ".pdf": {"Title": title, "Subject": text, "CreationDate": None, "Creator": None, "Producer": None},
    }[path.suffix]
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it remarks on dates inside of fonts
    with matplotlib.rc_context({"svg.hashsalt": "bflo_viz"}):
        figure.savefig(path, metadata=metadata)
