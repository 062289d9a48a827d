"""Results of runs: one row of numbers each, in an SQLite store or in the CSV files that come with the course."""

import contextlib
import csv
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import sem

from bflo_viz import _places
from bflo_viz._errors import UserError
from bflo_viz.experiments.protocol import Trial, load_protocol

_CURVES: dict[str, type] = {"mistakes": int, "entropy": float}  # columns with several numbers


@dataclass(frozen=True)
class Result:
    """One finished run."""

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
    data: str  # digest of the stream as it was read
    code: str  # version and digest of the code
    machine: str
    finished: str  # when (UTC)

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

    def to_row(self) -> dict[str, Any]:
        """Return it by column; curves are texts, numbers with blanks between them."""
        row = {name: getattr(self, name) for name in COLUMNS}
        row["mistakes"] = " ".join(map(str, self.mistakes))
        row["entropy"] = " ".join(f"{value:.5g}" for value in self.entropy)
        return row

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> "Result":
        """Undo `to_row`."""
        values: dict[str, Any] = {}
        for column in fields(cls):
            value = row[column.name]
            if column.name in _CURVES:
                values[column.name] = tuple(map(_CURVES[column.name], value.split()))
            else:
                values[column.name] = column.type("nan" if value is None else value)  # type: ignore[operator]
        return cls(**values)


COLUMNS = tuple(column.name for column in fields(Result))


def read_csv(path: Path) -> list[Result]:
    """Read a file of results, a line for each run."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [Result.from_row(row) for row in csv.DictReader(file)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(f"{path} is not a file of results ({problem!r}).") from None


def file_name(experiment: str, protocol: str) -> str:
    """Return the name of the file of a protocol: ``table1-inferred.csv``."""
    return f"{experiment}-{protocol.replace(', ', '-')}.csv"


def committed(experiment: str, protocol: str = "inferred", *, quick: bool = False) -> list[Result]:
    """Return the results that come with the course; a protocol that has none gives none.

    >>> rows = committed("demo")
    >>> len(rows), rows[0].learner, rows[0].rounds
    (250, 'SGD', 8000)
    """
    settings = load_protocol(experiment, protocol, quick=quick)
    path = _places.results_folder() / file_name(experiment, settings.name)
    return read_csv(path) if path.is_file() and not settings.switches else []


class Store:
    """An SQLite file with one row for each finished run: it is written the moment it is added, and stays there.

    Use it by ``with Store(path) as store:``. With ``create=False`` it must be there already.
    """

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise UserError(f"there is no store {self.path}: bflo run … --store {self.path} makes it.")
        with self._worded():
            if self.path.is_file():
                with self.path.open("rb") as file:
                    if file.read(16) not in (b"", b"SQLite format 3\0"):  # SQLite writes over a short file
                        raise sqlite3.DatabaseError("it has other content")
            self._connection = sqlite3.connect(self.path.absolute(), timeout=60, isolation_level=None)
            if create:  # a file that cannot be written is refused before the runs, not after
                self._connection.execute(
                    f"CREATE TABLE IF NOT EXISTS results ({', '.join(COLUMNS)}, PRIMARY KEY (key))"
                )
                self._connection.execute("PRAGMA user_version = 2")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def add(self, result: Result) -> bool:
        """Store a result; return False if the same run is there already."""
        places = ", ".join("?" * len(COLUMNS))
        command = f"INSERT OR IGNORE INTO results ({', '.join(COLUMNS)}) VALUES ({places})"
        with self._worded():
            return self._connection.execute(command, [*result.to_row().values()]).rowcount == 1

    def keys(self) -> set[str]:
        """Return the keys of all stored runs."""
        with self._worded():
            return {key for (key,) in self._connection.execute("SELECT key FROM results")}

    def results(self, trials: Iterable[Trial]) -> list[Result]:
        """Return the results of those trials that are stored, in the order of the trials."""
        by_key = {result.key: result for result in self}
        return [by_key[trial.key] for trial in trials if trial.key in by_key]

    def __iter__(self) -> Iterator[Result]:
        with self._worded():
            rows = self._connection.execute(f"SELECT {', '.join(COLUMNS)} FROM results ORDER BY rowid").fetchall()
        return (Result.from_row(dict(zip(COLUMNS, row, strict=True))) for row in rows)

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        """Put into a sentence what SQLite or the system says."""
        try:
            yield
        except (OSError, sqlite3.Error) as problem:
            raise UserError(
                f"the store {self.path} cannot be used ({problem}): see that it is one that you may write to, and "
                "that the disk has room, and run the same again; nothing that was stored is lost."
            ) from None


# Means over runs


def mean_and_error(runs: ArrayLike) -> tuple[Any, Any]:
    """Return the mean over runs (the first axis) and its standard error, which is NaN for a single run.

    >>> mean, error = mean_and_error([0.0, 0.0, 0.0, 4.0])
    >>> float(mean), float(error)
    (1.0, 1.0)
    """
    values = np.asarray(runs, dtype=np.float64)
    mean = values.mean(axis=0)
    with np.errstate(invalid="ignore"):  # an infinite mean has no standard error
        return mean, sem(values, axis=0) if len(values) > 1 else np.full_like(mean, np.nan)
