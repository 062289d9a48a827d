"""Every state of a run over two weights: those of the learners, round by round."""

import numpy as np
import pytest

from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.kernels import traces
from bflo_viz.learners import SGD, BeliefFlow

ROUNDS = 600
PRIORS = {
    "diagonal": DiagonalBelief([0.3, -0.2], [0.7, 1.3]),
    "spherical": SphericalBelief([0.3, -0.2], 0.8),
    "full": FullBelief([0.3, -0.2], [[1.0, 0.6], [0.6, 2.0]]),
}
WIDTHS = {"diagonal": "std", "spherical": "std", "full": "factor"}


def stream(seed):
    """Inputs, some of them 0, and labels of which many are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((ROUNDS, 2)) * (rng.random((ROUNDS, 2)) > 0.1)
    return X, ((X @ [1.0, 2.0] > 0) ^ (rng.random(ROUNDS) < 0.3)).astype(np.int64)


def keys(seed):
    return np.random.default_rng(seed).integers(0, 1 << 64, ROUNDS, np.uint64)


def trace(flow, X, y, z, eta, non_expansive):
    prior = PRIORS[flow]
    return getattr(traces, f"trace_{flow}")(
        prior.mean, getattr(prior, WIDTHS[flow]), X, y, z, eta=eta, non_expansive=non_expansive
    )


@pytest.mark.parametrize("non_expansive", [False, True])
@pytest.mark.parametrize("eta", [0.01, 0.4])
@pytest.mark.parametrize("flow", PRIORS)
def test_a_trace_is_what_the_learner_steps_through(flow, eta, non_expansive):
    """Mean, covariance, entropy and prediction of every round, given the same generator."""
    X, y = stream(1)
    found = trace(flow, X, y, traces.normals_of(keys(2)), eta, non_expansive)
    learner, rng = BeliefFlow(PRIORS[flow], eta=eta, non_expansive=non_expansive), np.random.default_rng(2)
    assert len(found.mean) == ROUNDS + 1
    for r in range(ROUNDS + 1):
        belief = learner.belief
        np.testing.assert_allclose(found.mean[r], belief.mean, rtol=1e-9, atol=1e-11)
        width = found.width[r].reshape(2, 2) if flow == "full" else np.diag(np.broadcast_to(found.width[r], 2))
        np.testing.assert_allclose(width @ width.T, belief.covariance, rtol=1e-9, atol=1e-12)
        if r < ROUNDS:
            done = learner.step(X[r], y[r], rng)
            assert 1 / (1 + np.exp(-found.logits[r])) == pytest.approx(done.probability, rel=1e-9)
            if flow == "full":
                grown = done.belief_after.entropy() - belief.entropy()
                assert np.log(found.stretch[r]) == pytest.approx(grown, abs=1e-11)


def test_the_trace_of_gradient_descent_is_the_learner_s():
    """From weights drawn in the first round, as SGD does it."""
    X, y = stream(3)
    learner, rng = SGD(2, eta=0.2, std=0.5), np.random.default_rng(4)
    start = 0.5 * traces.normals_of(keys(4))[0]
    found = traces.trace_sgd(start, X, y, 0.2)
    for r in range(ROUNDS):
        done = learner.step(X[r], y[r], rng)
        np.testing.assert_allclose(found.mean[r], done.weights, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(found.mean[-1], learner.weights, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("flow", PRIORS)
def test_the_last_state_is_that_of_a_compiled_run(flow):
    """The kernels arrive where the trace ends."""
    X, y = stream(5)
    learner = BeliefFlow(PRIORS[flow], eta=0.1)
    learner.run(X, y, np.random.default_rng(6))
    found = trace(flow, X, y, traces.normals_of(keys(6)), 0.1, False)
    np.testing.assert_allclose(found.mean[-1], learner.belief.mean, rtol=1e-9)


@pytest.mark.parametrize("flow", PRIORS)
def test_a_weight_that_lands_on_the_mean_contracts_the_belief(flow):
    """Here v = 0, and the direction is that of w: the belief's own flow says what becomes of it."""
    prior = {
        "diagonal": DiagonalBelief(np.zeros(2), 1.0),
        "spherical": SphericalBelief(np.zeros(2), 1.0),
        "full": FullBelief(np.zeros(2), np.eye(2)),
    }[flow]
    z, x = np.array([1.0, 0.0]), np.array([1.0, 0.0])
    eta = 1 + np.exp(-1.0)  # times the gradient 1 / (1 + exp(−1)): a step of exactly −1
    assert eta * (1 / (1 + np.exp(-1.0))) == 1
    found = getattr(traces, f"trace_{flow}")(
        prior.mean, getattr(prior, WIDTHS[flow]), x[None], np.array([0]), z[None], eta, False
    )
    post = prior.flow(z, np.zeros(2), z=z)
    np.testing.assert_allclose(found.mean[1], post.mean, atol=1e-15)
    np.testing.assert_allclose(np.ravel(found.width[1]), np.ravel(getattr(post, WIDTHS[flow])), atol=1e-15)


def test_normals_are_those_of_the_learners_to_the_bit():
    """One row a key."""
    learner = BeliefFlow(DiagonalBelief(np.zeros(2), 1.0))
    some = keys(7)[:50]
    wanted = [learner._normals((int(key) & 0xFFFFFFFF, int(key) >> 32), 0) for key in some]
    np.testing.assert_array_equal(traces.normals_of(some), wanted)
