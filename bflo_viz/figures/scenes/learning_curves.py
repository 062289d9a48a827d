"""Learning curves of any runs: mistakes and entropy, block by block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.learners import AROW, SGD, BeliefFlow, Learner, Record


@dataclass(frozen=True, eq=False)
class Curves:
    """The runs of one learner, one row a run, one column a block of rounds.

    ``ends`` are the rounds after which blocks end, ``error`` is the share of mistakes in each block in percent, and
    ``entropy`` that of the belief at its end in nats (NaN for a learner without one).
    """

    ends: NDArray[np.int64]
    error: Floats
    entropy: Floats


@dataclass(frozen=True, eq=False)
class LearningCurves:
    """The curves of several learners by their names, and what they learned from, in words."""

    curves: dict[str, Curves]
    about: str = ""


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
        records = _breast_cancer(check.generator(rng), check.dimension("runs", runs))
        about = about or "one pass over the breast-cancer data"
    if not records:
        raise ValueError("records must have at least one learner, but there is none.")
    return LearningCurves({name: _curves(name, some) for name, some in records.items()}, about)


def _curves(name: str, records: Record | Sequence[Record]) -> Curves:
    some = [records] if isinstance(records, Record) else list(records)
    if not some or not all(isinstance(record, Record) for record in some):
        raise ValueError(f"records[{name!r}] must be one or more Records, but it was {records!r:.60}.")
    if not all(np.array_equal(record.rounds, some[0].rounds) for record in some):
        raise ValueError(f"records[{name!r}] must have the same blocks in each run, but they differ.")
    return Curves(
        ends=np.cumsum(some[0].rounds),
        error=np.array([100 * record.mistakes / record.rounds for record in some]),
        entropy=np.array([record.entropy for record in some]),
    )


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
    found: dict[str, list[Record]] = {name: [] for name in learners}
    for _ in range(runs):
        order = rng.permutation(len(y))
        for name, learner in learners.items():
            learner.reset()
            found[name].append(learner.run(X[order], y[order], rng, blocks=20))
    return found
