"""What lesson 4 says of points added and removed, against products of densities on a grid."""

grid = np.linspace(-25, 25, 200_001)


def density(mean, std):
    return np.exp(-0.5 * ((grid - mean) / std) ** 2)


def moments(curve):
    mean = grid @ curve / curve.sum()
    return mean, np.sqrt((grid - mean) ** 2 @ curve / curve.sum())


# Section 1: Bayes' rule with the pseudo-point gives the flow's posterior. Bet 4a: removing one means dividing.
flowed = DiagonalBelief([0.0], [1.0]).flow([1.0], [0.5])
found = pseudo_observation(DiagonalBelief([0.0], [1.0]), flowed)
assert np.allclose(moments(density(0, 1) * density(found.x[0], found.R[0] ** 0.5)), [flowed.mean[0], flowed.std[0]])
wider = DiagonalBelief([0.0], [1.0]).flow([1.0], [2.0])
gone = pseudo_observation(DiagonalBelief([0.0], [1.0]), wider)
assert round(gone.x[0], 2) == -0.73 and gone.R[0] < 0
back = moments(density(wider.mean[0], wider.std[0]) * density(gone.x[0], (-gone.R[0]) ** 0.5))
assert np.allclose(back, [0, 1])  # adding it again

# Bet 4b and exercise 4.2: the point is at −1/u, by any example, and opposite to the weight in the plane.
for u, v in np.random.default_rng(0).normal(0, 2, (200, 2)):
    after = DiagonalBelief([0.0], [1.0]).flow([u], [v])
    at = pseudo_observation(DiagonalBelief([0.0], [1.0]), after).x[0]
    assert abs((at - after.mean[0]) / after.std[0] * u + 1) < 1e-6
ball = SphericalBelief([0.2, -0.5], 0.7)
after = ball.flow([1.0, 0.4], [0.3, 1.2])
at, away = pseudo_observation(ball, after).x, np.array([0.3, 1.2]) - after.mean
assert np.allclose(at, after.mean - after.std**2 / (away @ away) * away)

# Section 4: about half of the rounds remove a point, and precision adds up.
assert 0.45 < np.mean(rho < 0) < 0.57 and np.isclose(1 + rho.sum(), 1 / belief.std**2)
added, removed = np.sum(scene.precisions > 0), np.sum(scene.precisions < 0)
assert added + removed == 60 and removed > 20

# Section 6: the filter collects a quarter for each example; only one flow accumulates, and it is far from right.
medians = {name: np.median([run[name] for run in runs], axis=0) for name in runs[0]}
quarter = medians["filter"][1:, 0] / [300, 1000, 2000]
assert np.all((quarter > 0.2) & (quarter < 0.26))
assert medians["cannot widen"][2, 0] > 2e5 and medians["cannot widen"][3, 1] > 60
assert medians["can widen"][3, 0] < 1000 and medians["can widen"][3, 1] < 3 and medians["filter"][3, 1] < 2
if as_stored:
    assert (
        np.mean(rho < 0) > 0.5 and medians["cannot widen"][2:, 0].min() > 1e6 and medians["cannot widen"][3, 1] > 100
    )
