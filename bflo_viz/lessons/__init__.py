"""What the notebooks share: exercises with checks, hints and solutions.

``check.<name>(answer)`` judges an answer, ``hint("02.1")`` gives the next hint, ``solution("02.1")`` shows the
solution and why it is right, ``progress`` shows a bar, ``ready`` says whether everything is installed.
``bar_of_runs``, ``show_table`` and ``ResultsPanel`` show an experiment: while it runs, its table, its curves;
``scratch`` is a place for its runs.
"""

from importlib import import_module
from typing import Any

__all__ = ["ResultsPanel", "bar_of_runs", "check", "hint", "progress", "ready", "scratch", "show_table", "solution"]


_HOME = {
    **{"hint": "help", "solution": "help", "progress": "bar", "ready": "installation"},
    **{"ResultsPanel": "panel", "bar_of_runs": "experiment", "scratch": "experiment", "show_table": "experiment"},
}


def __getattr__(name: str) -> Any:
    """Load a part when it is first used."""
    if name == "check":
        return import_module("bflo_viz.lessons.check")
    if name in _HOME:
        return getattr(import_module(f"bflo_viz.lessons.{_HOME[name]}"), name)
    raise AttributeError(f"module 'bflo_viz.lessons' has no attribute {name!r}")
