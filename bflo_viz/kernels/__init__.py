"""The learners' rounds compiled with numba: whole passes over a stream, with their randomness passed in.

Kernels are plain Python that numba compiles when they are first called. They draw from the `numpy.random.Generator`
that they are given, by the rule that `Learner` states. The numbers are NumPy's to the bit, and so is the state that
the generator is left in. Numba does not lock the generator; the caller of a kernel does.

Every kernel takes the state as arrays that it changes in place, the compressed rows of the stream (no zeros, and no
index twice in a row), their labels, the generator that it draws from, and its settings. It writes for each round the
label that it predicted before any update, and the loss of that prediction. None of them checks its arguments.
"""

from collections.abc import Callable
from functools import cache
from inspect import isfunction
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Rows = tuple[Array, Array, Array]  # compressed: the inputs that are not zero, their columns, where each row begins
Real = Any  # a float32 or float64 scalar
_LARGEST_32, _LARGEST_64 = 1.7e38, 8.9e307


def judge(logit: float, right: bool) -> tuple[float, float]:
    """What an output says, and its loss ``−log z`` or ``−log(1 − z)``, finite at any logit."""
    small = np.exp(-abs(logit))
    z = (1.0 if logit >= 0 else small) / (1.0 + small)
    return z, max(-logit if right else logit, 0.0) + np.log1p(small)


def draw(rng: np.random.Generator, out: Array) -> None:
    """Fill in standard normals, drawn as doubles whatever ``out`` holds."""
    for i in range(out.size):
        out[i] = rng.standard_normal()


def carry(mean: Array, std: Array, z: Array, x: Array, rate: Real, non_expansive: bool, floor: Real) -> None:
    """Carry Gaussians along as each weight ``mean + z std`` moves by ``rate x``: `flows.carry`, in place.

    A width whose square underflows (below about 1e-22 in float32, 1e-161 in float64) may fall to zero, earlier than
    in `flows.carry`; its weight then moves as in gradient descent until an expanding step widens it again. The floor
    is for weights that move; the caller of a kernel has raised the others to it.
    """
    zero, half, one = mean.dtype.type(0), mean.dtype.type(0.5), mean.dtype.type(1)
    largest = mean.dtype.type(_LARGEST_32 if mean.itemsize == 4 else _LARGEST_64)
    for i in range(mean.size):
        u, sigma, step = z[i], std[i], rate * x[i]
        moved = u * sigma + step
        p = half * u * moved
        q = one + u * u
        variance = sigma * sigma
        # Where the square of p overflows, the root is |p| to rounding.
        root = abs(p) + max(abs(p), np.sqrt(min(p * p, largest) + q * variance))
        crosses = p < zero  # there p + root would cancel: variance / (root − p) is the same number
        s = (variance if crosses else root) / (root if crosses else q)
        s = min(s, sigma) if non_expansive else s
        still = step == zero
        mean[i] += zero if still else moved - u * s
        std[i] = sigma if still else max(s, floor)


def compress(X: Array, data: Array, columns: Array, begin: Array) -> None:
    """Write what is not zero in dense rows, its columns, and where each row begins."""
    count = 0
    for r in range(len(X)):
        for j in range(X.shape[1]):  # a zero is written, too, and then written over
            data[count] = X[r, j]
            columns[count] = j
            count += X[r, j] != 0
        begin[r + 1] = count


@cache
def compressor() -> Callable[..., Any]:
    """Return `compress`, compiled when first called; as it is, where numba is not installed."""
    return _stored(compress, error_model="numpy", nogil=True) if available() else compress


@cache
def available() -> bool:
    """Whether numba is there to compile the kernels; the first call makes what they share ready for them."""
    try:
        from numba.extending import register_jitable
    except ImportError:
        return False
    # Draws are NumPy's to the bit, so they do not take over the freedoms that a kernel gives to its sums.
    register_jitable(error_model="numpy", fastmath=False)(draw)
    for helper in (judge, carry):
        register_jitable(error_model="numpy")(helper)
    return True


@cache
def compiled(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The kernels of a module by name, to be compiled when first called; none where numba is not installed.

    Its functions of a state are the kernels, the others their helpers. ``FASTMATH`` is what sums are free to do.
    """
    if not available():
        return {}
    from numba.extending import register_jitable

    kernels = {}
    for name, function in vars(module).items():
        if isfunction(function) and function.__module__ == module.__name__:
            if function.__code__.co_varnames[0] == "state":
                kernels[name] = _stored(function, error_model="numpy", nogil=True, fastmath=module.FASTMATH)
            else:
                register_jitable(error_model="numpy")(function)
    return kernels


def plain(kernel: Callable[..., Any], *arguments: Any) -> None:
    """Run a kernel as it is, without numba: for a handful of weights that is faster than arrays are."""
    with np.errstate(all="ignore"):  # as if it were compiled
        kernel(*arguments)


def _stored(kernel: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile a kernel, and store the result on disk where there is a place."""
    from numba import njit

    try:
        return njit(cache=True, **options)(kernel)  # type: ignore[no-any-return]
    except RuntimeError:  # neither this package's folder nor the user's cache can be written to
        return njit(**options)(kernel)  # type: ignore[no-any-return]
