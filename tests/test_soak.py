"""Long runs: nothing decays. `make soak` runs the long form, `make test` a short one."""

import numpy as np
import pytest

from bflo_viz import DiagonalBelief, FullBelief


def short_and(long, short):
    """The number of updates: a few, and many where there is time."""
    return pytest.mark.parametrize("updates", [short, pytest.param(long, marks=pytest.mark.slow)])


@short_and(1_000_000, 5_000)
@pytest.mark.parametrize("non_expansive", [False, True], ids=["expansive", "non-expansive"])
@pytest.mark.parametrize("min_std", [0.0, 1e-3])
def test_a_million_diagonal_updates_stay_finite(non_expansive, min_std, updates):
    """Random gradients collapse the widths or not; means and widths stay numbers, and the floor holds."""
    rng = np.random.default_rng(0)
    belief = DiagonalBelief(rng.normal(size=6), rng.uniform(0.1, 2, size=6))
    for _ in range(updates):
        w = belief.sample(rng)
        belief = belief.flow(w, w - 0.1 * rng.normal(size=6), non_expansive=non_expansive, min_std=min_std)
    assert np.isfinite(belief.mean).all()
    assert np.isfinite(belief.std).all()
    assert (belief.std >= min_std).all()


@short_and(100_000, 3_000)
@pytest.mark.parametrize("non_expansive", [False, True], ids=["expansive", "non-expansive"])
def test_a_hundred_thousand_full_updates_keep_the_inverse(non_expansive, updates):
    """The factor's inverse, never recomputed, is still its inverse; the tracked entropy is still the entropy."""
    rng = np.random.default_rng(1)
    dim = 20
    root = rng.normal(size=(dim, dim))
    belief = FullBelief(rng.normal(size=dim), root @ root.T / dim + 0.1 * np.eye(dim))
    for _ in range(updates):
        w = belief.sample(rng)
        belief = belief.flow(w, w - 0.1 * rng.normal(size=dim), non_expansive=non_expansive)
    assert np.isfinite(belief.mean).all()
    error = np.abs(belief.factor @ belief.inverse_factor - np.eye(dim)).max()
    _, log_det = np.linalg.slogdet(belief.covariance)
    print(f"inverse off by {error:.1e}, condition number {np.linalg.cond(belief.factor):.1e}")
    assert error < 1e-10
    assert belief.entropy() == pytest.approx(0.5 * dim * np.log(2 * np.pi * np.e) + 0.5 * log_det, abs=1e-8)
