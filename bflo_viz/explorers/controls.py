"""Traits with a control: stock traitlets, tagged with what the page has to know in order to offer them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

SEEDS = 2**32 - 1  # the largest one


class _Finite(traitlets.CFloat[float, Any]):
    """A number between two ends, and never nan."""

    def validate(self, obj: Any, value: Any) -> float:
        number = super().validate(obj, value)
        return self.error(obj, value) if np.isnan(number) else number


class _List(traitlets.List[Any]):
    """A list that can also be given as an array."""

    _cast_types = (tuple, np.ndarray)


def _tagged(trait: Any, default: Any, **spec: Any) -> Any:
    return trait.tag(sync=True, control={"default": default, "help": trait.help, **spec})


def number(
    default: float | None, low: float, high: float, *, label: str, step: float = 0.05, unit: str = "", about: str = ""
) -> Any:
    """Return a trait for a finite number; None as the default stands for what is usual."""
    ends: dict[str, Any] = {"min": low, "max": high, "allow_none": default is None}
    trait = _Finite(default, help=about, **ends)
    return _tagged(trait, default, kind="number", low=low, high=high, step=step, label=label, unit=unit)


def whole(default: int, low: int = 0, high: int = SEEDS, *, label: str, unit: str = "", about: str = "") -> Any:
    """Return a trait for a whole number; with the default ends it is a seed, which is typed."""
    spec = {"kind": "number", "whole": True, "low": low, "high": high, "step": 1, "label": label, "unit": unit}
    return _tagged(traitlets.Int(default, min=low, max=high, help=about), default, **spec)


def numbers(default: list[float] | None, low: float, high: float, *, about: str = "") -> Any:
    """Return a trait for two numbers; None as the default stands for what is usual."""
    one = _Finite(min=low, max=high)
    trait = _List(one, default, allow_none=default is None, help=about, minlen=2, maxlen=2)
    return _tagged(trait, default, kind="numbers", low=low, high=high, step=0.01, length=2)


def choice(
    default: Any,
    options: Mapping[Any, str] | Sequence[Any],
    *,
    label: str = "",
    about: str = "",
    is_open: bool = False,
) -> Any:
    """Return a trait for one of several values, each with its words on the page; an open one shows all of them."""
    words = options if isinstance(options, Mapping) else {value: str(value) for value in options}
    trait = traitlets.Enum(list(words), default, help=about)
    return _tagged(
        trait, default, kind="choice", options=[list(pair) for pair in words.items()], label=label, open=is_open
    )


def several(default: Sequence[Any], options: Sequence[Any], *, label: str = "", about: str = "") -> Any:
    """Return a trait for some of several values."""
    trait = _List(traitlets.Enum(list(options)), list(default), help=about)
    return _tagged(trait, list(default), kind="several", options=[[one, str(one)] for one in options], label=label)


def hidden(trait: Any, default: Any, row: int = 0) -> Any:
    """Return a trait without a control, which links and copied calls carry all the same; a list may have rows."""
    return _tagged(trait, default, kind="hidden", label="", row=row)


def flag(default: bool = False, *, label: str, about: str = "") -> Any:
    """Return a trait that is true or false."""
    return _tagged(traitlets.Bool(default, help=about), default, kind="flag", label=label)
