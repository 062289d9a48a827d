"""Cases for the mathematics of the explorers, ordinary and extreme, and what the Python package says of each.

Relative to what? A number that is a product or a quotient is held to its own size. A number that is a sum may cancel,
so it is held to the size of its terms, which each side may round in its own way: a mean to the sizes of the mean and
the weights it is made of, an entropy to the logarithms, a KL to its two terms (the shift of the mean in it is itself
a difference of positions). What turns is held to its largest component. Nothing is held to less.
"""

from typing import NamedTuple

import numpy as np

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.flows import regime, stretch, stretch_kl
from bflo_viz.scenes.two_dimensions import HESSIANS, QuadraticLoss, flow_types


class Held(NamedTuple):
    """What Python says, and the size that a difference is relative to."""

    value: list[float]
    scale: list[float] | float


def spread_out(rng, shape, decades):
    """Numbers of both signs and of every size up to so many powers of ten."""
    return rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-decades, decades, shape)


def pairs(rng, count):
    """Distances (u, v): ordinary, of every size, and the cases that have a rule of their own."""
    u, v = rng.uniform(-6, 6, (2, count))
    wild = slice(None, None, 3)
    u[wild], v[wild] = spread_out(rng, (2, len(u[wild])), 300)
    kinds = np.arange(count) % 17
    v[kinds == 1] = u[kinds == 1]
    v[kinds == 2] = -u[kinds == 2]
    v[kinds == 4] = 0.0
    u[kinds == 5] = 0.0
    u[kinds == 7] = v[kinds == 7] = 0.0
    v[kinds == 8] = np.nextafter(u[kinds == 8], np.inf)
    u[kinds == 10] = rng.uniform(-6, 6, int((kinds == 10).sum()))
    v[kinds == 10] = -1e10 * u[kinds == 10]  # the printed form cancels to 0
    return u, v


def stretches(rng, count):
    u, v = pairs(rng, count)
    branch, dim = rng.choice([1, -1], count), rng.choice([1, 2, 1000], count)
    cases = [*zip(u.tolist(), v.tolist(), branch.tolist(), dim.tolist(), strict=True)]
    a = [stretch(*case[:2], branch=case[2], dim=case[3]) for case in cases]
    return cases, [{"a": Held([x], abs(x))} for x in a]


def landscapes(rng, count):
    u, v = rng.uniform(-6, 6, (2, count))
    u[::3], v[::3] = spread_out(rng, (2, len(u[::3])), 60)
    a = spread_out(rng, count, 12)
    a[::2] = stretch(u[::2], v[::2])
    a[1::10] = rng.choice([1.0, -1.0, 1 + 1e-9, 0.0], len(a[1::10]))
    dim = rng.choice([1, 2, 1000], count)
    expected = []
    for ratio, before, after, n in zip(a.tolist(), u.tolist(), v.tolist(), dim.tolist(), strict=True):
        kl, carried = stretch_kl(ratio, before, after, dim=n), abs(ratio * before)
        mean = (abs(after) + carried) * abs(after - ratio * before)
        width = n * (abs((ratio - 1) * (ratio + 1)) + abs(np.log(abs(ratio)))) if ratio else 1.0
        expected.append({"kl": Held([kl], mean + width)})
    return np.column_stack([a, u, v, dim]).tolist(), expected


def regimes(rng, count):
    delta, delta_new = pairs(rng, count)
    delta[::50] = 5e-324  # the product with anything below one is zero
    return np.column_stack([delta, delta_new]).tolist(), [str(x) for x in regime(delta, delta_new)]


def moves(rng, count, dim):
    """Prior mean, w, w_new, two points and a unit of length for each case, with every special place among them."""
    mean = rng.uniform(-4, 4, (count, dim))
    w, w_new = rng.uniform(-6, 6, (2, count, dim))
    kinds = np.arange(count) % 16

    def some(kind):
        return kinds == kind

    w_new[some(1)] = w[some(1)]
    w[some(2)] = mean[some(2)]
    w_new[some(3)] = mean[some(3)]
    w[some(4)] = w_new[some(4)] = mean[some(4)]
    w_new[some(5)] = mean[some(5)] - 2 * (w[some(5)] - mean[some(5)])  # antiparallel
    w_new[some(6)] = mean[some(6)] + 0.5 * (w[some(6)] - mean[some(6)])  # parallel
    w_new[some(7), 0] = w[some(7), 0]
    w_new[some(8)] = w[some(8)] + 1e-13 * rng.standard_normal(w[some(8)].shape)
    w_new[some(9)] = 2 * mean[some(9)] - w[some(9)]  # the mirror image
    w_new[some(10)] = w[some(10)] + 1e-3 * rng.standard_normal(w[some(10)].shape)
    mean[some(11)] = 0.0
    w[some(12)] = mean[some(12)] + 1e-9 * rng.standard_normal(w[some(12)].shape)
    points = rng.uniform(-6, 6, (count, 2, dim))
    unit = np.where(np.arange(count) % 3 == 0, np.abs(spread_out(rng, count, 100)), 1.0)
    unit[4::9] = 1e-144  # the square of a width is then too small to count with
    return [x * unit.reshape(-1, *[1] * (x.ndim - 1)) for x in (mean, w, w_new, points)], unit


def widths(rng, count, dim, unit):
    """Standard deviations: ordinary, narrow and wide."""
    std = rng.uniform(0.2, 3, (count, dim))
    far = np.arange(count) % 5 == 0
    std[far] = np.abs(spread_out(rng, std[far].shape, 6))
    return std * unit[:, None]


def held(prior, posterior, w, w_new, points, moved, matrix):
    """What Python says of one flow, each number with the size of its terms."""
    full = isinstance(prior, FullBelief)
    whiten = prior.inverse_factor if full else np.diag(1 / np.broadcast_to(prior.std, w.shape))
    place, matrix_size = np.max(np.abs([prior.mean, w, w_new]), axis=0), np.abs(matrix)
    offsets, covariance = points - prior.mean, posterior.covariance
    if not isinstance(prior, DiagonalBelief):  # a turn mixes the coordinates
        place, matrix_size = np.full(2, place.max()), np.full((2, 2), matrix_size.max())
    if full:
        spread, spread_size = posterior.factor.ravel(), np.abs(posterior.factor).max()
    else:
        spread = spread_size = np.atleast_1d(posterior.std)
    shift = np.linalg.norm(whiten @ (posterior.mean - prior.mean)) * np.linalg.norm(np.abs(whiten) @ place)
    ratios = np.trace(whiten @ covariance @ whiten.T)
    entropies = posterior.entropy(), prior.entropy()
    return {
        "mean": Held(posterior.mean, place),
        "spread": Held(spread, spread_size),
        "covariance": Held(covariance.ravel(), covariance.max()),
        "matrix": Held(matrix.ravel(), matrix_size.ravel()),
        "moved": Held(moved.ravel(), (place + np.abs(offsets) @ matrix_size.T).ravel()),
        "kl": Held([posterior.kl(prior)], shift + ratios + np.sum(np.abs(entropies)) + w.size),
        "entropy": Held([entropies[0] - entropies[1]], np.sum(np.abs(entropies)) + w.size),
    }


def flows(rng, count, kind):
    """Flows of one type: the cases for JavaScript, and what the beliefs of Python say."""
    dim = 1 if kind == "line" else 2
    (mean, w, w_new, points), unit = moves(rng, count, dim)
    if kind == "full":
        spread, belief = tilted_factors(rng, count, unit), FullBelief.from_factor
    elif kind == "spherical":
        spread, belief = widths(rng, count, 1, unit)[:, 0], SphericalBelief
    else:
        spread, belief = widths(rng, count, dim, unit), DiagonalBelief
    coins = rng.integers(2, size=(3, count)).tolist()
    cases, expected = [], []
    for i, (lower, clipped, other) in enumerate(zip(*coins, strict=True)):
        options = {"branch": -1 if lower else 1, "non_expansive": bool(clipped)}
        rule = {"rule": "exact" if other else "printed"} if kind == "spherical" else {}
        rotation = {"rotation": -1 if other else 1} if kind == "full" else {}
        prior = belief(mean[i], spread[i])
        posterior = prior.flow(w[i], w_new[i], **options, **rule)
        moved = prior.transport(points[i], w[i], w_new[i], **options, **rule, **rotation)
        matrix = prior.affine_map(w[i], w_new[i], **options, **rule, **rotation).A
        expected.append(held(prior, posterior, w[i], w_new[i], points[i], moved, matrix))
        options["nonExpansive"] = options.pop("non_expansive")
        numbers = [x[i].tolist() for x in (mean, spread, w, w_new, points)]
        cases.append([*numbers, options | rule | rotation])
    return cases, expected


def tilted_factors(rng, count, unit):
    """Factors of correlated priors: an ellipse at any angle, or the triangle of a strong correlation."""
    angle = rng.uniform(-np.pi, np.pi, count)
    long, short = rng.uniform(0.2, 3, (2, count))
    c, s = np.cos(angle), np.sin(angle)
    factors = np.array([[long * c, -short * s], [long * s, short * c]]).transpose(2, 0, 1)
    strong = np.arange(count) % 4 == 0
    rho = rng.choice([-1, 1], count) * (1 - 10.0 ** rng.uniform(-5, 0, count))
    triangle = np.array([[long, 0 * rho], [rho * short, np.sqrt(1 - rho**2) * short]]).transpose(2, 0, 1)
    factors[strong] = triangle[strong]
    factors[:4] = np.eye(2)
    return factors * unit[:, None, None]


def shapes(rng, count):
    """Ellipses by axes and angle, against the covariance that NumPy multiplies and the beliefs nearest to it."""
    axes, degrees = rng.uniform(0.2, 3, (count, 2)), rng.uniform(-90, 90, count)
    degrees[:4] = -90, 0, 45, 90
    expected = []
    for sizes, angle in zip(axes, np.radians(degrees), strict=True):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        covariance = turn @ np.diag(sizes**2) @ turn.T
        belief = FullBelief([0.0, 0.0], covariance)
        back = np.diag(1 / sizes) @ turn.T
        expected.append(
            {
                "covariance": Held(covariance.ravel(), covariance.max()),
                "diagonal": Held(belief.std, belief.std),
                "spherical": Held([np.sqrt(np.mean(belief.std**2))], belief.std.max()),
                "back": Held(back.ravel(), np.abs(back).max()),
            }
        )
    return [*zip(axes.tolist(), degrees.tolist(), strict=True)], expected


def turns(rng, count):
    """The angle that a title names, against the scene of the figure."""
    (mean, w, w_new, _), _ = moves(rng, count, 2)
    cases, expected = [], []
    for i in range(count):
        if i % 3 == 0:
            continue  # of any size: flow_types has no unit but the plane's
        rule, std = str(rng.choice(["printed", "exact"])), float(rng.uniform(0.2, 3))
        scene = flow_types(mean[i], std, w[i], w_new[i], rule=rule)
        cases.append([mean[i].tolist(), std, w[i].tolist(), w_new[i].tolist(), rule])
        angles = [flow.angle for flow in scene.flows]
        degrees = [180.0 if abs(abs(angle) - 180) < 1e-9 else angle for angle in angles]  # left or right: rounding
        expected.append({"degrees": Held(degrees, 180.0)})
    return cases, expected


def steps(rng, count):
    w, optimum = rng.uniform(-6, 6, (2, count, 2))
    optimum[::10] = w[::10]
    eta = rng.choice([0.0, 0.5, 2.0], count)
    loss = rng.choice([*HESSIANS], count)
    cases, expected = [], []
    for i in range(count):
        cases.append([w[i].tolist(), optimum[i].tolist(), str(loss[i]), float(eta[i]), 6.0])
        moved = QuadraticLoss(str(loss[i]), tuple(optimum[i]), float(eta[i])).step(w[i], 6.0)
        expected.append({"w": Held(moved, 0.0)})  # to the bit, or each side would correct the other
    return cases, expected


KINDS = {
    "stretch": (stretches, 9_000),
    "landscape": (landscapes, 4_000),
    "line": (lambda rng, count: flows(rng, count, "line"), 2_000),
    "diagonal": (lambda rng, count: flows(rng, count, "diagonal"), 2_000),
    "spherical": (lambda rng, count: flows(rng, count, "spherical"), 2_000),
    "full": (lambda rng, count: flows(rng, count, "full"), 2_000),
    "shape": (shapes, 500),
    "turn": (turns, 300),
    "step": (steps, 1_000),
}
