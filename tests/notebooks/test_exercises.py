"""Each solution passes its check, each stub fails it kindly, and each typical mistake gets a hint of its own."""

import numpy as np
import pytest
from running import answer_of, run_cell

from bflo_viz.lessons import check, hint, solution
from bflo_viz.lessons.exercise import BOOK, KINDS, Book, Verdict, call

EXERCISES = list(BOOK.exercises.values()) if dir(check) else []
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda one: f"{one.number}-{one.name}")
JUNK = [
    "words",
    "",
    [],
    {},
    object(),
    1 + 2j,
    float("nan"),
    np.ones((3, 4)),
    b"x",
    lambda: None,
    lambda *_: "text",
    type,
]


def start(exercise):
    """What the notebook provides before the cell of the exercise."""
    namespace = {"__name__": "__notebook__"}
    run_cell("import numpy as np\nfrom bflo_viz import *\nfrom bflo_viz.lessons import check", namespace)
    run_cell(exercise.setup, namespace)
    return namespace


def test_there_are_enough_of_each_kind():
    """Three or more for each of 01 to 08, and all three kinds in each; in 07 there need not be a setting to find."""
    for notebook in ("01", "02", "03", "04", "05", "06", "07", "08"):
        here = [one for one in EXERCISES if one.number.startswith(f"{notebook}.")]
        assert len(here) >= 3
        assert {one.kind for one in here} >= set(KINDS) - ({"find"} if notebook == "07" else set())


def test_names_are_distinct():
    """A check is called by its name."""
    assert len({one.name for one in EXERCISES}) == len(EXERCISES)


@each
def test_the_solution_passes(exercise):
    """The cell of the instructor's notebook, run as it stands."""
    verdict = run_cell(exercise.solution, start(exercise))
    assert isinstance(verdict, Verdict)
    assert verdict.right, verdict
    assert verdict.words


@each
def test_the_stub_fails_kindly(exercise):
    """The cell of the student's notebook, run as it stands: a sentence, no traceback."""
    verdict = run_cell(exercise.stub, start(exercise))
    assert isinstance(verdict, Verdict)
    assert not verdict.right
    assert "cannot be judged" not in verdict.words


@each
def test_each_typical_mistake_gets_a_hint_of_its_own(exercise):
    """Several mistakes, each told in the words that are meant for it and for no other."""
    said = {}
    for source, words in exercise.wrong:
        verdict = exercise.check(answer_of(source, start(exercise)))
        assert not verdict.right, source
        assert words in verdict.words, source
        said[verdict.words] = source
    assert len(said) == len(exercise.wrong) >= 3


@each
def test_an_answer_of_the_wrong_kind_gets_a_kind_sentence(exercise):
    """Never a traceback, and never the sentence for what nobody thought of."""
    for answer in JUNK:
        verdict = exercise.check(answer)
        assert not verdict.right
        assert "cannot be judged" not in verdict.words, answer
        assert verdict.words.endswith((".", "?", ")"))
    assert not exercise.check(None).right


def test_a_function_may_work_in_place():
    """What it does to its arguments does not reach the next case."""
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
def test_hints_come_in_steps(exercise):
    """One after the other, and the last one names the solution."""
    book = Book(exercises=BOOK.exercises)
    said = [book.hint(exercise.number) for _ in range(len(exercise.hints) + 1)]
    assert len(exercise.hints) >= 2
    assert said[0].startswith("Hint 1: ")
    assert said[-1] == said[-2]
    assert f'solution("{exercise.number}")' in said[-1]


@each
def test_the_solution_can_be_shown_with_its_reason(exercise):
    """As Markdown in a notebook."""
    words = solution(exercise.number)._repr_markdown_()
    assert exercise.solution in words
    assert exercise.why in words
    assert len(exercise.why.split()) > 10


def test_a_function_that_works_in_place_spoils_no_other_case():
    """Checks keep the arguments that they give to a student's function."""

    def doubled(x):
        x *= 2
        return x

    given = np.array([1.0, 2.0])
    assert call(doubled, given).tolist() == [2.0, 4.0]
    assert given.tolist() == [1.0, 2.0]


def test_what_does_not_exist_gets_a_sentence():
    """A number or a name that was mistyped."""
    assert "There is no exercise '99.9'; there are 01.1" in hint("99.9")
    assert "There is no exercise 2" in solution(2)
    first = EXERCISES[0].name
    assert f"Did you mean check.{first}?" in str(getattr(check, first + "s")(1))
    assert "Give one answer" in str(getattr(check, first)(1, 2))
