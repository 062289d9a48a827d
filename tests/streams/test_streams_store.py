"""The parsed form on disk: whole and right, or not there; through kills, full disks, and several processes."""

import errno
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import stream_files as files
from stream_server import serving

from bflo_viz.streams import sources, store
from bflo_viz.streams.parsers import Arrays, verify

X, Y = files.rows()
HERE = str(Path(__file__).parent)


@pytest.fixture(params=[False, True], ids=["dense", "sparse"])
def kept(request):
    """A stream whose parsed form has been written."""
    from scipy.sparse import csr_array

    recipe = files.recipe(X, Y, sparse=request.param)
    examples = X.astype(np.int16)
    store.save(recipe, Arrays(csr_array(examples) if request.param else examples, Y.astype(np.uint8)))
    return recipe


def test_what_is_kept_is_what_was_parsed(kept):
    """To the bit, under a name that has the fingerprint, with nothing beside it."""
    found = store.load(kept)
    verify(kept, found)
    assert kept.sha256[:16] in store.path_of(kept).name
    assert [path.name for path in store.path_of(kept).parent.iterdir()] == [store.path_of(kept).name]


def test_it_appears_all_at_once(kept, monkeypatch):
    """It is written elsewhere, and there is nothing in its place before it is whole."""
    path, arrays = store.path_of(kept), store.load(kept)
    path.unlink()
    appeared = []

    def replace(source, target):
        assert not path.exists() and Path(target) == path
        appeared.append(Path(source).read_bytes())
        rename(source, target)

    rename = os.replace
    monkeypatch.setattr(os, "replace", replace)
    store.save(kept, arrays)
    assert appeared == [path.read_bytes()]


@pytest.mark.slow
def test_every_flipped_bit_is_noticed(kept):
    """A file with any bit changed is removed instead of used, or says the same."""
    path = store.path_of(kept)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's remarks on odd headers
        for place in (*range(8 * 128), *rng.permutation(8 * len(whole))[:500]):  # all of the first header
            broken = bytearray(whole)
            broken[place // 8] ^= 1 << (place % 8)
            path.write_bytes(broken)
            found = store.load(kept)
            if found is None:
                assert not path.exists()
            else:
                verify(kept, found)


def test_every_truncation_is_noticed(kept):
    """However little is missing at the end."""
    path = store.path_of(kept)
    whole = path.read_bytes()
    for length in (*range(0, len(whole), 53), len(whole) - 1):
        path.write_bytes(whole[:length])
        assert store.load(kept) is None
        assert not path.exists()


def test_a_pickle_is_not_opened(kept):
    """Nothing in a file is executed."""
    import pickle

    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(store.path_of(kept).parent / "boom"),))

    bomb = np.array([Bomb()], dtype=object)
    with store.path_of(kept).open("wb") as file:
        np.save(file, bomb, allow_pickle=True)
        pickle.dump(Bomb(), file)
    assert store.load(kept) is None
    assert not (store.path_of(kept).parent / "boom").exists()


def test_other_content_has_another_name(kept):
    """A registry that expects something else does not find the old form."""
    other = files.recipe(X, 1 - Y, sparse=kept.sparse)
    assert store.load(other) is None and store.load(kept) is not None


def test_a_full_disk_leaves_nothing_and_the_stream_still_loads(tmp_path, cache, monkeypatch):
    """The parsed form cannot be kept: a warning, no file, and the right arrays."""

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "tiny").write_bytes(files.libsvm(X, Y))
    monkeypatch.setenv("BFLO_DATA", str(tmp_path))
    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match="could not be kept in .*: No space left on device"):
        arrays = sources.obtain(files.recipe(X, Y))
    assert np.array_equal(arrays.X, X)
    assert list(cache.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_write_that_stops_halfway_leaves_nothing(tmp_path, cache):
    """A real limit on the size of files: nothing is left but the right arrays."""
    (tmp_path / "tiny").write_bytes(files.libsvm(X, Y))
    code = f"""
import resource, sys, warnings
sys.path.insert(0, {HERE!r})
import stream_files as files
from bflo_viz.streams import sources
X, Y = files.rows()
resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.RLIM_INFINITY))
warnings.simplefilter("ignore")
print((sources.obtain(files.recipe(X, Y)).X == X).all())
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "BFLO_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.stdout == "True\n", run.stderr
    assert list(cache.iterdir()) == []


_PARSING = f"""
import sys
sys.path.insert(0, {HERE!r})
import stream_files as files
from bflo_viz.streams import sources, store
X, Y = files.rows(4000, 40)
recipe = files.recipe(X, Y, kind="csv")
print("ready", flush=True)
while True:
    sources.obtain(recipe)
    store.path_of(recipe).unlink()
"""


@pytest.mark.slow
def test_kills_never_leave_a_wrong_parsed_form(tmp_path, cache):
    """kill -9 at random moments, and just when something is written: what is left is whole, or not found."""
    big, labels = files.rows(4000, 40)
    recipe = files.recipe(big, labels, kind="csv")
    (tmp_path / "tiny").write_bytes(files.csv(big, labels))
    environment = {**os.environ, "BFLO_DATA": str(tmp_path)}
    half_written = 0
    for moment in (*np.random.default_rng(0).uniform(0, 0.2, 6), *[None] * 6):
        child = subprocess.Popen([sys.executable, "-c", _PARSING], env=environment, stdout=subprocess.PIPE)
        assert child.stdout.readline() == b"ready\n"
        if moment is not None:
            time.sleep(moment)
        else:
            while not any(cache.glob("*.tmp")):
                assert child.poll() is None
        child.kill()
        child.wait()
        child.stdout.close()
        half_written += len(list(cache.glob("*.tmp")))
        path = store.path_of(recipe)
        was_there = path.exists()
        found = store.load(recipe)
        assert (found is not None) == was_there  # never one that is not whole
        if found is not None:
            verify(recipe, found)
        assert np.array_equal(sources.checked(recipe, recipe.ways[0], [tmp_path / "tiny"]).X, big)
        for left in cache.glob("*"):
            left.unlink()
    assert half_written  # else nothing was tried


def test_what_a_killed_process_left_is_swept_up_later(kept, cache):
    """Half-written files of long ago go; one that is being written now stays."""
    (cache / "tiny-old.tmp").write_bytes(b"x")
    (cache / "tmpold").write_bytes(b"x")
    (cache / "tiny-new.tmp").write_bytes(b"x")
    long_ago = time.time() - 10 * 24 * 3600
    for name in ("tiny-old.tmp", "tmpold"):
        os.utime(cache / name, (long_ago, long_ago))
    store.save(kept, store.load(kept))
    assert sorted(path.name for path in cache.iterdir()) == sorted(["tiny-new.tmp", store.path_of(kept).name])


_FETCHING = f"""
import sys
sys.path.insert(0, {HERE!r})
import stream_files as files
from bflo_viz.streams import sources
X, Y = files.rows()
recipe = files.recipe(X, Y, urls=[sys.argv[1]])
print((sources.obtain(recipe).X == X).all())
"""


def test_processes_that_fetch_at_once_all_succeed(cache):
    """Three of them from a slow server: each gets the right arrays, and one parsed form is left."""
    with serving(files.libsvm(X, Y)) as server:
        command = [sys.executable, "-W", "error", "-c", _FETCHING, server.url("slow")]
        children = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)
        ]
        for child in children:
            out, err = child.communicate(timeout=60)
            assert out == "True\n", err
        assert server.times("slow") >= 1
    recipe = files.recipe(X, Y)
    assert sorted(path.name for path in cache.iterdir()) == sorted(["tiny", store.path_of(recipe).name])
    verify(recipe, store.load(recipe))
