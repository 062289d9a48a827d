"""What a run leaves behind: one row of numbers, in an SQLite store or in the CSV files that come with the course."""

import contextlib
import csv
import hashlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from bflo_viz import _places
from bflo_viz._errors import UserError
from bflo_viz.experiments.protocol import Trial, load_protocol

_CURVES = {"mistakes": int, "entropy": float}  # columns with several numbers
_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Result:
    """One finished run. Numbers that are impossible are refused, so such a row is neither stored nor read."""

    key: str  # digest of all that decides the outcome: see `Trial.key`
    experiment: str
    protocol: str
    stream: str
    learner: str
    noise: float
    run: int
    rounds: int  # of learning
    online_mistakes: int  # rounds that were predicted wrongly, against the true labels
    test_rows: int
    final_mistakes: int  # in the test, predicted as the protocol says
    mean_mistakes: int  # in the test, predicted by the mean of the belief
    mistakes: tuple[int, ...]  # the learning curve: in each block of rounds
    entropy: tuple[float, ...]  # of the belief in nats, before the first block and after each; empty without a belief
    seconds: float
    memory_mb: float  # the most that its process ever had
    data: str  # digest of the stream as it was loaded
    code: str  # version and digest of the code
    machine: str
    finished: str  # when (UTC)

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.test_rows < 1:
            raise ValueError("there must be rows to learn from and rows to test on.")
        if self.mistakes and (sum(self.mistakes) != self.online_mistakes or min(self.mistakes) < 0):
            raise ValueError("the learning curve does not add up to the mistakes.")
        most = {"online_mistakes": self.rounds, "final_mistakes": self.test_rows, "mean_mistakes": self.test_rows}
        if any(not 0 <= getattr(self, name) <= limit for name, limit in most.items()):
            raise ValueError("counts of mistakes are impossible.")
        if not 0 <= self.noise <= 1 or self.run < 0:
            raise ValueError("noise or run is impossible.")

    @property
    def online(self) -> float:
        """Online error in percent."""
        return 100 * self.online_mistakes / self.rounds

    @property
    def final(self) -> float:
        """Final error in percent, predicted as the protocol says."""
        return 100 * self.final_mistakes / self.test_rows

    @property
    def final_by_mean(self) -> float:
        """Final error in percent, predicted by the mean of the belief."""
        return 100 * self.mean_mistakes / self.test_rows

    def as_texts(self) -> dict[str, Any]:
        """The row with its curves as text: numbers with blanks between them."""
        row = {name: getattr(self, name) for name in COLUMNS}
        row["mistakes"] = " ".join(map(str, self.mistakes))
        row["entropy"] = " ".join(f"{value:.5g}" for value in self.entropy)
        return row

    @classmethod
    def from_texts(cls, row: dict[str, Any]) -> "Result":
        """The opposite of `as_texts`; a ValueError if something is missing or is not a number."""
        values: dict[str, Any] = {}
        for column in fields(cls):
            text = row.get(column.name)
            if text is None:
                raise ValueError(f"{column.name} is missing.")
            try:
                if column.name in _CURVES:
                    values[column.name] = tuple(map(_CURVES[column.name], str(text).split()))
                else:
                    values[column.name] = column.type(text)  # type: ignore[operator]
            except (ValueError, TypeError, OverflowError):
                raise ValueError(f"{column.name} is {str(text)[:40]!r}.") from None
        return cls(**values)


COLUMNS = tuple(column.name for column in fields(Result))


@dataclass(frozen=True)
class Counts:
    """What is kept of the runs of one setting where there are many: counts alone, a number for each run."""

    key: str  # of its run 0: see `Trial.key`
    stream: str
    learner: str
    noise: float
    settings: str  # options of the switches that decide it, in words
    runs: tuple[int, ...]  # which they are
    rounds: int
    online_mistakes: tuple[int, ...]
    test_rows: int
    final_mistakes: tuple[int, ...]
    mean_mistakes: tuple[int, ...]
    seconds: float  # of all its runs
    data: str
    code: str

    def errors(self, measure: str) -> list[float]:
        """The ``"online"`` or ``"final"`` error of each run in percent."""
        counts, of = {
            "online": (self.online_mistakes, self.rounds),
            "final": (self.final_mistakes, self.test_rows),
        }[measure]
        return [100 * count / of for count in counts]

    def results(self, trial: Trial) -> list[Result]:
        """The runs one by one, as those of a trial with these settings; they have no curves."""
        shared = {name: getattr(self, name) for name in ("stream", "learner", "noise", "rounds", "test_rows")}
        counts = zip(self.runs, self.online_mistakes, self.final_mistakes, self.mean_mistakes, strict=True)
        return [
            Result(
                key=replace(trial, run=run).key,
                experiment=trial.experiment,
                protocol="",
                **shared,
                run=run,
                online_mistakes=online,
                final_mistakes=final,
                mean_mistakes=mean,
                mistakes=(),
                entropy=(),
                seconds=self.seconds / len(self.runs),
                memory_mb=math.nan,
                data=self.data,
                code=self.code,
                machine="",
                finished="",
            )
            for run, online, final, mean in counts
        ]

    def as_texts(self) -> dict[str, Any]:
        """The row with several numbers as text: with blanks between them."""
        row = {name: getattr(self, name) for name in COUNT_COLUMNS}
        return (
            row | {name: " ".join(map(str, row[name])) for name in _OF_EACH_RUN} | {"seconds": f"{self.seconds:.1f}"}
        )

    @classmethod
    def from_texts(cls, row: dict[str, Any]) -> "Counts":
        """The opposite of `as_texts`; a ValueError if something is missing or is not a number."""
        try:
            values: dict[str, Any] = {name: tuple(map(int, row[name].split())) for name in _OF_EACH_RUN}
            values |= {name: int(row[name]) for name in ("rounds", "test_rows")}
            values |= {name: float(row[name]) for name in ("noise", "seconds")}
            counts = cls(**row | values)
        except (AttributeError, TypeError, ValueError):
            raise ValueError("a number is missing, or is none.") from None
        most = {
            "online_mistakes": counts.rounds,
            "final_mistakes": counts.test_rows,
            "mean_mistakes": counts.test_rows,
        }
        for name, limit in most.items():
            numbers = getattr(counts, name)
            if not counts.runs or len(numbers) != len(counts.runs) or min(numbers) < 0 or max(numbers) > limit:
                raise ValueError(f"{name} is impossible.")
        return counts


COUNT_COLUMNS = tuple(column.name for column in fields(Counts))
_OF_EACH_RUN = ("runs", "online_mistakes", "final_mistakes", "mean_mistakes")


def read_csv(path: Path) -> list[Result]:
    """Read results as ``tools/publish_results.py`` writes them, a line for each run."""
    return _read(path, COLUMNS, Result.from_texts)


def read_counts(path: Path) -> list[Counts]:
    """Read what is kept of a protocol with switches, a line for each setting."""
    return _read(path, COUNT_COLUMNS, Counts.from_texts)


def _read(path: Path, columns: tuple[str, ...], made: Callable[[dict[str, Any]], _Row]) -> list[_Row]:
    rows, line = [], 1
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if tuple(reader.fieldnames or ()) != columns:
                raise ValueError("it does not begin with the names of the columns.")
            for row in reader:
                line = reader.line_num
                if None in row:
                    raise ValueError("there are more values than columns.")
                rows.append(made(row))
    except OSError as problem:
        raise ValueError(f"{path} could not be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a file of results: it is not text.") from None
    except (ValueError, csv.Error) as problem:
        why = str(problem).rstrip(".")
        raise ValueError(f"{path} is not a file of results: line {line}: {why}.") from None
    return rows


def file_name(experiment: str, protocol: str) -> str:
    """Name of the file of a protocol: ``table1-inferred.csv``."""
    return f"{experiment}-{protocol.replace(', ', '-')}.csv"


def committed(experiment: str, protocol: str = "inferred", *, quick: bool = False) -> list[Result]:
    """Results that come with the course, one for each run; a protocol that has none gives none.

    Those of a protocol with switches have no curves.

    >>> rows = committed("demo")
    >>> len(rows), rows[0].learner, rows[0].rounds
    (250, 'SGD', 8000)
    """
    settings = load_protocol(experiment, protocol, quick=quick)
    path = _places.results_folder() / file_name(experiment, settings.name)
    if not path.is_file():
        return []
    if not settings.switches:
        return read_csv(path)
    trials = {trial.key: trial for trial in settings.trials(1)}
    return [row for counts in read_counts(path) if counts.key in trials for row in counts.results(trials[counts.key])]


# The store

SCHEMA = 2
_MARK = int.from_bytes(b"bflo", "big")  # the application id of our files
_PATIENCE = 60.0  # seconds to wait for another process that writes
_ADVICE = {
    "locked": "another process has been writing for a minute; try again",
    "full": "make room and run the same command again, nothing that was stored is lost",
    "disk I/O": "see whether the disk is full, and run the same command again: nothing that was stored is lost",
    "unable to open": "name a file in a folder that exists and that you may write to",
    "readonly": "name a file that you may write to",
}
_MOVE = "move it away, or name another file"


class StoreError(UserError):
    """A store cannot be used; one sentence says why, and the file is as it was."""


class Store:
    """An SQLite file of results: each is in it the moment it is added, and stays there whatever happens next.

    It is opened with ``with Store(path) as store:``. With ``create=False`` it must be there already.
    """

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        with self._in_a_sentence():
            if not create and not self.path.exists():
                raise StoreError(f"there is no store {self.path}: bflo run … --store {self.path} makes it.")
            if self.path.exists() and not self.path.is_file():
                raise StoreError(f"{self.path} is not a file: name a file for the store.")
            # SQLite takes a file that is shorter than its header for an empty one, and would write over it.
            if self.path.exists():
                with self.path.open("rb") as file:
                    if file.read(16) not in (b"", b"SQLite format 3\0"):
                        raise sqlite3.DatabaseError("it has other content")
            # The whole path: a name such as ":memory:" would be something else to SQLite.
            self._connection = sqlite3.connect(self.path.absolute(), timeout=_PATIENCE, isolation_level=None)
        try:
            with self._in_a_sentence():
                self._prepare(create)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, create: bool) -> None:
        if create:
            self._connection.execute("BEGIN IMMEDIATE")
        questions = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        mark, schema, tables = (self._connection.execute(question).fetchone()[0] for question in questions)
        if create and not mark and not tables:
            columns = ", ".join("key PRIMARY KEY" if name == "key" else name for name in COLUMNS)
            self._connection.execute(f"CREATE TABLE results ({columns}, checksum)")
            self._connection.execute(f"PRAGMA application_id = {_MARK}")
        elif (mark, schema) != (_MARK, SCHEMA):
            whose = (
                f"another version of bflo_viz (schema {schema}, not {SCHEMA})" if mark == _MARK else "something else"
            )
            raise StoreError(f"{self.path} is an SQLite file of {whose}: name another file.")
        if create:  # it writes in any case: a file that cannot be written is refused before the runs, not after
            self._connection.execute(f"PRAGMA user_version = {SCHEMA}")
            self._connection.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def add(self, result: Result) -> bool:
        """Store a result; False if the same run is there already."""
        values = [*result.as_texts().values(), _checksum(result)]
        command = f"INSERT OR IGNORE INTO results VALUES ({', '.join('?' * len(values))})"
        with self._in_a_sentence():
            return self._connection.execute(command, values).rowcount == 1

    def keys(self) -> set[str]:
        """Keys of all stored runs. All rows are read, so that a damaged one is found before new runs are made."""
        return {result.key for result in self}

    def results(self, trials: Iterable[Trial]) -> list[Result]:
        """Results of those trials that are stored, in the order of the trials."""
        by_key = {result.key: result for result in self}
        return [by_key[trial.key] for trial in trials if trial.key in by_key]

    def __iter__(self) -> Iterator[Result]:
        with self._in_a_sentence():
            rows = self._connection.execute("SELECT * FROM results ORDER BY rowid").fetchall()
        for *values, checksum in rows:
            try:
                texts = dict(zip(COLUMNS, values, strict=True))
                for name in ("seconds", "memory_mb"):
                    texts[name] = math.nan if texts[name] is None else texts[name]  # SQLite has no NaN
                result = Result.from_texts(texts)
                if checksum != _checksum(result):
                    raise ValueError(f"its checksum is not that of {result.stream} {result.learner}.")
            except ValueError as problem:
                why = str(problem).rstrip(".")
                raise StoreError(f"{self.path} has a row that cannot be read ({why}): {_MOVE}.") from None
            yield result

    @contextlib.contextmanager
    def _in_a_sentence(self) -> Iterator[None]:
        """Put what SQLite or the system says into a sentence."""
        try:
            yield
        except (OSError, sqlite3.DatabaseError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            advice = next((advice for word, advice in _ADVICE.items() if word in why), "")
            if not advice and isinstance(problem, sqlite3.DatabaseError):
                raise StoreError(f"{self.path} is damaged, or not a store ({why}): {_MOVE}.") from None
            advice = advice or _ADVICE["readonly"]
            raise StoreError(f"the store {self.path} cannot be used ({why}): {advice}.") from None


def _checksum(result: Result) -> str:
    """Of all columns, as they are read back."""
    texts = json.dumps(Result.from_texts(result.as_texts()).as_texts())
    return hashlib.sha256(texts.encode()).hexdigest()[:16]
