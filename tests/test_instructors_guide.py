"""The instructors' guide: its code prints what it says, and its answers and numbers are right."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from documents import examples

import bflo_viz
from bflo_viz.lessons import check
from bflo_viz.lessons.exercises import BOOK

GUIDE = Path(__file__).parents[1] / "docs" / "INSTRUCTORS.md"
TEXT = GUIDE.read_text(encoding="utf-8")
ASKED = re.findall(r"Ask \*\*(\d\d\.\d)\*\*.*?Answer: `([^`]+)`", TEXT, re.DOTALL)


@pytest.mark.parametrize(("code", "printed"), examples(GUIDE))
def test_examples_print_what_the_guide_says(code, printed, capsys):
    exec(compile(code, GUIDE.name, "exec"), {})
    assert capsys.readouterr().out == printed


def test_other_numbers_of_the_table():
    """What the guide says beside the quotes: without the tick, and at the reflected branch."""
    turning = bflo_viz.OnlineExplorer(drift=20, flip=0.2, seed=4, eta=0.1, round=2000)
    errors = [f"{turning.scene.error(name, 2000):.1f}" for name in ("full", "diagonal", "spherical")]
    assert "they have {}, {} and {} %".format(*errors) in TEXT
    mirror = bflo_viz.RegimeExplorer(delta=1, delta_new=-1, branch=-1)
    assert mirror.posterior.mean[0] == 0
    assert mirror.posterior.kl(bflo_viz.DiagonalBelief([0.0], [1.0])) == 0


@pytest.mark.parametrize(("number", "answer"), ASKED)
def test_answers_are_those_of_the_book(number, answer):
    assert dir(check)
    solution = BOOK[number].solution
    lines = [line.partition("  #")[0].strip() for line in solution.splitlines()]
    typed = {f'answer = "{answer}"', f'bet("{number}", "{answer}")'}
    assert typed & {*lines} or answer in lines


def test_every_exercise_that_a_plan_names_is_asked_with_its_answer_somewhere():
    """A number without an answer is of no use in class; every place where one is asked has its answer."""
    named = set(re.findall(r"(?<![\d.–])(0\d\.\d)(?!\d)", TEXT))
    assert named - {number for number, _ in ASKED} == set()
    assert len(ASKED) == TEXT.count("Ask **")


def test_plans_have_no_gaps():
    plans = re.findall(r"\| minutes \| what \|\n\|---\|---\|\n((?:\|.*\n)+)", TEXT)
    ends = []
    for plan in plans:
        spans = [tuple(map(int, span)) for span in re.findall(r"^\| (\d+)–(\d+) \|", plan, re.MULTILINE)]
        assert spans[0][0] == 0 and all(one[1] == two[0] for one, two in pairwise(spans))
        ends.append(spans[-1][1])
    assert ends == [50, 90, 90, 90, 50, 50, 50, 50]


def test_numbers_of_the_exam_are_right():
    """By the flow and by Bayes' rule, and not by the formulas that the answers use."""
    onto = bflo_viz.DiagonalBelief([0.0], [1.0]).flow([2.0], [0.0])
    assert f"= {onto.std[0]:.3f}$; the mean goes to $0 - 2a = {onto.mean[0]:.3f}$" in TEXT
    before = bflo_viz.DiagonalBelief([0.0], [1.0])
    after = bflo_viz.DiagonalBelief([0.634], [1.366])
    precision = after.std[0] ** -2 - 1
    natural = after.mean[0] / after.std[0] ** 2
    assert f"precision {-precision:.3f}. The natural parameter rose by {natural:.3f}" in TEXT
    assert f"= {natural / precision:.2f}$" in TEXT
    widths = [before.flow([2.0], [v]).std[0] for v in (0.0, 0.5, 1.0, 1.5)]
    assert sorted(widths) == widths  # problem 6: pulled onto the mean, a belief narrows most
