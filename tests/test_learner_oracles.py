"""Each algorithm against its textbook form, written down here without the package's mathematics."""

from functools import partial

import numpy as np
import pytest
from conformance import FEATURES, state, stream
from oracles import printed_stretch, theorem_1
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import SGDClassifier

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    Adam,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    GradientStep,
    Langevin,
    Momentum,
    SphericalBelief,
)


def rng(seed=1):
    return np.random.default_rng(seed)


def normals_of(x, generator):
    """One normal for each input that is not zero, drawn one by one, and 0 for the others."""
    return np.array([generator.standard_normal() if value != 0 else 0.0 for value in x])


def test_sgd_is_scikit_learns():
    """One pass with a constant rate and no penalty gives SGDClassifier's weights."""
    learner = SGD(FEATURES, eta=0.05)
    X, y = stream(learner, 300)
    learner.run(X, y, rng())
    theirs = SGDClassifier(
        loss="log_loss", alpha=0, learning_rate="constant", eta0=0.05, shuffle=False, fit_intercept=False
    ).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(learner.weights, theirs.coef_[0], rtol=1e-9)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_arow_is_the_published_update(covariance):
    """β = 1/(v + r), α = max(0, 1 − y m) β, with the covariance itself, or with its diagonal alone."""
    learner = AROW(FEATURES, r=2.0, std=0.7, covariance=covariance)
    X, y = stream(learner, 80)
    mean, cov = np.zeros(FEATURES), 0.49 * np.eye(FEATURES)
    for x, side in zip(X, 2 * y - 1, strict=True):
        beta, margin = 1 / (x @ cov @ x + 2.0), side * (mean @ x)
        if margin < 1:
            mean = mean + (1 - margin) * beta * side * cov @ x
            cov = cov - beta * np.outer(cov @ x, cov @ x)
            cov = cov if covariance == "full" else np.diag(np.diag(cov))
    learner.run(X, y, rng())
    np.testing.assert_allclose(learner.mean, mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.belief.covariance, cov, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_nherd_is_the_published_update(covariance):
    """Gaussian herding: A = I − C Σx xᵀ/(1 + C v), or that of each weight by itself, and A Σ Aᵀ."""
    C = 0.4
    learner = NHERD(FEATURES, C=C, covariance=covariance)
    X, y = stream(learner, 80)
    mean, cov = np.zeros(FEATURES), np.eye(FEATURES)
    for x, side in zip(X, 2 * y - 1, strict=True):
        v, margin = x @ cov @ x, side * (mean @ x)
        if margin < 1:
            mean = mean + side * (1 - margin) / (v + 1 / C) * cov @ x
            alone = np.diag(1 / (1 + C * x**2 * np.diag(cov)))
            A = np.eye(FEATURES) - C / (1 + C * v) * np.outer(cov @ x, x) if covariance == "full" else alone
            cov = A @ cov @ A.T
    learner.run(X, y, rng())
    np.testing.assert_allclose(learner.mean, mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.belief.covariance, cov, rtol=1e-9, atol=1e-12)


def test_langevin_is_half_a_step_and_noise():
    """w − η/2 (gradient + w/prior_std²) + noise z, with a normal for every weight."""
    learner = Langevin(FEATURES, eta=0.2, noise=0.05, prior_std=0.5)
    X, y = stream(learner, 50)
    w, generator = np.zeros(FEATURES), rng()
    for x, t in zip(X, y, strict=True):
        pull = (expit(w @ x) - t) * x + w / 0.25
        w = w - 0.1 * pull + 0.05 * generator.standard_normal(FEATURES)
    learner.run(X, y, rng())
    np.testing.assert_allclose(learner.weights, w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["full", "diagonal", "spherical"])
@pytest.mark.parametrize("non_expansive", [False, True])
def test_belief_flow_is_algorithm_1(kind, non_expansive):
    """Sample, predict with the sample, step it by the same sample's gradient, flow: by the book, each belief."""
    cov = np.diag(np.linspace(0.1, 0.6, FEATURES)) + (0.05 if kind == "full" else 0)
    cov = 0.25 * np.eye(FEATURES) if kind == "spherical" else cov
    prior = {
        "full": lambda: FullBelief(np.zeros(FEATURES), cov),
        "diagonal": lambda: DiagonalBelief(np.zeros(FEATURES), np.sqrt(np.diag(cov))),
        "spherical": lambda: SphericalBelief(np.zeros(FEATURES), 0.5),
    }[kind]()
    learner = BeliefFlow(prior, eta=0.05, non_expansive=non_expansive)
    X, y = stream(learner, 40)
    mean, mistakes = np.zeros(FEATURES), 0
    factor, generator = np.linalg.cholesky(cov), rng()
    for x, t in zip(X, y, strict=True):
        w = mean + factor @ normals_of(x if kind == "diagonal" else np.ones(FEATURES), generator)
        mistakes += (expit(w @ x) > 0.5) != t
        w_new = w - 0.05 * (expit(w @ x) - t) * x
        mean, factor = BOOK[kind](mean, factor, w, w_new, non_expansive)
    record = learner.run(X, y, rng())
    np.testing.assert_allclose(learner.belief.mean, mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(learner.belief.covariance, factor @ factor.T, rtol=1e-7, atol=1e-9)
    assert record.mistakes.sum() == mistakes


def full_by_the_book(mean, factor, w, w_new, non_expansive):
    A = theorem_1(mean, factor @ factor.T, w, w_new)[0]
    white = np.linalg.solve(factor, A @ factor)
    if non_expansive:  # limit the singular values of the whitened map
        left, values, right = np.linalg.svd(white)
        white = left @ np.diag(np.minimum(values, 1)) @ right
        A = factor @ white @ np.linalg.inv(factor)
    # A Σ Aᵀ = (S M)(S M)ᵀ for any square root M of the whitened posterior; the one that flows use is symmetric.
    values, vectors = np.linalg.eigh(white @ white.T)
    return w_new + A @ (mean - w), factor @ (vectors * np.sqrt(values)) @ vectors.T


def diagonal_by_the_book(mean, factor, w, w_new, non_expansive):
    std = np.diag(factor)
    a = printed_stretch((w - mean) / std, (w_new - mean) / std)
    a = np.minimum(a, 1) if non_expansive else a
    return a * (mean - w) + w_new, np.diag(a * std)


def spherical_by_the_book(mean, factor, w, w_new, non_expansive):
    std = factor[0, 0]
    u, v = np.linalg.norm(w - mean) / std, np.linalg.norm(w_new - mean) / std
    a = printed_stretch(u, v)
    a = min(a, 1.0) if non_expansive else a
    return mean + (1 - a * u / v) * (w_new - mean), a * factor


BOOK = {"full": full_by_the_book, "diagonal": diagonal_by_the_book, "spherical": spherical_by_the_book}


def test_dropout_leaves_out_what_it_says_and_predicts_by_the_mean_network():
    """Shares of units left out match the rates; the prediction uses activations scaled by what is kept."""
    wide, generator = Dropout(40, MLP((40, 30, 3), precision="float64"), std=1.0), rng()
    wide.step(np.ones(40), 0, generator)
    reached = []
    for _ in range(500):  # weights out of units that were left out stay as they were, as do those into them
        before = wide.model.unflatten(wide.weights)
        wide.step(np.ones(40), 0, generator)
        moved = [(a != b).any(axis=1)[:-1] for a, b in zip(before, wide.model.unflatten(wide.weights), strict=True)]
        reached.append([share.mean() for share in moved])
    np.testing.assert_allclose(np.mean(reached, axis=0), [0.8, 0.5], atol=0.01)
    learner = Dropout(FEATURES, MLP((FEATURES, 5, 3), precision="float64"), std=1.0)
    X, y = stream(learner, 5)
    learner.run(X[:1], y[:1], rng())
    outcome = learner.copy().step(X[1], y[1], rng())
    hidden, out = learner.model.unflatten(learner.weights)
    h = expit(np.append(0.8 * X[1], 1.0) @ hidden)
    by_hand = expit(np.append(0.5 * h, 1.0) @ out)
    np.testing.assert_allclose(learner.predict_proba(X[1:2])[0], by_hand, rtol=1e-9)
    np.testing.assert_allclose(outcome.probability, by_hand, rtol=1e-9)


def test_local_flows_are_the_textbook_steps():
    """Gradient descent, heavy ball and Adam by their recursions."""
    gradients = rng().normal(size=(20, 4))
    w = rng(2).normal(size=4)
    plain, ball, adam = GradientStep(0.1), Momentum(0.1, 0.8), Adam(0.1)
    velocity, m, v = 0, 0, 0
    for t, g in enumerate(gradients, start=1):
        velocity = 0.8 * velocity - 0.1 * g
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        step = 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(plain(w, g), w - 0.1 * g)
        np.testing.assert_allclose(ball(w, g), w + velocity)
        np.testing.assert_allclose(adam(w, g), w - step)


def test_a_local_flow_may_work_in_place():
    """The usual style of an optimiser, changing its argument, learns as well."""

    def in_place(w, gradient):
        w -= 0.1 * gradient
        return w

    X, y = stream(SGD(FEATURES), 30)
    X += 0.1  # no input is zero: all weights are drawn for either
    prior = DiagonalBelief(np.zeros(FEATURES), 0.5)
    learner, plain = BeliefFlow(prior, local_flow=in_place), BeliefFlow(prior, eta=0.1)
    learner.run(X, y, rng())
    plain.run(X, y, rng())
    np.testing.assert_allclose(learner.belief.mean, plain.belief.mean, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SGD(FEATURES, eta=1e200),
        lambda: Langevin(FEATURES, eta=1e200),
        lambda: SGD(FEATURES, MLP((FEATURES, 1), precision="float64"), eta=1e200),
        lambda: Dropout(FEATURES, eta=1e200),
        lambda: AROW(FEATURES, covariance="diagonal"),
        lambda: BeliefFlow(DiagonalBelief(np.zeros(FEATURES), 1.0), eta=1e200),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")
def test_overflow_on_the_way_gets_a_sentence_and_keeps_the_last_good_state(make):
    """By run and by step: no NaN is ever stored."""
    for callback in (None, id):  # with a callback, every round is a step
        learner = make()
        X, y = stream(learner, 30)
        learner.run(0 * X, y, rng())
        with pytest.raises(ValueError, match="must") as error:
            learner.run(X * 1e200, y, rng(), callback=callback)
        assert "\n" not in str(error.value)
        assert all(np.isfinite(array).all() for array in state(learner))


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


def test_a_width_that_overflows_is_told_by_flow_and_by_run():
    with pytest.raises(ValueError, match="finite posterior std, but the std overflowed"):
        SphericalBelief([0.0], 1.79e308).flow([1e308], [1.7e308])
    pytest.importorskip("numba", exc_type=ImportError)  # step by step, a wide belief goes further before it overflows
    for belief in (SphericalBelief([0.0], 1e300), DiagonalBelief([0.0], 1e300)):
        with pytest.raises(ValueError, match="overflowed"):
            BeliefFlow(belief, eta=1e300).run([[1e8]] * 50, [0, 1] * 25, np.random.default_rng(0))


WIDE, ROWS = 12, 60
NETWORK = MLP((WIDE, 3, 2), precision="float64")
NARROW = DiagonalBelief(np.zeros(WIDE), 1e-3)
PRIORS = {
    "diagonal": (NARROW, {}),
    "diagonal, some narrow": (DiagonalBelief(np.zeros(WIDE), np.linspace(0.01, 1, WIDE)), {"updates": 2}),
    "non-expansive": (NARROW, {"non_expansive": True}),
    "spherical": (SphericalBelief(np.zeros(WIDE), 1e-3), {}),
    "full": (FullBelief(np.zeros(WIDE), 1e-6 * np.eye(WIDE)), {}),
    "network": (DiagonalBelief.for_model(NETWORK, 1e-3), {"model": NETWORK, "updates": 2}),
}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("prior", "options"), PRIORS.values(), ids=PRIORS)
def test_a_prior_below_the_floor_runs_as_it_steps(prior, options, kind):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(ROWS, WIDE)) * (draw.random((ROWS, WIDE)) < 0.1)  # most weights wait for long
    y = draw.integers(0, 2, ROWS)
    make = partial(BeliefFlow, prior, eta=0.5, min_std=0.3, **options)
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
