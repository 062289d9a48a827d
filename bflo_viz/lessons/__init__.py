"""What the notebooks share: exercises with checks, hints and solutions.

``check.<name>(answer)`` judges an answer, ``hint("02.1")`` gives the next hint, ``solution("02.1")`` shows the
solution and why it is right, ``progress`` shows a bar, ``ready`` says whether everything is installed.
``bar_of_runs`` and ``show_table`` show an experiment while it runs, and its table; ``scratch`` is a place for runs.
"""

from importlib import import_module
from typing import Any

__all__ = ["bar_of_runs", "check", "hint", "progress", "ready", "scratch", "show_table", "solution"]


_HOME = {
    **{"hint": "help", "solution": "help", "progress": "bar", "ready": "installation"},
    **{"bar_of_runs": "experiment", "scratch": "experiment", "show_table": "experiment"},
}


def __getattr__(name: str) -> Any:
    """Load a part when it is first used."""
    if name == "check":
        return import_module("bflo_viz.lessons.check")
    if name in _HOME:
        return getattr(import_module(f"bflo_viz.lessons.{_HOME[name]}"), name)
    raise AttributeError(f"module 'bflo_viz.lessons' has no attribute {name!r}")
