"""The closed forms of the page are those of the Python package, to twelve digits, in ordinary and extreme cases.

Relative to what? A number that is a product or a quotient is held to its own size. A number that is a sum may cancel,
so it is held to the size of its terms, which each side may round in its own way: a mean to the sizes of the mean and
the weights it is made of, an entropy to the logarithms, a KL to its two terms. What turns is held to its largest
component. Nothing is held to less.
"""

import numpy as np
import pytest
from oracles import precise_carry
from py_mini_racer import JSEvalException
from racing import asked, engine

from bflo_viz import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.flows import regime, stretch, stretch_kl

TOLERANCE = 1e-12
ASK = """
const { stretch, stretchKl, regime } = modules["engine/flows.js"];
const { DiagonalBelief, SphericalBelief, FullBelief } = modules["engine/beliefs.js"];
const BELIEFS = { diagonal: DiagonalBelief, spherical: SphericalBelief, full: FullBelief };
const flowed = (kind, mean, spread, w, wNew, { non_expansive: nonExpansive, ...options }) => {
  const prior = new BELIEFS[kind](mean, Array.isArray(spread) ? spread.flat() : spread);
  const posterior = prior.copy().flow(w, wNew, null, { nonExpansive, ...options });
  return { mean: [...posterior.mean], factor: [...posterior.factor], kl: [posterior.kl(prior)],
    entropy: [posterior.entropy() - prior.entropy()] };
};
const ASKED = { stretch, stretchKl, regime, flowed };
const all = (name, cases) => cases.map((one) => ASKED[name](...one));
"""
BELIEFS = {"diagonal": DiagonalBelief, "spherical": SphericalBelief, "full": FullBelief.from_factor}


@pytest.fixture(scope="module")
def racer():
    with engine("engine/flows.js", "engine/beliefs.js", code=ASK) as ready:
        yield ready


def of_every_size(rng, shape, decades):
    """Numbers of both signs and of every size up to so many powers of ten."""
    return rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-decades, decades, shape)


def distances(rng, count, decades):
    """Distances (u, v): ordinary, of every size, and the cases that have a rule of their own."""
    u, v = rng.uniform(-6, 6, (2, count))
    u[::3], v[::3] = of_every_size(rng, (2, len(u[::3])), decades)
    kinds = np.arange(count) % 17
    v[kinds == 1] = u[kinds == 1]
    v[kinds == 2] = -u[kinds == 2]
    v[kinds == 4] = 0.0
    u[kinds == 5] = 0.0
    u[kinds == 7] = v[kinds == 7] = 0.0
    v[kinds == 8] = np.nextafter(u[kinds == 8], np.inf)
    v[kinds == 10] = -1e10 * u[kinds == 10]  # the printed form cancels to 0
    return u, v


def gap(theirs, ours, scale):
    """Largest relative difference; equal numbers, infinities too, have none."""
    theirs = np.array(theirs, float)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.where(theirs == ours, 0.0, np.abs(theirs - ours) / scale)
    return float(np.where(np.isnan(error), np.inf, error).max())


def test_stretch_and_its_cost(racer):
    """At every size, on both branches, in any dimension."""
    rng = np.random.default_rng(5)
    u, v = distances(rng, 4_000, 300)
    cases = np.column_stack([u, v, rng.choice([1, -1], u.size), rng.choice([1, 2, 1000], u.size)])
    ours = [stretch(u, v, branch=int(branch), dim=int(dim)) for u, v, branch, dim in cases.tolist()]
    assert gap(asked(racer, "all", "stretch", cases.tolist()), ours, np.abs(ours)) <= TOLERANCE
    u, v = distances(rng, 2_000, 60)
    a, dim = of_every_size(rng, u.size, 12), rng.choice([1, 2, 1000], u.size)
    a[::2] = stretch(u[::2], v[::2])
    a[1::10] = rng.choice([1.0, -1.0, 1 + 1e-9], len(a[1::10]))
    ours = [stretch_kl(*case, dim=int(d)) for *case, d in zip(a, u, v, dim, strict=True)]
    width = dim * (np.abs((a - 1) * (a + 1)) + np.abs(np.log(np.abs(a))))
    scale = (np.abs(v) + np.abs(a * u)) * np.abs(v - a * u) + width
    told = asked(racer, "all", "stretchKl", np.column_stack([a, u, v, dim]).tolist())
    assert gap(told, ours, scale) <= TOLERANCE


@pytest.mark.parametrize("branch", [1, -1])
def test_regimes_have_the_same_names(racer, branch):
    """Where a product of the two distances would underflow, too."""
    delta, delta_new = distances(np.random.default_rng(6), 1_000, 300)
    delta[::50] = 5e-324
    cases = [[*pair, branch] for pair in np.column_stack([delta, delta_new]).tolist()]
    names = asked(racer, "all", "regime", cases)
    assert names == [str(name) for name in regime(delta, delta_new, branch=branch)]
    assert set(names) == {"contracting", "crossing", "expanding", "unchanged"}


def moves(kind, count=1_000):
    """Beliefs of one type, of every size, whose weight moves: every special place is among them."""
    rng = np.random.default_rng([7, len(kind)])
    mean = rng.uniform(-4, 4, (count, 2))
    w, w_new = rng.uniform(-6, 6, (2, count, 2))
    kinds = np.arange(count) % 16
    for number, place in enumerate([w, mean, 0.5 * (w + mean), 2 * mean - w, 3 * mean - 2 * w]):
        w_new[kinds == number] = place[kinds == number]
    w[kinds == 5] = mean[kinds == 5]
    w[kinds == 6] = w_new[kinds == 6] = mean[kinds == 6]
    w_new[kinds == 7, 0] = w[kinds == 7, 0]
    for number, step in ((8, 1e-13), (9, 1e-3)):
        w_new[kinds == number] = (w + step * rng.standard_normal(w.shape))[kinds == number]
    unit = np.where(np.arange(count) % 3 == 0, np.abs(of_every_size(rng, count, 100)), 1.0)
    unit[4::9] = 1e-144  # the square of a width is then too small to count with
    for i in range(count):
        angle, (long, short) = rng.uniform(-np.pi, np.pi), rng.uniform(0.2, 3, 2)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        spread = {"diagonal": np.array([long, short]), "spherical": long, "full": turn * [long, short]}[kind]
        if i % 5 == 0 and kind != "full":
            spread = np.abs(of_every_size(rng, np.shape(spread), 6))
        options = {"branch": int(rng.choice([1, -1])), "non_expansive": bool(rng.integers(2))}
        if kind == "spherical":
            options["rule"] = str(rng.choice(["printed", "exact"]))
        yield *((unit[i] * part).tolist() for part in (mean[i], np.array(spread), w[i], w_new[i])), options


def expected(kind, mean, spread, w, w_new, options):
    """What Python says of one flow, each number with the size of its terms."""
    prior = BELIEFS[kind](mean, spread)
    posterior = prior.flow(w, w_new, **options)
    place = np.max(np.abs([mean, w, w_new]), axis=0)
    if kind == "full":
        factor, whiten = posterior.factor, prior.inverse_factor
    else:
        factor, whiten = np.diag(posterior.std * np.ones(2)), np.diag(1 / (prior.std * np.ones(2)))
    if kind != "diagonal":  # a turn mixes the coordinates
        place = np.full(2, place.max())
    size = np.abs(factor).max() if kind == "full" else np.where(np.eye(2), factor, 1.0).ravel()
    entropies = posterior.entropy(), prior.entropy()
    logs = np.sum(np.abs(entropies)) + 2
    shift = np.linalg.norm(whiten @ (posterior.mean - mean)) * np.linalg.norm(np.abs(whiten) @ place)
    return {
        "mean": (posterior.mean, place),
        "factor": (factor.ravel(), size),
        "kl": (posterior.kl(prior), shift + np.square(whiten @ factor).sum() + logs),
        "entropy": (entropies[0] - entropies[1], logs),
    }


@pytest.mark.parametrize("kind", BELIEFS)
def test_flows_of_beliefs(racer, kind, record_property):
    """Posterior, KL and change of entropy, on both branches and by both rules."""
    cases = [*moves(kind)]
    told = asked(racer, "all", "flowed", [[kind, *case] for case in cases])
    gaps = {
        f"{name} of {case}": gap(theirs[name], ours, scale)
        for case, theirs in zip(cases, told, strict=True)
        for name, (ours, scale) in expected(kind, *case).items()
    }
    record_property("says", f"Flows of {kind} beliefs in JavaScript: worst relative error {max(gaps.values()):.1e}.")
    assert not {what: size for what, size in gaps.items() if size > TOLERANCE}


@pytest.mark.parametrize("kind", BELIEFS)
def test_both_refuse_what_lies_too_far(racer, kind):
    """A weight that no number of standard deviations can reach."""
    spread = {"diagonal": [1e-10, 1.0], "spherical": 1e-10, "full": [[1e-10, 0.0], [0.0, 1e-10]]}[kind]
    for w, w_new in (([1e300, 0.0], [0.0, 1.0]), ([-1.7e308, 0.0], [1.7e308, 1.0])):
        with pytest.raises(ValueError, match="must"):
            BELIEFS[kind]([0.0, 0.0], spread).flow(w, w_new)
        with pytest.raises(JSEvalException, match=r"RangeError: the (weight|belief) must"):
            asked(racer, "flowed", kind, [0.0, 0.0], spread, w, w_new, {})


@pytest.mark.parametrize("non_expansive", [False, True])
@pytest.mark.parametrize("branch", [1, -1])
def test_carry_is_precise_for_extreme_values(racer, branch, non_expansive):
    """Against 700 digits: widths whose squares are not numbers, and steps of any size."""
    cases = [
        (std, z, step, branch, non_expansive)
        for std in (1e-300, 1e-150, 1e-139, 1.0, 1e150)
        for z in (0.0, 1.0, -3.0, 1e9)
        for step in (0.0, 1e-300, -1e-150, 1.0, -1e9, 1e140)
    ]
    carried = """(cases) => cases.map(([width, z, step, branch, nonExpansive]) => {
      const [mean, std] = [Float64Array.of(0), Float64Array.of(width)];
      modules["engine/flows.js"].carry(mean, std, [z], [0], [step], branch, nonExpansive);
      return [mean[0], std[0]];
    })"""
    for case, (mean, std) in zip(cases, asked(racer, f"({carried})", cases), strict=True):
        width, z, step = case[:3]
        exact_mean, exact_std = precise_carry(0.0, *case)
        rounding = 1e-15 * (abs(z * width) + abs(step))
        assert abs(std - abs(exact_std)) <= 4e-15 * abs(exact_std) + rounding / max(1.0, abs(z)), case
        assert abs(mean - exact_mean) <= 1e-14 * abs(exact_mean) + rounding, case
