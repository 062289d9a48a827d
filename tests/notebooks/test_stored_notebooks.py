"""What nbval cannot see: that notebooks are stored executed, small, and free of what differs between machines."""

import ast
import copy
import sys
from pathlib import Path

import nbformat
import pytest
from running import NOTEBOOKS

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from execute_notebooks import fill


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    """Each notebook of the course."""
    return nbformat.read(request.param, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_is_a_course():
    """The course starts at 00."""
    assert NOTEBOOKS[0].stem == "00_start_here"


def test_it_is_stored_executed_from_top_to_bottom(notebook):
    """nbval passes over cells that were never run: none is."""
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)


def test_it_has_a_valid_format_and_no_widget_state(notebook):
    """Code-hosting pages refuse notebooks with incomplete widget state; a view without its kernel shows nothing."""
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec"}
    assert "widget-view" not in str([cell.outputs for cell in code_cells(notebook)])


def test_pictures_and_cells_are_small(notebook):
    """Pictures below 150 kB, cells of at most 15 lines beside their imports."""
    for cell in code_cells(notebook):
        lines = len(cell.source.splitlines())
        assert lines - sum(node.end_lineno - node.lineno + 1 for node in imports(cell)) <= 15
        for output in cell.outputs:
            assert len(output.get("data", {}).get("image/png", "")) * 3 / 4 < 150_000


def test_six_imports_are_enough(notebook):
    """One a package: what a lesson needs is to be had from the top of it."""
    assert sum(len(imports(cell)) for cell in code_cells(notebook)) <= 6


def imports(cell):
    """The import statements of a cell."""
    return [node for node in ast.parse(cell.source).body if isinstance(node, (ast.Import, ast.ImportFrom))]


def test_no_helper_is_long(notebook):
    """What is longer than five lines belongs in the package (an exercise's own function apart)."""
    for cell in code_cells(notebook):
        for part in ast.walk(ast.parse(cell.source)):
            if isinstance(part, ast.FunctionDef) and not cell.id.startswith("exercise-"):
                assert part.end_lineno - part.lineno + 1 <= 5 + bool(ast.get_docstring(part))


def test_exercises_are_those_of_the_book(notebook):
    """Headings and stubs; so the notebooks cannot drift from their solutions."""
    filled = fill(copy.deepcopy(notebook), solved=False)
    assert [cell.source for cell in filled.cells] == [cell.source for cell in notebook.cells]


def test_the_instructors_version_has_every_solution(notebook):
    """And says why, and which hints there are."""
    asked = [cell for cell in code_cells(notebook) if cell.id.startswith("exercise-")]
    solved = fill(copy.deepcopy(notebook), solved=True)
    sources = {cell.id: cell.source for cell in solved.cells}
    for cell in asked:
        assert sources[cell.id] != cell.source
        assert sources[f"{cell.id}-why"].startswith("**Why.** ")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_below_a_megabyte(path):
    """Outputs included."""
    assert path.stat().st_size < 1_000_000
