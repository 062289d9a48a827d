"""Marks: each student's notebook run in a process of its own, its answers judged, and a line in a table of marks."""

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bflo_viz.classroom import fence
from bflo_viz.explorers.bet import ANSWERED
from bflo_viz.lessons.exercises import BOOK

MARKS = {"predict": 1, "complete": 2, "find": 2, "build": 5, "bug": 3, "claim": 3, "explain": 0}
_LARGEST = 50 * 2**20  # bytes of a notebook
_FIRST = ["file", "lesson"]
_FLOOD = 10**6  # characters that a notebook may print without a remark


@dataclass
class Submission:
    """One student's file: its cells, where its exercises are, what was saved in it; or what is wrong with it."""

    path: Path
    problem: str = ""
    cells: list[str] = field(default_factory=list)
    exercises: dict[str, list[int]] = field(default_factory=dict)  # places of their cells, by number
    saved: dict[str, dict[str, Any]] = field(default_factory=dict)  # what bets and checks stored, by number

    @property
    def lesson(self) -> str:
        """The lesson that most of its exercises belong to or, without any, that its name begins with."""
        counts = Counter(number[:2] for number in (*self.exercises, *self.saved))
        named = re.search(r"(?<!\d)(\d\d)_", self.path.name)
        return counts.most_common(1)[0][0] if counts else named[1] if named else ""


def grade(
    paths: Sequence[Path],
    out: Path,
    *,
    seconds: float = 300,
    memory: float = 4,
    only: Sequence[str] = (),
    right_bets: bool = False,
    tell: Callable[[str], None],
) -> int:
    """Mark notebooks, and write a line for each into a table; how many were not marked to their end comes back."""
    if os.name != "posix":
        raise ValueError("notebooks can be marked on Linux and macOS only: use one of them, or WSL on Windows.")
    for name, value in (("--seconds", seconds), ("--memory", memory)):
        if not 0 < value < 1e6:
            raise ValueError(f"{name} must be a number above 0, but it was {value:g}.")
    for number in only:
        if number not in BOOK:
            raise ValueError(f"there is no exercise {number!r}; there are {', '.join(sorted(BOOK))}.")
    files = [file for path in paths for file in (sorted(path.glob("*.ipynb")) if path.is_dir() else [path])]
    if not files:
        raise ValueError(f"there is no notebook in {', '.join(map(str, paths))}: name files or folders with some.")
    submissions = [read(file) for file in files]
    lessons = {one.lesson for one in submissions}
    asked = sorted(only or (number for number in BOOK if number[:2] in lessons), key=_order)
    with _table(out) as table:
        table.line([*_FIRST, *(title for number in asked for title in _titles(number)), "marks", "of", "remark"])
        fences, poor = set(), 0
        for one in submissions:
            here = [number for number in asked if only or number[:2] == one.lesson]
            result = _marked(one, here, seconds, int(memory * 2**30), right_bets=right_bets)
            fences |= {result.fence} - {""}
            poor += result.stopped
            cells = [cell for number in asked for cell in result.cells.get(number, [""] * len(_titles(number)))]
            table.line([str(one.path), one.lesson, *cells, result.marks, result.of, result.remark])
            tell(f"{one.path}: {result.marks} of {result.of} marks{f'; {result.remark}' if result.remark else ''}")
    for words in sorted(fences):
        tell(words)
    tell(f"{out}: {len(submissions)} lines.")
    return poor


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


def read(path: Path) -> Submission:
    """Read a student's file; one that cannot be read says why."""
    found = Submission(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST >> 20} MB: ask for one with its outputs cleared")
        content = path.read_bytes()
        if not content.strip():
            raise ValueError("the file is empty")
        try:
            notebook = json.loads(content)
        except (ValueError, RecursionError):
            raise ValueError("it is no notebook: its JSON is broken") from None
        cells = notebook.get("cells") if isinstance(notebook, dict) else None
        if not isinstance(cells, list):
            raise ValueError("it is no notebook of version 4: have it saved anew in Jupyter")
        _take(found, [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"])
        if not found.exercises and not found.saved:
            raise ValueError("no exercise of the course is in it" if found.cells else "there is no code in it")
    except OSError as problem:
        found.problem = f"it cannot be read ({problem.strerror or problem})"
    except ValueError as problem:
        found.problem = str(problem)
    return found


def _take(found: Submission, cells: list[dict[str, Any]]) -> None:
    """Note the code, the places of exercises (by the id of the cell, or by the call in it), and what was saved."""
    for place, cell in enumerate(cells):
        lines = cell.get("source", "")
        source = "".join(map(str, lines)) if isinstance(lines, list) else str(lines)
        found.cells.append(source)
        name = str(cell.get("id", "")).removeprefix("exercise-").replace("-", ".")
        called = {*re.findall(r"\bcheck\s*\.\s*(\w+)\s*\(", source), *re.findall(r"\bbet\(\s*[\"']([\d.]+)", source)}
        for number, exercise in BOOK.items():
            if number == name or exercise.name in called or number in called:
                found.exercises.setdefault(number, []).append(place)
        for record in _records(cell):
            kept = found.saved.setdefault(record["exercise"], {})
            for part, value in record.items():  # the first answer is the first one; of the rest, the last counts
                if part != "first" or "first" not in kept:
                    kept[part] = value


def _records(cell: dict[str, Any]) -> Iterator[dict[str, Any]]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        record = data.get(ANSWERED) if isinstance(data, dict) else None
        if isinstance(record, dict) and isinstance(record.get("exercise"), str) and record["exercise"] in BOOK:
            yield record


@dataclass
class _Result:
    cells: dict[str, list[Any]]
    marks: int
    of: int
    remark: str
    fence: str
    stopped: bool


def _titles(number: str) -> list[str]:
    """The columns of an exercise."""
    kind = BOOK[number].kind
    if kind == "explain":
        return [f"{number} text"]
    parts = ["first answer", "right"] if kind == "predict" else ["answer", "attempts"]
    return [f"{number} {part}" for part in (*parts, "marks")]


def _marked(one: Submission, numbers: list[str], seconds: float, memory: int, *, right_bets: bool) -> _Result:
    of = sum(MARKS[BOOK[number].kind] for number in numbers)
    if one.problem:
        return _Result({}, 0, of, one.problem, "", True)
    job = {"cells": one.cells, "exercises": {number: one.exercises.get(number, []) for number in numbers}}
    run = fence.run(job, seconds=seconds, memory=memory)
    said: dict[str, dict[str, Any]] = {}
    for line in run.told:
        number = line.get("exercise")
        if number in numbers and said.get(number, {}).get("state") not in ("right", "written"):
            said[number] = line
    remarks, cells, marks = _remarks(run, one), {}, 0
    if missing := [number for number in numbers if number not in one.exercises and number not in one.saved]:
        remarks.append(f"cells of exercises are missing: {', '.join(missing)}")
    for number in numbers:
        kind, saved, now = BOOK[number].kind, one.saved.get(number, {}), said.get(number, {})
        worth = MARKS[kind]
        if kind == "explain":
            cells[number] = [now.get("answer", "")]
            continue
        if kind == "predict":
            first = str(saved.get("first", now.get("answer", "")))[:80]
            verdict = BOOK[number].check(first or None)
            counts = verdict.right or (first and not right_bets and "should be one of" not in verdict.words)
            cells[number] = [first, "" if not first else "yes" if verdict.right else "no"]
        else:
            state = _state(one, number, kind, saved, now)
            counts, attempts = state.startswith("right"), saved.get("attempts", "")
            cells[number] = [state, attempts if isinstance(attempts, int) else ""]
            if saved.get("right") is True and state in ("wrong", "no answer"):
                remarks.append(f"{number} was saved as right, but is not when it is run again")
        cells[number].append(worth if counts else 0)
        marks += worth if counts else 0
    return _Result(cells, marks, of, "; ".join(remarks), _fence_words(run), bool(run.ended))


def _state(one: Submission, number: str, kind: str, saved: dict[str, Any], now: dict[str, Any]) -> str:
    """Whether the answer is right: as judged now; if it was made by hand in an explorer, as it was saved."""
    state = str(now.get("state", ""))
    if state != "right" and kind == "find" and saved.get("right") is True:
        return "right (as saved)"  # the explorer was moved by hand, and opens anew where it began
    if number not in one.exercises:
        return "missing"
    untouched = all(one.cells[place].strip() == BOOK[number].stub.strip() for place in one.exercises[number])
    return "no answer" if untouched else state or "not reached"


def _remarks(run: fence.Run, one: Submission) -> list[str]:
    """What an instructor should know of a run, in words."""
    remarks = [run.ended] if run.ended else []
    failed = {line["cell"]: line["problem"] for line in run.told if "problem" in line}
    if slow := [place + 1 for place, words in failed.items() if words == "too long"]:
        remarks.append(f"code cell {slow[0]} took too long and was stopped")
    if any(words.startswith("MemoryError") for words in failed.values()):
        remarks.append("it asked for more memory than it may have")
    others = {place: words for place, words in failed.items() if words != "too long"}
    if others:
        place, words = next(iter(others.items()))
        count = f"{len(others)} of {len(one.cells)} code cells"
        remarks.append(f"{count} stopped with an error, first cell {place + 1} ({words})")
    if changed := sorted({str(name) for line in run.told for name in line.get("changed", ())}):
        remarks.append(f"it replaces parts of the course, which were put back: {', '.join(changed[:5])}")
    if any(line.get("printed", 0) > _FLOOD for line in run.told):
        remarks.append("it prints more than a million characters, which were dropped")
    return remarks


def _fence_words(run: fence.Run) -> str:
    """What kept the run from doing harm, in words."""
    version = next((line["fence"] for line in run.told if "fence" in line), 0)
    network = (
        "cut off (a network of its own, in which there is nothing)"
        if fence.alone()
        else "TCP connections were refused by the kernel"
        if version >= 4
        else "only Python's own connections were refused"
    )
    files = "written only in a folder that was removed" if version else "protected only by another HOME and folder"
    return f"Network: {network}. Files: {files}."


class _table:  # noqa: N801
    """A table of marks that is written line by line: what a run that is killed has written are whole lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            if path.exists() and path.stat().st_size:
                with path.open(encoding="utf-8", errors="replace") as old:
                    if not old.readline().startswith(",".join(_FIRST)):
                        raise ValueError(f"{path} exists and is no table of marks: name another file with --out.")
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        except OSError as problem:
            reason = problem.strerror or problem
            raise ValueError(f"{path} cannot be written ({reason}): name another file with --out.") from None

    def __enter__(self) -> "_table":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def line(self, values: Sequence[Any]) -> None:
        """Write one line, in one piece."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow([_harmless(value) for value in values])
        os.write(self._file, text.getvalue().encode(errors="backslashreplace"))


def _harmless(value: Any) -> Any:
    """A value that a spreadsheet takes for what it is: no line breaks, no control characters, no formula."""
    if not isinstance(value, str):
        return value
    text = "".join(sign if sign.isprintable() else " " for sign in value).strip()
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
