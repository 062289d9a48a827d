"""Where a stream comes from: the order of places, official names, the cache, and what becomes of wrong files."""

import errno
import gzip
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stream_files as files
from bflo_viz.streams.sources import cache_path, find_files, from_cache, obtain

from bflo_viz.streams import StreamError, datasets, sources
from bflo_viz.streams.datasets import Arrays

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


@pytest.mark.parametrize("official", ["tiny", "tiny.gz"])
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


def test_a_broken_parsed_form_is_removed_and_not_used(cache):
    """Any bit flipped, any part missing: it is noticed, or the numbers are right. No pickle is opened."""
    dataset, rng = files.dataset(X, Y), np.random.default_rng(0)
    sources._keep(dataset, Arrays(X.astype(np.int16), Y.astype(np.uint8)))
    path = cache_path(dataset)
    whole = path.read_bytes()
    broken = [whole[:length] for length in (*range(0, len(whole), 53), len(whole) - 1)]
    for place in rng.permutation(8 * len(whole))[:300]:
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        broken.append(bytes(flipped))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's remarks on odd headers
        for content in broken:
            path.write_bytes(content)
            arrays = from_cache(dataset)
            assert is_right(arrays) if arrays else not path.exists()

    rows, labels = files.rows(2000)
    large = files.dataset(rows, labels)
    sources._keep(large, Arrays(rows.astype(np.int16), labels.astype(np.uint8)))
    half = cache_path(large).read_bytes().replace(b"(2000, 7)", b"(1000, 7)")  # no checksum is made of a part
    cache_path(large).write_bytes(half)
    assert from_cache(large) is None

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(cache / "boom"),))

    np.savez(path, X=np.array([Bomb()], dtype=object), y=Y)
    assert from_cache(dataset) is None and list(cache.iterdir()) == []


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
        (LINES, "two", lambda data: data.replace(b" 7:", b" 99:"), "99 features"),
        (LINES, "one", lambda data: b"<html>", "another format"),
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
    (data / wrong).write_bytes(b"wrong again")
    with pytest.raises(StreamError, match=rf"renamed to {wrong}\.rejected-2 "):  # the older one keeps its name
        obtain(dataset)
    (data / wrong).write_bytes(content[wrong])
    assert np.array_equal(obtain(dataset).X, rows)


def test_faults_of_the_disk_are_told_in_a_sentence(data, monkeypatch):
    """A wrong file in a read-only folder is to be moved away; one that cannot be read stays, as it may be right."""

    def fail(*arguments):
        raise OSError(5, "Input/output error", str(data / "tiny"))

    (data / "tiny").write_bytes(b"<p>")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(StreamError, match="could not be renamed, so move it away"):
            obtain(files.dataset(X, Y))
    monkeypatch.setattr(datasets, "unpacked", fail)
    with pytest.raises(StreamError, match=r"tiny cannot be read: Input/output error\.$"):
        obtain(files.dataset(X, Y))
    assert (data / "tiny").exists()


def test_what_is_nowhere_gets_one_sentence(cache):
    """It names the stream, the command, the file and both folders."""
    with pytest.raises(StreamError) as error:
        obtain(files.dataset(X, Y), may_download=False)
    sentence = str(error.value)
    for words in ("tiny is not here: run  bflo data fetch tiny, or put tiny into", "BFLO_DATA", str(cache)):
        assert words in sentence
    assert sentence.count("\n") == 0


@pytest.mark.parametrize(
    ("function", "why"),
    [("access", "you may not enter: ask its owner"), ("path.isdir", "is not a folder: correct it")],
)
def test_a_folder_that_one_may_not_enter(data, monkeypatch, function, why):
    """One sentence, whether it is the folder itself or one above it."""
    monkeypatch.setattr(f"os.{function}", lambda *_: False)
    with pytest.raises(ValueError, match=f"BFLO_DATA names {data}, which {why}, or unset it"):
        obtain(files.dataset(X, Y))
