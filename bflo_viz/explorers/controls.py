"""Traits with a control: stock traitlets, tagged with what the page has to know in order to offer them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets


class _Finite(traitlets.CFloat[float, Any]):
    def validate(self, obj: Any, value: Any) -> float:
        number = super().validate(obj, value)
        return self.error(obj, value) if np.isnan(number) else number


class _List(traitlets.List[Any]):
    _cast_types = (tuple, np.ndarray)  # it can also be given as an array


def _tagged(trait: Any, kind: str, label: str = "", **spec: Any) -> Any:
    about = {"kind": kind, "default": trait.default(), "label": label, "help": trait.help}
    return trait.tag(sync=True, control=about | spec)


def number(
    default: float | None, low: float, high: float, *, label: str, step: float = 0.05, unit: str = "", about: str = ""
) -> Any:
    """Return a trait for a finite number; None as the default stands for what is usual."""
    ends: dict[str, Any] = {"min": low, "max": high, "allow_none": default is None}
    return _tagged(_Finite(default, help=about, **ends), "number", label, low=low, high=high, step=step, unit=unit)


def whole(default: int, low: int = 0, high: int = 2**32 - 1, *, label: str, unit: str = "", about: str = "") -> Any:
    """Return a trait for a whole number; with the default ends it is a seed, which is typed."""
    trait = traitlets.Int(default, min=low, max=high, help=about)
    return _tagged(trait, "number", label, whole=True, low=low, high=high, step=1, unit=unit)


def numbers(default: list[float] | None, low: float, high: float, *, about: str = "") -> Any:
    """Return a trait for two numbers; None as the default stands for what is usual."""
    one = _Finite(min=low, max=high)
    trait = _List(one, default, allow_none=default is None, help=about, minlen=2, maxlen=2)
    return _tagged(trait, "numbers", low=low, high=high, step=0.01, length=2)


def units(default: list[int], most: int, layers: int) -> Any:
    """Return a trait for the number of units in each of some layers."""
    trait = _List(traitlets.Int(min=1, max=most), default, maxlen=layers)
    return _tagged(trait, "numbers", low=1, high=most, step=1)


def choice(default: Any, options: Mapping[Any, str] | Sequence[Any], *, label: str = "", about: str = "") -> Any:
    """Return a trait for one of several values, each with its words on the page."""
    words = options if isinstance(options, Mapping) else {value: str(value) for value in options}
    pairs = [list(pair) for pair in words.items()]
    return _tagged(traitlets.Enum(list(words), default, help=about), "choice", label, options=pairs)


def several(default: Sequence[Any], options: Sequence[Any], *, label: str) -> Any:
    """Return a trait for some of several values."""
    trait = _List(traitlets.Enum(list(options)), list(default))
    return _tagged(trait, "several", label, options=[[one, str(one)] for one in options])


def hidden(trait: Any, row: int = 0) -> Any:
    """Return a trait without a control, which links and copied calls carry all the same; a list may have rows."""
    return _tagged(trait, "hidden", row=row)


def flag(default: bool = False, *, label: str, about: str = "") -> Any:
    """Return a trait that is true or false."""
    return _tagged(traitlets.Bool(default, help=about), "flag", label)
