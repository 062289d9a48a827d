"""What a network makes of pictures: what its drawn weights say of them, and what its hidden units do."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.learners import Learner
from bflo_viz.scenes.base import Scene

STILL = 0.05  # a unit whose activity deviates by less than this from picture to picture tells nothing


@dataclass(frozen=True, eq=False)
class Opinions(Scene):
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
        outputs = [learner.predict_proba(rows, rng) for _ in range(check.dimension("samples", samples))]
        return cls(rows.reshape(-1, side, side), np.asarray(y, dtype=np.int64), np.stack(outputs, axis=1))

    @property
    def votes(self) -> NDArray[np.int64]:
        """How many samples are for each class, shape ``(picture, class)``: each is for its largest output."""
        chosen = self.outputs.argmax(axis=2)
        return np.asarray((chosen[:, :, None] == np.arange(self.outputs.shape[2])).sum(axis=1))

    def tally(self, picture: int) -> str:
        """The votes that were cast on a picture, most first."""
        votes = self.votes[picture]
        order = [k for k in np.argsort(-votes, kind="stable") if votes[k]]
        return ", ".join(f"{votes[k]} for {k}" for k in order[:3]) + (" …" if len(order) > 3 else "")

    def _words(self) -> str:
        votes = "; ".join(f"a {truth}: {self.tally(i)}" for i, truth in enumerate(self.truth))
        return f"""{len(self.pictures)} pictures of digits; below each, a map of the ten outputs of the network with
            {self.outputs.shape[1]} weights drawn from the belief, one a row, and a dot on the largest output. Votes
            of {votes}."""


@dataclass(frozen=True, eq=False)
class Activity(Scene):
    """Activities of hidden units from 0 to 1 by the name of a panel: a picture a row, a unit a column."""

    panels: dict[str, Floats]

    def _words(self) -> str:
        shares = "; ".join(f"{name}, {constant_share(rows):.0%}" for name, rows in self.panels.items())
        return f"""Maps of the activity of hidden units, a picture a row, a unit a column. A unit that is constant is
            an upright stripe. Share of units whose activity deviates by less than {STILL:g}: {shares}."""


def activity(panels: Mapping[str, ArrayLike]) -> Activity:
    """Activities by the name of their panel, such as those that `MLP.hidden` gives."""
    if not panels:
        raise ValueError("panels must have at least one activity, but there is none.")
    return Activity({name: check.numbers(f"panels[{name!r}]", rows) for name, rows in panels.items()})


def constant_share(rows: ArrayLike, still: float = STILL) -> float:
    """Share of units whose activity has a standard deviation below ``still`` over the pictures.

    >>> constant_share([[0.0, 1.0], [1.0, 1.0]])
    0.5
    """
    rows = check.numbers("rows", rows)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"rows must have a picture a row and a unit a column, but it has shape {rows.shape}.")
    return float(np.mean(rows.std(axis=0) < still))
