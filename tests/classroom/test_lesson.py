"""Notebooks read as lessons."""

import pytest

from bflo_viz.classroom.lesson import lessons


def test_all_lessons_are_read_in_order():
    """Ten of them, each with its title."""
    course = lessons()
    assert [one.number for one in course] == [f"{i:02}" for i in range(10)]
    assert (course[2].slug, course[2].title) == ("02_one_dimension", "One dimension")
    assert all(len({cell.id for cell in one.cells}) == len(one.cells) > 10 for one in course)


def test_lessons_can_be_named():
    """By their numbers; one that there is not is answered with those that there are."""
    assert [one.number for one in lessons(["04", "01"])] == ["04", "01"]
    with pytest.raises(ValueError, match=r"^there is no lesson '12'; there are 00, 01, .*, 09\.$"):
        lessons(["12"])


def test_texts_come_in_one_piece():
    """A notebook cuts them into lines."""
    cells = {cell.id: cell for cell in lessons(["01"])[0].cells}
    assert cells["text-0"].source.startswith("# Three ways to learn\n\nExamples")
    [printed] = cells["code-6"].outputs
    assert printed["text"].startswith("first example: x = [")
    [drawn] = cells["code-3"].outputs
    assert isinstance(drawn["data"]["image/png"], str)
    assert isinstance(drawn["data"]["text/plain"], str)


def test_exercises_have_their_numbers():
    """Of the stub alone, not of the text that asks."""
    found = {cell.id: cell.exercise for cell in lessons(["03"])[0].cells}
    assert found["exercise-03-2"] == "03.2"
    assert found["exercise-03-2-asks"] == found["code-1"] == ""
