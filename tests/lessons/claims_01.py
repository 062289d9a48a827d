"""What lesson 1 says of its three learners, beside what the tests of the learners already hold."""

# Bet 1a: a weight at the mean makes the steps of the point, and keeps the width.
careful, w = DiagonalBelief([0.0, 0.0], [1.0, 1.0]), np.zeros(2)
for x, y in zip(stream.X[:1000], stream.y[:1000], strict=True):
    w = w - eta * (sigmoid(w @ x) - y) * x
    careful = careful.flow(careful.mean, careful.mean - eta * (sigmoid(careful.mean @ x) - y) * x)
assert np.allclose(careful.mean, w) and np.array_equal(careful.std, [1.0, 1.0])


def mistakes(races, name, way, rounds):
    """Return the share of mistakes in these rounds for each race; 0 is by sample, 1 with the mean."""
    return np.array([race[name][way][rounds].mean() for race in races])


# Section 4: the filter is best on average, point and mean of the flow are near, and samples cost most, always.
everyone, whole = ("point", "filter", "flow"), slice(None)
filtered, pointed, flowed = (mistakes(still, name, 1, whole).mean() for name in ("filter", "point", "flow"))
assert filtered < min(pointed, flowed) and abs(pointed - flowed) < 0.04
sampled = mistakes(still, "flow", 0, whole)
assert (sampled > np.maximum(*(mistakes(still, name, 0, whole) for name in everyone[:2]))).all()

# Bet 1b: after the change the filter's mean errs most on every stream; the others are back in the last 200 rounds.
after = {name: mistakes(changed, name, 1, slice(1000, None)) for name in everyone}
assert (after["filter"] > np.maximum(after["point"], after["flow"])).all()
last = {name: mistakes(changed, name, 1, slice(1800, None)).mean() for name in everyone}
assert max(last["point"], last["flow"]) < 0.15 < 0.35 < last["filter"]

# Section 6: four times the examples halve the width of a filter; that of the flow settles.
assert all(0.45 < widths[4 * n][0] / widths[n][0] < 0.55 for n in (500, 1000, 2000))
assert all(0.5 < widths[n][1] / widths[2000][1] < 2 for n in (4000, 8000)) and widths[2000][1] < widths[500][1] / 3

if as_stored:  # exercise 1.2
    assert np.mean(weights @ [1.0, 1.0] > 0) == 1 and round(np.mean(weights @ [1.0, -1.5] > 0), 2) == 0.53
