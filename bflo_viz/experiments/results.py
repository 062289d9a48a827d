"""Results of runs: one row of numbers each, in an SQLite store or in the CSV files that come with the course."""

import contextlib
import csv
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from bflo_viz import _places
from bflo_viz._checks import UserError, naming
from bflo_viz.experiments.protocol import load_protocol


@dataclass(frozen=True)
class Result:
    """One finished run: its numbers, and where they come from."""

    key: str  # digest of all that decides the outcome: see `Trial.key`
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
    data: str = ""  # digest of the stream as it was read
    code: str = ""  # version and digest of the code
    finished: str = ""  # when (UTC)

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
        curves = {"mistakes": self.mistakes, "entropy": [f"{value:.5g}" for value in self.entropy]}
        return vars(self) | {name: " ".join(map(str, values)) for name, values in curves.items()}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Result":
        """Undo `to_row`."""
        return cls(**{name: read(row[name]) for name, read in _COLUMNS.items() if name in row})


_COLUMNS: dict[str, Callable[[Any], Any]] = {
    **{column.name: column.type for column in fields(Result)},  # type: ignore[misc]
    "mistakes": lambda text: tuple(map(int, text.split())),
    "entropy": lambda text: tuple(map(float, text.split())),
}
COLUMNS = tuple(_COLUMNS)
PUBLISHED = COLUMNS[: COLUMNS.index("data")]  # in the files that come with the course


def read_csv(path: Path) -> list[Result]:
    """Read a file of results, a line for each run."""
    with (
        naming(f"{path} is not a file of results", OSError, TypeError, AttributeError),
        path.open(encoding="utf-8", newline="") as file,
    ):
        return [Result.from_row(row) for row in csv.DictReader(file)]


def committed(experiment: str, protocol: str = "inferred", *, quick: bool = False) -> list[Result]:
    """Return the results that come with the course; a protocol that has none gives none."""
    path = _places.results_folder() / f"{experiment}-{load_protocol(experiment, protocol, quick=quick).name}.csv"
    return read_csv(path) if path.is_file() else []


class Store(contextlib.AbstractContextManager["Store"]):
    """An SQLite file with a row for each finished run, written as it is added; ``with Store(path) as store:``."""

    def __init__(self, path: Path | str, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not os.path.exists(path):  # Path.exists raises for a long name
            raise UserError(f"there is no store {self.path}: bflo run … --store {self.path} makes it.")
        with self._named():
            if self.path.is_file() and self.path.read_bytes()[:16] not in (b"", b"SQLite format 3\0"):
                raise sqlite3.DatabaseError("it has other content")  # SQLite writes over a short file
            self._connection = sqlite3.connect(self.path.absolute(), timeout=60, isolation_level=None)
            if create:  # a file that cannot be written is refused before the runs, not after
                columns = ", ".join(COLUMNS)
                self._connection.execute(f"CREATE TABLE IF NOT EXISTS results ({columns}, PRIMARY KEY (key))")
                self._connection.execute("PRAGMA user_version = 2")  # writes, even if the table is there

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def add(self, result: Result) -> bool:
        """Store a result; return False if the same run is there already."""
        row = result.to_row()
        command = f"INSERT OR IGNORE INTO results ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        with self._named():
            return self._connection.execute(command, [*row.values()]).rowcount == 1

    def _named(self) -> contextlib.AbstractContextManager[None]:
        place = f"the store {self.path} cannot be used; see that you may write to it and that the disk has room, and "
        return naming(place + "run the same again (nothing that was stored is lost)", OSError, sqlite3.Error)

    def __iter__(self) -> Iterator[Result]:
        with self._named():
            rows = self._connection.execute(f"SELECT {', '.join(COLUMNS)} FROM results ORDER BY rowid").fetchall()
        return (Result.from_row(dict(zip(COLUMNS, row, strict=True))) for row in rows)
