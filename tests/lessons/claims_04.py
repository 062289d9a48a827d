"""What lesson 4 says of points added and removed, beside what the tests of pseudo-observations already hold."""

# Bet 4a: a belief that widens loses a point.
gone = pseudo_observation(DiagonalBelief([0.0], [1.0]), DiagonalBelief([0.0], [1.0]).flow([1.0], [2.0]))
assert round(gone.x[0], 2) == -0.73 and gone.R[0] < 0 and gone.removed[0]

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
