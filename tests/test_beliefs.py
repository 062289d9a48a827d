"""What every belief promises, for random beliefs and moves, against oracles that share no code with the package."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    gaussian_kl,
    minimise_over_matrices,
    minimise_over_scaled_rotations,
    precise_carry,
    precise_entropy,
    precise_kl,
    precise_stretch,
    printed_stretch,
    theorem_1,
)
from strategies import (
    KINDS,
    assert_same_belief,
    factor_of,
    make_belief,
    moves,
    moves_with_options,
    random_correlation,
    some_belief,
)

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief

OFF_THE_MEAN = ("anywhere", "a small step", "towards", "away", "across")
each_kind = pytest.mark.parametrize("kind", KINDS)


def assert_near(got, expected, unit, tolerance=1e-11):
    """The difference is rounding, measured in units that fit each number."""
    assert np.all(np.abs(got - expected) <= tolerance * unit), (got, expected, unit)


# The flow and its posterior


@given(moves_with_options(), st.integers(0, 2**32 - 1))
def test_flow_transport_and_affine_map_are_one_map(drawn, seed):
    """w goes to w_new, a cloud of any shape to A p + b, and the prior to A mu + b and A Sigma Aᵀ."""
    (belief, w, w_new, unit), options = drawn
    A, b = belief.affine_map(w, w_new, **options)
    assert_near(A @ w + b, w_new, unit)
    assert_near(belief.transport(w, w, w_new, **options), w_new, unit)
    points = belief.sample(np.random.default_rng(seed), 6).reshape(2, 3, belief.dim)
    moved = belief.transport(points, w, w_new, **options)
    assert moved.shape == points.shape
    assert_near(moved, points @ A.T + b, 10 * unit)
    post = belief.flow(w, w_new, **options)
    assert_near(post.mean, A @ belief.mean + b, unit)
    assert_near(post.covariance, A @ belief.covariance @ A.T, np.outer(unit, unit))
    assert type(post) is type(belief)


@given(moves_with_options())
def test_non_expansive_flow_widens_no_direction(drawn):
    """Prior minus posterior covariance has no negative eigenvalue, and a flow that narrows is left as it is."""
    (belief, w, w_new, _), options = drawn
    options["non_expansive"] = True
    post = belief.flow(w, w_new, **options)
    unit = np.sqrt(np.diag(belief.covariance))
    change = (belief.covariance - post.covariance) / np.outer(unit, unit)
    assert np.linalg.eigvalsh(change)[0] >= -1e-11
    assert post.entropy() <= belief.entropy() + 1e-11
    free = belief.flow(w, w_new, **options | {"non_expansive": False})
    if isinstance(belief, DiagonalBelief):
        assert np.array_equal(post.std, np.minimum(free.std, belief.std))
    elif free.entropy() < belief.entropy() - 1e-9:
        assert_same_belief(post, free)
    else:
        assert post.entropy() == pytest.approx(belief.entropy(), abs=1e-9)


@given(moves(kinds=(FullBelief,), ways=OFF_THE_MEAN), st.sampled_from((1, -1)), st.sampled_from((1, -1)))
def test_full_flow_is_theorem_1(move, delta_1, delta_2):
    """All four solutions of Theorem 1 by the book (eigendecomposition, 2x2 matrix) have this posterior and map."""
    belief, w, w_new, _ = move
    unit = np.sqrt(np.diag(belief.covariance))  # the book's eigenvectors need numbers of one size
    mean, correlation = belief.mean / unit, belief.covariance / np.outer(unit, unit)
    book = theorem_1(mean, correlation, w / unit, w_new / unit, delta_1, delta_2)
    post = belief.flow(w, w_new, branch=delta_1)
    tolerance = 1e-10 * (1 + np.abs(mean).max() + np.abs(w / unit - mean).max() + np.abs(w_new / unit - mean).max())
    np.testing.assert_allclose(post.mean / unit, book.mean, atol=tolerance)
    np.testing.assert_allclose(post.covariance / np.outer(unit, unit), book.covariance, atol=tolerance**2 / 1e-10)
    directions = np.column_stack([w - belief.mean, w_new - belief.mean]) / unit[:, None]
    turns = np.linalg.svd(directions / np.linalg.norm(directions, axis=0))[1]
    if belief.dim == 1 or turns[-1] > 1e-3:  # otherwise the book leaves nu-hat open, and with it the map
        A, _ = belief.affine_map(w, w_new, branch=delta_1, rotation=delta_2)
        np.testing.assert_allclose(A * unit / unit[:, None], book.A, atol=1e3 * tolerance)


@given(moves(kinds=(DiagonalBelief,)), st.sampled_from((1, -1)), st.booleans())
def test_diagonal_flow_moves_each_coordinate_by_itself(move, branch, non_expansive):
    """Each coordinate has the width and mean of the one-dimensional flow, computed with many digits."""
    belief, w, w_new, unit = move
    post = belief.flow(w, w_new, branch=branch, non_expansive=non_expansive)
    for i in range(belief.dim):
        z = (w[i] - belief.mean[i]) / belief.std[i]
        exact = precise_carry(belief.mean[i], belief.std[i], z, w_new[i] - w[i], branch, non_expansive)
        assert_near(post.mean[i], float(exact[0]), unit[i], 1e-13)
        assert_near(post.std[i], abs(float(exact[1])), unit[i], 1e-13)


@given(moves(kinds=(SphericalBelief,), ways=OFF_THE_MEAN), st.sampled_from((1, -1)), st.booleans())
def test_spherical_flow_is_the_printed_update(move, branch, exact):
    """The new width is |a| std and the mean moves by (1 − a u / v) of the new offset, with n = 1 or n = dim."""
    belief, w, w_new, unit = move
    u, v = (np.linalg.norm(x - belief.mean) / belief.std for x in (w, w_new))
    a = float(precise_stretch(u, v, branch, belief.dim if exact else 1))  # in floats the printed form may cancel
    post = belief.flow(w, w_new, branch=branch, rule="exact" if exact else "printed")
    assert post.std == pytest.approx(abs(a) * belief.std, rel=1e-13)
    assert_near(post.mean, belief.mean + (1 - a * u / v) * (w_new - belief.mean), unit)


@pytest.mark.parametrize("size", [16_384, 32_767, 32_768, 32_769, 70_000])
def test_diagonal_flow_of_many_weights_equals_the_flow_of_each(size):
    """Working through the weights in blocks leaves no seam, with or without the normals that made them."""
    rng = np.random.default_rng(size)
    prior, z = DiagonalBelief(rng.normal(size=size), rng.uniform(0.1, 2, size)), rng.normal(size=size)
    w = prior.weight(z)
    w_new = w + rng.normal(size=size)
    a = printed_stretch(z, (w_new - prior.mean) / prior.std)
    for post in (prior.flow(w, w_new), prior.flow(w, w_new, z=z)):
        np.testing.assert_allclose(post.std, a * prior.std, rtol=1e-11)
        np.testing.assert_allclose(post.mean, w_new - a * (w - prior.mean), atol=1e-11)


@pytest.mark.parametrize("branch", [1, -1])
@pytest.mark.parametrize("dim", [129, 400])
def test_full_flow_of_many_weights_is_the_rank_one_formula(dim, branch):
    """Sigma + (a² − 1)/v² D' D'ᵀ, and factors that stay inverse to each other."""
    rng = np.random.default_rng(dim)
    prior = FullBelief(rng.normal(size=dim), random_correlation(dim, rng))
    w, w_new = prior.sample(rng), 0.2 * prior.mean + 0.5 * prior.sample(rng)
    before, after = w - prior.mean, w_new - prior.mean
    u, v = (np.sqrt(x @ np.linalg.solve(prior.covariance, x)) for x in (before, after))
    a = printed_stretch(u, v, branch)
    post = prior.flow(w, w_new, branch=branch)
    np.testing.assert_allclose(post.mean, prior.mean + (1 - a * u / v) * after, atol=1e-9)
    np.testing.assert_allclose(
        post.covariance, prior.covariance + (a**2 - 1) / v**2 * np.outer(after, after), atol=1e-9
    )
    np.testing.assert_allclose(post.inverse_factor @ post.factor, np.eye(dim), atol=1e-10)
    assert post.entropy() == pytest.approx(prior.entropy() + np.log(abs(a)), abs=1e-9)


# Least KL


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_full_flow_is_the_least_kl_flow_over_all_matrices(dim, seed):
    """No matrix that scipy finds from four starts has a smaller KL, and the posteriors agree."""
    rng = np.random.default_rng([dim, seed])
    belief = some_belief(FullBelief, dim, seed)
    w = belief.sample(rng)
    w_new = belief.sample(rng) if dim > 1 else belief.mean + rng.uniform(0.1, 3) * (w - belief.mean)
    post = belief.flow(w, w_new)
    prior = belief.mean, belief.covariance
    for spread in (0.0, 0.05, 0.2, 0.3):
        noise = spread * np.clip(rng.normal(size=(dim, dim)), -2, 2)
        start = np.eye(dim) + (noise if np.linalg.det(np.eye(dim) + noise) > 0 else 0)
        found = minimise_over_matrices(start, *prior, w, w_new)
        assert post.kl(belief) <= gaussian_kl(found.mean, found.covariance, *prior) + 1e-12
        np.testing.assert_allclose(found.mean, post.mean, atol=1e-6)
        np.testing.assert_allclose(found.covariance, post.covariance, atol=1e-6)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_exact_spherical_flow_is_the_least_kl_flow_over_all_scaled_rotations(dim, seed):
    """Searching over the stretch and the rotation together finds nothing below the exact rule."""
    rng = np.random.default_rng([dim, seed])
    belief = some_belief(SphericalBelief, dim, seed)
    w, w_new = belief.sample(rng, 2)
    start = 0.3 * rng.normal(size=1 + dim * (dim - 1) // 2)
    found = minimise_over_scaled_rotations(start, belief.mean, belief.std, w, w_new)
    post = belief.flow(w, w_new, rule="exact")
    assert post.kl(belief) <= gaussian_kl(found.mean, found.covariance, belief.mean, belief.covariance) + 1e-12
    np.testing.assert_allclose(found.mean, post.mean, atol=1e-5)
    np.testing.assert_allclose(found.covariance, post.covariance, atol=1e-5)


# The floor


@given(moves_with_options(decades=1), st.sampled_from((1e-3, 0.1, 1.0, 5.0)))
def test_min_std_lifts_what_is_below_it_and_nothing_else(drawn, floor):
    """Widths (along any direction, for full) below the floor become the floor; the rest stays, and keeps its bits."""
    (belief, w, w_new, _), options = drawn
    free, floored = belief.flow(w, w_new, **options), belief.flow(w, w_new, min_std=floor, **options)
    untouched = belief.flow(w, w_new, min_std=1e-30, **options)
    assert np.array_equal(untouched.covariance, free.covariance) and untouched.entropy() == free.entropy()
    assert np.array_equal(floored.mean, free.mean)
    axes, widths, _ = np.linalg.svd(factor_of(free))
    lifted = axes * np.maximum(widths, floor)
    np.testing.assert_allclose(floored.covariance, lifted @ lifted.T, rtol=1e-8, atol=1e-9 * widths[0] ** 2)
    assert np.linalg.svd(factor_of(floored))[1][-1] >= floor * (1 - 1e-9) - 1e-13 * widths[0]
    assert floored.entropy() == pytest.approx(float(precise_entropy(lifted)), abs=1e-8)


def test_floor_of_a_full_belief_holds_over_many_flows():
    rng, belief = np.random.default_rng(0), FullBelief(np.zeros(4), np.eye(4))
    for _ in range(300):
        w = belief.sample(rng)
        belief = belief.flow(w, 0.5 * w, non_expansive=True, min_std=0.05)
    assert np.sqrt(np.linalg.eigvalsh(belief.covariance)[0]) == pytest.approx(0.05, rel=1e-9)
    np.testing.assert_allclose(belief.factor @ belief.inverse_factor, np.eye(4), atol=1e-12)


# Divergence and entropy


@given(moves_with_options(decades=1), st.sampled_from(KINDS), st.integers(0, 1000))
def test_kl_and_entropy_are_the_textbook_ones(drawn, other_kind, seed):
    """KL (between beliefs of one type and of different types) and entropy, with 60 digits from the factors."""
    (belief, w, w_new, _), options = drawn
    post = belief.flow(w, w_new, **options)
    for prior in (belief, some_belief(other_kind, belief.dim, seed)):
        expected = float(precise_kl(post.mean, factor_of(post), prior.mean, factor_of(prior)))
        assert post.kl(prior) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert post.kl(prior) >= 0
    assert post.entropy() == pytest.approx(float(precise_entropy(factor_of(post))), rel=1e-11, abs=1e-11)


@each_kind
@pytest.mark.parametrize("far", [1e160, 1e300])
def test_kl_too_large_for_a_float_is_infinite(kind, far):
    here, there = (make_belief(kind, np.array([x]), np.ones(1), np.ones((1, 1))) for x in (0.0, far))
    assert there.kl(here) == np.inf


# Nothing moved


@given(moves(kinds=(DiagonalBelief,), ways=("sparse",)), st.booleans())
def test_coordinates_with_zero_gradient_come_back_to_the_bit(move, non_expansive):
    belief, w, w_new, _ = move
    still = w == w_new
    post = belief.flow(w, w_new, non_expansive=non_expansive)
    assert np.array_equal(post.mean[still], belief.mean[still])
    assert np.array_equal(post.std[still], belief.std[still])
    assert np.diag(belief.affine_map(w, w_new).A)[still] == pytest.approx(1.0, rel=1e-15)


@given(moves_with_options(ways=("still",)))
def test_weight_that_did_not_move_gives_the_identity(drawn):
    """w_new = w leaves the belief as it was, to the bit, and moves no point."""
    (belief, w, w_new, unit), options = drawn
    options["branch"] = 1
    assert_same_belief(belief.flow(w, w_new, **options), belief)
    A, b = belief.affine_map(w, w_new, **options)
    assert np.array_equal(A, np.eye(belief.dim))
    assert np.array_equal(b, np.zeros(belief.dim))
    assert_near(belief.transport(w + unit, w, w_new, **options), w + unit, unit, 1e-14)


# The rows of the notes' table of edge cases

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])
PRIORS = SphericalBelief(MEAN, 0.7), DiagonalBelief(MEAN, [0.5, 1.0, 2.0]), FullBelief(MEAN, COVARIANCE)
OFFSET = np.array([0.9, -0.4, 0.3])
each_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)


def line(kind, std=1.0, mean=0.0):
    """One-dimensional belief of any type."""
    return kind([mean], [[std**2]]) if kind is FullBelief else kind([mean], std)


@each_prior
@pytest.mark.parametrize("rule", ["printed", "exact"])
def test_sample_at_the_mean_only_translates(prior, rule):
    """u = 0: the stretch is 1, the mean becomes w_new to the bit and the widths stay."""
    options = {"rule": rule} if isinstance(prior, SphericalBelief) else {}
    post = prior.flow(MEAN, MEAN + OFFSET, **options)
    assert np.array_equal(post.mean, MEAN + OFFSET)
    assert np.array_equal(post.covariance, prior.covariance)
    A, b = prior.affine_map(MEAN, MEAN + OFFSET, **options)
    np.testing.assert_allclose(A, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(b, OFFSET, atol=1e-15)


def test_sample_moved_onto_the_mean_contracts_along_its_own_direction():
    """v = 0: the direction is that of D, the stretch 1/√(1 + u²), and the mean moves to −a D from it."""
    spherical, diagonal, full = PRIORS
    width = np.linalg.norm(OFFSET) / spherical.std
    for prior, u, dim, options in (
        (spherical, width, 1, {}),
        (spherical, width, 3, {"rule": "exact"}),
        (diagonal, OFFSET / diagonal.std, 1, {}),
        (full, np.sqrt(OFFSET @ np.linalg.solve(COVARIANCE, OFFSET)), 1, {}),
    ):
        a = np.sqrt(dim / (dim + u**2))
        post = prior.flow(MEAN + OFFSET, MEAN, **options)
        np.testing.assert_allclose(post.mean, MEAN - a * OFFSET)
        if prior is full:
            np.testing.assert_allclose(post.covariance, COVARIANCE + (a**2 - 1) / u**2 * np.outer(OFFSET, OFFSET))
        else:
            np.testing.assert_allclose(post.std, a * prior.std)


@pytest.mark.parametrize("std", [1e-149, 1e-100, 1e-8, 1e8, 1e149])
@each_kind
def test_narrow_or_wide_a_belief_flows_alike(kind, std):
    """The flow has no preferred scale: changing all lengths by any factor changes the posterior alike."""
    for offset, new_offset in ((1.3, 0.4), (1.3, -2.0), (0.7, 2.5), (0.0, 1.0), (1.0, 0.0)):
        wide = line(kind).flow([offset], [new_offset])
        narrow = line(kind, std).flow([offset * std], [new_offset * std])
        assert np.all(np.abs(narrow.std / std - wide.std) <= 1e-12)
        assert np.all(np.abs(narrow.mean / std - wide.mean) <= 1e-12)


@each_kind
def test_normals_hold_what_the_rounding_of_a_weight_takes(kind):
    """Where the sample is the mean to the bit, as it is narrower than its rounding, it flows as its normals say."""
    belief, z, step = line(kind, 1e-20, mean=1.0), 1.3, 0.25
    w = belief.weight([z])
    assert w == belief.mean
    post = belief.flow(w, w + step, z=np.array([z]))
    mean, std = precise_carry(1.0, 1e-20, z, step)
    assert np.all(np.abs(post.std / float(std) - 1) <= 1e-12)
    assert np.all(np.abs(post.mean - float(mean)) <= 1e-12)


def test_width_that_squared_itself_away_comes_back():
    """Crossing the mean again and again squares a diagonal width down to 0; a step away from the mean restores it."""
    belief = DiagonalBelief([0.0], 1e-3)
    for _ in range(9):
        belief = belief.flow([0.0], [-1.0], z=np.ones(1))
    assert belief.std[0] < 1e-150
    assert belief.entropy() < -300
    assert np.isfinite(belief.flow(belief.mean, belief.mean + 2.0).mean).all()
    widened = belief.flow(belief.mean, belief.mean + 0.5, z=np.ones(1))
    assert widened.std[0] == pytest.approx(0.25, rel=1e-12)  # σ′ = z (w′ − μ)/(1 + z²) where σ = 0
    assert np.all(belief.flow(belief.mean, belief.mean + 2.0, min_std=0.1).std == 0.1)


@each_kind
@pytest.mark.parametrize("mean", [[0.0, 0.0], [1.0, 2.0]], ids=["around zero", "below the spacing of floats"])
def test_collapse_without_a_floor_stays_finite_or_ends_in_one_clear_sentence(kind, mean):
    """Thousands of steps without a floor never give a warning, a NaN or a foreign error."""
    rng, belief, refusal = np.random.default_rng(0), kind(mean, np.eye(2) if kind is FullBelief else 1.0), None
    for _ in range(3000):
        w = belief.sample(rng)
        try:
            belief = belief.flow(w, belief.mean, non_expansive=True)
        except FloatingPointError as error:
            refusal = str(error)
            break
        assert np.isfinite(belief.mean).all()
        assert np.isfinite(belief.std).all()
    assert np.max(belief.std) < 1e-8
    assert refusal in (None, "the belief overflowed: take smaller steps, scale the features or set min_std.")


@given(moves_with_options(decades=140), st.sampled_from((0.0, 1e-100, 1.0, 1e100)))
def test_a_flow_over_hundreds_of_decades_stays_finite_or_is_refused(drawn, floor):
    """Neither a warning nor a NaN, and no KL below zero."""
    (belief, w, w_new, _), options = drawn
    with suppress(FloatingPointError):
        post = belief.flow(w, w_new, min_std=floor, **options)
        assert np.isfinite(post.mean).all() and np.isfinite(post.std).all() and np.min(post.std) >= floor * (1 - 1e-9)
        assert post.kl(belief) >= 0


@each_kind
def test_flow_that_overflows_is_refused(kind):
    belief = some_belief(kind)
    with pytest.raises(FloatingPointError, match="the belief overflowed: take smaller steps"):
        belief.flow(belief.mean + 1, np.full(3, 1e300))
