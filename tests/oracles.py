"""The paper's quantities computed another way: by the book, by numerical minimisation, or with 50 digits.

Nothing here imports the package, so that agreement means something.
"""

from typing import Any, NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import minimize, minimize_scalar

Array = NDArray[np.float64]


class Flow(NamedTuple):
    """A linear flow and the Gaussian it makes of the prior."""

    A: Array
    b: Array
    mean: Array
    covariance: Array


def push_forward(A: Array, mean: Array, covariance: Array, w: Array, w_new: Array) -> Flow:
    """Complete ``A`` to the flow that carries w to w_new, and push the prior through it."""
    b = w_new - A @ w
    return Flow(A, b, A @ mean + b, A @ covariance @ A.T)


# Closed forms, as printed


def printed_stretch(u: Any, v: Any, delta: int = 1, n: float = 1) -> Any:
    """Evaluate a* as printed (n = 1), or with the number of directions n; right in ordinary ranges only."""
    return (u * v + delta * np.sqrt(u**2 * v**2 + 4 * n * (n + u**2))) / (2 * (n + u**2))


def precise_stretch(u: float, v: float, delta: int = 1, n: int = 1) -> mpmath.mpf:
    """a* with at least 50 digits left after any cancellation."""
    largest = max(abs(u), abs(v), 1.0)
    with mpmath.workdps(50 + 8 * int(np.ceil(np.log10(largest)))):
        u, v, n = mpmath.mpf(u), mpmath.mpf(v), mpmath.mpf(n)
        return +((u * v + delta * mpmath.sqrt(u**2 * v**2 + 4 * n * (n + u**2))) / (2 * (n + u**2)))


def precise_stretch_kl(a: float, u: float, v: float, n: int = 1) -> mpmath.mpf:
    """KL of a stretch that carries u to v, with 50 digits."""
    with mpmath.workdps(50):
        a, u, v = mpmath.mpf(a), mpmath.mpf(u), mpmath.mpf(v)
        return +((v - a * u) ** 2 / 2 + n * (a**2 - 1 - mpmath.log(a**2)) / 2)


def precise_carry(
    mean: float, std: float, z: float, step: float, delta: int = 1, non_expansive: bool = False
) -> tuple[mpmath.mpf, mpmath.mpf]:
    """New mean and signed new standard deviation of one Gaussian, by the notes' division-free form."""
    with mpmath.workdps(700):
        mean, std, z, step = (mpmath.mpf(float(x)) for x in (mean, std, z, step))
        moved = z * std + step
        p, q = z * moved / 2, 1 + z * z
        signed = (p + delta * mpmath.sqrt(p * p + q * std * std)) / q
        if non_expansive:
            signed = max(-std, min(std, signed))
        return mean + moved - z * signed, signed


def theorem_1(mean: Array, covariance: Array, w: Array, w_new: Array, delta_1: int = 1, delta_2: int = 1) -> Flow:
    """Theorem 1 by the book: eigendecomposition, the basis (mu-hat, nu-hat), the 2x2 matrix.

    Neither w nor w_new may be the mean. For w_new on the line through w and the mean, nu-hat is any direction.
    """
    values, U = np.linalg.eigh(covariance)
    root = np.sqrt(values)
    before, after = (U.T @ (w - mean)) / root, (U.T @ (w_new - mean)) / root
    u = np.linalg.norm(before)
    mu_hat = before / u
    v_parallel = after @ mu_hat
    rest = after - v_parallel * mu_hat
    v_perp = np.linalg.norm(rest)
    v = np.hypot(v_parallel, v_perp)
    first = (u * v + delta_1 * np.sqrt(4 + u**2 * (4 + v_parallel**2 + v_perp**2))) / (2 * (1 + u**2))
    if mean.size == 1:
        basis, small = mu_hat[:, None], np.array([[first * v_parallel / v]])
    else:
        if v_perp < 1e-9 * v:
            rest = np.roll(mu_hat, 1) * np.arange(1.0, mean.size + 1)
            rest = rest - (rest @ mu_hat) * mu_hat
            v_perp = 0.0
        basis = np.column_stack([mu_hat, rest / np.linalg.norm(rest)])
        small = np.array([[first * v_parallel, -delta_2 * v_perp], [first * v_perp, delta_2 * v_parallel]]) / v
    M = basis @ (small - np.eye(len(small))) @ basis.T
    A = np.eye(mean.size) + (U * root) @ M @ (U / root).T
    return push_forward(A, mean, covariance, w, w_new)


# Divergence and entropy


def gaussian_kl(mean: Array, covariance: Array, prior_mean: Array, prior_covariance: Array) -> float:
    """KL(N(mean, covariance) ‖ N(prior_mean, prior_covariance)) by the textbook formula."""
    precision = np.linalg.inv(prior_covariance)
    shift = mean - prior_mean
    log_ratio = np.linalg.slogdet(prior_covariance)[1] - np.linalg.slogdet(covariance)[1]
    return 0.5 * (np.trace(precision @ covariance) + shift @ precision @ shift - mean.size + log_ratio)


def precise_kl(mean: Array, factor: Array, prior_mean: Array, prior_factor: Array) -> mpmath.mpf:
    """KL(N(mean, S Sᵀ) ‖ N(prior_mean, T Tᵀ)) of factors S and T, with 60 digits: covariances are never rounded."""
    with mpmath.workdps(60):
        S, T = mpmath.matrix(factor.tolist()), mpmath.matrix(prior_factor.tolist())
        shift = mpmath.matrix(mean.tolist()) - mpmath.matrix(prior_mean.tolist())
        white = mpmath.lu_solve(T, shift)
        both = T**-1 * S
        trace = sum(x * x for x in both)
        return +((trace + sum(x * x for x in white) - mean.size) / 2 - mpmath.log(abs(mpmath.det(both))))


def precise_entropy(factor: Array) -> mpmath.mpf:
    """Differential entropy of a Gaussian with this factor of its covariance, with 60 digits."""
    with mpmath.workdps(60):
        volume = abs(mpmath.det(mpmath.matrix(factor.tolist())))
        return +(mpmath.log(volume) + len(factor) * mpmath.log(2 * mpmath.pi * mpmath.e) / 2)


def flow_kl(A: Array, mean: Array, covariance: Array, w: Array, w_new: Array) -> float:
    """KL from the prior of the flow with matrix ``A`` that carries w to w_new."""
    flow = push_forward(A, mean, covariance, w, w_new)
    return gaussian_kl(flow.mean, flow.covariance, mean, covariance)


# Numerical minimisation


def flow_kl_gradient(A: Array, mean: Array, covariance: Array, w: Array, w_new: Array) -> Array:
    """Gradient of `flow_kl` over the entries of ``A``."""
    precision = np.linalg.inv(covariance)
    before, after = w - mean, w_new - mean
    return -np.outer(precision @ (after - A @ before), before) + precision @ A @ covariance - np.linalg.inv(A).T


def minimise_over_matrices(start: Array, mean: Array, covariance: Array, w: Array, w_new: Array) -> Flow:
    """Least-KL flow over all d x d matrices, searched from ``start``."""
    shape = start.shape
    problem = (mean, covariance, w, w_new)
    found = minimize(
        lambda x: flow_kl(x.reshape(shape), *problem),
        start.ravel(),
        jac=lambda x: flow_kl_gradient(x.reshape(shape), *problem).ravel(),
        method="BFGS",
        options={"gtol": 1e-9, "maxiter": 2000},
    )
    return push_forward(found.x.reshape(shape), mean, covariance, w, w_new)


def minimise_over_stretches(kl: Any, sign: int = 1) -> tuple[float, float]:
    """Lowest point of the function ``kl`` over stretches of one sign: where it is, and how low."""
    found = minimize_scalar(
        lambda t: kl(sign * np.exp(t)), bounds=(-12, 12), method="bounded", options={"xatol": 1e-9}
    )
    return sign * float(np.exp(found.x)), float(found.fun)


def minimise_over_scaled_rotations(start: Array, mean: Array, std: float, w: Array, w_new: Array) -> Flow:
    """Least-KL flow over ``a U``: the first of the parameters is log a, the others generate the rotation U."""
    dim = mean.size
    covariance = std**2 * np.eye(dim)
    above = np.triu_indices(dim, 1)

    def matrix(x: Array) -> Array:
        generator = np.zeros((dim, dim))
        generator[above] = x[1:]
        return np.exp(x[0]) * expm(generator - generator.T)

    found = minimize(
        lambda x: flow_kl(matrix(x), mean, covariance, w, w_new),
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000},
    )
    return push_forward(matrix(found.x), mean, covariance, w, w_new)


# Bayes


def precise_observation(mean: Array, factor: Array, new_mean: Array, new_factor: Array) -> tuple[Array, Array]:
    """Change of precision and of the natural parameter, with 60 digits from the factors of both covariances."""
    with mpmath.workdps(60):
        before, after = _precision(factor), _precision(new_factor)
        natural = after * mpmath.matrix(new_mean.tolist()) - before * mpmath.matrix(mean.tolist())
        return _floats(after - before), _floats(natural).ravel()


def precise_bayes(mean: Array, factor: Array, precision: Array, natural: Array) -> tuple[Array, Array]:
    """Posterior mean and covariance after one observation, with 60 digits from the factor of the prior."""
    with mpmath.workdps(60):
        before = _precision(factor)
        covariance = (before + mpmath.matrix(precision.tolist())) ** -1
        new_mean = covariance * (before * mpmath.matrix(mean.tolist()) + mpmath.matrix(natural.tolist()))
        return _floats(new_mean).ravel(), _floats(covariance)


def _precision(factor: Array) -> mpmath.matrix:
    inverse = mpmath.matrix(factor.tolist()) ** -1
    return inverse.T * inverse


def _floats(matrix: mpmath.matrix) -> Array:
    return np.array(matrix.tolist(), dtype=np.float64)
