"""Argument checks at the boundary: one sentence with the argument, what it must be, and what was given."""

import contextlib
import difflib
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
RNG = np.random.Generator | np.random.RandomState


def reals(name: str, value: ArrayLike) -> NDArray[Any]:
    """Return ``value`` as an array of real numbers (not copied if it is one already)."""
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different lengths
        found = np.empty(0, object)
    if found.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be real numbers, but it was {short(value)}.")
    return found


def numbers(name: str, value: ArrayLike) -> Floats:
    """Return ``value`` as a float64 array of finite numbers, of any shape."""
    found = reals(name, value).astype(np.float64, copy=False)
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite, but it was {short(value)}.")
    return found


def vector(name: str, value: ArrayLike, dim: int | None = None) -> Floats:
    """Return ``value`` as a one-dimensional float64 array of ``dim`` finite numbers (of any length but 0 if None)."""
    found = numbers(name, value)
    if found.ndim != 1 or found.size != (dim or found.size) or found.size == 0:
        wanted = "be a one-dimensional array such as [0.0]" if dim is None else f"have shape ({dim},)"
        raise ValueError(f"{name} must {wanted}, but it has shape {found.shape}.")
    return found


def pair(w: Any, w_new: Any, dim: int) -> tuple[Floats, Floats]:
    """Return a weight before and after its step as finite vectors, with one quick look at those that are."""
    if type(w) is type(w_new) is np.ndarray and w.shape == w_new.shape == (dim,) and math.isfinite((w + w_new).sum()):
        return w, w_new
    return vector("w", w, dim), vector("w_new", w_new, dim)


def rows(name: str, value: ArrayLike, dim: int) -> Floats:
    """Return ``value`` as finite numbers whose last axis has length ``dim``: one point, or a cloud of them."""
    found = numbers(name, value)
    if found.ndim == 0 or found.shape[-1] != dim:
        raise ValueError(f"{name} must have {dim} numbers per point, but it has shape {found.shape}.")
    return found


def scalar(name: str, value: Any, *, least: float = -math.inf) -> float:
    """Return ``value`` as one finite float, not below ``least``."""
    found = numbers(name, value)
    if found.ndim != 0 or found < least:
        raise ValueError(f"{name} must be a single number of at least {least:g}, but it was {short(value)}.")
    return float(found)


def positive_number(name: str, value: Any) -> float:
    """Return ``value`` as one finite float above zero."""
    found = scalar(name, value)
    if found <= 0:
        raise ValueError(f"{name} must be positive, but it was {short(value)}.")
    return found


def probability(name: str, value: Any) -> float:
    """Return ``value`` as one float from 0 to below 1."""
    found = scalar(name, value, least=0.0)
    if found >= 1:
        raise ValueError(f"{name} must be below 1, but it was {short(value)}.")
    return found


def sign(name: str, value: Any) -> int:
    """Return ``value`` as the integer +1 or -1."""
    return int(choice(name, value, (1, -1)))


def flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False."""
    return bool(choice(name, value, (True, False)))


def positive_int(name: str, value: Any) -> int:
    """Return ``value`` as an integer, 1 or more."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 1 <= value < 1 << 40:
        return int(value)
    raise ValueError(f"{name} must be a whole number from 1 to 2⁴⁰, but it was {short(value)}.")


def choice(name: str, value: Any, options: tuple[Any, ...]) -> Any:
    """Return ``value`` if it is one of ``options``."""
    if isinstance(value, (str, int, float, np.generic)) and value in options:
        return value
    raise ValueError(f"{name} must be {' or '.join(map(repr, options))}, but it was {short(value)}.")


def did_you_mean(name: Any, names: Iterable[str]) -> str:
    """Return the one of ``names`` that a mistyped ``name`` most likely meant, or all of them, as a clause."""
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(str(name).lower(), by_lower, n=1)
    return f"did you mean {by_lower[near[0]]!r}?" if near else f"there are {', '.join(by_lower.values())}."


def generator(rng: Any, *, legacy: bool = True) -> Any:
    """Return ``rng`` if it is a NumPy generator; ``legacy=False`` refuses a ``RandomState``."""
    if isinstance(rng, np.random.Generator) or (legacy and isinstance(rng, np.random.RandomState)):
        return rng
    raise ValueError(
        f"rng must be a numpy.random.Generator such as numpy.random.default_rng(0), but it was {short(rng)}."
    )


def sparse(name: str, matrix: Any) -> Any:
    """Return a sparse matrix whose indices lie in its shape: compiled code would write beyond its arrays."""
    if not hasattr(matrix, "indptr"):
        try:
            coo = matrix.tocoo()
            return type(coo)((coo.data, coo.coords), shape=coo.shape)  # SciPy looks at the indices
        except (ValueError, IndexError) as problem:
            raise ValueError(f"{name} is malformed: {str(problem).rstrip('.')}.") from None
    shape, sizes = (1, *matrix.shape)[-2:], getattr(matrix, "blocksize", (1, 1))
    lines, width = (count // size for count, size in zip(shape, sizes, strict=True))
    if matrix.format == "csc":
        lines, width = width, lines
    begin, stored = matrix.indptr, min(len(matrix.data), len(matrix.indices))
    if len(begin) != lines + 1 or begin[0] != 0 or begin[-1] > stored or (begin[1:] < begin[:-1]).any():
        raise ValueError(f"{name}.indptr must be {lines + 1} numbers that go up from 0 to {stored} or less.")
    indices = matrix.indices[: begin[-1]]
    if len(indices) and not 0 <= indices.min() <= indices.max() < width:
        raise ValueError(f"the indices of {name} must lie from 0 to {width - 1}; if they count from 1, subtract 1.")
    return matrix


def short(value: Any) -> str:
    """Return ``value`` as an error shows it: on one line, and not too long."""
    text = " ".join((str if isinstance(value, np.ndarray) else repr)(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


class UserError(ValueError):
    """A mistake in what a user named, wrote or placed; its message is one sentence that says what to do."""


@contextlib.contextmanager
def naming(place: str, *kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of a value, and of other kinds, into a `UserError` that begins with the file or part at fault."""
    errors: tuple[type[Exception], ...] = (ValueError, *kinds)
    try:
        yield
    except errors as problem:
        text = " ".join(str(getattr(problem, "strerror", None) or problem).split())
        text = re.sub(r"(\w+)\.__init__\(\) got an unexpected keyword argument", r"\1 has no setting", text)
        raise UserError(f"{place}: {text}") from None
