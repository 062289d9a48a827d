"""Every learner with every option set: what the conformance suite runs over."""

import numpy as np

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Kalman,
    Langevin,
    Momentum,
    SphericalBelief,
)

FEATURES = 7
NETWORK = MLP((FEATURES, 5, 3), precision="float64")
SINGLE = MLP((FEATURES, 5, 3), precision="float32")
DEEP = MLP((FEATURES, 4, 3, 1), bias=False, precision="float64")


def diagonal(model=None, std=0.5):
    size = FEATURES if model is None else model.size(FEATURES)
    return DiagonalBelief(np.zeros(size), np.full(size, std))


def spherical(dim=FEATURES):
    return SphericalBelief(np.zeros(dim), 0.5)


def full(dim=FEATURES):
    root = np.random.default_rng(5).normal(size=(dim, dim)) / 4
    return FullBelief(np.zeros(dim), root @ root.T + 0.2 * np.eye(dim))


LEARNERS = {
    "sgd": lambda: SGD(FEATURES, eta=0.1),
    "sgd drawn": lambda: SGD(FEATURES, eta=0.1, std=0.2, updates=3),
    "sgd network": lambda: SGD(FEATURES, NETWORK, eta=0.5, std=0.5, updates=2),
    "sgd network float32": lambda: SGD(FEATURES, SINGLE, eta=0.5, std=0.5),
    "sgd deep": lambda: SGD(FEATURES, DEEP, eta=0.5, std=1.0),
    "langevin": lambda: Langevin(FEATURES, eta=0.1, data_size=60, prior_std=0.5),
    "langevin quiet": lambda: Langevin(FEATURES, eta=0.1, noise=1e-4, std=0.2, updates=2),
    "langevin silent": lambda: Langevin(FEATURES, eta=0.1, noise=0.0, std=0.2, prior_std=2.0),
    "langevin prior": lambda: Langevin(FEATURES, eta=0.1, noise=0.01, prior_std=0.5),
    "langevin network": lambda: Langevin(FEATURES, NETWORK, eta=0.2, noise=0.01, prior_std=2.0, std=0.3),
    "dropout logistic": lambda: Dropout(FEATURES, eta=0.1, input_rate=0.3),
    "dropout network": lambda: Dropout(FEATURES, NETWORK, eta=0.5, std=0.5, updates=2),
    "dropout inputs only": lambda: Dropout(FEATURES, NETWORK, eta=0.5, std=0.5, hidden_rate=0.0),
    "dropout deep": lambda: Dropout(FEATURES, DEEP, eta=0.5, std=1.0, hidden_rate=0.3, input_rate=0.0),
    "dropout network float32": lambda: Dropout(FEATURES, SINGLE, eta=0.5, std=0.5),
    "arow full": lambda: AROW(FEATURES),
    "arow full sample": lambda: AROW(FEATURES, r=1.0, std=0.3, predicting="sample"),
    "nherd full": lambda: NHERD(FEATURES),
    "nherd full sample": lambda: NHERD(FEATURES, C=0.1, predicting="sample"),
    "kalman full": lambda: Kalman(full()),
    "kalman full drifting": lambda: Kalman(full(), process_noise=0.01),
    "kalman diagonal": lambda: Kalman(diagonal()),
    "kalman diagonal drifting": lambda: Kalman(diagonal(), process_noise=0.01),
    "flow diagonal": lambda: BeliefFlow(diagonal(), eta=0.1),
    "flow diagonal non-expansive": lambda: BeliefFlow(diagonal(), eta=0.01, non_expansive=True, updates=3),
    "flow diagonal floored": lambda: BeliefFlow(diagonal(), eta=0.1, non_expansive=True, min_std=0.2),
    "flow diagonal below its floor": lambda: BeliefFlow(diagonal(std=0.01), eta=0.1, min_std=0.2),
    "flow diagonal partly below its floor": lambda: BeliefFlow(
        DiagonalBelief(np.zeros(FEATURES), np.linspace(0.01, 1, FEATURES)), eta=0.1, min_std=0.2
    ),
    "flow diagonal reflected": lambda: BeliefFlow(diagonal(), eta=0.1, branch=-1),
    "flow spherical": lambda: BeliefFlow(spherical(), eta=0.1),
    "flow spherical exact": lambda: BeliefFlow(spherical(), eta=0.1, rule="exact", updates=2),
    "flow spherical non-expansive": lambda: BeliefFlow(spherical(), eta=0.1, non_expansive=True, min_std=0.1),
    "flow spherical below its floor": lambda: BeliefFlow(spherical(), eta=0.1, min_std=0.8, updates=2),
    "flow spherical reflected": lambda: BeliefFlow(spherical(), eta=0.1, branch=-1, min_std=0.1),
    "flow full": lambda: BeliefFlow(full(), eta=0.1),
    "flow full non-expansive": lambda: BeliefFlow(full(), eta=0.1, non_expansive=True, updates=2),
    "flow full floored": lambda: BeliefFlow(full(), eta=0.1, min_std=0.3),
    "flow full below its floor": lambda: BeliefFlow(full(), eta=0.1, min_std=2.0),
    "flow full reflected": lambda: BeliefFlow(full(), eta=0.1, branch=-1, min_std=0.1),
    "flow momentum": lambda: BeliefFlow(diagonal(), local_flow=Momentum(eta=0.05)),
    "flow network": lambda: BeliefFlow(diagonal(NETWORK), NETWORK, eta=0.5, updates=2),
    "flow network non-expansive": lambda: BeliefFlow(
        diagonal(NETWORK), NETWORK, eta=0.5, non_expansive=True, min_std=0.05
    ),
    "flow network float32": lambda: BeliefFlow(diagonal(SINGLE), SINGLE, eta=0.5, non_expansive=True, min_std=0.05),
    "flow deep": lambda: BeliefFlow(diagonal(DEEP, 1.0), DEEP, eta=0.5),
    "flow network below its floor": lambda: BeliefFlow(diagonal(NETWORK, 0.01), NETWORK, eta=0.5, min_std=0.1),
    "flow network spherical": lambda: BeliefFlow(spherical(NETWORK.size(FEATURES)), NETWORK, eta=0.5),
    "flow network full": lambda: BeliefFlow(full(NETWORK.size(FEATURES)), NETWORK, eta=0.5),
}


def stream(learner, rounds=60, seed=0):
    """Rows with zeros in them (so that sparsity has something to skip), and labels that can be learned."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, FEATURES)) * (rng.random((rounds, FEATURES)) < 0.6)
    X[:, -1] = 1.0
    score = X @ np.linspace(-1, 1, FEATURES)
    classes = max(2, learner.model.outputs)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def state(learner):
    """Everything a learner has learned, as a list of arrays."""
    found = [np.array(learner.rounds)]
    if learner.belief is None:
        return [*found, *([] if learner.weights is None else [learner.weights])]
    found += [learner.belief.mean, learner.belief.covariance, np.array(learner.belief.entropy())]
    return found + [np.array(value) for value in vars(getattr(learner, "local_flow", learner.model)).values()]
