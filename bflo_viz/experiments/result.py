"""What a run leaves behind: one row of numbers, kept in a store or in a CSV file."""

import csv
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """One finished run.

    Attributes
    ----------
    key
        Digest of all that decides the outcome: see `Trial.key`.
    experiment, protocol, stream, learner, noise, run
        What was run, by name.
    rounds, online_mistakes
        Rounds of learning, and how many were predicted wrongly, against the true labels.
    test_rows, final_mistakes, mean_mistakes
        Rows of the test, and how many were wrong: predicted as the protocol says, and by the mean of the belief.
    mistakes, entropy
        The learning curve: mistakes in each block of rounds; and the entropy of the belief in nats, before the first
        block and after each (empty for learners without a belief).
    seconds, memory_mb
        How long it took, and the most memory that its process ever had.
    data, code, machine, finished
        Digest of the stream as it was loaded, version and digest of the code, what it ran on, and when (UTC).
    """

    key: str
    experiment: str
    protocol: str
    stream: str
    learner: str
    noise: float
    run: int
    rounds: int
    online_mistakes: int
    test_rows: int
    final_mistakes: int
    mean_mistakes: int
    mistakes: tuple[int, ...]
    entropy: tuple[float, ...]
    seconds: float
    memory_mb: float
    data: str
    code: str
    machine: str
    finished: str

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
        row = asdict(self)
        row["mistakes"] = " ".join(map(str, self.mistakes))
        row["entropy"] = " ".join(f"{value:.5g}" for value in self.entropy)
        return row

    @classmethod
    def from_texts(cls, row: dict[str, Any]) -> "Result":
        """The opposite of `as_texts`; a ValueError if something is missing or is not a number."""
        made: dict[str, Any] = {}
        for column in fields(cls):
            if column.name not in row or row[column.name] is None:
                raise ValueError(f"{column.name} is missing")
            value = row[column.name]
            if column.name == "mistakes":
                made[column.name] = tuple(_read(int, column.name, word) for word in str(value).split())
            elif column.name == "entropy":
                made[column.name] = tuple(_read(float, column.name, word) for word in str(value).split())
            else:
                made[column.name] = _read(column.type, column.name, value)
        result = cls(**made)
        problem = result.problem()
        if problem:
            raise ValueError(problem)
        return result

    def problem(self) -> str:
        """What is impossible in these numbers, if anything is: such a row is neither kept nor believed."""
        if self.rounds < 1 or self.test_rows < 1:
            return "there must be rows to learn from and rows to test on"
        if self.mistakes and (sum(self.mistakes) != self.online_mistakes or min(self.mistakes) < 0):
            return "the learning curve does not add up to the mistakes"
        most = (self.rounds, self.test_rows, self.test_rows)
        counts = (self.online_mistakes, self.final_mistakes, self.mean_mistakes)
        if any(not 0 <= count <= limit for count, limit in zip(counts, most, strict=True)):
            return "counts of mistakes are impossible"
        return "" if 0 <= self.noise <= 1 and self.run >= 0 else "noise or run is impossible"


COLUMNS = tuple(column.name for column in fields(Result))


def _read(kind: Any, name: str, value: Any) -> Any:
    try:
        return kind(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} is {str(value)[:40]!r}") from None


def write_csv(path: Path, results: Iterable[Result]) -> None:
    """Write results, one row a run; the file is there when it is whole, and not before."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for result in results:
                row = result.as_texts()
                row["seconds"], row["memory_mb"] = f"{result.seconds:.3f}", f"{result.memory_mb:.0f}"
                writer.writerow(row)
        os.replace(unfinished, path)
    except OSError as problem:
        raise ValueError(f"{path} could not be written: {problem.strerror}.") from None
    finally:
        unfinished.unlink(missing_ok=True)


def read_csv(path: Path) -> list[Result]:
    """Read what `write_csv` wrote."""
    rows, line = [], 1
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise ValueError("it does not begin with the names of the columns")
            for row in reader:
                line = reader.line_num
                if None in row:
                    raise ValueError("there are more values than columns")
                rows.append(Result.from_texts(row))
    except OSError as problem:
        raise ValueError(f"{path} could not be read: {problem.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a file of results: it is not text.") from None
    except (ValueError, csv.Error) as problem:
        raise ValueError(f"{path} is not a file of results: line {line}: {problem}.") from None
    return rows
