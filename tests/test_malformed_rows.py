"""Arrays that compiled code would index beyond their ends, or read past a mask, are refused in one sentence."""

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import AROW, MLP, SGD, BeliefFlow, BeliefFlowClassifier, DiagonalBelief, Logistic

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
CASES = {
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
    "BeliefFlow": lambda x: BeliefFlow(DiagonalBelief(np.zeros(4), 1.0)).run(x, Y, np.random.default_rng(0)),
    "SGD": lambda x: SGD(4).run(x, Y, np.random.default_rng(0)),
    "AROW": lambda x: AROW(4).run(x, Y, np.random.default_rng(0)),
    "network": lambda x: SGD(4, MLP((4, 2, 1))).run(x, Y, np.random.default_rng(0)),
    "predict": lambda x: SGD(4).predict(x),
    "model": lambda x: Logistic().predict_many(np.zeros(4), x),
    "classifier": lambda x: BeliefFlowClassifier().fit(x, Y),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(("matrix", "sentence"), CASES.values(), ids=CASES)
def test_malformed_rows_are_refused(use, matrix, sentence):
    with pytest.raises(ValueError, match=sentence):
        use(matrix)


def test_rows_are_looked_at_whatever_they_believe_of_themselves():
    learner = BeliefFlow(DiagonalBelief(np.zeros(4), 1.0))
    learner.run(tampered(), Y, np.random.default_rng(0))  # twelve numbers of row 0 are summed to four
    assert np.isfinite(learner.belief.mean).all()


def test_duplicates_are_summed_up_in_a_copy():
    """The caller's matrix keeps its bits, and counts as what it stands for."""
    data, indices, pointers = np.arange(1.0, 7.0), np.array([2, 0, 2, 1, 1, 3]), np.array([0, 3, 6])
    matrix = sparse.csr_array((data, indices, pointers), shape=(2, 4))
    before = [part.copy() for part in (matrix.data, matrix.indices, matrix.indptr)]
    learners = [BeliefFlow(DiagonalBelief(np.zeros(4), 1.0), eta=0.5) for _ in range(2)]
    for learner, rows in zip(learners, (matrix, matrix.toarray()), strict=True):
        learner.run(rows, [1, 0], np.random.default_rng(0))
    for part, old in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)
    np.testing.assert_allclose(learners[0].belief.mean, learners[1].belief.mean, rtol=1e-12)


def test_a_malformed_or_masked_example_is_refused_before_anything_changes():
    learner, rng = SGD(4), np.random.default_rng(0)
    flat = sparse.coo_array(X[0])
    flat.coords = (flat.coords[0] + 4,)
    for x in (moved(sparse.csr_array(X[:1]), 4), flat, np.ma.masked_equal(X[0], 1.0)):
        with pytest.raises(ValueError, match=r"indices of x must|x must have no masked"):
            learner.step(x, 1, rng)
    with pytest.raises(ValueError, match="y must have no masked values"):
        learner.step(X[0], np.ma.masked, rng)
    with pytest.raises(ValueError, match="y must have no masked values"):
        learner.run(X, np.ma.masked_equal(Y, 1), rng)
    assert learner.rounds == 0


@pytest.mark.parametrize("y", [["yes", "no"] * 6, np.array([0, "a", None] * 4, dtype=object), np.array([1j] * 12)])
def test_labels_of_another_kind_are_told_of_the_classifier(y):
    with pytest.raises(ValueError, match=r"y must be 0 or 1 .*BeliefFlowClassifier takes labels of any kind\."):
        SGD(4).run(X, y, np.random.default_rng(0))


def test_whole_numbers_in_an_array_of_objects_are_labels():
    assert SGD(4).run(X, Y.astype(object), np.random.default_rng(0)).rounds.sum() == 12
