"""The lessons: what the notebooks of the course say, ready to be shown elsewhere."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bflo_viz.classroom.places import course


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook.

    Attributes
    ----------
    id
        Its name, once in a notebook.
    kind
        ``"markdown"`` or ``"code"``.
    source, outputs
        Its text; and what running it left, as dictionaries of the notebook format with every text in one piece.
    metadata
        What else the notebook says of it.
    """

    id: str
    kind: str
    source: str
    outputs: tuple[dict[str, Any], ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(self.metadata.get("tags", ()))

    @property
    def slide(self) -> str:
        """Its part in a slide show: ``"slide"``, ``"subslide"``, ``"fragment"``, ``"notes"``, ``"skip"`` or none."""
        return str(self.metadata.get("slideshow", {}).get("slide_type", ""))

    @property
    def exercise(self) -> str:
        """Number of the exercise whose stub this is, such as ``"02.1"``; or none."""
        if self.kind != "code" or not self.id.startswith("exercise-"):
            return ""
        return self.id.removeprefix("exercise-").replace("-", ".")


@dataclass(frozen=True)
class Lesson:
    """One notebook: ``number`` such as ``"02"``, ``slug`` such as ``"02_one_dimension"``, ``title`` and ``cells``."""

    number: str
    slug: str
    title: str
    cells: tuple[Cell, ...]


def lessons(numbers: Sequence[str] = ()) -> list[Lesson]:
    """Read the lessons with these numbers, or all."""
    paths = {path.name[:2]: path for path in sorted((course() / "notebooks").glob("[0-9][0-9]_*.ipynb"))}
    for number in numbers:
        if number not in paths:
            raise ValueError(f"there is no lesson {number!r}; there are {', '.join(paths)}.")
    return [read(paths[number]) for number in numbers or paths]


def read(path: Path) -> Lesson:
    """Read one notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = tuple(_cell(cell) for cell in notebook["cells"])
    title = cells[0].source.splitlines()[0].removeprefix("# ")
    return Lesson(path.name[:2], path.stem, title, cells)


def _cell(cell: dict[str, Any]) -> Cell:
    outputs = tuple(_joined(output) for output in cell.get("outputs", ()))
    return Cell(cell["id"], cell["cell_type"], "".join(cell["source"]), outputs, cell["metadata"])


def _joined(output: dict[str, Any]) -> dict[str, Any]:
    """An output whose texts are not cut into lines."""

    def join(value: Any) -> Any:
        return "".join(value) if isinstance(value, list) else value

    parts = {name: join(value) for name, value in output.items()}
    if "data" in parts:
        parts["data"] = {kind: join(value) for kind, value in parts["data"].items()}
    return parts
