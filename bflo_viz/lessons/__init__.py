"""Exercises, bets and helpers of the lessons in ``notebooks/``.

``check.slope(answer)`` judges an answer, ``hint("2.1")`` and ``hint("2.1", 2)`` help, ``solution("2.1")`` shows the
reference solution, and ``bet("2a")`` asks for a prediction. Each ``lesson_NN.py`` holds the exercises of one lesson.
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "exercise": "bet check hint solution",
        "support": "OwnFlow progress ready",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
