"""Settings of learners, drawn at random, and their whole runs in Python and in JavaScript."""

import re
from typing import NamedTuple

import numpy as np
from racing import asked

from bflo_viz import (
    AROW,
    MLP,
    SGD,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Langevin,
    Logistic,
    SphericalBelief,
)

REFLECTED_ROUNDS = 500  # of full beliefs on the other branch, see `is_reflected_full`
EVERY = 100  # rounds between two looks at the state
TIE = 1e-9  # a label that leads by less may be another one elsewhere
KINDS = [
    *(("BeliefFlow", belief, network) for belief in ("diagonal", "spherical", "full") for network in (False, True)),
    *((learner, None, network) for learner in ("SGD", "Langevin", "Dropout") for network in (False, True)),
    ("AROW", "full", False),
]
LEARNERS = {"SGD": SGD, "Langevin": Langevin, "Dropout": Dropout}
MODULES = ("random.js", "models.js", "beliefs.js", *(f"learners/{n}.js" for n in ("langevin", "dropout", "arow")))
MODULES = tuple(f"engine/{name}" for name in (*MODULES, "learners/sgd.js", "learners/belief_flow.js"))

# A learner by its setting, and its whole run: labels and losses of all rounds, the state of some.
PLAY = """
const { Logistic, MLP } = modules["engine/models.js"];
const { DiagonalBelief, SphericalBelief, FullBelief } = modules["engine/beliefs.js"];
const { RandomState } = modules["engine/random.js"];
const NAMES = ["sgd", "langevin", "dropout", "arow", "belief_flow"];
const learners = NAMES.map((name) => modules[`learners/${name}.js`]);
const { SGD, Langevin, Dropout, AROW, BeliefFlow } = Object.assign({}, ...learners);
const made = ({ learner, belief, features, sizes, bias, std, options }) => {
  const model = sizes === null ? new Logistic() : new MLP(sizes, { bias });
  if (learner === "AROW") return new AROW(features, { std, ...options });
  if (learner !== "BeliefFlow") return new { SGD, Langevin, Dropout }[learner](features, model, { std, ...options });
  const kind = { spherical: SphericalBelief, diagonal: DiagonalBelief, full: FullBelief }[belief];
  return new BeliefFlow(new kind(new Float64Array(model.size(features)), std), model, options);
};
const stateOf = (learner) => {
  if (learner.weights) return [[...learner.weights], []];
  return [[...learner.belief.mean], [...learner.belief.factor]];
};
const play = (setting, X, y, every) => {
  const [learner, rng] = [made(setting), new RandomState(setting.seed)];
  const run = { labels: [], losses: [], means: [], factors: [], entropies: [] };
  for (const [n, x] of X.entries()) {
    const { label, loss } = learner.step(x, y[n], rng);
    run.labels.push(label);
    run.losses.push(loss);
    if (learner.rounds % every !== 0) continue;
    const [mean, factor] = stateOf(learner);
    run.means.push(mean);
    run.factors.push(factor);
    run.entropies.push(learner.belief?.entropy() ?? NaN);
  }
  return { ...run, next: rng.random() };
};
const { copyOf } = modules["engine/copies.js"];
const twice = (setting, X, y) => {
  const whole = { learner: made(setting), rng: new RandomState(5) };
  const rounds = ({ learner, rng }, from) => X.slice(from).forEach((x, n) => learner.step(x, y[from + n], rng));
  X.slice(0, 100).forEach((x, n) => whole.learner.step(x, y[n], whole.rng));
  const copied = copyOf(whole);
  return [whole, copied].map((one) => (rounds(one, 100), [stateOf(one.learner), one.rng.random()]));
};
"""


class Run(NamedTuple):
    """What a run leaves behind: labels and losses of all rounds, the state of some."""

    labels: np.ndarray
    losses: np.ndarray
    means: np.ndarray
    factors: np.ndarray
    entropies: np.ndarray
    next: float  # what the generator draws after it
    leads: np.ndarray | None = None  # by how much the label that was predicted leads, in every round


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
        options["min_std"] = float(rng.choice([0.0, 0.02, 0.3][is_reflected_full(belief, options) :]))
        if belief == "spherical":
            options["rule"] = str(rng.choice(["printed", "exact"]))
    elif learner == "Langevin":
        options |= {"noise": [None, 0.0, 1e-3][rng.integers(3)], "prior_std": [None, 1.0][rng.integers(2)]}
    elif learner == "Dropout":
        options |= {"hidden_rate": float(rng.choice([0.0, 0.5])), "input_rate": float(rng.choice([0.0, 0.2]))}
    elif learner == "AROW":
        options = {"r": float(10 ** rng.uniform(-1, 1)), "predicting": ["mean", "sample"][number // len(KINDS) % 2]}
    spread_needed = learner in ("BeliefFlow", "AROW")
    std = float(10 ** rng.uniform(-1, 0.3)) if spread_needed else float(rng.choice([0.0, 0.5]))
    return {
        "learner": learner,
        "belief": belief,
        "features": features,
        "sizes": sizes,
        "bias": bool(rng.integers(2)),
        "std": std,
        "options": options,
        "seed": int(rng.integers(2**32)),
    }


def is_reflected_full(belief, options):
    """Whether it is a full belief on the other branch, where rounding grows tenfold in 300 rounds."""
    return belief == "full" and options.get("branch", 1) < 0


def stream(case, number, rounds):
    """Examples, a fifth of their inputs zero, and labels of a linear rule, one in ten at random."""
    if is_reflected_full(case["belief"], case["options"]):
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
        return LEARNERS[case["learner"]](features, model, std=std, **options)
    mean = np.zeros(model.size(features))
    if case["belief"] == "full":
        return BeliefFlow(FullBelief.from_factor(mean, std * np.eye(mean.size)), model, **options)
    return BeliefFlow(
        (DiagonalBelief if case["belief"] == "diagonal" else SphericalBelief)(mean, std), model, **options
    )


def in_python(case, X, y):
    """Whole run by `step`."""
    learner, rng = made(case), np.random.RandomState(case["seed"])
    labels, losses, leads, states = [], [], [], []
    for x, target in zip(X, y.tolist(), strict=True):
        outcome = learner.step(x, target, rng)
        labels.append(outcome.label)
        losses.append(outcome.loss)
        outputs = np.sort(np.atleast_1d(outcome.probability), kind="stable")
        leads.append(abs(outputs[0] - 0.5) if outputs.size == 1 else outputs[-1] - outputs[-2])
        if learner.rounds % EVERY == 0:
            states.append((*_state(learner), learner.entropy()))
    means, factors, entropies = (np.array(part, dtype=float) for part in zip(*states, strict=True))
    record = np.array(labels), np.array(losses), means, factors, entropies, rng.random_sample()
    return Run(*record, leads=np.array(leads))


def _state(learner):
    if isinstance(learner, AROW):
        return learner.mean, learner.spread.ravel()
    belief = learner.belief
    if belief is None:
        return learner.weights, []
    if isinstance(belief, FullBelief):
        return belief.mean, belief.factor.ravel()
    return belief.mean, np.diag(np.broadcast_to(belief.std, belief.mean.shape)).ravel()


def in_javascript(racer, case, X, y):
    """The same run in JavaScript."""
    options = {re.sub(r"_(\w)", lambda part: part[1].upper(), name): value for name, value in case["options"].items()}
    told = asked(racer, "play", case | {"options": options}, X.tolist(), y.tolist(), EVERY)
    return Run(**{name: np.array(value, float) for name, value in told.items()})


def deviations(case, ours, theirs):
    """How far a run in JavaScript is from that in Python, each number relative to its natural size.

    A width is held to itself, and what is mixed by a rotation (means, factors) to the largest of the state.
    """
    size = np.abs(ours.factors)
    if case["belief"] == "full":
        size = np.broadcast_to(size.max(axis=1, keepdims=True), size.shape)
    clear = ours.leads > TIE
    return {
        "labels": float(np.count_nonzero(ours.labels[clear] != theirs.labels[clear])),
        "next number": float(ours.next != theirs.next),
        "losses": _worst(ours.losses, theirs.losses, np.maximum(1, ours.losses)),
        "means": _worst(ours.means, theirs.means, np.abs(ours.means).max(axis=1, keepdims=True)),
        "factors": _worst(ours.factors, theirs.factors, size),
        "entropies": _worst(ours.entropies, theirs.entropies, np.maximum(1, np.abs(ours.entropies))),
    }


def _worst(ours, theirs, size):
    """Largest relative difference; equal infinities agree, and so do numbers that both are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.abs(theirs - ours) / size
    gap[(theirs == ours) | (np.isnan(theirs) & np.isnan(ours))] = 0.0
    return float(np.nan_to_num(gap, nan=np.inf).max(initial=0.0))
