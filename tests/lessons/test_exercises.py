"""Every exercise: its solution is right, its stub gets neutral feedback, and each mistake gets its own hint."""

import inspect
import re

import numpy as np
import pytest
from running import NOTEBOOKS, cells_of

from bflo_viz.lessons import bet, check, hint, solution
from bflo_viz.lessons.exercise import Bet, Exercise, load_exercises

EXERCISES = {name: one for name, one in load_exercises().items() if isinstance(one, Exercise)}
BETS = [one for one in load_exercises().values() if isinstance(one, Bet)]
MISTAKES = [(name, text) for name, one in EXERCISES.items() for text in one.mistakes]
LESSONS = [path for path in NOTEBOOKS if path.stem[:2] != "09"]
every = pytest.mark.parametrize("name", EXERCISES)


@pytest.mark.parametrize(("name", "text"), MISTAKES)
def test_every_mistake_gets_its_own_hint(name, text):
    verdict = getattr(check, name)(EXERCISES[name].mistakes[text])
    assert (verdict.right, verdict.text) == (False, text)


@every
def test_the_reference_solution_is_right_and_its_source_runs(name):
    """The source needs no more than NumPy, the public names and a flow, and its name is the one in the stub."""
    exercise = EXERCISES[name]
    assert getattr(check, name)(exercise.right).right
    space = {"np": np, "flow": EXERCISES["diagonal_flow"].right}  # notebook 05 defines this flow
    exec("from bflo_viz import *", space)
    exec(solution(exercise.number), space)
    shown = space[exercise.right.__name__.removeprefix("_")]
    assert getattr(check, name)(shown).right


@every
def test_an_empty_stub_gets_neutral_feedback(name):
    assert getattr(check, name)(...).right is None
    verdict = getattr(check, name)(lambda *_: ...)
    assert repr(verdict) == "○ Replace the dots, then run this cell again."


@every
def test_an_exercise_is_complete(name):
    one = EXERCISES[name]
    assert len(one.hints) == 2 and hint(one.number) != hint(one.number, 2) and one.praise
    assert 3 <= len(one.mistakes) <= 6
    assert all(len(case) == len(inspect.signature(one.right).parameters) for case in one.cases)


def test_any_other_answer_gets_a_sentence():
    """An answer in another right form is accepted; whatever else is wrong gets a sentence, never a traceback."""
    assert check.slope(lambda a, u, v: [-u * (v - a * u) + a - 1 / a]).right
    assert check.slope(lambda a, u, v: np.array([-u * (v - a * u) + a - 1 / a])).right
    assert "brackets" in check.slope(0.3).text
    assert "stopped with ZeroDivisionError" in check.slope(lambda a, u, v: 1 / 0).text
    assert "should be numbers, but yours is a str" in check.slope(lambda a, u, v: "big").text
    assert check.slope(lambda a, u, v: 0).text == "For a=0.5, u=1.0, v=2.0, the result should be -3, but yours is 0."
    assert check.flow(lambda *_: (0, 0)).text.startswith("For mean=1.0, std=2.0, w=4.0, w_new=2.5, number 1 of the ")
    assert check.votes(lambda weights, x: 0.5).text == "In test 1 of 3, the result should be 0.6, but yours is 0.5."
    assert ", number 2 of the result should be 0.5, " in check.forgot_most(lambda *_: (1, 0)).text
    assert hint("2.2", 3) == 'There are only two hints, `hint("2.2")` and `hint("2.2", 2)`.'
    with pytest.raises(AttributeError, match="no exercise 'slop'"):
        check.slop  # noqa: B018
    with pytest.raises(LookupError, match=r"no exercise '2\.9'"):
        hint(2.9)
    with pytest.raises(LookupError, match="no bet '9z'"):
        bet("9z")


def test_an_answer_of_another_form_is_told_what_to_return():
    """Where several values are wanted, they are counted as the student returns them; otherwise their numbers are."""
    assert check.slope(lambda a, u, v: (a, u)).text.endswith(", the result should have 1 number, but yours has 2.")
    assert check.slope(lambda a, u, v: []).text.endswith(", the result should have 1 number, but yours has 0.")
    assert check.cheapest(lambda: 0.8).text == "You should return 2 values, but you returned 1."
    pair = check.one_round(lambda mean, std, *_: (mean, std))
    assert pair.text == "In test 1 of 2, you should return 4 values, but you returned 2."
    short = check.one_round(lambda mean, std, *_: (mean, 1, 2, 3))
    assert short.text == "In test 1 of 2, the result should have 6 numbers, but yours has 5."
    listed = check.place(lambda *_: [1, 2, 3])
    assert listed.text.endswith(", the result should have 2 numbers, but yours has 3.")
    assert "the result should have 2 numbers, but yours has 3." in check.place(lambda mean, *_: (mean, 1)).text


@pytest.mark.parametrize("one", BETS, ids=lambda one: one.number)
def test_a_bet_has_an_answer_that_does_not_come_first(one):
    assert one.right in one.replies and next(iter(one.replies)) != one.right
    assert 2 <= len(one.replies) <= 5 and all(one.replies.values())
    assert bet(one.number).constants["right"] == one.right


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_asks_what_its_module_answers(path):
    """Exercises are numbered in order, at most five; of the at most two bets, each is answered in a fold."""
    lesson = int(path.stem[:2])
    text = "\n".join(cell.source for cell in cells_of(path, "markdown"))
    code = "\n".join(cell.source for cell in cells_of(path, "code"))
    mine = {name: one for name, one in EXERCISES.items() if one.number.startswith(f"{lesson}.")}
    numbers = [f"{lesson}.{i + 1}" for i in range(len(mine))]
    assert len(numbers) <= 5 and re.findall(r"^### Exercise (\d\.\d) · ", text, re.MULTILINE) == numbers
    assert [one.number for one in mine.values()] == numbers
    assert re.findall(r"\bcheck\.(\w+)\(", code) == list(mine)
    bets = [one.number for one in BETS if one.number.startswith(str(lesson))]
    assert len(bets) <= 2 and re.findall(r'\bbet\("(\w+)"\)', code) == bets
    assert re.findall(r"<summary>Answer to bet (\w+)</summary>", text) == bets


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_stub_has_the_signature_of_its_solution(path):
    code = "\n".join(cell.source for cell in cells_of(path, "code"))
    for name in re.findall(r"\bcheck\.(\w+)\(", code):
        stub = re.search(rf"^def {name}\((.*?)\):$", code, re.MULTILINE)
        if stub:
            assert stub[1].split(", ") == list(inspect.signature(EXERCISES[name].right).parameters)
