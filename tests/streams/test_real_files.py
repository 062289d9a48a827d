"""The real files, where BFLO_DATA has them: every stream of the paper against the figures in the notes."""

import os
from pathlib import Path

import numpy as np
import pytest

from bflo_viz import _places, cli
from bflo_viz.streams import balanced, load_stream, z_score
from bflo_viz.streams.datasets import unpacked

FOLDER = os.environ.get("BFLO_DATA", "")
pytestmark = pytest.mark.skipif(not Path(FOLDER, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")


@pytest.fixture(autouse=True)
def real_files(monkeypatch, tmp_path_factory):
    """These tests see the files, and share a cache."""
    shared = tmp_path_factory.getbasetemp() / "shared"
    monkeypatch.setenv("BFLO_DATA", FOLDER)
    monkeypatch.setattr(_places, "cache_folder", lambda: shared)


@pytest.mark.parametrize(
    ("name", "shape", "which", "count"),
    [
        ("mushroom", (8124, 112), "edible", 4208),
        ("covtype", (581012, 54), "lodgepole pine", 283301),
        ("ijcnn", (49990 + 91701, 22), "positive", 4853 + 8712),
        ("eeg", (14980, 14), "closed", 6723),
        ("a9a", (32561, 123), "over 50K", 7841),
        ("mnist", (70_000, 784), "7", 7293),
    ],
)
def test_rows_features_and_classes_are_those_of_the_notes(name, shape, which, count):
    """From the files, and once more from the cache."""
    for _ in range(2):
        stream = load_stream(name, download=False)
        assert stream.X.shape == shape and stream.class_counts[which] == count


def test_rows_are_the_lines_of_the_files():
    """Every thousandth line, read by hand: numbers between commas, and pairs of feature and value."""
    covtype, mushroom = load_stream("covtype"), load_stream("mushroom")
    for row, line in list(enumerate(unpacked(Path(FOLDER, "covtype.data.gz"), 10**9).splitlines()))[::1000]:
        *numbers, label = map(int, line.split(b","))
        assert numbers == covtype.X[row].tolist() and (label == 2) == covtype.y[row]
    for row, line in list(enumerate(Path(FOLDER, "mushrooms").read_text().splitlines()))[::1000]:
        label, *pairs = line.split()
        ones = [int(pair.removesuffix(":1")) - 1 for pair in pairs]
        assert mushroom.X[[row]].indices.tolist() == ones and (label == "2") == mushroom.y[row]


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
    """The labels that everyone knows, and the mean that everyone uses."""
    stream = load_stream("mnist")
    assert stream.y[:5].tolist() == [5, 0, 4, 1, 9] and stream.y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert abs(stream.X[:60_000].mean() / 255 - 0.1307) < 1e-4


def test_verify_passes_all(capsys):
    """The paper's eight, with the content of seed 0 for those on backgrounds, and the two of scikit-learn."""
    assert cli.main(["data", "verify"]) == 0
    out, err = capsys.readouterr()
    assert out.count(" ok: ") == 8 + 2 and "lodgepole pine 283,301" in out and not err
