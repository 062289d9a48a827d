"""Finished runs in an SQLite file: each is there the moment it ends, and stays there whatever happens next."""

import contextlib
import hashlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from bflo_viz.experiments.protocol import Trial
from bflo_viz.experiments.result import COLUMNS, Result

SCHEMA = 2
_MARK = 0x62666C6F  # "bflo": the application id of our files
_PATIENCE = 60.0  # seconds to wait for another process that writes
_MAGIC = b"SQLite format 3\0"
_PAGE = 4096  # bytes of a page of SQLite
_TYPES = {
    **dict.fromkeys(COLUMNS, "TEXT NOT NULL"),
    **dict.fromkeys(("noise", "seconds", "memory_mb"), "REAL"),
    **dict.fromkeys(
        ("run", "rounds", "online_mistakes", "test_rows", "final_mistakes", "mean_mistakes"), "INTEGER NOT NULL"
    ),
    "key": "TEXT PRIMARY KEY",
    "checksum": "TEXT NOT NULL DEFAULT ''",
}
_CURES = {
    "locked": "another process has been writing for a minute; try again",
    "full": "make room and run the same command again, nothing that was kept is lost",
    "disk I/O": "see whether the disk is full, and run the same command again: nothing that was kept is lost",
    "unable to open": "name a file in a folder that exists and that you may write to",
    "readonly": "name a file that you may write to",
}


class StoreError(ValueError):
    """A store cannot be used; one sentence says why, and the file is as it was."""


class Store:
    """A file of results; several processes may write to it at once.

    It is opened with ``with Store(path) as store:``. With ``create=False`` it must be there already.
    """

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        with self._worded():
            if self.path.exists() and not self.path.is_file():
                raise StoreError(f"{self.path} is not a file: name a file for the store.")
            if not create and not self.path.exists():
                raise StoreError(f"there is no store {self.path}: bflo run … --store {self.path} makes it.")
            self._check_file()
            # The whole path: a name such as ":memory:" would be something else to SQLite.
            self._connection = sqlite3.connect(self.path.absolute(), timeout=_PATIENCE, isolation_level=None)
        try:
            with self._worded():
                self._prepare()
                self._file = self._identity()
        except BaseException:
            self._connection.close()
            raise

    def _check_file(self) -> None:
        """Refuse what is not a sound store before SQLite may change it or leave a file beside it."""
        if self._is_blank():
            return
        log = Path(f"{self.path.absolute()}-wal")
        for last in (False, False, True):
            # Without a log nobody has it open: it can be looked at without locks, and so without leaving any behind.
            before, logged = self.path.stat(), log.exists()
            try:
                self._measure()
                return self._look("mode=ro" if logged else "immutable=1")
            except sqlite3.DatabaseError:
                after = self.path.stat()
                same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
                if last or (same and log.exists() == logged):
                    raise  # nobody has written meanwhile: it is the file itself

    def _is_blank(self) -> bool:
        """Whether there is no file, or one without content: a single page of SQLite has no room for a table."""
        if not self.path.exists():
            return True
        with self.path.open("rb") as file:
            start = file.read(_PAGE + 1)
        blank = start.startswith(_MAGIC) and len(start) == _PAGE and start[68:72] == bytes(4)
        return not start or blank

    def _measure(self) -> None:
        """SQLite takes a file that is shorter than a page for an empty one, and would write over it."""
        with self.path.open("rb") as file:
            start = file.read(18)
        if not start.startswith(_MAGIC):
            raise sqlite3.DatabaseError("it has other content")
        page = int.from_bytes(start[16:18], "big")
        if page < 512 or self.path.stat().st_size % page:
            raise sqlite3.DatabaseError("a part of it is missing")

    def _look(self, how: str) -> None:
        quiet = sqlite3.connect(f"{self.path.absolute().as_uri()}?{how}", uri=True, timeout=_PATIENCE)
        with contextlib.closing(quiet):
            mark, schema, tables = _signs(quiet)
            if mark != _MARK and (mark or tables):
                raise StoreError(f"{self.path} is an SQLite file of something else: name another file.")
            if mark == _MARK and schema > SCHEMA:
                raise StoreError(
                    f"{self.path} was written by a newer bflo_viz (schema {schema}, this one knows {SCHEMA}): update "
                    "bflo_viz, or name another file."
                )
            if mark == _MARK:
                found = tuple(row[1] for row in quiet.execute("PRAGMA table_info(results)"))
                if found != {1: COLUMNS, SCHEMA: tuple(_TYPES)}.get(schema):
                    raise sqlite3.DatabaseError("its table of results is not as it should be")
            problem = quiet.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if problem != "ok":
                raise sqlite3.DatabaseError(" ".join(problem.split()))

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA synchronous = FULL")
        mark, schema, _ = _signs(self._connection)
        if mark == _MARK:
            return None if schema == SCHEMA else self._bring_up_to_date()
        _patiently(self._connection, "PRAGMA journal_mode = WAL")
        columns = ", ".join(f"{name} {kind}" for name, kind in _TYPES.items())
        with self._writing():
            mark, _, tables = _signs(self._connection)
            if mark != _MARK and (mark or tables):
                raise StoreError(f"{self.path} is an SQLite file of something else: name another file.")
            self._connection.execute(f"CREATE TABLE IF NOT EXISTS results ({columns})")
            self._connection.execute(f"PRAGMA application_id = {_MARK}")
            self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def _bring_up_to_date(self) -> None:
        """Rows of the first schema had no checksum: each gets that of what it says now."""
        with self._writing():
            if _signs(self._connection)[1] == SCHEMA:  # another process has done it
                return
            self._connection.execute(f"ALTER TABLE results ADD COLUMN checksum {_TYPES['checksum']}")
            for result, _ in self._rows():
                told = (_checksum(result), result.key)
                self._connection.execute("UPDATE results SET checksum = ? WHERE key = ?", told)
            self._connection.execute(f"PRAGMA user_version = {SCHEMA}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was added is in it."""
        self._connection.close()

    def add(self, result: Result) -> bool:
        """Keep a result; False if another process had kept the same run before."""
        problem = result.problem()
        if problem:
            raise ValueError(f"the result of {result.stream} {result.learner} run {result.run} is wrong: {problem}.")
        row = {**result.as_texts(), "checksum": _checksum(result)}
        places = ", ".join(f":{name}" for name in row)
        with self._worded():
            if self._identity() != self._file:
                raise StoreError(
                    f"{self.path} was moved, removed or replaced while it was in use: put it back, and run the same "
                    "command again."
                )
            with self._writing():
                done = self._connection.execute(
                    f"INSERT OR IGNORE INTO results ({', '.join(row)}) VALUES ({places})", row
                )
        return done.rowcount == 1

    def keys(self) -> set[str]:
        """Keys of all runs that are kept; all rows are looked at, so that a damaged one is told of before a run."""
        return {result.key for result in self}

    def results(self, trials: Iterable[Trial]) -> list[Result]:
        """Results of those trials that are kept, in the order of the trials."""
        found = {result.key: result for result in self}
        return [found[trial.key] for trial in trials if trial.key in found]

    def __iter__(self) -> Iterator[Result]:
        for result, checksum in self._rows():
            if checksum != _checksum(result):
                raise self._unreadable(f"its checksum is not that of {result.stream} {result.learner}")
            yield result

    def _rows(self) -> Iterator[tuple[Result, str]]:
        """What each row says, and its checksum."""
        with self._worded():
            rows = self._connection.execute("SELECT * FROM results ORDER BY rowid").fetchall()
        for row in rows:
            texts = dict(zip(_TYPES, row, strict=True))
            for name in ("seconds", "memory_mb"):
                texts[name] = math.nan if texts[name] is None else texts[name]  # SQLite has no NaN
            try:
                yield Result.from_texts(texts), texts["checksum"]
            except ValueError as problem:
                raise self._unreadable(problem) from None

    def _unreadable(self, why: object) -> StoreError:
        return StoreError(f"{self.path} has a row that cannot be read ({why}): move it away, or name another file.")

    def _identity(self) -> tuple[int, int] | None:
        """Which file the path names now; another one, or none, would not get what is written here."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, that has its lock from the start: so it waits for others instead of failing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk has ended it already
                self._connection.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        """Say in a sentence what SQLite or the system says."""
        try:
            yield
        except OSError as problem:
            why = problem.strerror or problem
            raise StoreError(f"the store {self.path} cannot be used ({why}): {_CURES['readonly']}.") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as problem:
            cure = next((cure for word, cure in _CURES.items() if word in str(problem)), "")
            if isinstance(problem, sqlite3.OperationalError) and cure:
                raise StoreError(f"the store {self.path} cannot be used ({problem}): {cure}.") from None
            raise StoreError(
                f"{self.path} is damaged, or not a store ({problem}): it was left as it is; move it away, or name "
                "another file."
            ) from None


def _checksum(result: Result) -> str:
    """Of all that a row says, as it is read back."""
    said = json.dumps(Result.from_texts(result.as_texts()).as_texts())
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def _signs(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """What tells a store from another file: application id, schema version, and how many tables there are."""
    asked = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    mark, schema, tables = (int(connection.execute(question).fetchone()[0]) for question in asked)
    return mark, schema, tables


def _patiently(connection: sqlite3.Connection, command: str) -> None:
    """Changing the journal does not wait for another process by itself."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute(command)
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > until:
                raise
            time.sleep(0.05)
