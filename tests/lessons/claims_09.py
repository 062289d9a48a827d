"""What the appendix says; each claim is a bound or is computed in a second way."""

from scipy.optimize import minimize
from scipy.stats import chi2

from bflo_viz.figures.ensemble import step_shares


def kl_of(C, u, v):
    """Return the KL of the whitened map with columns C, whose first image is v along the first axis."""
    C = C.reshape(2, 2)
    mean = np.array([v, 0.0]) - u * C[:, 0]
    return 0.5 * mean @ mean + 0.5 * np.sum(C**2) - 1 - np.log(abs(np.linalg.det(C)))


# Section 1: the two lower points are minima of all 2 × 2 maps; the upper ones are not.
u, v = 1.2, 0.8
low, high = stretch(u, v), stretch(u, v, branch=-1)
for sign in (1.0, -1.0):
    C = np.array([low, 0, 0, sign])
    assert minimize(kl_of, C + 0.01, args=(u, v)).fun > kl_of(C, u, v) - 1e-8
upper = np.diag([high, 1.0])
turned = np.array([[np.cos(0.1), -np.sin(0.1)], [np.sin(0.1), np.cos(0.1)]]) @ upper
assert kl_of(turned.ravel(), u, v) < kl_of(upper.ravel(), u, v) - 1e-4

# Sections 2 and 3: the limits of thin beliefs, and the minimisers found by search.
thin = [DiagonalBelief([0], [1e-4]).flow([1e-4], [1e-4 + step]).std[0] for step in (0.5, -0.5)]
assert np.allclose(thin, [0.25, 2e-8], rtol=1e-2)
grid = np.geomspace(1e-3, 20, 400_001)
back = lambda v: 0.5 * ((v - grid) / grid) ** 2 + 0.5 * (grid**-2 - 1) + np.log(grid)  # noqa: E731
for v in (2.0, 0.5, -0.5, -2.0):
    assert abs(grid[np.argmin(back(v))] - 1 / stretch(v, 1)) < 1e-3
    carried = (v - grid) ** 2 + (grid - 1) ** 2
    assert abs(grid[np.argmin(carried)] - max(1e-3, (1 + v) / 2)) < 1e-3

# Section 4 and 5.
assert widths["from w − μ"][-1] < 1e-12 and 0.05 < widths["z kept"][-1] < 0.1
falls = {name: found[:, -1].mean() for name, found in logs.items()}
assert abs(falls["decay 0.5"] / falls["decay 0.0"] - 0.5) < 0.05
assert abs(falls["decay 0.9"] / falls["decay 0.0"] - 0.1) < 0.03 and falls["0.9, pairs"] < 3 * falls["decay 0.9"]

# Section 6: sure where the rings are, the filter alone.
ends = {name: np.mean(runs, axis=0) for name, runs in doubt.items()}
assert ends["Kalman"][12] > 3 * ends["Kalman"][2:4].max()
assert np.ptp(ends["diagonal"]) < 0.1 and np.ptp(ends["full"]) < 0.1 and ends["full"].min() > 0.9

# Section 7: by their means SGD and the diagonal flows are alike, and the full flow falls behind as the truth moves.
middle = {name: runs.mean(axis=0) for name, runs in by_mean.items()}
for name in ("diagonal", "diagonal, non-expansive"):
    assert np.all(abs(middle[name] - middle["SGD"]) < 1.2)
assert np.all(middle["full"][1:] > middle["SGD"][1:] + 1)

# Section 8: over the whole run, regret rises less than √T; samples cost, means hardly.
last = {name: np.mean(runs, axis=0) for name, runs in regret.items()}
assert all(runs[-1] / runs[0] < 10 for runs in last.values())
assert last["diagonal"][-1] > 1.3 * last["SGD"][-1] and last["diagonal, by the mean"][-1] < 1.3 * last["SGD"][-1]

# Section 9: the line is the chi distribution; two weights are calibrated, ten are not.
assert np.allclose(ideal, [chi2.median(d) ** 0.5 for d in dims], atol=1e-3)
off = {name: np.mean(runs, axis=0) for name, runs in far.items()}
assert all(
    abs(off[name][1] / ideal[1] - 1) < 0.35 and off[name][3] < 0.6 * ideal[3] for name in ("full", "spherical")
)
assert off["diagonal"][1] > 1.5 * ideal[1] and off["diagonal"][3] > 3 * ideal[3]

# Section 10: paired with SGD on the same splits.
paired = {case: (more.mean(), more.std(ddof=1) / np.sqrt(len(more))) for case, more in extra.items()}
for name in ("Dropout", "Langevin"):
    assert paired["digits", name][0] < -3 * paired["digits", name][1]
assert paired["digits", "diagonal"][0] > paired["digits", "Langevin"][0] + 0.03
assert paired["network", "diagonal"][0] < -1.5 * paired["network", "diagonal"][1]
assert paired["tissue", "diagonal"][0] < -paired["tissue", "diagonal"][1]

# Section 11: one part in d.
assert np.allclose(step_shares(50), [0.0008, 0.0192], atol=1e-4)

# Section 13: who leads where, in differences on the same streams.
score = {case: runs.mean(axis=1) for case, runs in raced.items()}
beyond = lambda name, turns: (score[name, turns] - score["filter, best Q", turns]).mean(axis=0)  # noqa: E731
assert (
    abs(beyond("SGD", False)[1] - beyond("diagonal", False)[1]) < 0.008
    and 1 < beyond("diagonal", False)[0] < 4
    and beyond("SGD", False)[0] < 1
    and beyond("SGD", False)[1] > 0.004
)
for name in ("SGD", "diagonal", "diagonal, floor", "filter"):
    assert np.all(beyond(name, True) > 0)
assert score["filter", True][:, 0].mean() > 25 and np.all(
    beyond("diagonal filter, best Q", True) < beyond("diagonal", True)
)
assert np.all(beyond("diagonal filter, best Q", False) < beyond("diagonal", False))
