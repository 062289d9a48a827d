"""The instructor's version of a notebook: solutions in place of stubs, why they are right, and notes for a class."""

import functools
import re
from pathlib import Path
from typing import Any

from bflo_viz.lessons import check  # noqa: F401  (fills the book)
from bflo_viz.lessons.exercise import BOOK, Exercise

_NOTES = Path(__file__).parent / "solutions"  # a student's copy of the course does not have this folder
_PART = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def fill(notebook: Any, *, solved: bool) -> Any:
    """Write the cells of the exercises: stubs for students; for instructors the solutions, why, and notes."""
    notes = remarks(notebook.cells[0].source.partition("\n")[0]) if solved else {}
    cells = []
    for cell in notebook.cells:
        name = cell.get("id", "")
        if name.endswith(("-why", "-notes")):
            continue  # this was an instructor's version: they are written anew
        cells.append(cell)
        if name.startswith("exercise-"):
            exercise = BOOK.find(name.removeprefix("exercise-").removesuffix("-asks").replace("-", "."))
            if cell.cell_type == "markdown":
                cell.source = exercise.heading
            else:
                cell.source = exercise.solution if solved else exercise.stub
                cells += [_note(cell, f"{name}-why", explained(exercise))] if solved else []
        if name in notes:
            cells.append(_note(cell, f"{name}-notes", f"**For the instructor.** {notes[name]}"))
    notebook.cells = cells
    return notebook


def explained(exercise: Exercise) -> str:
    """Why the solution is right, and what students can ask for, in Markdown."""
    words = "\n".join(f"- {hint}" for hint in exercise.hints)
    return f"**Why.** {exercise.why}\n\n**Hints that students can ask for**\n\n{words}"


@functools.cache
def remarks(heading: str) -> dict[str, str]:
    """Notes for the class on the lesson with this heading, in Markdown, each by the cell that it follows."""
    for path in sorted(_NOTES.glob("*.md")):
        title, _, text = path.read_text(encoding="utf-8").partition("\n")
        if title == heading:
            return {name: words.strip() for name, words in _PART.findall(text)}
    return {}


def _note(beside: Any, name: str, text: str) -> Any:
    """A cell of the same make as the one beside it, which slides show to the speaker alone."""
    node = type(beside)
    return node(cell_type="markdown", id=name, metadata=node(slideshow=node(slide_type="notes")), source=text)
