"""What every scene has: words for what it shows, and numbers written as a reader takes them."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief


class Scene(ABC):
    """An idea as data: what a figure draws and an explorer plays. It knows nothing of drawing."""

    def words(self) -> str:
        """What there is to see, in sentences: alt text of its figures, and what a notebook stores beside them."""
        return " ".join(self._words().split())

    @abstractmethod
    def _words(self) -> str:
        """The sentences, with line breaks anywhere."""


class PlayedScene(Scene):
    """A run that is looked at after one of its rounds, ``now``: the last one, unless `at` chose another."""

    now: int

    @property
    @abstractmethod
    def rounds(self) -> int:
        """How many rounds there are."""

    def at(self, now: int) -> Self:
        """The same scene as it was after round ``now``."""
        if not 0 <= now <= self.rounds:
            raise ValueError(f"now must be a round from 0 to {self.rounds}, but it was {now}.")
        scene: Any = self
        return replace(scene, now=int(now))  # type: ignore[no-any-return]


def isotropic(kind: str, mean: ArrayLike, std: float) -> Belief:
    """A full, diagonal or spherical belief that is as wide in every direction."""
    if kind == "full":
        return FullBelief(mean, std**2 * np.eye(np.size(mean)))
    return (DiagonalBelief if kind == "diagonal" else SphericalBelief)(mean, std)


def number(value: float, digits: int = 1) -> str:
    """A number with a true minus sign, and none before a zero.

    >>> number(-2.34), number(-0.001, 2), number(float("-inf"))
    ('−2.3', '0.00', '−∞')
    """
    return f"{value:z.{digits}f}".replace("-", "−").replace("inf", "∞")


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign; zero has a plus.

    >>> signed(-0.0), signed(1.5)
    ('+0.00', '+1.50')
    """
    return f"{value:+z.{digits}f}".replace("-", "−")


def place(point: object, digits: int = 2) -> str:
    """A point in brackets.

    >>> place([1.0, -0.5])
    '(1.00, −0.50)'
    """
    return f"({', '.join(number(x, digits) for x in point)})"  # type: ignore[attr-defined]


def minus(text: str) -> str:
    """The text with true minus signs."""
    return text.replace("-", "−")
