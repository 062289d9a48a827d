"""Argument checks: one sentence that names the argument, what it was, and what it must be."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def reals(name: str, value: ArrayLike) -> Floats:
    """Return ``value`` as a float64 array of any shape (not copied if it is one already)."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a regular array of numbers, but its rows differ in length.") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, but it was {_short(value)}.")
    return array.astype(np.float64, copy=False)


def numbers(name: str, value: ArrayLike) -> Floats:
    """Return ``value`` as a float64 array of finite numbers, of any shape."""
    array = reals(name, value)
    # A finite sum proves every term finite, in one pass and without a mask; only a sum that overflows needs a look.
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(array.sum())
    if not math.isfinite(total):
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            place = f"[{', '.join(map(str, bad[0]))}]" if array.ndim else ""
            raise ValueError(f"{name} must be finite, but {name}{place} is {array[tuple(bad[0])]}.")
    return array


def shaped(name: str, value: ArrayLike, dim: int | None = None) -> Floats:
    """Return ``value`` as a one-dimensional float64 array of length ``dim`` (of any but 0 if None)."""
    array = reals(name, value)
    if array.ndim != 1 or array.size == 0:
        wanted = "a one-dimensional array such as [0.0]" if dim is None else f"of shape ({dim},)"
        raise ValueError(f"{name} must be {wanted}, but it has shape {array.shape}.")
    if dim is not None and array.size != dim:
        raise ValueError(f"{name} must have shape ({dim},) as the mean has, but it has shape {array.shape}.")
    return array


def vector(name: str, value: ArrayLike, dim: int | None = None) -> Floats:
    """Return ``value`` as a one-dimensional float64 array of ``dim`` finite numbers (of any length but 0 if None)."""
    return numbers(name, shaped(name, value, dim))


def rows(name: str, value: ArrayLike, dim: int) -> Floats:
    """Return ``value`` as finite numbers whose last axis has length ``dim``: one point, or a cloud of them."""
    array = numbers(name, value)
    if array.ndim == 0 or array.shape[-1] != dim:
        raise ValueError(
            f"{name} must have {dim} numbers a point, shape (..., {dim}), but it has shape {array.shape}."
        )
    return array


def positive(name: str, value: ArrayLike) -> Floats:
    """Return ``value`` as finite numbers above zero."""
    array = numbers(name, value)
    if array.size and not array.min() > 0:
        where = np.unravel_index(int(array.argmin()), array.shape)
        place = f"[{', '.join(map(str, where))}]" if array.ndim else ""
        raise ValueError(f"{name} must be positive, but {name}{place} is {array.min():g}.")
    return array


def scalar(name: str, value: Any, *, least: float = -math.inf) -> float:
    """Return ``value`` as one finite float, not below ``least``."""
    array = numbers(name, value)
    if array.ndim != 0:
        raise ValueError(f"{name} must be a single number, but it has shape {array.shape}.")
    if array < least:
        raise ValueError(f"{name} must be at least {least:g}, but it was {float(array):g}.")
    return float(array)


def sign(name: str, value: Any) -> int:
    """Return ``value`` as the integer +1 or -1."""
    if isinstance(value, (int, float, np.integer, np.floating)) and value in (1, -1):
        return int(value)
    raise ValueError(f"{name} must be +1 or -1, but it was {_short(value)}.")


def flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False, but it was {_short(value)}.")


def dimension(name: str, value: Any) -> int:
    """Return ``value`` as an integer, 1 or more."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ValueError(f"{name} must be a whole number, 1 or more, but it was {_short(value)}.")


def choice(name: str, value: Any, options: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``options``."""
    if isinstance(value, str) and value in options:
        return value
    raise ValueError(f"{name} must be {' or '.join(map(repr, options))}, but it was {_short(value)}.")


def generator(rng: Any) -> np.random.Generator:
    """Return ``rng`` if it is a numpy Generator: every random draw comes from one that was passed in."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise ValueError(
        f"rng must be a numpy.random.Generator such as numpy.random.default_rng(0), but it was {_short(rng)}."
    )


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
