"""Streams of one's own, and steps from a stream to a new one: each against its definition."""

import copy

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from bflo_viz import SGD, Stream, load_stream
from bflo_viz.streams import (
    balanced,
    bias,
    clip,
    enlarge,
    flip_labels,
    min_max,
    one_vs_rest,
    shuffle,
    split,
    subsample,
    to_unit,
    z_score,
)

X = np.random.default_rng(0).integers(-300, 300, (60, 5)) * (np.random.default_rng(1).random((60, 5)) < 0.4)
Y = np.random.default_rng(2).integers(0, 2, 60)
ROWS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 9.0]])


def stream(X=X, y=Y, classes=2, sparse=False):
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
    """The rest is numbered; iterated, a stream gives what `step` takes."""
    own, learner = Stream(kind(ROWS), labels), SGD(3)
    assert own.feature_names == ("x1", "x2", "x3") and own.class_counts == {"0": 1, "1": 2}
    rows, seen = zip(*own, strict=True)
    assert np.array_equal(rows, ROWS) and seen == (0, 1, 1) and {type(label) for label in seen} == {int}
    for x, y in own:
        learner.step(x, y, rng())
    assert learner.rounds == 3 and Stream(ROWS, [2, 0, 0]).class_names == ("0", "1", "2")


@pytest.mark.parametrize("y", [[-1, 1, 1], [0.5, 1, 0], [0, np.nan, 1], ["yes", "no", "no"], [0, 1, 256]])
def test_labels_of_other_kinds_are_told_how_to_become_some(y):
    """The advice works."""
    for wrong in ({"y": y}, {"y": [0, 1, 0], "true_labels": y}):
        with pytest.raises(
            ValueError, match=r"labels must be 0, 1, 2 and so on, .* numpy\.unique\(y, return_inverse"
        ):
            Stream(ROWS, **wrong)
    class_names, y = np.unique(y, return_inverse=True)
    assert sum(Stream(ROWS, y, class_names=class_names).class_counts.values()) == 3


STEPS = {
    **{"bias": bias, "min_max": min_max, "z_score": z_score, "clip": lambda s: clip(s, -3, 3), "balanced": balanced},
    **{"subsample": lambda s: subsample(s, 20, rng()), "one_vs_rest": lambda s: one_vs_rest(s, 0)},
    **{"split": lambda s: split(s, 0.8, rng())[0], "shuffle": lambda s: shuffle(s, rng())},
    "flip_labels": lambda s: flip_labels(s, 0.2, rng()),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_step_changes_nothing_it_was_given_and_repeats(name, sparse):
    """The same generator gives the same result, and what is said of the stream stays."""
    given = stream(sparse=sparse)
    if sparse and name in ("min_max", "z_score", "clip"):
        with pytest.raises(ValueError, match="would fill the zeros of sparse rows"):
            STEPS[name](given)
        return
    before = copy.deepcopy((dense(given), given.y))
    one, two = STEPS[name](given), STEPS[name](given)
    assert np.array_equal(dense(one), dense(two)) and np.array_equal(one.y, two.y)
    assert np.array_equal(dense(given), before[0]) and np.array_equal(given.y, before[1])
    assert one.is_sparse == sparse and one.licence == "MIT"


@pytest.mark.parametrize("sparse", [False, True])
def test_bias_is_one_more_feature_of_the_same_type(sparse):
    made = bias(stream(X.astype(np.int16), sparse=sparse))
    assert np.array_equal(dense(made), np.column_stack([X, np.ones(60)]))
    assert made.X.dtype == np.int16 and made.feature_names[-1] == "bias"


def test_scalings_are_those_of_scikit_learn():
    """Except that a constant becomes 0, however it rounds."""
    given = stream(np.column_stack([X / 7.0, np.full(60, 0.1)]))
    for step, oracle in ((min_max, MinMaxScaler()), (z_score, StandardScaler())):
        assert np.allclose(step(given).X, oracle.fit_transform(given.X), rtol=0, atol=1e-13)
        assert (step(given).X[:, -1] == 0).all()
    assert np.array_equal(clip(stream(), -30, 40).X, np.minimum(np.maximum(X, -30), 40))


def test_balanced_is_the_recipe_of_ijcnn():
    """All of the rarer class in their order, then as many of the first others in theirs."""
    y = (np.arange(60) % 4 == 1).astype(int)
    rare, common = np.flatnonzero(y).tolist(), np.flatnonzero(y == 0).tolist()
    for labels in (y, 1 - y):
        made = balanced(numbered(labels))
        assert made.X.ravel().tolist() == rare + common[:15] and made.class_counts == {"0": 15, "1": 15}


def test_rows_that_move_keep_their_labels():
    """Split in order; shuffled, every row is there once; a sample keeps the order, and its keys are the bytes."""
    train, test = split(numbered())
    assert train.X.ravel().tolist() == list(range(48)) and np.array_equal(test.y, Y[48:])
    made = shuffle(numbered(), rng())
    order = made.X.ravel()
    assert sorted(order) == list(range(60)) and order.tolist() != list(range(60)) and np.array_equal(made.y, Y[order])
    train, test = split(numbered(), 0.75, rng())
    assert sorted([*train.X.ravel(), *test.X.ravel()]) == list(range(60)) and train.rows == 45
    drawn = rng(1).bytes(8 * 60)
    keys = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(60)]
    chosen = subsample(numbered(), 20, rng(1)).X.ravel().tolist()
    assert chosen == sorted(sorted(range(60), key=keys.__getitem__)[:20])


@pytest.mark.parametrize("classes", [2, 5])
def test_label_noise_is_on_the_labels_that_are_shown(classes):
    """Exactly a fifth is wrong, all wrong classes equally often, and the truth goes along through other steps."""
    y = np.arange(10_000) % classes
    noisy = flip_labels(numbered(y, classes), 0.2, rng())
    wrong = noisy.y != y
    assert wrong.sum() == 2000 and np.array_equal(noisy.truth, y)
    shifts = np.bincount((noisy.y[wrong].astype(int) - y[wrong]) % classes, minlength=classes)
    assert shifts[0] == 0 and np.allclose(shifts[1:], 2000 / (classes - 1), rtol=0.15)
    mixed = shuffle(bias(noisy), rng(1))
    assert np.array_equal(mixed.truth, y[mixed.X[:, 0]]) and (mixed.y != mixed.truth).sum() == 2000
    assert np.array_equal(flip_labels(noisy, 0.2, rng(2)).truth, y)


def test_one_vs_rest_makes_two_classes_of_many():
    """Labels, true labels and names."""
    digits = load_stream("digits")
    made = one_vs_rest(flip_labels(digits, 0.3, rng()), 3, 5)
    assert np.array_equal(made.truth, np.isin(digits.y, (3, 5))) and made.X is digits.X
    assert made.class_names == ("0 or 1 or 2 or 4 or 6 or 7 or 8 or 9", "3 or 5")
    assert made.class_counts["3 or 5"] == (made.y == 1).sum() != (made.truth == 1).sum()


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 3.0)])
def test_to_unit(low, high):
    """Black is the low end, white the high one, evenly between; the digits of scikit-learn go to 16 only."""
    digits = load_stream("digits")
    shades = stream(np.arange(256, dtype=np.uint8).reshape(64, 4), np.zeros(64))
    for pixels in (shades, digits, shuffle(digits, rng()), enlarge(digits)):
        unit = to_unit(pixels, low, high)
        assert unit.X.dtype == np.float32 and (unit.X.min(), unit.X.max()) == (low, high)
        assert np.allclose(unit.X, low + (high - low) * pixels.X.astype(float) / pixels.X.max(), atol=1e-5)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Stream([[0, 1], [np.nan, 2]], [0, 1]), "X must be finite"),
        (lambda: Stream(csr_array([[0, 1], [np.inf, 2]]), [0, 1]), "X must be finite"),
        (lambda: Stream([0, 1], [0, 1]), r"X must have one row of numbers per example, .* shape \(2,\)\."),
        (lambda: stream(y=Y[:-1]), r"X must have shape 59 x 5 by labels and names, but it has \(60, 5\)"),
        (lambda: stream(y=Y + 1), "labels must be below 2, but one is 2"),
        (lambda: balanced(stream(classes=3)), "two classes"),
        (lambda: split(stream(), 1.0), "between 0 and 1"),
        (lambda: shuffle(stream(), 0), r"numpy\.random\.Generator"),
        (lambda: subsample(stream(), 61, rng()), "rows must be at most 60, but it was 61"),
        (lambda: one_vs_rest(stream(), 2), "labels must be from 0 to 1"),
        (lambda: flip_labels(stream(), 1.5, rng()), "flipped must be from 0 to 1"),
        (lambda: flip_labels(stream(), 0.5, np.random.RandomState(0)), r"rng must be a numpy\.random\.Generator"),
        (lambda: to_unit(stream()), "to_unit is for pixels from 0 to 255"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
