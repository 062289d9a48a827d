"""Steps from a stream to a new one: each against its definition, none changing what it was given."""

import copy

import numpy as np
import pytest
import stream_files as files
from scipy.sparse import csr_array
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from bflo_viz.streams import (
    Stream,
    balanced,
    bias,
    class_against,
    clip,
    flip_labels,
    load_stream,
    min_max,
    shuffle,
    some,
    split,
    to_unit,
    z_score,
)

X, Y = files.rows(60, 5)


def stream(X=X, y=Y, classes=2, sparse=False):
    X = np.asarray(X)
    return Stream(
        X=csr_array(X) if sparse else X,
        y=np.asarray(y, dtype=np.uint8),
        feature_names=tuple("abcdefghij"[: X.shape[1]]),
        class_names=tuple(map(str, range(classes))),
        name="tiny",
        source="here",
        licence="MIT",
        citation="nobody",
    )


def dense(stream):
    return stream.X.toarray() if stream.is_sparse else stream.X


STEPS = {
    "bias": bias,
    "min_max": min_max,
    "z_score": z_score,
    "clip": lambda s: clip(s, -3, 3),
    "balanced": balanced,
    "balanced, drawn": lambda s: balanced(s, np.random.default_rng(0)),
    "some": lambda s: some(s, 20, np.random.default_rng(0)),
    "class_against": lambda s: class_against(s, 0),
    "split": lambda s: split(s)[1],
    "split, shuffled": lambda s: split(s, 0.8, np.random.default_rng(0))[0],
    "shuffle": lambda s: shuffle(s, np.random.default_rng(0)),
    "flip_labels": lambda s: flip_labels(s, 0.2, np.random.default_rng(0)),
}


DENSE_ONLY = ("min_max", "z_score")


@pytest.mark.parametrize(
    ("name", "sparse"),
    [(name, sparse) for name in STEPS for sparse in (False, True) if name not in DENSE_ONLY or not sparse],
)
def test_a_step_changes_nothing_it_was_given_and_repeats(name, sparse):
    """The same generator gives the same result, and names, licence and citation stay."""
    given = stream(sparse=sparse)
    before = copy.deepcopy((dense(given), given.y))
    one, two = STEPS[name](given), STEPS[name](given)
    assert np.array_equal(dense(one), dense(two)) and np.array_equal(one.y, two.y)
    assert np.array_equal(dense(given), before[0]) and np.array_equal(given.y, before[1])
    assert one is not given and one.is_sparse == sparse and one.licence == "MIT"


@pytest.mark.parametrize("sparse", [False, True])
def test_bias(sparse):
    """One more feature, always 1, in the type that there was."""
    given = stream(X.astype(np.int16), sparse=sparse)
    made = bias(given)
    assert np.array_equal(dense(made), np.column_stack([X, np.ones(60)]))
    assert made.X.dtype == np.int16 and made.feature_names[-1] == "bias"


def test_scalings_are_those_of_scikit_learn():
    """Min-max and z-score of this stream, and of a test part by its training part; a constant is only moved."""
    table = np.column_stack([X / 7.0, np.where(np.arange(60) < 48, 0.1, 0.3)])
    train, test = split(stream(table))
    for step, oracle in ((min_max, MinMaxScaler()), (z_score, StandardScaler())):
        assert np.allclose(step(train).X, oracle.fit_transform(train.X), rtol=0, atol=1e-13)
        assert np.allclose(step(test, by=train).X, oracle.transform(test.X), rtol=0, atol=1e-13)
        assert (step(train).X[:, -1] == 0).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_clip(sparse):
    """Nothing beyond the limits, and what is within is untouched."""
    assert np.array_equal(dense(clip(stream(sparse=sparse), -30, 40)), np.minimum(np.maximum(X, -30), 40))


def test_balanced_is_the_recipe_of_ijcnn():
    """All positives in their order, then as many of the first negatives in theirs."""
    y = (np.arange(60) % 4 == 1).astype(int)
    made = balanced(stream(y=y))
    positives = [i for i in range(60) if y[i]]
    negatives = [i for i in range(60) if not y[i]][: len(positives)]
    assert np.array_equal(made.X, X[positives + negatives])
    assert made.class_counts == {"0": 15, "1": 15}
    drawn = balanced(stream(np.arange(60)[:, None], y=y), np.random.default_rng(0))
    chosen = drawn.X.ravel().tolist()
    assert chosen[:15] == positives and chosen[15:] == sorted(set(chosen[15:])) != negatives
    assert len(chosen) == 30 and not y[chosen[15:]].any()


def test_balanced_when_positives_are_common():
    """All of the rarer class come first, whichever it is."""
    made = balanced(stream(y=1 - (np.arange(60) % 4 == 1)))
    assert made.y.tolist() == [0] * 15 + [1] * 15


def test_split_by_the_order_of_the_file():
    """The first 80 % and the rest."""
    train, test = split(stream())
    assert np.array_equal(train.X, X[:48]) and np.array_equal(test.y, Y[48:])


def test_shuffled_rows_keep_their_labels():
    """Every row is there once, with its own label; a shuffled split has each row on one side."""
    numbered = stream(np.arange(60)[:, None], Y)
    made = shuffle(numbered, np.random.default_rng(0))
    assert sorted(made.X.ravel()) == list(range(60)) and made.X.ravel().tolist() != list(range(60))
    assert np.array_equal(made.y, Y[made.X.ravel()])
    train, test = split(numbered, 0.75, np.random.default_rng(0))
    assert sorted([*train.X.ravel(), *test.X.ravel()]) == list(range(60)) and train.rows == 45


@pytest.mark.parametrize("classes", [2, 5])
def test_label_noise_is_on_the_labels_that_are_shown(classes):
    """Exactly a fifth is wrong, all wrong classes equally often, and the truth goes along through other steps."""
    y = np.arange(10_000) % classes
    given = stream(np.arange(10_000)[:, None], y, classes)
    noisy = flip_labels(given, 0.2, np.random.default_rng(0))
    wrong = noisy.y != y
    assert wrong.sum() == 2000 and np.array_equal(noisy.truth, y) and given.truth is given.y
    shifts = np.bincount((noisy.y[wrong].astype(int) - y[wrong]) % classes, minlength=classes)
    assert shifts[0] == 0 and np.allclose(shifts[1:], 2000 / (classes - 1), rtol=0.15)
    mixed = shuffle(bias(noisy), np.random.default_rng(1))
    assert np.array_equal(mixed.truth, y[mixed.X[:, 0]]) and (mixed.y != mixed.truth).sum() == 2000
    twice = flip_labels(noisy, 0.2, np.random.default_rng(2))
    assert np.array_equal(twice.truth, y)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (lambda: min_max(stream(sparse=True)), "fill the zeros"),
        (lambda: z_score(stream(sparse=True)), "fill the zeros"),
        (lambda: clip(stream(sparse=True), 1, 2), "0 between them"),
        (lambda: clip(stream(), 2, 1), "high must be at least 2"),
        (lambda: balanced(stream(classes=3)), "two classes"),
        (lambda: split(stream(), 1.0), "between 0 and 1"),
        (lambda: shuffle(stream(), 0), r"numpy\.random\.Generator"),
        (lambda: flip_labels(stream(), 1.5, np.random.default_rng(0)), "at most 1"),
        (lambda: flip_labels(stream(), -0.1, np.random.default_rng(0)), "at least 0"),
        (lambda: stream(X[:, :3], Y[:-1]), "60 labels, as X has rows"),
        (lambda: stream(y=Y + 1), "labels must be below 2, but one is 2"),
    ],
)
def test_a_mistake_gets_a_sentence(step, words):
    """One line that names what was wrong."""
    with pytest.raises(ValueError, match=words) as error:
        step()
    assert "\n" not in str(error.value)


def test_some_rows_are_drawn_and_stay_in_their_order():
    """As many as are asked for, none twice; too many are refused."""
    chosen = some(stream(np.arange(60)[:, None]), 20, np.random.default_rng(3)).X.ravel()
    assert len(chosen) == 20 and (np.diff(chosen) > 0).all() and chosen.tolist() != list(range(20))
    with pytest.raises(ValueError, match="rows must be at most 60"):
        some(stream(), 61, np.random.default_rng(0))


def test_class_against_makes_two_classes_of_many():
    """Labels, true labels and names; a label that is not there is refused."""
    digits = load_stream("digits")
    made = class_against(flip_labels(digits, 0.3, np.random.default_rng(0)), 3, 5)
    assert np.array_equal(made.truth, np.isin(digits.y, (3, 5))) and made.X is digits.X
    assert made.class_names == ("0 or 1 or 2 or 4 or 6 or 7 or 8 or 9", "3 or 5")
    assert made.class_counts["3 or 5"] == (made.y == 1).sum() != (made.truth == 1).sum()
    with pytest.raises(ValueError, match="labels must be below 10, but one was 10"):
        class_against(digits, 10)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)])
def test_to_unit(low, high):
    """Black is the low end, white the high one, evenly between; anything but pixels is refused."""
    made = to_unit(stream(np.arange(256, dtype=np.uint8).reshape(64, 4)[:60]), low, high)
    assert made.X.dtype == np.float32
    assert np.allclose(made.X.ravel(), low + (high - low) * np.arange(240) / 255, rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="to_unit is for pixels from 0 to 255"):
        to_unit(stream())
