"""What nbval cannot see: that notebooks are stored executed, small, and free of what differs between machines."""

import ast
import copy

import nbformat
import pytest
from running import NOTEBOOKS

from bflo_viz.lessons.instructor import fill


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    """Each notebook of the course."""
    return nbformat.read(request.param, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def imports(cell):
    """The import statements of a cell."""
    return [node for node in ast.parse(cell.source).body if isinstance(node, (ast.Import, ast.ImportFrom))]


def test_it_is_stored_executed_from_top_to_bottom(notebook):
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)


def test_it_has_a_valid_format_and_no_widget_state(notebook):
    """Code-hosting pages refuse notebooks with incomplete widget state; a view without its kernel shows nothing."""
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec"}
    assert "widget-view" not in str([cell.outputs for cell in code_cells(notebook)])


def test_it_is_small(notebook):
    """Below a megabyte, pictures below 200 kB; seven imports, cells of at most 15 lines beside them."""
    assert len(nbformat.writes(notebook).encode()) < 1_000_000
    assert sum(len(imports(cell)) for cell in code_cells(notebook)) <= 7
    for cell in code_cells(notebook):
        lines = len(cell.source.splitlines())
        assert lines - sum(node.end_lineno - node.lineno + 1 for node in imports(cell)) <= 15
        for output in cell.outputs:
            assert len(output.get("data", {}).get("image/png", "")) * 3 / 4 < 200_000


def test_no_helper_is_long(notebook):
    """What is longer than five lines belongs in the package (an exercise's own function apart)."""
    for cell in code_cells(notebook):
        for part in ast.walk(ast.parse(cell.source)):
            if isinstance(part, ast.FunctionDef) and not cell.id.startswith("exercise-"):
                assert part.end_lineno - part.lineno + 1 <= 5 + bool(ast.get_docstring(part))


def test_exercises_are_those_of_the_book(notebook):
    """Headings and stubs, so that they cannot drift; an instructor gets every solution, and why it is right."""
    filled = fill(copy.deepcopy(notebook), solved=False)
    assert [cell.source for cell in filled.cells] == [cell.source for cell in notebook.cells]
    sources = {cell.id: cell.source for cell in fill(copy.deepcopy(notebook), solved=True).cells}
    for cell in code_cells(notebook):
        if cell.id.startswith("exercise-"):
            assert sources[cell.id] != cell.source
            assert sources[f"{cell.id}-why"].startswith("**Why.** ")
