"""At the ends of the number range: finite results that `step` and `run` share, or one sentence."""

import numpy as np
import pytest

from bflo_viz import AROW, NHERD, BeliefFlow, DiagonalBelief, FullBelief, SphericalBelief


@pytest.mark.parametrize("scale", [1e6, 3e7, 1.7e9, 1e12, 1e20, 1e100])
@pytest.mark.parametrize("make", [lambda: NHERD(3), lambda: AROW(3)], ids=["NHERD", "AROW"])
def test_large_features_give_a_finite_belief_or_a_sentence(make, scale):
    draw = np.random.default_rng(0)
    X = np.column_stack([scale * (1 + draw.random(50)), draw.normal(size=(50, 2))])
    y = (X[:, 1] > 0).astype(int)
    stepped, run, rng = make(), make(), np.random.default_rng(1)
    try:
        for x, label in zip(X, y, strict=True):
            stepped.step(x, label, rng)
    except ValueError as problem:
        assert "features must not narrow the belief by 1e15 in one round" in str(problem)  # noqa: PT017
        with pytest.raises(ValueError, match="features must not narrow"):
            run.run(X, y, np.random.default_rng(1))
        return
    run.run(X, y, np.random.default_rng(1))
    assert np.isfinite(run.entropy())
    assert run.entropy() == pytest.approx(stepped.entropy(), abs=1e-3)
    np.testing.assert_allclose(run.mean, stepped.mean, rtol=1e-3)


def test_a_reflection_that_narrows_to_nothing_is_told():
    with pytest.raises(ValueError, match="the belief must stay wider than about 1e-300"):
        FullBelief([0.0], [[1.0]]).flow([1e200], [1e200], branch=-1)


def test_a_width_that_overflows_is_told_by_flow_and_by_run():
    with pytest.raises(ValueError, match="finite posterior std, but the std overflowed"):
        SphericalBelief([0.0], 1.79e308).flow([1e308], [1.7e308])
    for belief in (SphericalBelief([0.0], 1e300), DiagonalBelief([0.0], 1e300)):
        with pytest.raises(ValueError, match="overflowed"):
            BeliefFlow(belief, eta=1e300).run([[1e8]] * 50, [0, 1] * 25, np.random.default_rng(0))
