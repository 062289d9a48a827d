"""Pseudo-observations and conditioning on them, against Bayes' rule by inverse matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import precise_bayes, precise_observation, printed_stretch
from strategies import KINDS, factor_of, make_belief, moves, moves_with_options, random_correlation

from bflo_viz import DiagonalBelief, FullBelief, condition, pseudo_observation

each_kind = pytest.mark.parametrize("kind", KINDS)
NOTICEABLE = ("anywhere", "towards", "away", "across")


def as_matrix(precision, dim):
    """Precision of any of the three types as a matrix."""
    return precision if np.ndim(precision) == 2 else np.eye(dim) * precision


def history(kind, steps=50, dim=3, seed=0, **options):
    """Prior, final posterior and pseudo dataset of a sequence of flows."""
    rng = np.random.default_rng(seed)
    prior = make_belief(kind, rng.normal(size=dim), rng.uniform(0.5, 2, dim), random_correlation(dim, rng))
    belief, seen = prior, []
    for _ in range(steps):
        w = belief.sample(rng)
        new = belief.flow(w, w + 0.1 * rng.normal(size=dim), **options)
        seen.append(pseudo_observation(belief, new))
        belief = new
    return prior, belief, seen


def assert_same_gaussian(left, right, tolerance=1e-8):
    """Two beliefs have the same type, mean, covariance and entropy, up to rounding."""
    assert type(left) is type(right)
    np.testing.assert_allclose(left.mean, right.mean, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(left.covariance, right.covariance, rtol=tolerance, atol=tolerance)
    assert left.entropy() == pytest.approx(right.entropy(), abs=tolerance)


@given(moves_with_options(decades=0.5))
def test_pseudo_observation_is_the_change_by_inverse_matrices(drawn):
    """Precision and natural parameter are the differences of inverse covariances and of precision times mean."""
    (prior, w, w_new, _), options = drawn
    post = prior.flow(w, w_new, **options)
    seen = pseudo_observation(prior, post)
    precision, natural = precise_observation(prior.mean, factor_of(prior), post.mean, factor_of(post))
    size = np.abs(precision).max() + 1 / np.linalg.svd(factor_of(prior))[1][-1] ** 2
    reach = 1 + np.abs(post.mean).max() + np.abs(prior.mean).max()
    np.testing.assert_allclose(as_matrix(seen.precision, prior.dim), precision, rtol=0, atol=1e-9 * size)
    np.testing.assert_allclose(seen.natural, natural, rtol=0, atol=1e-9 * size * reach)
    if not isinstance(prior, FullBelief):  # a point in weight space, or one for each weight, where there is one
        np.testing.assert_array_equal(seen.exists, seen.precision != 0)
        np.testing.assert_allclose(seen.R * seen.precision, np.where(seen.exists, 1.0, np.nan))
        np.testing.assert_allclose(seen.x * seen.precision, np.where(seen.exists, seen.natural, np.nan))
        np.testing.assert_array_equal(seen.added, post.std < prior.std)
        np.testing.assert_array_equal(seen.removed, post.std > prior.std)


@given(moves_with_options(decades=0.5))
def test_conditioning_on_the_pseudo_observation_gives_the_posterior(drawn):
    """Bayes' rule with the pseudo-observation of a flow, by the package and by inverses, gives what the flow gave."""
    (prior, w, w_new, unit), options = drawn
    post = prior.flow(w, w_new, **options)
    seen = pseudo_observation(prior, post)
    S, precision = factor_of(prior), as_matrix(seen.precision, prior.dim)
    by_package = condition(prior, seen)
    by_inverse = precise_bayes(prior.mean, S, precision, seen.natural)
    # Beside a precision that gained so much, rounding takes as much of what the prior knew in other directions.
    gain, scale = np.linalg.norm(S.T @ precision @ S, 2), unit.max()
    for mean, covariance in ((by_package.mean, by_package.covariance), by_inverse):
        np.testing.assert_allclose(mean, post.mean, rtol=0, atol=(1e-11 + 1e-13 * gain) * scale)
        np.testing.assert_allclose(covariance, post.covariance, rtol=0, atol=1e-10 * scale**2)


@each_kind
@pytest.mark.parametrize("non_expansive", [False, True])
def test_sequence_of_flows_equals_conditioning_on_its_pseudo_dataset(kind, non_expansive):
    """Fifty flows equal one conditioning on their fifty observations, in any order, and one after the other."""
    prior, final, seen = history(kind, non_expansive=non_expansive)
    assert_same_gaussian(condition(prior, seen), final)
    assert_same_gaussian(condition(prior, (seen[i] for i in np.random.default_rng(1).permutation(50))), final)
    assert condition(prior, []) is prior
    step_by_step = prior
    for one in seen:
        step_by_step = condition(step_by_step, one)
    assert_same_gaussian(step_by_step, final)
    precision = sum(as_matrix(one.precision, prior.dim) for one in seen)
    mean, covariance = precise_bayes(prior.mean, factor_of(prior), precision, sum(one.natural for one in seen))
    np.testing.assert_allclose(final.mean, mean, atol=1e-8)
    np.testing.assert_allclose(final.covariance, covariance, atol=1e-8)


# One flow of each type


@given(moves(kinds=(FullBelief,), dims=(2, 6), decades=0.5, ways=NOTICEABLE), st.sampled_from((1, -1)))
def test_full_flow_is_one_scalar_observation(move, branch):
    """The change has rank one: direction e S⁻¹, value e S⁻¹ mu + (v − a u)/(1 − a²), variance a²/(1 − a²)."""
    prior, w, w_new, _ = move
    S = np.linalg.cholesky(prior.covariance)
    before, after = (np.linalg.solve(S, x - prior.mean) for x in (w, w_new))
    u, v = np.linalg.norm(before), np.linalg.norm(after)
    a, e = printed_stretch(u, v, branch), after / v
    if abs(a * a - 1) < 1e-4:
        return
    seen = pseudo_observation(prior, prior.flow(w, w_new, branch=branch))
    direction = np.linalg.solve(S.T, e)
    sign = np.sign(seen.direction @ direction)  # e and −e say the same
    np.testing.assert_allclose(sign * seen.direction, direction, atol=1e-6 * np.abs(direction).max())
    np.testing.assert_allclose(seen.R, a**2 / (1 - a**2), rtol=1e-6)
    expected = e @ np.linalg.solve(S, prior.mean) + (v - a * u) / (1 - a**2)
    size = abs(v - a * u) / abs(1 - a**2) + np.linalg.norm(np.linalg.solve(S, prior.mean))
    assert sign * seen.x == pytest.approx(expected, abs=1e-6 * size)
    assert seen.exists is True
    assert (seen.added, seen.removed) == (abs(a) < 1, abs(a) > 1)
    np.testing.assert_allclose(seen.precision, np.outer(direction, direction) / seen.R, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(seen.natural, seen.direction * seen.x / seen.R, rtol=1e-5, atol=1e-5)


@each_kind
def test_clipped_flow_moves_the_mean_without_a_point(kind):
    prior = make_belief(kind, np.array([0.5, -0.5]), np.array([2.0, 2.0]), np.array([[1.0, 0.6], [0.6, 1.0]]))
    post = prior.flow([1.5, 0.5], [3.5, 2.5], non_expansive=True)
    seen = pseudo_observation(prior, post)
    assert not np.any(seen.precision)
    assert np.abs(seen.natural).min() > 1e-3
    assert not np.any([seen.exists, seen.added, seen.removed])
    assert np.isnan(seen.x).all() and np.isnan(seen.R).all()
    assert_same_gaussian(condition(prior, seen), post)


# Many flows together


def test_many_full_flows_have_a_point_and_a_matrix():
    """A change of full rank has the paper's x and R: inverses of differences of inverses."""
    prior, final, _ = history(FullBelief, non_expansive=True)
    seen = pseudo_observation(prior, final)
    precision, natural = precise_observation(prior.mean, factor_of(prior), final.mean, factor_of(final))
    np.testing.assert_allclose(seen.R, np.linalg.inv(precision), rtol=1e-7)
    np.testing.assert_allclose(seen.x, np.linalg.solve(precision, natural), rtol=1e-7)
    assert seen.x.shape == (3,)
    assert seen.direction is None
    assert (seen.exists, seen.added, seen.removed) == (True, True, False)


@pytest.mark.parametrize(
    ("mean", "covariance", "answers"),
    [
        ([0.1, 0.2, 0.3], np.diag([0.5, 2.0, 3.0]), (True, False, False)),  # added here, removed there
        ([0.1, 0.2, 0.3], np.diag([3.0, 2.0, 5.0]), (True, False, True)),
        ([0.1, 0.2, 0.0], np.diag([0.5, 0.5, 1.0]), (False, False, False)),  # two of three directions
        ([0.0, 1.0, 0.0], np.diag([0.5, 1.0, 1.0]), (False, False, False)),  # a mean that moved across its direction
    ],
)
def test_changes_that_no_single_flow_makes_have_a_point_only_if_one_explains_them(mean, covariance, answers):
    """Whether a point exists, was added, was removed; precision and natural parameter always give the posterior."""
    prior, post = FullBelief(np.zeros(3), np.eye(3)), FullBelief(mean, covariance)
    seen = pseudo_observation(prior, post)
    assert (seen.exists, seen.added, seen.removed) == answers
    assert_same_gaussian(condition(prior, seen), post)


def test_full_observation_does_not_depend_on_the_units_of_the_weights():
    plain, scaled = FullBelief([0.0, 0.0], np.eye(2)), FullBelief([0.0, 0.0], np.diag([1e-12, 1e12]))
    expected = pseudo_observation(plain, plain.flow([1.0, 1.0], [0.999, 1.0]))
    seen = pseudo_observation(scaled, scaled.flow([1e-6, 1e6], [0.999e-6, 1e6]))
    assert seen.exists
    np.testing.assert_allclose(seen.R, expected.R, rtol=1e-6)
    np.testing.assert_allclose(abs(seen.x), abs(expected.x), rtol=1e-6)


def test_one_weight_without_any_precision_left_is_refused():
    prior = DiagonalBelief([0.0, 0.0], 1.0)
    removed = pseudo_observation(prior, prior.flow([1.0, 1.0], [5.0, 1.0]))
    with pytest.raises(ValueError, match="they remove more than there is"):
        condition(prior, [removed] * 50)


def test_width_that_squared_itself_away_has_no_precision():
    narrow = DiagonalBelief([0.0], 1e-149).flow([0.0], [-1.0], z=np.ones(1))
    with pytest.raises(ValueError, match=r"^prior and posterior must be wider than 1e-150"):
        pseudo_observation(DiagonalBelief([0.0], 1.0), narrow)
