"""Each solution passes its check, each stub fails it kindly, and each typical mistake gets a hint of its own."""

import numpy as np
import pytest

from bflo_viz._places import JOURNAL_VARIABLE
from bflo_viz.lessons import check, exercises, hint, solution
from bflo_viz.lessons.exercise import Verdict, call
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import judged, run_cell, verdict_of

EXERCISES = list(BOOK.values())
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: f"{one.number}-{one.name}")
JUNK = ["words", "", [], {}, object(), 1 + 2j, float("nan"), np.ones((3, 4)), b"x", type]
JUNK += [lambda: None, lambda *_: "text"]


@pytest.fixture(autouse=True)
def _journal(tmp_path, monkeypatch):
    """Each test is a student of its own."""
    monkeypatch.setenv(JOURNAL_VARIABLE, str(tmp_path / "journal.jsonl"))


def test_there_are_enough_of_each_kind():
    """Three or more for each of 01 to 08 and 10, with all three kinds; in 07 there may be no setting to find."""
    for notebook in ("01", "02", "03", "04", "05", "06", "07", "08", "10"):
        here = [exercise for exercise in EXERCISES if exercise.number.startswith(f"{notebook}.")]
        assert len(here) >= 3
        wanted = {"predict", "complete"} if notebook == "07" else {"predict", "complete", "find"}
        assert {exercise.kind for exercise in here} >= wanted
    assert len(set(dir(check))) == len(EXERCISES)  # a check is called by its name


def test_the_workshop_has_eleven_claims():
    """Each with a worked check, hints, and four or more typical mistakes that are told apart."""
    claims = [exercise for exercise in EXERCISES if exercise.number.startswith("09.")]
    assert [exercise.number for exercise in claims] == [f"09.{n}" for n in range(1, 12)]
    for exercise in claims:
        assert exercise.kind == "claim" and "def evidence(" in exercise.stub
        assert len(exercise.wrong) >= 4


@each
def test_the_solution_passes(exercise):
    """The cell of the instructor's notebook, run as it stands; and it can be shown, with its reason."""
    verdict = verdict_of(exercise, exercise.solution)
    assert isinstance(verdict, Verdict)
    assert verdict.right is (None if exercise.kind == "explain" else True), verdict
    assert verdict.words
    shown = solution(exercise.number)._repr_markdown_()
    assert exercise.solution in shown and exercise.why in shown and len(exercise.why.split()) > 10


@each
def test_the_stub_fails_kindly(exercise):
    """The cell of the student's notebook, run as it stands: a sentence, no traceback."""
    verdict = verdict_of(exercise, exercise.stub)
    assert isinstance(verdict, Verdict)
    assert not verdict.right
    assert "cannot be judged" not in verdict.words


@each
def test_each_typical_mistake_gets_a_hint_of_its_own(exercise):
    """Several mistakes, each told in the words that are meant for it and for no other."""
    hints = set()
    for source, words in exercise.wrong:
        verdict = judged(exercise, source)
        assert not verdict.right, source
        assert words in verdict.words, source
        hints.add(verdict.words)
    assert len(hints) == len(exercise.wrong)
    assert len(hints) >= 3 or exercise.kind == "explain"


@each
def test_an_answer_of_the_wrong_kind_gets_a_kind_sentence(exercise):
    """Never a traceback, and never the sentence for what nobody thought of."""
    for answer in JUNK:
        verdict = exercise.check(answer)
        assert not verdict.right
        assert "cannot be judged" not in verdict.words, answer
        assert verdict.words.endswith((".", "?", ")"))
    assert not exercise.check(None).right


def test_an_explanation_is_compared_and_not_judged():
    """Nothing but that a sentence was written is asked for; the model answer follows, and is no secret."""
    parts = {
        "kind": "explain",
        "title": "why",
        "prompt": "Why?",
        "right": "Because it costs least.",
        "hints": ["a", "b"],
    }
    one = exercises._exercise("99.1", {"why": "Name the cost."}, name="because", **parts)
    assert repr(one.check("It takes what costs the least.")) == "✎ Compare it with ours: Because it costs least."
    assert one.check("It takes what costs the least.").right is None
    assert "no answer yet" in one.check("").words
    assert "whole sentence" in one.check("it costs").words
    assert "a text in quotes" in one.check(3).words
    assert run_cell(one.stub.replace("check.because(answer)", "answer"), {}) == ""
    assert run_cell(one.solution.replace("check.because(answer)", "answer"), {}).strip() == one.right


def test_a_solution_may_be_a_whole_cell():
    """What is built from an empty cell has no gaps to fill."""
    parts = {"kind": "build", "title": "x", "prompt": "x", "stub": "def f(): ...", "right": "x", "hints": []}
    solved = {"solution": "\ndef f():\n    return 1\n", "why": "x", "wrong": [["class A: ...", "x"]]}
    one = exercises._exercise("99.1", solved, name=BOOK["02.1"].name, **parts)
    assert one.solution == "def f():\n    return 1"
    assert judged(one, "class A: ...").words.startswith("Your function")  # a class is an answer, too


def test_a_function_may_work_in_place():
    given = np.ones(2), [np.zeros(2)]

    def works_in_place(values, rows):
        values *= 2
        rows[0] += 3
        return values

    for _ in range(2):
        np.testing.assert_array_equal(call(works_in_place, *given), [2, 2])
    np.testing.assert_array_equal(given[0], [1, 1])
    np.testing.assert_array_equal(given[1][0], [0, 0])


@each
def test_hints_come_in_steps(exercise, monkeypatch):
    monkeypatch.setattr(exercises, "_given", {})
    hints = [hint(exercise.number) for _ in range(len(exercise.hints) + 1)]
    assert len(exercise.hints) >= 2
    assert hints[0].startswith("Hint 1: ") and hints[0].endswith(f"({len(exercise.hints) - 1} more)")
    assert hints[-1] == hints[-2]
    assert f'solution("{exercise.number}")' in hints[-1]


def test_what_does_not_exist_gets_a_sentence():
    assert "There is no exercise '99.9'; there are 01.1" in hint("99.9")
    assert "There is no exercise 2" in solution(2)
    first = EXERCISES[0].name
    assert f"Did you mean check.{first}?" in str(getattr(check, first + "s")(1))
    assert "Give one answer" in str(getattr(check, first)(1, 2))
