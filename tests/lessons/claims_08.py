"""What lesson 8 says in its verdicts, held to oracles that the lesson does not use."""

from scipy.optimize import minimize_scalar
from scipy.stats import norm

# 1: the best stretch in d dimensions is the printed formula with d in place of 1
for d, (_, cost, best, least) in spherical.items():
    u, v = d**0.5, 0.9 * d**0.5
    kl = lambda a: 0.5 * (v - a * u) ** 2 + d * (0.5 * (a * a - 1) - np.log(a))  # noqa: B023, E731
    found = minimize_scalar(kl, (0.5, 1))
    closed = (u * v + np.sqrt(u * u * v * v + 4 * d * (d + u * u))) / (2 * (d + u * u))
    assert abs(found.fun - least) < 1e-6 and abs(found.x - best) < 1e-3 and abs(closed - best) < 1e-4
    assert cost > 3 * least if d == 1000 else cost >= least - 1e-9

# 2: four stationary points, two minima with one belief; in three dimensions different maps, one belief
assert all(slope_there < 1e-9 and (least > 0) == (signs[0] == 1) for signs, (slope_there, least, _) in four.items())
assert np.allclose(four[1, 1][2], four[1, -1][2]) and not np.allclose(four[1, 1][2], four[-1, 1][2])
assert all(max(off) < 1e-12 for _, *off in turned) and min(differs for differs, *_ in turned[1:]) > 0.1

# 3: on a line the rule A > 0 gives the diagonal flow, and the rule α > 0 does so only without a crossing
for (u, v), (alpha, positive, diagonal) in line.items():
    belief = DiagonalBelief([0.0], [1.0]).flow([u], [v])
    assert abs(positive - diagonal) < 1e-12 and abs(belief.std[0] - diagonal) < 1e-12
    assert (abs(alpha - diagonal) < 1e-12) == (v > 0)
assert abs(line[1.0, -2.0][0] + 1.366) < 5e-4 and abs(line[1.0, -2.0][1] - 0.366) < 5e-4

# 4: rank one for the full flow, full rank for the others; a clipped step outwards moves the mean alone
assert np.all(singular["full"][1:] < 1e-12) and min(min(singular[k]) for k in ("spherical", "diagonal")) > 0.01
assert np.allclose(clipped.std, 1) and np.allclose(clipped.mean, start) and not np.any(exists)

# 5: all ten online errors are smaller; means alike, samples twice as close
assert online.shape == (10, 2) and np.all(online[:, 1] < online[:, 0])
off = {key: np.mean(some) for key, some in angles.items()}
assert off[False, "sample", 4000] > 1.5 * off[True, "sample", 4000]
assert all(abs(off[False, "mean", end] - off[True, "mean", end]) < 6 for end in (1000, 4000))
assert abs(off[True, "sample", 4000] - off[True, "mean", 4000]) < 1.5

# 6: samples of a wide belief find the deeper well
assert abs(norm.cdf(-2 / 3) - 0.25) < 0.005
assert max(share for std, share in shares.items() if std <= 1.5) < 0.02 and shares[3.0] > 0.9
by_mean, mirrored, shaken = others.values()
assert by_mean == 0 and mirrored < 0.2 and shaken > 0.5

# 7: three slips in 22 ranks, all online
count = sum(len(printed_ranks(*place)) for place in blocks)
assert count == 22 and {(place[0], name) for place, name in slips} == {
    ("table1", "BLANG"),
    ("table1", "BFLO"),
    ("table2", "DROPOUT"),
}
assert all(place[1] == "online" for place, _ in slips)

# 8: BLANG is closest in three of four blocks; what flipped labels cost
rivals = ("AROW", "SGD", "BLANG")
closest = {k[:2]: rivals[np.argmin([closeness[*k[:2], who] for who in rivals])] for k in closeness}
assert {k for k, who in closest.items() if who != "BLANG"} == {("online", 0.0)} and closest["online", 0.0] == "SGD"
assert abs(closeness["online", 0.0, "SGD"] - 0.99) < 0.005 and abs(closeness["online", 0.0, "BLANG"] - 1.13) < 0.005
clean = printed_errors("table1", "online", 0.0)
assert sum(abs(clean["SGD"][s] - e) < abs(clean["BLANG"][s] - e) for s, e in clean["BFLO"].items()) == 3
before, after = (printed_errors("table1", "final", noise) for noise in (0.0, 0.2))
cost = {k: np.mean([after[k][s] - before[k][s] for s in before[k]]) for k in before}
assert np.allclose([cost[k] for k in ("BFLO", "BLANG", "AROW", "SGD")], [-0.3, 0.4, 0.9, 3.3], atol=0.05)
