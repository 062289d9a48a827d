"""The instructors' guide says what lessons, explorers and the package say."""

import re
from itertools import pairwise
from pathlib import Path

import nbformat
import numpy as np
import pytest
from running import NOTEBOOKS

import bflo_viz
from bflo_viz import DiagonalBelief, RegimeExplorer, pseudo_observation, stretch
from bflo_viz.lessons.exercise import Bet, Exercise, load_exercises

TEXT = (Path(__file__).parents[2] / "docs" / "INSTRUCTORS.md").read_text("utf-8")
SHOWN = re.findall(r'^\| "[^|]*" \| `([^`]*Explorer\([^`]*\))` \| (.*) \|$', TEXT, re.MULTILINE)
NOTES = dict(re.findall(r"^### Lesson (\d) · [^\n]*\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize(("setting", "see"), SHOWN)
def test_an_explorer_has_the_numbers_that_the_guide_quotes(setting, see):
    """Each `code` = number of a row, where the code sees the explorer's own names."""
    explorer = eval(setting, {name: getattr(bflo_viz, name) for name in bflo_viz.__all__})
    names = {name: getattr(explorer, name, None) for name in ("posterior", "belief", "price", "scene")}
    quoted = re.findall(r"`([^`]+)` = (−?\d+)((?:\.\d+)?)", see)
    assert quoted
    for code, whole, part in quoted:
        assert f"{eval(code, names):.{max(0, len(part) - 1)}f}".replace("-", "−") == whole + part, code


def test_other_numbers_of_the_guide():
    turning = bflo_viz.OnlineExplorer(drift=20, flip=0.2, seed=4, eta=0.1, round=2000)
    assert f"without *cannot widen* it makes {turning.scene.error('full', 2000):.0f} %" in TEXT
    assert SHOWN and len(SHOWN) == TEXT.count('\n| "')
    assert "least is 1.44 |" in TEXT and "cost 1.443" in TEXT
    assert abs(RegimeExplorer(delta=1, delta_new=-1).price - 1.443) < 5e-4 and stretch(1.0, -1.0) == 0.5


def test_the_notes_quote_the_lessons():
    """Every number with a decimal point stands in the notebook, in its text or in an output."""
    for path in NOTEBOOKS:
        quoted = re.findall(
            r"\d+\.\d+", re.sub(r"[Ee]xercises? [\d., and]+", "", NOTES.get(str(int(path.stem[:2])), ""))
        )
        cells = nbformat.read(path, as_version=4).cells
        said = " ".join(cell.source + str(cell.get("outputs", "")) for cell in cells)
        assert [number for number in quoted if number not in said] == [], path.stem


def test_bets_and_exercises_are_those_of_the_lessons():
    ours = load_exercises().values()
    bets = {one.number: one.right for one in ours if isinstance(one, Bet)}
    told = re.findall(r"\*\*Bet (\d\w)\*\*[^(]*\(Answer: \*([^*]+?)\*\.\)", TEXT)
    assert all(bets[number] == " ".join(answer.split()) for number, answer in told)
    assert {number for number, _ in told} == set(bets) and TEXT.count("(Answer: ") == len(told)
    named = re.findall(r"\b(\d\.\d)\b", " ".join(re.findall(r"[Ee]xercises? [\d., and]+", TEXT)))
    assert set(named) <= {one.number for one in ours if isinstance(one, Exercise)}


def test_plans_have_no_gaps():
    ends = []
    for plan in re.findall(r"\| minutes \| what \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT):
        spans = [tuple(map(int, span)) for span in re.findall(r"^\| (\d+)–(\d+) \|", plan, re.MULTILINE)]
        assert spans[0][0] == 0 and all(one[1] == two[0] for one, two in pairwise(spans))
        ends.append(spans[-1][1])
    assert ends == [50, 90]


def test_numbers_of_the_exam_are_right():
    """By the flow and by Bayes' rule, and not by the formulas that the answers use."""
    prior = DiagonalBelief([0.0], 1.0)
    after = prior.flow([2.0], [0.0])
    assert f"a = {after.std[0]:.3f}" in TEXT and f"0 - 2a = {after.mean[0]:.3f}" in TEXT
    after = prior.flow([1.0], [2.0])
    seen = pseudo_observation(prior, after)
    assert f"N({after.mean[0]:.3f}, {after.std[0]:.3f}^2)" in TEXT
    assert f"precision {-np.ravel(seen.precision)[0]:.3f} was removed" in TEXT
    assert f"= {np.ravel(seen.x)[0]:.2f}$" in TEXT
