"""Each algorithm against its textbook form, written down here without the package's mathematics."""

import numpy as np
import pytest
from conformance import FEATURES, state, stream
from oracles import precise_bayes, printed_stretch, theorem_1
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import SGDClassifier

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    GradientStep,
    Kalman,
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
    learner = SGD(FEATURES, eta=0.05)
    X, y = stream(learner, 300)
    learner.run(X, y, rng())
    theirs = SGDClassifier(
        loss="log_loss", alpha=0, learning_rate="constant", eta0=0.05, shuffle=False, fit_intercept=False
    ).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(learner.weights, theirs.coef_[0], rtol=1e-9)


def arow_by_the_book(mean, cov, x, side, r=2.0):
    """β = 1/(v + r) and α = max(0, 1 − y m) β."""
    beta = 1 / (x @ cov @ x + r)
    mean = mean + (1 - side * (mean @ x)) * beta * side * cov @ x
    cov = cov - beta * np.outer(cov @ x, cov @ x)
    return mean, cov


def nherd_by_the_book(mean, cov, x, side, C=0.4):
    """Gaussian herding: A Σ Aᵀ with A = I − C Σx xᵀ/(1 + C v)."""
    v = x @ cov @ x
    A = np.eye(FEATURES) - C / (1 + C * v) * np.outer(cov @ x, x)
    return mean + side * (1 - side * (mean @ x)) / (v + 1 / C) * cov @ x, A @ cov @ A.T


@pytest.mark.parametrize(
    ("kind", "settings", "by_the_book"),
    [(AROW, {"r": 2.0, "std": 0.7}, arow_by_the_book), (NHERD, {"C": 0.4, "std": 1.0}, nherd_by_the_book)],
)
def test_arow_and_nherd_are_the_published_updates(kind, settings, by_the_book):
    learner = kind(FEATURES, **settings)
    X, y = stream(learner, 80)
    mean, cov = np.zeros(FEATURES), settings["std"] ** 2 * np.eye(FEATURES)
    for x, side in zip(X, 2 * y - 1, strict=True):
        if side * (mean @ x) < 1:
            mean, cov = by_the_book(mean, cov, x, side)
    learner.run(X, y, rng())
    np.testing.assert_allclose(learner.belief.mean, mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.belief.covariance, cov, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("noise", [0.05, 0.0])
@pytest.mark.parametrize("model", [None, MLP(FEATURES, 5, 3, precision="float64")])
def test_langevin_is_that_of_welling_and_teh(model, noise):
    """w − (ε/2)(n gradient + w/prior_std²) + √ε z, where eta is n ε; or with noise in place of n, as it says."""
    eta, n, width = 0.2, 50, 0.5
    published, named = (
        Langevin(FEATURES, model, eta=eta, prior_std=width, **one) for one in ({"data_size": n}, {"noise": noise})
    )
    X, y = stream(published, n)
    w, v = np.zeros(published.dim), np.zeros(published.dim)
    mine, theirs, epsilon = rng(), rng(), eta / n
    for x, t in zip(X, y, strict=True):
        pull = n * published.model.gradient(w, x, t) + w / width**2
        w = w - epsilon / 2 * pull + np.sqrt(epsilon) * mine.standard_normal(w.size)
        pull = published.model.gradient(v, x, t) + v / width**2
        v = v - eta / 2 * pull + noise * theirs.standard_normal(v.size)
    for learner, expected in ((published, w), (named, v)):
        learner.run(X, y, rng())
        np.testing.assert_allclose(learner.weights, expected, rtol=1e-9, atol=1e-12)


def test_langevin_samples_the_posterior_that_it_is_named_for():
    """One weight, all examples alike: over many rounds its mean and width are those of the exact posterior."""
    n, width, x, rounds = 100, 1.0, 0.5, 400_000
    y = np.arange(rounds) % 4 > 0  # three of four labels are 1
    grid = np.linspace(-1, 8, 20_001)
    log = n * (0.75 * np.log(expit(grid * x)) + 0.25 * np.log(expit(-grid * x))) - grid**2 / (2 * width**2)
    share = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    mean = share @ grid
    std = np.sqrt(share @ (grid - mean) ** 2)
    learner, seen, generator = Langevin(1, eta=0.02 * 4, data_size=n, prior_std=width), [], rng()
    for start in range(0, rounds, 100):
        learner.run(np.full((100, 1), x), y[start : start + 100], generator, blocks=1)
        seen.append(learner.weights[0])
    assert np.mean(seen[100:]) == pytest.approx(mean, abs=0.1 * std)
    assert np.std(seen[100:]) == pytest.approx(std, rel=0.1)


def kalman_by_the_book(mean, cov, X, y, process_noise, diagonal):
    """The extended Kalman filter as filtering texts have it: predict, innovation, gain, update."""
    mistakes = 0
    for x, label in zip(X, y, strict=True):
        P = cov + process_noise * np.eye(mean.size)
        p = expit(mean @ x)
        mistakes += (p > 0.5) != label
        H, R = (p * (1 - p) * x)[None], np.array([[p * (1 - p)]])  # of the observation, linearised at the mean
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        mean = mean + K @ np.array([label - p])
        cov = (np.eye(mean.size) - K @ H) @ P
        if diagonal:  # the nearest diagonal Gaussian by KL(it ‖ posterior) has the diagonal of the precision
            cov = np.diag(1 / np.diag(np.linalg.inv(P) + H.T @ np.linalg.inv(R) @ H))
    return mean, cov, mistakes


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("process_noise", [0.0, 0.02])
@pytest.mark.parametrize("diagonal", [False, True])
def test_kalman_is_the_textbook_filter(diagonal, process_noise, form):
    cov = np.diag(np.linspace(0.1, 0.6, FEATURES)) + (0 if diagonal else 0.05)
    prior = (
        DiagonalBelief(np.ones(FEATURES) / 9, np.sqrt(np.diag(cov)))
        if diagonal
        else FullBelief(np.ones(FEATURES) / 9, cov)
    )
    learner = Kalman(prior, process_noise=process_noise)
    X, y = stream(learner, 100)
    mean, cov, mistakes = kalman_by_the_book(prior.mean, cov, X, y, process_noise, diagonal)
    record = learner.run(form(X), y, rng())
    np.testing.assert_allclose(learner.belief.mean, mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.belief.covariance, cov, rtol=1e-9, atol=1e-12)
    assert record.mistakes.sum() == mistakes
    sample = learner.weights_for_prediction(rng(3))
    np.testing.assert_array_equal(learner.predict_proba(X, rng(3)), learner.model.predict_many(sample, X))


def test_a_round_of_kalman_is_exact_bayes_of_its_linearised_model():
    """The label as a Gaussian observation p + r x·(w − m) + noise of variance r, conditioned in 60 digits."""
    draw = rng(4)
    root, m, x = draw.normal(size=(4, 4)), draw.normal(size=4), draw.normal(size=4)
    prior = FullBelief(m, root @ root.T)
    p = expit(m @ x)
    r = p * (1 - p)
    # With h = r x and the residual y − p + h·m, the likelihood adds h hᵀ/r to the precision and h (residual)/r.
    mean, cov = precise_bayes(m, prior.factor, np.outer(x, x) * r, x * (1 - p + r * (x @ m)))
    learner = Kalman(prior)
    learner.step(x, 1, rng())
    np.testing.assert_allclose(learner.belief.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(learner.belief.covariance, cov, rtol=1e-8, atol=1e-12)


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


def test_local_flows_are_the_textbook_steps():
    gradients = rng().normal(size=(20, 4))
    w = rng(2).normal(size=4)
    plain, ball = GradientStep(0.1), Momentum(0.1, 0.8)
    velocity = 0
    for g in gradients:
        velocity = 0.8 * velocity - 0.1 * g
        np.testing.assert_allclose(plain(w, g), w - 0.1 * g)
        np.testing.assert_allclose(ball(w, g), w + velocity)


def test_a_local_flow_may_work_in_place():

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
        lambda: Langevin(FEATURES, eta=1e200, data_size=30),
        lambda: SGD(FEATURES, MLP((FEATURES, 1), precision="float64"), eta=1e200),
        lambda: Dropout(FEATURES, eta=1e200),
        lambda: AROW(FEATURES),
        lambda: NHERD(FEATURES),
        lambda: BeliefFlow(DiagonalBelief(np.zeros(FEATURES), 1.0), eta=1e200),
        lambda: BeliefFlow(FullBelief(np.zeros(FEATURES), np.eye(FEATURES)), eta=1e200),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")
def test_overflow_on_the_way_gets_a_sentence_and_keeps_the_last_good_state(make):
    """By run and by step: no NaN is ever stored."""
    for callback in (None, id):  # with a callback, every round is a step
        learner = make()
        X, y = stream(learner, 30)
        learner.run(0 * X, y, rng())
        with pytest.raises((FloatingPointError, ValueError), match=r"overflowed: take|w_new must be finite") as error:
            learner.run(X * 1e200, y, rng(), callback=callback)
        assert "\n" not in str(error.value)
        assert all(np.isfinite(array).all() for array in state(learner))
