"""What lesson 5 says, beside what its exercises and the tests of the mathematics already hold."""

from math import e, erfc, pi, sqrt

from bflo_viz.figures.ensemble import step_shares

# The student's arrays flow as the package does, and a belief of no width is plain SGD.
rng = np.random.default_rng(1)
mean, std, w, w_new = rng.standard_normal(4), rng.random(4) + 0.1, rng.standard_normal(4), rng.standard_normal(4)
post = DiagonalBelief(mean, std).flow(w, w_new)
assert np.allclose(flow(mean, std, w, w_new), (post.mean, post.std), rtol=1e-12)
some, sgd, wrong = load_stream("demo-2d", rng=rng, rows=500), np.array([0.3, -0.2]), []
by_point, last = play(DiagonalBelief(sgd, 1e-9), some.X, some.y, some.truth, 0.05, rng, **fixed)
for x, y, right in zip(some.X, some.y, some.truth, strict=True):
    wrong.append((sgd @ x > 0) != right)
    sgd = sgd - 0.05 * (1 / (1 + np.exp(-sgd @ x)) - y) * x
assert np.array_equal(by_point[:, 0], wrong) and np.allclose(last.mean, sgd, atol=1e-6)

# Section 2: by their samples flows lose, by their means they do not, and the fitted setting comes near the paper's.
ends = {name: np.mean(runs, axis=0) for name, runs in tally.items()}
for name in ("full", "diagonal", "spherical"):
    by_sample, by_mean = ends[name]
    assert by_sample > 1.35 * ends["SGD, random start"][0] and by_sample > 2 * by_mean
    assert abs(by_mean - ends["SGD from 0"][1]) < 3
assert all(abs(ends[name][0] - number) < 3 for name, number in printed.items())

# Section 3: shares of a small step, in one dimension and in two.
assert abs(step_shares(1)[1] - 0.242) < 5e-4 and abs(1 - sqrt(pi) * e * erfc(1) - 0.242) < 5e-4
assert np.allclose(step_shares(2), [0.3, 0.2], atol=0.005)

# Section 4: half of the jitter, at every rate, and no narrower after four times as many examples.
assert np.all(abs(settled.jitter / np.sqrt(settled.etas / 2) - 1) < 0.12)
assert np.all((settled.medians / settled.jitter > 0.45) & (settled.medians / settled.jitter < 0.6))
many, medians = DiagonalBelief(np.zeros(1500), 1.0), []
for n in range(3000):  # η = 0.04, h = s = 1
    z = rng.standard_normal(1500)
    w = many.weight(z)
    many = many.flow(w, w - 0.04 * (w + rng.standard_normal(1500)), z=z)
    medians += [np.median(many.std)] * (n in (749, 2999))
assert abs(medians[1] / medians[0] - 1) < 0.12 and abs(medians[1] / sqrt(0.02) - 0.54) < 0.06

mean, std, w_new = np.ones(3), np.full(3, 1e-20), np.ones(3) + 0.01  # the trap: what should widen stays narrow
w = mean + std * rng.standard_normal(3)
assert np.all(flow(mean, std, w, w_new)[1] < 2e-20)
assert DiagonalBelief(mean, std).flow(w, w_new, z=np.ones(3)).std.min() > 1e-3

# Section 5: the filter is deaf, and flows that cannot widen recover with SGD, the others later.
assert before < 0.1 and after > 0.25
jumped = {name: np.array(runs)[:, 4000:].mean(axis=1) for name, runs in jump.items()}
after_jump = {name: runs[:, 1] for name, runs in jumped.items()}
for name in ("full", "diagonal"):
    free, held = after_jump[name], after_jump[f"{name}, non-expansive"]
    assert abs(np.mean(held - after_jump["SGD"])) < 0.4
    assert np.mean(free - held) > (4 if name == "full" else 0.2)
    assert jumped[name][:, 0].mean() > np.mean(free)  # samples err more than means

# Section 6: the mean does well before the change and not after it; only the floor is quick at every rate.
late = {name: 100 * pulls[500:].mean(axis=(0, 2)) for name, pulls in worse.items()}
early = {name: 100 * pulls[:500].mean() for name, pulls in worse.items()}
assert (
    early["the mean"] < min(early["a sample, can widen"], early["a sample, floor 0.3"])
    and late["the mean"].min() > 45
)
assert (
    late["a sample, floor 0.3"].max() < 38
    and late["a sample, can widen"][0] > 65 > 38 > late["a sample, can widen"][2]
)
assert late["a sample, cannot"].min() > late["a sample, floor 0.3"].max()
