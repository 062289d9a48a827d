"""What the notebooks share: exercises with checks, hints and solutions.

``check.<name>(answer)`` judges an answer, ``hint("02.1")`` gives the next hint, ``solution("02.1")`` shows the
solution and why it is right, ``progress`` shows a bar, ``ready`` says whether everything is installed.
``bar_of_runs`` and ``show_table`` show an experiment while it runs, and its table; ``scratch`` is a place for runs.
``Sentence("width")`` is a sentence with numbers to drag.
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "exercises": "check hint solution",
        "experiment": "bar_of_runs progress scratch show_table",
        "installation": "ready",
        "reading": "Sentence",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
