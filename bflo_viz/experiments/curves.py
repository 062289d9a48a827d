"""Learning curves of kept runs: what happened in each block of rounds, as a mean over runs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.experiments.result import Result


@dataclass(frozen=True)
class Curve:
    """The mean learning curve of a learner over its runs.

    Attributes
    ----------
    runs
        How many runs it is a mean of.
    ends
        The round with which each block ends.
    mistakes, mistakes_error
        Mistakes in each block in percent, and the standard error of that mean (0 for a single run).
    entropy, entropy_error
        The same for the entropy of the belief in nats, before the first block and after each: one more than blocks.
        Empty for a learner without a belief; −∞ (and no error) from where a belief has a width of exactly 0.
    """

    runs: int
    ends: Floats
    mistakes: Floats
    mistakes_error: Floats
    entropy: Floats
    entropy_error: Floats

    @property
    def entropy_rounds(self) -> Floats:
        """The rounds after which the entropy was taken."""
        return np.append(0.0, self.ends) if self.entropy.size else self.ends[:0]

    @property
    def collapse(self) -> float | None:
        """The round by which a width was exactly 0 in at least one run; None if it never was."""
        gone = np.flatnonzero(np.isneginf(self.entropy))
        return float(self.entropy_rounds[gone[0]]) if gone.size else None


def mean_curve(results: Iterable[Result]) -> Curve:
    """The mean over runs of one learner on one stream, all of the same length.

    >>> from bflo_viz.experiments.files import committed
    >>> curve = mean_curve(row for row in committed("demo") if row.learner == "full")
    >>> curve.runs, curve.ends[-1].item(), curve.mistakes.size, curve.entropy.size
    (50, 8000.0, 50, 51)
    """
    rows = list(results)
    if len({(row.rounds, len(row.mistakes), len(row.entropy)) for row in rows}) != 1:
        raise ValueError("results must be runs of one learner on one stream, at least one.")
    rounds, blocks = rows[0].rounds, len(rows[0].mistakes)
    # All blocks are of one size but the last, which may be shorter: see `Learner.run`.
    ends = np.minimum(-(-rounds // max(blocks, 1)) * np.arange(1, blocks + 1), rounds).astype(np.float64)
    sizes = np.diff(ends, prepend=0)
    mistakes = 100 * np.array([row.mistakes for row in rows], dtype=np.float64) / sizes
    return Curve(
        len(rows), ends, *_mean_and_error(mistakes), *_mean_and_error(np.array([row.entropy for row in rows]))
    )


def _mean_and_error(runs: Floats) -> tuple[Floats, Floats]:
    """Mean over runs (rows) and its standard error."""
    mean = runs.mean(axis=0)
    if len(runs) == 1:
        return mean, np.zeros_like(mean)
    finite = np.isfinite(mean)
    error = np.zeros_like(mean)
    error[finite] = runs[:, finite].std(axis=0, ddof=1) / np.sqrt(len(runs))
    return mean, error
