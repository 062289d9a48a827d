"""What the paper prints beside what is true; lessons 2, 3, 4, 8 and 9 hold the other errata in their claims."""

import numpy as np
import pytest
from oracles import flow_kl, flow_kl_gradient, theorem_1
from scipy.optimize import approx_fprime

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief

MEAN = np.array([0.5, -1.0, 0.2])
COVARIANCE = np.array([[1.5, 0.4, 0.2], [0.4, 0.8, -0.1], [0.2, -0.1, 0.6]])
W, W_NEW = np.array([1.4, -0.3, 0.9]), np.array([0.9, -0.9, 1.2])


def test_erratum_1_sign_of_the_derivative_in_the_appendix():
    """The numerical derivative of the KL over A has + Σ⁻¹ A Σ − A⁻ᵀ; with the printed minus it does not fit."""
    problem = MEAN, COVARIANCE, W, W_NEW
    precision, before, after = np.linalg.inv(COVARIANCE), W - MEAN, W_NEW - MEAN
    A = np.eye(3) + 0.2 * np.random.default_rng(0).normal(size=(3, 3))
    numerical = approx_fprime(A.ravel(), lambda x: flow_kl(x.reshape(3, 3), *problem)).reshape(3, 3)
    right = flow_kl_gradient(A, *problem)
    np.testing.assert_allclose(numerical, right, atol=1e-5)
    assert np.abs(numerical - (right - 2 * precision @ A @ COVARIANCE)).max() > 1
    A = FullBelief(MEAN, COVARIANCE).affine_map(W, W_NEW).A  # stationary with the right sign only
    np.testing.assert_allclose(flow_kl_gradient(A, *problem), 0, atol=1e-12)
    np.testing.assert_allclose(
        A @ (COVARIANCE + np.outer(before, before)) @ A.T - np.outer(after, A @ before), COVARIANCE
    )


@pytest.mark.parametrize("branch", [1, -1])
def test_erratum_3_delta_2_changes_neither_mean_nor_covariance(branch):
    """Both values of δ₂ move single points differently, yet push the prior to one and the same posterior."""
    prior = FullBelief(MEAN, COVARIANCE)
    post = prior.flow(W, W_NEW, branch=branch)
    maps = [prior.affine_map(W, W_NEW, branch=branch, rotation=rotation) for rotation in (1, -1)]
    assert np.abs(maps[0].A - maps[1].A).max() > 0.1
    for rotation, (A, b) in zip((1, -1), maps, strict=True):
        np.testing.assert_allclose(A, theorem_1(MEAN, COVARIANCE, W, W_NEW, branch, rotation).A, atol=1e-12)
        np.testing.assert_allclose(A @ MEAN + b, post.mean, atol=1e-13)
        np.testing.assert_allclose(A @ COVARIANCE @ A.T, post.covariance, atol=1e-13)


def test_erratum_3_delta_1_is_the_lower_of_the_two():
    prior, rng = FullBelief(MEAN, COVARIANCE), np.random.default_rng(0)
    for w, w_new in prior.sample(rng, 40).reshape(20, 2, 3):
        assert prior.flow(w, w_new).kl(prior) < prior.flow(w, w_new, branch=-1).kl(prior)


def test_erratum_4_only_the_diagonal_update_is_connected_to_the_identity():
    """As w_new moves from w across the mean, the diagonal map changes without a jump; the full one jumps."""
    diagonal, full = DiagonalBelief([0.0], [1.0]), FullBelief([0.0], [[1.0]])
    path = np.linspace(1.0, -2.0, 302)
    jumps = {
        kind: np.abs(np.diff([prior.affine_map([1.0], [v]).A.item() for v in path])).max()
        for kind, prior in (("diagonal", diagonal), ("full", full))
    }
    assert jumps["diagonal"] < 0.01
    assert jumps["full"] > 1


def test_erratum_9_spherical_map_without_its_rotation_does_not_give_the_posterior():
    """w' = a w + b with b of the spherical posterior misses w_new; with the rotation it arrives."""
    prior, w, w_new = SphericalBelief([0.0, 0.0], 1.0), np.array([1.0, 0.0]), np.array([0.0, 0.8])
    post, (A, b) = prior.flow(w, w_new), prior.affine_map(w, w_new)
    a = post.std / prior.std
    as_printed = a * w + (post.mean - a * prior.mean)  # b carries the prior mean to the posterior mean
    assert np.linalg.norm(as_printed - w_new) > 0.5
    np.testing.assert_allclose(A @ w + b, w_new, atol=1e-15)
    np.testing.assert_allclose(A @ A.T, a**2 * np.eye(2), atol=1e-15)
