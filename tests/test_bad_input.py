"""Bad input is refused in one sentence that names the argument, what it was, and what it must be."""

import re

import numpy as np
import pytest

from bflo_viz import (
    DiagonalBelief,
    FullBelief,
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
