"""What lesson 3 says of three flows, with numerical minima and matrices that share no code with them."""

from scipy.optimize import minimize

ball = FullBelief([0.0, 0.0], np.eye(2))


def price(mean, covariance, prior):
    """Return the KL of a Gaussian from a prior by the textbook."""
    inverse, shift = np.linalg.inv(prior.covariance), mean - prior.mean
    log_ratio = np.linalg.slogdet(inverse @ covariance)[1]
    return 0.5 * (shift @ inverse @ shift + np.trace(inverse @ covariance) - log_ratio - len(mean))


# Bet 3a: a quarter turn is free for two flows, and the diagonal flow pays 1.71 nats, the least by search.
start, end = np.array([1.5, 0.0]), np.array([0.0, 1.5])
assert ball.flow(start, end).kl(ball) < 1e-12 > SphericalBelief([0.0, 0.0], 1.0).flow(start, end).kl(ball)
by_search = minimize(lambda a: price(end - a * start, np.diag(a**2), ball), [0.5, 0.9], tol=1e-10)
assert abs(by_search.fun - 1.71) < 5e-3
assert abs(DiagonalBelief([0.0, 0.0], 1.0).flow(start, end).kl(ball) - by_search.fun) < 1e-7

# Figure 2a: the weight swings by 61° about the mean.
first, second = np.array([1.8, -0.4]), np.array([0.8, 0.9])
cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
assert round(float(np.degrees(np.arccos(cosine)))) == 61

# Section 5: the printed limit halves one width and enlarges the other, where the flow changes nothing.
assert np.allclose(oval.flow(w, w_new).covariance, oval.covariance)
cut = np.sqrt(np.diag(limited_as_printed(oval, w, w_new)[1]))
assert abs(cut[0] - 1) < 0.01 and cut[1] > 0.58
assert np.linalg.svd(oval.affine_map(w, w_new).A)[1].max() > 2

# The four lines by hand are those of lesson 1, and section 6: only the diagonal mean follows, and learns.
assert verdict.right is None or verdict.right
follows = {name: np.mean(runs, axis=0) for name, runs in shares.items()}
assert np.all((follows["diagonal"] > 70) & (follows["diagonal"] < 82))
assert follows["full"][-1] < 1 > follows["spherical"][-1]
last = {name: runs[:, -1] for name, runs in errors.items()}
assert (last["diagonal"] < np.minimum(last["full"], last["spherical"])).all() and last["diagonal"].mean() < last[
    "SGD"
].mean()
assert last["full"].mean() > 38 and last["spherical"].mean() > 38
