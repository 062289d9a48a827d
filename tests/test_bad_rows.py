"""Rows and labels that cannot be learned from: refused in one sentence before anything changes."""

from copy import deepcopy

import numpy as np
import pytest
from conformance import FEATURES, LEARNERS, state, stream
from scipy import sparse

from bflo_viz import MLP, SGD, BeliefFlow, BeliefFlowClassifier, DiagonalBelief, Logistic


def rng(seed=1):
    return np.random.default_rng(seed)


BAD_ROWS = {
    "labels": (lambda X, y: (X, y + 7), "y must be"),
    "NaN label": (lambda X, y: (X, np.where(np.arange(len(y)) == 3, np.nan, y)), "y must be"),
    "labels in words": (lambda X, y: (X, ["yes"] * len(y)), "y must be"),
    "too few labels": (lambda X, y: (X, y[:-1]), "y must have one label"),
    "NaN in dense": (lambda X, y: (np.where(X == 1, np.nan, X), y), "X must be finite"),
    "NaN in sparse": (lambda X, y: (sparse.csr_array(np.where(X == 1, np.nan, X)), y), "X must be finite"),
    "features": (lambda X, y: (X[:, :-1], y), "X must have one row of 7 features per example"),
    "one row": (lambda X, y: (X[0], y), "X must have one row of 7 features per example"),
    "words": (lambda X, y: ([["a"] * FEATURES] * len(X), y), "X must be real numbers"),
}
BAD_EXAMPLES = {
    "NaN": (np.full(FEATURES, np.nan), 0, rng(), "x must be finite"),
    "features": (np.zeros(FEATURES + 1), 0, rng(), "x must have shape"),
    "label": (np.zeros(FEATURES), None, rng(), "y must be"),
    "no generator": (np.zeros(FEATURES), 0, 3, "rng must be"),
}


# Rows, labels and generators are read in one place for all learners: one of each kind of state is enough.
@pytest.mark.parametrize("name", ["sgd", "flow full", "flow network"])
def test_bad_input_leaves_the_state_as_it_was(name):
    """One sentence, whatever is wrong, and nothing has changed."""
    learner = LEARNERS[name]()
    X, y = stream(learner)
    learner.run(X[:5], y[:5], rng())
    before = deepcopy(learner)
    for change, words in BAD_ROWS.values():
        with pytest.raises(ValueError, match=rf"^{words}.*\.$"):
            learner.run(*change(X, y), rng())
    for x, label, generator, words in BAD_EXAMPLES.values():
        with pytest.raises(ValueError, match=rf"^{words}.*\.$"):
            learner.step(x, label, generator)
    for a, b in zip(state(before), state(learner), strict=True):
        np.testing.assert_array_equal(a, b)


# Arrays that compiled code would index beyond their ends

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
    assert matrix.has_canonical_format  # which it then believes whatever is changed
    matrix.indptr = np.array(pointers, np.int32)
    return matrix


SOME = "the indices of X must lie from 0 to|X is malformed: "
MALFORMED = {
    **{f"{name} {by}": (moved(make(X), by), SOME) for name, make in FORMATS.items() for by in (100, -100, 2**31 - 9)},
    "counted from 1": (moved(sparse.csr_array(X), 1), "if they count from 1, subtract 1"),
    "falling pointers": (pointed(*range(12), 0), "X.indptr must be 13 numbers that go up from 0 to 12"),
    "pointers out of bounds": (pointed(*range(12), 99), "X.indptr must be 13 numbers"),
    "pointers whose differences overflow": (pointed(*range(12), -(2**31)), "X.indptr must be 13 numbers"),
    "too few pointers": (pointed(0, 12), "X.indptr must be 13 numbers"),
    "first pointer": (pointed(-5, *range(1, 13)), "X.indptr must be 13 numbers"),
}


@pytest.mark.parametrize(("matrix", "sentence"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_rows_are_refused_wherever_rows_enter(matrix, sentence):
    for use in (
        lambda: BeliefFlow(DiagonalBelief(np.zeros(4), 1.0)).run(matrix, Y, rng(0)),
        lambda: SGD(4, MLP((4, 2, 1))).run(matrix, Y, rng(0)),
        lambda: SGD(4).predict(matrix),
        lambda: Logistic().predict_many(np.zeros(4), matrix),
        lambda: BeliefFlowClassifier().fit(matrix, Y),
    ):
        with pytest.raises(ValueError, match=sentence):
            use()


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


def test_a_malformed_example_is_refused_before_anything_changes():
    learner = SGD(4)
    flat = sparse.coo_array(X[0])
    flat.coords = (flat.coords[0] + 4,)
    for x in (moved(sparse.csr_array(X[:1]), 4), flat):
        with pytest.raises(ValueError, match=r"indices of x must|x is malformed"):
            learner.step(x, 1, rng())
    assert learner.rounds == 0
