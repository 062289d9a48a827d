"""What notebook 10 says: laws held to mpmath and to simulations that share no code with the package."""

import math

import mpmath
import numpy as np
from oracles import printed_stretch
from scipy.stats import gamma, kstest

from bflo_viz import BeliefFlow, DiagonalBelief, FullBelief, Logistic
from bflo_viz.figures import step_shares, width_law

ROUND = [(1.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)]
ETAS = (0.01, 0.03, 0.1, 0.3)


def mean_over_chi(function, d):
    """E[function(u)] for u the length of d standard normal numbers, by quadrature."""
    half = mpmath.mpf(d) / 2

    def weighted(u):
        return function(u) * 2 * mpmath.exp(-u * u / 2) * (u * u / 2) ** half / (u * mpmath.gamma(half))

    return mpmath.quad(weighted, [0, 1, 2, 4, 8, 16, 32, 64])


def log_stretch(u, step):
    """The logarithm of the stretch of a weight that goes from u to u + step, by the root as printed."""
    v = u + step
    return mpmath.log((u * v + mpmath.sqrt(u * u * v * v + 4 * (1 + u * u))) / (2 * (1 + u * u)))


def slope(u, order=1):
    """A derivative of that logarithm at a step of length 0."""
    return mpmath.diff(lambda step: log_stretch(u, step), 0, order)


def settle(eta, rounds, beliefs=3000, noise=1.0, seed=0):
    """Means and widths of flows over one weight in a noisy bowl, in plain NumPy with the printed root."""
    rng = np.random.default_rng(seed)
    mean, std = np.zeros(beliefs), np.ones(beliefs)
    for _ in range(rounds):
        u = rng.standard_normal(beliefs)
        w = mean + std * u
        moved = w - eta * (w + noise * rng.standard_normal(beliefs))
        v = (moved - mean) / std
        root = np.hypot(u * v, 2 * np.sqrt(1 + u * u))
        a = np.where(u * v > 0, (u * v + root) / (2 * (1 + u * u)), 2 / (root + abs(u * v)))
        mean, std = moved - a * std * u, np.maximum(a * std, 1e-100)
    return mean, std


def medians(kind, scales, etas):
    return np.array([np.median(far[kind, world, eta]) for world, eta in zip(scales, etas, strict=True)])


@claim("1: a Gaussian ensemble moves by I − ηH and stays Gaussian")
def ensemble_stays_gaussian():
    """By the power of the matrix; and an ellipse of two standard deviations still holds 86 % of the weights."""
    A5 = np.linalg.matrix_power(np.eye(2) - 0.1 * H, 5)
    best = np.array([2.0, -1.0])
    offsets = weights - (best - A5 @ best)
    inside = np.einsum("ij,jk,ik->i", offsets, np.linalg.inv(A5 @ A5.T), offsets) < 4
    return (
        np.allclose(mean, best - A5 @ best)
        and np.allclose(covariance, A5 @ A5.T)
        and np.allclose(weights.mean(axis=0), mean, atol=0.02)
        and np.allclose(np.cov(weights.T), covariance, atol=0.02)
        and abs(inside.mean() - (1 - math.exp(-2))) < 0.01
    )


@claim("2: diagonal 0.23, full 0.42 across and 0.72 along, both a hundred times wider than the true ensemble")
def ravine():
    (along_d, across_d), (along_f, across_f) = (np.median(ends[kind], axis=0) for kind in ("diagonal", "full"))
    right = (
        along_d == 1 and abs(across_d - 0.23) < 0.06 and abs(across_f - 0.42) < 0.09 and abs(along_f - 0.72) < 0.09
    )
    return right and min(across_d, across_f) > 100 * 0.85**40 and round(0.85**40, 4) == 0.0015


claim["10.1: hundreds of times as wide; the width across falls by about 2 % in a step"] = (
    200 < np.median(ends["full"], axis=0)[1] / 0.85**40 < 400
    and abs(1 - np.median(ends["full"], axis=0)[1] ** (1 / 40) - 0.02) < 0.006
)


@claim("3: a pull of ε narrows the belief by ε u²/(2 + u²), to first order; the mean follows 2/(2 + u²)")
def first_order():
    for u in (0.1, 0.7, 1.5, 4.0):  # a step of -ε u; the mean goes by v - a u
        width, mean = u * slope(u), 1 - u * slope(u)
        if not (abs(width - u**2 / (2 + u**2)) < 1e-10 and abs(mean - 2 / (2 + u**2)) < 1e-10):
            return False
    return True


@claim("3: on average 0.242 and 0.758, by the closed form, by quadrature and as measured")
def one_weight():
    exact = mean_over_chi(lambda u: u**2 / (2 + u**2), 1)
    u = np.random.default_rng(0).standard_normal(100_000)
    measured = np.mean(np.log(printed_stretch(u, 0.99 * u))) / np.log(0.99)
    return (
        abs(exact - by_formula) < 1e-12
        and abs(by_quadrature - by_formula) < 1e-6
        and round(by_formula, 3) == 0.242
        and abs(measured - 0.242) < 0.006
        and round(1 - by_formula, 3) == 0.758
    )


@claim("4: shares of a full flow are E[u²/(2 + u²)]/d and E[2/(2 + u²)]/d, together 1/d: 0.20, 0.13, 0.081, 0.019")
def shares_by_quadrature():
    for d in (1, 2, 3, 5, 10, 50):
        mean, width = step_shares(d)
        exact = mean_over_chi(lambda u: u**2 / (2 + u**2), d) / d
        if not (abs(width / exact - 1) < 1e-9 and abs(mean + width - 1 / d) < 1e-12):
            return False
    return [float(f"{step_shares(d)[1]:.2g}") for d in (2, 5, 10, 50)] == [0.20, 0.13, 0.081, 0.019]


@claim("4: what is measured lies on the law; also for other H and other beliefs")
def shares_as_measured():
    scene = narrowing
    return np.all(abs(scene.measured - scene.law) < 5 * scene.errors + 0.003 * scene.law) and (
        abs(general_share - step_shares(5)[1]) < 0.03
    )


@claim("4: of a small step the mean follows the other share")
def share_of_the_mean():
    rng = np.random.default_rng(1)
    for d in (2, 10):
        belief, step, parts = FullBelief(np.zeros(d), np.eye(d)), np.full(d, 1e-3), []
        for w in rng.standard_normal((3000, d)):
            parts.append(belief.flow(w, w + step).mean @ step / (step @ step))
        if abs(np.mean(parts) - step_shares(d)[0]) > 4 * np.std(parts) / math.sqrt(3000):
            return False
    return True


claim["5: SGD jitters by s √(η/2h), and the belief is about half as wide, for all four η"] = (
    np.allclose(settled.jitter, np.sqrt(settled.etas / (2 - settled.etas)), rtol=0.08)
    and np.allclose(settled.exact, np.sqrt(settled.etas / 2), rtol=0.05)
    and np.all(abs(settled.medians / settled.jitter - 0.53) < 0.09)
)
claim["5: both go like √η"] = all(
    abs(np.polyfit(np.log(settled.etas), np.log(found), 1)[0] - 0.5) < 0.06
    for found in (settled.jitter, settled.medians)
)


@claim("5: noise lowers log σ by A = (19 q − 14)/32 with a variance of B = (3 q − 2)/4")
def drift_and_spread():
    """The Taylor series of the logarithm of the root, averaged by quadrature over the weights that may be drawn."""
    with mpmath.workdps(20):
        A, B = -mean_over_chi(lambda u: slope(u, 2) / 2, 1), mean_over_chi(lambda u: slope(u) ** 2, 1)
    q, now = step_shares(1)[0], width_law()
    return (
        abs(A - (19 * q - 14) / 32) < 1e-8
        and abs(B - (3 * q - 2) / 4) < 1e-8
        and abs(now.shape - (1 - A / B)) < 1e-7
        and abs(now.scale - 2 * B / (1 - q)) < 1e-7
        and (round(now.shape, 3), round(now.scale, 3), round(now.median(), 3)) == (0.817, 0.565, 0.541)
    )


@claim(
    "5: for small steps (σ/τ)² follows that Gamma distribution, whatever the noise; and the mean jitters by 0.91 τ"
)
def gamma_law():
    now, q = width_law(), step_shares(1)[0]
    for eta, noise in ((0.01, 1.0), (0.01, 0.3)):
        mean, std = settle(eta, 3500, noise=noise)
        tau = noise * math.sqrt(eta / 2)
        apart = kstest((std / tau) ** 2, gamma(now.shape, scale=now.scale).cdf).statistic
        if not (apart < 0.05 and abs(np.std(mean) / tau / math.sqrt((2 - q) / (2 * q)) - 1) < 0.06):
            return False
    return True


@claim("10.3: with four times as many examples it is as wide; with a quarter of η half as wide")
def more_data():
    (_, before), (_, after), (_, slow) = (settle(*case) for case in ((0.04, 1000), (0.04, 4000), (0.01, 4000)))
    return (
        abs(np.median(after) / np.median(before) - 1) < 0.1 and abs(np.median(slow) / np.median(after) - 0.5) < 0.06
    )


@claim("10.4 and 7: the width that was ordered, after ln(σ₀/σ)/(0.242 η h) rounds")
def ordered():
    eta = 2 * (0.05 / 0.54 / 2) ** 2
    rounds = math.log(1 / 0.05) / (0.242 * eta)
    (_, soon), (_, late) = settle(eta, int(rounds), noise=2.0), settle(eta, int(2 * rounds), noise=2.0)
    return abs(rounds - 2900) < 50 and abs(np.median(late) / 0.05 - 1) < 0.1 and np.median(soon) < 0.075


claim["6: with two weights and round inputs, full and spherical flows are calibrated over a factor of 30 in η"] = (
    all(np.all(abs(np.log(medians(kind, ROUND, ETAS) / 1.18)) < 0.45) for kind in ("full", "spherical"))
    and ETAS[-1] == 30 * ETAS[0]
    and round(math.sqrt(2 * math.log(2)), 2) == 1.18
)
too_far = np.log(medians("diagonal", ROUND, ETAS) / 1.18)
claim["6: diagonal flows are about twice too sure"] = abs(np.mean(too_far) - np.log(2)) < 0.22 and np.all(
    abs(too_far - np.log(2)) < 0.55
)
claim["6: with inputs of unequal width the full flow is too sure"] = (
    1.25 < medians("full", [(1.0, 0.3)], [0.1])[0] < 2.5
)
claim["6: with five weights full and spherical flows are too shy, diagonal ones too sure by a factor of two"] = (
    max(medians(kind, [(1.0,) * 5], [0.1])[0] for kind in ("full", "spherical")) < 0.85 * 2.09
    and abs(np.log(medians("diagonal", [(1.0,) * 5], [0.1])[0] / 4.8)) < 0.3
)
claim["6: by the law 2.2 widths for two weights, and 4.8 for five"] = (
    abs(predicted[2] - 2.24) < 0.06 and abs(predicted[5] - 4.81) < 0.12 and abs(predicted[1] - 1.14) < 0.04
)


@claim("6: the law of diagonal flows is true of flows in a noisy bowl")
def diagonal_distances():
    mean, std = settle(0.01, 3500, beliefs=6000)
    for d in (2, 5):
        off = np.linalg.norm((mean / std).reshape(-1, d), axis=1)
        if abs(np.median(off) / predicted[d] - 1) > 0.15:
            return False
    return True


@claim("6: SGD jitters as far in the flat direction, but the full flow becomes half as wide there")
def flat_direction():
    rng, scales, widths, w = np.random.default_rng(2), np.array([1.0, 0.3]), [], np.zeros((400, 2))
    for _ in range(8000):
        x = scales * rng.standard_normal((400, 2))
        label = (x.sum(axis=1) > 0) ^ (rng.random(400) < 0.4)
        w = w - 0.1 * (1 / (1 + np.exp(-(w * x).sum(axis=1))) - label)[:, None] * x
    for _ in range(30):
        x, label = stream(rng, 20_000, scales)
        learner = BeliefFlow(FullBelief(np.zeros(2), np.eye(2)), eta=0.1)
        learner.run(x, label, rng, blocks=1)
        widths.append(np.sqrt(np.diag(learner.belief.covariance)))
    steep, flat = w.std(axis=0)
    wide, narrow = np.median(widths, axis=0)
    return abs(flat / steep - 1) < 0.25 and abs(narrow / wide - 0.45) < 0.17


claim["6: truth drawn from the prior: calibrated in the bowl, too sure in the ravine"] = (
    abs(np.median(drawn["bowl"]) - 1.2) < 0.4
    and np.mean(np.array(drawn["bowl"]) > 3) < 0.2
    and np.median(drawn["ravine"]) > 1.7
    and np.mean(np.array(drawn["ravine"]) > 3) > 0.2
)
claim["7: without momentum it is nearly the law; with a decay of 0.9 next to nothing is left"] = (
    abs(kept[0.0] - 0.235) < 0.03 and 0.05 < kept[0.5] < 0.16 and 0 < kept[0.9] < 0.08
)


@claim("7: in logistic regression near its optimum s² ≈ h, and a weight settles at about 0.4 √η")
def logistic_width():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(200_000)
    y = (x > 0) ^ (rng.random(x.size) < 0.4)
    z = 1 / (1 + np.exp(-0.327 * x))
    noise, curvature = np.mean((z - y) ** 2 * x**2), np.mean(z * (1 - z) * x**2)
    learners = [BeliefFlow(DiagonalBelief([0.0], 1.0), Logistic(), eta=0.05) for _ in range(80)]
    for part, learner in enumerate(learners):
        rows = slice(2000 * part, 2000 * (part + 1))
        learner.run(x[rows, None], y[rows].astype(int), rng, blocks=1)
    width = np.median([learner.belief.std[0] for learner in learners])
    return abs(noise / curvature - 1) < 0.1 and abs(width / math.sqrt(0.05) - 0.4) < 0.1


if as_stored:
    assert [len(far[kind, *world]) for kind in ("full", "diagonal", "spherical") for world in worlds] == 18 * [108]
    assert draw_contraction(narrowing).alt_text
