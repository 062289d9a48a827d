"""Whole passes of the logistic learners against NumPy, scikit-learn and the BLAS calls they need."""

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dgemv, dger
from side_by_side import best_times, report
from sklearn.linear_model import SGDClassifier

from bflo_viz import AROW, SGD, BeliefFlow, DiagonalBelief, FullBelief

ROUNDS = 100_000


def labels(rng, rounds=ROUNDS):
    return rng.integers(0, 2, rounds)


def numpy_loop(X, y, rng):
    """Diagonal belief flow as a plain NumPy loop, with the formulas as printed."""
    mean, std = np.zeros(X.shape[1]), np.full(X.shape[1], 0.1)
    for x, t in zip(X, y, strict=True):
        w = mean + std * rng.standard_normal(mean.size)
        w_new = w - 1e-3 * (1 / (1 + np.exp(-w @ x)) - t) * x
        u, v = (w - mean) / std, (w_new - mean) / std
        a = np.minimum((u * v + np.sqrt(4 + u * u * (4 + v * v))) / (2 * (1 + u * u)), 1)
        mean, std = a * (mean - w) + w_new, a * std


def flow(dim):
    return BeliefFlow(DiagonalBelief(np.zeros(dim), np.full(dim, 0.1)), eta=1e-3, non_expansive=True)


def dense_rows(rng):
    """COVTYPE's shape: 55 dense features."""
    X, y = rng.random((ROUNDS, 55)), labels(rng)
    few = slice(0, 1000)
    times = best_times(
        {
            "flow": lambda: flow(55).run(X, y, rng, blocks=10),
            "normals": lambda: rng.standard_normal(X.size),
            "numpy": lambda: numpy_loop(X[few], y[few], rng),
            "sgd": lambda: SGD(55, eta=1e-3).run(X, y, rng, blocks=10),
            "sklearn": lambda: SGDClassifier(
                loss="log_loss", alpha=0, learning_rate="constant", eta0=1e-3, shuffle=False, fit_intercept=False
            ).partial_fit(X, y, classes=[0, 1]),
        },
        rounds=7,
    )
    print(f"belief flow, 55 dense features: {1e6 * times['flow'] / ROUNDS:.2f} microseconds a round")
    normals = times["flow"] / times["normals"]
    report("55 dense features, against drawing as many normals with NumPy", normals, 0.8, at_most=True)
    ratio = times["numpy"] / 1000 / (times["flow"] / ROUNDS)
    report("55 dense features, times faster than a plain NumPy loop", ratio, 25, at_most=False)
    report("SGD pass against scikit-learn's SGDClassifier", times["sgd"] / times["sklearn"], 3, at_most=True)


def sparse_rows(rng):
    """A9A's shape: 14 of 124 features are not zero."""
    columns = np.argsort(rng.random((ROUNDS, 124)), axis=1, kind="stable")[:, :14]
    X = np.zeros((ROUNDS, 124))
    np.put_along_axis(X, columns, 1.0, axis=1)
    thin, y = sparse.csr_array(X), labels(rng)
    full = rng.random((ROUNDS, 124))
    times = best_times(
        {
            "dense": lambda: flow(124).run(X, y, rng, blocks=10),
            "full": lambda: flow(124).run(full, y, rng, blocks=10),
            "sparse": lambda: flow(124).run(thin, y, rng, blocks=10),
        },
        rounds=9,
    )
    print(f"belief flow, 14 of 124 features: {1e6 * times['sparse'] / ROUNDS:.2f} microseconds a round")
    report(
        "14 of 124 features, times faster than a pass over all of them",
        times["full"] / times["sparse"],
        4,
        at_most=False,
    )
    print(f"the same rows with their zeros stored take {times['dense'] / times['sparse']:.2f} times as long")


def full_covariance(rng, dim=124, rounds=2000):
    """Full covariances against the level-2 BLAS calls of as many updates (scipy's, without their call overhead)."""
    X, y = rng.normal(size=(rounds, dim)), labels(rng, rounds)

    def calls(size, products, updates):
        matrix, vector = np.asfortranarray(np.eye(size)), np.ones(size)

        def loop():
            for _ in range(rounds):
                for _ in range(products):
                    dgemv(1.0, matrix, vector)
                for _ in range(updates):
                    dger(1e-12, vector, vector, a=matrix, overwrite_a=1)  # BLAS skips a factor of zero

        return loop

    prior = FullBelief.from_factor(np.zeros(dim), 0.1 * np.eye(dim))
    jobs = {
        "arow": lambda: AROW(dim, r=10.0).run(X, y, rng, blocks=1),
        "flow": lambda: BeliefFlow(prior, eta=1e-3).run(X, y, rng, blocks=1),
    }
    for name, needs in (("arow", (2, 1)), ("flow", (4, 2))):
        jobs[f"{name} blas"] = calls(dim, *needs)
        jobs[f"{name} overhead"] = calls(1, *needs)
    times = best_times(jobs, rounds=7)
    for name, label in (("arow", "AROW (2 dgemv, 1 dger)"), ("flow", "BeliefFlow, full (4 dgemv, 2 dger)")):
        blas = times[f"{name} blas"] - times[f"{name} overhead"]
        each = f"{1e6 * times[name] / rounds:.1f} us"
        report(f"{label}, d = {dim}, {each}: against its BLAS calls", times[name] / blas, 2, at_most=True)


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    for part in (dense_rows, sparse_rows, full_covariance):
        part(generator)
