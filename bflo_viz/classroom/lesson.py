"""The lessons: what the notebooks of the course say, ready to be shown elsewhere."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat.converter
import nbformat.reader

from bflo_viz._places import course_folder
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import unfolded

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook, with the words of the notebook format.

    Its ``id`` is unique in the notebook, ``kind`` is ``"markdown"``, ``"code"`` or ``"raw"``, ``folder`` is where the
    notebook is, and ``place`` says for a person where the cell is.
    """

    id: str
    kind: str
    source: str = ""
    outputs: Sequence[dict[str, Any]] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    attachments: dict[str, Any] = field(default_factory=dict)
    language: str = "python"
    folder: Path = Path()
    place: str = ""

    @property
    def slide(self) -> str:
        """Its part in a slide show: ``"slide"``, ``"subslide"``, ``"fragment"``, ``"notes"``, ``"skip"`` or none."""
        return str(self.metadata.get("slideshow", {}).get("slide_type", ""))

    @property
    def exercise(self) -> str:
        """Number of the exercise whose stub this is, such as ``"02.1"``; or none."""
        number = self.id.removeprefix("exercise-").replace("-", ".")
        return number if self.kind == "code" and number != self.id and number in BOOK else ""

    @property
    def source_hidden(self) -> bool:
        """Whether JupyterLab shows its code only when asked."""
        noted = self.metadata.get("jupyter", {})
        return isinstance(noted, dict) and noted.get("source_hidden") is True

    @property
    def answers(self) -> tuple[str, ...]:
        """Numbers of the bets that this cell gives away, such as ``("02.2",)``."""
        noted = self.metadata.get("bflo", {})
        found = noted.get("answers", ()) if isinstance(noted, dict) else ()
        return tuple(number for number in found if isinstance(number, str)) if isinstance(found, list) else ()


@dataclass(frozen=True)
class Lesson:
    """One notebook: ``number`` such as ``"02"``, ``slug`` such as ``"02_one_dimension"``, ``title`` and ``cells``."""

    number: str
    slug: str
    title: str
    cells: tuple[Cell, ...]


def lessons(numbers: Sequence[str] = ()) -> list[Lesson]:
    """Read the lessons with these numbers, or all."""
    paths: dict[str, Path] = {}
    for path in sorted((course_folder() / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        if path.name[:2] in paths:
            raise ValueError(f"'{paths[path.name[:2]]}' and '{path}' have the same number: rename one of them.")
        paths[path.name[:2]] = path
    for number in numbers:
        if number not in paths:
            raise ValueError(f"there is no lesson {number!r}; there are {', '.join(paths)}.")
    return [_read(paths[number]) for number in numbers or paths]


def _read(path: Path) -> Lesson:
    """Read one notebook, of any version of its format."""
    try:
        notebook = nbformat.converter.convert(nbformat.reader.reads(path.read_text(encoding="utf-8")), 4)
        cells = tuple(_cells(notebook, path))
    except Exception as problem:  # a file can be wrong in any way
        reason = " ".join(str(problem).split())[:120]
        raise ValueError(f"'{path}' cannot be read as a notebook ({reason}): save it anew in Jupyter.") from None
    first = cells[0].source.strip().partition("\n")[0] if cells and cells[0].kind == "markdown" else ""
    title = first.removeprefix("# ") if first.startswith("# ") else path.stem[3:].replace("_", " ")
    return Lesson(path.name[:2], path.stem, title, cells)


def _cells(notebook: Any, path: Path) -> Iterator[Cell]:
    about = notebook.get("metadata", {})
    language = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language") or "python"
    ids: set[str] = set()
    for number, cell in enumerate(notebook["cells"], 1):
        cell_id = cell.get("id", "")
        if not _ID.fullmatch(cell_id) or cell_id in ids:  # notebooks of before 2020 have none
            cell_id = f"cell-{number}"
        ids.add(cell_id)
        parts = {part: cell[part] for part in ("source", "outputs", "metadata", "attachments") if part in cell}
        if "source" in parts:
            parts["source"] = unfolded(parts["source"])
        parts["outputs"] = [_unfolded(output) for output in parts.get("outputs", ())]
        place = f"{path.name}, cell {number}"
        yield Cell(cell_id, cell["cell_type"], **parts, language=language, folder=path.parent, place=place)


def _unfolded(output: dict[str, Any]) -> dict[str, Any]:
    """An output without the line that JupyterLab shows of it while it is folded."""
    if isinstance(output.get("text"), str):
        return {**output, "text": unfolded(output["text"])}
    words = output.get("data", {}).get("text/plain")
    return {**output, "data": {**output["data"], "text/plain": unfolded(words)}} if isinstance(words, str) else output
