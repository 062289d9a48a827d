"""The real files, where BFLO_DATA has them: every stream of the paper against the figures in the notes."""

import os
from pathlib import Path

import numpy as np
import pytest

from bflo_viz.streams import balanced, listing, load_stream, z_score
from bflo_viz.streams.parsers import unpacked

FOLDER = os.environ.get("BFLO_DATA", "")
pytestmark = pytest.mark.skipif(not Path(FOLDER, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")


@pytest.fixture(autouse=True)
def real_files(monkeypatch, tmp_path_factory):
    """These tests see the files, and share a cache."""
    shared = tmp_path_factory.getbasetemp() / "shared"
    monkeypatch.setenv("BFLO_DATA", FOLDER)
    monkeypatch.setattr("bflo_viz._places.cache_folder", lambda: shared)


@pytest.mark.parametrize(
    ("name", "shape", "which", "count"),
    [
        ("mushroom", (8124, 112), "edible", 4208),
        ("covtype", (581012, 54), "lodgepole pine", 283301),
        ("ijcnn", (49990 + 91701, 22), "positive", 4853 + 8712),
        ("eeg", (14980, 14), "closed", 6723),
        ("a9a", (32561, 123), "over 50K", 7841),
    ],
)
def test_rows_features_and_classes_are_those_of_the_notes(name, shape, which, count):
    """From the files, and once more from the parsed form."""
    for _ in range(2):
        stream = load_stream(name, download=False)
        assert stream.X.shape == shape and stream.class_counts[which] == count


@pytest.mark.parametrize(
    ("name", "files", "positive"),
    [("mushroom", ["mushrooms"], 2), ("a9a", ["a9a"], 1), ("ijcnn", ["ijcnn1.bz2", "ijcnn1.t.bz2"], 1)],
)
def test_libsvm_files_say_what_scikit_learn_reads(name, files, positive):
    """Another parser finds the same numbers."""
    from scipy.sparse import vstack
    from sklearn.datasets import load_svmlight_file

    stream = load_stream(name)
    parts = [load_svmlight_file(str(Path(FOLDER, file)), n_features=stream.features) for file in files]
    X = vstack([part for part, _ in parts])
    labels = np.concatenate([labels for _, labels in parts])
    assert (abs(X - stream.X)).max() == 0
    assert np.array_equal(labels == positive, stream.y == 1)


def test_covtype_rows_are_the_lines_of_the_file():
    """Every thousandth line, read by hand."""
    stream = load_stream("covtype")
    with unpacked(Path(FOLDER, "covtype.data.gz")) as file:
        for number, line in enumerate(file):
            if number % 1000 == 0:
                *numbers, label = map(int, line.split(b","))
                assert numbers == stream.X[number].tolist() and (label == 2) == stream.y[number]


def test_eeg_has_its_four_outliers():
    """The rows that the notes name, and a first row that stands in the file."""
    stream = load_stream("eeg")
    assert stream.X[0, :3].tolist() == [4329.23, 4009.23, 4289.23]
    largest = np.abs(z_score(stream).X).max(axis=1)
    assert set(np.argsort(largest, kind="stable")[-4:]) == {898, 10386, 11509, 13179}


def test_ijcnn_balanced_is_the_papers():
    """27,130 rows, positives first, then the first negatives of the file."""
    stream = load_stream("ijcnn")
    made = balanced(stream)
    assert made.rows == 27_130 and made.y[:13_565].all() and not made.y[13_565:].any()
    assert np.array_equal(made.X[13_565:], stream.X[stream.y == 0][:13_565])


def test_mnist_is_mnist():
    """Sixty thousand and ten thousand, the labels that everyone knows, and the mean that everyone uses."""
    stream = load_stream("mnist")
    assert stream.X.shape == (70_000, 784) and stream.X.dtype == np.uint8
    assert stream.y[:5].tolist() == [5, 0, 4, 1, 9] and stream.y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert abs(stream.X[:60_000].mean() / 255 - 0.1307) < 1e-4


@pytest.mark.parametrize("name", ["mnist-random", "mnist-images"])
def test_backgrounds_of_the_real_digits(name):
    """62,000 digits, a background everywhere, and memory below twice the result."""
    import tracemalloc

    load_stream("mnist")
    tracemalloc.start()
    stream = load_stream(name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert stream.X.shape == (62_000, 784)
    assert peak < 2 * stream.X.nbytes
    corner = stream.X[:, 0]  # black in nearly every digit of MNIST
    if name == "mnist-random":
        assert np.allclose(np.bincount(corner, minlength=256), 62_000 / 256, rtol=0.35)
    else:
        assert (stream.X.std(axis=1) > 9).all() and corner.std() > 40


def test_verify_passes_all_eight():
    """As `bflo data verify` does, with the content of seed 0 for those on backgrounds."""
    told, problems = [], []
    assert listing.verify_all([], told.append, problems.append)
    assert not problems
    assert len([line for line in told if " ok: " in line]) == 8 + 2
    assert any("lodgepole pine 283,301" in line for line in told)
