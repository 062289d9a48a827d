"""The rows of the notes' table of edge cases, each at the level of the beliefs."""

import numpy as np
import pytest
from oracles import precise_stretch, theorem_1
from strategies import KINDS

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief

MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.6, 0.1], [0.6, 1.0, -0.3], [0.1, -0.3, 0.5]])
PRIORS = SphericalBelief(MEAN, 0.7), DiagonalBelief(MEAN, [0.5, 1.0, 2.0]), FullBelief(MEAN, COVARIANCE)
OFFSET = np.array([0.9, -0.4, 0.3])
each_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
each_kind = pytest.mark.parametrize("kind", KINDS)


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
    w = MEAN + OFFSET
    spherical, diagonal, full = PRIORS
    u = np.linalg.norm(OFFSET) / spherical.std
    for rule, dim in (("printed", 1), ("exact", 3)):
        a = np.sqrt(dim / (dim + u**2))
        post = spherical.flow(w, MEAN, rule=rule)
        assert post.std == pytest.approx(a * spherical.std)
        np.testing.assert_allclose(post.mean, MEAN - a * OFFSET)

    a = 1 / np.sqrt(1 + (OFFSET / diagonal.std) ** 2)
    post = diagonal.flow(w, MEAN)
    np.testing.assert_allclose(post.std, a * diagonal.std)
    np.testing.assert_allclose(post.mean, MEAN - a * OFFSET)

    u = np.sqrt(OFFSET @ np.linalg.solve(COVARIANCE, OFFSET))
    a = 1 / np.sqrt(1 + u**2)
    post = full.flow(w, MEAN)
    np.testing.assert_allclose(post.mean, MEAN - a * OFFSET)
    np.testing.assert_allclose(post.covariance, COVARIANCE + (a**2 - 1) / u**2 * np.outer(OFFSET, OFFSET))


@each_prior
def test_moving_onto_the_mean_is_the_limit_of_moving_near_it(prior):
    """v = 0 is continuous with a w_new just short of the mean, on the line to w."""
    w = MEAN + OFFSET
    onto, near = prior.flow(w, MEAN), prior.flow(w, MEAN + 1e-9 * OFFSET)
    np.testing.assert_allclose(onto.mean, near.mean, atol=1e-8)
    np.testing.assert_allclose(onto.covariance, near.covariance, atol=1e-8)


@each_prior
@pytest.mark.parametrize("w", [MEAN, MEAN + OFFSET, MEAN + 1e9 * OFFSET], ids=["at the mean", "near", "far"])
def test_weight_that_did_not_move_changes_no_bit(prior, w):
    """u = v = 0, or w_new = w anywhere: every field of the posterior is the prior's, to the bit."""
    post = prior.flow(w, w.copy())
    for name, value in vars(prior).items():
        assert np.array_equal(vars(post)[name], value), name


@pytest.mark.parametrize("far", [1e3, 1e9, 1e16, 1e100])
def test_crossing_the_mean_from_far_does_not_cancel_to_zero(far):
    """u v = −far²: the diagonal width is the true tiny number, where the printed form cancels to 0."""
    post = DiagonalBelief([0.0], [1.0]).flow([far], [-far])
    assert post.std[0] == pytest.approx(float(precise_stretch(far, -far)), rel=1e-12, abs=0)
    assert post.std[0] > 0
    assert post.mean[0] == pytest.approx(-far, rel=1e-6)


@pytest.mark.parametrize("std", [1e-8, 1e-100, 1e-154, 1e-200, 1e-300])
@each_kind
def test_narrow_belief_flows_as_a_wide_one_does(kind, std):
    """The flow has no preferred scale: shrinking all lengths by any factor shrinks the posterior alike."""
    if kind is FullBelief and std < 1e-153:
        return  # its covariance, the argument, would not be a number
    for offset, new_offset in ((1.3, 0.4), (1.3, -2.0), (0.7, 2.5), (0.0, 1.0), (1.0, 0.0)):
        wide = line(kind).flow([offset], [new_offset])
        narrow = line(kind, std).flow([offset * std], [new_offset * std])
        assert np.all(np.abs(narrow.std / std - wide.std) <= 1e-12)
        assert np.all(np.abs(narrow.mean / std - wide.mean) <= 1e-12)


@pytest.mark.parametrize("kind", [SphericalBelief, DiagonalBelief])
def test_width_that_underflowed_to_zero_still_translates(kind):
    """A width of zero can only sample its mean; such a weight moves, and the width stays zero."""
    belief = kind([0.0], 5e-324).flow([1.5e-323], [0.0])
    assert np.all(belief.std == 0)
    assert belief.entropy() == -np.inf
    w = belief.sample(np.random.default_rng(0))
    assert np.array_equal(w, belief.mean)
    for options in ({}, {"non_expansive": True}):
        moved = belief.flow(w, w + 2.0, **options)
        assert moved.mean == pytest.approx([2.0])
        assert np.all(moved.std == 0)
    assert np.all(belief.flow(w, w + 2.0, min_std=0.1).std == 0.1)
    with pytest.raises(ValueError, match=r"^w\b.* too narrow .*\.$"):
        belief.flow([1.0], [2.0])


@pytest.mark.parametrize("std", [1e160, 1e200, 1e300])
@pytest.mark.parametrize("kind", [SphericalBelief, DiagonalBelief])
def test_wide_belief_flows_as_a_narrow_one_does(kind, std):
    """Widths whose squares overflow flow without a warning, to the right numbers."""
    for offset, new_offset in ((1.3, 0.4), (1.3, -2.0), (0.7, 2.5)):
        plain, wide = (
            line(kind).flow([offset], [new_offset]),
            line(kind, std).flow([offset * std], [new_offset * std]),
        )
        assert np.all(np.abs(wide.std / std - plain.std) <= 1e-12)
        assert np.all(np.abs(wide.mean / std - plain.mean) <= 1e-12)


@each_kind
@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_many_non_expansive_steps_collapse_and_the_floor_holds(kind, mean):
    """Steps towards the mean narrow the belief without end; min_std keeps it at the named floor."""
    dim, rng = 2, np.random.default_rng(0)
    start = kind([mean] * dim, np.eye(dim) if kind is FullBelief else 1.0)
    free = kept = start
    for _ in range(60):
        w = free.sample(rng)
        free = free.flow(w, free.mean, non_expansive=True)
        w = kept.sample(rng)
        kept = kept.flow(w, kept.mean, non_expansive=True, min_std=0.01)
    assert np.sqrt(np.linalg.eigvalsh(free.covariance)[0]) < 1e-4
    assert np.sqrt(np.linalg.eigvalsh(kept.covariance)) == pytest.approx([0.01, 0.01], rel=1e-9)


@each_kind
@pytest.mark.parametrize("mean", [[0.0, 0.0], [1.0, 2.0]], ids=["around zero", "below the spacing of floats"])
def test_collapse_without_a_floor_stays_finite_or_ends_in_one_clear_sentence(kind, mean):
    """Thousands of steps without a floor never give a warning, a NaN or a foreign error."""
    rng, belief, refusal = np.random.default_rng(0), kind(mean, np.eye(2) if kind is FullBelief else 1.0), None
    for _ in range(3000):
        w = belief.sample(rng)
        try:
            belief = belief.flow(w, belief.mean, non_expansive=True)
        except ValueError as error:
            refusal = str(error)
            break
        assert np.isfinite(belief.mean).all()
        assert np.isfinite(belief.std).all()
    assert np.max(belief.std) < 1e-8
    assert refusal is None or ("min_std" in refusal and refusal.endswith("."))


@pytest.mark.parametrize("reach", [0.3, 1.0, 2.5])
def test_antiparallel_move_has_one_posterior_whatever_the_second_basis_vector(reach):
    """w_new straight across the mean: nu-hat is arbitrary, the posterior is the same for each, and is ours."""
    full, w, w_new = PRIORS[2], MEAN + OFFSET, MEAN - reach * OFFSET
    post = full.flow(w, w_new)
    for seed in range(5):
        for delta_2 in (1, -1):
            nu = np.random.default_rng(seed).normal(size=3)
            book = theorem_1(MEAN, COVARIANCE, w, w_new, 1, delta_2, nu)
            np.testing.assert_allclose(post.mean, book.mean, atol=1e-12)
            np.testing.assert_allclose(post.covariance, book.covariance, atol=1e-12)
    A, b = full.affine_map(w, w_new)
    np.testing.assert_allclose(A @ w + b, w_new, atol=1e-13)
    np.testing.assert_allclose(A @ COVARIANCE @ A.T, post.covariance, atol=1e-13)


@pytest.mark.parametrize("askew", [1e-7, 1e-10, 1e-13])
def test_nearly_antiparallel_moves_have_nearly_the_same_posterior(askew):
    """The posterior is continuous across the antiparallel case, where the plane of rotation is ill-defined."""
    full, w = PRIORS[2], MEAN + OFFSET
    straight = full.flow(w, MEAN - OFFSET)
    w_new = MEAN - OFFSET + askew * np.array([0.0, 1.0, 1.0])
    post = full.flow(w, w_new)
    np.testing.assert_allclose(post.mean, straight.mean, atol=10 * askew)
    np.testing.assert_allclose(post.covariance, straight.covariance, atol=10 * askew)
    A, _ = full.affine_map(w, w_new)
    np.testing.assert_allclose(A @ COVARIANCE @ A.T, post.covariance, atol=1e-12)


@each_prior
@pytest.mark.parametrize("reach", [-3.0, -1.0, -0.2])
def test_spherical_and_diagonal_move_straight_across_the_mean(prior, reach):
    """Straight across the mean every flow still carries w onto w_new and its cloud onto the posterior."""
    w, w_new = MEAN + OFFSET, MEAN + reach * OFFSET
    post, (A, b) = prior.flow(w, w_new), prior.affine_map(w, w_new)
    np.testing.assert_allclose(A @ w + b, w_new, atol=1e-13)
    np.testing.assert_allclose(A @ prior.covariance @ A.T, post.covariance, atol=1e-13)
    np.testing.assert_allclose(A @ MEAN + b, post.mean, atol=1e-13)
