"""Results in a store and in CSV files: what goes in comes out, and what cannot be used gets one sentence."""

import functools
import math
import os
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pytest
from fake_results import result, results_of, write_csv
from hypothesis import given, settings
from hypothesis import strategies as st

from bflo_viz.experiments import results as module
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import COLUMNS, SCHEMA, Store, StoreError, read_csv

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.just(' a, "b"\nc=1 ')
TIMES = st.integers(0, 10**9).map(float) | st.just(math.nan)
ENTROPIES = st.floats(-1e300, 1e300) | st.sampled_from([-math.inf, math.inf, math.nan])
fewer = settings(max_examples=int(os.environ.get("BFLO_EXAMPLES") or 30))  # each writes a file


@st.composite
def results(draw):
    """Any result that is possible."""
    curve = tuple(draw(st.lists(st.integers(0, 1000), max_size=50)))
    rows = draw(st.integers(1, 10**9))
    texts = ("experiment", "protocol", "stream", "learner", "data", "code", "machine", "finished")
    return result(
        draw(st.integers(0, 10**6)),
        **{name: draw(WORDS) for name in texts},
        **{name: draw(TIMES) for name in ("seconds", "memory_mb")},
        **{name: draw(st.integers(0, rows)) for name in ("final_mistakes", "mean_mistakes")},
        noise=draw(st.floats(0, 1)),
        rounds=max(1, sum(curve)) + draw(st.integers(0, 10**9)),
        online_mistakes=sum(curve),
        test_rows=rows,
        mistakes=curve,
        entropy=tuple(draw(st.lists(ENTROPIES, max_size=51))),
    )


def same(one, other):
    """Equal in every column; NaN is NaN, and entropies have five digits."""
    for name in COLUMNS:
        a, b = getattr(one, name), getattr(other, name)
        assert type(a) is type(b)
        if name in ("entropy", "seconds", "memory_mb"):
            np.testing.assert_allclose(np.array(b), np.array(a), rtol=1e-4)
        else:
            assert a == b, name


@pytest.fixture
def path(tmp_path):
    """Where a store may be made."""
    return tmp_path / "runs.sqlite"


def refused(path, saying, **options):
    """The store is refused with one sentence, and nothing in its folder has changed."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    with pytest.raises(StoreError, match=saying) as caught:
        Store(path, **options)
    text = str(caught.value)
    assert str(path) in text and text.endswith(".") and "\n" not in text
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == before


def sql(path, *commands):
    connection = sqlite3.connect(path, isolation_level=None)
    answers = [connection.execute(command).fetchone() for command in commands]
    connection.close()
    return answers


@fewer
@given(st.lists(results(), max_size=4, unique_by=lambda row: row.key))
def test_what_goes_in_comes_out(rows):
    """Every column in order, of a store that is closed and opened, and of a CSV file, which is not rounded twice."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder) / "runs.sqlite", Path(folder) / "results.csv"
        with Store(path) as store:
            assert all(store.add(row) for row in rows)
        with Store(path, create=False) as store:
            stored = list(store)
            assert store.keys() == {row.key for row in rows}
        write_csv(text, rows)
        before, read = text.read_bytes(), read_csv(text)
        write_csv(text, read)
        assert text.read_bytes() == before and sorted(os.listdir(folder)) == ["results.csv", "runs.sqlite"]
    for one, other, another in zip(rows, stored, read, strict=True):
        same(one, other), same(one, another)


def test_a_row_is_there_the_moment_it_is_added(path):
    """Another process would see it, and the file says what it is; commits reach the disk, not only its cache."""
    with Store(path) as store:
        store.add(result())
        questions = ("SELECT count(*) FROM results", "PRAGMA application_id", "PRAGMA user_version")
        assert sql(path, *questions) == [(1,), (int.from_bytes(b"bflo", "big"),), (SCHEMA,)]
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_adding_twice_keeps_the_first_and_results_come_in_the_order_of_the_trials(path):
    """Those that are there, of those that were asked for."""
    trials = load_protocol("demo").trials(4)
    with Store(path) as store:
        for trial in reversed(trials[1:]):
            assert store.add(result(key=trial.key)) and not store.add(result(key=trial.key, final_mistakes=2))
        store.add(result(12345))
        rows = store.results(trials)
    assert [(row.key, row.final_mistakes) for row in rows] == [(trial.key, 3) for trial in trials[1:]]


@pytest.mark.parametrize(
    "changes",
    [
        *({"test_rows": 0}, {"rounds": 0}, {"final_mistakes": 21}, {"mean_mistakes": -1}, {"noise": math.nan}),
        *({"run": -1}, {"mistakes": (3, 5)}, {"mistakes": (8, -1)}),
    ],
)
def test_an_impossible_result_is_refused(changes):
    """It cannot even be made: one such row would make the whole store unreadable."""
    with pytest.raises(ValueError, match=r"^there must be rows|does not add up|impossible\.$"):
        result(**changes)


@pytest.mark.parametrize("column", [*COLUMNS, "checksum"])
def test_a_row_that_was_changed_is_refused(path, column):
    """In any column, also where the new value would be possible: before a run begins, and in a table."""
    with Store(path) as store:
        for row in results_of(load_protocol("demo"), 1):
            store.add(row)
    numbers = ("noise", "run", "rounds", "test_rows", "final_mistakes", "mean_mistakes", "seconds", "memory_mb")
    new = {"online_mistakes": "online_mistakes + 1, mistakes = online_mistakes + 1", "mistakes": "'40 60'"}.get(
        column, f"{column} + 1" if column in numbers else f"'1' || {column}"
    )
    sql(path, f"UPDATE results SET {column} = {new} WHERE rowid = 3")
    with Store(path) as store, pytest.raises(StoreError, match="has a row that cannot be read"):
        store.keys()


@pytest.mark.parametrize(
    ("change", "saying"),
    [
        ("UPDATE results SET rounds = 'many'", "rounds is 'many'"),
        ("UPDATE results SET noise = NULL", "noise is missing"),
        ("ALTER TABLE results ADD COLUMN more", "cannot be read"),
        ("DROP TABLE results", "is damaged, or not a store"),
    ],
)
def test_a_store_that_makes_no_sense_gets_one_sentence(path, change, saying):
    """What cannot be read, or whose checksum is that of other numbers."""
    with Store(path) as store:
        store.add(result())
    sql(path, change)
    with Store(path) as store, pytest.raises(StoreError, match=saying):
        list(store)


def test_what_is_no_store_is_refused_and_left_as_it_is(path):
    """Notes, noise of any length, files of other programs, stores of other versions."""
    noise = np.random.default_rng(0)
    for start, length in ((b"My notes.\n", 0), (b"", 1), (b"", 600), (b"", 50_000), (b"SQLite format 3\0", 9000)):
        path.write_bytes(start + noise.bytes(length))
        refused(path, "is damaged, or not a store|of something else")
    path.unlink()
    sql(path, "CREATE TABLE bookmarks (url)")
    refused(path, "is an SQLite file of something else: name another file")
    path.unlink()
    with Store(path):
        pass
    sql(path, f"PRAGMA user_version = {SCHEMA + 1}")
    refused(path, rf"another version of bflo_viz \(schema {SCHEMA + 1}, not {SCHEMA}\)")


def test_where_no_store_can_be(tmp_path):
    """A folder, a device, a folder that is missing and is not made, a name too long, a store that must be there."""
    for path in (tmp_path, Path(os.devnull)):
        with pytest.raises(StoreError, match=f"{path} is not a file: name a file"):
            Store(path)
    with pytest.raises(StoreError, match=r"runs.sqlite cannot be used .*: name a file in a folder that exists"):
        Store(tmp_path / "no" / "runs.sqlite")
    with pytest.raises(StoreError, match=r"cannot be used .*name too long"):
        Store(tmp_path / ("x" * 300))
    refused(tmp_path / "gone.sqlite", "there is no store .*: bflo run", create=False)
    assert os.listdir(tmp_path) == []


def test_a_read_only_store_can_be_read_but_not_run_into(path, monkeypatch):
    """It is said before the first run, not after it."""
    with Store(path) as store:
        store.add(result())
    read_only = functools.partial(sqlite3.connect, uri=True)
    monkeypatch.setattr(sqlite3, "connect", lambda path, **options: read_only(f"file:{path}?mode=ro", **options))
    with Store(path, create=False) as store:
        assert len(store.keys()) == 1
    refused(path, r"cannot be used \(.*readonly.*\): name a file that you may write to")


def test_a_lock_that_is_never_given_back(path, monkeypatch):
    """After a while one sentence, and the row can be added later."""
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    with Store(path) as store, Store(path) as other:
        other._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"cannot be used .*locked.*: another process has been writing"):
            store.add(result())
        other._connection.execute("ROLLBACK")
        assert store.add(result())


def test_a_full_disk_loses_nothing(path):
    """One sentence; the store goes on when there is room."""
    with Store(path) as store:
        store.add(result(0))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"cannot be used .*full.*: make room and run the same command again"):
            all(store.add(result(number)) for number in range(1, 500))
        stored = [row.run for row in store]
        assert stored == list(range(len(stored))) and len(stored) >= 1
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.add(result(len(stored)))
    with Store(path) as store:
        assert len(store.keys()) == len(stored) + 1


CHANGES = {
    "nothing in it": (lambda text: b"", "does not begin with the names of the columns"),
    "cut in a row": (lambda text: text[:-60], "line 3: .* is "),
    "a column too many": (lambda text: text[:-1] + b",more\n", "line 3: there are more values than columns"),
    "a word for a number": (lambda text: text.replace(b",100,", b",many,", 1), "line 2: rounds is 'many'"),
    "a curve that does not add up": (lambda text: text.replace(b"3 4", b"3 5", 1), "line 2: the learning curve"),
    "no text": (lambda text: text + b"\xff\xfe", "it is not text"),
}


@pytest.mark.parametrize(("change", "saying"), CHANGES.values(), ids=CHANGES)
def test_a_broken_file_gets_one_sentence(tmp_path, change, saying):
    """With the line that is wrong, where there is one."""
    path = tmp_path / "results.csv"
    write_csv(path, [result(0), result(1)])
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=rf"results.csv is not a file of results: .*{saying}") as caught:
        read_csv(path)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_a_file_that_cannot_be_read(tmp_path):
    for path, why in ((tmp_path / "no.csv", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(ValueError, match=f"{path} could not be read: {why}"):
            read_csv(path)
