"""The checks of the exercises by their names: ``check.halve_the_width(explorer)``."""

from collections.abc import Callable
from typing import Any

from bflo_viz.lessons import exercises as _exercises  # noqa: F401  (importing them fills the book)
from bflo_viz.lessons.exercise import BOOK, Verdict


def __getattr__(name: str) -> Callable[..., Verdict]:
    """The check of an exercise; a misspelt name gets a check that says so, in place of a traceback."""
    if name.startswith(("_", "pytest")):  # what Python and pytest look for in any module
        raise AttributeError(name)
    exercise = BOOK.named(name)
    if exercise is None:
        words = f"There is no exercise of the name {name!r}. Did you mean check.{BOOK.nearest(name)}?"
        return lambda *_answer: Verdict(False, words)

    def judge(*answer: Any) -> Verdict:
        if len(answer) != 1:
            return Verdict(False, f"Give one answer: check.{name}(your_answer).")
        return exercise.check(answer[0])

    judge.__name__, judge.__doc__ = name, exercise.prompt
    return judge


def __dir__() -> list[str]:
    return [exercise.name for exercise in BOOK.exercises.values()]
