"""Counter-based Gaussian numbers: normal i of a pass is a pure function of (key, i).

A pass draws one 64-bit key from its generator; every normal it needs is then
``normal32(key_lo, key_hi, i)`` or ``normal64(key_lo, key_hi, i)``: no state to
carry, any order, any subset.  The hash is Philox-2x32-10 (Salmon et al., 2011), the
map to N(0, 1) Box and Muller's, its log and cosine fitted by ``fit_normals.py``.

One source serves two engines.  The elementwise functions below work on NumPy arrays
as they stand; being branch-free and explicit about integer widths, the very same
lines compile under numba to loops that LLVM vectorises.  Each operation used
(integers, + - * / sqrt, bit views) is exactly rounded and none may be fused or
reordered, so the two engines agree to the last bit.

Kernels of other modules may call these functions once `enable_numba` has run; over
a contiguous range `pair32` and `pair64` cost about half of two single normals.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Key = tuple[int, int]
Word = Any  # a uint64: scalar in numba, scalar or array in NumPy
Real = Any  # likewise, a float32 or float64

# --- Philox-2x32: 32-bit words in 64-bit lanes --------------------------------------
# AVX2 multiplies 32x32 -> 64 bits in such lanes, and nothing below overflows them.
_ROUNDS = 10
_MULTIPLIER, _WEYL = np.uint64(0xD256D193), np.uint64(0x9E3779B9)
_LOW = np.uint64(0xFFFFFFFF)
_1, _12, _20, _30, _32, _52 = (np.uint64(n) for n in (1, 12, 20, 30, 32, 52))
_QUARTER_TURN, _HALF_TURN = np.uint64(1 << 30), np.uint64(1 << 31)


def philox(key_lo: Word, key_hi: Word, block: Word) -> tuple[Word, Word]:
    """Hash a 64-bit block number to two 32-bit words.

    Philox-2x32 takes a 32-bit key, `key_lo`.  `key_hi` offsets the high half of the
    counter, so two keys that share `key_lo` read disjoint runs of 2^32 blocks.
    """
    x = block & _LOW
    y = (block >> _32) ^ np.uint64(key_hi)
    key = np.uint64(key_lo)
    for _ in range(_ROUNDS):
        product = x * _MULTIPLIER
        x = (product >> _32) ^ key ^ y
        y = product & _LOW
        key = (key + _WEYL) & _LOW
    return x, y


# --- float32: one block of 32 + 32 bits makes two normals ---------------------------
_I1, _I23, _I31 = np.int32(1), np.int32(23), np.int32(31)
_SQRT_HALF_32 = np.int32(0x3F3504F3)  # the bits of float32(sqrt(1/2))
_MANTISSA_32, _MAX_32 = np.int32(0x7FFFFF), np.int32(0x7FFFFFFF)
_F05, _F1, _F2 = np.float32(0.5), np.float32(1), np.float32(2)
_UNIT_32, _UNIT_31 = np.float32(2.0**-32), np.float32(2.0**-31)
_LOG4_32 = np.float32(2 * np.log(2.0))
_L0, _L1, _L2, _L3 = (np.float32(c) for c in (-0.59848785, -0.799497, -1.3333364, -4.0))
_C0, _C1, _C2 = np.float32(0.0001516717), np.float32(-0.0046741436), np.float32(0.07968992)
_C3, _C4 = np.float32(-0.6459638), np.float32(1.5707964)


def radius32(word: Word) -> Real:
    """sqrt(-2 log u) for u = (word + 1/2) / 2^32, accurate for u near 0 and near 1."""
    signed = np.int32(word)
    # t is the distance from u to the nearer end of (0, 1): the end at 1 if negative.
    t = (np.float32(np.int32(signed ^ (signed >> _I31))) + _F05) * _UNIT_32
    end = np.float32(signed < 0)
    v = end - t
    # |v| = 2^e m with m in [sqrt(1/2), sqrt(2)); then log(m) = 2 atanh((m-1) / (m+1)).
    bits = np.int32(np.float32(np.abs(v)).view(np.int32) - _SQRT_HALF_32)
    e = np.float32(np.int32(bits >> _I23))
    m = np.int32((bits & _MANTISSA_32) + _SQRT_HALF_32).view(np.float32)
    # (end - v) - t is what rounding 1 - t lost; it matters where m - 1 is tiny.
    f = (m - _F1) + ((end - v) - t)
    s = f / (_F2 + f)
    y = s * s
    return np.sqrt(((_L0 * y + _L1) * (y * y) + (_L2 * y + _L3)) * s - _LOG4_32 * e)


def cosine32(word: Word) -> Real:
    """Cosine of (word + 1/2) / 2^32 turns; only the low 32 bits of `word` count."""
    signed = np.int32(word)
    # cos(a) = sin(pi/2 - |a|), where the folded angle is exactly odd * pi / 2^32.
    odd = np.int32(np.int32(np.int32(signed ^ (signed >> _I31)) << _I1) ^ _MAX_32)
    x = np.float32(odd) * _UNIT_31
    y = x * x
    w = y * y
    return ((_C0 * w + (_C1 * y + _C2)) * w + (_C3 * y + _C4)) * x


def pair32(key_lo: Word, key_hi: Word, pair: Word) -> tuple[Real, Real]:
    """Normals 2 * pair and 2 * pair + 1 of the float32 stream, from one hash."""
    a, b = philox(key_lo, key_hi, np.uint64(pair))
    r = radius32(a)
    return r * cosine32(b), r * cosine32(b + _QUARTER_TURN)


def normal32(key_lo: Word, key_hi: Word, counter: Word) -> Real:
    """Normal number `counter` of the float32 stream of a key.

    Parameters
    ----------
    key_lo, key_hi
        The key, as `key_from` draws it.
    counter
        Index of the normal, a 64-bit unsigned integer.
    """
    i = np.uint64(counter)
    a, b = philox(key_lo, key_hi, i >> _1)
    return radius32(a) * cosine32(b + ((i & _1) << _30))


# --- float64: the same block, mapped in double precision ----------------------------
_HALF = np.uint64(0x80000000)  # half a step of a 32-bit word, as the word below it
_ONE_64 = np.uint64(0x3FF0000000000000)  # the bits of 1.0
_SQRT_HALF_64 = np.uint64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
_REBIAS_64 = _ONE_64 - _SQRT_HALF_64
_MANTISSA_64 = np.uint64(0xFFFFFFFFFFFFF)
_MAGIC = np.uint64(0x4330000000000000)  # the bits of 2^52: or-ing n in adds n
_MAGIC_BIASED = 2.0**52 + 1023
_BELOW_1 = 1 - 2.0**-53
_LOG4 = 2 * float(np.log(2.0))
_M0, _M1, _M2 = -0.296194238655238, -0.3062505599607264, -0.3636726337168523
_M3, _M4, _M5 = -0.4444439411324569, -0.571428575212853, -0.7999999999860467
_M6, _M7 = -1.333333333333353, -4.0
_D0, _D1, _D2 = 5.87297574479995e-12, -6.684416831856085e-10, 5.6921364280986254e-08
_D3, _D4, _D5 = -3.5988430204672576e-06, 0.0001604411847130916, -0.004681754135304255
_D6, _D7, _D8 = 0.07969262624616565, -0.6459640975062462, 1.5707963267948966


def _one_to_two(high: Word, low: Word) -> Real:
    """1 + k / 2^52 with k the top 52 of the 64 bits (high, low)."""
    return np.uint64(((high & _LOW) << _20) | (low >> _12) | _ONE_64).view(np.float64)


def radius64(high: Word, low: Word) -> Real:
    """sqrt(-2 log u) for u an odd multiple of 2^-53, which float64 holds exactly."""
    u = _one_to_two(high, low) - _BELOW_1
    bits = np.float64(u).view(np.uint64) + _REBIAS_64
    e = np.uint64((bits >> _52) | _MAGIC).view(np.float64) - _MAGIC_BIASED
    f = np.uint64((bits & _MANTISSA_64) + _SQRT_HALF_64).view(np.float64) - 1.0
    s = f / (2.0 + f)
    y = s * s
    w = y * y
    p = ((_M0 * y + _M1) * w + (_M2 * y + _M3)) * w + (_M4 * y + _M5)
    return np.sqrt((p * w + (_M6 * y + _M7)) * s - _LOG4 * e)


def cosine64(high: Word, low: Word) -> Real:
    """Cosine of k / 2^52 - 1/2 turns, k the top 52 of the 64 bits (high, low)."""
    # x, a quarter turn less the angle in units of a quarter turn, is exact.
    x = 1.0 - 4.0 * np.abs(_one_to_two(high, low) - 1.5)
    y = x * x
    w = y * y
    p = (_D0 * w + (_D1 * y + _D2)) * w + (_D3 * y + _D4)
    return ((p * w + (_D5 * y + _D6)) * w + (_D7 * y + _D8)) * x


def pair64(key_lo: Word, key_hi: Word, pair: Word) -> tuple[Real, Real]:
    """Normals 2 * pair and 2 * pair + 1 of the float64 stream, from one hash: `pair32` in higher precision."""
    return map_pair64(*philox(key_lo, key_hi, np.uint64(pair)))


def map_pair64(a: Word, b: Word) -> tuple[Real, Real]:
    """Second half of `pair64`, after the hash."""
    r = radius64(a, _HALF)
    b = b + _HALF_TURN  # `cosine64` counts from the opposite side
    return r * cosine64(b, _HALF), r * cosine64(b + _QUARTER_TURN, _HALF)


def normal64(key_lo: Word, key_hi: Word, counter: Word) -> Real:
    """Normal number `counter` of the float64 stream of a key: `normal32` in higher precision."""
    return map64(*hash64(key_lo, key_hi, counter))


def hash64(key_lo: Word, key_hi: Word, counter: Word) -> tuple[Word, Word]:
    """First half of `normal64`: the words that the radius and the angle of a normal are made of."""
    i = np.uint64(counter)
    a, b = philox(key_lo, key_hi, i >> _1)
    return a, b + _HALF_TURN + ((i & _1) << _30)


def map64(radius: Word, angle: Word) -> Real:
    """Second half of `normal64`."""
    return radius64(radius, _HALF) * cosine64(angle, _HALF)


# --- Keys and arrays ----------------------------------------------------------------
_CHUNK = 4096  # keeps the NumPy engine's temporaries in cache


def key_from(rng: np.random.Generator) -> Key:
    """Draw a 64-bit key, as two 32-bit integers, from a generator.

    A key serves one stream, in either precision; draw another for another stream.
    """
    return split_key(rng.integers(0, 1 << 64, dtype=np.uint64))


def split_key(key: Any) -> Key:
    """Split a 64-bit key into its low and high 32 bits."""
    return int(key) & 0xFFFFFFFF, int(key) >> 32


def normals_numpy(key: Key, counters: ArrayLike, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """The normals at the given counters, without numba; same values as the kernels."""
    normal = normal32 if np.dtype(dtype) == np.float32 else normal64
    counters = np.asarray(counters, dtype=np.uint64)
    flat, out = counters.ravel(), np.empty(counters.size, dtype)
    for j in range(0, flat.size, _CHUNK):
        out[j : j + _CHUNK] = normal(*key, flat[j : j + _CHUNK])
    return out.reshape(counters.shape)


def fill32(key: Key, start: int, out: NDArray[np.float32]) -> None:
    """Write normals start, start + 1, ... of the float32 stream of `key` into 1-d `out`."""
    _fill(key, start, out, np.float32, _loop32, pair32)


def fill64(key: Key, start: int, out: NDArray[np.float64]) -> None:
    """Write normals start, start + 1, ... of the float64 stream of `key` into 1-d `out`."""
    _fill(key, start, out, np.float64, _loop64, pair64)


def _fill(
    key: Key, start: int, out: NDArray[Any], dtype: type, loop: Callable[..., Any], pair: Callable[..., Any]
) -> None:
    if out.dtype != dtype or out.ndim != 1:
        raise ValueError(f"out must be a 1-d {np.dtype(dtype)} array")
    first, skip = divmod(start, 2)
    pairs = (skip + out.size + 1) // 2
    # Ends that cut a pair in two are rare enough to go through a copy.
    whole = out if 2 * pairs == out.size else np.empty(2 * pairs, out.dtype)
    compiled = enable_numba()
    if compiled:
        compiled[loop](np.uint64(key[0]), np.uint64(key[1]), np.uint64(first), whole)
    else:
        for j in range(0, pairs, _CHUNK):
            part = whole[2 * j : 2 * (j + _CHUNK)]
            block = np.uint64(first + j) + np.arange(part.size // 2, dtype=np.uint64)
            part[::2], part[1::2] = pair(*key, block)
    if whole is not out:
        out[:] = whole[skip : skip + out.size]


def _loop32(key_lo: Word, key_hi: Word, first: Word, out: NDArray[Any]) -> None:
    for j in range(out.size // 2):
        out[2 * j], out[2 * j + 1] = pair32(key_lo, key_hi, first + np.uint64(j))


def _loop64(key_lo: Word, key_hi: Word, first: Word, out: NDArray[Any]) -> None:
    for j in range(out.size // 2):
        out[2 * j], out[2 * j + 1] = pair64(key_lo, key_hi, first + np.uint64(j))


def row64(key_lo: Word, key_hi: Word, start: Any, out: NDArray[Any]) -> None:
    """Write float64 normals start, start + 1, ... into ``out``: for kernels, where rows may start at an odd index."""
    i = 0
    if start % 2 == 1 and out.size > 0:
        out[0] = normal64(key_lo, key_hi, np.uint64(start))
        i = 1
    pairs = (out.size - i) // 2
    first = np.uint64((start + i) // 2)
    for j in range(pairs):
        out[i + 2 * j], out[i + 2 * j + 1] = pair64(key_lo, key_hi, first + np.uint64(j))
    if i + 2 * pairs < out.size:
        out[out.size - 1] = normal64(key_lo, key_hi, np.uint64(start + out.size - 1))


@cache
def enable_numba() -> dict[Callable[..., Any], Callable[..., Any]] | None:
    """Import numba and make this module's elementwise functions callable in kernels.

    Returns the compiled filling loops, or None where numba is not installed.
    """
    try:
        from numba.extending import register_jitable
    except ImportError:
        return None
    # A caller's fastmath would be inherited, and break the exact reductions, were it
    # not refused here; the numpy error model spares a zero-division branch that would
    # prevent vectorisation.
    strict: dict[str, Any] = {"fastmath": False, "error_model": "numpy"}
    for function in (
        philox,
        radius32,
        cosine32,
        pair32,
        normal32,
        _one_to_two,
        radius64,
        cosine64,
        map_pair64,
        pair64,
        hash64,
        map64,
        normal64,
    ):
        register_jitable(forceinline=True, **strict)(function)
    register_jitable(**strict)(row64)
    return {loop: compiled(loop, **strict) for loop in (_loop32, _loop64)}


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile a function with numba when it is first called, and keep the result on disk where there is a place."""
    from numba import njit

    try:
        return njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:  # neither this package's folder nor the user's cache can be written to
        return njit(**options)(function)  # type: ignore[no-any-return]
