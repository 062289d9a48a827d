"""Settings of learners, drawn at random, and their whole runs in Python and in JavaScript."""

import json
import re
from typing import NamedTuple

import numpy as np

from bflo_viz import AROW, MLP, SGD, BeliefFlow, DiagonalBelief, Dropout, FullBelief, Langevin, Logistic, SphericalBelief

ROUNDS = 2_000
EVERY = 100  # rounds between two looks at the state
KINDS = [
    (learner, belief, network)
    for learner, belief in [
        ("BeliefFlow", "DiagonalBelief"),
        ("BeliefFlow", "SphericalBelief"),
        ("BeliefFlow", "FullBelief"),
        ("SGD", None),
        ("Langevin", None),
        ("Dropout", None),
    ]
    for network in (False, True)
] + [("AROW", None, False)] * 2
LEARNERS = {"SGD": SGD, "Langevin": Langevin, "Dropout": Dropout}
BELIEFS = {"SphericalBelief": SphericalBelief, "DiagonalBelief": DiagonalBelief}

# A learner by its setting, and its whole run: labels and losses of all rounds, the state of some.
PLAY = """
const made = ({ learner, belief, features, sizes, bias, std, options }) => {
  const model = sizes === null ? new Logistic() : new MLP(sizes, { bias });
  if (learner === "AROW") return new AROW(features, { std, ...options });
  if (learner !== "BeliefFlow") return new { SGD, Langevin, Dropout }[learner](features, model, { std, ...options });
  const prior = new { SphericalBelief, DiagonalBelief, FullBelief }[belief](new Float64Array(model.size(features)), std);
  return new BeliefFlow(prior, model, options);
};
const stateOf = (learner) => {
  if (learner.weights) return { mean: [...learner.weights], spread: [] };
  const { mean, spread, std, factor } = learner.belief ? { ...learner.belief, spread: learner.spread } : learner;
  return { mean: [...mean], spread: [spread ?? factor ?? std].map((x) => (x.length ? [...x] : x)).flat() };
};
const play = (text, X, y, every) => {
  const setting = JSON.parse(text);
  const learner = made(setting);
  const rng = new RandomState(setting.seed);
  const told = { labels: [], losses: [], margins: [], states: [] };
  JSON.parse(X).forEach((x, n) => {
    const { label, loss, probability } = learner.step(x, JSON.parse(y)[n], rng);
    told.labels.push(label);
    told.losses.push(loss);
    if (learner.rounds % every === 0) told.states.push({ ...stateOf(learner), entropy: learner.entropy() });
  });
  return JSON.stringify({ ...told, next: rng.random() });
};
"""


class Run(NamedTuple):
    """What a run leaves behind: labels, losses and lead of the label in every round, means and spreads in some."""

    labels: np.ndarray
    losses: np.ndarray
    leads: np.ndarray
    means: np.ndarray
    spreads: np.ndarray
    entropies: np.ndarray
    next: float  # what the generator draws after it


def setting(number):
    """The setting of this number: what both languages make a learner of."""
    rng = np.random.default_rng([11, number])
    learner, belief, network = KINDS[number % len(KINDS)]
    features = int(rng.integers(1, 5))
    sizes = None
    if network:
        sizes = [features, *rng.integers(1, 5, rng.integers(0, 3)).tolist(), int(rng.choice([1, 1, 3]))]
    options = {"eta": float(10 ** rng.uniform(-3, 0)), "updates": int(rng.choice([1, 1, 3]))}
    if learner == "BeliefFlow":
        options |= {"non_expansive": bool(rng.integers(2)), "branch": int(rng.choice([1, 1, 1, -1]))}
        options["min_std"] = float(rng.choice([0.0, 0.02, 0.3]))
        if belief == "SphericalBelief":
            options["rule"] = str(rng.choice(["printed", "exact"]))
    elif learner == "Langevin":
        options |= {"noise": [None, 0.0, 1e-3][rng.integers(3)], "prior_std": [None, 1.0][rng.integers(2)]}
    elif learner == "Dropout":
        options |= {"hidden_rate": float(rng.choice([0.0, 0.5])), "input_rate": float(rng.choice([0.0, 0.2]))}
    elif learner == "AROW":
        options = {"r": float(10 ** rng.uniform(-1, 1)), "covariance": str(rng.choice(["full", "diagonal"]))}
        options["predicting"] = str(rng.choice(["mean", "sample"]))
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


def stream(case, number, rounds=ROUNDS):
    """Examples, a fifth of their inputs zero, and labels of a linear rule, one in ten at random."""
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
    dim = model.size(features)
    if case["belief"] == "FullBelief":
        return BeliefFlow(FullBelief.from_factor(np.zeros(dim), std * np.eye(dim)), model, **options)
    return BeliefFlow(BELIEFS[case["belief"]](np.zeros(dim), std), model, **options)


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
    means, spreads, entropies = (np.array(part, dtype=float) for part in zip(*states, strict=True))
    return Run(np.array(labels), np.array(losses), np.array(leads), means, spreads, entropies, rng.random_sample())


def _state(learner):
    if isinstance(learner, AROW):
        return learner.mean, learner.spread.ravel()
    belief = learner.belief
    if belief is None:
        return learner.weights, []
    return belief.mean, np.ravel(belief.factor if isinstance(belief, FullBelief) else belief.std)


def in_javascript(racer, case, X, y):
    """The same run in JavaScript."""
    names = {re.sub(r"_(\w)", lambda m: m[1].upper(), name): value for name, value in case["options"].items()}
    text = json.dumps(case | {"options": names})
    told = json.loads(racer.call("play", text, json.dumps(X.tolist()), json.dumps(y.tolist()), EVERY))
    states = [np.array([state[name] for state in told["states"]], dtype=float) for name in ("mean", "spread", "entropy")]
    return Run(np.array(told["labels"]), np.array(told["losses"]), np.array([]), *states, told["next"])
