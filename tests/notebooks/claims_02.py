"""What notebook 02 says of its numbers and pictures."""

import numpy as np
from oracles import gaussian_kl
from scipy.optimize import minimize_scalar

from bflo_viz import FullBelief, stretch, stretch_kl
from bflo_viz.figures.one_weight import one_update, regime_map, regime_variants


def crossings():
    """New width, and the part of the KL that pays for the mean, by numerical minimisation: rows Δ, columns Δ′."""
    widths, shares = np.empty((4, 4)), np.empty((4, 4))
    for place in np.ndindex(4, 4):
        u, v = (0.5, 1.0, 2.0, 4.0)[place[0]], (-0.5, -1.0, -2.0, -4.0)[place[1]]
        best = minimize_scalar(lambda a, u=u, v=v: (v - a * u) ** 2 + a * a - np.log(a * a), bounds=(1e-9, 9)).x
        mean, width = (v - best * u) ** 2, best**2 - 1 - np.log(best**2)
        widths[place], shares[place] = best, mean / (mean + width)
    return widths, shares


def crossing_narrows_most():
    nearing, crossing = one_update(1.5, 0.5), one_update(1.0, -0.6)
    return crossing.posterior.std < nearing.posterior.std < 1 and crossing.regime == "crossing"


@claim("Of these four, a = 0.75 is the cheapest")
def cheapest_of_four():
    """Against the KL of the two Gaussians, from the numbers of the first cells."""
    costs = {}
    for a in (0.5, 0.75, 1.0, 1.25):
        mean = a * 1.0 + (2.5 - a * 4.0)
        costs[a] = gaussian_kl(np.array([mean]), np.array([[(2 * a) ** 2]]), np.array([1.0]), np.array([[4.0]]))
    return min(costs, key=costs.get) == 0.75 and np.isclose(costs[0.75], stretch_kl(0.75, 1.5, 0.75))


claim["The two forms of the root are one"] = np.isclose(stretch(1.5, 0.75), 0.754152, atol=1e-6)
claim["a numerical minimiser goes down into either valley for 100 random pairs"] = pairs.shape == (
    100,
    2,
) and agree == {1: True, -1: True}
claim["In this picture crossing narrows the belief more than contracting does"] = crossing_narrows_most()
claim["Δ = 1, Δ′ = −1: half as wide"] = np.isclose(stretch(1.0, -1.0), 0.5)


@claim("Go straight down from the diagonal on the right half: the belief narrows all the way")
def narrows_all_the_way():
    scene = regime_map()
    right, left = scene.delta > 0, scene.delta < 0
    return np.all(np.diff(scene.std[:, right], axis=0) > 0) and np.all(np.diff(scene.std[:, left], axis=0) < 0)


@claim("in the first two rows three quarters of the KL or more pay for the mean")
def crossings_by_price():
    _, shares = crossings()
    where = np.argwhere(shares < 0.5).tolist()  # far out, and barely past the mean
    return np.all(shares[:2] > 0.745) and where and all(row == 3 and column <= 1 for row, column in where)


@claim("the belief narrows in every crossing, in the last row down to one seventeenth")
def crossings_by_width():
    widths, _ = crossings()
    further = np.all(np.diff(widths, axis=1) < 0) and np.all(np.diff(widths, axis=0) < 0)
    return np.all(widths < 1) and further and abs(1 / widths[3].min() - 17) < 0.1


@claim("the reflected valley is the deeper one exactly where the weight crossed")
def reflecting_is_cheaper_past_the_mean():
    u, v = np.random.default_rng(1).normal(0, 2, size=(2, 5000))
    here, reflected = (stretch_kl(stretch(u, v, branch=d), u, v) for d in (1, -1))
    return np.array_equal(reflected < here, u * v < 0)


@claim("the diagonal flow hardly notices. The full one jumps")
def full_flow_jumps():
    line = FullBelief([0.0], [[1.0]])
    here, there = (line.flow([1.0], [moved]).mean[0] for moved in (0.01, -0.01))
    return here < 0.01 and there > -0.01 and abs(stretch(1.0, 0.01) - stretch(1.0, -0.01)) < 0.01


@claim("there the mean always moves less than on the branch +1")
def reflected_mean_moves_less_past_the_mean():
    u, v = np.random.default_rng(2).normal(0, 3, size=(2, 5000))
    past = u * v < 0
    moved = {branch: np.abs(v - stretch(u, v, branch=branch) * u)[past] for branch in (1, -1)}
    return np.all(moved[-1] < moved[1]) and stretch_kl(-1.0, 1.3, -1.3) == 0


@claim("The third map is the first one upside down")
def columns_of_the_variants():
    first, _, third = regime_variants()[:3]
    return np.allclose(third.std, first.std[::-1]) and np.allclose(third.mean, -first.mean[::-1])


@claim("Both moves to the left cross and narrow; on the right all four widths are nearer to 1")
def figure_2c():
    far, close = panels
    left, right = slice(0, 2), slice(2, 4)
    return (
        all(np.all(panel.stds[left] < 1) and np.all(panel.stds[right] > 1) for panel in (far, close))
        and all(np.all(panel.moved[left] < 0) for panel in (far, close))
        and np.all(np.abs(np.log(close.stds)) < np.abs(np.log(far.stds)))
        and np.all(np.abs(close.stds - 1) < np.abs(far.stds - 1))
        and np.all(close.mean_share > 0.97)
    )


@claim("Past the mean KL(old ‖ new) widens in every crossing, and for uv ≤ −1 Wasserstein leaves a point")
def other_choices():
    """Against what a numerical minimiser finds for either, term by term as the textbooks have them."""
    for u, v in np.random.default_rng(3).normal(0, 1.5, size=(50, 2)):
        back = minimize_scalar(lambda a: np.log(a) + (1 + (v - a * u) ** 2) / (2 * a * a), bounds=(1e-3, 50))  # noqa: B023
        carried = minimize_scalar(lambda a: (v - a * u) ** 2 + (a - 1) ** 2, bounds=(0, 50))  # noqa: B023
        a, w2 = 1 / stretch(v, u), max(0.0, (1 + u * v) / (1 + u * u))
        if not np.allclose([a, stretch_kl(1 / a, v, u), w2], [back.x, back.fun - 0.5, carried.x], atol=1e-4):
            return False
        if u * v < 0 and not (a > 1 > stretch(u, v) and (w2 == 0) == (u * v <= -1)):
            return False
    return True


claim["From u = 1 to v = −2 the widths are 0.37, 3.45 and 0"] = np.allclose(
    [width[-1] for width in widths.values()], [0.366, 3.449, 0.0], atol=5e-4
)


@claim("A giant step")
def giant_steps():
    away, past = stretch(0.7, 1e7), stretch(0.7, -1e7)
    part = 0.7**2 / (1 + 0.7**2)
    return np.allclose([away * 0.7 / 1e7, 1 - away * 0.7 / 1e7, past * 0.7e7], [part, 1 / (1 + 0.7**2), 1])


@claim("A thin belief")
def thin_beliefs():
    std, step = 1e-6, 0.5
    for z in (0.3, 1.0, 2.5):
        out, back = (std * stretch(z, z + side * step / std) for side in (1, -1))
        if not np.isclose(out, z * step / (1 + z * z), rtol=1e-4) or not out <= step / 2 * (1 + 1e-4):
            return False
        if not np.isclose(back, std**2 / (z * step), rtol=1e-4):
            return False
    near, past = stretch(1e6, 0.5e6), stretch(1e6, -0.5e6)
    return np.isclose(near, 0.5) and past < 1e-9 and abs((0.5e6 - near * 1e6) * 1e-6) < 1e-9


@claim("The weight whose small step changes the width most is √2 σ out")
def small_steps():
    u = np.linspace(0.1, 4, 3901)
    slope = (stretch(u, u + 1e-6) - 1) / 1e-6
    return np.allclose(slope, u / (2 + u * u), atol=1e-5) and abs(u[slope.argmax()] - np.sqrt(2)) < 0.02


if as_stored:
    assert (explorer.delta, explorer.delta_new, explorer.branch) == (1.5, 0.5, 1)
    assert explorer.regime == "contracting" and abs(explorer.posterior.std[0] - 0.682) < 0.001
    assert (mirror.delta, mirror.delta_new, mirror.branch) == (1.0, -2.0, -1)
    assert abs(mirror.posterior.std[0] - 1.366) < 0.001 and abs(mirror.posterior.mean[0] + 0.634) < 0.001
    explorer.delta, explorer.delta_new = 2.0, 0.25
    assert check.halve_the_width(explorer).right
    mirror.delta_new = -1.0
    assert check.leave_it_as_it_was(mirror).right
    assert mirror.posterior.kl(mirror.belief) == 0
