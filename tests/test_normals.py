"""Tests of the counter-based normals: exactness, accuracy, distribution, independence.

All keys are fixed, so every test is deterministic; statistical bounds are set where
a sound generator would fail about once in a thousand choices of key or less.  Set
NORMALS_SLOW=1 to add tail counts on 10^10 draws (about two minutes).
"""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import special, stats

from bflo_viz.kernels import normals

KEY = (0x0BF10, 0x5EED)
FILL = {np.float32: normals.fill32, np.float64: normals.fill64}
SCALAR = {np.float32: normals.normal32, np.float64: normals.normal64}
EDGES = np.array(
    [
        0,
        1,
        2,
        2**30 - 1,
        2**30,
        2**30 + 1,
        2**31 - 1,
        2**31,
        2**31 + 1,
        3 * 2**30 - 1,
        3 * 2**30,
        2**32 - 2,
        2**32 - 1,
    ],
    dtype=np.uint64,
)
both = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])


def draw(dtype, n, key=KEY, start=0):
    out = np.empty(n, dtype)
    FILL[dtype](key, start, out)
    return out


@pytest.fixture(scope="module")
def sample():
    """10^7 draws of each precision."""
    return {dtype: draw(dtype, 10**7) for dtype in FILL}


def assert_uncorrelated(x, y):
    """No correlation of values, of squares, nor of one with the other's square."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    n, p, q = x.size, (x * x - 1) / np.sqrt(2), (y * y - 1) / np.sqrt(2)
    for a, b in ((x, y), (p, q), (x, q), (p, y)):
        assert abs(a @ b) < 4.7 * np.sqrt(n)


# --- The hash and the two engines ---------------------------------------------------


def test_philox_published_vectors():
    """The known answers of Philox-2x32-10, with key_hi xor-ed away."""
    for words, key, expected in (
        ((0, 0), 0, (0xFF1DAE59, 0x6CD10DF2)),
        ((0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFF, (0x2C3F628B, 0xAB4FD7AD)),
        ((0x243F6A88, 0x85A308D3), 0x13198A2E, (0xDD7CE038, 0xF62A4C12)),
    ):
        block = np.uint64(words[0] | words[1] << 32)
        assert tuple(map(int, normals.philox(key, 0, block))) == expected
        swapped = np.uint64(words[0])
        assert tuple(map(int, normals.philox(key, words[1], swapped))) == expected


def test_avalanche():
    """Flipping any bit of counter or key flips each output bit half of the time."""
    rng, n = np.random.default_rng(1), 4000
    block, lo, hi = (rng.integers(0, 2**b, n, dtype=np.uint64) for b in (63, 32, 32))
    base = normals.philox(lo, hi, block)
    worst = 0.0
    for bit in range(128):
        flip = [np.uint64(0)] * 3
        flip[0 if bit < 64 else 1 + (bit >= 96)] = np.uint64(1 << (bit if bit < 64 else bit % 32))
        other = normals.philox(lo ^ flip[1], hi ^ flip[2], block ^ flip[0])
        for a, b in zip(base, other, strict=True):
            flips = np.unpackbits((a ^ b)[:, None].view(np.uint8), axis=1).reshape(n, 8, 8)[:, :4]
            worst = max(worst, np.abs(flips.mean(0) - 0.5).max())
    assert worst < 5.2 * 0.5 / np.sqrt(n)  # 8192 cells


def test_golden_values():
    assert normals.key_from(np.random.default_rng(3)) == (3485385464, 367860371)
    counters = [0, 1, 2, 3, 10**6, 2**33 + 1, 2**64 - 1]
    for dtype, golden in GOLDEN.items():
        values = normals.normals_numpy(KEY, counters, dtype)
        assert values.dtype == dtype and [v.hex() for v in values.astype(float)] == golden


def test_both_precisions_give_the_same_numbers():
    """The float32 stream of a key is its float64 stream rounded: passes in either see the same noise."""
    single, double = draw(np.float32, 10**6).astype(np.float64), draw(np.float64, 10**6)
    assert np.abs(single - double).max() < 2e-6


@both
def test_engines_agree_bit_for_bit(dtype):
    assert normals.enable_numba() is not None
    for start in (0, 1, 2**33 - 7, 2**64 - 64):
        for n in (0, 1, 2, 3, 63):
            counters = np.array([start + j for j in range(n)], dtype=np.uint64)
            expected = normals.normals_numpy(KEY, counters, dtype)
            assert np.array_equal(draw(dtype, n, start=start), expected)
    filled = draw(dtype, 200_000, start=5)
    pick = np.random.default_rng(2).permutation(200_000)[:50_000]
    assert np.array_equal(normals.normals_numpy(KEY, 5 + pick, dtype), filled[pick])


@both
def test_without_numba(dtype, monkeypatch):
    filled = draw(dtype, 20_001, start=3)
    monkeypatch.setattr(normals, "enable_numba", lambda: None)
    assert np.array_equal(draw(dtype, 20_001, start=3), filled)


@both
def test_plain_scalars_and_shapes(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [SCALAR[dtype](*KEY, i) for i in range(500)]
    grid = normals.normals_numpy(KEY, np.arange(500).reshape(20, 25), dtype)
    assert grid.shape == (20, 25) and np.array_equal(grid.ravel(), values)
    assert all(type(v) is dtype for v in values)


def test_fill_refuses_other_arrays():
    for out in (np.empty(4), np.empty((2, 2), np.float32)):
        with pytest.raises(ValueError, match="1-d"):
            normals.fill32(KEY, 0, out)


@pytest.mark.slow
def test_fastmath_callers_change_nothing():
    """A kernel compiled with fastmath, first in its process, gets the same bits."""
    code = """if True:
        import numpy as np
        from bflo_viz.kernels import normals
        from numba import njit
        normals.enable_numba()
        from bflo_viz.kernels.normals import normal32, normal64
        @njit(fastmath=True)
        def kernel(lo, hi, a, b):
            for j in range(a.size):
                a[j], b[j] = normal32(lo, hi, j), normal64(lo, hi, j)
        a, b = np.empty(9999, np.float32), np.empty(9999)
        kernel(11, 12, a, b)
        for out in (a, b):
            assert np.array_equal(out, normals.normals_numpy((11, 12), np.arange(9999), out.dtype))
    """
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, "-c", code], check=True, cwd=here)


# --- The map to N(0, 1) -------------------------------------------------------------


def test_float32_map_accuracy_and_extremes():
    words = np.random.default_rng(4).integers(0, 2**32, 500_000, dtype=np.uint64)
    # Words packed towards both ends probe the far tail and the radii near 0.
    small = words >> (words % np.uint64(31))
    words = np.concatenate([words, small, np.uint64(2**32 - 1) - small, EDGES])
    u = words.astype(np.float64) + 0.5
    exact = np.sqrt(-2 * np.where(u < 2**31, np.log(u / 2**32), np.log1p(-(2**32 - u) / 2**32)))
    r, c = normals.radius32(words), normals.cosine32(words)
    assert np.abs(r / exact - 1).max() < 1.8e-7  # three units of 2^-24
    assert np.abs(c - np.cos(2 * np.pi * u / 2**32)).max() < 2.1e-7
    assert np.isfinite(r).all() and np.isfinite(c).all() and np.abs(c).max() <= 1 + 3e-7
    assert abs(r.max() - np.sqrt(66 * np.log(2))) < 1e-6 and 1e-5 < r.min() < 2e-5
    assert np.array_equal(normals.cosine32(words ^ np.uint64(0xFFFFFFFF)), c)  # even
    assert np.array_equal(normals.cosine32(words + np.uint64(2**31)), -c)  # half a turn


def test_float64_map_accuracy_and_extremes():
    rng = np.random.default_rng(5)
    high, low = (rng.integers(0, 2**32, 400_000, dtype=np.uint64) for _ in range(2))
    high >>= rng.integers(0, 33, high.size, dtype=np.uint64)
    high = np.concatenate([high, np.uint64(2**32 - 1) - high, np.repeat(EDGES, EDGES.size)])
    low = np.concatenate([low, low, np.tile(EDGES, EDGES.size)])
    k = ((high << np.uint64(20)) | (low >> np.uint64(12))).astype(np.longdouble)
    u = (2 * k + 1) / np.longdouble(2) ** 53
    exact = np.sqrt(-2 * np.where(u < 0.5, np.log(u), np.log1p(u - 1)))
    r, c = normals.radius64(high, low), normals.cosine64(high, low)
    assert np.isfinite(r).all() and np.isfinite(c).all() and np.abs(c).max() <= 1 + 3e-7
    assert abs(r.max() - np.sqrt(106 * np.log(2))) < 1e-12 and 1e-8 < r.min() < 2e-8
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("long double is no wider than double here")
    pi = np.longdouble("3.14159265358979323846264338327950288")
    assert np.abs(r / exact - 1).max() < 5e-16  # five units of 2^-53
    assert np.abs(c - np.cos(2 * pi * (k / np.longdouble(2) ** 52 - 0.5))).max() < 4e-16


# --- Distribution -------------------------------------------------------------------


@both
def test_moments(sample, dtype):
    z = sample[dtype].astype(np.float64)
    assert np.isfinite(z).all() and 5 < np.abs(z).max() < 6.5
    double = [special.factorial2(k - 1) if k % 2 == 0 else 0.0 for k in range(13)]
    double[0] = 1.0
    power = np.ones_like(z)
    for k in range(1, 7):
        power *= z
        variance = double[2 * k] - double[k] ** 2
        assert abs(power.mean() - double[k]) < 4 * np.sqrt(variance / z.size)


@both
def test_kolmogorov_smirnov(sample, dtype):
    z = np.sort(sample[dtype]).astype(np.float64)
    cdf, grid = special.ndtr(z), np.arange(z.size + 1) / z.size
    distance = max((cdf - grid[:-1]).max(), (grid[1:] - cdf).max())
    assert stats.kstwobign.sf(distance * np.sqrt(z.size)) > 1e-3


def tail_counts(dtype, n, key=KEY, size=1 << 20):
    buffer, counts = np.empty(size, dtype), {}
    for start in range(0, n, size):
        part = buffer[: min(size, n - start)]
        FILL[dtype](key, start, part)
        far = part[np.abs(part) > 3.5]
        for level in (4, 4.5, 5, 5.5, 6):
            for sign in (1, -1):
                counts[sign * level] = counts.get(sign * level, 0) + int((sign * far > level).sum())
    return counts


@both
@pytest.mark.parametrize(
    "n", [10**8, pytest.param(10**10, marks=pytest.mark.skipif(not os.environ.get("NORMALS_SLOW"), reason="slow"))]
)
def test_tails(dtype, n):
    for level, count in tail_counts(dtype, n).items():
        p = special.ndtr(-abs(level))
        print(f"{np.dtype(dtype)} n={n:.0e} beyond {level}: {count} expected {n * p:.1f}")
        low, high = stats.binom.cdf(count, n, p), stats.binom.sf(count - 1, n, p)
        assert min(low, high) > 2e-4


def test_duplicates():
    """float32 repeats values as often as rounding a true normal would, float64 never."""
    n = 10**6
    z = draw(np.float32, n)
    _, counts = np.unique(z, return_counts=True)
    pairs = (counts * (counts - 1) // 2).sum()
    expected = 0.0  # n^2/2 times the integral of density^2 times spacing, by binade
    for exponent in range(-40, 3):
        a, b = 2.0**exponent, 2.0 ** (exponent + 1)
        square = np.diff(special.ndtr(np.sqrt(2) * np.array([a, b])))[0] / (2 * np.sqrt(np.pi))
        expected += n * n * square * 2.0 ** (exponent - 23)  # both signs
    assert abs(pairs - expected) < 5 * np.sqrt(expected)
    assert np.unique(draw(np.float64, n)).size == n


# --- Independence -------------------------------------------------------------------


@pytest.mark.slow
@both
def test_lags(sample, dtype):
    z = sample[dtype][: 10**6 + 64]
    for lag in range(1, 65):
        assert_uncorrelated(z[:-64], z[lag : z.size - 64 + lag])


@pytest.mark.slow
@both
def test_lanes(sample, dtype):
    z = sample[dtype].astype(np.float64)
    for lanes in (2, 4, 8, 16):
        table = z.reshape(-1, lanes)
        rows = len(table)
        for columns in (table, (table**2 - 1) / np.sqrt(2)):
            # The second sample moment of squares spreads more than that of normals.
            spread = 2.0 if columns is table else 14.0
            moments = columns.T @ columns / rows
            assert np.abs(columns.mean(0)).max() < 4.5 / np.sqrt(rows)
            assert np.abs(moments - np.diag(np.diag(moments))).max() < 4.5 / np.sqrt(rows)
            assert np.abs(np.diag(moments) - 1).max() < 4.5 * np.sqrt(spread / rows)


@pytest.mark.slow
@both
def test_neighbouring_pairs_are_jointly_normal(sample, dtype):
    """Chi-square of (z[i], z[i+1]) on a 16 x 16 grid, within pairs and across them."""
    cells = np.minimum((special.ndtr(sample[dtype].astype(np.float64)) * 16).astype(int), 15)
    for first in (0, 1):
        joint = cells[first:-2:2] * 16 + cells[first + 1 : -1 : 2][: len(cells[first:-2:2])]
        assert stats.chisquare(np.bincount(joint, minlength=256)).pvalue > 1e-3


@pytest.mark.slow
@both
def test_nearby_keys_and_counters(dtype):
    n, (lo, hi) = 10**6, KEY
    base = draw(dtype, n, start=8)
    for d_lo, d_hi in ((0, 1), (1, 0), (1, 1), (0, 1 << 31), (1 << 31, 0), (2, 0), (0, 2)):
        for shift in (-2, -1, 0, 1, 2):
            assert_uncorrelated(base, draw(dtype, n, key=(lo + d_lo, hi + d_hi), start=8 + shift))


@pytest.mark.slow
@both
def test_many_keys_at_one_counter(dtype):
    """The same few counters under consecutive keys look like one more normal sample."""
    keys = np.arange(4 * 10**5, dtype=np.uint64)
    for counter in (0, 1):
        for lo, hi in ((keys, np.uint64(0)), (np.uint64(0), keys)):
            z = SCALAR[dtype](lo, hi, np.full(keys.size, counter, np.uint64)).astype(np.float64)
            assert stats.kstest(z, special.ndtr).pvalue > 1e-3
            for lag in (1, 2, 3, 4, 8):
                assert_uncorrelated(z[:-lag], z[lag:])


GOLDEN = {
    np.float32: [
        "0x1.22ac100000000p+0",
        "-0x1.59e6c60000000p-2",
        "-0x1.20ea260000000p-2",
        "0x1.0c27780000000p+0",
        "0x1.05f9060000000p+1",
        "0x1.1027580000000p-2",
        "0x1.6e6d580000000p+0",
    ],
    np.float64: [
        "0x1.22ac0fc7220e0p+0",
        "-0x1.59e6c4ce5b405p-2",
        "-0x1.20ea277716dabp-2",
        "0x1.0c2777c9f4601p+0",
        "0x1.05f90614b96e4p+1",
        "0x1.1027564f5498ap-2",
        "0x1.6e6d5781d4229p+0",
    ],
}
