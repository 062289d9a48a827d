"""What notebook 04 says of its numbers and pictures."""

import numpy as np
from oracles import precise_observation

from bflo_viz import DiagonalBelief, FullBelief, pseudo_observation


def close(left, right, tolerance=1e-6):
    return bool(np.allclose(left, right, rtol=tolerance, atol=tolerance))


def point(u, v, **options):
    """The pseudo-point of a flow of one weight under N(0, 1): place and precision, by inverses."""
    post = DiagonalBelief([0.0], [1.0]).flow([u], [v], **options)
    precision, natural = precise_observation(np.zeros(1), np.eye(1), post.mean, np.sqrt(post.covariance))
    return natural[0] / precision[0, 0], precision[0, 0], post


def off(kind):
    """Standard deviations between the mean and the line through 0 and (1, 1)."""
    away = [np.abs(np.cross([*r.true[0], 0], [*r.means[-1], 0])[2]) / np.hypot(*r.true[0]) for r in runs[kind]]
    return np.array(away) / [r.beliefs[-1].std for r in runs[kind]]


claim["1: by adding and by brute force the same"] = close(density @ np.linspace(-20, 20, 4001), 2.4)
claim["1: the mean goes the part 1 − σ′²/σ² of the way"] = close(2.4, (1 - 0.8944272**2 / 4) * 3)
claim["2: the point that explains this lies at about −1.2"] = abs(point(1.0, 0.5)[0] + 1.2) < 0.05


@claim("3: for Δ′ = 2 and 4 the precision is negative; every point was below the mean")
def table():
    """Rows of section 3: added up to Δ′ = 1, removed beyond, all of them below the mean."""
    narrow, wide = ([point(1.0, v) for v in moved] for moved in ((-1.0, 0.0, 0.5), (2.0, 4.0)))
    return all(x < 0 < rho for x, rho, _ in narrow) and all(x < 0 and -1 < rho < 0 for x, rho, _ in wide)


claim["3: the wider belief, given the point, would be the narrower one"] = (
    close(gone.x, back.x) and close(gone.R, -back.R) and back.R[0] > 0
)


@claim("4: the new mean lies between the weight and its pseudo-point, at −1/u")
def on_the_other_side():
    many = DiagonalBelief(np.zeros(1000), np.ones(1000))
    for u, v in np.random.default_rng(2).normal(0, 2, size=(5, 2, 1000)):
        post = many.flow(u, v)
        x = pseudo_observation(many, post).x
        if not np.all((x - post.mean) * (v - post.mean) < 0) or not close((x - post.mean) / post.std * u, -1, 1e-4):
            return False
    return True


@claim("5: far times faint tends to 1")
def far_and_faint():
    rows = [point(u, u + 1) for u in (1.0, 0.1, 0.01)]
    places, weights = (np.abs([row[i] for row in rows]) for i in (0, 1))
    return np.all(np.diff(places) > 0) and np.all(np.diff(weights) < 0) and close(places[2] * weights[2], 1, 0.02)


@claim("6: removed; added and removed; one line through the spherical point")
def three_kinds():
    point, lines, line = (pseudo_observation(prior, prior.flow([1, 0.5], [0.5, 1.5])) for prior in (ball, axes, full))
    return (
        bool(point.removed)
        and lines.added.tolist() == [True, False]
        and lines.removed.tolist() == [False, True]
        and close(nearest, point.x)
        and close(line.R, point.R)
        and np.linalg.matrix_rank(change, tol=1e-9) == 1
    )


claim["6: with 10 weights it takes 10 of them"] = ranks == [*range(1, 11), 10, 10]
claim["7: prior plus all points is 1/σ², round for round"] = (
    close(1 + np.cumsum(scene.precisions[:, 0]), [b.std ** (-2.0) for b in scene.beliefs[1:]])
    and len(scene.precisions) == 60
)


@claim("7: added points attract the mean and removed ones repel it")
def pulled_and_pushed():
    moved, to_point = np.diff(scene.means, axis=0), scene.places[:, 0] - scene.means[:-1]
    return np.all(np.sign(np.sum(moved * to_point, axis=1)) == np.sign(scene.precisions[:, 0]))


claim["7: without the added points, the removed ones would leave less than nothing"] = (
    1 + scene.precisions[scene.precisions < 0].sum() < 0
)


@claim("7: no removed point was ever added before")
def never_added_before():
    added, removed = (scene.places[sign * scene.precisions > 0] for sign in (1, -1))
    return np.hypot(*(added[:, None] - removed).T).min() > 1e-4


claim["8: one line a round, two lines a round"] = (
    np.isnan(run.precisions[:, 1]).all() and not np.isnan(lines.precisions).any()
)
claim["8: drifting: the precision does not only grow"] = (
    np.diff(PseudoDatasetExplorer(problem="drifting", seed=explorer.seed).scene.totals[:, 0]) < 0
).any()
claim["8: the product is σ′² in all 120 rounds"] = close(product, -np.ones(120), 1e-4)


@claim("8: moved weight, new mean and point lie on one line, in this order")
def one_line_in_this_order():
    for belief, x, w_new in zip(run.beliefs[1:], run.places[:, 0], run.moved, strict=True):
        here, there = x - belief.mean, w_new - belief.mean
        if not close(here @ there, -np.hypot(*here) * np.hypot(*there), 1e-4):
            return False
    return True


@claim("8: a full flow has it along its one direction")
def along_the_full_direction():
    """Product of the distances along the observed direction, over the variance of the posterior there."""
    rng = np.random.default_rng(3)
    for _round in range(100):
        root = rng.normal(size=(3, 3))
        prior = FullBelief(rng.normal(size=3), root @ root.T + np.eye(3))
        w = prior.sample(rng)
        w_new = w + rng.normal(size=3)
        post = prior.flow(w, w_new)
        seen = pseudo_observation(prior, post)
        d = seen.direction
        if not close((seen.x - d @ post.mean) * (d @ (w_new - post.mean)) / (d @ post.covariance @ d), -1, 1e-4):
            return False
    return True


claim["8: the far lines are those of the draws within a third; about one in four"] = (
    far.sum() == np.sum(np.abs(u) < 1 / 3) and 0.16 < far.mean() < 0.36
)
claim["8: many lines of the diagonal flow lie outside of the view, more than points of the spherical one"] = np.mean(
    np.abs(x) > 3.2
) > 0.08 and np.mean(np.abs(x) > 3.2) > 2 * np.mean(np.abs(run.places[:, 0]).max(axis=1) > 3.2)


@claim("9: expansive: more removed, the added weigh more, nothing accumulates")
def expansive_runs():
    for r in runs["expansive"]:
        added, removed = r.precisions[r.precisions > 0], -r.precisions[r.precisions < 0]
        if len(added) >= len(removed) or added.mean() <= removed.mean() or r.totals[-1, 0] > 60:
            return False
    return True


claim["9: non-expansive: nothing removed, mostly no point, hundreds or thousands"] = all(
    np.nanmin(r.precisions) >= 0 and np.isnan(r.precisions[:, 0]).mean() > 0.6 and r.totals[-1, 0] > 200
    for r in runs["non-expansive"]
)
claim["9: the expansive beliefs have the truth within a few standard deviations"] = off("expansive").max() < 3.5
claim["9: most of the non-expansive ones are far too sure"] = np.sort(off("non-expansive"))[1] > 4
claim["9: their means still shift"] = all(
    np.hypot(*np.diff(r.means[-50:], axis=0).T).max() > 10 * r.beliefs[-1].std for r in runs["non-expansive"]
)
if as_stored:
    assert explorer.flow == "spherical" and explorer.problem == "noisy labels" and explorer.round == 68
    assert explorer.scene.precisions[67, 0] > 0 and explorer.posterior.std < explorer.belief.std
