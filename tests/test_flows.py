"""`bflo_viz.flows` against 50 digits and numerical minimisers."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    minimise_over_stretches,
    precise_carry,
    precise_stretch,
    precise_stretch_kl,
)

from bflo_viz import Regime, minimum, regime, stretch, stretch_kl
from bflo_viz.flows import carry, norm, turn

LARGEST, SMALLEST = float(np.finfo(float).max), 5e-324
EXTREME = (0.0, SMALLEST, 3e-320, 2.3e-308, 1e-300, 1e-150, 1e-16, 0.3, 1.0, 7.0, 1e9, 1e16, 1e150, 1e300, LARGEST)
SIGNED_EXTREMES = sorted({sign * x for x in EXTREME for sign in (1.0, -1.0)})
BRANCHES = (1, -1)
ordinary = st.floats(-50, 50)
finite = st.floats(allow_nan=False, allow_infinity=False)


def is_precise(got, exact, relative=1e-14, absolute=0.0):
    """Whether a float agrees with a multi-digit number, up to the spacing of subnormal numbers."""
    with mpmath.workdps(50):
        return abs(mpmath.mpf(float(got)) - exact) <= relative * abs(exact) + absolute + 2 * mpmath.mpf(SMALLEST)


# stretch


@pytest.mark.parametrize("dim", [1, 2, 1000])
@pytest.mark.parametrize("branch", BRANCHES)
def test_stretch_is_precise_for_extreme_values(branch, dim):
    """`stretch` has a relative error below 1e-14 for any pair of zero, subnormal, tiny, huge and largest numbers."""
    for u in SIGNED_EXTREMES:
        for v in SIGNED_EXTREMES:
            got = stretch(u, v, branch=branch, dim=dim)
            assert is_precise(got, precise_stretch(u, v, branch, dim)), (u, v, got)


@given(u=finite, v=finite, branch=st.sampled_from(BRANCHES), dim=st.sampled_from((1, 2, 7, 1000)))
def test_stretch_is_precise_for_any_value(u, v, branch, dim):
    """`stretch` has a relative error below 1e-14 for any two floats."""
    assert is_precise(stretch(u, v, branch=branch, dim=dim), precise_stretch(u, v, branch, dim))


@given(u=finite, dim=st.integers(1, 2000))
def test_stretch_is_exactly_one_where_nothing_moved(u, dim):
    """u = v gives 1, and u = -v gives -1 on the reflected branch, to the bit."""
    assert stretch(u, u, dim=dim) == 1.0
    assert stretch(u, -u, branch=-1, dim=dim) == -1.0


def test_stretch_of_arrays_broadcasts_and_equals_the_scalars():
    """Arrays broadcast and hold what the scalar calls give; scalars give a float."""
    u, v = np.array([[-2.0], [0.0], [3.0]]), np.array([1.0, -4.0])
    table = stretch(u, v, branch=-1, dim=3)
    assert table.shape == (3, 2)
    assert [[stretch(float(x), float(y), branch=-1, dim=3) for y in v] for x in u.ravel()] == table.tolist()
    assert type(stretch(1.0, 2.0)) is float
    assert type(stretch(np.float64(1.0), 2)) is float


# stretch_kl, width_kl, minimum


@given(a=st.floats(1e-6, 1e6), sign=st.sampled_from(BRANCHES), u=ordinary, v=ordinary, dim=st.integers(1, 1000))
def test_stretch_kl_is_the_divergence_with_50_digits(a, sign, u, v, dim):
    """`stretch_kl` agrees with ½ (v − a u)² + ½ dim (a² − 1 − log a²)."""
    exact = precise_stretch_kl(sign * a, u, v, dim)
    cancelled = 1e-15 * (abs(v) + a * abs(u)) ** 2
    assert is_precise(stretch_kl(sign * a, u, v, dim=dim), exact, 1e-12, 1e-15 * dim + cancelled)


def test_stretch_kl_is_infinite_at_zero_and_where_it_overflows():
    """The two branches are separated by an infinite wall at a = 0; overflow is infinite too, without a warning."""
    assert stretch_kl(0.0, 1.0, 1.0) == np.inf
    assert stretch_kl(1e200, 1.0, 1.0) == np.inf
    assert stretch_kl(1e200, 1e200, 1.0) == np.inf
    assert stretch_kl(np.array([1.0, 0.0]), 1.0, 1.0).tolist() == [0.0, np.inf]


@pytest.mark.parametrize("branch", BRANCHES)
@given(u=st.floats(-8, 8), v=st.floats(-8, 8), dim=st.sampled_from((1, 2, 30)))
def test_minimum_is_the_lowest_point_of_its_branch(branch, u, v, dim):
    """No stretch on the branch has a smaller KL (scipy's scalar minimiser as the oracle)."""
    here = minimum(u, v, branch=branch, dim=dim)
    where, depth = minimise_over_stretches(lambda a: float(precise_stretch_kl(a, u, v, dim)), branch)
    assert here.stretch == pytest.approx(where, rel=1e-6)
    assert here.kl == pytest.approx(depth, rel=1e-10, abs=1e-12)


# regime


BELOW, ABOVE = np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)
PAIRS = {
    Regime.CONTRACTING: [(1, 0.5), (-1, -0.5), (1, 0), (1, BELOW), (1e-200, 5e-201), (1e-323, SMALLEST)],
    Regime.CROSSING: [
        (1, -0.5),
        (-1, 3),
        (1, -1),
        (1, -SMALLEST),
        (1e-200, -1e-200),
        (SMALLEST, -SMALLEST),
        (1e300, -1e300),
    ],
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
    """Contracting and crossing never stretch by more than 1, expanding never by less, unchanged by exactly 1."""
    name, a = regime(u, v), stretch(u, v)
    if name in (Regime.CONTRACTING, Regime.CROSSING):
        assert a <= 1
    elif name == Regime.EXPANDING:
        assert a >= 1
    else:
        assert a == 1


def test_regime_of_arrays_gives_names():
    """Arrays broadcast to an array of the names; the names are those of the enumeration."""
    names = regime([[1.0], [-1.0]], [2.0, 0.5, 1.0])
    assert names.tolist() == [["expanding", "contracting", "unchanged"], ["crossing", "crossing", "crossing"]]
    mirrored = regime([[-1.0], [1.0]], [2.0, 0.5, 1.0], branch=-1)  # the belief is turned over first
    assert mirrored.tolist() == names.tolist()


# carry


@pytest.mark.parametrize("non_expansive", [False, True])
@pytest.mark.parametrize("branch", BRANCHES)
def test_carry_is_precise_for_extreme_values(branch, non_expansive):
    """`carry` agrees with 700 digits for widths from 0 to 1e150, distances up to 1e300 and steps of any size."""
    grid = [
        (std, z, step)
        for std in (0.0, 1e-300, 1e-150, 1.0, 1e150)
        for z in (0.0, 1e-300, 1.0, -3.0, 1e9, -1e300)
        for step in (0.0, 1e-300, -1e-150, 1.0, -1.0, 1e9, -1e140)
        if abs(z) * std < 1e290
    ]
    std, z, step = np.array(grid).T
    mean = np.zeros_like(std)
    new_mean, new_std = carry(mean, std, z, step, branch=branch, non_expansive=non_expansive)
    for i, case in enumerate(grid):
        exact_mean, exact_std = precise_carry(0.0, *case, branch, non_expansive)
        # Rounding of the new offset from the mean, which may cancel, and of a width among the subnormal numbers.
        rounding = 1e-15 * (abs(z[i] * std[i]) + abs(step[i]))
        assert is_precise(new_std[i], exact_std, 4e-15, rounding / max(1.0, abs(z[i]))), case
        assert is_precise(new_mean[i], exact_mean, 1e-14, rounding + abs(z[i]) * SMALLEST), case


# norm, turn


@pytest.mark.parametrize("scale", [0.0, SMALLEST, 1e-310, 1e-200, 1e-140, 1.0, 1e150, 1e200, 3e307])
def test_norm_of_the_smallest_and_largest_vectors(scale):
    """The length of a (3, 4) vector is 5 at any scale, without a warning."""
    assert norm(np.array([3 * scale, -4 * scale])) == pytest.approx(5 * scale, rel=1e-15, abs=0)


def unit(vector):
    """Vector of length 1."""
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("rotation", [1, -1])
@given(
    dim=st.integers(2, 7), seed=st.integers(0, 10**6), apart=st.sampled_from((0.0, 1e-15, 1e-13, 1e-11, 1e-6, 1.0))
)
def test_turn_is_orthogonal_and_takes_source_to_target(rotation, dim, seed, apart):
    """`turn` is a rotation (a reflection for rotation=-1) that takes source to target, parallel or not."""
    rng = np.random.default_rng(seed)
    source = unit(rng.normal(size=dim))
    for sign in (1, -1):
        target = unit(sign * source + apart * unit(rng.normal(size=dim)))
        U = turn(np.eye(dim), source, target, rotation=rotation).T
        np.testing.assert_allclose(U @ source, target, atol=1e-14)
        np.testing.assert_allclose(U @ U.T, np.eye(dim), atol=1e-13)
        assert np.linalg.det(U) == pytest.approx(rotation)


@given(dim=st.integers(3, 7), seed=st.integers(0, 10**6))
def test_turn_leaves_what_is_orthogonal_to_its_plane(dim, seed):
    """Directions orthogonal to source and target stay where they are."""
    source, target, other = (unit(x) for x in np.random.default_rng(seed).normal(size=(3, dim)))
    plane = np.linalg.qr(np.column_stack([source, target]))[0]
    other = other - plane @ (plane.T @ other)
    for rotation in (1, -1):
        np.testing.assert_allclose(turn(other, source, target, rotation=rotation), other, atol=1e-14)
