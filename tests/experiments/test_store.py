"""Results in a store and in CSV files: what goes in comes out, and what cannot be used gets one sentence."""

import math
import os
import sqlite3
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from fake_results import result, write_csv

from bflo_viz.experiments.results import COLUMNS, PUBLISHED, Store, read_csv

HARD = result(1, learner=' a, "b"\nc=1 ', seconds=1e-9, entropy=(1e300, -math.inf, math.nan), mistakes=(), data="x")


@pytest.fixture
def path(tmp_path):
    """Where a store may be made."""
    return tmp_path / "runs.sqlite"


def test_what_goes_in_comes_out(path, tmp_path):
    """All columns from a store, the published ones from a file; entropies have five digits. Texts can be anything."""
    rows = [result(0, entropy=(1.23456789,)), HARD]
    with Store(path) as store:
        assert all(map(store.add, rows)) and not store.add(rows[0])
    write_csv(tmp_path / "rows.csv", rows)
    with Store(path, create=False) as store:
        for found, columns in ((list(store), COLUMNS), (read_csv(tmp_path / "rows.csv"), PUBLISHED)):
            for before, after in zip(rows, found, strict=True):
                np.testing.assert_allclose(after.entropy, before.entropy, rtol=1e-4)
                names = [name for name in columns if name != "entropy"]
                assert [getattr(before, name) for name in names] == [getattr(after, name) for name in names]


def test_a_row_is_there_at_once_and_only_once_for_two_processes_too(path):
    """The first of two results of a run stays; they come in the order in which they were added."""
    with Store(path) as store, Store(path) as other:
        for number in (3, 1, 2):
            assert store.add(result(number)) and not other.add(result(number, final_mistakes=2))
        assert other.add(result(12345))
        assert [(row.run, row.final_mistakes) for row in store] == [(3, 3), (1, 3), (2, 3), (12345, 3)]


FILL = """
import resource, signal, sys
sys.path.insert(0, sys.argv[3])
from fake_results import result
from bflo_viz.experiments.results import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
with Store(sys.argv[1]) as store:
    try:
        for number in range(1000):
            store.add(result(number))
            print(number, flush=True)
    except ValueError as problem:
        print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of file sizes")
def test_a_full_disk_loses_nothing(path):
    """One sentence; all that was stored is there, and the store goes on when there is room."""
    arguments = [sys.executable, "-c", FILL, path, "60000", os.path.dirname(__file__)]
    *stored, sentence = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(stored) > 10 and "cannot be used" in sentence and "the disk has room" in sentence, sentence
    with Store(path) as store:
        assert [row.run for row in store] == list(map(int, stored))
        assert store.add(result(len(stored)))


def test_a_store_that_cannot_be_written_is_refused_before_the_runs(path, monkeypatch):
    """As on a disk that is read-only; it can still be read."""
    with Store(path) as store:
        store.add(result(1))
    read_only = partial(sqlite3.connect, uri=True)
    monkeypatch.setattr(sqlite3, "connect", lambda path, **options: read_only(f"file:{path}?mode=ro", **options))
    with pytest.raises(ValueError, match=r"see that you may write to it .* readonly database"):
        Store(path)
    with Store(path, create=False) as store:
        assert len(list(store)) == 1


@pytest.mark.parametrize("content", [b"My notes.\n", b"x" * 50_000, b"SQLite format 3\0" + b"x" * 9_000])
def test_what_is_no_store_is_refused_and_left_as_it_is(path, content):
    """Notes shorter than SQLite's header, other files, damaged ones; also where none can be, and one to be read."""
    path.write_bytes(content)
    for place in (path, path.parent, path.parent / "no" / "runs.sqlite"):
        with pytest.raises(
            ValueError, match=r"^the store .* cannot be used; see .*\(nothing that was stored is lost\)"
        ):
            Store(place)
    assert path.read_bytes() == content
    with pytest.raises(ValueError, match=r"there is no store .*: bflo run"):
        Store(path.with_name("gone"), create=False)


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", ",".join(COLUMNS).encode() + b"\nkey,table1\n", b"\xff\xfe"])
def test_a_broken_file_gets_one_sentence(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]*runs.sqlite is not a file of results: [^\n]*$"):
        read_csv(path)
