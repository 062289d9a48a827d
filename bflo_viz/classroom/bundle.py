"""The course as one ZIP file to hand out: for students without the solutions, for instructors with them."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat

from bflo_viz import __version__
from bflo_viz._places import course_folder, write_whole
from bflo_viz.classroom.pages import template
from bflo_viz.lessons.exercise import Exercise
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import fill

_FOLDER = "bflo_viz-course"
_ABOUT = "ABOUT_THIS_COPY.md"
_FILES = (
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "bflo_viz/**/*"),
    *("constraints.txt", "environment.yml", "notebooks/[0-9][0-9]_*.ipynb", "pyproject.toml", "results/*.*"),
    # One by one: an instructor may keep other papers there.
    *("docs/INSTRUCTORS.md", "docs/EXPERIMENTS.md", "docs/EXTENDING.md", "docs/ARCHITECTURE.md", "docs/SPEED.md"),
    *("docs/PLACES.md", "docs/PROJECTS.md", "docs/RELATED.md", "examples/*.py"),
    *("docs/dynamics.gif", "docs/flow_types.png", "docs/handout.pdf"),
    *("docs/regime_explorer.png", "tools/environment.sh", "tools/backend.py", "THIRD_PARTY.md"),
)
_NOT_FOR_STUDENTS = ("bflo_viz/lessons/solutions/", "docs/INSTRUCTORS.md")
_LEFT_BEHIND = re.compile(r"(^|/)(\.|__pycache__)|\.sqlite")  # by programs
_DIFFERENCE = {
    False: "The exercises are stubs and there are no solutions; checks and hints work.",
    True: "The notebooks have the solutions, with reasons and hints; the cells with solutions have not been run.",
}


def write(path: Path, *, solved: bool, tell: Callable[[str], None]) -> None:
    """Write a bundle, whole or not at all; of the files that are there, only another bundle is replaced."""
    if solved and not any(exercise.solution for exercise in BOOK.values()):
        raise ValueError("this copy of the course has no solutions: make the instructor's bundle from a full one.")
    about = template(_ABOUT).render(version=__version__, solved=solved, difference=_DIFFERENCE[solved])
    files = {_ABOUT: about.encode()} | _files(course_folder(), solved=solved)
    if path.exists() and not (zipfile.is_zipfile(path) and zipfile.Path(path, f"{_FOLDER}/{_ABOUT}").exists()):
        raise ValueError(f"{path} exists and is no bundle: name another file, or remove it first.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as bundle:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{_FOLDER}/{name}")  # of 1980: the same course gives the same bytes
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            bundle.writestr(entry, content, zipfile.ZIP_DEFLATED)
    try:
        write_whole(path, packed.getvalue())
    except OSError as problem:
        reason = problem.strerror or problem
        raise ValueError(f"{path} could not be written ({reason}): name a file in a folder that exists.") from None
    tell(f"{path}: {len(files)} files, {path.stat().st_size / 2**20:.1f} MB. {_DIFFERENCE[solved]}")


def _files(root: Path, *, solved: bool) -> dict[str, bytes]:
    """What goes into the bundle, by name."""
    files = {}
    for path in (path for pattern in _FILES for path in _matching(root, pattern)):
        name, content = path.relative_to(root).as_posix(), path.read_bytes()
        if not solved and name.startswith(_NOT_FOR_STUDENTS):
            continue
        text = content.decode(errors="ignore")
        if path.suffix == ".ipynb":
            content = (nbformat.writes(_filled(nbformat.reads(text, as_version=4), solved=solved)) + "\n").encode()
            text = "\n".join(_strings(json.loads(content)))
        if not solved:
            _refuse_answers(name, text)
        files[name] = content
    return files


def _matching(root: Path, pattern: str) -> Iterator[Path]:
    """Files of a pattern, without what programs leave behind."""
    paths = sorted(path for path in root.glob(pattern) if path.is_file())
    if not paths:
        raise ValueError(f"{root} is no whole copy of the course, {pattern} is missing: make the bundle from one.")
    for path in paths:
        if _LEFT_BEHIND.search(path.relative_to(root).as_posix()):
            continue
        if path.resolve() != root.resolve() / path.relative_to(root):
            raise ValueError(f"'{path}' is a link to another file: remove it, or put the file itself there.")
        yield path


def _filled(notebook: Any, *, solved: bool) -> Any:
    """The notebook with its exercises written anew; what another answer had left below such a cell is dropped."""
    before = {cell.get("id"): cell.source for cell in notebook.cells}
    notebook = fill(notebook, solved=solved)
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.source != before.get(cell.get("id")):
            cell.outputs, cell.execution_count = [], None
    return notebook


def _refuse_answers(name: str, text: str) -> None:
    """Stop if a file tells a solution: a cell that someone added, perhaps, or a printed solution."""
    text = _one_line(text)
    for exercise in BOOK.values():
        if any(words in text for words in _answer(exercise)):
            raise ValueError(f"{name} has the solution of exercise {exercise.number} in it: remove it and try again.")


def _answer(exercise: Exercise) -> Iterator[str]:
    """Lines of the solution that are not in the stub, and the sentences that say why.

    Of what is built from an empty cell, single lines are formulas of the course: two in a row tell.
    """
    lines = () if exercise.kind == "explain" else exercise.solution.splitlines()  # a check shows its model answer
    stub = {_one_line(line) for line in exercise.stub.splitlines()}
    own = []
    for line in lines:
        code = _one_line(line.partition("  #")[0])
        value = code.partition(" = ")[2]
        given = value.endswith(")") and value in exercise.prompt  # a call that the question shows
        if _one_line(line) not in stub and not given:
            own.append(code)
    yield from (" ".join(pair) for pair in pairwise(own)) if exercise.kind == "build" else own
    yield from re.split(r"(?<=[.?]) (?=[A-Z$`])", _one_line(exercise.why)) if exercise.why else ()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _strings(value: Any) -> Iterator[str]:
    """Every text in a notebook."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)
