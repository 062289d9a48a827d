"""A floor is for all weights, from the first update on: in `step`, in `run`, and whatever the blocks of a run."""

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import MLP, BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief

FEATURES, ROWS = 12, 60
NETWORK = MLP((FEATURES, 3, 2), precision="float64")
PRIORS = {
    "diagonal": lambda: BeliefFlow(DiagonalBelief(np.zeros(FEATURES), 1e-3), eta=0.5, min_std=0.3),
    "diagonal, some narrow": lambda: BeliefFlow(
        DiagonalBelief(np.zeros(FEATURES), np.linspace(0.01, 1, FEATURES)), eta=0.5, min_std=0.3, updates=2
    ),
    "non-expansive": lambda: BeliefFlow(
        DiagonalBelief(np.zeros(FEATURES), 1e-3), eta=0.5, min_std=0.3, non_expansive=True
    ),
    "spherical": lambda: BeliefFlow(SphericalBelief(np.zeros(FEATURES), 1e-3), eta=0.5, min_std=0.3),
    "full": lambda: BeliefFlow(FullBelief(np.zeros(FEATURES), 1e-6 * np.eye(FEATURES)), eta=0.5, min_std=0.3),
    "network": lambda: BeliefFlow(
        DiagonalBelief(np.zeros(NETWORK.size(FEATURES)), 1e-3), NETWORK, eta=0.5, min_std=0.3, updates=2
    ),
}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("make", PRIORS.values(), ids=PRIORS)
def test_a_prior_below_the_floor_runs_as_it_steps(make, kind):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(ROWS, FEATURES)) * (draw.random((ROWS, FEATURES)) < 0.1)  # most weights wait for long
    y = draw.integers(0, 2, ROWS)
    stepped, rng = make(), np.random.default_rng(1)
    wrong = [stepped.step(x, label, rng).mistake for x, label in zip(X, y, strict=True)]
    for blocks in (1, 7, ROWS):
        run = make()
        record = run.run(kind(X), y, np.random.default_rng(1), blocks=blocks)
        assert record.mistakes.sum() == sum(wrong)
        np.testing.assert_allclose(run.belief.mean, stepped.belief.mean, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(run.belief.std, stepped.belief.std, rtol=1e-9)
    assert np.min(stepped.belief.std) >= 0.3


def test_a_floor_holds_after_a_run_that_widened_a_full_belief():
    """Wide along one direction, the belief is as narrow as ever along others."""
    learner = BeliefFlow(FullBelief(np.zeros(3), np.eye(3)), eta=20.0)
    learner.run(np.tile([1.0, 0.0, 0.0], (10, 1)), np.arange(10) % 2, np.random.default_rng(0), blocks=1)
    widths = np.linalg.svd(learner.belief.factor, compute_uv=False)
    assert widths.max() > 10 * widths.min()
    floor = 1.5 * widths.min()
    w = learner.belief.mean + 1.0
    after = learner.belief.flow(w, w, min_std=floor)
    assert np.linalg.svd(after.factor, compute_uv=False).min() >= floor * (1 - 1e-12)
