"""Numbers over runs: means with their standard errors, learning curves, mean ranks, learners compared run by run.

NumPy has all that is needed; importing ``scipy.stats`` would take longer than making a table.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.results import Result

TIES = ("average", "min", "max")


def mean_and_error(runs: ArrayLike) -> tuple[Any, Any]:
    """Mean over runs (the first axis) and its standard error, ``std(ddof=1) / sqrt(runs)``.

    The error is NaN for a single run, and where the mean is infinite.

    >>> mean, error = mean_and_error([0.0, 0.0, 0.0, 4.0])
    >>> float(mean), float(error)
    (1.0, 1.0)
    """
    values = np.asarray(runs, dtype=np.float64)
    mean = values.mean(axis=0)
    if len(values) == 1:
        return mean, np.full_like(mean, math.nan)
    with np.errstate(invalid="ignore"):
        return mean, values.std(axis=0, ddof=1) / math.sqrt(len(values))


@dataclass(frozen=True)
class Curve:
    """The mean learning curve of a learner over its runs; standard errors are 0 for a single run.

    The entropy of the belief is in nats, before the first block and after each. It is empty for a learner without a
    belief, and −∞ (without an error) from where a belief has a width of exactly 0.
    """

    runs: int
    ends: Floats  # the round with which each block ends
    mistakes: Floats  # in each block, in percent
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
        collapsed = np.flatnonzero(np.isneginf(self.entropy))
        return float(self.entropy_rounds[collapsed[0]]) if collapsed.size else None


def mean_curve(results: Iterable[Result]) -> Curve:
    """The mean over runs of one learner on one stream, all of the same length.

    >>> from bflo_viz.experiments.results import committed
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
    mistakes, mistakes_error = mean_and_error(
        [100 * np.array(row.mistakes) / np.diff(ends, prepend=0) for row in rows]
    )
    entropy, entropy_error = mean_and_error([row.entropy for row in rows])
    return Curve(len(rows), ends, mistakes, np.nan_to_num(mistakes_error), entropy, np.nan_to_num(entropy_error))


def common(errors: Mapping[str, Sequence[float | None]]) -> list[int]:
    """Places of the streams that every learner has a number for."""
    if len({len(row) for row in errors.values()}) > 1:
        raise ValueError("errors must have as many streams for each learner: put None where one is missing.")
    table = np.array(list(errors.values()), dtype=float)  # None becomes NaN
    return np.flatnonzero(~np.isnan(table).any(axis=0)).tolist() if table.size else []


def mean_ranks(errors: Mapping[str, Sequence[float | None]], ties: str = "average") -> dict[str, float]:
    """Mean rank of each learner over streams, by its errors; 1 is the smallest error.

    A stream that a learner lacks (None or NaN) is left out for all; without a stream that all have, ranks are NaN.
    Equal errors get the ``"average"`` of their places, the better (``"min"``) or the worse one (``"max"``).

    >>> mean_ranks({"a": [1.0, 5.0], "b": [1.0, 4.0]})
    {'a': 1.75, 'b': 1.25}
    """
    check.choice("ties", ties, TIES)
    places = common(errors)
    if not places:
        return dict.fromkeys(errors, math.nan)
    table = np.array(list(errors.values()), dtype=float)[:, places]
    better = (table[None, :, :] < table[:, None, :]).sum(axis=1)
    as_good = (table[None, :, :] <= table[:, None, :]).sum(axis=1)
    rank = {"average": (better + as_good + 1) / 2, "min": better + 1.0, "max": as_good * 1.0}[ties]
    return dict(zip(errors, rank.mean(axis=1).tolist(), strict=True))


@dataclass(frozen=True)
class Pair:
    """Two learners compared on one stream, run by run; numbers are points of percent, the first minus the second."""

    first: str
    second: str
    measure: str
    stream: str
    noise: float
    runs: int  # that both have
    unpaired: int  # runs that only one of them has
    difference: float
    error: float  # standard error of the mean difference; NaN for a single run
    low: float  # the 95 % interval of Student's t around the difference
    high: float
    first_better: int  # runs in which the first made fewer mistakes
    second_better: int
    ties: int


def paired(results_a: Iterable[Result], results_b: Iterable[Result], measure: str = "online") -> list[Pair]:
    """Compare two learners over the runs that both did: these share their rows and the order of them.

    What makes a run hard, its order and its flipped labels, is hard for both and cancels in the difference; so far
    smaller differences can be seen than between two means.

    Each of the results must be of one learner; the measure is ``"online"`` or ``"final"``. There is a pair for each
    stream and share of flipped labels that both have, in the order of the first.
    """
    from scipy.special import stdtrit

    check.choice("measure", measure, MEASURES)
    a, b = _by_run("results_a", results_a), _by_run("results_b", results_b)
    first, second = (next(iter(side.values())).learner for side in (a, b))
    pairs = []
    for stream, noise in dict.fromkeys((stream, noise) for stream, noise, _ in a):
        runs_a, runs_b = ({key[2] for key in side if key[:2] == (stream, noise)} for side in (a, b))
        places = [(stream, noise, run) for run in sorted(runs_a & runs_b)]
        if not places:
            continue
        differences = [_difference(a[place], b[place], measure) for place in places]
        difference, error = map(float, mean_and_error(differences))
        reach = error * float(stdtrit(len(places) - 1, 0.975))
        pairs.append(
            Pair(
                *(first, second, measure, stream, noise, len(places), len(runs_a ^ runs_b)),
                *(difference, error, difference - reach, difference + reach),
                *(sum(d < 0 for d in differences), sum(d > 0 for d in differences), sum(d == 0 for d in differences)),
            )
        )
    return pairs


def _by_run(name: str, results: Iterable[Result]) -> dict[tuple[str, float, int], Result]:
    by_run: dict[tuple[str, float, int], Result] = {}
    for result in results:
        same = by_run.setdefault((result.stream, result.noise, result.run), result)
        if same is not result:
            raise ValueError(
                f"{name} has run {result.run} of {result.stream} twice ({same.learner}, {result.learner}): "
                "give it the runs of one learner by one protocol."
            )
    if not by_run:
        raise ValueError(f"{name} is empty: there is nothing to compare.")
    return by_run


def _difference(a: Result, b: Result, measure: str) -> float:
    """Difference in points of percent."""
    if (a.experiment, a.data, a.rounds, a.test_rows) != (b.experiment, b.data, b.rounds, b.test_rows):
        raise ValueError(
            f"run {a.run} of {a.stream} was not made of the same rows by {a.learner} and by {b.learner}: compare "
            "runs of one experiment on the same data."
        )
    return round(float(getattr(a, measure) - getattr(b, measure)), 9)  # so that equal differences are equal
