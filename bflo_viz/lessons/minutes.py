"""How long a lesson takes, estimated from what is in it: nobody was timed.

Reading goes by words, each cell of code has a minute to run and look, and an exercise its time by its kind.
"""

import re
from collections.abc import Mapping
from typing import Any

from bflo_viz.lessons.exercises import BOOK

WORDS_IN_A_MINUTE = 180  # of dense text
EXERCISES = {"predict": 2, "explain": 4, "find": 5, "complete": 6, "claim": 8, "bug": 10, "build": 15}
_TIME = re.compile(r"\*\*Time\*\* (\d+) minutes")
_ROW = re.compile(r"^(\| \[(\d\d) .*\| )(\d+)( \|)$", re.MULTILINE)


def estimated(notebook: Any) -> int:
    """Minutes that a lesson takes, to the nearest five."""
    minutes = 0.0
    for cell in notebook.cells:
        name = cell.get("id", "")
        if name.startswith("exercise-"):
            if cell.cell_type == "code":
                minutes += EXERCISES[BOOK[name.removeprefix("exercise-").replace("-", ".")].kind]
        elif cell.cell_type == "code":
            minutes += 1
        else:
            minutes += len(cell.source.split()) / WORDS_IN_A_MINUTE
    return 5 * max(1, round(minutes / 5))


def stated(notebook: Any) -> int:
    """Minutes that the first cell of a lesson promises."""
    found = _TIME.search(notebook.cells[0].source)
    if found is None:
        raise ValueError("the first cell of a lesson must say its time, such as **Time** 60 minutes.")
    return int(found[1])


def restated(text: str, minutes: int) -> str:
    """The first cell of a lesson with another time."""
    return _TIME.sub(f"**Time** {minutes} minutes", text)


def table_rows(text: str) -> dict[str, int]:
    """Minutes by the number of a lesson, from a table of lessons in Markdown."""
    return {number: int(minutes) for _, number, minutes, _ in _ROW.findall(text)}


def retabled(text: str, minutes: Mapping[str, int]) -> str:
    """The same table with other minutes."""
    return _ROW.sub(lambda row: f"{row[1]}{minutes[row[2]]}{row[4]}", text)
