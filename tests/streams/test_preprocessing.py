"""Streams of one's own, and steps from a stream to a new one: each against its definition."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from bflo_viz import Stream, load_stream, streams

X = np.random.default_rng(0).integers(-300, 300, (60, 5)) * (np.random.default_rng(1).random((60, 5)) < 0.4)
Y = np.random.default_rng(2).integers(0, 2, 60)
ROWS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 9.0]])


def stream(X=X, y=Y, classes=2, kind=np.array):
    return Stream(kind(X), y, class_names=range(classes), name="tiny")


def numbered(y=Y, classes=2):
    """A stream whose rows tell which they are."""
    return stream(np.arange(len(y))[:, None], y, classes)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", [np.asarray, csr_array, coo_array, lambda X: X.tolist()])
def test_rows_and_labels_are_enough(kind):
    """The rest is numbered, and iterated, a stream gives its examples one by one."""
    own = Stream(kind(ROWS), [False, True, True])
    rows, labels = zip(*own, strict=True)
    assert np.array_equal(rows, ROWS) and labels == (0, 1, 1) and {type(label) for label in labels} == {int}
    assert own.class_names == ("0", "1")


@pytest.mark.parametrize("step", [streams.bias, streams.balanced, lambda s: streams.flip_labels(s, 0.2, rng())])
def test_a_step_does_the_same_to_sparse_rows_and_changes_nothing(step):
    """What it was given is read-only here, and the type of its numbers stays."""
    one, two = (stream(X.astype(np.int16), Y.astype(np.uint8), kind=kind) for kind in (np.array, csr_array))
    for given in (one.X, one.y, two.X.data, two.y):
        given.flags.writeable = False
    one, two = step(one), step(two)
    assert np.array_equal(one.X, two.X.toarray()) and one.X.dtype == two.X.dtype == np.int16
    assert np.array_equal(one.y, two.y) and np.array_equal(one.truth, two.truth) and one.name == "tiny"


def test_bias_is_one_more_feature_and_scalings_are_those_of_scikit_learn():
    """Except that a constant becomes 0, however it rounds."""
    assert np.array_equal(streams.bias(stream()).X, np.column_stack([X, np.ones(60)]))
    given = stream(np.column_stack([X / 7.0, np.full(60, 0.1)]))
    for step, oracle in ((streams.min_max, MinMaxScaler()), (streams.z_score, StandardScaler())):
        assert np.allclose(step(given).X, oracle.fit_transform(given.X), rtol=0, atol=1e-13)
        assert (step(given).X[:, -1] == 0).all()


def test_balanced_is_the_recipe_of_ijcnn():
    """All of the rarer class in their order, then as many of the first others in theirs."""
    y = (np.arange(60) % 4 == 1).astype(int)
    rare, common = np.flatnonzero(y).tolist(), np.flatnonzero(y == 0).tolist()
    for labels in (y, 1 - y):
        made = streams.balanced(numbered(labels))
        assert made.X.ravel().tolist() == rare + common[:15] and np.bincount(made.y).tolist() == [15, 15]


def test_rows_that_move_keep_their_labels():
    """Split in order; shuffled, every row is there once; a sample keeps the order, and its keys are the bytes."""
    train, test = streams.split(numbered())
    assert train.X.ravel().tolist() == list(range(48)) and np.array_equal(test.y, Y[48:])
    made = streams.shuffle(numbered(), rng())
    order = made.X.ravel()
    assert sorted(order) == list(range(60)) and order.tolist() != list(range(60)) and np.array_equal(made.y, Y[order])
    train, test = streams.split(numbered(), 0.75, rng())
    assert np.array_equal(np.vstack([train.X, test.X]), made.X) and train.rows == 45
    drawn = rng(1).bytes(8 * 60)
    keys = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(60)]
    chosen = streams.subsample(numbered(), 20, rng(1)).X.ravel().tolist()
    assert chosen == sorted(sorted(range(60), key=keys.__getitem__)[:20])


def test_label_noise_is_on_the_labels_that_are_shown():
    """Exactly a fifth is wrong, all wrong classes equally often, and the truth goes along through other steps."""
    y, classes = np.arange(10_000) % 5, 5
    noisy = streams.flip_labels(numbered(y, classes), 0.2, rng())
    wrong = noisy.y != y
    assert wrong.sum() == 2000 and np.array_equal(noisy.truth, y)
    shifts = np.bincount((noisy.y[wrong].astype(int) - y[wrong]) % classes, minlength=classes)
    assert shifts[0] == 0 and np.allclose(shifts[1:], 2000 / (classes - 1), rtol=0.15)
    mixed = streams.shuffle(streams.bias(noisy), rng(1))
    assert np.array_equal(mixed.truth, y[mixed.X[:, 0]]) and (mixed.y != mixed.truth).sum() == 2000


def test_one_vs_rest_makes_two_classes_of_many():
    """Labels, true labels and names."""
    digits = load_stream("digits")
    made = streams.one_vs_rest(streams.flip_labels(digits, 0.3, rng()), 3, 5)
    assert np.array_equal(made.truth, np.isin(digits.y, (3, 5))) and made.X is digits.X
    assert made.class_names == ("0 or 1 or 2 or 4 or 6 or 7 or 8 or 9", "3 or 5")


def test_pixels_are_spread_evenly_from_black_to_white():
    """Black is the low end, white the high one, evenly between; the digits of scikit-learn go to 16 only."""
    digits = load_stream("digits")
    shades = stream(np.arange(256, dtype=np.uint8).reshape(64, 4), np.zeros(64))
    for pixels in (shades, digits, streams.enlarge(digits)):
        unit = streams.to_unit(pixels, -1.0, 3.0).X
        assert unit.dtype == np.float32 and np.allclose(unit, -1 + 4 * (pixels.X / pixels.X.max()), atol=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Stream(csr_array([[0, 1], [np.inf, 2]]), [0, 1]), "X must be finite"),
        (lambda: stream(y=Y[:-1]), r"X must have a row for each of 59 labels, but it has shape \(60, 5\)"),
        (lambda: streams.z_score(stream(kind=csr_array)), "would fill the zeros of sparse rows"),
        (lambda: streams.flip_labels(stream(), 0.5, np.random.RandomState(0)), r"rng must be a numpy\.random\.Gener"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
