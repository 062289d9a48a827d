"""Every row of a store has a checksum: what a fault of the disk or an editor changed is not shown as a result."""

import sqlite3

import pytest
from fake_results import results_of

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.result import COLUMNS
from bflo_viz.experiments.store import SCHEMA, Store, StoreError

ROWS = results_of(load_protocol("demo"), 2)


@pytest.fixture
def path(tmp_path):
    """A store with a few rows."""
    with Store(tmp_path / "runs.sqlite") as store:
        for row in ROWS:
            store.add(row)
    return tmp_path / "runs.sqlite"


def do(path, *commands):
    connection = sqlite3.connect(path, isolation_level=None)
    for command in commands:
        connection.execute(command)
    connection.close()


@pytest.mark.parametrize("column", [*COLUMNS, "checksum"])
def test_a_row_that_was_changed_is_refused(path, column):
    """In any column, also where the new value would be possible; it is told before a run begins, and in a table."""
    number = column in ("noise", "run", "rounds", "test_rows", "final_mistakes", "mean_mistakes", "seconds")
    new = {"online_mistakes": "online_mistakes + 1, mistakes = online_mistakes + 1", "mistakes": "'40 60'"}.get(
        column, f"{column} + 1" if number or column == "memory_mb" else f"'1' || {column}"
    )
    do(path, f"UPDATE results SET {column} = {new} WHERE rowid = 3")
    for look in (list, Store.keys, lambda store: store.results([])):
        with Store(path) as store, pytest.raises(StoreError, match="has a row that cannot be read"):
            look(store)


def test_a_store_of_the_first_schema_is_brought_up_to_date(path):
    """Its rows get their checksums once; all are there, and more can be added."""
    do(path, "ALTER TABLE results DROP COLUMN checksum", "PRAGMA user_version = 1")
    for _ in range(2):
        with Store(path, create=False) as store:
            assert list(store) == ROWS and not store.add(ROWS[0])
    do(path, "UPDATE results SET seconds = 9 WHERE rowid = 1")
    with Store(path) as store, pytest.raises(StoreError, match=r"its checksum is not that of DEMO SGD"):
        list(store)
    (schema,) = sqlite3.connect(path).execute("PRAGMA user_version").fetchone()
    assert schema == SCHEMA


def test_a_table_whose_text_is_damaged_is_refused(path):
    """SQLite passes on what is no text; the sentence is ours."""
    path.write_bytes(path.read_bytes().replace(b"resultsresults", b"\xf2esultsresults"))
    with pytest.raises(StoreError, match="is damaged, or not a store"):
        Store(path)
