"""Streams by name: the synthetic ones by their statistics, and those that come with scikit-learn."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn import datasets

from bflo_viz.streams import NAMES, StreamError, load_stream
from bflo_viz.streams.synthetic import true_weights

SYNTHETIC = ("two-gaussians", "demo-2d", "drifting", "sparse-logistic")
PAPER = ("mushroom", "covtype", "ijcnn", "eeg", "a9a", "mnist", "mnist-random", "mnist-images")


def dense(stream):
    return stream.X.toarray() if stream.is_sparse else stream.X


def test_all_names_are_there():
    assert sorted(NAMES) == sorted([*PAPER, "breast-cancer", "digits", *SYNTHETIC])


@pytest.mark.parametrize("name", SYNTHETIC)
def test_a_synthetic_stream_is_the_same_from_the_same_generator(name):
    one, two, other = (load_stream(name, rng=np.random.default_rng(seed), rows=500) for seed in (1, 1, 2))
    assert len(one) == 500 and np.array_equal(dense(one), dense(two)) and np.array_equal(one.y, two.y)
    assert not np.array_equal(dense(one), dense(other))
    default, zero = load_stream(name, rows=500), load_stream(name, rng=np.random.default_rng(0), rows=500)
    assert np.array_equal(dense(default), dense(zero))


def test_two_gaussians_are_so_far_apart():
    """Along the diagonal the classes are N(±distance/2, 1); across it both are N(0, 1)."""
    made = load_stream("two-gaussians", rows=20_000, features=4, distance=3.0)
    for label, centre in ((0, -1.5), (1, 1.5)):
        part = made.X[made.y == label]
        assert kstest(part @ (np.ones(4) / 2) - centre, "norm").pvalue > 0.01
        assert kstest(part @ (np.array([1, -1, 1, -1]) / 2), "norm").pvalue > 0.01
    assert abs(made.y.mean() - 0.5) < 0.02


def test_demo_2d_is_the_demonstration_of_the_paper():
    """N(0, I), w* = (1, 1), 40 % of the labels flipped; the truth is kept."""
    made = load_stream("demo-2d", rows=20_000)
    assert np.array_equal(made.truth, made.X @ [1, 1] > 0)
    assert abs((made.y != made.truth).mean() - 0.4) < 0.015
    assert kstest(made.X.ravel(), "norm").pvalue > 0.01


def test_a_rotating_weight_turns_evenly_and_a_jumping_one_jumps():
    """Angles from one round to the next; the labels are those of the weight of the round."""
    turning = true_weights(np.random.default_rng(0), 400, 5, "rotating", 2)
    assert np.allclose(np.linalg.norm(turning, axis=1), 1)
    assert np.allclose(np.arccos((turning[1:] * turning[:-1]).sum(axis=1)), 2 * 2 * np.pi / 400)
    jumping = true_weights(np.random.default_rng(0), 400, 5, "jumping", 3)
    assert (np.flatnonzero((jumping[1:] != jumping[:-1]).any(axis=1)) + 1).tolist() == [100, 200, 300]
    made = load_stream("drifting", rows=2000, drift="jumping", changes=1)
    halves = made.take(slice(0, 1000)), made.take(slice(1000, 2000))
    first, second = (np.linalg.lstsq(half.X, 2.0 * half.y - 1, rcond=None)[0] for half in halves)
    for half, own, other in ((halves[0], first, second), (halves[1], second, first)):
        assert ((half.X @ own > 0) == half.y).mean() > 0.97 > 0.95 > ((half.X @ other > 0) == half.y).mean()


def test_sparse_logistic_rows_are_sparse_and_follow_the_logistic_model():
    """Equally many ones per row, in order; labels are 1 as often as the model says."""
    made = load_stream("sparse-logistic", rows=20_000, features=103, nonzero=7)
    assert (np.diff(made.X.indptr) == 7).all() and made.X.has_canonical_format and set(made.X.data) == {1}
    weight = np.random.default_rng(0).normal(size=103)  # the first draw
    probability = 1 / (1 + np.exp(-(made.X @ weight)))
    for low in np.linspace(0, 0.9, 10):
        inside = (probability >= low) & (probability < low + 0.1)
        error = np.sqrt(0.25 / inside.sum())
        assert abs(made.y[inside].mean() - probability[inside].mean()) < 4 * error
    assert load_stream("sparse-logistic", rows=3, features=5, nonzero=5).X.toarray().tolist() == [[1] * 5] * 3


@pytest.mark.parametrize(("name", "load"), [("breast-cancer", "load_breast_cancer"), ("digits", "load_digits")])
def test_bundled_streams_are_those_of_scikit_learn(name, load, monkeypatch):
    """The same numbers, in the smallest type; different numbers are refused."""
    bunch = getattr(datasets, load)()
    stream = load_stream(name)
    assert np.array_equal(stream.X, bunch.data) and np.array_equal(stream.y, bunch.target)
    assert stream.class_names == tuple(map(str, bunch.target_names))
    assert stream.X.dtype == {"digits": np.uint8, "breast-cancer": np.float64}[name]
    monkeypatch.setattr(datasets, load, lambda return_X_y: (bunch.data + np.eye(*bunch.data.shape), bunch.target))
    with pytest.raises(StreamError, match="this scikit-learn is not"):
        load_stream(name)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_stream("covtyp"), "did you mean 'covtype'"),
        (lambda: load_stream("digits", rows=5), "digits has no option 'rows': it has none"),
        (lambda: load_stream("a9a", rng=np.random.default_rng(0)), "a9a has no option 'rng'"),
        (lambda: load_stream("demo-2d", row=5), "no option 'row': it has rows, flip"),
        (lambda: load_stream("demo-2d", rng=3), r"numpy\.random\.Generator"),
        (lambda: load_stream("demo-2d", flip=1.2), "flip must be from 0 to 1"),
        (lambda: load_stream("drifting", features=1), "at least 2"),
        (lambda: load_stream("sparse-logistic", features=3, nonzero=4), "at most the 3 features"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
