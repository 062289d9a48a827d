"""What the notebooks share: exercises with checks, hints and solutions.

``check.<name>(answer)`` judges an answer, ``hint("02.1")`` gives the next hint, ``solution("02.1")`` shows the
solution and why it is right, ``progress`` shows a bar, ``ready`` says whether everything is installed.
``bar_of_runs`` and ``show_table`` show an experiment while it runs, and its table; ``scratch`` is a place for runs.
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "exercises": ("check", "hint", "solution"),
    "experiment": ("bar_of_runs", "progress", "scratch", "show_table"),
    "installation": ("ready",),
}

__all__ = ["bar_of_runs", "check", "hint", "progress", "ready", "scratch", "show_table", "solution"]


def __getattr__(name: str) -> Any:
    """Load a part when it is first used."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module 'bflo_viz.lessons' has no attribute {name!r}")
