"""Files into arrays: every format, packed or not; and files that are not what they should be."""

import bz2
import gzip
import struct

import numpy as np
import pytest
import stream_files as files
from scipy.sparse import csr_array

from bflo_viz.streams import StreamError, datasets
from bflo_viz.streams.datasets import ContentError, read
from bflo_viz.streams.stream import fingerprint

X, Y = files.rows()
FLOATS = np.round(X / 7.0, 6)


def parse(tmp_path, dataset, *contents):
    (file_set,) = dataset.file_sets
    paths = [tmp_path / f"file {place}" for place in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    return read(dataset, file_set, paths)


@pytest.mark.parametrize("pack", files.PACK.values(), ids=files.PACK)
@pytest.mark.parametrize("ending", ["\n", "", "\n\n", "\r\n"])
def test_libsvm_text_in_two_files(tmp_path, pack, ending):
    """The same rows whatever the packing and the end of a file, and classes as the set of files names them."""
    dataset = files.dataset(X, Y, labels=[(-1,), (1,)])
    parts = [files.libsvm(X[rows], 2 * Y[rows] - 1, ending=ending) for rows in (slice(20), slice(20, None))]
    X_read, y_read = parse(tmp_path, dataset, pack(parts[0]), parts[1])
    assert np.array_equal(X_read, X) and np.array_equal(y_read, Y)
    assert X_read.dtype == np.int16 and y_read.dtype == np.uint8


@pytest.mark.parametrize("pack", files.PACK.values(), ids=files.PACK)
def test_tables_and_pictures(tmp_path, pack):
    """Seven labels as two classes, as covtype's are; floats of ARFF to the last bit; two pairs of idx files."""
    labels = np.where(Y == 1, 2, 1 + 2 * np.arange(len(Y)) % 7)
    labels[(Y == 0) & (labels == 2)] = 7
    dataset = files.dataset(X, Y, kind="csv", labels=[(1, 3, 4, 5, 6, 7), (2,)])
    X_read, y_read = parse(tmp_path, dataset, pack(files.csv(X, labels)))
    assert np.array_equal(X_read, X) and np.array_equal(y_read, Y)
    for start in ("@DATA", "@data", "@Data  "):
        dataset = files.dataset(FLOATS, Y, dtype="float64", kind="arff")
        X_read, y_read = parse(tmp_path, dataset, pack(files.arff(FLOATS, Y, data=start)))
        assert np.array_equal(X_read, FLOATS) and np.array_equal(y_read, Y)
    pictures, labels = np.random.default_rng(1).integers(0, 256, (9, 3, 4)), np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
    dataset = files.dataset(pictures.reshape(9, 12), labels, dtype="uint8", kind="idx")
    parts = (pictures[:6], labels[:6], pictures[6:], labels[6:])
    X_read, y_read = parse(tmp_path, dataset, *(pack(files.idx(part)) for part in parts))
    assert np.array_equal(X_read, pictures.reshape(9, 12)) and np.array_equal(y_read, labels)


LINES, TABLE = files.libsvm(X, Y), files.csv(X, Y)


def with_first(value):
    changed = X.astype(object)
    changed[0, 0] = value
    return files.libsvm(changed, Y)


def damaged(packed):
    return packed[:30] + b"x" * 90 + packed[120:]


@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        ("libsvm", files.libsvm(X[:-1], Y[:-1]), "it has 49 rows of 7 features, not 50 of 7"),
        ("libsvm", files.libsvm(X, 1 - Y), "class 'class 0' has"),
        ("libsvm", files.libsvm(X, [*Y[:-1], 5]), "it has a label 5"),
        ("libsvm", LINES.replace(b" 7:", b" 9:", 1), "another format .*9 features"),
        ("libsvm", LINES.replace(b" 1:", b" 0:", 1), "another format .*index 0"),
        ("libsvm", with_first(299), "SHA-256"),
        ("libsvm", with_first(40_000), r"40000\.0 is not a number of type int16"),
        ("libsvm", with_first(0.5), r"0\.5 is not a number of type int16"),
        ("libsvm", b"<html>no</html>", "damaged or of another format"),
        ("libsvm", b"", "it is cut off"),
        ("libsvm", gzip.compress(LINES)[:-20], "it is cut off"),
        ("libsvm", bz2.compress(LINES)[:-20], "it is cut off"),
        ("libsvm", damaged(gzip.compress(LINES)), "damaged"),
        ("libsvm", damaged(bz2.compress(LINES)), "damaged"),
        ("csv", files.csv(X[:, 1:], Y), "it has 50 rows of 6 features, not 50 of 7"),
        ("csv", TABLE.replace(b",", b",99999", 1), "damaged or of another format"),
        ("csv", TABLE.replace(b"\n", b"\n\xff", 1), "damaged or of another format"),
        ("csv", b"1," * 60_000, "a line has more than 100,000 bytes"),
        ("arff", files.arff(X, Y).partition(b"@DATA")[0], "it has no line @DATA"),
        ("arff", files.arff(X, Y).partition(b"@DATA")[0] + b"@DATA\n", "it is cut off"),
    ],
)
def test_a_wrong_text_file_says_which_check_failed(tmp_path, kind, content, words):
    """Rows, labels, features, numbers, content, packing; and which file it was, where one is wrong by itself."""
    with pytest.raises(ContentError, match=words) as caught:
        parse(tmp_path, files.dataset(X, Y, kind=kind), content)
    assert caught.value.path in (None, tmp_path / "file 0")


PICTURES, LABELS = np.arange(24).reshape(2, 3, 4), np.array([0, 1])


@pytest.mark.parametrize(
    ("images", "labels", "wrong", "words"),
    [
        (files.idx(PICTURES)[:-1], files.idx(LABELS), 0, "cut off"),
        (files.idx(PICTURES)[:9], files.idx(LABELS), 0, "cut off"),
        (files.idx(PICTURES), files.idx(LABELS)[:-1], 1, "cut off"),
        (files.idx(PICTURES) + b"x", files.idx(LABELS), 0, "goes on after its 2 rows"),
        (files.idx(LABELS), files.idx(LABELS), 0, "no idx file of images"),
        (files.idx(PICTURES.reshape(2, 4, 3)[:, :2]), files.idx(LABELS), 0, "images have 2 x 3 pixels"),
        (struct.pack(">4I", 0x803, 2, 2**31, 2**31), files.idx(LABELS), 0, "pixels"),
        (files.idx(np.vstack([PICTURES, PICTURES])), files.idx(LABELS), None, "4 rows of 12 features, not 2"),
        (files.idx(PICTURES), files.idx(LABELS[:1]), None, "differ in number"),
    ],
)
def test_a_wrong_idx_file_says_which_check_failed(tmp_path, images, labels, wrong, words):
    """Nothing is allocated for what a header claims before it is found to be right."""
    dataset = files.dataset(PICTURES.reshape(2, 12), LABELS, dtype="uint8", kind="idx")
    with pytest.raises(ContentError, match=words) as caught:
        parse(tmp_path, dataset, images, labels)
    assert caught.value.path == (None if wrong is None else tmp_path / f"file {wrong}")


@pytest.mark.parametrize("kind", ["libsvm", "csv", "idx"])
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch, kind, pack):
    """Twenty megabytes of blanks in a few bytes: no more than the bound is ever read."""
    bomb = pack(b" " * 20_000_000)
    assert len(bomb) < 30_000
    owner = gzip.GzipFile if pack is gzip.compress else bz2.BZ2File
    sizes, original = [], owner.read
    monkeypatch.setattr(owner, "read", lambda self, size=-1: sizes.append(size) or original(self, size))
    with pytest.raises(ContentError, match="it unpacks to more than 1 MB"):
        parse(tmp_path, files.dataset(X, Y, kind=kind), bomb)
    assert sizes == [10**6 + 1]


def test_without_scikit_learn_the_advice_is_to_install_it(tmp_path, monkeypatch):
    """It reads the files of LIBSVM; the others need nothing."""
    monkeypatch.setattr(datasets, "find_spec", lambda name: None)
    with pytest.raises(StreamError, match=r"tiny is read with scikit-learn: run  .* and try again\.$"):
        parse(tmp_path, files.dataset(X, Y), LINES)
    assert np.array_equal(parse(tmp_path, files.dataset(X, Y, kind="csv"), TABLE).X, X)


def test_the_fingerprint_is_of_the_content_alone():
    """Dense or sparse, either byte order, any memory order, and zero with a sign or without: one SHA-256."""
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
