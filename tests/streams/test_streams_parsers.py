"""Files into arrays: every format, packed or not; and files that are not what they should be."""

import bz2
import gzip
import struct

import numpy as np
import pytest
import stream_files as files

from bflo_viz.streams.parsers import ContentError, read
from bflo_viz.streams.stream import fingerprint

X, Y = files.rows()
FLOATS = np.round(X / 7.0, 6)


def parse(tmp_path, recipe, *contents):
    paths = [tmp_path / file.name for file in recipe.ways[0].files]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return read(recipe, recipe.ways[0], paths)


@pytest.mark.parametrize("how", ["", ".gz", ".bz2"])
@pytest.mark.parametrize("ending", ["\n", "", "\n\n", "\r\n"])
def test_libsvm_text(tmp_path, how, ending):
    """The same rows whatever the packing and the end of the file, and labels as the way maps them."""
    recipe = files.recipe(X, Y, labels={-1: 0, 1: 1})
    found = parse(tmp_path, recipe, files.packed(files.libsvm(X, 2 * Y - 1, ending=ending), how))
    assert np.array_equal(found.X, X) and np.array_equal(found.y, Y)
    assert found.X.dtype == np.int16 and found.y.dtype == np.uint8


def test_libsvm_text_as_sparse_rows(tmp_path):
    """Rows stay sparse where the recipe says so: canonical, and with no zeros stored."""
    recipe = files.recipe(X, Y, sparse=True)
    text = files.libsvm(X, Y).replace(b" \n", b" 7:0 \n", 1) if not X[0, 6] else files.libsvm(X, Y)
    found = parse(tmp_path, recipe, text)
    assert np.array_equal(found.X.toarray(), X)
    assert found.X.nnz == np.count_nonzero(X) and found.X.has_canonical_format


def test_several_libsvm_files_follow_each_other(tmp_path):
    """As the training and the test part of IJCNN do."""
    recipe = files.recipe(X, Y, names=("one", "two"))
    found = parse(
        tmp_path, recipe, files.libsvm(X[:20], Y[:20], ending=""), bz2.compress(files.libsvm(X[20:], Y[20:]))
    )
    assert np.array_equal(found.X, X) and np.array_equal(found.y, Y)


def test_blocks_end_anywhere(tmp_path, monkeypatch):
    """The result does not depend on how much text is read at a time."""
    monkeypatch.setattr("bflo_viz.streams.parsers._BLOCK", 37)
    for kind, write in (("libsvm", files.libsvm), ("csv", files.csv), ("arff", files.arff)):
        found = parse(tmp_path, files.recipe(X, Y, kind=kind), write(X, Y))
        assert np.array_equal(found.X, X) and np.array_equal(found.y, Y)


@pytest.mark.parametrize("how", ["", ".gz", ".bz2"])
def test_csv(tmp_path, how):
    """Seven labels are read as two classes, as covtype's are."""
    labels = np.where(Y == 1, 2, 1 + 2 * np.arange(len(Y)) % 7)
    labels[(Y == 0) & (labels == 2)] = 7
    forest = {label: int(label == 2) for label in range(1, 8)}
    recipe = files.recipe(X, Y, kind="csv", labels=forest)
    found = parse(tmp_path, recipe, files.packed(files.csv(X, labels.tolist()), how))
    assert np.array_equal(found.X, X) and np.array_equal(found.y, Y)


@pytest.mark.parametrize("data", ["@DATA", "@data", "@Data  "])
def test_arff(tmp_path, data):
    """Whatever the case of its keywords, and floats to the last bit."""
    recipe = files.recipe(FLOATS, Y, dtype="float64", kind="arff")
    found = parse(tmp_path, recipe, files.arff(FLOATS, Y, data=data))
    assert np.array_equal(found.X, FLOATS) and np.array_equal(found.y, Y)


@pytest.mark.parametrize("how", ["", ".gz"])
def test_idx(tmp_path, how):
    """Two pairs of images and labels, one after the other."""
    pictures = np.random.default_rng(1).integers(0, 256, (9, 3, 4)).astype(np.uint8)
    labels = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
    recipe = files.recipe(pictures.reshape(9, 12), labels, dtype="uint8", kind="idx", names=("a", "b", "c", "d"))
    parts = (pictures[:6], labels[:6], pictures[6:], labels[6:])
    found = parse(tmp_path, recipe, *(files.packed(files.idx(part), how) for part in parts))
    assert np.array_equal(found.X, pictures.reshape(9, 12)) and np.array_equal(found.y, labels)


GOOD = files.libsvm(X, Y)
TABLE = files.csv(X, Y)


def with_first(value):
    changed = X.astype(object)
    changed[0, 0] = value
    return changed


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (files.libsvm(X[:-1], Y[:-1]), "49 rows, not 50"),
        (files.libsvm(np.vstack([X, X[:1]]), [*Y, 0]), "more than 50 rows"),
        (files.libsvm(X, 1 - Y), "class 'class 0' has"),
        (files.libsvm(X, [*Y[:-1], 5]), "a label 5"),
        (files.libsvm(X, [*Y[:-1].tolist(), 0.5]), "0.5 is not a number of type int64"),
        (GOOD.replace(b" 1:", b" 9:", 1), "a feature 9, beyond 1 to 7"),
        (GOOD.replace(b" 1:", b" 0:", 1), "a feature 0, beyond 1 to 7"),
        (files.libsvm(with_first(299), Y), "SHA-256"),
        (files.libsvm(with_first(40_000), Y), "40000.0 is not a number of type int16"),
        (files.libsvm(with_first(0.5), Y), "0.5 is not a number of type int16"),
        (files.libsvm(with_first(float("nan")), Y), "nan is not a number of type int16"),
        (GOOD.replace(b":", b" ", 1), "a line is not 'label feature:value ...'"),
        (GOOD.replace(b":", b"::", 1), "a line is not 'label feature:value ...'"),
        (b"<html>no</html>", "damaged or of another format"),
        (b"", "cut off"),
        (gzip.compress(GOOD)[:-20], "cut off"),
        (bz2.compress(GOOD)[:-20], "cut off"),
        (gzip.compress(GOOD)[:30] + b"x" * 90 + gzip.compress(GOOD)[120:], "damaged"),
        (bz2.compress(GOOD)[:30] + b"x" * 90 + bz2.compress(GOOD)[120:], "damaged"),
    ],
)
def test_a_wrong_libsvm_file_says_which_check_failed(tmp_path, content, words):
    """Rows, labels, features, numbers, content, packing."""
    with pytest.raises(ContentError, match=words):
        parse(tmp_path, files.recipe(X, Y), content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (files.csv(X[:, 1:], Y), "it has 6 features, not 7"),
        (files.csv(X[:-1], Y[:-1]), "49 rows, not 50"),
        (files.csv(np.vstack([X, X]), [*Y, *Y]), "more than 50 rows"),
        (TABLE.replace(b",", b"", 1), "damaged or of another format"),
        (TABLE.replace(b",", b",x", 1), "damaged or of another format"),
        (TABLE.replace(b",", b",99999", 1), "damaged or of another format"),
        (TABLE.replace(b"\n", b"\n\xff", 1), "damaged or of another format"),
        (b"", "0 rows, not 50"),
    ],
)
def test_a_wrong_table_says_which_check_failed(tmp_path, content, words):
    """The same for numbers between commas."""
    with pytest.raises(ContentError, match=words):
        parse(tmp_path, files.recipe(X, Y, kind="csv"), content)


def test_arff_without_data(tmp_path):
    """A header alone is not enough."""
    content = files.arff(X, Y).partition(b"@DATA")[0]
    with pytest.raises(ContentError, match="no line @DATA"):
        parse(tmp_path, files.recipe(X, Y, kind="arff"), content)


PICTURES, LABELS = np.arange(24).reshape(2, 3, 4), np.array([0, 1])


@pytest.mark.parametrize(
    ("images", "labels", "words"),
    [
        (files.idx(PICTURES)[:-1], files.idx(LABELS), "cut off"),
        (files.idx(PICTURES)[:9], files.idx(LABELS), "cut off"),
        (files.idx(PICTURES) + b"x", files.idx(LABELS), "goes on after its 2 rows"),
        (files.idx(LABELS), files.idx(LABELS), "no idx file of images"),
        (files.idx(PICTURES), files.idx(PICTURES), "no idx file of labels"),
        (files.idx(PICTURES.reshape(2, 4, 3)[:, :2]), files.idx(LABELS), "pictures of 2 x 3 pixels"),
        (files.idx(np.vstack([PICTURES, PICTURES])), files.idx(LABELS), "4 rows, more than the 2"),
        (files.idx(PICTURES), files.idx(LABELS[:1]), "differ in number"),
        (struct.pack(">4I", 0x803, 2, 2**31, 2**31), files.idx(LABELS), "pixels"),
    ],
)
def test_a_wrong_idx_file_says_which_check_failed(tmp_path, images, labels, words):
    """Nothing is allocated for what a header claims before it is found to be right."""
    recipe = files.recipe(PICTURES.reshape(2, 12), LABELS, dtype="uint8", kind="idx", names=("i", "l"))
    with pytest.raises(ContentError, match=words):
        parse(tmp_path, recipe, images, labels)


@pytest.mark.parametrize("kind", ["libsvm", "csv", "arff"])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch, kind, pack):
    """Twenty megabytes of blanks in a few bytes: no more than the bound is ever read."""
    monkeypatch.setattr("bflo_viz.streams.parsers._BLOCK", 1 << 16)
    bomb = pack(b" " * 20_000_000)
    assert len(bomb) < 30_000
    seen = []
    opened = gzip.GzipFile.read if pack is gzip.compress else bz2.BZ2File.read
    owner = gzip.GzipFile if pack is gzip.compress else bz2.BZ2File
    monkeypatch.setattr(owner, "read", lambda self, size=-1: seen.append(size) or opened(self, size))
    with pytest.raises(ContentError, match="more than 1 MB"):
        parse(tmp_path, files.recipe(X, Y, kind=kind), bomb)
    assert sum(seen) <= 10**6 + (1 << 17) and min(seen) > 0


def test_a_file_that_cannot_be_opened_is_not_called_wrong(tmp_path):
    """A fault of the disk says nothing about the content."""
    recipe = files.recipe(X, Y)
    with pytest.raises(FileNotFoundError):
        read(recipe, recipe.ways[0], [tmp_path / "nowhere"])


def test_the_fingerprint_is_of_the_content_alone():
    """Dense or sparse, either byte order, any memory order, and zero with a sign or without: one SHA-256."""
    from scipy.sparse import csr_array

    floats, y = FLOATS.copy(), Y.astype(np.uint8)
    floats[0, 0] = 0.0
    signed = floats.copy()
    signed[0, 0] = -0.0
    expected = files.fingerprint(floats.tolist(), Y, "float64")
    for same in (floats, signed, np.asfortranarray(floats), floats.astype(">f8"), csr_array(floats)):
        assert fingerprint(same, y) == expected
    changed = floats.copy()
    changed[3, 4] = np.nextafter(changed[3, 4], 1e9)
    for other, labels in ((changed, y), (floats, 1 - y), (floats[::-1], y), (floats.astype(np.float32), y)):
        assert fingerprint(other, labels) != expected
