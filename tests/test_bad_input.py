"""Bad input is refused in one sentence that names the argument, what it was, and what it must be."""

import re
from functools import partial

import numpy as np
import pytest
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
SPHERICAL = SphericalBelief(ORIGIN, 1.0)
DIAGONAL = DiagonalBelief(ORIGIN, 1.0)
FULL = FullBelief(ORIGIN, np.eye(2))
BELIEFS = SPHERICAL, DIAGONAL, FULL
W, W_NEW = [1.0, 0.5], [0.5, 1.0]
NET, WEIGHTS = MLP((2, 3, 2)), np.zeros(17)

# What an argument must not be, and what the message must say it was.
NOT_NUMBERS = [(NAN, "nan"), (INF, "inf"), (-INF, "-inf"), ("one", "'one'"), (None, "None"), (1j, "1j")]
NOT_NUMBERS += [({"a": 1}, "'a'"), (10**400, "1000")]
NOT_VECTORS = [
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
NOT_POINTS = [case for case in NOT_TWO if case[0] != [[1.0, 2.0]]]  # they come in any number of rows
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
NOT_RULES = [("both", "'both'"), (None, "None"), (1, "1"), ("", "''")]
NOT_BELIEFS = [(None, "NoneType"), (1.0, "float"), (ORIGIN, "list")]
NOT_COVARIANCES = [
    (1.0, "()"),
    ([1.0, 1.0], "(2,)"),
    (np.eye(3), "(3, 3)"),
    ([[1.0, 0.0]], "(1, 2)"),
    ([[1.0], [0.0, 1.0]], "rows differ"),
    ([[1.0, 0.5], [0.4, 1.0]], "0.5"),
    ([[1.0, 2.0], [2.0, 1.0]], "-1"),
    ([[1.0, 1.0], [1.0, 1.0]], "eigenvalue"),
    ([[1.0, 1.0], [1.0, 1.0 + 2**-52]], "eigenvalue"),  # as good as singular, though it has a Cholesky factor
    ([[0.0, 0.0], [0.0, 0.0]], "0"),
    ([[-1.0, 0.0], [0.0, 1.0]], "-1"),
    ([[1.0, NAN], [NAN, 1.0]], "[0, 1] is nan"),
    ([[INF, 0.0], [0.0, 1.0]], "[0, 0] is inf"),
    ([[1.0, 1j], [-1j, 1.0]], "1j"),
    ("eye", "'eye'"),
    (None, "None"),
]


def rng(seed=1):
    return np.random.default_rng(seed)


def each(bads, argument, *calls):
    """Rows of (call, name of the bad argument, what the message says it was): every call with every bad argument."""
    return [(partial(call, bad), argument, was) for bad, was in bads for call in calls]


def flow_cases(belief):
    """What each of the beliefs refuses."""
    larger = type(belief)([0.0] * 3, np.eye(3) if belief is FULL else 1.0)
    other = DIAGONAL if belief is SPHERICAL else SPHERICAL
    seen = pseudo_observation(belief, belief.flow(W, W_NEW))
    removed = pseudo_observation(belief, belief.flow(W, [5.0, 5.0]))
    observations = [
        (None, "NoneType"),
        (3, "int"),
        ([seen, 1.0], "float"),
        ([None], "NoneType"),
        ([removed] * 50, "remove"),
    ]
    return [
        *each(NOT_SIGNS, "branch", *(lambda x, w=w: belief.flow(W, w, branch=x) for w in (W, W_NEW))),
        *each(NOT_SIGNS, "branch", lambda x: belief.affine_map(W, W_NEW, branch=x)),
        *each(NOT_COUNTS, "size", lambda x: belief.sample(rng(), x)),
        *each(NOT_GENERATORS, "rng", belief.sample),
        *each(NOT_FLOORS, "min_std", lambda x: belief.flow(W, W_NEW, min_std=x)),
        *each(NOT_TWO, "w", lambda x: belief.flow(x, W_NEW), lambda x: belief.affine_map(x, W_NEW)),
        *each(NOT_TWO, "w_new", lambda x: belief.flow(W, x), lambda x: belief.affine_map(W, x)),
        *each(NOT_TWO, "z", lambda x: belief.flow(W, W_NEW, z=x) if x is not None else belief.weight(x)),
        *each(NOT_POINTS, "points", lambda x: belief.transport(x, W, W_NEW)),
        *each([*NOT_BELIEFS, (larger, "3")], "prior", belief.kl, lambda x: pseudo_observation(x, belief)),
        *each(
            [*NOT_BELIEFS, (larger, "3"), (other, type(other).__name__)],
            "posterior",
            partial(pseudo_observation, belief),
        ),
        *each(observations, "observations", partial(condition, belief)),
        (lambda: condition(1.0, seen), "prior", "float"),
        (lambda: condition(larger, seen), "observations", "2"),
        (lambda: condition(other, [seen]), "observations", "shape"),
    ]


THREE, TWO = np.ones(3), np.ones(2)
TOO_NARROW = SphericalBelief([0.0], 1e-150), DiagonalBelief([0.0], 1e-150), FullBelief([0.0], [[1e-300]])
CASES = [
    *each(NOT_NUMBERS, "u", *(lambda x, f=f: f(x, 1.0) for f in (stretch, minimum, partial(stretch_kl, 1.0)))),
    *each(NOT_NUMBERS, "v", *(lambda x, f=f: f(1.0, x) for f in (stretch, minimum, partial(stretch_kl, 1.0)))),
    *each(NOT_NUMBERS, "a", lambda x: stretch_kl(x, 1.0, 1.0)),
    *each(NOT_NUMBERS, "delta", lambda x: regime(x, 1.0)),
    *each(NOT_NUMBERS, "delta_new", lambda x: regime(1.0, x)),
    *each(
        [(THREE, "(3,) and (2,)")],
        "u",
        *(lambda x, f=f: f(x, TWO) for f in (stretch, minimum, partial(stretch_kl, 1.0))),
    ),
    *each([([[1.0], [1.0, 2.0]], "rows differ")], "u", lambda x: stretch(x, 1.0)),
    (lambda: regime(THREE, TWO), "delta", "(3,) and (2,)"),
    (lambda: stretch_kl(THREE, TWO, TWO), "a", "(3,)"),
    *each(NOT_SIGNS, "branch", *(lambda x, f=f: f(1.0, 1.0, branch=x) for f in (stretch, minimum, regime))),
    *each(
        NOT_COUNTS, "dim", *(lambda x, f=f: f(1.0, 1.0, dim=x) for f in (stretch, minimum, partial(stretch_kl, 1.0)))
    ),
    *each(NOT_SIGNS, "rotation", *(lambda x, w=w: FULL.transport(W, W, w, rotation=x) for w in (W, W_NEW))),
    *each(NOT_RULES, "rule", lambda x: SPHERICAL.flow(W, W, rule=x), lambda x: SPHERICAL.transport(W, W, W, rule=x)),
    *each(NOT_VECTORS, "mean", lambda x: SphericalBelief(x, 1.0), lambda x: DiagonalBelief(x, 1.0)),
    *each(NOT_VECTORS, "mean", lambda x: FullBelief(x, np.eye(2))),
    *each(NOT_WIDTHS, "std", lambda x: SphericalBelief(ORIGIN, x), lambda x: DiagonalBelief(ORIGIN, x)),
    *each([(NAN, "std[1] is nan"), (0.0, "std[1] is 0")], "std", lambda x: DiagonalBelief(ORIGIN, [1.0, x])),
    *each(
        [([1.0], "(1,)"), ([1.0] * 3, "(3,)"), (np.eye(2) + 1, "(2, 2)"), ([], "(0,)")],
        "std",
        partial(DiagonalBelief, ORIGIN),
    ),
    *each([([1.0, 1.0], "(2,)")], "std", partial(SphericalBelief, ORIGIN)),
    *each(NOT_COVARIANCES, "covariance", partial(FullBelief, ORIGIN)),
    *(case for belief in BELIEFS for case in flow_cases(belief)),
    # What overflows on the way is refused like what is not finite.
    *((lambda b=belief: b.flow([1e200], [0.0]), "w", "std 1e-150") for belief in TOO_NARROW),
    *(
        (lambda k=kind: k([1.7e308], 1e150).flow([-1.7e308], [0.0]), "w", "")
        for kind in (SphericalBelief, DiagonalBelief)
    ),
    (lambda: DiagonalBelief([0.0], 1e300).flow([-1.7e308], [1.7e308]), "w_new", "overflowed"),
    # Models
    *each([((3,), "(3,)"), ("32", "'32'"), ((2, 0), "sizes[1]"), ((2, 1.5), "1.5")], "sizes", MLP),
    (lambda: MLP((2, 1), bias=2), "bias", "2"),
    (lambda: MLP((2, 1), precision="half"), "precision", "'half'"),
    (lambda: NET.size(3), "features", "3"),
    (lambda: Logistic().size(0), "features", "0"),
    *each(
        [(np.zeros(16), "16"), (np.zeros((17, 1)), "(17, 1)")], "w", lambda w: NET.predict(w, [0, 0]), NET.unflatten
    ),
    (lambda: Logistic().predict("w", [1.0]), "w", "'w'"),
    *each([([0.0], "(1,)"), ([[0, 0]], "(1, 2)"), ([0.0, NAN], "x[1] is nan")], "x", partial(NET.predict, WEIGHTS)),
    *each([(sparse.eye(2), "(2, 2)")], "x", lambda x: NET.gradient(WEIGHTS, x, 0)),
    (lambda: Logistic().predict([1.0, 2.0], [1.0]), "x", "(1,)"),
    *each([([0.0, 0.0], "(2,)"), (sparse.eye(3), "(3, 3)")], "X", partial(NET.predict_many, WEIGHTS)),
    *each([(2, "2"), (0.5, "0.5"), ("1", "'1'")], "y", lambda y: NET.gradient(WEIGHTS, [0, 0], y)),
    *each([(2, "2"), (0.5, "0.5"), ("1", "'1'")], "y", lambda y: Logistic().loss_of([0.0], [1.0], y)),
    (lambda: NET.label([0.1]), "z", "2 outputs, but it holds 1"),
    # Settings of learners
    *each([(-1, "-1"), (NAN, "nan")], "eta", lambda x: SGD(2, eta=x), lambda x: BeliefFlow(DIAGONAL, eta=x)),
    (lambda: SGD(0), "features", "0"),
    (lambda: SGD(2, "logistic"), "model", "str"),
    (lambda: SGD(2, updates=0), "updates", "0"),
    (lambda: SGD(3, MLP((7, 2))), "features", "3"),
    (lambda: SGD(2, std=0.1).predict(np.zeros((1, 2))), "weights", "drawn"),
    (lambda: Langevin(2, noise=-1), "noise", "-1"),
    (lambda: Langevin(2, prior_std=0), "prior_std", "0"),
    (lambda: Dropout(2, input_rate=1.0), "input_rate", "below 1"),
    (lambda: AROW(2, r=0), "r", "0"),
    (lambda: Adam(decay=1.0), "decay", "below 1"),
    (lambda: Adam(epsilon=0), "epsilon", "0"),
    (lambda: Momentum(decay=5), "decay", "5"),
    (lambda: SGD(2).run([[0, 1]], [0], rng(), callback=3), "callback", "int"),
    (lambda: SGD(2).run([[0, 1]], [0], rng(), progress=3), "progress", "int"),
    (lambda: SGD(2).run([[0, 1], [2]], [0, 1], rng()), "X", "rows differ"),
    (lambda: SGD(2).run(sparse.csr_array([[1j, 0]]), [0], rng()), "X", "real numbers"),
    (lambda: AROW(2, covariance="round"), "covariance", "'round'"),
    (lambda: NHERD(2, C=0), "C", "0"),
    (lambda: AROW(2, model=MLP(2, 3, 1)), "model", "BeliefFlow, SGD"),
    (lambda: BeliefFlowClassifier("round").fit([[0.0], [1.0]], [0, 1]), "belief", "'round'"),
    (lambda: BeliefFlowClassifier(predict_by="x").fit([[0.0], [1.0]], [0, 1]), "predict_by", "'x'"),
    (lambda: BeliefFlowClassifier(std=0).fit([[0.0], [1.0]], [0, 1]), "std", "0"),
    (lambda: BeliefFlow(3), "belief", "int"),
    (lambda: BeliefFlow(DIAGONAL, MLP((7, 2))), "belief", "2"),
    (lambda: BeliefFlow(DIAGONAL, local_flow=3), "local_flow", "int"),
    (lambda: BeliefFlow(DIAGONAL, rule="exact"), "rule", "'exact'"),
    (lambda: BeliefFlow(DIAGONAL, non_expansive="no"), "non_expansive", "'no'"),
    (lambda: BeliefFlow(DIAGONAL, min_std=-1), "min_std", "-1"),
]


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


def test_numbers_of_other_kinds_are_welcome():
    """Integers, tuples, booleans and half-precision floats are numbers, and become float64."""
    assert stretch(1, 2) == stretch(1.0, 2.0)
    assert stretch(True, False) == stretch(1.0, 0.0)
    belief = DiagonalBelief((0, 1), np.array([1, 2], dtype=np.float16))
    assert belief.mean.dtype == belief.std.dtype == np.float64
    assert belief.flow([1, 1], (0, 1)).dim == 2
    assert stretch(1.0, 1.0, branch=np.int64(1), dim=np.int32(3)) == 1.0
