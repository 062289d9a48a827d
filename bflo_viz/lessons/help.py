"""Hints in steps, and solutions with their reasons."""

from typing import Any

from bflo_viz.lessons import exercises as _exercises  # noqa: F401  (importing them fills the book)
from bflo_viz.lessons.exercise import BOOK


class Words(str):
    """Text that a notebook shows as Markdown, and a terminal as it is."""

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        """The text itself."""
        return str(self)


def hint(number: Any) -> Words:
    """The next hint for an exercise, such as ``hint("02.1")``."""
    try:
        return Words(BOOK.hint(number))
    except LookupError as problem:
        return Words(problem)


def solution(number: Any) -> Words:
    """The solution of an exercise, and why it is right; or whom to ask, where the solutions were left out."""
    try:
        exercise = BOOK.find(number)
    except LookupError as problem:
        return Words(problem)
    if not exercise.solution:
        return Words("This copy of the course has no solutions: ask your instructor, who has a copy with them.")
    return Words(f"**{number} · {exercise.title}**\n\n```python\n{exercise.solution}\n```\n\n{exercise.why}")
