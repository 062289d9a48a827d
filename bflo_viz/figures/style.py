"""The look of all figures: two style sheets, alt text, and files that come out the same each time."""

import logging
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from PIL import Image

from bflo_viz import _checks as check

STYLES = ("paper", "slides")
_SHEETS = Path(__file__).parent


@contextmanager
def look(style: str = "paper") -> Iterator[None]:
    """Draw in the style of the house: ``"paper"`` for print and screen, ``"slides"`` for the back row.

    Everything that is drawn inside keeps its look; matplotlib's own settings are as they were afterwards.
    """
    sheets = [_SHEETS / "bflo_viz.mplstyle"]
    if check.choice("style", style, STYLES) == "slides":
        sheets.append(_SHEETS / "slides.mplstyle")
    with matplotlib.rc_context():
        for sheet in sheets:
            matplotlib.rcParams.update(matplotlib.rc_params_from_file(sheet, use_default_template=False))
        yield


class _Shown(Figure):
    """A figure that a notebook shows as the last line of a cell, with its alt text for who cannot see it."""

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        words = alt_text(self)
        return {"image/png": png(self), "text/plain": f"Figure. {words}"}, {"image/png": {"alt": words}}


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """A figure of so many inches that no window and no global state knows of."""
    return _Shown(figsize=(width, height), **{"layout": "constrained", **options})


def png(figure: Figure, dpi: int = 80) -> str:
    """A picture small enough to be stored in a notebook, as base64: 192 colours are plenty for lines and maps."""
    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=dpi, pil_kwargs={"compress_level": 1})
    Image.open(raw).convert("RGB").quantize(192, method=Image.Quantize.FASTOCTREE).save(small, "png")
    return b64encode(small.getvalue()).decode()


def set_alt_text(figure: Figure, text: str) -> None:
    """Say in words what is to be seen; it goes into every file that the figure is saved to."""
    figure.alt_text = " ".join(text.split())  # type: ignore[attr-defined]


def alt_text(figure: Figure) -> str:
    """What is to be seen in a figure, in words."""
    return str(getattr(figure, "alt_text", ""))


def save(figure: Figure, path: Path) -> None:
    """Save with the alt text inside, and with nothing in it that changes from run to run."""
    text = alt_text(figure)
    metadata: dict[str, Any] = {
        ".png": {"Description": text, "Software": None},
        ".svg": {"Description": text, "Date": None, "Creator": None},
        ".pdf": {
            "Title": figure.get_suptitle() or None,
            "Subject": text,
            "CreationDate": None,
            "Creator": None,
            "Producer": None,
        },
    }[path.suffix]
    logging.getLogger("fontTools").setLevel(logging.ERROR)  # it remarks on dates inside of fonts
    with matplotlib.rc_context({"svg.hashsalt": "bflo_viz"}):
        figure.savefig(path, metadata=metadata)
