"""The real files, where BFLO_DATA has them: `datasets.toml` holds their rows, classes and SHA-256."""

import os
from pathlib import Path

import pytest

from bflo_viz import _places, cli
from bflo_viz.streams import load_stream
from bflo_viz.streams.datasets import unpacked

FOLDER = os.environ.get("BFLO_DATA", "")
pytestmark = pytest.mark.skipif(not Path(FOLDER, "covtype.data.gz").is_file(), reason="BFLO_DATA has no real files")


@pytest.fixture(autouse=True)
def real_files(monkeypatch, tmp_path_factory):
    """These tests see the files, and share a cache."""
    shared = tmp_path_factory.getbasetemp() / "shared"
    monkeypatch.setenv("BFLO_DATA", FOLDER)
    monkeypatch.setattr(_places, "cache_folder", lambda: shared)


def test_rows_are_the_lines_of_the_files():
    """Every thousandth line, read by hand; the labels of MNIST that everyone knows."""
    covtype, mushroom = load_stream("covtype"), load_stream("mushroom")
    mnist = load_stream("mnist")
    assert mnist.y[:5].tolist() == [5, 0, 4, 1, 9] and mnist.y[60_000:60_005].tolist() == [7, 2, 1, 0, 4]
    assert load_stream("eeg").X[0, :3].tolist() == [4329.23, 4009.23, 4289.23]
    for row, line in list(enumerate(unpacked(Path(FOLDER, "covtype.data.gz"), 10**9).splitlines()))[::1000]:
        *numbers, label = map(int, line.split(b","))
        assert numbers == covtype.X[row].tolist() and (label == 2) == covtype.y[row]
    for row, line in list(enumerate(Path(FOLDER, "mushrooms").read_text().splitlines()))[::1000]:
        label, *pairs = line.split()
        ones = [int(pair.removesuffix(":1")) - 1 for pair in pairs]
        assert mushroom.X[[row]].indices.tolist() == ones and (label == "2") == mushroom.y[row]


def test_verify_passes_all(capsys):
    """The paper's eight, with the content of seed 0 for those on backgrounds, and the two of scikit-learn."""
    assert cli.main(["data", "verify"]) == 0
    out, err = capsys.readouterr()
    assert out.count(" ok: ") == 8 + 2 and "lodgepole pine 283,301" in out and not err
