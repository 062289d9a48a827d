"""Full flow against Theorem 1 by the book, how its cost grows, and what it allocates."""

import tracemalloc

import numpy as np
from side_by_side import best_times, report

from bflo_viz import FullBelief


def by_the_book(mean, covariance, w, w_new):
    """Theorem 1 as printed: eigendecomposition, 2x2 matrix, A Σ Aᵀ."""
    values, vectors = np.linalg.eigh(covariance)
    scale = np.sqrt(values)
    before, after = vectors.T @ (w - mean) / scale, vectors.T @ (w_new - mean) / scale
    u = np.linalg.norm(before)
    mu_hat = before / u
    along = mu_hat @ after
    rest = after - along * mu_hat
    across = np.linalg.norm(rest)
    nu_hat = rest / across
    v = np.hypot(along, across)
    a = (u * v + np.sqrt(4 + u**2 * (4 + v**2))) / (2 * (1 + u**2))
    plane = np.array([[a * along, -across], [a * across, along]]) / v
    basis = np.column_stack([mu_hat, nu_hat])
    inner = basis @ (plane - np.eye(2)) @ basis.T
    A = np.eye(mean.size) + (vectors * scale) @ inner @ (vectors / scale).T
    return A @ (mean - w) + w_new, A @ covariance @ A.T


def problem(dim, rng):
    root = rng.normal(size=(dim, dim)) / np.sqrt(dim)
    covariance = root @ root.T + 0.1 * np.eye(dim)
    prior = FullBelief(rng.normal(size=dim), covariance)
    w = prior.sample(rng)
    return prior, covariance, w, w - 0.1 * rng.normal(size=dim)


def main():
    rng = np.random.default_rng(0)
    prior, covariance, w, w_new = problem(512, rng)
    mean, cov = by_the_book(prior.mean, covariance, w, w_new)
    post = prior.flow(w, w_new)
    assert np.allclose(post.mean, mean)
    assert np.allclose(post.covariance, cov)
    times = best_times(
        {
            "book": lambda: by_the_book(prior.mean, covariance, w, w_new),
            "flow": lambda: prior.flow(w, w_new),
        },
        rounds=10,
    )
    report("full flow, d = 512: times faster than by the book", times["book"] / times["flow"], 30, at_most=False)

    problems = {dim: problem(dim, rng) for dim in (128, 256, 512, 1024, 2048)}
    times = best_times({str(d): lambda p=p: p[0].flow(p[2], p[3]) for d, p in problems.items()})
    print("full flow, microseconds:", ", ".join(f"d = {d}: {1e6 * t:.0f}" for d, t in times.items()))
    exponent = np.log(times["2048"] / times["128"]) / np.log(2048 / 128)
    report("full flow: cost grows as d to the power, d = 128 to 2048", exponent, 2.3, at_most=True, unit=" ")

    prior, _, w, w_new = problems[1024]
    tracemalloc.start()
    prior.flow(w, w_new)
    peak = tracemalloc.get_traced_memory()[1] / (8 * prior.dim**2)
    tracemalloc.stop()
    report("full flow: d x d arrays alive at its peak, its two results included", peak, 2.1, at_most=True, unit=" ")


if __name__ == "__main__":
    main()
