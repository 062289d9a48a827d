"""The mathematics of the page is that of Python: closed forms to twelve digits, whole runs to nine."""

import re

import numpy as np
import pytest

from bflo_viz import (
    MLP,
    SGD,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Kalman,
    Logistic,
    SphericalBelief,
)
from bflo_viz.flows import stretch, stretch_kl
from bflo_viz.pseudo import pseudo_observation

ROUNDS, EVERY, DIGITS = 400, 50, 1e-9
BELIEFS = {
    "diagonal": DiagonalBelief,
    "spherical": SphericalBelief,
    "full": lambda mean, factor: FullBelief(mean, factor @ factor.T),
}
POINTS = {"SGD": SGD, "Dropout": Dropout}
KINDS = [
    *(
        ("BeliefFlow", belief, network)
        for belief in BELIEFS
        for network in (False, True)[: 1 + (belief == "diagonal")]
    ),
    *((learner, None, network) for learner in POINTS for network in (False, True)[learner == "Dropout" :]),
    ("Kalman", "full", False),
]
ASK = """
const { stretch, klParts } = modules["engine/flows.js"];
const beliefs = modules["engine/beliefs.js"];
const { Logistic, MLP } = modules["engine/models.js"];
const { RandomState } = modules["engine/random.js"];
const { pseudoObservation } = modules["engine/pseudo.js"];
const learners = modules["engine/learners.js"];
const KINDS = { diagonal: beliefs.DiagonalBelief, spherical: beliefs.SphericalBelief, full: beliefs.FullBelief };
const prior = (kind, mean, spread) => new KINDS[kind](mean, Array.isArray(spread) ? spread.flat() : spread);
const flowed = (kind, mean, spread, w, wNew, options) => {
  const before = prior(kind, mean, spread);
  const after = before.copy().flow(w, wNew, null, options);
  const { x, R, precision, direction } = pseudoObservation(before, after);
  const [a, b, c, d] = after.factor;
  return { mean: [...after.mean], covariance: [a * a + b * b, a * c + b * d, c * c + d * d], kl: [after.kl(before)],
    entropy: [after.entropy() - before.entropy()], x: [x].flat(), precision: [precision ?? 1 / R].flat(), direction };
};
const made = ({ learner, belief, features, sizes, std, options }) => {
  const model = sizes === null ? new Logistic() : new MLP(sizes);
  if (belief === null) return new learners[learner](features, model, { std, ...options });
  const start = prior(belief, new Float64Array(model.size(features)), std);
  if (learner === "BeliefFlow") return new learners.BeliefFlow(start, model, options);
  return new learners[learner](start, options);
};
const play = (setting, X, y, every) => {
  let state = { learner: made(setting), rng: new RandomState(setting.seed) };
  const run = { labels: [], means: [], entropies: [] };
  for (const [n, x] of X.entries()) {
    run.labels.push(state.learner.step(x, y[n], state.rng).label);
    if ((n + 1) % every !== 0) continue;
    const before = state;
    state = beliefs.copyOf(before); // which goes on as it would have, whatever happens to the other
    before.learner.step(x, y[n], before.rng);
    const { weights, belief } = state.learner;
    run.means.push([...(weights ?? belief.mean)]);
    run.entropies.push(belief?.entropy() ?? 0);
  }
  return { ...run, next: state.rng.random() };
};
const all = (f, cases) => cases.map((one) => f(...one));
"""


@pytest.fixture(scope="module")
def ask(in_v8):
    """Ask the engine what a function says to some arguments."""
    return in_v8(ASK, *(f"engine/{name}.js" for name in ("flows", "learners", "pseudo", "random")))


def test_stretch_and_its_price(ask):
    """At every size, on both branches, in any dimension, and where a rule of its own holds."""
    rng = np.random.default_rng(5)
    u, v = rng.choice([-1, 1], (2, 3000)) * 10.0 ** rng.uniform(-9, 9, (2, 3000))
    u[::2], v[::2] = rng.uniform(-6, 6, (2, 1500))
    v[::10], v[1::10], v[2::10], u[3::10] = u[::10], -u[1::10], 0, 0
    branch, dim = rng.choice([1, -1], 3000), rng.choice([1, 2, 1000], 3000)
    cases = list(zip(u.tolist(), v.tolist(), branch.tolist(), dim.tolist(), strict=True))
    ours = np.array([stretch(x, y, branch=b, dim=d) for x, y, b, d in cases])
    np.testing.assert_allclose(ask("(c) => all(stretch, c)", cases), ours, rtol=1e-12)
    prices = ask("(c) => all(klParts, c)", [[a, x, y] for a, (x, y, _, _) in zip(ours, cases, strict=True)])
    wanted = [float(stretch_kl(a, x, y)) for a, (x, y, _, _) in zip(ours, cases, strict=True)]
    scale = 1e-12 * (1 + (np.abs(v) + np.abs(ours * u)) * np.abs(v - ours * u) + ours**2 + 1)
    assert np.all(np.abs(np.sum(prices, axis=1) - wanted) <= scale)


@pytest.mark.parametrize("kind", BELIEFS)
def test_flows_and_their_pseudo_observations(ask, kind):
    """Posterior, KL, entropy, and the point that Bayes' rule would have needed, for moves to every special place."""
    rng = np.random.default_rng(len(kind))
    mean, (w, w_new) = rng.uniform(-2, 2, (300, 2)), rng.uniform(-4, 4, (2, 300, 2))
    for number, place in enumerate([w, mean, 0.5 * (w + mean), 2 * mean - w, 3 * mean - 2 * w]):
        w_new[number::12] = place[number::12]
    w[5::12], w_new[6::12, 0] = mean[5::12], w[6::12, 0]
    for i in range(300):
        angle, (long, short) = rng.uniform(-np.pi, np.pi), rng.uniform(0.2, 3, 2)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        spread = {"diagonal": np.array([long, short]), "spherical": long, "full": turn * [long, short]}[kind]
        options = {"non_expansive": bool(i % 3 == 0)}
        if kind == "spherical":
            options["rule"] = ["printed", "exact"][i % 2]
        before = BELIEFS[kind](mean[i], spread)
        after = before.flow(w[i], w_new[i], **options)
        given = [kind, *(np.asarray(part).tolist() for part in (mean[i], spread, w[i], w_new[i])), camel(options)]
        seen = ask("flowed", *given)
        np.testing.assert_allclose(seen["mean"], after.mean, rtol=0, atol=1e-12 * 50)
        np.testing.assert_allclose(seen["covariance"], after.covariance[[0, 0, 1], [0, 1, 1]], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(seen["kl"], after.kl(before), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(seen["entropy"], after.entropy() - before.entropy(), rtol=1e-10, atol=1e-12)
        moved = np.atleast_1d(np.abs(after.covariance - before.covariance).max()) > 1e-3
        if moved and not (kind == "diagonal" and np.any(w[i] == w_new[i])):
            point = pseudo_observation(before, after)
            sign = 1.0 if seen.get("direction") is None else np.sign(np.dot(seen["direction"], point.direction))
            np.testing.assert_allclose(
                np.array(seen["x"], float) * sign, np.atleast_1d(point.x), rtol=1e-7, atol=1e-7
            )
            precision = np.nan_to_num(1 / np.atleast_1d(point.R))  # 0 where nothing was seen
            np.testing.assert_allclose(seen["precision"], precision, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("seed", [0, 2**32 - 1])
def test_random_numbers_are_those_of_numpy(ask, seed):
    """Over several twists of the state: uniform numbers to the bit, normal ones in any order and number."""
    draw = """(seed) => { const rng = new RandomState(seed);
      return Array.from({ length: 900 }, (_, i) => {
        const out = new Float64Array(i % 8);
        rng.fillNormals(out);
        return [rng.random(), rng.standardNormal(), ...out];
      }); }"""
    rng = np.random.RandomState(seed)
    for i, (uniform, *normals) in enumerate(ask(draw, seed)):
        wanted = rng.standard_normal(i % 8)
        assert uniform == rng.random_sample()
        np.testing.assert_allclose(normals, [rng.standard_normal(), *wanted], rtol=1e-14)


def camel(options):
    """Names of options as JavaScript has them."""
    return {re.sub(r"_(\w)", lambda part: part[1].upper(), name): value for name, value in options.items()}


def setting(number):
    """The setting of this number: what both languages make a learner of."""
    rng = np.random.default_rng([13, number])
    learner, belief, network = KINDS[number % len(KINDS)]
    features = 2 if belief in ("full", "spherical") else int(rng.integers(1, 5))
    sizes = [features, *rng.integers(1, 7, rng.integers(0, 4)).tolist(), 1] if network else None
    # With steps of 1 a network can be chaotic: in Python by itself, a nudge of 1e-15 then grows to 1e-3.
    options = {"eta": float(10 ** rng.uniform(-3, -0.5 if network else 0)), "updates": int(rng.choice([1, 1, 3]))}
    if learner == "BeliefFlow":
        options["non_expansive"] = bool(rng.integers(2))
        if belief == "diagonal":
            # Without a floor, a network that cannot widen becomes too narrow for numbers.
            options["min_std"] = 0.02 if network and options["non_expansive"] else float(rng.choice([0.0, 0.02]))
        if belief == "spherical":
            options["rule"] = str(rng.choice(["printed", "exact"]))
    elif learner == "Dropout":
        options |= {"hidden_rate": float(rng.choice([0.0, 0.5])), "input_rate": 0.0}
    elif learner == "Kalman":
        options = {}
    std = float(10 ** rng.uniform(-1, 0.3)) if belief else float(rng.choice([0.0, 0.5]))
    case = {"learner": learner, "belief": belief, "features": features, "sizes": sizes}
    return case | {"std": std, "options": options, "seed": int(rng.integers(2**32))}


def stream(case, number):
    """Examples, and labels of a linear rule of which one in ten is wrong."""
    rng = np.random.default_rng([12, number])
    X = rng.standard_normal((ROUNDS, case["features"]))
    return X, ((X @ rng.standard_normal(case["features"]) > 0) ^ (rng.random(ROUNDS) < 0.1)).astype(int)


def made(case):
    """The learner of a setting."""
    options, features, std = case["options"], case["features"], case["std"]
    model = Logistic() if case["sizes"] is None else MLP(case["sizes"], precision="float64")
    if case["learner"] in POINTS:
        return POINTS[case["learner"]](features, model, std=std, **options)
    mean = np.zeros(model.size(features))
    prior = BELIEFS[case["belief"]](mean, std * np.eye(2) if case["belief"] == "full" else std)
    return Kalman(prior) if case["learner"] == "Kalman" else BeliefFlow(prior, model, **options)


@pytest.mark.parametrize("number", range(3 * len(KINDS)))
def test_whole_runs_agree_with_python(ask, number):
    """Labels of all rounds, states on the way (also of copies), and the number that is drawn after them."""
    case = setting(number)
    X, y = stream(case, number)
    told = ask("play", case | {"options": camel(case["options"])}, X.tolist(), y.tolist(), EVERY)
    learner, rng, labels, means, entropies = made(case), np.random.RandomState(case["seed"]), [], [], []
    for x, target in zip(X, y.tolist(), strict=True):
        labels.append(learner.step(x, target, rng).label)
        if len(labels) % EVERY == 0:
            belief = learner.belief
            means.append(learner.weights if belief is None else belief.mean)
            entropies.append(0.0 if belief is None else belief.entropy())
    assert told["labels"] == labels
    means, entropies = np.array(means), np.array(entropies)
    assert np.all(np.abs(means - told["means"]) <= DIGITS * np.abs(means).max(axis=1, keepdims=True))
    assert np.all(np.abs(entropies - told["entropies"]) <= DIGITS * np.maximum(1, np.abs(entropies)))
    assert told["next"] == rng.random_sample()


@pytest.mark.parametrize("options", ["{ eta: 1e300 }", "{ eta: 1e-3, minStd: 0 }"])
def test_what_cannot_be_learnt_is_refused(ask, options):
    """A belief that overflows ends with one sentence."""
    asked = f"""() => {{ try {{ new learners.BeliefFlow(new KINDS.diagonal([0], 1), new Logistic(), {options})
      .step([1e300], 0, new RandomState(1)); return ""; }} catch (problem) {{ return problem.message; }} }}"""
    assert ("must stay finite" in ask(asked)) == ("e300" in options)
