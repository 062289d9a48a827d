"""Every figure that needs no data of the reader's, written into a folder."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path

from bflo_viz import _checks as check
from bflo_viz._checks import UserError
from bflo_viz.figures.style import FIGURES, save

FORMATS = ("png", "svg", "pdf")
MODULES = "three_ways weight_space one_weight pseudo_points tables ensemble"
for _module in MODULES.split():
    import_module(f"bflo_viz.figures.{_module}")  # which registers its figures


def write(folder: Path, names: Iterable[str] = (), *, formats: Sequence[str] = ("png",)) -> Iterable[Path]:
    """Write figures (all, if none is named) into a folder, and yield the path of each file."""
    chosen = [name.replace("-", "_") for name in names] or list(FIGURES)
    for name in chosen:
        if name not in FIGURES:
            raise UserError(f"there is no figure {name!r}: {check.did_you_mean(name, FIGURES)}")
    for kind in formats:
        if kind not in FORMATS:
            raise UserError(f"there is no format {kind!r}: it must be one of {', '.join(FORMATS)}.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            picture = FIGURES[name].draw()
            for kind in formats:
                save(picture, folder / f"{name}.{kind}")
                yield folder / f"{name}.{kind}"
    except OSError as problem:
        raise UserError(f"figures could not be written to {folder}: {problem.strerror or problem}.") from problem
