"""Streams of one's own, and steps from a stream to a new one: each against its definition."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from bflo_viz import SGD, Stream, load_stream, streams

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
    """The rest is numbered; iterated, a stream gives what `step` takes."""
    own, learner = Stream(kind(ROWS), [False, True, True]), SGD(3)
    assert own.feature_names == ("x1", "x2", "x3") and own.class_names == ("0", "1")
    rows, seen = zip(*own, strict=True)
    assert np.array_equal(rows, ROWS) and seen == (0, 1, 1) and {type(label) for label in seen} == {int}
    for x, y in own:
        learner.step(x, y, rng())
    assert learner.rounds == 3 and Stream(ROWS, [2, 0, 0]).class_names == ("0", "1", "2")


@pytest.mark.parametrize("y", [[0.5, 1.0, 0.0], ["yes", "no", "no"], [0, 1, 256]])
def test_labels_of_other_kinds_are_told_how_to_become_some(y):
    """The advice works."""
    with pytest.raises(ValueError, match=r"labels must be 0, 1, 2 and so on, .* numpy\.unique\(y, return_inverse"):
        Stream(ROWS, y)
    class_names, numbers = np.unique(y, return_inverse=True)
    own = Stream(ROWS, numbers, class_names=class_names)
    assert [own.class_names[label] for _, label in own] == [str(label) for label in y]


STEPS = {
    "bias": streams.bias,
    "balanced": streams.balanced,
    "one_vs_rest": lambda s: streams.one_vs_rest(s, 0),
    "split": lambda s: streams.split(s, 0.8, rng())[0],
    "subsample": lambda s: streams.subsample(s, 20, rng()),
    "flip_labels": lambda s: streams.flip_labels(s, 0.2, rng()),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_step_does_the_same_to_sparse_rows_and_changes_nothing(step):
    """What it was given is read-only here, and the type of its numbers stays."""
    one, two = (stream(X.astype(np.int16), Y.astype(np.uint8), kind=kind) for kind in (np.array, csr_array))
    for given in (one.X, one.y, two.X.data, two.y):
        given.flags.writeable = False
    one, two = step(one), step(two)
    assert step is not streams.bias or np.array_equal(one.X, np.column_stack([X, np.ones(60)]))
    assert np.array_equal(one.X, two.X.toarray()) and one.X.dtype == two.X.dtype == np.int16
    assert np.array_equal(one.y, two.y) and np.array_equal(one.truth, two.truth) and one.name == "tiny"


def test_scalings_are_those_of_scikit_learn():
    """Except that a constant becomes 0, however it rounds."""
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
    assert sorted([*train.X.ravel(), *test.X.ravel()]) == list(range(60)) and train.rows == 45
    drawn = rng(1).bytes(8 * 60)
    keys = [int.from_bytes(drawn[8 * i : 8 * i + 8], "little") for i in range(60)]
    chosen = streams.subsample(numbered(), 20, rng(1)).X.ravel().tolist()
    assert chosen == sorted(sorted(range(60), key=keys.__getitem__)[:20])


@pytest.mark.parametrize("classes", [2, 5])
def test_label_noise_is_on_the_labels_that_are_shown(classes):
    """Exactly a fifth is wrong, all wrong classes equally often, and the truth goes along through other steps."""
    y = np.arange(10_000) % classes
    noisy = streams.flip_labels(numbered(y, classes), 0.2, rng())
    wrong = noisy.y != y
    assert wrong.sum() == 2000 and np.array_equal(noisy.truth, y)
    shifts = np.bincount((noisy.y[wrong].astype(int) - y[wrong]) % classes, minlength=classes)
    assert shifts[0] == 0 and np.allclose(shifts[1:], 2000 / (classes - 1), rtol=0.15)
    mixed = streams.shuffle(streams.bias(noisy), rng(1))
    assert np.array_equal(mixed.truth, y[mixed.X[:, 0]]) and (mixed.y != mixed.truth).sum() == 2000
    assert np.array_equal(streams.flip_labels(noisy, 0.2, rng(2)).truth, y)


def test_one_vs_rest_makes_two_classes_of_many():
    """Labels, true labels and names."""
    digits = load_stream("digits")
    made = streams.one_vs_rest(streams.flip_labels(digits, 0.3, rng()), 3, 5)
    assert np.array_equal(made.truth, np.isin(digits.y, (3, 5))) and made.X is digits.X
    assert made.class_names == ("0 or 1 or 2 or 4 or 6 or 7 or 8 or 9", "3 or 5")


def test_to_unit():
    """Black is the low end, white the high one, evenly between; the digits of scikit-learn go to 16 only."""
    digits = load_stream("digits")
    for pixels in (
        stream(np.arange(256, dtype=np.uint8).reshape(64, 4), np.zeros(64)),
        digits,
        streams.enlarge(digits),
    ):
        unit = streams.to_unit(pixels, -1.0, 3.0).X
        assert unit.dtype == np.float32 and np.allclose(unit, -1 + 4 * (pixels.X / pixels.X.max()), atol=1e-6)
    assert streams.to_unit(digits).X.max() == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Stream(csr_array([[0, 1], [np.inf, 2]]), [0, 1]), "X must be finite"),
        (lambda: Stream([0, 1], [0, 1]), r"X must have one row of numbers per example, .* shape \(2,\)\."),
        (lambda: stream(y=Y[:-1]), r"X must have shape 59 x 5 by labels and names, but it has \(60, 5\)"),
        (lambda: stream(y=Y + 1), "labels must be below 2, but one is 2"),
        (lambda: streams.z_score(stream(kind=csr_array)), "would fill the zeros of sparse rows"),
        (lambda: streams.balanced(stream(classes=3)), "two classes"),
        (lambda: streams.split(stream(), 1.0), "between 0 and 1"),
        (lambda: streams.subsample(stream(), 61, rng()), "rows must be at most 60, but it was 61"),
        (lambda: streams.one_vs_rest(stream(), 2), "labels must be from 0 to 1"),
        (lambda: streams.flip_labels(stream(), 1.5, rng()), "flipped must be from 0 to 1"),
        (
            lambda: streams.flip_labels(stream(), 0.5, np.random.RandomState(0)),
            r"rng must be a numpy\.random\.Generator",
        ),
        (lambda: streams.to_unit(stream()), "to_unit is for pixels from 0 to 255"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
