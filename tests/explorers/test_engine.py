"""The learners of the page are those of Python: the same random numbers, and the same whole runs."""

import re

import numpy as np
import pytest
from py_mini_racer import JSEvalException
from racing import asked, engine

import bflo_viz
from bflo_viz import AROW, MLP, BeliefFlow, DiagonalBelief, FullBelief, Logistic, SphericalBelief

TOLERANCE = 1e-9
REFLECTED_ROUNDS = 500  # of full beliefs on the other branch, where rounding grows tenfold in 300 rounds
EVERY = 100  # rounds between two looks at the state
TIE = 1e-9  # a label that leads by less may be another one elsewhere
BELIEFS = {"diagonal": DiagonalBelief, "spherical": SphericalBelief, "full": FullBelief.from_factor}
POINTS = {name: getattr(bflo_viz, name) for name in ("SGD", "Langevin", "Dropout")}
KINDS = [
    *(("BeliefFlow", belief, network) for belief in BELIEFS for network in (False, True)),
    *((learner, None, network) for learner in POINTS for network in (False, True)),
    ("AROW", "full", False),
]
FEW, SHORT = 3 * len(KINDS), 500  # settings and rounds of every run of the tests
ALL, LONG = 200, 2_000  # those of `make soak`
SOME_NETWORKS, NETWORKS, NETWORK_ROUNDS = 16, 100, 400
LANGEVIN = {"data_size": 40}, {"noise": 0.0}, {"noise": 1e-3}
NAMES = ("sgd", "langevin", "dropout", "arow", "belief_flow")
MODULES = [f"engine/{name}.js" for name in ("random", "models", "beliefs", *(f"learners/{name}" for name in NAMES))]

# A learner by its setting, and its whole run: labels and losses of all rounds, the state of some.
PLAY = """
const { Logistic, MLP } = modules["engine/models.js"];
const { DiagonalBelief, SphericalBelief, FullBelief } = modules["engine/beliefs.js"];
const { RandomState } = modules["engine/random.js"];
const { copyOf } = modules["engine/copies.js"];
const learners = NAMES.map((name) => modules[`learners/${name}.js`]);
const { SGD, Langevin, Dropout, AROW, BeliefFlow } = Object.assign({}, ...learners);
const made = ({ learner, belief, features, sizes, bias, std, options }) => {
  const model = sizes === null ? new Logistic() : new MLP(sizes, { bias });
  if (learner === "AROW") return new AROW(features, { std, ...options });
  if (learner !== "BeliefFlow") return new { SGD, Langevin, Dropout }[learner](features, model, { std, ...options });
  const kind = { spherical: SphericalBelief, diagonal: DiagonalBelief, full: FullBelief }[belief];
  return new BeliefFlow(new kind(new Float64Array(model.size(features)), std), model, options);
};
const play = (setting, X, y, every) => {
  let state = { learner: made(setting), rng: new RandomState(setting.seed) };
  const run = { labels: [], losses: [], means: [], factors: [], entropies: [] };
  for (const [n, x] of X.entries()) {
    const { label, loss } = state.learner.step(x, y[n], state.rng);
    run.labels.push(label);
    run.losses.push(loss);
    if (state.learner.rounds % every !== 0) continue;
    const before = state;
    state = copyOf(before); // which goes on as it would have, whatever happens to the other
    before.learner.step(x, y[n], before.rng);
    const { weights, belief } = state.learner;
    run.means.push([...(weights ?? belief.mean)]);
    run.factors.push([...(belief?.factor ?? [])]);
    run.entropies.push(belief?.entropy() ?? NaN);
  }
  return { ...run, next: state.rng.random() };
};
"""


@pytest.fixture(scope="module")
def racer():
    with engine(*MODULES, code=f"const NAMES = {[*NAMES]};{PLAY}") as ready:
        yield ready


def setting(number):
    """The setting of this number: what both languages make a learner of."""
    rng = np.random.default_rng([13, number])
    learner, belief, network = KINDS[number % len(KINDS)]
    features = int(rng.integers(1, 5))
    sizes = None
    if network:
        sizes = [features, *rng.integers(1, 5, rng.integers(0, 3)).tolist(), int(rng.choice([1, 1, 3]))]
    # With steps of 1 a network can be chaotic: in Python by itself, a nudge of 1e-15 then grows to 1e-3.
    options = {"eta": float(10 ** rng.uniform(-3, -0.5 if network else 0)), "updates": int(rng.choice([1, 1, 3]))}
    if learner == "BeliefFlow":
        options |= {"non_expansive": bool(rng.integers(2)), "branch": int(rng.choice([1, 1, 1, -1]))}
        # Reflected again and again, a full belief without a floor becomes too narrow for numbers.
        needs_floor = belief == "full" and options["branch"] < 0
        options["min_std"] = float(rng.choice([0.0, 0.02, 0.3][needs_floor:]))
        if belief == "spherical":
            options["rule"] = str(rng.choice(["printed", "exact"]))
    elif learner == "Langevin":
        options |= LANGEVIN[rng.integers(3)] | {"prior_std": [None, 1.0][rng.integers(2)]}
    elif learner == "Dropout":
        options |= {"hidden_rate": float(rng.choice([0.0, 0.5])), "input_rate": float(rng.choice([0.0, 0.2]))}
    elif learner == "AROW":
        options = {"r": float(10 ** rng.uniform(-1, 1)), "predicting": ["mean", "sample"][number // len(KINDS) % 2]}
    std = float(10 ** rng.uniform(-1, 0.3)) if belief else float(rng.choice([0.0, 0.5]))
    kind = {"learner": learner, "belief": belief, "features": features, "sizes": sizes, "bias": bool(rng.integers(2))}
    return kind | {"std": std, "options": options, "seed": int(rng.integers(2**32))}


def network_setting(number):
    """A network with two inputs, as pages have them: any depth and width, any learner that pages have."""
    rng = np.random.default_rng([14, number])
    learner = ["SGD", "Dropout", "Langevin", "BeliefFlow"][number % 4]
    sizes = [2, *rng.integers(1, 13, number // 4 % 4).tolist(), 1]
    options = {"eta": float(10 ** rng.uniform(-3, -0.5)), "updates": int(rng.integers(1, 6))}
    if learner == "BeliefFlow":
        options |= {"non_expansive": bool(rng.integers(2)), "min_std": float(rng.choice([0.0, 0.02, 0.3]))}
    elif learner == "Langevin":
        options |= LANGEVIN[rng.integers(3)] | {"prior_std": float(10 ** rng.uniform(-0.5, 0.5))}
    elif learner == "Dropout":
        options |= {"hidden_rate": float(rng.uniform(0, 0.6)), "input_rate": float(rng.choice([0.0, 0.2]))}
    kind = {"learner": learner, "belief": "diagonal" if learner == "BeliefFlow" else None, "features": 2}
    kind |= {"sizes": sizes, "bias": bool(number % 5), "std": float(10 ** rng.uniform(-1, 0.3))}
    return kind | {"options": options, "seed": int(rng.integers(2**32))}


def stream(case, number, rounds):
    """Examples, a fifth of their inputs zero, and labels of a linear rule, one in ten at random."""
    if case["belief"] == "full" and case["options"].get("branch", 1) < 0:
        rounds = min(rounds, REFLECTED_ROUNDS)
    rng = np.random.default_rng([12, number])
    classes = max(2, case["sizes"][-1] if case["sizes"] else 2)
    X = rng.standard_normal((rounds, case["features"])) * (rng.random((rounds, case["features"])) > 0.2)
    y = (X @ rng.standard_normal((case["features"], classes))).argmax(axis=1)
    wrong = rng.random(rounds) < 0.1
    y[wrong] = rng.integers(0, classes, wrong.sum())
    return X, y


def made(case):
    """The learner of a setting."""
    options, features, std = case["options"], case["features"], case["std"]
    model = Logistic() if case["sizes"] is None else MLP(case["sizes"], bias=case["bias"], precision="float64")
    if case["learner"] == "AROW":
        return AROW(features, std=std, **options)
    if case["learner"] != "BeliefFlow":
        return POINTS[case["learner"]](features, model, std=std, **options)
    mean = np.zeros(model.size(features))
    spread = std * np.eye(mean.size) if case["belief"] == "full" else std
    return BeliefFlow(BELIEFS[case["belief"]](mean, spread), model, **options)


def state_of(learner):
    """Mean and factor, of a learner without a belief its weights."""
    if isinstance(learner, AROW):
        return learner.mean, learner.factor.ravel()
    belief = learner.belief
    if belief is None:
        return learner.weights, []
    if isinstance(belief, FullBelief):
        return belief.mean, belief.factor.ravel()
    return belief.mean, np.diag(np.broadcast_to(belief.std, belief.mean.shape)).ravel()


def in_python(case, X, y):
    """Whole run by `step`; ``leads`` is by how much the label that was predicted leads, in every round."""
    learner, rng = made(case), np.random.RandomState(case["seed"])
    labels, losses, leads, states = [], [], [], []
    for x, target in zip(X, y.tolist(), strict=True):
        outcome = learner.step(x, target, rng)
        labels.append(outcome.label)
        losses.append(outcome.loss)
        outputs = np.sort(np.atleast_1d(outcome.probability), kind="stable")
        leads.append(abs(outputs[0] - 0.5) if outputs.size == 1 else outputs[-1] - outputs[-2])
        if learner.rounds % EVERY == 0:
            states.append((*state_of(learner), learner.entropy()))
    means, factors, entropies = zip(*states, strict=True)
    run = {"labels": labels, "losses": losses, "leads": leads, "means": means, "factors": factors}
    run |= {"entropies": entropies, "next": rng.random_sample()}
    return {name: np.array(part, dtype=float) for name, part in run.items()}


def deviations(racer, case, number, rounds):
    """How far a run in JavaScript is from that in Python, each number relative to its natural size.

    A width is held to itself, and what is mixed by a rotation (means, factors) to the largest of the state.
    """
    X, y = stream(case, number, rounds)
    ours = in_python(case, X, y)
    options = {re.sub(r"_(\w)", lambda part: part[1].upper(), name): value for name, value in case["options"].items()}
    told = asked(racer, "play", case | {"options": options}, X.tolist(), y.tolist(), EVERY)
    theirs = {name: np.array(part, float) for name, part in told.items()}
    widths = np.abs(ours["factors"])
    sizes = {
        "losses": np.maximum(1, ours["losses"]),
        "means": np.abs(ours["means"]).max(axis=1, keepdims=True),
        "factors": widths.max(axis=1, keepdims=True) if case["belief"] == "full" else widths,
        "entropies": np.maximum(1, np.abs(ours["entropies"])),
        "next": 1.0,
    }
    gaps = {"labels": float(np.any((ours["labels"] != theirs["labels"]) & (ours["leads"] > TIE)))}
    for name, size in sizes.items():
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = np.atleast_1d(np.abs(theirs[name] - ours[name]) / size)
        equal = (theirs[name] == ours[name]) | (np.isnan(theirs[name]) & np.isnan(ours[name]))
        gaps[name] = float(np.where(equal, 0.0, np.nan_to_num(gap, nan=np.inf)).max(initial=0.0))
    return {
        f"{number}: {case['learner']} {case['belief'] or ''} {case['sizes'] or ''}: {k}": v for k, v in gaps.items()
    }


@pytest.mark.parametrize(("count", "rounds"), [(FEW, SHORT), pytest.param(ALL, LONG, marks=pytest.mark.slow)])
def test_whole_runs_agree_with_python(racer, record_property, count, rounds):
    """States, losses and labels of all rounds, and the number that is drawn after them; also of copies on the way."""
    worst = worst_deviation(racer, map(setting, range(count)), rounds)
    words = f"Runs in JavaScript and Python: {count} of {rounds:,} rounds (reflected full beliefs at most 500)"
    record_property("says", f"{words}, worst deviation {worst}.")


@pytest.mark.parametrize("count", [SOME_NETWORKS, pytest.param(NETWORKS, marks=pytest.mark.slow)])
def test_whole_runs_of_networks_agree_with_python(racer, record_property, count):
    """What a page lets a network learn is what Python lets it learn, in every round."""
    worst = worst_deviation(racer, map(network_setting, range(count)), NETWORK_ROUNDS)
    words = f"Networks in JavaScript and Python: {count} of {NETWORK_ROUNDS} rounds"
    record_property("says", f"{words}, worst deviation {worst}.")


def worst_deviation(racer, cases, rounds):
    """The worst deviation of all runs in words; one that is too large is an error."""
    gaps = {}
    for number, case in enumerate(cases):
        gaps |= deviations(racer, case, number, rounds)
    assert not {what: size for what, size in gaps.items() if size > TOLERANCE}
    what, size = max(gaps.items(), key=lambda item: item[1])
    return f"{size:.1e} ({what})"


def test_settings_are_of_every_kind():
    """The few settings have what learners can be set to."""
    cases = [setting(number) for number in range(FEW)]
    flows = [c["options"] for c in cases if c["learner"] == "BeliefFlow"]
    for name, values in (("branch", {1, -1}), ("non_expansive", {True, False}), ("updates", {1, 3})):
        assert {o[name] for o in flows} == values
    assert {o["min_std"] > 0 for o in flows} == {True, False}
    assert {c["options"]["predicting"] for c in cases if c["learner"] == "AROW"} == {"mean", "sample"}
    assert {c["sizes"][-1] for c in cases if c["sizes"]} == {1, 3}
    networks = [network_setting(number) for number in range(NETWORKS)]
    assert {(c["learner"], len(c["sizes"]) - 2) for c in networks} == {
        (learner, layers) for learner in ("SGD", "Dropout", "Langevin", "BeliefFlow") for layers in range(4)
    }
    assert {units for c in networks for units in c["sizes"][1:-1]} == set(range(1, 13))
    assert {c["options"]["updates"] for c in networks} == set(range(1, 6))


@pytest.mark.parametrize("seed", [0, 42, 2**32 - 1])
def test_random_numbers_are_those_of_numpy(racer, seed):
    """Over several twists of the state, uniform numbers to the bit, normal ones to the last digits, in any order."""
    draw = "(rng) => Array.from({ length: 3001 }, (_, i) => (i % 3 ? rng.standardNormal() : rng.random()))"
    mixed = asked(racer, f"(seed) => ({draw})(new RandomState(seed))".join("()"), seed)
    rng = np.random.RandomState(seed)
    wanted = [rng.standard_normal() if i % 3 else rng.random_sample() for i in range(3001)]
    np.testing.assert_allclose(mixed, wanted, rtol=1e-14, atol=0)
    assert mixed[::3] == wanted[::3]


@pytest.mark.parametrize("lengths", [[3], [4], [1, 2, 105], [2, 1, 311, 0]])
def test_normals_come_in_any_number(racer, lengths):
    """Many at a time are those that come one by one, also where a pair lies across a twist of the state."""
    draw = """(seed, lengths) => {
      const rng = new RandomState(seed);
      return Array.from({ length: 2000 }, (_, i) => {
        const out = new Float64Array(lengths[i % lengths.length] + 2).fill(7);
        rng.fillNormals(out, 1, out.length - 1);
        return [...out, rng.random(), ...(i % 3 ? [rng.standardNormal()] : [])];
      }).flat();
    }"""
    rng, wanted = np.random.RandomState(5), []
    for i in range(2000):
        wanted += [7, *rng.standard_normal(lengths[i % len(lengths)]), 7, rng.random_sample()]
        wanted += [rng.standard_normal()] if i % 3 else []
    np.testing.assert_allclose(asked(racer, f"({draw})", 5, lengths), wanted, rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        ("SGD(1, new Logistic(), { eta: 1e300 })", "weights must be finite"),
        ("AROW(1)", "the belief must stay wider"),
        ("BeliefFlow(new DiagonalBelief([0], 1), new Logistic(), { eta: 1e300 })", "the belief must stay finite"),
    ],
)
def test_what_cannot_be_learnt_is_refused(racer, learner, says):
    with pytest.raises(JSEvalException, match=says):
        racer.eval(f"new {learner}.step([1e300], 0, new RandomState(1))")
