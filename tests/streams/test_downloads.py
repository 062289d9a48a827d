"""Downloads from a server that misbehaves on purpose."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stream_files as files
from stream_server import serving

from bflo_viz.streams import StreamError, sources

X, Y = files.rows()
CONTENT = files.libsvm(X, Y)


@pytest.fixture
def server():
    """It serves the right content, if it is asked to."""
    with serving(CONTENT) as server:
        yield server


def fetch(server, *behaviours):
    """Fetch a stream from one address after the other."""
    sets = [files.dataset(X, Y, urls={"tiny": server.url(behaviour)}).file_sets[0] for behaviour in behaviours]
    return sources.obtain(replace(files.dataset(X, Y), file_sets=tuple(sets)))


@pytest.mark.parametrize(("behaviour", "requests"), [("fine", 1), ("failing", 2), ("moved", 1)])
def test_a_download_that_ends_well(server, cache, behaviour, requests):
    """Right at once, after an error, or somewhere else; it is kept, and not fetched again."""
    for _ in range(2):
        arrays = fetch(server, behaviour)
        assert np.array_equal(arrays.X, X) and np.array_equal(arrays.y, Y)
    assert server.asked.count(behaviour) == requests
    assert (cache / "tiny").read_bytes() == CONTENT
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".npz"]


@pytest.mark.parametrize(
    ("behaviour", "requests", "words"),
    [
        ("truncated", 2, "the connection failed (ChunkedEncodingError)"),
        ("missing", 2, "the server answers 404"),
        ("hanging", 2, "the connection failed (ConnectionError)"),
        ("endless", 1, "the file is larger than 1 MB, so it cannot be right"),
        ("circle", None, "the server answers 302"),
        ("wrong", 1, "damaged or of another format"),
        ("other", 1, "SHA-256"),
        ("dripping", 1, "it is too slow, "),
    ],
)
def test_a_download_that_ends_badly(server, cache, monkeypatch, behaviour, requests, words):
    """One sentence says what went wrong and what to do; nothing that is not whole and right stays in its place."""
    if behaviour == "hanging":  # all others have the usual time: a busy machine is not silent
        monkeypatch.setattr(sources, "TIMEOUT", (2.0, 0.5))
    if behaviour == "dripping":
        monkeypatch.setattr(sources, "PATIENCE", 0.0)
        monkeypatch.setattr(sources, "LEAST_SPEED", 1e9)
    with pytest.raises(StreamError) as error:
        fetch(server, behaviour)
    sentence = str(error.value)
    assert sentence.startswith("tiny is not here and could not be downloaded (") and words in sentence
    assert f"put tiny into the folder that BFLO_DATA names, or into {cache} (" in sentence
    assert "\n" not in sentence
    assert requests is None or server.asked.count(behaviour) == requests
    assert [path.name for path in cache.glob("*")] in ([], ["tiny.rejected"])


@pytest.mark.parametrize("first", ["missing", "truncated", "wrong", "other"])
def test_the_second_address_helps_out(server, first):
    """Whatever was wrong with the first one; if both are wrong, each is told with what went wrong there."""
    with pytest.raises(StreamError, match=r"\(.*; .*larger than 1 MB.*\): put tiny into"):
        fetch(server, first, "endless")
    assert np.array_equal(fetch(server, first, "fine").X, X)


def test_a_folder_that_cannot_be_written_gets_a_sentence(server, cache):
    """A file where the cache folder should be."""
    cache.parent.mkdir(parents=True)
    cache.write_text("in the way")
    with pytest.raises(StreamError, match=r"cannot be written: .*put tiny into the folder that BFLO_DATA names"):
        fetch(server, "fine")


_FETCHING = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import stream_files as files
from bflo_viz.streams import sources
X, Y = files.rows()
print((sources.obtain(files.dataset(X, Y, urls={{"tiny": sys.argv[1]}})).X == X).all())
"""


def test_processes_that_fetch_at_once_all_succeed(server, cache):
    """Each gets the right arrays, and one parsed form is left."""
    command = [sys.executable, "-W", "error", "-c", _FETCHING, server.url("fine")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    children = [subprocess.Popen(command, env=os.environ, **pipes) for _ in range(2)]
    for child in children:
        out, err = child.communicate(timeout=60)
        assert (out, err) == ("True\n", "")
    dataset = files.dataset(X, Y)
    assert sorted(path.name for path in cache.iterdir()) == ["tiny", sources.cache_path(dataset).name]
    assert np.array_equal(sources.from_cache(dataset).X, X)
