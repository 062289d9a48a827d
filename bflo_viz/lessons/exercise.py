"""Exercises with immediate feedback, and bets; their prompts and stubs are in the notebooks."""

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.explorers.bet import Bet as BetWidget


class NotYet(Exception):  # noqa: N818  (a verdict, not an error)
    """Signal an answer that is not right yet; the message is the feedback, and empty for an untouched stub."""


class Text(str):
    """A string whose repr has no quotes, so that a notebook shows it as prose."""

    __repr__ = str.__str__


class Verdict(NamedTuple):
    """Feedback on an answer; ``right`` is None while the stub is empty."""

    right: bool | None
    text: str

    def __repr__(self) -> str:
        return {True: "✓ Right. ", False: "✗ Not yet. ", None: "○ "}[self.right] + self.text


@dataclass(frozen=True)
class Exercise:
    """A task whose answer is compared with ``right`` on ``cases``.

    ``mistakes`` maps each hint to a wrong answer that deserves it, so one entry both gives the hint and tests it.
    ``ask(answer, *case)`` turns an answer into numbers; by default it calls a function, and takes a number as it is.
    ``otherwise`` replies to any other wrong answer; by default, the reply names the first number that is wrong.
    """

    number: str
    right: Any
    cases: Sequence[tuple[Any, ...]]
    praise: str
    mistakes: Mapping[str, Any]
    hints: Sequence[str]
    otherwise: str = ""
    ask: Callable[..., Any] = lambda answer, *case: answer(*case) if callable(answer) else answer
    rtol: float = 1e-6
    atol: float = 1e-12  # far below the smallest right answer, so that 0 is not mistaken for 1e-9

    def verdict(self, answer: Any) -> Verdict:
        """Return what to tell a student who gives this answer."""
        try:
            self._judge(answer)
        except NotYet as feedback:
            text = str(feedback) or "Replace the dots, then run this cell again."
            return Verdict(False if str(feedback) else None, text)
        return Verdict(True, self.praise)

    def _judge(self, answer: Any) -> None:
        if self.cases != [()] and not (callable(answer) or answer is ... or answer is None):
            raise NotYet("Give the name of your function, without brackets.")
        given, wanted = ([self._numbers(one, case) for case in self.cases] for one in (answer, self.right))
        wrong = [i for i in range(len(wanted)) if not self._close(given[i], wanted[i])]
        if not wrong:
            return
        for text, mistake in self.mistakes.items():
            if all(map(self._close, given, [self._numbers(mistake, case) for case in self.cases])):
                raise NotYet(text)
        first = wrong[0]
        text = _misfit(wanted[first], given[first])
        if not text and self.otherwise:
            raise NotYet(self.otherwise)
        text = text or self._first_difference(np.concatenate(wanted[first]), np.concatenate(given[first]))
        names = inspect.signature(self.right).parameters if callable(self.right) else ()
        asked = ", ".join(f"{name}={value}" for name, value in zip(names, self.cases[first], strict=False))
        if 0 < len(asked) <= 60 and "\n" not in asked:
            raise NotYet(f"For {asked}, {text}")
        raise NotYet(f"In test {first + 1} of {len(wanted)}, {text}" if wanted[1:] else text[0].upper() + text[1:])

    def _first_difference(self, right: Floats, yours: Floats) -> str:
        at = next(k for k in range(right.size) if not self._close([right[[k]]], [yours[[k]]]))
        what = f"number {at + 1} of the result" if right.size > 1 else "the result"
        return f"{what} should be {right[at]:.4g}, but yours is {yours[at]:.4g}."

    def _numbers(self, answer: Any, case: tuple[Any, ...]) -> list[Floats]:
        try:
            with np.errstate(all="ignore"):
                value = self.ask(answer, *copy.deepcopy(case))
        except NotYet:
            raise
        except Exception as problem:
            stub = "ellipsis" in str(problem)
            raise NotYet("" if stub else f"Your code stopped with {type(problem).__name__}: {problem}") from None
        parts = value if isinstance(value, tuple | list) and value else (value,)
        if any(part is None or part is ... for part in parts):
            raise NotYet
        try:
            return [np.ravel(part).astype(float) for part in parts]
        except (TypeError, ValueError):
            raise NotYet(f"The answer should be numbers, but yours is a {type(value).__name__}.") from None

    def _close(self, parts: list[Floats], others: list[Floats]) -> bool:
        one, other = np.concatenate(parts), np.concatenate(others)
        return one.size == other.size and np.allclose(one, other, self.rtol, self.atol, equal_nan=True)


def _misfit(wanted: list[Floats], given: list[Floats]) -> str:
    """Return what is wrong with how much was returned; nothing if it is as much as it should be."""
    right, yours = (sum(part.size for part in parts) for parts in (wanted, given))
    if right == yours:
        return ""
    if len(wanted) in (1, len(given)):
        return f"the result should have {right} number{'s' * (right > 1)}, but yours has {yours}."
    return f"you should return {len(wanted)} values, but you returned {len(given)}."


class Bet(NamedTuple):
    """A prediction to make before reading on: a reply for each option in the order shown, and the right option."""

    number: str
    replies: Mapping[str, str]
    right: str
    title: str


@cache
def load_exercises() -> dict[str, Exercise | Bet]:
    """Import every ``lesson_NN.py`` and return its exercises and bets by name."""
    files = sorted(Path(__file__).parent.glob("lesson_*.py"))
    modules = [import_module(f"bflo_viz.lessons.{file.stem}") for file in files]
    return {name: one for module in modules for name, one in vars(module).items() if isinstance(one, Exercise | Bet)}


def _find(number: str, kind: type[Any]) -> Any:
    known = {one.number: one for one in load_exercises().values() if isinstance(one, kind)}
    if (number := str(number)) not in known:
        raise LookupError(f"There is no {kind.__name__.lower()} {number!r}. Choose from {', '.join(known)}.")
    return known[number]


class _Check:
    """Access to the exercises by name: ``check.slope(answer)`` returns a `Verdict`."""

    def __dir__(self) -> list[str]:
        return [name for name, one in load_exercises().items() if isinstance(one, Exercise)]

    def __getattr__(self, name: str) -> Callable[[Any], Verdict]:
        if name.startswith("__"):  # `inspect` and others look for names of their own
            raise AttributeError(name)
        if not isinstance(exercise := load_exercises().get(name), Exercise):
            raise AttributeError(f"There is no exercise {name!r}. Choose from {', '.join(dir(self))}.")
        return exercise.verdict


check = _Check()


def hint(number: str, step: int = 1) -> Text:
    """Return the first hint for an exercise, or with ``step=2`` the second."""
    hints = _find(number, Exercise).hints
    if step not in (1, 2):
        return Text(f'There are only two hints, `hint("{number}")` and `hint("{number}", 2)`.')
    return Text(hints[step - 1])


def solution(number: str) -> Text:
    """Return the source of the reference solution, under the name that the student sees."""
    source = inspect.getsource(_find(number, Exercise).right)
    return Text(source.replace("def _", "def ", 1).replace("class _", "class ", 1))


def bet(number: str, answer: str = "") -> BetWidget:
    """Show a bet: the first answer counts, and its reply says what is true. Without buttons, give the answer here."""
    return BetWidget(*_find(number, Bet), answer=answer)
