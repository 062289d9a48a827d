"""Where a stream comes from: the order of places, official names, the cache, and what becomes of wrong files."""

import errno
import gzip
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stream_files as files

from bflo_viz.streams import StreamError, datasets, sources
from bflo_viz.streams.datasets import Arrays
from bflo_viz.streams.sources import cache_path, find_files, from_cache, from_files, obtain, set_aside

X, Y = files.rows()
RIGHT = files.libsvm(X, Y)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder that BFLO_DATA names."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("BFLO_DATA", str(folder))
    return folder


def is_right(arrays):
    dense = arrays.X.toarray() if hasattr(arrays.X, "toarray") else arrays.X
    return np.array_equal(dense, X) and np.array_equal(arrays.y, Y) and dense.dtype == np.int16


def test_the_given_folder_comes_first_then_the_cache_folder(data, cache):
    """A file in the cache folder is found, but not where the folder of BFLO_DATA has one."""
    dataset = files.dataset(X, Y)
    cache.mkdir(parents=True)
    (cache / "tiny").write_bytes(RIGHT)
    assert find_files(dataset)[1] == [cache / "tiny"]
    (data / "tiny").write_bytes(RIGHT)
    assert find_files(dataset)[1] == [data / "tiny"]
    assert is_right(obtain(dataset))


@pytest.mark.parametrize("official", ["tiny", "tiny.gz", "tiny.bz2"])
@pytest.mark.parametrize("spelling", ["tiny", "tiny.gz", "tiny.bz2"])
@pytest.mark.parametrize("pack", files.PACK.values(), ids=files.PACK)
def test_a_folder_filled_by_hand_works(data, official, spelling, pack):
    """Packed or not, whatever the name says about that."""
    (data / spelling).write_bytes(pack(RIGHT))
    assert is_right(obtain(files.dataset(X, Y, urls={official: files.NOBODY}), may_download=False))


def test_any_complete_set_of_files_will_do(data):
    """One of two files is as good as none; another official form of the same content is the same stream."""
    two = files.dataset(X, Y, urls={"one": files.NOBODY, "two": files.NOBODY})
    table = files.dataset(X, Y, kind="csv", urls={"table": files.NOBODY})
    dataset = replace(two, file_sets=(*two.file_sets, *table.file_sets))
    (data / "one").write_bytes(files.libsvm(X[:20], Y[:20]))
    assert find_files(dataset) is None
    (data / "table").write_bytes(files.csv(X, Y))
    assert find_files(dataset)[1] == [data / "table"]
    (data / "two").write_bytes(files.libsvm(X[20:], Y[20:]))
    assert find_files(dataset)[1] == [data / "one", data / "two"] and is_right(obtain(dataset))


@pytest.mark.parametrize("sparse", [False, True])
def test_the_cache_serves_when_the_files_are_gone(data, cache, sparse):
    """What was parsed once is kept, and nothing beside it; a sparse stream is canonical, with no zeros stored."""
    dataset = files.dataset(X, Y, sparse=sparse)
    (data / "tiny").write_bytes(RIGHT)
    first = obtain(dataset)
    (data / "tiny").unlink()
    again = obtain(dataset, may_download=False)
    assert is_right(first) and is_right(again)
    if sparse:
        assert again.X.nnz == np.count_nonzero(X) and again.X.has_canonical_format
    assert list(cache.iterdir()) == [cache_path(dataset)] and dataset.sha256[:16] in cache_path(dataset).name
    assert from_cache(files.dataset(X, 1 - Y)) is None  # other content has another name


@pytest.fixture
def kept():
    """A stream whose parsed form is in the cache."""
    dataset = files.dataset(X, Y)
    sources._keep(dataset, Arrays(X.astype(np.int16), Y.astype(np.uint8)))
    return dataset


def broken_forms(whole):
    """The bytes of a parsed form that is not whole, or not one."""
    rng = np.random.default_rng(0)
    for place in rng.permutation(8 * len(whole))[:300]:
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        yield bytes(flipped)
    yield from (whole[:length] for length in (*range(0, len(whole), 53), len(whole) - 1))


def test_a_broken_parsed_form_is_removed_and_not_used(kept):
    """Any bit flipped, any part missing: it is noticed, or the numbers are right."""
    path = cache_path(kept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's remarks on odd headers
        for content in broken_forms(path.read_bytes()):
            path.write_bytes(content)
            arrays = from_cache(kept)
            assert is_right(arrays) if arrays else not path.exists()


def test_a_pickle_is_not_opened(kept):
    """Nothing in a file is executed."""

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(cache_path(kept).parent / "boom"),))

    np.savez(cache_path(kept), X=np.array([Bomb()], dtype=object), y=Y)
    assert from_cache(kept) is None and list(cache_path(kept).parent.iterdir()) == []


def test_a_full_disk_leaves_nothing_and_the_stream_still_loads(data, cache, monkeypatch):
    """The parsed form cannot be kept: a warning, no file, and the right arrays."""

    def full(self, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    (data / "tiny").write_bytes(RIGHT)
    monkeypatch.setattr(Path, "replace", full)
    with pytest.warns(RuntimeWarning, match="tiny could not be kept in .*: No space left on device"):
        assert is_right(obtain(files.dataset(X, Y)))
    assert list(cache.iterdir()) == []


PICTURES, LABELS = np.arange(6 * 4).reshape(6, 2, 2), np.array([0, 1, 0, 1, 1, 0])
IDX = {
    name: gzip.compress(files.idx(part))
    for name, part in zip("abcd", (PICTURES[:4], LABELS[:4], PICTURES[4:], LABELS[4:]), strict=True)
}
LINES = {"one": files.libsvm(X[:20], Y[:20]), "two": files.libsvm(X[20:], Y[20:])}


@pytest.mark.parametrize(
    ("content", "wrong", "damage", "words"),
    [
        *((IDX, name, lambda data: data[:-9], "it is cut off") for name in IDX),
        (IDX, "b", lambda data: b"<html>", "it is no idx file of labels"),
        (LINES, "two", lambda data: data.replace(b" 7:", b" 99:"), "99 features"),
        (LINES, "one", lambda data: b"<html>", "another format"),
        (LINES, "two", lambda data: b"", "it is cut off"),
    ],
)
def test_only_the_file_that_is_wrong_is_renamed(data, content, wrong, damage, words):
    """Of four, of two: the sentence names it, the others stay, and the right file in its place is used."""
    for name, right in content.items():
        (data / name).write_bytes(damage(right) if name == wrong else right)
    options = {"kind": "idx", "dtype": "uint8"} if content is IDX else {}
    rows, labels = (PICTURES.reshape(6, 4), LABELS) if content is IDX else (X, Y)
    dataset = files.dataset(rows, labels, urls=dict.fromkeys(content, files.NOBODY), **options)
    with pytest.raises(StreamError, match=words) as error:
        obtain(dataset)
    sentence = str(error.value)
    assert sentence.startswith(f"{wrong} in {data} is not a part of the stream tiny: ")
    assert sentence.endswith(f"so it was renamed to {wrong}.rejected and is not used any more.")
    assert sorted(os.listdir(data)) == sorted({*content, f"{wrong}.rejected"} - {wrong})
    assert not cache_path(dataset).exists()
    (data / wrong).write_bytes(content[wrong])
    assert np.array_equal(obtain(dataset).X, rows)


def test_an_older_file_that_was_wrong_keeps_its_name(tmp_path):
    """So that it can still be looked at."""
    for number in range(3):
        (tmp_path / "odd[1]").write_text(f"version {number}")
        set_aside([tmp_path / "odd[1]"])
    names = ["odd[1].rejected", "odd[1].rejected-2", "odd[1].rejected-3"]
    assert [(tmp_path / name).read_text() for name in names] == ["version 0", "version 1", "version 2"]


def test_a_wrong_file_that_cannot_be_renamed_is_still_not_used(data, monkeypatch):
    """A shared folder may be read-only: then the message asks to move it away."""

    def refuse(self, target):
        raise PermissionError(13, "Permission denied")

    (data / "tiny").write_bytes(b"<p>")
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StreamError, match="could not be renamed, so move it away"):
        obtain(files.dataset(X, Y))


def test_a_file_that_cannot_be_read_stays_where_it_is(data, monkeypatch):
    """A fault of the disk is no fault of the content."""

    def fail(*arguments):
        raise OSError(5, "Input/output error", str(data / "tiny"))

    (data / "tiny").write_bytes(RIGHT)
    monkeypatch.setattr(datasets, "unpacked", fail)
    dataset = files.dataset(X, Y)
    with pytest.raises(StreamError, match=r"tiny cannot be read: Input/output error\.$"):
        from_files(dataset, *find_files(dataset))
    assert (data / "tiny").exists()


def test_what_is_nowhere_gets_one_sentence(cache):
    """It names the stream, the command, the file and both folders."""
    with pytest.raises(StreamError) as error:
        obtain(files.dataset(X, Y), may_download=False)
    sentence = str(error.value)
    for words in ("tiny is not here: run  bflo data fetch tiny, or put tiny into", "BFLO_DATA", str(cache)):
        assert words in sentence
    assert sentence.count("\n") == 0


UNPRIVILEGED = """
import os
from bflo_viz._places import data_folder
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)  # root may enter every folder
try:
    data_folder()
except ValueError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have other permissions there")
@pytest.mark.parametrize(
    ("inside", "why"), [("", "you may not enter: ask its owner"), ("data", "is not a folder: correct it")]
)
def test_a_folder_that_one_may_not_enter(inside, why):
    """One sentence, whether it is the folder itself or one above it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        closed = Path(folder, "closed")
        (closed / "data").mkdir(parents=True)
        closed.chmod(0)
        environment = {**os.environ, "BFLO_DATA": str(closed / inside)}
        done = subprocess.run([sys.executable, "-c", UNPRIVILEGED], capture_output=True, text=True, env=environment)
        closed.chmod(0o700)
    assert (done.stdout, done.stderr) == (f"BFLO_DATA names {closed / inside}, which {why}, or unset it.\n", "")
