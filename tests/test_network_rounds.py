"""Compiled rounds of networks of many shapes, in either precision, against the steps in NumPy."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import SGD, BeliefFlow, DiagonalBelief, Dropout, Langevin, kernels
from bflo_viz.kernels import network
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
    belief = DiagonalBelief(mean, np.ones_like(mean))
    return BeliefFlow(belief._moved(mean=mean, std=std), model, **options)  # a width of zero is refused elsewhere


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


def stepped(learner, X, y):
    generator = rng()
    rounds = [learner.step(x, label, generator) for x, label in zip(X, y, strict=True)]
    return state(learner), rounds


FLOW = {"eta": 0.3, "updates": 3}
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
    expected, rounds = stepped(learner_of(case, model), X, y)
    for array, wanted in zip(after, expected, strict=True):
        np.testing.assert_allclose(array, wanted, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(record.loss, [done.loss for done in rounds], rtol=tolerance, atol=tolerance)
    assert record.mistakes.tolist() == [done.mistake for done in rounds]


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


@precisions
@pytest.mark.parametrize("std", [0.0, 1e-45, 1e-38, 1e-30, 1e-19, 1e-10])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_breaks_once_widths_have_collapsed(precision, std, narrow):
    model = MLP((6, 5, 3), precision=precision)
    X, y = stream(model, 2000)
    mean, _ = prior(model)
    learner = belief_flow(model, mean, np.full(mean.size, std), eta=0.5, non_expansive=narrow)
    (mean, new), record = ran(learner, X, y)
    assert np.isfinite(mean).all()
    assert np.isfinite(new).all()
    assert np.isfinite(record.loss).all()
    assert (new >= 0).all()
    # a point can widen again, if it may
    assert (new <= np.dtype(precision).type(std)).all() if narrow else (new > 1e-6).any()


@precisions
@pytest.mark.parametrize("narrow", [False, True])
def test_steps_whose_squares_overflow_are_carried_all_the_same(precision, narrow):
    model = MLP((7, 3), precision=precision)
    X, y = np.ones((1, 7)), np.array([1])
    settings = {"eta": 1e21 if precision == "float32" else 1e160, "non_expansive": narrow}
    after, _ = ran(belief_flow(model, *prior(model), **settings), X, y)
    expected, _ = stepped(belief_flow(model, *prior(model), **settings), X, y)
    np.testing.assert_allclose(after[0], expected[0], rtol=1e-4)
    # A width far below one step is lost in float32; it has to be small, not right.
    np.testing.assert_allclose(after[1], expected[1], rtol=1e-4, atol=1e-18)


@pytest.mark.parametrize("kind", [SGD, Dropout])
def test_of_equal_outputs_the_first_is_the_label(kind):
    """As NumPy's argmax has it, and so `step`."""
    model = MLP(4, 3)
    for label in range(3):
        learners = [point(kind, model, np.zeros(model.size())) for _ in range(2)]
        record = learners[0].run(np.ones((1, 4)), [label], rng())
        assert record.mistakes.sum() == learners[1].step(np.ones(4), label, rng()).mistake == (label > 0)


def test_stored_zeros_and_read_only_rows_change_nothing_and_compile_nothing_anew():
    model = MLP((6, 5, 3), precision="float64")
    X, y = stream(model, 10)
    stored = sparse.csr_array((X.ravel(), np.tile(np.arange(6), 10), np.arange(0, 61, 6)), shape=X.shape)
    expected, _ = ran(learner_of("belief flow", model), X, y)
    kernel = kernels.compiled(network)["belief_flow_diagonal"]
    variants = len(kernel.signatures)
    X.flags.writeable = y.flags.writeable = stored.data.flags.writeable = False
    for rows in (X, stored, np.asfortranarray(X), X.astype(">f8")):
        after, _ = ran(learner_of("belief flow", model), rows, y)
        for a, b in zip(after, expected, strict=True):
            np.testing.assert_array_equal(a, b)
    assert len(kernel.signatures) == variants


@precisions
@pytest.mark.parametrize("scale", [1e4, 1e15])
@pytest.mark.parametrize("case", ["belief flow", "non-expansive", "sgd", "dropout"])
def test_huge_inputs_saturate_and_stay_finite(precision, scale, case):
    model = MLP((6, 5, 3), precision=precision)
    X, y = stream(model, 30)
    after, record = ran(learner_of(case, model), X * scale, y)
    assert all(np.isfinite(array).all() for array in after)
    assert np.isfinite(record.loss).all()


def test_without_numba_learners_learn_and_importing_kernels_does_not_load_it():
    code = (
        "import sys, bflo_viz.kernels.network, bflo_viz.kernels.logistic\n"
        "assert 'numba' not in sys.modules\n"
        "sys.modules['numba'] = None\n"
        "import numpy as np\n"
        "from bflo_viz import SGD\n"
        "learner = SGD(2, eta=0.1)\n"
        "learner.run([[1.0, 2.0]] * 3, [0, 1, 1], np.random.default_rng(0))\n"
        "print(learner.rounds, bflo_viz.kernels.compiled(bflo_viz.kernels.network))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3 {}\n"


WITHOUT = """
import sys
sys.modules["numba"] = None
import numpy as np
from bflo_viz import AROW, SGD, BeliefFlow, DiagonalBelief, FullBelief
from bflo_viz.learners import base

X = np.random.default_rng(0).normal(size=(300, 3)) * (1, 1, np.arange(300)[:, None] % 3 > 0)[2]
y = X[:, 0] > 0
for scale in (1.0, 1e160):  # squares of the second overflow
    for make in (
        lambda: SGD(3, eta=0.1),
        lambda: AROW(3, r=1.0),
        lambda: BeliefFlow(DiagonalBelief(np.zeros(3), 1.0), eta=0.1),
        lambda: BeliefFlow(FullBelief(np.zeros(3), np.eye(3)), eta=0.1),
    ):
        found = []
        for base._FEW in (3, 2):  # by its kernel, and step by step
            learner, rng = make(), np.random.default_rng(1)
            try:
                learner.run(scale * X, y, rng)
                found.append([*learner.weights_for_prediction(), rng.random()])
            except ValueError as problem:
                found.append(str(problem))
        print(found[0] == found[1] if isinstance(found[0], str) else np.allclose(*found, rtol=1e-9, atol=0), end=" ")
"""


def test_without_numba_kernels_of_few_weights_are_the_same_rounds():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout == "True " * 8, done.stderr


PROGRAM = """
from numba.core import caching
for kind in (caching.CompileResultCacheImpl, caching.CodeLibraryCacheImpl):
    kind._locator_classes = []  # no place for a cache
import numpy as np
from bflo_viz import SGD
from bflo_viz import kernels
learner, rng = SGD(2, eta=0.1, std=0.1), np.random.default_rng(0)
learner.step([1.0, 2.0], 1, rng)
learner.run([[1.0, 2.0]] * 3, [0, 1, 1], rng)
print(learner.rounds, kernels.available())
"""


@pytest.mark.slow  # compiles anew
def test_learners_learn_where_numba_has_no_place_for_its_cache():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "4 True\n", done.stderr
