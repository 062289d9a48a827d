"""Nothing that can be seen before a bet is answered gives it away: in the notebooks.

`gives_away` of a bet's solution has patterns of what tells its answer. Each must be found in a cell that is folded
for this bet, so that a pattern cannot go stale, and nowhere else in the lesson but in its closing words.
"""

import re

import nbformat
import pytest
from running import NOTEBOOKS

from bflo_viz.explorers.base import MIME
from bflo_viz.lessons.exercises import BOOK

BETS = [exercise for exercise in BOOK.values() if exercise.options]
FILES = {path.name[:2]: path for path in NOTEBOOKS}
CLOSING = "## What to take along"
WITH_BETS = [number for number in FILES if any(bet.number.startswith(number) for bet in BETS)]


def read(number):
    return nbformat.read(FILES[number], as_version=4).cells


def words_of(cell):
    """All that can be read of a cell: its text or its code, and what is stored of its outputs."""
    parts = [cell.source]
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        parts += [output.get("text", ""), *(str(data[form]) for form in data if form.startswith("text/"))]
        parts += [about.get("alt", "") for about in output.get("metadata", {}).values() if isinstance(about, dict)]
    return "\n".join(parts)


def folded_for(cell):
    return cell.metadata.get("bflo", {}).get("answers", [])


def visible(cell):
    """What a fresh JupyterLab shows of a cell."""
    hidden = cell.metadata.get("jupyter", {})
    if cell.cell_type == "markdown" and hidden.get("source_hidden"):
        return cell.source.partition("\n")[0]  # which JupyterLab shows of what is folded
    if cell.cell_type == "code" and hidden.get("outputs_hidden"):
        lines = [line for line in words_of(nbformat.from_dict({**cell, "source": ""})).splitlines() if line]
        return f"{cell.source}\n{lines[0]}"
    return words_of(cell)


@pytest.mark.parametrize("bet", BETS, ids=lambda bet: bet.number)
def test_what_tells_is_folded(bet):
    """In the lesson of the bet from beginning to end; and in the first lesson, which comes before all bets."""
    assert len(bet.gives_away) >= 2
    cells = read(bet.number[:2])
    folded = "\n".join(words_of(cell) for cell in cells if bet.number in folded_for(cell))
    seen = {cell.id: visible(cell) for cell in cells if not cell.source.startswith(CLOSING)}
    seen |= {f"00 {cell.id}": visible(cell) for cell in read("00")}
    for pattern in bet.gives_away:
        assert re.search(pattern, folded), f"{pattern} is stale"
        assert not [name for name, words in seen.items() if re.search(pattern, words)], pattern


def test_the_first_map_covers_the_bet():
    """A picture tells, too: the explorer of the first lesson hides what 02.2 asks for."""
    shown = [output.get("data", {}) for cell in read("00") for output in cell.get("outputs", [])]
    assert [data[MIME]["state"]["covered"] for data in shown if MIME in data] == [True]


@pytest.mark.parametrize("number", WITH_BETS)
def test_folds_follow_their_bets(number):
    """What is noted in the metadata is what JupyterLab folds; it comes after the bet, and hides no heading."""
    above = set()
    for cell in read(number):
        above.add(cell.id.removeprefix("exercise-").replace("-", "."))
        part = "source_hidden" if cell.cell_type == "markdown" else "outputs_hidden"
        assert bool(folded_for(cell)) == cell.metadata.get("jupyter", {}).get(part, False), cell.id
        assert set(folded_for(cell)) <= above, cell.id
        if folded_for(cell):
            assert not re.search(r"^#+ ", cell.source, re.MULTILINE) or cell.cell_type == "code", cell.id
            assert cell.cell_type == "markdown" or cell.outputs, cell.id
