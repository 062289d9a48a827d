"""What a student answered, kept on this machine: one line for each answer, and nothing is ever changed.

No lesson depends on it. Where the file cannot be read or written, answers are kept as long as the kernel runs.
"""

import json
from datetime import UTC, datetime
from typing import Any

from bflo_viz._places import journal_file

_unwritten: list[dict[str, Any]] = []  # what no file would take


def note(exercise: str, **said: Any) -> None:
    """Add a line on an exercise."""
    entry = {"exercise": exercise, **said, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    try:
        path = journal_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:  # two kernels may write at a time: a line goes out whole
            file.write(f"{json.dumps(entry, ensure_ascii=False)}\n")
    except (OSError, ImportError):  # no room, no right, or no such folders at all
        _unwritten.append(entry)


def entries(exercise: str = "") -> list[dict[str, Any]]:
    """What was noted on an exercise, or on all, the oldest first; what cannot be read is left out."""
    try:
        lines = journal_file().read_text(encoding="utf-8", errors="replace").splitlines()
    except (OSError, ImportError):
        lines = []
    found = [*filter(None, map(_entry, lines)), *_unwritten]
    return [entry for entry in found if exercise in ("", entry["exercise"])]


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("exercise"), str) else None
