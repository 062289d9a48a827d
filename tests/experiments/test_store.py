"""The store: what goes in comes out, whatever else happens to the file, the disk and the processes."""

import dataclasses
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bflo_viz.experiments import store as module
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.result import COLUMNS, Result
from bflo_viz.experiments.store import SCHEMA, Store, StoreError

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
TIMES = st.floats(min_value=0, max_value=1e9) | st.just(math.nan)
fewer = settings(max_examples=int(os.environ.get("BFLO_EXAMPLES") or 30))  # each writes a file

ENTROPIES = st.floats(-1e300, 1e300) | st.sampled_from([-math.inf, math.inf, math.nan])


@st.composite
def results(draw):
    """Any result that is possible."""
    curve = tuple(draw(st.lists(st.integers(0, 1000), max_size=50)))
    test_rows = draw(st.integers(1, 10**9))
    return Result(
        **{name: draw(WORDS) for name in ("experiment", "protocol", "stream", "learner", "data", "code", "machine")},
        key=draw(st.text("0123456789abcdef", min_size=32, max_size=32)),
        noise=draw(st.floats(0, 1)),
        run=draw(st.integers(0, 10**6)),
        rounds=max(1, sum(curve)) + draw(st.integers(0, 10**9)),
        online_mistakes=sum(curve),
        test_rows=test_rows,
        final_mistakes=draw(st.integers(0, test_rows)),
        mean_mistakes=draw(st.integers(0, test_rows)),
        mistakes=curve,
        entropy=draw(st.just(()) | st.lists(ENTROPIES, min_size=1, max_size=51).map(tuple)),
        seconds=draw(TIMES),
        memory_mb=draw(TIMES),
        finished=draw(st.datetimes()).isoformat(),
    )


def result(number=0, **changes):
    """A result of its own key."""
    values = dict.fromkeys(COLUMNS, "text") | dict.fromkeys(("noise", "seconds", "memory_mb"), 0.5)
    values |= {"key": f"{number:032x}", "run": number, "rounds": 100, "online_mistakes": 7, "test_rows": 20}
    values |= {"final_mistakes": 3, "mean_mistakes": 2, "mistakes": (3, 4), "entropy": (1.5, -math.inf, 0.25)}
    return Result(**(values | changes))


def same(one, other):
    """Equal in every column; NaN is NaN, and entropies have six digits."""
    for name in COLUMNS:
        a, b = getattr(one, name), getattr(other, name)
        if name == "entropy":
            assert len(a) == len(b)
            np.testing.assert_allclose(np.array(b), np.array(a), rtol=1e-4)
        elif isinstance(a, float):
            assert type(b) is float and (a == b or (math.isnan(a) and math.isnan(b))), name
        else:
            assert type(a) is type(b) and a == b, name


def surroundings(path):
    """Every file in the folder, with its bytes."""
    # The index of the log, -shm, is not content: processes keep their locks in it.
    files = {p.name: p.read_bytes() if p.is_file() else None for p in path.parent.iterdir()}
    return {name: b"" if name.endswith("-shm") else content for name, content in files.items()}


@pytest.fixture
def path(tmp_path):
    """Where a store may be made."""
    return tmp_path / "runs.sqlite"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The bytes of a store with many rows, so that it has many pages."""
    path = tmp_path_factory.mktemp("many") / "runs.sqlite"
    with Store(path) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        for number in range(120):
            store.add(result(number, mistakes=(7, *[0] * 49), entropy=tuple(range(51))))
    return path.read_bytes()


@pytest.fixture
def full(path, many):
    """Such a store; it is closed."""
    path.write_bytes(many)
    return path


def refused(path, saying, **options):
    """The store is refused with one sentence, and nothing in its folder has changed."""
    before = surroundings(path)
    with pytest.raises(StoreError, match=saying) as caught:
        Store(path, **options)
    said = str(caught.value)
    assert str(path) in said and said.endswith(".") and "\n" not in said
    assert surroundings(path) == before


@fewer
@given(st.lists(results(), max_size=4, unique_by=lambda one: one.key))
def test_what_goes_in_comes_out(rows):
    """Every column, in the order in which rows were added, through closing and opening."""
    with tempfile.TemporaryDirectory() as folder:
        with Store(Path(folder) / "runs.sqlite") as store:
            assert all(store.add(row) for row in rows)
        with Store(Path(folder) / "runs.sqlite") as store:
            found = list(store)
            assert store.keys() == {row.key for row in rows}
    assert len(found) == len(rows)
    for one, other in zip(rows, found, strict=True):
        same(one, other)


def test_a_row_is_there_the_moment_it_is_added(path):
    """Another process would see it, and the file says what it is."""
    with Store(path) as store:
        store.add(result())
        other = sqlite3.connect(path)
        assert other.execute("SELECT count(*) FROM results").fetchone() == (1,)
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("PRAGMA application_id").fetchone() == (int.from_bytes(b"bflo", "big"),)
        assert other.execute("PRAGMA user_version").fetchone() == (SCHEMA,)
        other.close()
    assert os.listdir(path.parent) == [path.name]  # closed, it is a single file


def test_each_commit_reaches_the_disk(path):
    """Not only the cache of the system: a power cut loses nothing either."""
    with Store(path) as store:
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_adding_twice_keeps_the_first(path):
    """The second is ignored, and says so."""
    with Store(path) as store:
        assert store.add(result(final_mistakes=1))
        assert not store.add(result(final_mistakes=2))
        assert [row.final_mistakes for row in store] == [1]


def test_results_come_in_the_order_of_the_trials(path):
    """Those that are there, of those that were asked for."""
    trials = load_protocol("demo").trials(4)
    with Store(path) as store:
        for trial in reversed(trials[1:]):
            store.add(result(key=trial.key))
        store.add(result(12345))
        assert [row.key for row in store.results(trials)] == [trial.key for trial in trials[1:]]


@pytest.mark.parametrize(
    "changes",
    [
        *({"test_rows": 0}, {"rounds": 0}, {"final_mistakes": 21}, {"mean_mistakes": -1}, {"noise": math.nan}),
        *({"run": -1}, {"mistakes": (3, 5)}, {"mistakes": (8, -1)}),
    ],
)
def test_an_impossible_result_is_not_kept(path, changes):
    """One such row would make the whole store unreadable."""
    with Store(path) as store:
        with pytest.raises(ValueError, match=r"result of text text run .* is wrong"):
            store.add(result(**changes))
        assert list(store) == []


def test_opening_changes_nothing(full):
    """Reading a store, many times, leaves every byte."""
    before = surroundings(full)
    for _ in range(3):
        with Store(full, create=False) as store:
            assert len(list(store)) == 120
    assert surroundings(full) == before


def test_random_bytes_are_refused(path):
    """Of any length."""
    rng = np.random.default_rng(0)
    for length in (1, 15, 100, 4095, 4096, 50_000):
        path.write_bytes(rng.bytes(length))
        refused(path, "is damaged, or not a store")
    path.write_bytes(b"SQLite format 3\0" + rng.bytes(10_000))
    refused(path, "is damaged, or not a store|of something else")


def test_every_truncation_is_refused(full):
    """However much is missing, but all of it: an empty file is where a store may be made."""
    whole = full.read_bytes()
    for length in [*range(1, len(whole), 10_113), 4096, 8192, len(whole) - 1, len(whole) - 4096]:
        full.write_bytes(whole[:length])
        refused(full, "is damaged, or not a store")


def test_every_page_that_is_overwritten_is_refused(full):
    """Rows, index and the first page: with zeros, with noise, with another page."""
    whole = full.read_bytes()
    noise = np.random.default_rng(0).bytes(4096)
    for page in range(len(whole) // 4096):
        for other in (bytes(4096), noise, whole[4096:8192] if page != 1 else whole[8192:12288]):
            if page == 0 and other is not noise:
                other = whole[:100] + other[100:]  # still marked as a store
            full.write_bytes(whole[: 4096 * page] + other + whole[4096 * (page + 1) :])
            refused(full, "is damaged, or not a store")


@pytest.mark.slow
def test_a_flipped_bit_is_noticed_or_does_no_harm(full):
    """The file is refused, or it can be read without a stack trace; a curve must still add up."""
    whole = full.read_bytes()
    rng = np.random.default_rng(1)
    seen = {"refused": 0, "row refused": 0, "read": 0}
    for place in (*range(0, 100, 2), *rng.integers(0, len(whole), 100)):
        broken = bytearray(whole)
        broken[place] ^= 1 << rng.integers(8)
        full.write_bytes(broken)
        try:
            store = Store(full)
        except StoreError:
            seen["refused"] += 1
            assert full.read_bytes() == bytes(broken)
            continue
        with store:
            try:
                assert all(row.problem() == "" for row in store)
                seen["read"] += 1
            except StoreError:
                seen["row refused"] += 1
    assert seen["refused"] > 20 and seen["read"] > 20


def test_the_file_of_another_program_is_refused(path):
    """Whether it has an application id or not, in WAL or not; an empty one may be used."""
    for mark, journal in ((0, "delete"), (0, "wal"), (42, "wal")):
        path.unlink(missing_ok=True)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute(f"PRAGMA journal_mode = {journal}")
        other.execute(f"PRAGMA application_id = {mark}")
        other.execute("CREATE TABLE bookmarks (url)")
        other.close()
        refused(path, "is an SQLite file of something else: name another file")


def test_a_newer_schema_is_refused(full):
    """With both versions in the sentence."""
    newer = sqlite3.connect(full, isolation_level=None)
    newer.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    newer.close()
    refused(
        full, rf"newer bflo_viz \(schema {SCHEMA + 1}, this one knows {SCHEMA}\): update bflo_viz, or name another"
    )


def test_a_newer_schema_that_is_still_in_the_log_is_refused(full):
    """Its writer was killed before the file itself had it."""
    code = f"""
import os, sqlite3
db = sqlite3.connect({str(full)!r}, isolation_level=None)
db.execute("PRAGMA user_version = {SCHEMA + 1}")
os._exit(0)"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert Path(f"{full}-wal").stat().st_size > 0
    refused(full, "newer bflo_viz")


def test_a_store_without_its_table_is_refused(full):
    """And one whose table has other columns."""
    for change in ("ALTER TABLE results RENAME COLUMN seconds TO minutes", "DROP TABLE results"):
        db = sqlite3.connect(full, isolation_level=None)
        db.execute(change)
        db.close()
        refused(full, "is damaged, or not a store")


def test_a_row_that_makes_no_sense_is_named(full):
    """Whoever changed it: one sentence, no stack trace."""
    for column, value, saying in (
        ("rounds", "'many'", "rounds is 'many'"),
        ("rounds", "9e999", "rounds is 'inf'"),
        ("entropy", "'1 2 x'", "entropy is 'x'"),
        ("online_mistakes", "8", "does not add up"),
        ("noise", "NULL", "noise is missing"),
    ):
        db = sqlite3.connect(full)
        (old,) = db.execute(f"SELECT {column} FROM results WHERE run = 5").fetchone()
        db.execute(f"UPDATE results SET {column} = {value} WHERE run = 5")
        db.commit()
        with Store(full) as store, pytest.raises(StoreError, match=rf"a row that cannot be read \(.*{saying}"):
            list(store)
        db.execute(f"UPDATE results SET {column} = ? WHERE run = 5", (old,))
        db.commit()
        db.close()


def test_what_is_not_a_file_is_refused(tmp_path):
    """A folder, a device; the name of SQLite's own memory is a name like any other."""
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", Path("/dev/null"), tmp_path):
        with pytest.raises(StoreError, match=f"{path} is not a file: name a file"):
            Store(path)
    with pytest.raises(StoreError, match=r"cannot be used .*name too long"):
        Store(tmp_path / ("x" * 300))
    where = os.getcwd()
    os.chdir(tmp_path)
    try:
        with Store(":memory:") as store:
            store.add(result())
        with Store(":memory:", create=False) as store:
            assert len(store.keys()) == 1
    finally:
        os.chdir(where)


def test_a_missing_folder_is_named(tmp_path):
    """And it is not made: it may be a typing mistake."""
    path = tmp_path / "no" / "runs.sqlite"
    with pytest.raises(StoreError, match=f"{path} cannot be used .*: name a file in a folder that exists"):
        Store(path)
    assert not path.parent.exists()


def test_a_store_that_must_be_there(path):
    """To read from: it is not made."""
    with pytest.raises(StoreError, match=f"there is no store {path}: bflo run"):
        Store(path, create=False)
    assert not path.exists()


def test_odd_names_are_names(tmp_path):
    """Signs that mean something in an address of SQLite."""
    for name in ("what?mode=memory", "50%25 #1.sqlite", "ä ö&x=1"):
        for _ in range(2):
            with Store(tmp_path / name) as store:
                store.add(result())
        assert (tmp_path / name).is_file()
    assert len(os.listdir(tmp_path)) == 3


UNPRIVILEGED = """
import os, sys
from bflo_viz.experiments.store import Store, StoreError
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)  # root may write everywhere
try:
    Store(sys.argv[1])
except StoreError as problem:
    print(problem)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders have other permissions there")
def test_where_one_may_not_write(full):
    """A read-only folder with a store or without, and a folder that one may not look into."""
    folder = Path(tempfile.mkdtemp())
    try:
        shutil.copy(full, folder / "runs.sqlite")
        for path, mode in ((folder / "runs.sqlite", 0o555), (folder / "new.sqlite", 0o555), (folder / "x", 0o000)):
            folder.chmod(mode)
            done = subprocess.run(
                [sys.executable, "-c", UNPRIVILEGED, str(path)], capture_output=True, text=True, cwd="/"
            )
            folder.chmod(0o755)
            assert done.stderr == "" and done.stdout.count("\n") == 1
            assert done.stdout.startswith(f"the store {path} cannot be used (") and "write to.\n" in done.stdout
            assert os.listdir(folder) == ["runs.sqlite"]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from test_store import Store, result
with Store(sys.argv[2]) as store:
    kept = sum(store.add(result(int(sys.argv[3]) + number)) for number in range(200))
print(kept)
"""


@pytest.mark.slow
def test_two_processes_lose_nothing(path):
    """Both make the store and add 200 rows each, half of them the same: 300 in all, each kept by exactly one."""
    here = str(Path(__file__).parent)
    both = [
        subprocess.Popen([sys.executable, "-c", WRITER, here, str(path), first], stdout=subprocess.PIPE, text=True)
        for first in ("0", "100")
    ]
    kept = [int(process.communicate(timeout=60)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    with Store(path) as store:
        assert sorted(row.run for row in store) == list(range(300))
    assert sum(kept) == 300


def test_a_store_in_use_can_be_opened(path):
    """While another connection has rows in its log, and while it writes."""
    with Store(path) as one, Store(path) as two:
        one.add(result(1))
        two.add(result(2))
        with Store(path) as three:
            assert len(three.keys()) == 3 - 1
            one._connection.execute("BEGIN IMMEDIATE")
            with Store(path) as four:
                assert len(four.keys()) == 2
            one._connection.execute("ROLLBACK")


def test_a_lock_that_is_never_given_back(path, monkeypatch):
    """After a while one sentence, and the row can be added later."""
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    with Store(path) as store, Store(path) as other:
        other._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"cannot be used .*locked.*: another process has been writing"):
            store.add(result())
        other._connection.execute("ROLLBACK")
        assert store.add(result())


def test_a_full_disk_is_said_and_nothing_is_lost(path):
    """SQLite ends the transaction by itself; the store goes on when there is room."""
    with Store(path) as store:
        store.add(result(0))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match=r"cannot be used .*full.*: make room and run the same command again"):
            all(store.add(result(number)) for number in range(1, 500))
        kept = [row.run for row in store]
        assert kept == list(range(len(kept))) and len(kept) >= 1
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.add(result(len(kept)))
    with Store(path) as store:
        assert len(store.keys()) == len(kept) + 1


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from test_store import Store, StoreError, result
with Store(sys.argv[2]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    for number in range(1000):
        try:
            store.add(result(number))
        except StoreError as problem:
            print(number, problem)
            sys.exit()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
def test_a_real_limit_of_the_file_system(path):
    """A file may not grow any further: what was kept before is whole."""
    here = str(Path(__file__).parent)
    done = subprocess.run([sys.executable, "-c", LIMITED, here, str(path)], capture_output=True, text=True)
    number, said = done.stdout.split(" ", 1)
    assert done.stderr == "" and said.startswith(f"the store {path} cannot be used (disk I/O error): see whether")
    with Store(path) as store:
        assert [row.run for row in store] == list(range(int(number)))


@pytest.mark.parametrize("put_another", [False, True])
def test_a_store_that_is_taken_away_is_noticed(path, put_another):
    """SQLite would go on writing to a file that has another name, or none."""
    with Store(path) as store:
        store.add(result(1))
        path.rename(path.with_name("other"))
        if put_another:
            path.touch()
        with pytest.raises(StoreError, match=f"{path} was moved, removed or replaced"):
            store.add(result(2))


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_makes_the_store(path):
    """At every step of the making: the next one goes on."""
    code = """
import os, sqlite3, sys
class Dying(sqlite3.Connection):
    left = int(sys.argv[2])
    def execute(self, *command):
        if not Dying.left:
            os._exit(9)
        Dying.left -= 1
        return super().execute(*command)
connect = sqlite3.connect
sqlite3.connect = lambda *a, **o: connect(*a, factory=Dying, **o)
from bflo_viz.experiments.store import Store
Store(sys.argv[1])
"""
    for steps in (5, 6, 11, 20):
        done = subprocess.run([sys.executable, "-c", code, str(path), str(steps)], capture_output=True)
        with Store(path) as store:
            assert store.add(result())
        assert os.listdir(path.parent) == [path.name]
        if done.returncode == 0:
            break
        path.unlink()
    else:
        pytest.fail("it was killed each time: count the steps again")


def test_a_result_is_frozen():
    """A row cannot be changed after the run."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        result().run = 3
