"""An exercise: what is asked, how an answer is judged, hints in steps, and the solution with its reason."""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bflo_viz import _checks as check

ANSWERED = "application/vnd.bflo-viz.answer+json"  # in which a notebook stores what a check said
KINDS = {
    "predict": "Predict, then check",  # a bet: words to choose from
    "complete": "Complete the function",
    "find": "Find the setting",
    "build": "Build it yourself",  # a function or a class from an empty cell
    "bug": "Find the bug",
    "explain": "Explain in a sentence",  # nothing judges it; a model answer is shown to compare
    "claim": "Check the claim",
}
_DOTS = "There are still three dots in your function: put in what is missing."


def norm(vector: Any) -> float:
    """Return the Euclidean length of a vector."""
    return float(np.linalg.norm(vector))


class Hint(Exception):  # noqa: N818  (no error: an answer that is not right yet)
    """Raised by a check: what is not right yet about the answer, in a sentence that helps."""


@dataclass(frozen=True)
class Verdict:
    """What a check says of an answer."""

    right: bool | None  # None: an explanation was written, which nothing judges
    words: str
    record: Mapping[str, Any] | None = None  # what the notebook stores of it

    def __repr__(self) -> str:
        """Words that are the same in every run."""
        said = {True: "✓ Right.", False: "✗ Not yet.", None: "✎ Compare it with ours:"}[self.right]
        return f"{said} {self.words}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/plain": repr(self)} | ({ANSWERED: dict(self.record)} if self.record else {})


@dataclass(frozen=True)
class Exercise:
    """One exercise of the course; all that the notebooks, for students and for instructors, say of it."""

    number: str  # such as "02.1"
    name: str  # in ``check``
    kind: str  # one of KINDS
    title: str
    prompt: str  # what is asked, in Markdown
    stub: str  # the cell that a student fills in; its last line calls the check
    right: str  # what to say of a right answer; of an explanation, the model answer
    hints: Sequence[str]  # one after the other, from a nudge to nearly the answer
    judge: Callable[[Any], None]  # takes the answer; raises `Hint` unless it is right
    options: Mapping[str, str] = field(default_factory=dict)  # of a bet: hints by answers; the right one has none
    setup: str = ""  # Python that must have run before: what earlier cells of the notebook provide
    # Both are empty in a student's copy of the course: the same cell filled in, and why that is right, in Markdown.
    solution: str = ""
    why: str = ""
    wrong: Sequence[tuple[str, str]] = ()  # typical wrong answers, as Python, and words that their hint must have
    gives_away: Sequence[str] = ()  # of a bet: patterns of what tells its answer

    def is_empty(self, answer: Any) -> bool:
        """Whether this is no answer yet, but what the stub has in its place."""
        return answer is None or answer is ... or (self.kind == "explain" and isinstance(answer, str) and not answer)

    def check(self, answer: Any) -> Verdict:
        """Judge an answer: never a traceback."""
        if self.is_empty(answer):
            return Verdict(False, f'There is no answer yet: put yours into the cell. hint("{self.number}") helps.')
        try:
            self.judge(answer)
        except Hint as hint:
            return Verdict(False, str(hint))
        except Exception as problem:  # an answer of a kind that nobody thought of
            name = type(problem).__name__
            return Verdict(False, f"This answer cannot be judged ({name}: {problem}); look again at what is asked.")
        return Verdict(None if self.kind == "explain" else True, self.right)

    @property
    def heading(self) -> str:
        """The Markdown above the cell."""
        return f"### Exercise {self.number} · {KINDS[self.kind]}: {self.title}\n\n{self.prompt}"


# What judges ask of an answer: the value, or a kind sentence.


def number(answer: Any, what: str = "the answer") -> float:
    """The answer as a finite number; an array of one number will do."""
    try:
        return check.scalar(what, answer.item() if isinstance(answer, np.ndarray) and answer.size == 1 else answer)
    except ValueError:
        raise Hint(f"{what.capitalize()} should be one number, such as 0.5, but this is {_shown(answer)}.") from None


def one_of(answer: Any, options: dict[str, str]) -> None:
    """Judge an answer that is one of several words: each has its hint, the right one none."""
    word = answer.strip().lower() if isinstance(answer, str) else ""
    if word not in options:
        raise Hint(f"The answer should be one of {', '.join(map(repr, options))}, but this is {_shown(answer)}.")
    hint_if((options[word], options[word]))


def sentence(answer: Any) -> None:
    """Ask of an explanation only that there is one."""
    if not isinstance(answer, str):
        raise Hint(f"The answer should be a text in quotes, but this is {_shown(answer)}.")
    hint_if((len(answer.split()) < 5, "Write at least a whole sentence; then ours is shown, and you can compare."))


def array(answer: Any, shape: tuple[int, ...], what: str = "the answer") -> Any:
    """The answer as finite numbers of a shape."""
    try:
        values = check.numbers(what, answer)
    except ValueError:
        raise Hint(f"{what.capitalize()} should be numbers of shape {shape}, but this is {_shown(answer)}.") from None
    if values.shape != shape:
        raise Hint(f"{what.capitalize()} should have shape {shape}, but it has shape {values.shape}.")
    return values


def pair(answer: Any, what: str) -> tuple[Any, Any]:
    """The two things that a function returned."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise Hint(f"Your function should return two things, {what}, in this order.")
    return answer[0], answer[1]


def call(function: Any, *arguments: Any) -> Any:
    """What the student's function returns."""
    if not callable(function):
        raise Hint(f"The answer should be a function: give its name, without brackets; this is {_shown(function)}.")
    shown = ", ".join(_shown(argument) for argument in arguments)
    try:
        value = function(*copy.deepcopy(arguments))  # a function may work in place; the next case must not notice
    except Exception as problem:
        hint_if(("llipsis" in str(problem), _DOTS))
        raise Hint(
            f"Your function stopped with {type(problem).__name__} for ({shown}): {_plainly(problem)}."
        ) from None
    if value is None or value is ...:
        raise Hint(f"Your function returned nothing for ({shown}): fill it in, and end it with return.")
    hint_if((isinstance(value, tuple | list) and any(part is ... for part in value), _DOTS))
    return value


# What NumPy and Python say in their own terms, and what a student can do about it.
_MEANT = {
    "truth value of an array": "an if asks one question, but this is an array; np.where answers for each entry",
    "matmul: Input operand": "the shapes on the two sides of @ do not fit, so try the other order, or .T",
    "could not be broadcast": "the shapes of two arrays do not go together, so print them and compare",
    "division by zero": "somewhere a 0 divides",
}


def _plainly(problem: Exception) -> str:
    said = str(problem).rstrip(".")
    return next((words for sign, words in _MEANT.items() if sign in said), said)


def traits(explorer: Any, kind: type) -> Any:
    """The explorer whose state is to be judged."""
    if not isinstance(explorer, kind):
        raise Hint(f"The answer should be the {kind.__name__} of the cell above, but this is {_shown(explorer)}.")
    return explorer


def hint_if(*cases: tuple[Any, str]) -> None:
    """Give the hint of the first mistake that was made, if any."""
    for made, words in cases:
        if made:
            raise Hint(words)


def hint_by_result(
    results: Sequence[Any], ways: Sequence[dict[str, Any]], otherwise: str, *, tolerance: float = 1e-6
) -> None:
    """Give the hint of the slip that leads to all of these results.

    For each case, ``ways`` has what slips lead to, by the words of their hint; the right way has none.
    """
    for words in ways[0]:
        if all(close(result, way[words], tolerance) for result, way in zip(results, ways, strict=True)):
            return hint_if((words, words))
    raise Hint(otherwise)


def close(value: Any, wanted: Any, tolerance: float = 1e-6) -> bool:
    """Whether numbers agree, relative to their size or absolutely."""
    return bool(np.allclose(value, wanted, rtol=tolerance, atol=tolerance))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = " ".join(repr(value).split()) if not callable(value) else f"the function {getattr(value, '__name__', '')}"
    name = type(value).__name__
    return text if len(text) <= 40 else "an array" if name == "ndarray" else f"a {name}"
