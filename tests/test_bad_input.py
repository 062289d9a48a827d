"""Bad input is refused in one sentence that names the argument, what it was, and what it must be."""

import re

import numpy as np
import pytest
from conformance import FEATURES, LEARNERS, state, stream
from scipy import sparse

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    Adam,
    BeliefFlow,
    BeliefFlowClassifier,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Langevin,
    Logistic,
    Momentum,
    SphericalBelief,
    condition,
    minimum,
    pseudo_observation,
    regime,
    stretch,
    stretch_kl,
)

NAN, INF = float("nan"), float("inf")
ORIGIN = [0.0, 0.0]
RNG = np.random.default_rng(0)
SPHERICAL = SphericalBelief(ORIGIN, 1.0)
DIAGONAL = DiagonalBelief(ORIGIN, 1.0)
FULL = FullBelief(ORIGIN, np.eye(2))
BELIEFS = SPHERICAL, DIAGONAL, FULL
W, W_NEW = [1.0, 0.5], [0.5, 1.0]

NOT_NUMBERS = [  # an argument that should hold numbers, and what the message must say it was
    (NAN, "nan"),
    (INF, "inf"),
    (-INF, "-inf"),
    ("one", "'one'"),
    (None, "None"),
    (1j, "1j"),
    ({"a": 1}, "'a'"),
    (10**400, "1000"),
]
NOT_VECTORS = [  # an argument that should hold two numbers
    (0.0, "()"),
    ([], "(0,)"),
    ([[1.0, 2.0]], "(1, 2)"),
    ([[1.0], [1.0, 2.0]], "rows differ"),
    ([1.0, NAN], "[1] is nan"),
    ([INF, 1.0], "[0] is inf"),
    (["a", "b"], "['a', 'b']"),
    ([None, 1.0], "None"),
    ([1.0, 1j], "1j"),
    (None, "None"),
    ("ab", "'ab'"),
]
NOT_TWO = [*NOT_VECTORS, ([1.0], "(1,)"), ([1.0, 2.0, 3.0], "(3,)")]
NOT_SIGNS = [(0, "0"), (2, "2"), (0.5, "0.5"), (NAN, "nan"), ("+1", "'+1'"), (None, "None"), ([1], "[1]")]
NOT_COUNTS = [(0, "0"), (-1, "-1"), (1.5, "1.5"), (2.0, "2.0"), (True, "True"), ("2", "'2'"), (NAN, "nan")]
NOT_GENERATORS = [(None, "None"), (0, "0"), (np.random.PCG64(0), "PCG64"), ("rng", "'rng'")]
NOT_FLOORS = [
    (-1.0, "-1"),
    (NAN, "nan"),
    (INF, "inf"),
    ("0", "'0'"),
    (None, "None"),
    ([0.0, 0.0], "(2,)"),
    (1j, "1j"),
]
NOT_WIDTHS = [(0.0, "0"), (-1.0, "-1"), (NAN, "nan"), (INF, "inf"), (None, "None"), ("1", "'1'"), (1j, "1j")]
NOT_COVARIANCES = [
    (1.0, "()"),
    ([1.0, 1.0], "(2,)"),
    (np.eye(3), "(3, 3)"),
    ([[1.0, 0.0]], "(1, 2)"),
    ([[1.0], [0.0, 1.0]], "rows differ"),
    ([[1.0, 0.5], [0.4, 1.0]], "0.5"),
    ([[1.0, 2.0], [2.0, 1.0]], "-1"),
    ([[1.0, 1.0], [1.0, 1.0]], "eigenvalue"),
    ([[0.0, 0.0], [0.0, 0.0]], "0"),
    ([[-1.0, 0.0], [0.0, 1.0]], "-1"),
    ([[1.0, NAN], [NAN, 1.0]], "[0, 1] is nan"),
    ([[INF, 0.0], [0.0, 1.0]], "[0, 0] is inf"),
    ([[1.0, 1j], [-1j, 1.0]], "1j"),
    ("eye", "'eye'"),
    (None, "None"),
]


def table():
    """Rows of (call, name of the bad argument, what the message says it was)."""
    for bad, was in NOT_NUMBERS:
        for function in (stretch, minimum):
            yield lambda f=function, x=bad: f(x, 1.0), "u", was
            yield lambda f=function, x=bad: f(1.0, x), "v", was
        yield lambda x=bad: stretch_kl(x, 1.0, 1.0), "a", was
        yield lambda x=bad: stretch_kl(1.0, x, 1.0), "u", was
        yield lambda x=bad: stretch_kl(1.0, 1.0, x), "v", was
        yield lambda x=bad: regime(x, 1.0), "delta", was
        yield lambda x=bad: regime(1.0, x), "delta_new", was
    three, two = np.ones(3), np.ones(2)
    for function in (stretch, minimum):
        yield lambda f=function: f(three, two), "u", "(3,) and (2,)"
        yield lambda f=function: f([[1.0], [1.0, 2.0]], 1.0), "u", "rows differ"
    yield lambda: regime(three, two), "delta", "(3,) and (2,)"
    yield lambda: stretch_kl(1.0, three, two), "u", "(3,) and (2,)"
    yield lambda: stretch_kl(three, two, two), "a", "(3,)"
    for bad, was in NOT_SIGNS:
        yield lambda x=bad: stretch(1.0, 1.0, branch=x), "branch", was
        yield lambda x=bad: minimum(1.0, 1.0, branch=x), "branch", was
        for belief in BELIEFS:
            yield lambda b=belief, x=bad: b.flow(W, W_NEW, branch=x), "branch", was
            yield lambda b=belief, x=bad: b.flow(W, W, branch=x), "branch", was
            yield lambda b=belief, x=bad: b.affine_map(W, W_NEW, branch=x), "branch", was
        yield lambda x=bad: FULL.affine_map(W, W_NEW, rotation=x), "rotation", was
        yield lambda x=bad: FULL.transport(W, W, W, rotation=x), "rotation", was
    for bad, was in NOT_COUNTS:
        yield lambda x=bad: stretch(1.0, 1.0, dim=x), "dim", was
        yield lambda x=bad: stretch_kl(1.0, 1.0, 1.0, dim=x), "dim", was
        yield lambda x=bad: minimum(1.0, 1.0, dim=x), "dim", was
        for belief in BELIEFS:
            yield lambda b=belief, x=bad: b.sample(RNG, x), "size", was
    for bad, was in NOT_GENERATORS:
        for belief in BELIEFS:
            yield lambda b=belief, x=bad: b.sample(x), "rng", was
    for bad, was in NOT_FLOORS:
        for belief in BELIEFS:
            yield lambda b=belief, x=bad: b.flow(W, W_NEW, min_std=x), "min_std", was
    for bad, was in [("both", "'both'"), (None, "None"), (1, "1"), ("", "''")]:
        yield lambda x=bad: SPHERICAL.flow(W, W_NEW, rule=x), "rule", was
        yield lambda x=bad: SPHERICAL.transport(W, W, W, rule=x), "rule", was
    for bad, was in NOT_VECTORS:
        yield lambda x=bad: SphericalBelief(x, 1.0), "mean", was
        yield lambda x=bad: DiagonalBelief(x, 1.0), "mean", was
        yield lambda x=bad: FullBelief(x, np.eye(2)), "mean", was
    for bad, was in NOT_TWO:
        for belief in BELIEFS:
            for name in ("flow", "affine_map"):
                yield lambda b=belief, f=name, x=bad: getattr(b, f)(x, W_NEW), "w", was
                yield lambda b=belief, f=name, x=bad: getattr(b, f)(W, x), "w_new", was
            yield lambda b=belief, x=bad: b.transport(W, x, W_NEW), "w", was
            if not (isinstance(bad, list) and bad == [[1.0, 2.0]]):  # points come in any number of rows
                yield lambda b=belief, x=bad: b.transport(x, W, W_NEW), "points", was
    for bad, was in NOT_WIDTHS:
        yield lambda x=bad: SphericalBelief(ORIGIN, x), "std", was
        yield lambda x=bad: DiagonalBelief(ORIGIN, x), "std", was
        if isinstance(bad, float):
            yield lambda x=bad: DiagonalBelief(ORIGIN, [1.0, x]), "std", "std[1] is " + was
    yield lambda: SphericalBelief(ORIGIN, [1.0, 1.0]), "std", "(2,)"
    yield lambda: DiagonalBelief(ORIGIN, [1.0]), "std", "(1,)"
    yield lambda: DiagonalBelief(ORIGIN, [1.0, 1.0, 1.0]), "std", "(3,)"
    yield lambda: DiagonalBelief(ORIGIN, np.eye(2) + 1), "std", "(2, 2)"
    yield lambda: DiagonalBelief(ORIGIN, []), "std", "(0,)"
    for bad, was in NOT_COVARIANCES:
        yield lambda x=bad: FullBelief(ORIGIN, x), "covariance", was
    for belief in BELIEFS:
        larger = type(belief)([0.0] * 3, np.eye(3) if belief is FULL else 1.0)
        other = DIAGONAL if belief is SPHERICAL else SPHERICAL
        seen = pseudo_observation(belief, belief.flow(W, W_NEW))
        for bad, was in [(None, "NoneType"), (1.0, "float"), (ORIGIN, "list"), (larger, "3")]:
            yield lambda b=belief, x=bad: b.kl(x), "prior", was
            yield lambda b=belief, x=bad: pseudo_observation(b, x), "posterior", was
            yield lambda b=belief, x=bad: pseudo_observation(x, b), "prior", was
        yield lambda b=belief, o=other: pseudo_observation(b, o), "posterior", type(other).__name__
        for bad, was in [(None, "NoneType"), (3, "int"), ([seen, 1.0], "float"), ([None], "NoneType")]:
            yield lambda b=belief, x=bad: condition(b, x), "observations", was
        yield lambda s=seen: condition(1.0, s), "prior", "float"
        yield lambda p=larger, s=seen: condition(p, s), "observations", "2"
        yield lambda p=other, s=seen: condition(p, [s]), "observations", "shape"
        wider = belief.flow(W, [5.0, 5.0])
        removed = pseudo_observation(belief, wider)
        yield lambda b=belief, r=removed: condition(b, [r] * 50), "observations", "remove"
    # What overflows on the way is refused like what is not finite.
    for belief in (
        SphericalBelief([0.0], 1e-150),
        DiagonalBelief([0.0], 1e-150),
        FullBelief([0.0], [[1e-300]]),
    ):
        yield lambda b=belief: b.flow([1e200], [0.0]), "w", "std 1e-150"
    for belief in (SphericalBelief([1.7e308], 1e150), DiagonalBelief([1.7e308], 1e150)):
        yield lambda b=belief: b.flow([-1.7e308], [0.0]), "w", ""
    yield lambda: DiagonalBelief([0.0], 1e300).flow([-1.7e308], [1.7e308]), "w_new", "overflowed"


CASES = list(table())


@pytest.mark.parametrize(
    ("call", "argument", "was"), CASES, ids=[f"{i}-{name}-{was[:24]}" for i, (_, name, was) in enumerate(CASES)]
)
def test_bad_input_is_refused_in_one_sentence(call, argument, was):
    """A ValueError of one sentence names the argument and says what it was."""
    with pytest.raises(ValueError, match=r"\w") as refused:
        call()
    message = str(refused.value)
    assert type(refused.value) is ValueError
    assert message.endswith(".")
    assert "\n" not in message
    assert not re.search(r"[.!?] ", message.replace("...", "")), "more than one sentence"
    assert re.search(rf"\b{argument}\b", message), "the argument is not named"
    assert " must " in message
    assert was in message
    assert len(message) < 250


@pytest.mark.parametrize("belief", BELIEFS, ids=lambda belief: type(belief).__name__)
def test_unknown_options_are_refused(belief):
    """A misspelt option, or one of another belief or method, is a TypeError and not silently dropped."""
    with pytest.raises(TypeError):
        belief.flow(W, W_NEW, nonexpansive=True)
    with pytest.raises(TypeError):
        belief.affine_map(W, W_NEW, min_std=0.1)
    if belief is not SPHERICAL:
        with pytest.raises(TypeError):
            belief.flow(W, W_NEW, rule="exact")


def test_refusal_changes_nothing():
    """A refused call leaves the arrays it was given as they were."""
    w, bad = np.array([1.0, 2.0]), np.array([1.0, NAN])
    for belief in BELIEFS:
        with pytest.raises(ValueError, match="w_new"):
            belief.flow(w, bad)
    assert w.tolist() == [1.0, 2.0]
    assert w.flags.writeable
    assert bad.flags.writeable


def test_numbers_of_other_kinds_are_welcome():
    """Integers, tuples, booleans and half-precision floats are numbers, and become float64."""
    assert stretch(1, 2) == stretch(1.0, 2.0)
    assert stretch(True, False) == stretch(1.0, 0.0)
    belief = DiagonalBelief((0, 1), np.array([1, 2], dtype=np.float16))
    assert belief.mean.dtype == belief.std.dtype == np.float64
    assert belief.flow([1, 1], (0, 1)).dim == 2
    assert stretch(1.0, 1.0, branch=np.int64(1), dim=np.int32(3)) == 1.0


# Models

NET, WEIGHTS = MLP((2, 3, 2)), np.zeros(17)
SHAPE = "must have shape (2,), one number a feature, but it has shape"
BAD_MODELS = [
    (lambda: MLP((3,)), "sizes must name at least the inputs and the outputs, but it was (3,)."),
    (lambda: MLP("32"), "sizes must be a sequence of layer sizes such as (2, 3, 1), but it was '32'."),
    (lambda: MLP((2, 0)), "sizes[1] must be a whole number, 1 or more, but it was 0."),
    (lambda: MLP((2, 1.5)), "sizes[1] must be a whole number, 1 or more, but it was 1.5."),
    (lambda: MLP((2, 1), bias=2), "bias must be True or False, but it was 2."),
    (lambda: MLP((2, 1), precision="half"), "precision must be 'float32' or 'float64', but it was 'half'."),
    (lambda: NET.size(3), f"features must be 2 for {NET}, but it was 3."),
    (lambda: Logistic().size(0), "features must be a whole number, 1 or more, but it was 0."),
    (lambda: NET.predict(np.zeros(16), [0, 0]), f"w must hold 17 weights for {NET}, but it holds 16."),
    (
        lambda: NET.unflatten(np.zeros((17, 1))),
        "w must be a one-dimensional array of weights, but it has shape (17, 1).",
    ),
    (lambda: NET.predict(WEIGHTS, [0.0]), f"x {SHAPE} (1,)."),
    (lambda: NET.gradient(WEIGHTS, [[0, 0]], 0), f"x {SHAPE} (1, 2)."),
    (lambda: Logistic().predict([1.0, 2.0], [1.0]), f"x {SHAPE} (1,)."),
    (lambda: NET.gradient(WEIGHTS, sparse.eye(2), 0), "x must be one row of 2 features, but it has shape (2, 2)."),
    (lambda: NET.predict(WEIGHTS, [0.0, NAN]), "x must be finite, but x[1] is nan."),
    (
        lambda: NET.predict_many(WEIGHTS, [0.0, 0.0]),
        "X must have shape (n, 2), one row an example, but it has shape (2,).",
    ),
    (
        lambda: NET.predict_many(WEIGHTS, sparse.eye(3)),
        "X must have shape (n, 2), one row an example, but it has shape (3, 3).",
    ),
    (lambda: Logistic().predict("w", [1.0]), "w must be real numbers, but it was 'w'."),
    (lambda: NET.gradient(WEIGHTS, [0, 0], 2), "y must be a class from 0 to 1, but it was 2."),
    (lambda: Logistic().gradient([0.0], [1.0], 0.5), "y must be a class from 0 to 1, but it was 0.5."),
    (lambda: Logistic().loss_of([0.0], [1.0], "1"), "y must be a class from 0 to 1, but it was '1'."),
    (lambda: NET.label([0.1]), "z must hold 2 outputs, but it holds 1."),
]


@pytest.mark.parametrize(("call", "sentence"), BAD_MODELS, ids=[sentence[:40] for _, sentence in BAD_MODELS])
def test_models_refuse_bad_input(call, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        call()


# Settings of learners


def rng(seed=1):
    return np.random.default_rng(seed)


def assert_same(one, other):
    for a, b in zip(state(one), state(other), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SGD(FEATURES, eta=-1), "eta must be at least 0"),
        (lambda: SGD(FEATURES, eta=np.nan), "eta must be finite"),
        (lambda: SGD(0), "features must be"),
        (lambda: SGD(FEATURES, "logistic"), "model must be"),
        (lambda: SGD(FEATURES, updates=0), "updates must be"),
        (lambda: SGD(3, MLP((FEATURES, 2))), "features must be"),
        (lambda: SGD(FEATURES, std=0.1).predict(np.zeros((1, FEATURES))), "weights must be drawn"),
        (lambda: Langevin(FEATURES, noise=-1), "noise must be at least 0"),
        (lambda: Langevin(FEATURES, prior_std=0), "prior_std must be at least"),
        (lambda: Dropout(FEATURES, input_rate=1.0), "input_rate must be below 1"),
        (lambda: AROW(FEATURES, r=0), "r must be positive"),
        (lambda: Adam(decay=1.0), "decay must be below 1"),
        (lambda: Adam(epsilon=0), "epsilon must be positive"),
        (lambda: Momentum(decay=5), "decay must be below 1"),
        (lambda: SGD(2).run([[0, 1]], [0], rng(), callback=3), "callback must be callable"),
        (lambda: SGD(2).run([[0, 1]], [0], rng(), progress=3), "progress must be callable"),
        (lambda: SGD(2).run([[0, 1], [2]], [0, 1], rng()), "X must be a regular array"),
        (lambda: SGD(2).run(sparse.csr_array([[1j, 0]]), [0], rng()), "X must be real numbers"),
        (lambda: AROW(FEATURES, covariance="round"), "covariance must be"),
        (lambda: NHERD(FEATURES, form="loose"), "form must be"),
        (lambda: AROW(2, model=MLP(2, 3, 1)), "AROW cannot learn a network: .*BeliefFlow, SGD"),
        (lambda: BeliefFlowClassifier("round").fit([[0.0], [1.0]], [0, 1]), "belief must be"),
        (lambda: BeliefFlowClassifier(predict_by="x").fit([[0.0], [1.0]], [0, 1]), "predict_by must be"),
        (lambda: BeliefFlowClassifier(std=0).fit([[0.0], [1.0]], [0, 1]), "std must be positive"),
        (lambda: BeliefFlow(3), "belief must be"),
        (lambda: BeliefFlow(DiagonalBelief([0.0], 1.0), MLP((FEATURES, 2))), "belief must have"),
        (lambda: BeliefFlow(DiagonalBelief([0.0], 1.0), local_flow=3), "local_flow must be callable"),
        (lambda: BeliefFlow(DiagonalBelief([0.0], 1.0), rule="exact"), "rule must be"),
        (lambda: BeliefFlow(DiagonalBelief([0.0], 1.0), non_expansive="no"), "non_expansive must be"),
        (lambda: BeliefFlow(DiagonalBelief([0.0], 1.0), min_std=-1), "min_std must be at least 0"),
    ],
)
def test_bad_settings_get_a_sentence(make, words):
    """One sentence that names the setting."""
    with pytest.raises(ValueError, match=words) as error:
        make()
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


# Streams


# Rows, labels and generators are read in one place for all learners: one of each kind of state is enough.
few = pytest.mark.parametrize("make", [LEARNERS[name] for name in ("sgd", "flow full", "flow network")])
BAD = {
    "labels": lambda X, y: (X, y + 7, "y must be"),
    "half a label": lambda X, y: (X, y + 0.5, "y must be"),
    "NaN label": lambda X, y: (X, np.where(np.arange(len(y)) == 3, np.nan, y), "y must be finite"),
    "too few labels": lambda X, y: (X, y[:-1], "y must have one label"),
    "NaN feature": lambda X, y: (np.where(np.arange(len(X))[:, None] == 50, np.nan, X), y, "X must be finite"),
    "infinite feature": lambda X, y: (X * np.where(np.arange(FEATURES) == 6, np.inf, 1), y, "X must be finite"),
    "NaN in sparse": lambda X, y: (sparse.csr_array(np.where(X == 1, np.nan, X)), y, "X must be finite"),
    "features": lambda X, y: (X[:, :-1], y, "X must have 7 features"),
    "one row": lambda X, y: (X[0], y, "X must have one row an example"),
    "words": lambda X, y: ([["a"] * FEATURES] * len(X), y, "X must be real numbers"),
}


@few
@pytest.mark.parametrize("wrong", BAD.values(), ids=BAD.keys())
@pytest.mark.filterwarnings("ignore:invalid value")
def test_bad_input_leaves_the_state_as_it_was(make, wrong):
    """One sentence, whatever is wrong with the stream, and nothing has changed."""
    learner = make()
    X, y = stream(learner)
    learner.run(X[:5], y[:5], rng())
    before = learner.copy()
    with np.errstate(invalid="ignore"):
        bad_X, bad_y, words = wrong(X, y)
    with pytest.raises(ValueError, match=words) as error:
        learner.run(bad_X, bad_y, rng())
    assert str(error.value).count("\n") == 0
    assert str(error.value).endswith(".")
    assert_same(before, learner)


@few
@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        (np.full(FEATURES, np.nan), 0, "x must be finite"),
        (np.zeros(FEATURES + 1), 0, "x must have shape"),
        (np.zeros(FEATURES), 9, "y must be"),
        (np.zeros(FEATURES), None, "y must be"),
        (np.zeros(FEATURES), 0, "rng must be"),
    ],
)
def test_a_bad_step_leaves_the_state_as_it_was(make, x, y, words):
    """The same for a single round."""
    learner = make()
    before = learner.copy()
    with pytest.raises(ValueError, match=words):
        learner.step(x, y, 3 if words.startswith("rng") else rng())
    assert_same(before, learner)


def test_features_too_large_for_single_precision_are_refused():
    """1e39 is a number, but not in float32."""
    learner = SGD(1, MLP((1, 2)), eta=0.1)
    with pytest.raises(ValueError, match="X must be finite and at most 3e\\+38 in float32"):
        learner.run([[1.0], [1e39]], [0, 1], rng())


def test_the_place_of_a_bad_feature_is_told():
    """Row and column, far down a dense stream and in a sparse one."""
    X = np.zeros((300_000, 5))
    X[270_000, 3] = np.nan
    with pytest.raises(ValueError, match="X\\[270000, 3\\] is nan"):
        SGD(5).run(X, np.zeros(len(X)), rng())
    with pytest.raises(ValueError, match="X\\[2, 3\\] is inf"):
        SGD(5).run(sparse.csr_array(([1.0, np.inf], ([0, 2], [1, 3])), shape=(4, 5)), np.zeros(4), rng())


def test_labels_of_minus_one_and_one_are_read_and_this_is_said():
    """{−1, +1} gives what {0, 1} gives, with a warning that says so."""
    one, other = SGD(FEATURES, eta=0.1), SGD(FEATURES, eta=0.1)
    X, y = stream(one)
    one.run(X, y, rng())
    with pytest.warns(UserWarning, match="read as 0 and 1"):
        other.run(X, 2 * y - 1, rng())
    np.testing.assert_array_equal(one.weights, other.weights)


# Arrays that compiled code would index beyond their ends, or read past a mask

X = np.tile(np.eye(4), (3, 1))  # 12 rows, 4 features
Y = np.arange(12) % 2
FORMATS = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "bsr": lambda x: sparse.bsr_array(x, blocksize=(2, 2)),
}


def moved(matrix, by):
    """The matrix with all its indices moved."""
    if matrix.format == "coo":
        matrix.coords = (matrix.coords[0], matrix.coords[1] + by)
    else:
        matrix.indices = matrix.indices + by
    return matrix


def pointed(*pointers):
    matrix = sparse.csr_array(X)
    matrix.indptr = np.array(pointers, np.int32)
    return matrix


def tampered():
    """Rows that know of themselves to be canonical, and then are not: one of them has more numbers than features."""
    matrix = sparse.csr_array(X)
    assert matrix.has_canonical_format
    matrix.indptr[1:] = 12
    return matrix


SOME = "the indices of X must lie from 0 to"
MALFORMED = {
    **{f"{name} {by}": (moved(make(X), by), SOME) for name, make in FORMATS.items() for by in (100, -100, 2**31 - 9)},
    "counted from 1": (moved(sparse.csr_array(X), 1), "they go from 1 to 4; if they count from 1, subtract 1"),
    "falling pointers": (pointed(*range(12), 0), "X.indptr must be 13 numbers that go up from 0 to 12"),
    "pointers out of bounds": (pointed(*range(12), 99), "X.indptr must be 13 numbers"),
    "pointers whose differences overflow": (pointed(*range(12), -(2**31)), "X.indptr must be 13 numbers"),
    "too few pointers": (pointed(0, 12), "X.indptr must be 13 numbers"),
    "first pointer": (pointed(-5, *range(1, 13)), "X.indptr must be 13 numbers"),
    "masked": (np.ma.masked_equal(X, 0.0), "X must have no masked values"),
}
USES = {
    "BeliefFlow": lambda x: BeliefFlow(DiagonalBelief(np.zeros(4), 1.0)).run(x, Y, rng(0)),
    "network": lambda x: SGD(4, MLP((4, 2, 1))).run(x, Y, rng(0)),
    "predict": lambda x: SGD(4).predict(x),
    "model": lambda x: Logistic().predict_many(np.zeros(4), x),
    "classifier": lambda x: BeliefFlowClassifier().fit(x, Y),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(("matrix", "sentence"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_rows_are_refused(use, matrix, sentence):
    with pytest.raises(ValueError, match=sentence):
        use(matrix)


def test_rows_are_looked_at_whatever_they_believe_of_themselves():
    learner = BeliefFlow(DiagonalBelief(np.zeros(4), 1.0))
    learner.run(tampered(), Y, rng(0))  # twelve numbers of row 0 are summed to four
    assert np.isfinite(learner.belief.mean).all()


def test_duplicates_are_summed_up_in_a_copy():
    """The caller's matrix keeps its bits, and counts as what it stands for."""
    data, indices, pointers = np.arange(1.0, 7.0), np.array([2, 0, 2, 1, 1, 3]), np.array([0, 3, 6])
    matrix = sparse.csr_array((data, indices, pointers), shape=(2, 4))
    before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
    learners = [BeliefFlow(DiagonalBelief(np.zeros(4), 1.0), eta=0.5) for _ in range(2)]
    for learner, rows in zip(learners, (matrix, matrix.toarray()), strict=True):
        learner.run(rows, [1, 0], rng(0))
    for part, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)
    np.testing.assert_allclose(learners[0].belief.mean, learners[1].belief.mean, rtol=1e-12)


def test_a_malformed_or_masked_example_is_refused_before_anything_changes():
    learner = SGD(4)
    flat = sparse.coo_array(X[0])
    flat.coords = (flat.coords[0] + 4,)
    for x in (moved(sparse.csr_array(X[:1]), 4), flat, np.ma.masked_equal(X[0], 1.0)):
        with pytest.raises(ValueError, match=r"indices of x must|x must have no masked"):
            learner.step(x, 1, rng())
    with pytest.raises(ValueError, match="y must have no masked values"):
        learner.step(X[0], np.ma.masked, rng())
    with pytest.raises(ValueError, match="y must have no masked values"):
        learner.run(X, np.ma.masked_equal(Y, 1), rng())
    assert learner.rounds == 0


@pytest.mark.parametrize("y", [["yes", "no"] * 6, np.array([0, "a", None] * 4, dtype=object), np.array([1j] * 12)])
def test_labels_of_another_kind_are_told_of_the_classifier(y):
    with pytest.raises(ValueError, match=r"y must be 0 or 1 .*BeliefFlowClassifier takes labels of any kind\."):
        SGD(4).run(X, y, rng(0))


def test_whole_numbers_in_an_array_of_objects_are_labels():
    assert SGD(4).run(X, Y.astype(object), rng(0)).rounds.sum() == 12
