"""Traits that know their control, and whose errors are one sentence: which trait, what it must be, what it was."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from traitlets import TraitError, TraitType

from bflo_viz import _checks as check

SEEDS = 2**32 - 1  # the largest one


class Checked(TraitType[Any, Any]):
    """A synced trait; `_check` gives the value to keep, or raises a ValueError that says what is wrong.

    ``label`` is what its control is called, ``help`` one sentence about it; `about` is what the page gets of both.
    """

    kind: ClassVar[str]

    def __init__(self, default: Any, *, label: str | tuple[str, ...] = "", help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.label = label
        self.tag(sync=True)

    def about(self) -> dict[str, Any]:
        """What a page needs to know in order to offer this trait, and to mend a value that it cannot have."""
        label = list(self.label) if isinstance(self.label, tuple) else self.label or str(self.name)
        return {"kind": self.kind, "label": label, "help": self.help, "default": self.default_value}

    def _check(self, name: str, value: Any) -> Any:
        raise NotImplementedError

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value to keep, or say in one sentence what is wrong with it."""
        try:
            return self._check(str(self.name), value)
        except ValueError as problem:
            raise TraitError(str(problem)) from None


class _Ranged(Checked):
    """Numbers between two ends, set in steps and shown with so many digits and a unit."""

    def __init__(
        self,
        default: Any,
        *,
        low: float,
        high: float,
        step: float = 0.05,
        digits: int = 2,
        unit: str = "",
        label: str | tuple[str, ...] = "",
        help: str = "",  # noqa: A002
    ) -> None:
        super().__init__(default, label=label, help=help)
        self.low, self.high, self.step, self.digits, self.unit = low, high, step, digits, unit

    def about(self) -> dict[str, Any]:
        """Ends, step, digits and unit of the slider."""
        names = ("low", "high", "step", "digits", "unit")
        return super().about() | {name: getattr(self, name) for name in names}


class Number(_Ranged):
    """A finite number between two ends; None too, if that is its default: it stands for what is usual elsewhere."""

    kind = "number"

    def _check(self, name: str, value: Any) -> float | None:
        if value is None and self.default_value is None:
            return None
        return _between(name, _number(name, value), self.low, self.high)


class Whole(_Ranged):
    """A whole number between two ends."""

    kind = "whole"

    def __init__(self, default: int, *, low: int = 0, high: int = SEEDS, **about: Any) -> None:
        super().__init__(default, low=low, high=high, step=1, digits=0, **about)

    def _check(self, name: str, value: Any) -> int:
        if not isinstance(value, (int, np.integer)) and _number(name, value) != round(_number(name, value)):
            raise ValueError(f"{name} must be a whole number, but it was {check.short(value)}.")
        if isinstance(value, bool) or not self.low <= value <= self.high:
            raise ValueError(
                f"{name} must be a whole number from {self.low} to {self.high}, but it was {check.short(value)}."
            )
        return int(value)


class _OfOptions(Checked):
    """Out of several values, each with a text; a value without one is its own."""

    def __init__(self, default: Any, *, options: Mapping[Any, str] | Sequence[Any], **about: Any) -> None:
        super().__init__(default, **about)
        self.options = tuple(options)
        self._texts = list(options.values()) if isinstance(options, Mapping) else [str(value) for value in options]

    def about(self) -> dict[str, Any]:
        """The options as pairs of a value and its text."""
        return super().about() | {"options": [list(pair) for pair in zip(self.options, self._texts, strict=True)]}


class Choice(_OfOptions):
    """One of several names or numbers."""

    kind = "choice"

    def _check(self, name: str, value: Any) -> Any:
        if isinstance(value, (str, int, float, np.integer, np.floating)) and not isinstance(value, bool):
            for option in self.options:
                if value == option:
                    return option
        raise ValueError(f"{name} must be {' or '.join(map(repr, self.options))}, but it was {check.short(value)}.")


class Subset(_OfOptions):
    """A list of names out of several, without repeats; kept in their order."""

    kind = "subset"

    def make_dynamic_default(self) -> list[str]:
        """A list of its own for each explorer."""
        return list(self.default_value)

    def _check(self, name: str, value: Any) -> list[str]:
        if not isinstance(value, (list, tuple)) or any(one not in self.options for one in value):
            raise ValueError(
                f"{name} must be a list of {', '.join(map(repr, self.options))}, but it was {check.short(value)}."
            )
        return [option for option in self.options if option in value]


class Flag(Checked):
    """True or False."""

    kind = "flag"

    def _check(self, name: str, value: Any) -> bool:
        return check.flag(name, value)


class Point(_Ranged):
    """Two finite numbers, each between the same two ends; kept as a list, since that is what the browser has."""

    kind = "point"

    def make_dynamic_default(self) -> list[float]:
        """A list of its own for each explorer."""
        return list(self.default_value)

    def _check(self, name: str, value: Any) -> list[float]:
        numbers = check.numbers(name, value)
        if numbers.shape != (2,):
            raise ValueError(f"{name} must be two numbers such as [0.0, 1.0], but it was {check.short(value)}.")
        return [_between(f"{name}[{i}]", float(x), self.low, self.high) for i, x in enumerate(numbers)]


def _number(name: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be a number, but it was {check.short(value)}.")
    return check.scalar(name, value)


def _between(name: str, value: float, low: float, high: float) -> float:
    if not low <= value <= high:
        # As short as it can be said without saying that 4 is above 4.
        shown = f"{value:g}" if float(f"{value:g}") == value else repr(value)
        raise ValueError(f"{name} must be from {low:g} to {high:g}, but it was {shown}.")
    return value
