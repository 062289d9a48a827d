"""Curves over several runs: of learners, block by block, and of anything that was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.experiments.results import mean_and_error
from bflo_viz.learners import AROW, SGD, BeliefFlow, Learner, Record
from bflo_viz.scenes.base import Scene, minus


@dataclass(frozen=True, eq=False)
class Panel(Scene):
    """One panel: curves over the same ``x``, each the mean of its runs with a band of one standard error.

    Attributes
    ----------
    x
        Where it was measured.
    curves
        By their names: a row for each run, a number for each place of ``x``. NaN is what a run has no number for.
    title, xlabel, ylabel
        Words on the panel.
    ideal
        What would be perfect at each ``x``, drawn as a thin line; None if there is no such thing.
    events
        Where something happened: thin vertical lines.
    log
        Whether ``x`` is on a logarithmic scale.
    bottom
        Where the vertical axis begins, if not near the lowest curve.
    log_y
        Whether the vertical axis is logarithmic, too.
    of
        What a row of a curve is, in the plural.
    counts
        Whether to write at each mark how many rows have a number there.
    """

    x: ArrayLike
    curves: Mapping[str, ArrayLike]
    title: str
    xlabel: str
    ylabel: str
    ideal: ArrayLike | None = None
    events: Sequence[float] = ()
    log: bool = False
    bottom: float | None = None
    log_y: bool = False
    of: str = "runs"
    counts: bool = False

    def __post_init__(self) -> None:
        """Check that every curve has a number for each place."""
        if not self.curves:
            raise ValueError("curves must have at least one curve, but there is none.")
        for name, runs in self.curves.items():
            if np.ndim(runs) != 2 or np.shape(runs)[1] != len(self.places):
                raise ValueError(
                    f"curves[{name!r}] must have a row for each run and {len(self.places)} columns, as x has places, "
                    f"but it has shape {np.shape(runs)}."
                )

    @property
    def places(self) -> Floats:
        """Where it was measured, as an array."""
        return np.asarray(self.x, dtype=np.float64)

    def runs_in_words(self) -> str:
        """What a curve and its band are, by how many runs each has."""
        counts = {len(np.asarray(runs)) for runs in self.curves.values()}
        if counts == {1}:
            return "one run"
        many = f"{counts.pop()} {self.of}" if len(counts) == 1 else self.of
        return f"mean of {many} ± standard error"

    def _words(self) -> str:
        ends = []
        for name in self.curves:
            mean, *_ = band(self.curves[name])
            known = np.flatnonzero(~np.isnan(mean))
            if len(known):
                first, last = (_three_digits(mean[known[i]]) for i in (0, -1))
                stops = (
                    f" at {_three_digits(self.places[known[-1]])}, where it ends" if known[-1] + 1 < len(mean) else ""
                )
                ends.append(f"{name} from {first} to {last}{stops}")
        low, high = map(_three_digits, self.places[[0, -1]])
        ideal = " A thin line shows what would be perfect." if self.ideal is not None else ""
        where = ", ".join(f"{event:g}" for event in self.events)
        events = f" Vertical lines are at {where}." if where else ""
        return f"""{self.title}: {self.ylabel} over {self.xlabel}, {low} to {high} ({self.runs_in_words()}):
            {", ".join(ends)}.{ideal}{events}"""


@dataclass(frozen=True, eq=False)
class LearningCurves(Scene):
    """Mistakes of several learners, and entropies of those that have beliefs; what they learned from, in words."""

    panels: tuple[Panel, ...]
    about: str = ""

    def _words(self) -> str:
        about = f" in {self.about}" if self.about else ""
        return f"Learning curves over rounds{about}. {' '.join(panel.words() for panel in self.panels)}"


def band(runs: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Mean over runs (rows), and the ends of a band of one standard error; a single run has no band.

    NaN is what a run has no number for.
    """
    columns = [column[~np.isnan(column)] for column in np.asarray(runs, dtype=np.float64).T]
    pairs = [mean_and_error(column) if column.size else (np.nan, 0.0) for column in columns]
    mean, error = np.array(pairs).T
    error = np.nan_to_num(error)
    return mean, mean - error, mean + error


def learning_curves(
    records: Mapping[str, Record | Sequence[Record]] | None = None,
    *,
    rng: np.random.Generator | None = None,
    runs: int = 10,
    about: str = "",
) -> LearningCurves:
    """Read the curves off the records of runs: by the name of a learner one `Record`, or one for each of its runs.

    Without records, SGD, AROW and a diagonal flow each pass once over scikit-learn's breast-cancer data, scaled,
    shuffled anew in each of ``runs`` runs with ``rng``.
    """
    if records is None:
        if rng is None:
            raise ValueError("rng must be given for the default runs, such as numpy.random.default_rng(0).")
        records = _breast_cancer(check.generator(rng), check.positive_int("runs", runs))
        about = about or "one pass over the breast-cancer data"
    if not records:
        raise ValueError("records must have at least one learner, but there is none.")
    every = {name: [some] if isinstance(some, Record) else list(some) for name, some in records.items()}
    for name, some in every.items():
        if not some or not all(isinstance(record, Record) for record in some):
            raise ValueError(f"records[{name!r}] must be one or more Records, but it was {records[name]!r:.60}.")
    blocks = next(iter(every.values()))[0].rounds
    if not all(np.array_equal(record.rounds, blocks) for some in every.values() for record in some):
        raise ValueError("records must have the same blocks in each run, but they differ.")
    ends = np.cumsum(blocks)
    errors = {name: np.array([100 * record.mistakes / blocks for record in some]) for name, some in every.items()}
    nats = {name: np.array([record.entropy for record in some]) for name, some in every.items()}
    beliefs = {name: runs for name, runs in nats.items() if not np.isnan(runs).all()}
    panels = [Panel(ends, errors, _title(every), "round", "mistakes in a block (%)", bottom=0.0)]
    if beliefs:
        panels.append(Panel(ends, beliefs, "Entropy of the beliefs", "round", "entropy of the belief (nats)"))
    return LearningCurves(tuple(panels), about)


def _title(every: dict[str, list[Record]]) -> str:
    """Who errs least, from whole numbers of mistakes: a mean of means may fall on either side of a rounding tie."""
    overall = {
        name: 100 * sum(record.mistakes.sum() for record in some) / sum(record.rounds.sum() for record in some)
        for name, some in every.items()
    }
    best = min(overall, key=overall.__getitem__)
    least = " least," if len(overall) > 1 else ""
    return f"{best[0].upper()}{best[1:]} errs{least} in {overall[best]:.1f} % of rounds"


def _breast_cancer(rng: np.random.Generator, runs: int) -> dict[str, list[Record]]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    prior = DiagonalBelief(np.zeros(X.shape[1]), 0.2)
    learners: dict[str, Learner] = {
        "SGD": SGD(X.shape[1], eta=0.01),
        "AROW": AROW(X.shape[1], r=10.0, std=0.2),
        "diagonal": BeliefFlow(prior, eta=0.01, non_expansive=True),
    }
    records: dict[str, list[Record]] = {name: [] for name in learners}
    for _ in range(runs):
        order = rng.permutation(len(y))
        for name, learner in learners.items():
            learner.reset()
            records[name].append(learner.run(X[order], y[order], rng, blocks=20))
    return records


def _three_digits(value: float) -> str:
    """Three digits, without an exponent where it can be."""
    return minus(f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}")
