"""Compiled rounds of networks of many shapes, in either precision, against the steps in NumPy."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import SGD, BeliefFlow, DiagonalBelief, Dropout, GradientStep, Langevin, Recorder
from bflo_viz.models import MLP

pytest.importorskip("numba")

NETS = [
    lambda p: MLP((7, 3), bias=True, precision=p),
    lambda p: MLP((5, 1), bias=False, precision=p),
    lambda p: MLP((6, 5, 3), precision=p),
    lambda p: MLP((9, 4, 1), bias=False, precision=p),
    lambda p: MLP((5, 7, 3, 2), precision=p),
    lambda p: MLP((6, 3, 5, 4), bias=False, precision=p),
    lambda p: MLP((3, 700, 2), precision=p),  # rows nearly as long as a piece of weights
]
precisions = pytest.mark.parametrize("precision", ["float64", "float32"])
TOLERANCE = {"float64": 1e-10, "float32": 1e-4}


def rng(seed=7):
    return np.random.default_rng(seed)


def stream(model, rounds, seed=0, zeros=0.4):
    """Rows with many zeros, and labels."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rounds, model.sizes[0])).astype(np.float32).astype(np.float64)
    X[draw.random(X.shape) < zeros] = 0
    X[rounds // 2] = 0  # nothing but the bias
    return X, draw.integers(0, max(model.outputs, 2), rounds)


def prior(model, seed=1, std=0.5):
    """Means and widths that float32 holds exactly."""
    draw = np.random.default_rng(seed)
    mean, width = draw.normal(size=model.size()), std * (0.5 + draw.random(model.size()))
    return mean.astype(np.float32).astype(np.float64), width.astype(np.float32).astype(np.float64)


def belief_flow(model, mean, std, **options):
    return BeliefFlow(DiagonalBelief(mean, std), model, **options)


def point(kind, model, w, **options):
    learner = kind(model.sizes[0], model, **options)
    learner.weights = w
    return learner


def state(learner):
    return (learner.weights,) if learner.belief is None else (learner.belief.mean, learner.belief.std)


def ran(learner, X, y):
    """The state after a run, and the record of each of its rounds."""
    record = learner.run(X, y, rng(), blocks=len(y))
    return state(learner), record


class Plain(np.random.Generator):
    """A generator of a class that numba does not know: what it is passed to runs in NumPy."""


def stepped(case, model, X, y):
    """The state, losses and mistakes of a loop in NumPy: `step` of the flow, and of other learners the textbook's."""
    learner, generator = learner_of(case, model), Plain(rng().bit_generator)
    if case in FLOWS:
        rounds = [learner.step(x, label, generator) for x, label in zip(X, y, strict=True)]
        return state(learner), [done.loss for done in rounds], [done.mistake for done in rounds]
    w, losses, mistakes, n = learner.weights, [], [], model.sizes[0]
    for x, label in zip(X, y, strict=True):
        shares = np.repeat([1 - learner.input_rate, 1 - learner.hidden_rate], [n, sum(model.sizes[1:-1])])
        mean_network = w * of_weights(model, shares)
        losses.append(model.forward(mean_network, x).loss(label))
        mistakes.append(model.labels(model.predict(mean_network, x))[0] != label)
        for _ in range(learner.updates):
            kept = np.ones(shares.size)
            if case == "dropout":
                able = np.append(x != 0, np.ones(shares.size - n, bool))
                kept[able] = [generator.random() >= 1 - share for share in shares[able]]
            kept = of_weights(model, kept)
            pull = kept * model.gradient(w * kept, x, label)
            if case == "langevin":
                w = w - 0.5 * learner.eta * (pull + w / 9) + 0.05 * generator.standard_normal(w.size)
            else:
                w = w - learner.eta * pull
    return (w,), losses, mistakes


def of_weights(model, units):
    """A number for each weight, that of the input or hidden unit that it leads out of; biases have 1."""
    numbers = iter(units)
    layers = [(n, width) for n, width in pairwise(model.sizes)]
    return np.concatenate(
        [np.repeat([*(next(numbers) for _ in range(n)), *[1.0] * model.bias], width) for n, width in layers]
    )


FLOW = {"eta": 0.3, "updates": 3}
FLOWS = ("belief flow", "non-expansive", "floor")
CASES = {
    "belief flow": (None, FLOW),
    "non-expansive": (None, {**FLOW, "non_expansive": True}),
    "floor": (None, {**FLOW, "eta": 2.0, "min_std": 0.4}),
    "sgd": (SGD, FLOW),
    "langevin": (Langevin, {**FLOW, "noise": 0.05, "prior_std": 3.0}),
    "dropout": (Dropout, {**FLOW, "input_rate": 0.2, "hidden_rate": 0.5}),
}


def learner_of(case, model):
    kind, settings = CASES[case]
    mean, std = prior(model)
    return belief_flow(model, mean, std, **settings) if kind is None else point(kind, model, mean, **settings)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("net", NETS, ids=lambda net: "-".join(map(str, net("float32").sizes)))
@precisions
def test_rounds_are_those_of_the_plain_loop(case, net, precision):
    model, tolerance = net(precision), TOLERANCE[precision]
    small = model.size() < 1000  # rounding grows with size and rounds
    rounds = (50 if small else 12) if precision == "float64" else (8 if small else 3)
    X, y = stream(model, rounds)
    after, record = ran(learner_of(case, model), X, y)
    expected, losses, mistakes = stepped(case, model, X, y)
    for array, wanted in zip(after, expected, strict=True):
        np.testing.assert_allclose(array, wanted, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(record.loss, losses, rtol=tolerance, atol=tolerance)
    assert record.mistakes.tolist() == mistakes


@precisions
@pytest.mark.parametrize("narrow", [False, True])
def test_weights_of_pixels_never_seen_keep_their_bits(narrow, precision):
    model = MLP((12, 5, 3), precision=precision)
    X, y = stream(model, 40)
    X[:, [0, 4, 5, 11]] = 0
    mean, std = prior(model)
    learner = belief_flow(model, mean, std, eta=0.5, updates=2, non_expansive=narrow, min_std=1e-3)
    for old, new in zip((mean, std), ran(learner, X, y)[0], strict=True):
        same = (old == new)[: 13 * 5].reshape(13, 5)
        assert same[[0, 4, 5, 11]].all()
        assert not same[[1, 2, 3, 6, 7, 8, 9, 10, 12]].any()


def test_the_layout_of_rows_in_memory_changes_nothing():
    """Stored zeros, read-only arrays, columns side by side, and the other order of bytes."""
    model = MLP((6, 5, 3), precision="float64")
    X, y = stream(model, 10)
    stored = sparse.csr_array((X.ravel(), np.tile(np.arange(6), 10), np.arange(0, 61, 6)), shape=X.shape)
    expected, _ = ran(learner_of("belief flow", model), X, y)
    X.flags.writeable = y.flags.writeable = stored.data.flags.writeable = False
    for rows in (X, stored, np.asfortranarray(X), X.astype(">f8")):
        after, _ = ran(learner_of("belief flow", model), rows, y)
        for a, b in zip(after, expected, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("case", CASES)
@precisions
def test_a_watched_run_is_the_run_to_the_bit(case, precision):
    """However large the steps, and chaotic the network: `step` is the compiled pass on one row."""
    model = MLP(6, 8, 1, precision=precision)
    X, y = stream(model, 2000)
    learners = [learner_of(case, model) for _ in range(2)]
    for learner in learners:
        learner.__dict__.update({"local_flow": GradientStep(5.0)} if case in FLOWS else {"eta": 5.0})
    alone = learners[0].run(X, y, rng(), blocks=7)
    recorder = Recorder()
    watched = learners[1].run(X, y, rng(), blocks=7, callback=recorder)
    np.testing.assert_array_equal(watched.mistakes, alone.mistakes)
    assert recorder.loss.sum() == pytest.approx(alone.loss.sum())
    assert [r.mistake for r in recorder].count(True) == alone.mistakes.sum()
    for one, other in zip(*map(state, learners), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_watched_step_shows_the_sample_and_where_it_went():
    model = MLP(6, 8, 1, precision="float64")
    learner, (x, y) = learner_of("belief flow", model), (stream(model, 1, zeros=0)[0][0] + 1, 1)
    z = rng().standard_normal(model.size())
    w = learner.belief.weight(z)
    outcome = learner.step(x, y, rng())
    np.testing.assert_allclose(outcome.weights, w, rtol=1e-12)
    np.testing.assert_allclose(outcome.moved, w - 0.3 * model.gradient(w, x, y), rtol=1e-9)


WITHOUT = """
import sys
import bflo_viz.kernels
assert "numba" not in sys.modules  # importing kernels does not load it
sys.modules["numba"] = None
import numpy as np
from bflo_viz import SGD
learner = SGD(2, eta=0.1)
learner.run([[1.0, 2.0]] * 3, [0, 1, 1], np.random.default_rng(0))
print(learner.rounds, bflo_viz.kernels.passes())
"""


def test_without_numba_learners_learn():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout == "3 {}\n"


PROGRAM = """
from numba.core import caching
for kind in (caching.CompileResultCacheImpl, caching.CodeLibraryCacheImpl):
    kind._locator_classes = []  # no place for a cache
import numpy as np
from bflo_viz import SGD, kernels
learner, rng = SGD(2, eta=0.1, std=0.1), np.random.default_rng(0)
learner.step([1.0, 2.0], 1, rng)
learner.run([[1.0, 2.0]] * 3, [0, 1, 1], rng)
print(learner.rounds, "descent_pass" in kernels.passes())
"""


@pytest.mark.slow  # compiles anew
def test_learners_learn_where_numba_has_no_place_for_its_cache():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "4 True\n", done.stderr
