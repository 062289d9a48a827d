"""Traits whose errors are one sentence: which trait, what it must be, what it was."""

from typing import Any

import numpy as np
from traitlets import TraitError, TraitType

from bflo_viz import _checks as check


class _Checked(TraitType[Any, Any]):
    """A synced trait; `_check` gives the value to keep, or raises a ValueError that says what is wrong."""

    def __init__(self, default: Any, *, help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.tag(sync=True)

    def _check(self, name: str, value: Any) -> Any:
        raise NotImplementedError

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value to keep, or say in one sentence what is wrong with it."""
        try:
            return self._check(str(self.name), value)
        except ValueError as problem:
            raise TraitError(str(problem)) from None


class Number(_Checked):
    """A finite number between two ends."""

    def __init__(self, default: float, *, low: float, high: float, help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.low, self.high = low, high

    def _check(self, name: str, value: Any) -> float:
        return _between(name, _number(name, value), self.low, self.high)


class Whole(_Checked):
    """A whole number between two ends."""

    def __init__(self, default: int, *, low: int = 0, high: int = 2**32 - 1, help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.low, self.high = low, high

    def _check(self, name: str, value: Any) -> int:
        if not isinstance(value, (int, np.integer)) and _number(name, value) != round(_number(name, value)):
            raise ValueError(f"{name} must be a whole number, but it was {check.short(value)}.")
        if isinstance(value, bool) or not self.low <= value <= self.high:
            raise ValueError(
                f"{name} must be a whole number from {self.low} to {self.high}, but it was {check.short(value)}."
            )
        return int(value)


class Choice(_Checked):
    """One of several names or numbers."""

    def __init__(self, default: Any, *, options: tuple[Any, ...], help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.options = options

    def _check(self, name: str, value: Any) -> Any:
        if isinstance(value, (str, int, float, np.integer, np.floating)) and not isinstance(value, bool):
            for option in self.options:
                if value == option:
                    return option
        raise ValueError(f"{name} must be {' or '.join(map(repr, self.options))}, but it was {check.short(value)}.")


class Subset(_Checked):
    """A list of names out of several, without repeats; kept in their order."""

    def __init__(self, default: list[str], *, options: tuple[str, ...], help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.options = options

    def make_dynamic_default(self) -> list[str]:
        """A list of its own for each explorer."""
        return list(self.default_value)

    def _check(self, name: str, value: Any) -> list[str]:
        if not isinstance(value, (list, tuple)) or any(one not in self.options for one in value):
            raise ValueError(
                f"{name} must be a list of {', '.join(map(repr, self.options))}, but it was {check.short(value)}."
            )
        return [option for option in self.options if option in value]


class Flag(_Checked):
    """True or False."""

    def _check(self, name: str, value: Any) -> bool:
        return check.flag(name, value)


class Point(_Checked):
    """Two finite numbers, each between the same two ends; kept as a list, since that is what the browser has."""

    def __init__(self, default: list[float], *, low: float, high: float, help: str = "") -> None:  # noqa: A002
        super().__init__(default, help=help)
        self.low, self.high = low, high

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
