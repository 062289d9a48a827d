"""A stream of one's own: rows and labels are enough, what is wrong gets a sentence, and pixels know their maximum."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

from bflo_viz import SGD, Stream, load_stream
from bflo_viz.streams import bias, enlarge, flip_labels, shuffle, split, to_unit, z_score

X = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 9.0]])


def test_rows_and_labels_are_enough():
    """The rest is numbered; all steps take it, and a learner its rows."""
    stream = Stream(X, [0, 1, 1])
    assert stream.feature_names == ("x1", "x2", "x3") and stream.class_names == ("0", "1")
    assert (
        stream.class_counts == {"0": 1, "1": 2} and repr(stream) == "<Stream own: 3 rows x 3 features, dense float64>"
    )
    assert Stream(X, [2, 0, 0]).class_names == ("0", "1", "2") and Stream(X, [0, 0, 0]).class_names == ("0", "1")
    rng = np.random.default_rng(0)
    train, test = split(flip_labels(bias(z_score(shuffle(stream, rng))), 0.5, rng), 0.5)
    assert train.features == test.features == 4
    SGD(4).run(train.X, train.y, rng, truth=train.truth)


@pytest.mark.parametrize("kind", [np.asarray, csr_array, csr_matrix, coo_array, lambda X: X.tolist()])
@pytest.mark.parametrize("labels", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True], np.array([0, 1, 1], np.int8)])
def test_it_can_be_iterated(kind, labels):
    """Row by row, dense, with a whole number as label: what `step` takes."""
    stream = Stream(kind(X), labels)
    assert stream.y.dtype == np.uint8
    rows, seen = zip(*stream, strict=True)
    assert np.array_equal(rows, X) and seen == (0, 1, 1) and {type(label) for label in seen} == {int}
    learner = SGD(3)
    for x, y in stream:
        learner.step(x, y, np.random.default_rng(0))
    assert learner.rounds == 3


@pytest.mark.parametrize(
    ("y", "one"),
    [
        ([-1, 1, 1], "-1"),
        ([0.5, 1, 0], r"0\.5"),
        ([0, np.nan, 1], "nan"),
        ([0, np.inf, 1], "inf"),
        (["yes", "no", "no"], "yes"),
        ([0, 1, 256], "256"),
        (np.array([None, 1, 0]), "None"),
    ],
)
def test_labels_of_other_kinds_are_told_how_to_become_some(y, one):
    """The advice works."""
    words = rf"y must be labels 0, 1, 2 and so on, up to 255, but one is {one}: class_names, y = numpy\.unique"
    with pytest.raises(ValueError, match=words):
        Stream(X, y)
    with pytest.raises(ValueError, match="true_labels must be labels"):
        Stream(X, [0, 1, 0], true_labels=y)
    if isinstance(y, list):
        class_names, y = np.unique(y, return_inverse=True)
        assert sum(Stream(X, y, class_names=class_names).class_counts.values()) == 3


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, 1], [np.nan, 2]], r"X must be finite, but X\[1, 0\] is nan\."),
        ([[0, 1], [np.inf, 2]], r"X must be finite, but X\[1, 0\] is inf\."),
        (csr_array([[0, 1], [np.nan, 2]]), r"X\.data must be finite, but X\.data\[1\] is nan\."),
        ([0, 1], r"X must have examples in rows, two dimensions, but it has shape \(2,\)\."),
        ([["a", "b"], ["c", "d"]], "X must be real numbers"),
    ],
)
def test_rows_that_no_learner_can_take(rows, words):
    """It is said at once, with its place."""
    with pytest.raises(ValueError, match=words):
        Stream(rows, [0, 1])


def test_large_numbers_are_not_taken_for_infinite_ones():
    """Their sum overflows."""
    assert Stream(np.full((4, 1), 1e308), [0, 1, 0, 1]).rows == 4


def test_pixels_go_from_0_to_1_whatever_their_maximum_is():
    """The digits of scikit-learn go to 16, shuffled or not, and enlarged to 255."""
    digits = load_stream("digits")
    assert "shuffle" in digits.about
    for stream in (digits, shuffle(digits, np.random.default_rng(0)), enlarge(digits)):
        unit = to_unit(stream, -1.0, 3.0)
        assert (unit.X.min(), unit.X.max()) == (-1.0, 3.0)
        assert np.allclose(unit.X, -1 + 4 * stream.X.astype(float) / stream.X.max(), atol=1e-5)
    with pytest.raises(ValueError, match="to_unit is for pixels from 0 to 15, not for <Stream own"):
        to_unit(Stream(digits.X, digits.y, maximum=15))
