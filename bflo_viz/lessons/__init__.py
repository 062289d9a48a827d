"""What the notebooks share: exercises with checks, hints and solutions.

``check.<name>(answer)`` judges an answer, ``hint("02.1")`` gives the next hint, ``solution("02.1")`` shows the
solution and why it is right. ``bet("02.2")`` shows a bet, whose first answer counts.
``progress`` shows a bar, ``ready`` says whether everything is installed.
``bar_of_runs`` and ``show_table`` show an experiment while it runs, and its table; ``scratch`` is a place for runs.
``yours_or_ours`` lets a learner that a student has built run in place of ours, once it passed its check.
``Sentence("width")`` is a sentence with numbers to drag.
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "betting": "bet",
        "exercises": "check hint solution",
        "experiment": "bar_of_runs progress scratch show_table",
        "installation": "ready",
        "own": "yours_or_ours",
        "reading": "Sentence",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
