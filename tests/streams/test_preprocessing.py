"""Streams of one's own, and steps from a stream to a new one: each against its definition."""

import copy

import numpy as np
import pytest
import stream_files as files
from scipy.sparse import coo_array, csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from bflo_viz import SGD, Stream, load_stream
from bflo_viz.streams import (
    balanced,
    bias,
    class_against,
    clip,
    enlarge,
    flip_labels,
    min_max,
    shuffle,
    some,
    split,
    to_unit,
    z_score,
)

X, Y = files.rows(60, 5)
ROWS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 9.0]])


def stream(X=X, y=Y, classes=2, sparse=False):
    X = np.asarray(X)
    return Stream(csr_array(X) if sparse else X, y, class_names=range(classes), name="tiny", licence="MIT")


def numbered(y=Y, classes=2):
    """A stream whose rows tell which they are."""
    return stream(np.arange(len(y))[:, None], y, classes)


def rng(seed=0):
    return np.random.default_rng(seed)


def dense(stream):
    return stream.X.toarray() if stream.is_sparse else stream.X


@pytest.mark.parametrize("kind", [np.asarray, csr_array, coo_array, lambda X: X.tolist()])
@pytest.mark.parametrize("labels", [[0, 1, 1], [0.0, 1.0, 1.0], [False, True, True]])
def test_rows_and_labels_are_enough(kind, labels):
    """The rest is numbered. Iterated, it gives dense rows and whole numbers: what `step` takes."""
    own = Stream(kind(ROWS), labels)
    assert own.feature_names == ("x1", "x2", "x3") and own.class_counts == {"0": 1, "1": 2}
    assert repr(own).startswith("<Stream own: 3 rows x 3 features, ") and own.y.dtype == np.uint8
    rows, seen = zip(*own, strict=True)
    assert np.array_equal(rows, ROWS) and seen == (0, 1, 1) and {type(label) for label in seen} == {int}
    learner = SGD(3)
    for x, y in own:
        learner.step(x, y, rng())
    assert learner.rounds == 3


def test_class_names_follow_from_the_labels():
    """At least two, and as many as the largest label needs."""
    assert Stream(ROWS, [2, 0, 0]).class_names == ("0", "1", "2")
    assert Stream(ROWS, [0, 0, 0]).class_names == ("0", "1")
    assert Stream(np.full((4, 1), 1e308), [0, 1, 0, 1]).rows == 4  # the sum overflows, but no number is infinite


@pytest.mark.parametrize(
    ("y", "shown"),
    [
        ([-1, 1, 1], "-1"),
        ([0.5, 1, 0], r"0\.5"),
        ([0, np.nan, 1], "nan"),
        (["yes", "no", "no"], "yes"),
        ([0, 1, 256], "256"),
    ],
)
def test_labels_of_other_kinds_are_told_how_to_become_some(y, shown):
    """The advice works."""
    words = rf"y must be labels 0, 1, 2 and so on, up to 255, but one is {shown}: class_names, y = numpy\.unique"
    with pytest.raises(ValueError, match=words):
        Stream(ROWS, y)
    with pytest.raises(ValueError, match="true_labels must be labels"):
        Stream(ROWS, [0, 1, 0], true_labels=y)
    class_names, y = np.unique(y, return_inverse=True)
    assert sum(Stream(ROWS, y, class_names=class_names).class_counts.values()) == 3


STEPS = {
    **{"bias": bias, "min_max": min_max, "z_score": z_score, "clip": lambda s: clip(s, -3, 3)},
    **{"balanced": balanced, "some": lambda s: some(s, 20, rng())},
    **{"class_against": lambda s: class_against(s, 0), "split": lambda s: split(s, 0.8, rng())[0]},
    **{"shuffle": lambda s: shuffle(s, rng()), "flip_labels": lambda s: flip_labels(s, 0.2, rng())},
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_step_changes_nothing_it_was_given_and_repeats(name, sparse):
    """The same generator gives the same result, and what is said of the stream stays."""
    given = stream(sparse=sparse)
    if sparse and name in ("min_max", "z_score"):
        with pytest.raises(ValueError, match="would fill the zeros of sparse rows"):
            STEPS[name](given)
        return
    before = copy.deepcopy((dense(given), given.y))
    one, two = STEPS[name](given), STEPS[name](given)
    assert np.array_equal(dense(one), dense(two)) and np.array_equal(one.y, two.y)
    assert np.array_equal(dense(given), before[0]) and np.array_equal(given.y, before[1])
    assert one is not given and one.is_sparse == sparse and one.licence == "MIT"


@pytest.mark.parametrize("sparse", [False, True])
def test_bias_and_clip(sparse):
    """One more feature, always 1, in the type that there was; nothing beyond the limits, the rest untouched."""
    made = bias(stream(X.astype(np.int16), sparse=sparse))
    assert np.array_equal(dense(made), np.column_stack([X, np.ones(60)]))
    assert made.X.dtype == np.int16 and made.feature_names[-1] == "bias"
    assert np.array_equal(dense(clip(stream(sparse=sparse), -30, 40)), np.minimum(np.maximum(X, -30), 40))


def test_scalings_are_those_of_scikit_learn():
    """Min-max and z-score of this stream, and of a test part by its training part; a constant is only moved."""
    table = np.column_stack([X / 7.0, np.where(np.arange(60) < 48, 0.1, 0.3)])
    train, test = split(stream(table))
    for step, oracle in ((min_max, MinMaxScaler()), (z_score, StandardScaler())):
        assert np.allclose(step(train).X, oracle.fit_transform(train.X), rtol=0, atol=1e-13)
        assert np.allclose(step(test, by=train).X, oracle.transform(test.X), rtol=0, atol=1e-13)
        assert (step(train).X[:, -1] == 0).all()


def test_balanced_is_the_recipe_of_ijcnn():
    """All of the rarer class in their order, then as many of the first others in theirs."""
    y = (np.arange(60) % 4 == 1).astype(int)
    rare, common = np.flatnonzero(y).tolist(), np.flatnonzero(y == 0).tolist()
    for labels in (y, 1 - y):
        made = balanced(numbered(labels))
        assert made.X.ravel().tolist() == rare + common[:15] and made.class_counts == {"0": 15, "1": 15}


def test_rows_that_move_keep_their_labels():
    """Split in order; shuffled, every row is there once; some are drawn in their order, none twice."""
    train, test = split(numbered())
    assert train.X.ravel().tolist() == list(range(48)) and np.array_equal(test.y, Y[48:])
    made = shuffle(numbered(), rng())
    order = made.X.ravel()
    assert sorted(order) == list(range(60)) and order.tolist() != list(range(60)) and np.array_equal(made.y, Y[order])
    train, test = split(numbered(), 0.75, rng())
    assert sorted([*train.X.ravel(), *test.X.ravel()]) == list(range(60)) and train.rows == 45
    chosen = some(numbered(), 20, rng()).X.ravel()
    assert len(chosen) == 20 and (np.diff(chosen) > 0).all() and chosen.tolist() != list(range(20))


@pytest.mark.parametrize("classes", [2, 5])
def test_label_noise_is_on_the_labels_that_are_shown(classes):
    """Exactly a fifth is wrong, all wrong classes equally often, and the truth goes along through other steps."""
    y = np.arange(10_000) % classes
    given = numbered(y, classes)
    noisy = flip_labels(given, 0.2, rng())
    wrong = noisy.y != y
    assert wrong.sum() == 2000 and np.array_equal(noisy.truth, y) and given.truth is given.y
    shifts = np.bincount((noisy.y[wrong].astype(int) - y[wrong]) % classes, minlength=classes)
    assert shifts[0] == 0 and np.allclose(shifts[1:], 2000 / (classes - 1), rtol=0.15)
    mixed = shuffle(bias(noisy), rng(1))
    assert np.array_equal(mixed.truth, y[mixed.X[:, 0]]) and (mixed.y != mixed.truth).sum() == 2000
    assert np.array_equal(flip_labels(noisy, 0.2, rng(2)).truth, y)


def test_class_against_makes_two_classes_of_many():
    """Labels, true labels and names."""
    digits = load_stream("digits")
    made = class_against(flip_labels(digits, 0.3, rng()), 3, 5)
    assert np.array_equal(made.truth, np.isin(digits.y, (3, 5))) and made.X is digits.X
    assert made.class_names == ("0 or 1 or 2 or 4 or 6 or 7 or 8 or 9", "3 or 5")
    assert made.class_counts["3 or 5"] == (made.y == 1).sum() != (made.truth == 1).sum()


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 3.0)])
def test_to_unit(low, high):
    """Black is the low end, white the high one, evenly between; the digits of scikit-learn go to 16 only."""
    digits = load_stream("digits")
    assert "shuffle" in digits.about
    shades = stream(np.arange(256, dtype=np.uint8).reshape(64, 4), np.zeros(64))
    for pixels in (shades, digits, shuffle(digits, rng()), enlarge(digits)):
        unit = to_unit(pixels, low, high)
        assert unit.X.dtype == np.float32 and (unit.X.min(), unit.X.max()) == (low, high)
        assert np.allclose(unit.X, low + (high - low) * pixels.X.astype(float) / pixels.X.max(), atol=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Stream([[0, 1], [np.nan, 2]], [0, 1]), r"X must be finite, but X\[1, 0\] is nan\."),
        (lambda: Stream(csr_array([[0, 1], [np.inf, 2]]), [0, 1]), r"but X\.data\[1\] is inf\."),
        (lambda: Stream([0, 1], [0, 1]), r"X must have examples in rows, two dimensions, but it has shape \(2,\)\."),
        (lambda: Stream([["a", "b"], ["c", "d"]], [0, 1]), "X must be real numbers"),
        (lambda: stream(X[:, :3], Y[:-1]), "60 labels, as X has rows"),
        (lambda: stream(y=Y + 1), "labels must be below 2, but one is 2"),
        (lambda: clip(stream(sparse=True), 1, 2), "0 between them"),
        (lambda: clip(stream(), 2, 1), "high must be at least 2"),
        (lambda: balanced(stream(classes=3)), "two classes"),
        (lambda: split(stream(), 1.0), "between 0 and 1"),
        (lambda: shuffle(stream(), 0), r"numpy\.random\.Generator"),
        (lambda: some(stream(), 61, rng()), "rows must be at most 60, but it was 61"),
        (lambda: class_against(stream(), 2), "labels must be below 2, but one was 2"),
        (lambda: flip_labels(stream(), 1.5, rng()), "at most 1"),
        (lambda: to_unit(stream()), "to_unit is for pixels from 0 to 255"),
        (lambda: to_unit(Stream(np.uint8([[16]]), [0], maximum=15)), "from 0 to 15, not for <Stream"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    """One line that names what was wrong."""
    with pytest.raises(ValueError, match=words) as error:
        call()
    assert "\n" not in str(error.value)
