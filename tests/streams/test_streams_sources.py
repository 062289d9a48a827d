"""Where a stream comes from: the order of places, official names, and what becomes of files that are wrong."""

import gzip
import os

import numpy as np
import pytest
import stream_files as files

from bflo_viz.streams import StreamError, places, store
from bflo_viz.streams.sources import checked, obtain

X, Y = files.rows()
RIGHT = files.libsvm(X, Y)


def place(folder, name="tiny", content=RIGHT):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def is_right(arrays):
    return np.array_equal(arrays.X, X) and np.array_equal(arrays.y, Y)


def test_the_given_folder_comes_first_then_the_cache_folder(tmp_path, cache, monkeypatch):
    """A file in the cache folder is found, but not where the folder of BFLO_DATA has one."""
    recipe = files.recipe(X, Y)
    mine = place(cache)
    assert places.find(recipe)[1] == [mine]
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    assert places.find(recipe)[1] == [mine]
    given = place(tmp_path)
    assert places.find(recipe)[1] == [given]
    assert is_right(obtain(recipe))


@pytest.mark.parametrize("official", ["tiny", "tiny.gz", "tiny.bz2"])
@pytest.mark.parametrize("spelling", ["tiny", "tiny.gz", "tiny.bz2"])
@pytest.mark.parametrize("how", ["", ".gz", ".bz2"])
def test_a_folder_filled_by_hand_works(tmp_path, monkeypatch, official, spelling, how):
    """Packed or not, whatever the name says about that."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    place(tmp_path, spelling, files.packed(RIGHT, how))
    assert is_right(obtain(files.recipe(X, Y, names=(official,)), may_download=False))


def test_a_set_of_files_must_be_complete(tmp_path, monkeypatch):
    """One of two files is as good as none."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    recipe = files.recipe(X, Y, names=("one", "two"))
    place(tmp_path, "one", files.libsvm(X[:20], Y[:20]))
    assert places.find(recipe) is None
    place(tmp_path, "two", files.libsvm(X[20:], Y[20:]))
    assert is_right(obtain(recipe))


def test_any_way_will_do(tmp_path, monkeypatch):
    """Another official form of the same content is the same stream."""
    from dataclasses import replace

    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    first = files.recipe(X, Y, kind="csv", names=("table",))
    second = files.recipe(X, Y, labels={-1: 0, 1: 1}, names=("lines",))
    both = replace(first, ways=(*first.ways, *second.ways))
    place(tmp_path, "lines", files.libsvm(X, 2 * Y - 1))
    assert is_right(obtain(both))


def test_the_parsed_form_is_used_when_the_files_are_gone(tmp_path, monkeypatch):
    """What was parsed once is kept, dense and sparse, in its type."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    for sparse in (False, True):
        recipe = files.recipe(X, Y, sparse=sparse)
        file = place(tmp_path)
        first = obtain(recipe)
        file.unlink()
        again = obtain(recipe, may_download=False)
        assert again.X.dtype == first.X.dtype == np.int16
        dense = again.X.toarray() if sparse else again.X
        assert np.array_equal(dense, X) and np.array_equal(again.y, Y)
        store.path_of(recipe).unlink()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (files.libsvm(X[1:], Y[1:]), "49 rows, not 50"),
        (gzip.compress(RIGHT)[:-9], "cut off"),
        (b"<p>", "another format"),
    ],
)
def test_a_wrong_file_is_renamed_aside_and_never_used(tmp_path, monkeypatch, content, words):
    """The message names file, folder, the check that failed and the new name; nothing is kept of it."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    recipe = files.recipe(X, Y)
    place(tmp_path, content=content)
    with pytest.raises(StreamError, match=words) as error:
        obtain(recipe)
    sentence = str(error.value)
    assert f"tiny in {tmp_path} is not the stream tiny" in sentence and "renamed to tiny.rejected" in sentence
    assert sentence.endswith(".") and "\n" not in sentence
    assert (tmp_path / "tiny.rejected").read_bytes() == content
    assert not (tmp_path / "tiny").exists() and not store.path_of(recipe).exists()
    place(tmp_path)
    assert is_right(obtain(recipe))


def test_a_wrong_file_that_cannot_be_renamed_is_still_not_used(tmp_path, monkeypatch):
    """A shared folder may be read-only: then the message asks to move it away."""

    def refuse(source, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    place(tmp_path, content=b"<p>")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(StreamError, match="could not be renamed, so move it away"):
        obtain(files.recipe(X, Y))


def test_a_file_that_cannot_be_read_stays_where_it_is(tmp_path, monkeypatch):
    """A fault of the disk is no fault of the content."""

    def fail(*arguments):
        raise OSError(5, "Input/output error", str(tmp_path / "tiny"))

    path = place(tmp_path)
    monkeypatch.setattr("bflo_viz.streams.parsers.unpacked", fail)
    recipe = files.recipe(X, Y)
    with pytest.raises(StreamError, match=r"tiny cannot be read: Input/output error\.$"):
        checked(recipe, recipe.ways[0], [path])
    assert path.exists()


def test_what_is_nowhere_gets_one_sentence(cache):
    """It names the stream, the command, the file and both folders."""
    with pytest.raises(StreamError) as error:
        obtain(files.recipe(X, Y), may_download=False)
    sentence = str(error.value)
    for words in ("tiny is not here", "bflo data fetch tiny", "BFLO_DATA", str(cache)):
        assert words in sentence
    assert sentence.count("\n") == 0


def test_bflo_data_must_name_a_folder(tmp_path, monkeypatch):
    """A mistyped folder is not passed over in silence."""
    monkeypatch.setenv("BFLO_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match=r"BFLO_DATA names .*nowhere, which is not a folder"):
        obtain(files.recipe(X, Y))
