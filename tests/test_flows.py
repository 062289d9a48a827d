"""`bflo_viz.flows` against 50 digits and numerical minimisers."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import minimise_over_stretches, precise_stretch, precise_stretch_kl

from bflo_viz import Regime, regime, stretch, stretch_kl

SMALLEST = 5e-324
SIZES = (0.0, 1e-150, 1e-16, 0.3, 1.0, 7.0, 1e9, 1e75)
SIGNED = sorted({sign * x for x in SIZES for sign in (1.0, -1.0)})
BRANCHES = (1, -1)
ordinary = st.floats(-50, 50)
finite = st.floats(-1e75, 1e75) | st.sampled_from(SIGNED)


def is_precise(got, exact, relative=1e-14, absolute=0.0):
    """Compare a float with a multi-digit number."""
    with mpmath.workdps(50):
        return abs(mpmath.mpf(float(got)) - exact) <= relative * abs(exact) + absolute


# stretch


@given(u=finite, v=finite, branch=st.sampled_from(BRANCHES), dim=st.sampled_from((1, 2, 7, 1000)))
def test_stretch_is_precise_at_any_distance(u, v, branch, dim):
    """`stretch` has a relative error below 1e-14, also where the printed formula cancels to nothing."""
    assert is_precise(stretch(u, v, branch=branch, dim=dim), precise_stretch(u, v, branch, dim))


@given(u=finite, dim=st.integers(1, 2000))
def test_stretch_is_exactly_one_where_nothing_moved(u, dim):
    assert stretch(u, u, dim=dim) == 1.0
    assert stretch(u, -u, branch=-1, dim=dim) == -1.0


def test_stretch_of_arrays_broadcasts_and_equals_the_scalars():
    u, v = np.array([[-2.0], [0.0], [3.0]]), np.array([1.0, -4.0])
    table = stretch(u, v, branch=-1, dim=3)
    assert table.shape == (3, 2)
    assert [[stretch(float(x), float(y), branch=-1, dim=3) for y in v] for x in u.ravel()] == table.tolist()
    assert type(stretch(1.0, 2.0)) is float
    assert type(stretch(np.float64(1.0), 2)) is float


def test_stretch_of_astronomic_distances_is_refused():
    """A product of distances that has no square gives one sentence in place of an infinite stretch."""
    with pytest.raises(FloatingPointError, match="distances in standard deviations"):
        stretch(1e100, 2e100)


# stretch_kl


@given(a=st.floats(1e-6, 1e6), sign=st.sampled_from(BRANCHES), u=ordinary, v=ordinary, dim=st.integers(1, 1000))
def test_stretch_kl_is_the_divergence_with_50_digits(a, sign, u, v, dim):
    exact = precise_stretch_kl(sign * a, u, v, dim)
    cancelled = 1e-15 * (abs(v) + a * abs(u)) ** 2
    assert is_precise(stretch_kl(sign * a, u, v, dim=dim), exact, 1e-12, 1e-15 * dim + cancelled)


def test_stretch_kl_is_infinite_at_zero():
    """The two branches are separated by an infinite wall at a = 0, without a warning."""
    assert stretch_kl(0.0, 1.0, 1.0) == np.inf
    assert stretch_kl(np.array([1.0, 0.0]), 1.0, 1.0).tolist() == [0.0, np.inf]


@pytest.mark.parametrize("branch", BRANCHES)
@given(u=st.floats(-8, 8), v=st.floats(-8, 8), dim=st.sampled_from((1, 2, 30)))
def test_stretch_is_the_lowest_point_of_its_branch(branch, u, v, dim):
    a = stretch(u, v, branch=branch, dim=dim)
    where, depth = minimise_over_stretches(lambda a: float(precise_stretch_kl(a, u, v, dim)), branch)
    assert a == pytest.approx(where, rel=1e-6)
    assert stretch_kl(a, u, v, dim=dim) == pytest.approx(depth, rel=1e-10, abs=1e-12)


# regime


BELOW, ABOVE = np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)
PAIRS = {
    Regime.CONTRACTING: [(1, 0.5), (-1, -0.5), (1, 0), (1, BELOW), (1e-200, 5e-201), (1e-323, SMALLEST)],
    Regime.CROSSING: [(1, -0.5), (-1, 3), (1, -SMALLEST), (1e-200, -1e-200), (SMALLEST, -SMALLEST), (1e300, -1e300)],
    Regime.EXPANDING: [(1, 2), (-1, -2), (1, ABOVE), (1e-200, 2e-200), (SMALLEST, 1e-323), (1e200, 1e300)],
    Regime.UNCHANGED: [(1, 1), (0, 5), (0, -5), (0, 0), (-0.0, 0.0), (SMALLEST, SMALLEST)],
}


@pytest.mark.parametrize("expected", PAIRS)
def test_regime_at_its_boundaries(expected):
    """Each regime ends where the paper says, also where the product of the two distances underflows or overflows."""
    for delta, delta_new in PAIRS[expected]:
        assert regime(delta, delta_new) is expected, (delta, delta_new)


@given(u=finite, v=finite)
def test_regime_tells_what_the_stretch_does(u, v):
    name, a = regime(u, v), stretch(u, v)
    if name in (Regime.CONTRACTING, Regime.CROSSING):
        assert a <= 1
    elif name == Regime.EXPANDING:
        assert a >= 1
    else:
        assert a == 1


def test_regime_of_arrays_gives_names():
    names = regime([[1.0], [-1.0]], [2.0, 0.5, 1.0])
    assert names.tolist() == [["expanding", "contracting", "unchanged"], ["crossing", "crossing", "crossing"]]
    assert regime([1.0, 1.0, 1.0], [-0.5, -2.0, 0.5], branch=-1).tolist() == ["contracting", "expanding", "crossing"]
