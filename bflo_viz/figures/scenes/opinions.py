"""What several Thompson samples of a network say of the same pictures."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners import Learner


@dataclass(frozen=True, eq=False)
class Opinions:
    """Pictures, and what each of several weights that were drawn from a belief says of them.

    Attributes
    ----------
    pictures
        Shape ``(picture, row, column)``.
    truth
        The class of each picture.
    outputs
        Activations of the output units, shape ``(picture, sample, class)``.
    """

    pictures: Floats
    truth: NDArray[np.int64]
    outputs: Floats

    @classmethod
    def of(
        cls, learner: Learner, X: Floats, y: NDArray[np.int64], rng: np.random.Generator, samples: int
    ) -> "Opinions":
        """Draw so many weights from the belief of a learner; each says what it sees in every row of ``X``."""
        rows = check.numbers("X", X)
        side = math.isqrt(rows.shape[-1])
        if rows.ndim != 2 or side * side != rows.shape[1]:
            raise ValueError(f"X must have the pixels of a square picture in each row, but has shape {rows.shape}.")
        said = [learner.predict_proba(rows, rng) for _ in range(check.dimension("samples", samples))]
        return cls(rows.reshape(-1, side, side), np.asarray(y, dtype=np.int64), np.stack(said, axis=1))

    @property
    def votes(self) -> NDArray[np.int64]:
        """How many samples are for each class, shape ``(picture, class)``: each is for its largest output."""
        chosen = self.outputs.argmax(axis=2)
        return np.asarray((chosen[:, :, None] == np.arange(self.outputs.shape[2])).sum(axis=1))
