"""The exercises of the course; and what a student calls: check, hint, solution.

``02.toml`` has the words of the exercises of notebook 02. The functions that judge answers are in the modules of this
folder, such as ``one_update`` (notebooks 01 to 04) and ``many_rounds`` (05 to 08, and 10). A judge has the name of
its exercise, and any of the modules may have it. Solutions come from another folder, which a student's copy of the
course does not have.
"""

import difflib
import importlib
import pkgutil
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import Any

from bflo_viz.lessons.exercise import Exercise, Verdict, one_of, sentence
from bflo_viz.lessons.installation import Words

_HERE = Path(__file__).parent
_JUDGES = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    files = sorted(folder.glob("*.toml"))
    return {number: parts for file in files for number, parts in tomllib.loads(file.read_text("utf-8")).items()}


def _exercise(number: str, solved: dict[str, Any] | None, *, name: str, **parts: Any) -> Exercise:
    """An exercise of its parts in the files; ``solved`` are those that only an instructor has."""
    if answers := parts.pop("answers", None):  # words to choose from; the cell lists them all, or one example
        *first, last = (f'"{word}"' for word in answers)
        example = parts.pop("such_as", "")
        words = f'such as "{example}"' if example else f"{', '.join(first)} or {last}"
        judge: Any = partial(one_of, options=answers)
        parts |= {"kind": "predict", "stub": f"answer = None  # {words}\ncheck.{name}(answer)"}
    elif parts["kind"] == "explain":  # nothing judges it; `right` is the model answer
        judge = sentence
        parts = {"stub": f'answer = ""  # a sentence or two\ncheck.{name}(answer)'} | parts
    else:
        judge = next(found for module in _JUDGES if (found := vars(module).get(name)))
    if numbers := parts.pop("numbers", None):  # that the question names and the judge goes by
        judge, parts["prompt"] = partial(judge, **numbers), parts["prompt"].format(**numbers)
    parts = {part: text.strip("\n") if isinstance(text, str) else text for part, text in parts.items()}
    if solved:
        function = parts["stub"].rpartition("\n")[0]
        if parts["kind"] == "explain":
            solved = {"fills": [f'answer = """\n{parts["right"]}\n"""'], "wrong": []} | solved
        cell = solved.get("solution") or _filled(parts["stub"], solved["fills"])  # whole, or the gaps of the stub
        parts |= {
            "solution": cell.strip("\n"),
            "why": solved["why"].strip(),
            # A wrong answer that is a list fills the gaps, too.
            "wrong": [(_filled(function, a) if isinstance(a, list) else a, words) for a, words in solved["wrong"]],
        }
    return Exercise(number=number, name=name, judge=judge, **parts)


def _filled(stub: str, fills: Sequence[str]) -> str:
    """The stub with its gaps filled in: the lines that have three dots or, where none has, the first line."""
    lines = stub.splitlines()
    gaps = [n for n, line in enumerate(lines) if "..." in line] or [0]
    for gap, fill in zip(gaps, fills, strict=True):
        margin = lines[gap][: -len(lines[gap].lstrip())]
        lines[gap] = indent(fill.strip(), margin)
    return "\n".join(lines)


_SOLVED = _read(_HERE.with_name("solutions"))
BOOK = {number: _exercise(number, _SOLVED.get(number), **parts) for number, parts in _read(_HERE).items()}
_BY_NAME = {exercise.name: exercise for exercise in BOOK.values()}
_given: dict[str, int] = {}  # hints, by exercise


class _Checks:
    """The checks of the exercises by their names: ``check.halve_the_width(explorer)``."""

    def __dir__(self) -> list[str]:
        return [*_BY_NAME]

    def __getattr__(self, name: str) -> Callable[..., Verdict]:
        """The check of an exercise; a misspelt name gets a check that says so, in place of a traceback."""
        if name.startswith("_"):  # what Python and IPython look for in any object
            raise AttributeError(name)
        if name not in _BY_NAME:
            (near,) = difflib.get_close_matches(name, _BY_NAME, n=1, cutoff=0.0)
            words = f"There is no exercise called {name!r}. Did you mean check.{near}?"
            return lambda *_answer: Verdict(False, words)

        def judge(*answer: Any) -> Verdict:
            if len(answer) != 1:
                return Verdict(False, f"Give one answer: check.{name}(your_answer).")
            return _BY_NAME[name].check(answer[0])

        judge.__name__, judge.__doc__ = name, _BY_NAME[name].prompt
        return judge


check = _Checks()


class _Markdown(Words):
    """Text that a notebook shows as Markdown, and a terminal as it is."""

    def _repr_markdown_(self) -> str:
        return str(self)


def hint(number: Any) -> str:
    """The next hint for an exercise, such as ``hint("02.1")``; after the last one, the last again."""
    if not (exercise := _find(number)):
        return _unknown(number)
    step = _given[number] = min(_given.get(number, 0) + 1, len(exercise.hints))
    rest = len(exercise.hints) - step
    last = f'(the last; solution("{number}") shows the solution)' if exercise.solution else "(the last)"
    return _Markdown(f"Hint {step}: {exercise.hints[step - 1]} {f'({rest} more)' if rest else last}")


def solution(number: Any) -> str:
    """The solution of an exercise, and why it is right; or whom to ask, where the solutions were left out."""
    if not (exercise := _find(number)):
        return _unknown(number)
    if not exercise.solution:
        return _Markdown("This copy of the course has no solutions: ask your instructor, who has a copy with them.")
    return _Markdown(f"**{number} · {exercise.title}**\n\n```python\n{exercise.solution}\n```\n\n{exercise.why}")


def _find(number: Any) -> Exercise | None:
    return BOOK.get(number) if isinstance(number, str) else None


def _unknown(number: Any) -> _Markdown:
    return _Markdown(f"There is no exercise {number!r}; there are {', '.join(sorted(BOOK))}.")
