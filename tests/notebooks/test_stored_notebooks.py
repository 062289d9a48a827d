"""What nbval cannot see: that notebooks are stored executed, small, and free of what differs between machines."""

import ast
import copy

import nbformat
import pytest
from running import NOTEBOOKS

from bflo_viz.lessons import minutes
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


def test_its_time_is_what_its_words_cells_and_exercises_take(notebook):
    """Within a fifth, or five minutes: nobody was timed. `python tools/lesson_minutes.py --write` states it anew."""
    estimate = minutes.estimated(notebook)
    assert abs(minutes.stated(notebook) - estimate) <= max(5, 0.2 * estimate)


def test_tables_of_lessons_say_the_same_times():
    """Notebook 00 lists the others, and the README all of them."""
    lessons = {path.name[:2]: nbformat.read(path, as_version=4) for path in NOTEBOOKS}
    stated = {number: minutes.stated(lesson) for number, lesson in lessons.items()}
    first = minutes.table_rows("\n".join(cell.source for cell in lessons["00"].cells))
    readme = minutes.table_rows((NOTEBOOKS[0].parents[1] / "README.md").read_text("utf-8"))
    assert first == {number: time for number, time in stated.items() if number != "00"} and readme == stated


def test_minutes_are_counted():
    """Words of text, a minute for each cell, and the exercise by its kind; its own words are in that."""
    cells = [
        nbformat.v4.new_markdown_cell("word " * 1800, id="text-0"),
        nbformat.v4.new_code_cell("1", id="code-1"),
        nbformat.v4.new_markdown_cell("word " * 900, id="exercise-02-1-asks"),
        nbformat.v4.new_code_cell("...", id="exercise-02-1"),
    ]
    lesson = nbformat.v4.new_notebook(cells=cells)
    assert minutes.estimated(lesson) == 15  # 10 + 1 + 6 are 17
    lesson.cells += [nbformat.v4.new_code_cell("1")] * 1
    assert minutes.estimated(lesson) == 20
