"""What else "as little as possible" could mean: the least change by other measures, and learners that go by them."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import minimise_over_stretches, precise_least_change, precise_stretch, textbook_change
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import norm
from test_flows import BRANCHES, SIGNED_EXTREMES, SMALLEST, finite

from bflo_viz import Regime, belief_change, least_change, regime, stretch, stretch_kl
from bflo_viz.flows import MEASURES, change_parts

OTHERS = MEASURES[1:]
ordinary = st.floats(-8, 8)
eighths = st.integers(-64, 64).map(lambda number: number / 8)  # so that some are equal, and some products -1
LARGEST = mpmath.mpf(float(np.finfo(float).max))


def is_right(got, u, v, measure, branch):
    """Whether a stretch has 13 digits of its own, or of the terms it is the sum of; infinite beyond all numbers."""
    exact = precise_least_change(u, v, measure, branch)
    if abs(exact) > LARGEST:
        return got == branch * np.inf
    with mpmath.workdps(700):
        u, v = mpmath.mpf(u), mpmath.mpf(v)
        terms = abs(exact) if measure == "reverse-kl" else (1 + abs(u * v)) / (1 + u * u)
        return abs(mpmath.mpf(got) - exact) <= mpmath.mpf("1e-14") * terms + 2 * mpmath.mpf(SMALLEST)


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("measure", OTHERS)
def test_least_change_is_precise_for_extreme_values(measure, branch):
    """Of zero, subnormal, tiny, huge and the largest numbers."""
    for u in SIGNED_EXTREMES:
        for v in SIGNED_EXTREMES:
            got = least_change(u, v, measure=measure, branch=branch)
            assert is_right(got, u, v, measure, branch), (u, v, got)


@given(u=finite, v=finite, branch=st.sampled_from(BRANCHES), measure=st.sampled_from(OTHERS))
def test_least_change_is_precise_for_any_value(u, v, branch, measure):
    assert is_right(least_change(u, v, measure=measure, branch=branch), u, v, measure, branch)


@given(u=finite, v=finite, branch=st.sampled_from(BRANCHES), measure=st.sampled_from(MEASURES))
def test_nothing_changes_where_nothing_moved(u, v, branch, measure):
    """To the bit; on the reflected branch, where the weight went to its mirror image. By the KL it is `stretch`."""
    assert least_change(u, branch * u, measure=measure, branch=branch) == branch
    assert least_change(u, v, branch=branch) == stretch(u, v, branch=branch)
    mirrored = -least_change(u, -v, measure=measure)
    assert least_change(u, v, measure=measure, branch=-1) == mirrored


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("measure", MEASURES)
@given(u=ordinary, v=ordinary)
def test_no_stretch_changes_the_belief_less(measure, branch, u, v):
    """By scipy's minimiser and the textbook's divergences: free, and where the belief may not widen."""

    def cost(a):
        return textbook_change(a, u, v, measure)

    a = least_change(u, v, measure=measure, branch=branch)
    if a == 0:  # a point: the lowest is where this branch ends, and it is lower still on the other
        assert measure == "wasserstein" and branch * u * v <= -1 + 1e-12
        nearby = [cost(branch * step) for step in (1e-9, 1e-6, 1e-3, 0.1, 1.0)]
        assert belief_change(0.0, u, v, measure=measure) <= min(nearby) and nearby == sorted(nearby)
        return
    found, depth = minimise_over_stretches(cost, branch)
    assert belief_change(a, u, v, measure=measure) <= depth + 1e-12 * (1 + depth)
    if abs(a) > 1e-4:
        assert a == pytest.approx(found, rel=1e-5, abs=1e-6)
    clipped = branch * min(1.0, abs(a))
    options = {"xatol": 1e-12}
    least = minimize_scalar(lambda x: cost(branch * x), bounds=(1e-9, 1.0), method="bounded", options=options)
    assert belief_change(clipped, u, v, measure=measure) <= least.fun + 1e-9 * (1 + abs(least.fun))


@given(
    a=st.floats(1e-3, 1e3),
    sign=st.sampled_from(BRANCHES),
    u=ordinary,
    v=ordinary,
    measure=st.sampled_from(MEASURES),
)
def test_the_change_is_the_textbooks(a, sign, u, v, measure):
    """And its terms are what it would cost with no shift of the mean, and the rest."""
    a = sign * a
    size = (abs(v) + abs(a * u)) ** 2 * max(1.0, a**-2) + max(a**2, a**-2)
    change = belief_change(a, u, v, measure=measure)
    assert change == pytest.approx(textbook_change(a, u, v, measure), rel=1e-10, abs=1e-13 * size)
    for_mean, for_width = change_parts(a, u, v, measure=measure)
    assert for_mean + for_width == change and for_mean >= 0
    assert for_width == pytest.approx(textbook_change(a, 0.0, 0.0, measure), rel=1e-9, abs=1e-13 * size)
    if measure == "kl":
        assert change == pytest.approx(stretch_kl(a, u, v), rel=1e-14)


@pytest.mark.parametrize("pair", [(0.7, 1.2, -0.4), (-1.5, 0.3, 2.0), (0.2, -1.0, 1.0)])
def test_the_divergences_are_integrals(pair):
    """Over the densities; of the distance, over the quantiles, between which the least transport goes."""
    a, u, v = pair
    new, old = norm(v - a * u, abs(a)), norm()
    for measure, first, second in (("kl", new, old), ("reverse-kl", old, new)):
        ends = first.mean() - 12 * first.std(), first.mean() + 12 * first.std()
        value = quad(lambda w, p=first, q=second: p.pdf(w) * (p.logpdf(w) - q.logpdf(w)), *ends, limit=200)[0]
        assert belief_change(a, u, v, measure=measure) == pytest.approx(value, rel=1e-7)
    moved = quad(lambda p: (new.ppf(p) - old.ppf(p)) ** 2, 0, 1, limit=200)[0]
    assert belief_change(a, u, v, measure="wasserstein") == pytest.approx(moved, rel=1e-6)


def test_a_point_is_infinitely_far_by_either_divergence_and_near_by_the_distance():
    """Without a warning; arrays broadcast, single numbers give a float."""
    for u, v in ((1.0, -2.0), (0.0, 0.0), (1.0, 0.0)):
        assert [belief_change(0.0, u, v, measure=measure) for measure in MEASURES] == [np.inf, np.inf, v * v + 1]
    assert belief_change(1e200, 1e200, 1.0, measure="wasserstein") == np.inf
    assert belief_change(SMALLEST, 1.0, 1.0, measure="reverse-kl") == np.inf
    u, v = np.array([[-2.0], [0.0], [3.0]]), np.array([1.0, -4.0])
    for measure in MEASURES:
        a = least_change(u, v, measure=measure, branch=-1)
        assert [[least_change(x, y, measure=measure, branch=-1) for y in v] for x in u.ravel()] == a.tolist()
        assert belief_change(a, u, v, measure=measure).shape == (3, 2)
        assert type(least_change(1, 2, measure=measure)) is type(belief_change(1, 1, 2, measure=measure)) is float


@given(u=eighths, v=eighths, branch=st.sampled_from(BRANCHES), measure=st.sampled_from(MEASURES))
def test_regimes_tell_what_becomes_of_the_width(u, v, branch, measure):
    """By every measure and on both branches, with 50 digits: where it narrows, widens, stays or becomes a point."""
    if measure == "kl":
        exact = abs(precise_stretch(u, v, branch))
    else:
        exact = abs(precise_least_change(u, v, measure, branch))
    name = regime(u, v, branch=branch, measure=measure)
    past = Regime.CROSSING if branch > 0 else Regime.MIRRORED_SAME_SIDE
    narrows = {Regime.CONTRACTING, Regime.MIRRORED_NEARER} | ({past} if measure != "reverse-kl" else set())
    widens = {Regime.EXPANDING, Regime.MIRRORED_FURTHER} | ({past} if measure == "reverse-kl" else set())
    if name in narrows:
        assert 0 < exact < 1
    elif name in widens:
        assert exact > 1
    elif name == Regime.COLLAPSING:
        assert exact == 0 and measure == "wasserstein"
    else:
        assert exact == 1 and name == Regime.UNCHANGED
    assert (name.startswith("mirrored")) <= (branch < 0)


def test_regimes_at_the_edges_of_each_measure():
    """Onto the mean, from the mean, and just short of a point."""
    at = {measure: [regime(*pair, measure=measure).value for pair in ((1, 0), (0, 1))] for measure in MEASURES}
    assert at["kl"] == at["wasserstein"] == ["contracting", "unchanged"]
    assert at["reverse-kl"] == ["unchanged", "expanding"]
    assert [regime(2.0, v, measure="wasserstein").value for v in (-0.49, -0.5, -9)] == [
        "crossing",
        *["collapsing"] * 2,
    ]
    assert regime(2.0, 0.5, branch=-1, measure="wasserstein") is Regime.COLLAPSING
    assert regime(2.0, 0.49, branch=-1, measure="wasserstein") is Regime.MIRRORED_SAME_SIDE


# A learner


def new_width(measure, std, z, moved):
    """The width that changes the belief least, with no division by the old one; a point stays one."""
    p = 0.5 * z * moved
    if measure == "kl":
        root = np.sqrt(p * p + (1 + z * z) * std * std)
        return np.where(p >= 0, (root + p) / (1 + z * z), std * std / np.where(p < 0, root - p, 1.0))
    if measure == "reverse-kl":
        root = np.sqrt(p * p + std * std + moved * moved)
        return np.where(p < 0, root - p, (std * std + moved * moved) / (root + np.abs(p)))
    return np.where(std > 0, np.maximum(0.0, (std + z * moved) / (1 + z * z)), 0.0)


def learn(measure, eta, *, runs=100, rounds=6_000):
    """Many learners of one weight at once, on a logistic loss with a fifth of the labels wrong; their last rounds.

    Returns widths and sampled weights of the last third. Without a measure it is gradient descent.
    """
    rng = np.random.default_rng(0)
    mean, std = np.zeros(runs), np.ones(runs) if measure else np.zeros(runs)
    widths, weights = [], []
    for now in range(rounds):
        x, z = rng.normal(size=(2, runs))
        y = (x > 0) ^ (rng.random(runs) < 0.2)
        w = mean + z * std
        step = eta * (y - 1 / (1 + np.exp(-w * x))) * x
        new = new_width(measure, std, z, z * std + step) if measure else std
        mean, std = w + step - z * new, new
        if now >= rounds - rounds // 3:
            widths.append(std)
            weights.append(w)
    return np.array(widths), np.array(weights)


@pytest.mark.parametrize(("measure", "branch"), [(measure, 1) for measure in MEASURES])
def test_the_learners_widths_are_those_of_the_closed_form(measure, branch):
    z, v, std = np.random.default_rng(1).normal(size=(3, 200)) * [[1.0], [3.0], [1.0]]
    std = np.abs(std)
    ours = np.abs(least_change(z, v, measure=measure, branch=branch)) * std
    np.testing.assert_allclose(new_width(measure, std, z, std * v), ours, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("eta", [0.04, 0.16])
def test_what_the_measures_would_mean_for_a_learner(eta):
    """By KL(new ‖ old) it settles at half the spread of SGD, by KL(old ‖ new) three times as wide, by W₂ at 0."""
    spread = learn(None, eta)[1].std()
    width = {measure: np.median(learn(measure, eta)[0]) for measure in MEASURES[:2]}
    assert 0.45 < width["kl"] / spread < 0.6
    assert 2.7 < width["reverse-kl"] / width["kl"] < 3.3
    widths, weights = learn("wasserstein", eta)
    assert np.all(widths[-1] == 0)
    if eta == 0.16:  # the last third began long after
        assert np.all(widths == 0) and weights.std() == pytest.approx(spread, rel=0.1)
