"""Numbers over runs: means with their standard errors, mean ranks, and learners compared run by run."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.experiments.result import Result

TIES = ("average", "min", "max")
MEASURES = ("online", "final", "final_by_mean")


class Mean(NamedTuple):
    """A mean over runs, its standard error (NaN for a single run), and how many runs there were."""

    mean: float
    error: float
    runs: int


def mean_and_error(values: Sequence[float]) -> Mean:
    """Mean of some runs and its standard error, ``std(ddof=1) / sqrt(runs)``.

    >>> mean_and_error([0.0, 0.0, 0.0, 4.0])
    Mean(mean=1.0, error=1.0, runs=4)
    """
    numbers = check.vector("values", values)
    error = float(numbers.std(ddof=1) / math.sqrt(numbers.size)) if numbers.size > 1 else math.nan
    return Mean(float(numbers.mean()), error, numbers.size)


def common(errors: Mapping[str, Sequence[float | None]]) -> list[int]:
    """Places of the streams that every learner has a number for."""
    lengths = {len(row) for row in errors.values()}
    if len(lengths) > 1:
        raise ValueError("errors must have as many streams for each learner: put None where one is missing.")
    table = np.array([[math.nan if one is None else one for one in row] for row in errors.values()], dtype=float)
    return np.flatnonzero(~np.isnan(table).any(axis=0)).tolist() if table.size else []


def mean_ranks(errors: Mapping[str, Sequence[float | None]], ties: str = "average") -> dict[str, float]:
    """Mean rank of each learner over streams; 1 is the smallest error.

    Parameters
    ----------
    errors
        One number a stream for each learner. A stream that a learner lacks (None or NaN) is left out for all.
    ties
        What equal errors get: the ``"average"`` of their places, the better (``"min"``) or the worse one (``"max"``).

    Returns
    -------
    dict
        By learner; NaN if there is no stream that all learners have.

    >>> mean_ranks({"a": [1.0, 5.0], "b": [1.0, 4.0]})
    {'a': 1.75, 'b': 1.25}
    """
    check.choice("ties", ties, TIES)
    places = common(errors)
    if not places:
        return dict.fromkeys(errors, math.nan)
    table = np.array([[row[place] for place in places] for row in errors.values()], dtype=float)
    better = (table[None, :, :] < table[:, None, :]).sum(axis=1)
    as_good = (table[None, :, :] <= table[:, None, :]).sum(axis=1)
    rank = {"average": (better + as_good + 1) / 2, "min": better + 1.0, "max": as_good * 1.0}[ties]
    return dict(zip(errors, rank.mean(axis=1).tolist(), strict=True))


@dataclass(frozen=True)
class Pair:
    """Two learners compared on one stream, run by run; numbers are points of percent, the first minus the second.

    Attributes
    ----------
    first, second, measure, stream, noise
        What is compared, and where.
    runs, unpaired
        How many runs both have, and how many only one of them has.
    difference, error
        Mean difference and its standard error (NaN for a single run).
    low, high
        The 95 % interval of Student's t around the difference.
    first_better, second_better, ties
        In how many runs each made fewer mistakes, or neither.
    """

    first: str
    second: str
    measure: str
    stream: str
    noise: float
    runs: int
    unpaired: int
    difference: float
    error: float
    low: float
    high: float
    first_better: int
    second_better: int
    ties: int


def paired(results_a: Iterable[Result], results_b: Iterable[Result], measure: str = "online") -> list[Pair]:
    """Compare two learners over the runs that both did: these share their rows and the order of them.

    What makes a run hard, its order and its flipped labels, is hard for both and cancels in the difference; so far
    smaller differences can be seen than between two means.

    Parameters
    ----------
    results_a, results_b
        Runs of one learner each.
    measure
        ``"online"``, ``"final"`` or ``"final_by_mean"``.

    Returns
    -------
    list of Pair
        One for each stream and share of flipped labels that both have, in the order of the first.
    """
    check.choice("measure", measure, MEASURES)
    a, b = _by_run("results_a", results_a), _by_run("results_b", results_b)
    if not a or not b:
        raise ValueError(f"{'results_b' if a else 'results_a'} is empty: there is nothing to compare.")
    first, second = (next(iter(side.values())).learner for side in (a, b))
    pairs = []
    for stream, noise in dict.fromkeys((stream, noise) for stream, noise, run in a):
        runs_a, runs_b = ({key[2] for key in side if key[:2] == (stream, noise)} for side in (a, b))
        runs = sorted(runs_a & runs_b)
        if not runs:
            continue
        for run in runs:
            _same_rows(a[stream, noise, run], b[stream, noise, run])
        differences = [_exact(a[stream, noise, run], b[stream, noise, run], measure) for run in runs]
        difference, error, count = mean_and_error(differences)
        reach = _student(count) * error
        pairs.append(
            Pair(
                *(first, second, measure, stream, noise, count, len(runs_a ^ runs_b)),
                *(difference, error, difference - reach, difference + reach),
                *(sum(d < 0 for d in differences), sum(d > 0 for d in differences), sum(d == 0 for d in differences)),
            )
        )
    return pairs


def _by_run(name: str, results: Iterable[Result]) -> dict[tuple[str, float, int], Result]:
    found: dict[tuple[str, float, int], Result] = {}
    for result in results:
        place = (result.stream, result.noise, result.run)
        if place in found:
            raise ValueError(
                f"{name} has run {result.run} of {result.stream} twice ({found[place].learner}, {result.learner}): "
                "give it the runs of one learner by one protocol."
            )
        found[place] = result
    return found


def _same_rows(a: Result, b: Result) -> None:
    if (a.experiment, a.data, a.rounds, a.test_rows) != (b.experiment, b.data, b.rounds, b.test_rows):
        raise ValueError(
            f"run {a.run} of {a.stream} was not made of the same rows by {a.learner} and by {b.learner}: compare "
            "runs of one experiment on the same data."
        )


def _exact(a: Result, b: Result, measure: str) -> float:
    """Difference in points of percent, from the counts: equal counts give exactly 0."""
    count = {"online": "online_mistakes", "final": "final_mistakes", "final_by_mean": "mean_mistakes"}[measure]
    more = int(getattr(a, count)) - int(getattr(b, count))
    return 100 * more / (a.rounds if measure == "online" else a.test_rows)


def _student(runs: int) -> float:
    """How many standard errors the 95 % interval reaches to either side; NaN for a single run."""
    if runs < 2:
        return math.nan
    from scipy.special import stdtrit

    return float(stdtrit(runs - 1, 0.975))
