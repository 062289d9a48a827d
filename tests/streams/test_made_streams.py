"""Streams by name: those that are made, and those that come with scikit-learn."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn import datasets

from bflo_viz.streams import NAMES, StreamError, load_stream
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES
from bflo_viz.streams.synthetic import true_weights

SYNTHETIC = ("two-gaussians", "demo-2d", "drifting", "sparse-logistic")


PAPER = ("mushroom", "covtype", "ijcnn", "eeg", "a9a", "mnist", "mnist-random", "mnist-images")


def dense(stream):
    return stream.X.toarray() if stream.is_sparse else stream.X


def test_all_names_are_there():
    """The paper's eight, two that are bundled, four that are made."""
    assert sorted(NAMES) == sorted([*PAPER, "breast-cancer", "digits", *SYNTHETIC])


@pytest.mark.parametrize("name", SYNTHETIC)
def test_a_made_stream_is_the_same_from_the_same_generator(name):
    """It has as many rows as are asked for, and another seed gives another stream."""
    one, two, other = (load_stream(name, rng=np.random.default_rng(seed), rows=500) for seed in (1, 1, 2))
    assert one.rows == len(one) == 500
    assert np.array_equal(dense(one), dense(two)) and np.array_equal(one.y, two.y)
    assert not np.array_equal(dense(one), dense(other))
    default, zero = load_stream(name, rows=500), load_stream(name, rng=np.random.default_rng(0), rows=500)
    assert np.array_equal(dense(default), dense(zero))
    assert one.source and one.licence == "MIT" and len(one.feature_names) == one.features


def test_two_gaussians_are_two_round_gaussians_so_far_apart():
    """Along the diagonal the classes are N(±distance/2, 1); across it both are N(0, 1)."""
    made = load_stream("two-gaussians", rows=20_000, features=4, distance=3.0)
    diagonal = np.ones(4) / 2
    across = np.array([1, -1, 1, -1]) / 2
    for label, centre in ((0, -1.5), (1, 1.5)):
        part = made.X[made.y == label]
        assert kstest(part @ diagonal - centre, "norm").pvalue > 0.01
        assert kstest(part @ across, "norm").pvalue > 0.01
    assert abs(made.y.mean() - 0.5) < 0.02


def test_demo_2d_is_the_demonstration_of_the_paper():
    """N(0, I), w* = (1, 1), 40 % of the labels flipped; the truth is kept."""
    made = load_stream("demo-2d", rows=20_000)
    assert np.array_equal(made.truth, made.X @ [1, 1] > 0)
    assert abs((made.y != made.truth).mean() - 0.4) < 0.015
    assert kstest(made.X.ravel(), "norm").pvalue > 0.01
    assert load_stream("demo-2d").rows == 8000 + 2000


def test_a_rotating_weight_turns_evenly_and_a_jumping_one_jumps():
    """Angles from one round to the next; the labels are those of the weight of the round."""
    turning = true_weights(np.random.default_rng(0), 400, 5, "rotating", 2)
    assert np.allclose(np.linalg.norm(turning, axis=1), 1)
    steps = np.arccos(np.clip((turning[1:] * turning[:-1]).sum(axis=1), -1, 1))
    assert np.allclose(steps, 2 * 2 * np.pi / 400)
    jumping = true_weights(np.random.default_rng(0), 400, 5, "jumping", 3)
    changed = np.flatnonzero((jumping[1:] != jumping[:-1]).any(axis=1)) + 1
    assert changed.tolist() == [100, 200, 300]
    made = load_stream("drifting", rows=2000, drift="jumping", changes=1)
    first, second = made.take(slice(0, 1000)), made.take(slice(1000, 2000))
    for part in (first, second):
        separator = np.linalg.lstsq(part.X, 2.0 * part.y - 1, rcond=None)[0]
        assert ((part.X @ separator > 0) == part.y).mean() > 0.97
    weight = np.linalg.lstsq(first.X, 2.0 * first.y - 1, rcond=None)[0]
    assert ((second.X @ weight > 0) == second.y).mean() < 0.95


def test_sparse_logistic_rows_are_sparse_and_follow_the_logistic_model():
    """So many ones a row, in order, any size; labels as often 1 as the model says."""
    made = load_stream("sparse-logistic", rows=20_000, features=103, nonzero=7)
    assert (np.diff(made.X.indptr) == 7).all() and made.X.has_canonical_format and set(made.X.data) == {1}
    weight = np.random.default_rng(0).normal(size=103)  # the first thing that is drawn
    chance = 1 / (1 + np.exp(-(made.X @ weight)))
    for low in np.linspace(0, 0.9, 10):
        inside = (chance >= low) & (chance < low + 0.1)
        spread = np.sqrt(0.25 / inside.sum())
        assert abs(made.y[inside].mean() - chance[inside].mean()) < 4 * spread
    assert load_stream("sparse-logistic", rows=3, features=5, nonzero=5).X.toarray().tolist() == [[1] * 5] * 3


@pytest.mark.parametrize(("name", "load"), [("breast-cancer", "load_breast_cancer"), ("digits", "load_digits")])
def test_bundled_streams_are_those_of_scikit_learn(name, load):
    """The same numbers, in the smallest type."""
    bunch = getattr(datasets, load)()
    stream = load_stream(name)
    assert np.array_equal(stream.X, bunch.data) and np.array_equal(stream.y, bunch.target)
    assert stream.class_names == tuple(map(str, bunch.target_names))
    assert stream.X.dtype == {"digits": np.uint8, "breast-cancer": np.float64}[name]
    assert stream.licence and stream.citation and stream.source.startswith("https://")


def test_a_bundled_stream_that_has_changed_is_refused(monkeypatch):
    """Another scikit-learn may have other numbers: that is said."""
    X, y = datasets.load_digits(return_X_y=True)
    X = X.copy()
    X[0, 0] += 1
    monkeypatch.setattr(datasets, "load_digits", lambda return_X_y: (X, y))
    with pytest.raises(StreamError, match="not as expected: the SHA-256"):
        load_stream("digits")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: load_stream("covtyp"), "did you mean 'covtype'"),
        (lambda: load_stream("xyz"), "there are mushroom, covtype"),
        (lambda: load_stream("digits", rows=5), "read as it is: leave out rows"),
        (lambda: load_stream("a9a", rng=np.random.default_rng(0)), "leave out rng"),
        (lambda: load_stream("demo-2d", row=5), "no option 'row': it has rows, flip"),
        (lambda: load_stream("demo-2d", rng=3), r"numpy\.random\.Generator"),
        (lambda: load_stream("demo-2d", rows=0), "rows must be a whole number"),
        (lambda: load_stream("demo-2d", flip=1.2), "flip must be at most 1"),
        (lambda: load_stream("drifting", drift="away"), "'rotating' or 'jumping'"),
        (lambda: load_stream("drifting", features=1), "at least 2"),
        (lambda: load_stream("sparse-logistic", features=3, nonzero=4), "at most the 3 features"),
        (lambda: load_stream("two-gaussians", distance=-1), "at least 0"),
    ],
)
def test_a_mistake_gets_a_sentence(call, words):
    """One line that names what was wrong."""
    with pytest.raises(ValueError, match=words) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dataset", [*FROM_FILES.values(), *BUNDLED.values()], ids=lambda dataset: dataset.name)
def test_the_registry_agrees_with_itself(dataset):
    """Every column has a name of its own, every label a class, every file an address."""
    assert len(set(dataset.feature_names)) == len(dataset.feature_names)
    assert len(dataset.sha256) == 64
    assert dataset.licence and dataset.citation.endswith(".") and dataset.source.startswith("http")
    for file_set in dataset.file_sets:
        assert len(file_set.labels) == len(dataset.classes)
        assert all(url.startswith("https://") for url in file_set.urls.values())
        assert len(file_set.urls) == {"idx": 4}.get(file_set.format, 1) or file_set.format == "libsvm"
    assert not dataset.file_sets or 0 < dataset.download_mb < dataset.max_mb
