"""The exercises of the course; and what a student calls: check, hint, solution.

``02.toml`` has the words of the exercises of notebook 02, and ``e02`` the functions that judge their answers.
Solutions come from another folder, which a student's copy of the course does not have.
"""

import difflib
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from bflo_viz.lessons.exercise import BOOK, Verdict
from bflo_viz.lessons.installation import Words

__all__ = ["BOOK", "check", "hint", "solution"]

_HERE = Path(__file__).parent
for _file in sorted(_HERE.glob("*.toml")):
    _judges = import_module(f"{__name__}.e{_file.stem}")
    for _number, _parts in tomllib.loads(_file.read_text(encoding="utf-8")).items():
        BOOK.add(_number, getattr(_judges, _parts["name"], None), **_parts)

for _file in sorted(_HERE.with_name("solutions").glob("*.toml")):
    for _number, _parts in tomllib.loads(_file.read_text(encoding="utf-8")).items():
        BOOK.solve(_number, **_parts)


class _Checks:
    """The checks of the exercises by their names: ``check.halve_the_width(explorer)``."""

    def __init__(self) -> None:
        self._exercises = {exercise.name: exercise for exercise in BOOK.exercises.values()}

    def __dir__(self) -> list[str]:
        return [*self._exercises]

    def __getattr__(self, name: str) -> Callable[..., Verdict]:
        """The check of an exercise; a misspelt name gets a check that says so, in place of a traceback."""
        if name.startswith("_"):  # what Python and IPython look for in any object
            raise AttributeError(name)
        if name not in self._exercises:
            (near,) = difflib.get_close_matches(name, self._exercises, n=1, cutoff=0.0)
            words = f"There is no exercise called {name!r}. Did you mean check.{near}?"
            return lambda *_answer: Verdict(False, words)

        def judge(*answer: Any) -> Verdict:
            if len(answer) != 1:
                return Verdict(False, f"Give one answer: check.{name}(your_answer).")
            return self._exercises[name].check(answer[0])

        judge.__name__, judge.__doc__ = name, self._exercises[name].prompt
        return judge


check = _Checks()


class _Markdown(Words):
    """Text that a notebook shows as Markdown, and a terminal as it is."""

    def _repr_markdown_(self) -> str:
        return str(self)


def hint(number: Any) -> str:
    """The next hint for an exercise, such as ``hint("02.1")``."""
    try:
        return _Markdown(BOOK.hint(number))
    except LookupError as problem:
        return _Markdown(problem)


def solution(number: Any) -> str:
    """The solution of an exercise, and why it is right; or whom to ask, where the solutions were left out."""
    try:
        exercise = BOOK.find(number)
    except LookupError as problem:
        return _Markdown(problem)
    if not exercise.solution:
        return _Markdown("This copy of the course has no solutions: ask your instructor, who has a copy with them.")
    return _Markdown(f"**{number} · {exercise.title}**\n\n```python\n{exercise.solution}\n```\n\n{exercise.why}")
