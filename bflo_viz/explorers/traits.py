"""Traits that know their control, and whose errors are one sentence: which trait, what it must be, what it was."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from traitlets import TraitError, TraitType

from bflo_viz import _checks as check

SEEDS = 2**32 - 1  # the largest one


class Checked(TraitType[Any, Any]):
    """A synced trait; `_check` gives the value to keep, or raises a ValueError that says what is wrong.

    ``label`` is what its control is called, ``help`` one sentence about it; with what else the control needs to know
    (``control``) they travel to the page.
    """

    kind: ClassVar[str]

    def __init__(self, default: Any, *, label: str | list[str] = "", help: str = "", **control: Any) -> None:  # noqa: A002
        super().__init__(default, help=help)
        self._label, self._control = label, control
        self.tag(sync=True)

    def about(self) -> dict[str, Any]:
        """What a page needs to know in order to offer this trait, and to replace a value that it cannot have."""
        words = {"label": self._label or self.name, "help": self.help}
        return {"kind": self.kind, **words, "default": self.default_value, **self._control}

    def _check(self, name: str, value: Any) -> Any:
        raise NotImplementedError

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value to keep, or say in one sentence what is wrong with it."""
        try:
            return self._check(str(self.name), value)
        except ValueError as problem:
            raise TraitError(str(problem)) from None


class Number(Checked):
    """A finite number between two ends; None too, if that is its default: it stands for what is usual elsewhere."""

    kind = "number"

    def __init__(self, default: Any, *, low: float, high: float, step: float = 0.05, **about: Any) -> None:
        digits = len(f"{step:g}".partition(".")[2])
        super().__init__(default, **({"unit": ""} | about), low=low, high=high, step=step, digits=digits)
        self.low, self.high = low, high

    def _check(self, name: str, value: Any) -> Any:
        if value is None and self.default_value is None:
            return None
        return self._between(name, _number(name, value))

    def _between(self, name: str, value: float) -> float:
        if not self.low <= value <= self.high:
            # As short as it can be said without saying that 4 is above 4.
            shown = f"{value:g}" if float(f"{value:g}") == value else repr(value)
            raise ValueError(f"{name} must be from {self.low:g} to {self.high:g}, but it was {shown}.")
        return value


class Whole(Number):
    """A whole number between two ends."""

    kind = "whole"

    def __init__(self, default: int, *, low: int = 0, high: int = SEEDS, **about: Any) -> None:
        super().__init__(default, low=low, high=high, step=1, **about)

    def _check(self, name: str, value: Any) -> int:
        is_int = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        number = value if is_int else _number(name, value)  # a large one would lose digits
        if number != round(number) or not self.low <= number <= self.high:
            wanted = f"a whole number from {self.low} to {self.high}"
            raise ValueError(f"{name} must be {wanted}, but it was {check.short(value)}.")
        return int(number)


class Point(Number):
    """Two finite numbers, each between the same two ends; kept as a list, since that is what the browser has."""

    kind = "point"

    def _check(self, name: str, value: Any) -> list[float]:
        numbers = check.numbers(name, value)
        if numbers.shape != (2,):
            raise ValueError(f"{name} must be two numbers such as [0.0, 1.0], but it was {check.short(value)}.")
        return [self._between(f"{name}[{i}]", x) for i, x in enumerate(numbers.tolist())]


class Choice(Checked):
    """One of several names or numbers, each with a text; a value without one is its own."""

    kind = "choice"

    def __init__(self, default: Any, *, options: Mapping[Any, str] | Sequence[Any], **about: Any) -> None:
        texts = options if isinstance(options, Mapping) else {value: str(value) for value in options}
        super().__init__(default, options=[list(pair) for pair in texts.items()], **about)
        self.options = tuple(texts)

    def _check(self, name: str, value: Any) -> Any:
        if np.isscalar(value) and not isinstance(value, (bool, np.bool_)) and value in self.options:
            return self.options[self.options.index(value)]
        raise ValueError(f"{name} must be {' or '.join(map(repr, self.options))}, but it was {check.short(value)}.")


class Subset(Choice):
    """A list of names out of several, without repeats; kept in their order."""

    kind = "subset"

    def _check(self, name: str, value: Any) -> list[str]:
        if not isinstance(value, (list, tuple)) or any(member not in self.options for member in value):
            names = ", ".join(map(repr, self.options))
            raise ValueError(f"{name} must be a list of {names}, but it was {check.short(value)}.")
        return [option for option in self.options if option in value]


class Digits(Checked):
    """A text of some digits, at most so many: short enough for a link."""

    kind = "digits"

    def __init__(self, default: str = "", *, symbols: str, most: int, **about: Any) -> None:
        super().__init__(default, symbols=symbols, most=most, **about)
        self.symbols, self.most = symbols, most

    def _check(self, name: str, value: Any) -> str:
        if isinstance(value, str) and len(value) <= self.most and set(value) <= set(self.symbols):
            return value
        wanted = f"at most {self.most} digits from {self.symbols[0]} to {self.symbols[-1]}, such as '1132'"
        raise ValueError(f"{name} must be {wanted}, but it was {check.short(value)}.")


class Text(Checked):
    """A text of one form: ``pattern`` is a regular expression for Python and the page, ``wanted`` its words."""

    kind = "text"

    def __init__(self, default: str, *, pattern: str, wanted: str, **about: Any) -> None:
        super().__init__(default, pattern=pattern, **about)
        self._pattern, self._wanted = re.compile(pattern), wanted

    def _check(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not self._pattern.fullmatch(value):
            raise ValueError(f"{name} must be {self._wanted}, but it was {check.short(value)}.")
        return value


class Layers(Number):
    """Units of each layer, of at most ``most``; kept as a list, in which a layer without units is none."""

    kind = "layers"

    def __init__(self, default: list[int], *, high: int, most: int, legend: str, **about: Any) -> None:
        super().__init__(default, low=0, high=high, step=1, most=most, legend=legend, **about)
        self.most = most

    def _check(self, name: str, value: Any) -> list[int]:
        whole = all(_is_whole(units) and self.low <= units <= self.high for units in _members(name, value, self.most))
        if not whole:
            wanted = f"whole numbers from {self.low} to {self.high}, such as [8, 8]"
            raise ValueError(f"{name} must be a list of {wanted}, but it was {check.short(value)}.")
        return [int(units) for units in value if units]


class Marks(Number):
    """A list of points in the plane with their labels, [x, y, 0 or 1], at most ``most``."""

    kind = "marks"

    def __init__(self, default: list[list[float]], *, low: float, high: float, most: int, **about: Any) -> None:
        super().__init__(default, low=low, high=high, step=0.01, most=most, **about)
        self.most = most

    def _check(self, name: str, value: Any) -> list[list[float]]:
        marks = []
        for i, mark in enumerate(_members(name, value, self.most)):
            numbers = check.numbers(f"{name}[{i}]", mark)
            if numbers.shape != (3,) or numbers[2] not in (0, 1):
                wanted = "a point and its label such as [0.5, -1.0, 1]"
                raise ValueError(f"{name}[{i}] must be {wanted}, but it was {check.short(mark)}.")
            x, y = (self._between(f"{name}[{i}][{k}]", float(numbers[k])) for k in (0, 1))
            marks.append([x, y, int(numbers[2])])
        return marks


class Flag(Checked):
    """True or False."""

    kind = "flag"

    def _check(self, name: str, value: Any) -> bool:
        return check.flag(name, value)


def _members(name: str, value: Any, most: int) -> Sequence[Any]:
    """The members of a list that is not too long."""
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise ValueError(f"{name} must be a list of at most {most}, but it was {check.short(value)}.")
    return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and float(value).is_integer()


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be a number, but it was {check.short(value)}.")
    return check.scalar(name, value)
