"""Judges of the exercises of notebook 06: mean ranks, and wrong labels that help."""

import math
from typing import Any

import numpy as np

from bflo_viz.explorers.results import ResultsExplorer
from bflo_viz.lessons.exercise import Hint, array, call, hint_by_result, hint_if, traits

_CLEARLY = 2.0  # standard errors of the difference


def mean_ranks(answer: Any) -> None:
    """Judge ranks on three small tables, one of them with a tie."""
    tables = (
        np.array([[5.0, 9.0, 30.0, 2.0], [6.0, 8.0, 10.0, 2.5], [7.0, 4.0, 20.0, 1.0]]),
        np.array([[1.0, 2.0], [1.0, 3.0], [4.0, 1.0]]),
        np.array([[3.0, 8.0, 6.0], [9.0, 7.0, 5.0], [1.0, 9.5, 4.0], [2.0, 6.5, 7.0]]),
    )
    means = [array(call(answer, table), (len(table),), "what your function returns") for table in tables]
    wrong = "These are not the mean ranks: 1 for the smallest error of each column, and so on."
    hint_by_result(means, [_mean_ranks(table) for table in tables], wrong)


def _mean_ranks(table: Any) -> dict[str, Any]:
    at_once = _ranks(table.reshape(-1, 1)).reshape(table.shape)
    order = table.argsort(axis=0, kind="stable")
    ways = {
        "": _ranks(table),
        "These rank the streams of one learner. It is the learners that compete, on each stream.": _ranks(table.T).T,
        "These rank all numbers of the table at once: rank the learners on each stream by itself.": at_once,
        "Here the largest error gets rank 1: it should be the smallest.": _ranks(-table),
        "These ranks begin with 0: the smallest error should have rank 1.": _ranks(table) - 1,
        "Equal errors should share the average of their places, not the first of them.": _ranks(table, 0.0),
        "Equal errors should share the average of their places, not the last of them.": _ranks(table, 1.0),
        "argsort tells which learner comes first, second, …, not the place that each one has.": order + 1,
        "These are means of the errors, not ranks: only the order on each stream should count.": table,
    }
    return {words: ranks.mean(axis=1) for words, ranks in ways.items()}


def _ranks(table: Any, equal: float = 0.5) -> Any:
    """Ranks down the columns, by counting; ``equal`` is what each other learner with the same error adds."""
    smaller = (table[None] < table[:, None]).sum(axis=1)
    same = (table[None] == table[:, None]).sum(axis=1) - 1
    return 1 + smaller + equal * same


def wrong_labels_help(answer: Any) -> None:
    """Judge the stream and the learner of a panel by the results that it shows."""
    panel = traits(answer, ResultsExplorer)
    hint_if(
        (
            panel.experiment != "table1",
            f"The answer should be a panel of Table 1, but this one is of {panel.experiment}.",
        ),
        (panel.protocol != "inferred", "Set the protocol back to inferred."),
        (len(panel.learners) != 1, f"Tick a single learner: now there are {len(panel.learners)}."),
    )
    (learner,) = panel.learners
    without, flipped = (panel.number(learner, "final", noise) for noise in (0.0, 0.2))
    if without is None or flipped is None or without.ours is None or flipped.ours is None:
        raise Hint(f"There are no runs of {learner} on {panel.stream}: choose another.")
    gain = without.ours - flipped.ours
    margin = math.hypot(without.error or 0.0, flipped.error or 0.0)
    errors = f"{learner} on {panel.stream}: {without.ours:.2f} % without wrong labels, {flipped.ours:.2f} % with them"
    hint_if(
        (gain <= 0, f"{errors}. Here they cost more mistakes, as one would expect. Try another."),
        (gain <= _CLEARLY * margin, f"{errors}. That is fewer, but it may be chance: the margin is ± {margin:.2f}."),
    )
