"""What nbval cannot see: notebooks are stored executed, small and readable, and their claims hold for other seeds."""

import ast
import re

import nbformat
import pytest
from running import NOTEBOOKS, assert_claims, cells_of, claims_of, namespace_of, shifted

each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
BARE = (r"```.*?```", r"\$\$.*?\$\$", r"\$[^$]+\$", r"<[^>]+>", r"`[^`]*`", r"(?m)^(\||#+ |> )[^\n]*$")


def prose(path):
    """Return the prose of a notebook: no formulas, tables, headings, quotations or code."""
    text = "\n\n".join(cell.source for cell in cells_of(path, "markdown"))
    for pattern in BARE:
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


@each
def test_it_is_stored_executed_and_holds_nothing_of_one_machine(path):
    """Code-hosting pages refuse notebooks with widget state; a view without its kernel shows nothing."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = cells_of(path, "code")
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    assert set(notebook.metadata) == {"kernelspec"}
    assert "widget-view" not in str([cell.outputs for cell in cells]) and "✗" not in str([c.outputs for c in cells])


@each
def test_it_is_small(path):
    """A lesson has at most 40 cells; a cell at most 12 lines, imports apart; a picture at most 200 kB."""
    assert path.stat().st_size < 1_000_000
    assert path.stem[:2] == "09" or len(nbformat.read(path, as_version=4).cells) <= 40
    for cell in cells_of(path, "code"):
        imports = [one for one in ast.parse(cell.source).body if isinstance(one, ast.Import | ast.ImportFrom)]
        lines = len([line for line in cell.source.splitlines() if line.strip()])
        assert lines - sum(one.end_lineno - one.lineno + 1 for one in imports) <= 12
        assert all(len(output.get("data", {}).get("image/png", "")) < 270_000 for output in cell.outputs)


@each
def test_it_reads_in_whole_sentences(path):
    """Sections open with a question; sentences have 14 to 20 words on average, and a quarter at most is short."""
    text = prose(path)
    lengths = [len(one.split()) for one in re.split(r"(?<=[.?:])\s+|\n\n", text) if len(one.split()) > 1]
    assert 14 <= sum(lengths) / len(lengths) <= 20
    assert sum(length <= 8 for length in lengths) / len(lengths) <= 0.25
    assert "!" not in text
    headings = re.findall(r"^## (\d+ · .*)$", "\n".join(c.source for c in cells_of(path, "markdown")), re.MULTILINE)
    assert headings and all(one.endswith("?") for one in headings)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [1000, 2000, 3000])
@each
def test_its_claims_hold_for_other_seeds(path, shift, monkeypatch):
    monkeypatch.chdir(path.parent)
    assert_claims(path, namespace_of(path, shift))


@each
def test_a_lesson_has_claims_and_they_can_fail(path):
    """Without the variables that a notebook leaves behind, no claim holds."""
    assert claims_of(path).read_text("utf-8").count("assert ") >= 3
    with pytest.raises((NameError, AssertionError)):
        assert_claims(path, {})


def test_seeds_are_really_moved():
    assert shifted("rng = np.random.default_rng(7); E(seed=0, rounds=2)", 1000) == (
        "rng = np.random.default_rng(1007); E(seed=1000, rounds=2)"
    )
