"""What lesson 2 says, beside what its exercises and the tests of the mathematics already hold."""

prior = DiagonalBelief([0.0], [1.0])
assert round(stretch(1.0, 0.5), 3) == 0.843 and stretch(1.0, -1.0) == 0.5
posterior = prior.flow([1.0], [-1.0])
assert abs(posterior.mean[0] + 1.5) < 1e-12 and abs(posterior.std[0] - 0.5) < 1e-12
assert abs(DiagonalBelief([-2.0], [1.0]).kl(prior) - 2) < 1e-12  # a slide alone, from 1 to −1
assert abs(DiagonalBelief([-1.5], [1.0]).kl(prior) - 1.125) < 1e-12
assert abs(DiagonalBelief([0.0], [0.5]).kl(prior) - 0.318) < 5e-4

# The mean takes at least three quarters of every crossing in the first two rows, and more than half up to u = 1.98.
grid = -np.geomspace(1e-3, 1e3, 2001)
shares = {
    u: 0.5 * (grid - stretch(u, grid) * u) ** 2 / stretch_kl(stretch(u, grid), u, grid) for u in (1.0, 1.98, 2.0)
}
assert shares[1.0].min() > 0.7 and shares[1.98].min() > 0.5 > shares[2.0].min()
a = stretch(1.0, grid)
assert np.all(np.diff(a) < 0) and a.max() < 1  # every crossing narrows, and more so the longer it is
