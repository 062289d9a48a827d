"""Exercises of notebook 06: two bets on errors after learning, mean ranks, and wrong labels that help."""

import math
from typing import Any

import numpy as np

from bflo_viz.explorers.results import ResultsExplorer
from bflo_viz.lessons.exercise import Hint, array, call, close, exercise, hint_if, one_of, traits

_RANKS = '''from scipy.stats import rankdata


def mean_ranks(errors):
    """Mean rank of each learner over the streams: a learner a row, a stream a column."""
    errors = np.asarray(errors)
    ranks = ...
    return ranks.mean(axis=1)


check.mean_ranks(mean_ranks)
'''
_CLEARLY = 2.0  # standard errors of the difference


@exercise(
    "06.1",
    kind="predict",
    title="after learning",
    prompt="""
        The rows of a stream are shuffled. A learner goes once through the first 80 % of them and keeps learning; its
        *online* error is the share of mistakes on the way. Then it stops learning, and its *final* error is that on
        the other 20 %. Will the final error be `"smaller"` than the online error, `"the same"`, or `"larger"`?
    """,
    stub='answer = None  # "smaller", "the same" or "larger"\ncheck.after_learning(answer)',
    right="The beginner's mistakes count online only. Now look at what the paper prints.",
    hints=(
        "In which of the two errors are the mistakes of the very first rounds?",
        "Online, too, each row is predicted before its label is seen. So being new is no reason for more mistakes.",
    ),
)
def after_learning(answer: Any) -> None:
    """Judge the bet on a stream that is shuffled."""
    found = one_of(answer, "smaller", "the same", "larger")
    hint_if(
        (found == "larger", "The rows of the test are new, yes. But online, too, each row was new when predicted."),
        (found == "the same", "What of the first rounds, when nothing was known yet? They count in one of the two."),
    )


@exercise(
    "06.2",
    kind="predict",
    title="worse than a coin",
    prompt="""
        Now the truth turns slowly, once all round in the whole stream. The first 80 % are shuffled and learned; the
        test is the *last* 20 %, which nobody shuffled in. Will the final error be `"below"` 50 %, `"about"` 50 %, or
        `"above"` it?
    """,
    stub='answer = None  # "below", "about" or "above"\ncheck.worse_than_a_coin(answer)',
    right="It learned a rule, and on the rows of the test that rule is the wrong way round.",
    hints=(
        "Draw a circle and mark four fifths of it: these directions are learned, all at once. Where is their middle?",
        "And where is the last fifth, seen from that middle?",
    ),
)
def worse_than_a_coin(answer: Any) -> None:
    """Judge the bet on a test that comes later than all that was learned."""
    found = one_of(answer, "below", "about", "above")
    hint_if(
        (found == "below", "It would, were the test like the rest. In which direction does the truth point there?"),
        (found == "about", "Four fifths of a circle do not cancel all: something is left. Where does it point?"),
    )


@exercise(
    "06.3",
    kind="complete",
    title="mean ranks",
    prompt="""
        The last column of Table 1 has *mean ranks*. On each stream the smallest error gets rank 1, the next one 2,
        and so on; equal errors share the average of their places; then the mean over streams is taken. Put in the
        ranks, an array of the shape of `errors`. (`rankdata(values, axis=...)` ranks along an axis.)
    """,
    stub=_RANKS,
    right="Now the ranks that the paper prints can be checked.",
    hints=(
        "Who competes with whom: the learners on one stream, or the streams of one learner?",
        "A stream is a column. Along which axis do you go from learner to learner?",
        "Down a column, that is along axis 0: give rankdata the errors and that axis.",
    ),
)
def mean_ranks(answer: Any) -> None:
    """Judge ranks on three small tables, one of them with a tie."""
    tables = (
        np.array([[5.0, 9.0, 30.0, 2.0], [6.0, 8.0, 10.0, 2.5], [7.0, 4.0, 20.0, 1.0]]),
        np.array([[1.0, 2.0], [1.0, 3.0], [4.0, 1.0]]),
        np.array([[3.0, 8.0, 6.0], [9.0, 7.0, 5.0], [1.0, 9.5, 4.0], [2.0, 6.5, 7.0]]),
    )
    found = [array(_called(answer, table), (len(table),), "what your function returns") for table in tables]
    ways = {name: [np.mean(rank(table), axis=1) for table in tables] for name, rank in _WAYS.items()}

    def is_like(name: str) -> bool:
        return all(close(one, other) for one, other in zip(found, ways[name], strict=True))

    hint_if(
        (is_like("rows"), "These rank the streams of one learner. It is the learners that compete, on each stream."),
        (is_like("all"), "These rank all numbers of the table at once: rank the learners on each stream by itself."),
        (is_like("down"), "Here the largest error gets rank 1: it should be the smallest."),
        (is_like("zero"), "These ranks begin with 0: the smallest error should have rank 1."),
        (is_like("min") or is_like("max"), "On the tie: equal errors should share the average of their places."),
        (is_like("argsort"), "argsort tells which learner comes first, second, …, not the place that each one has."),
        (is_like("errors"), "These are means of the errors, not ranks: only the order on each stream should count."),
        (not is_like("right"), "These are not the mean ranks: 1 for the smallest error of each column, and so on."),
    )


def _called(answer: Any, table: Any) -> Any:
    try:
        return call(answer, table)
    except Hint as hint:
        if "'ellipsis'" in str(hint):
            raise Hint("There are still three dots in your function: put the ranks there.") from None
        raise


def _places(table: Any, equal: float = 0.5) -> Any:
    """Ranks down the columns, by counting; ``equal`` is what each other one of the same error adds."""
    smaller = (table[None] < table[:, None]).sum(axis=1)
    same = (table[None] == table[:, None]).sum(axis=1) - 1
    return 1 + smaller + equal * same


_WAYS: dict[str, Any] = {
    "right": _places,
    "rows": lambda table: _places(table.T).T,
    "all": lambda table: _places(table.reshape(-1, 1)).reshape(table.shape),
    "down": lambda table: _places(-table),
    "zero": lambda table: _places(table) - 1,
    "min": lambda table: _places(table, 0.0),
    "max": lambda table: _places(table, 1.0),
    "argsort": lambda table: table.argsort(axis=0, kind="stable") + 1,
    "errors": lambda table: table,
}


@exercise(
    "06.4",
    kind="find",
    title="wrong labels that help",
    prompt=f"""
        Surely nobody learns better from wrong labels. Leave the protocol of the panel above at `inferred`, and find a
        stream and **one** learner whose *final* error is clearly **smaller** with 20 % of the labels flipped than
        with none: by more than {_CLEARLY:g} standard errors of the difference.
    """,
    stub="# choose a stream, and tick a single learner; then run this cell\ncheck.wrong_labels_help(panel)",
    right="So a smaller error need not mean better learning. The next cell looks at all pairs.",
    hints=(
        "Change *labels flipped* to and fro and watch the marks of the final errors: does one of them go left?",
        "It is a slow learner that gains: one that has not arrived when the stream ends.",
        'Try panel.stream = "A9A" with BLANG alone.',
    ),
    setup="from bflo_viz import ResultsExplorer\npanel = ResultsExplorer()",
)
def wrong_labels_help(answer: Any) -> None:
    """Judge the stream and the learner of a panel by the results that it shows."""
    panel = traits(answer, ResultsExplorer)
    if panel.experiment != "table1":
        raise Hint(f"The answer should be a panel of Table 1, but this one is of {panel.experiment}.")
    if panel.protocol != "inferred":
        raise Hint("Set the protocol back to inferred.")
    if len(panel.learners) != 1:
        raise Hint(f"Tick a single learner: now there are {len(panel.learners)}.")
    (learner,) = panel.learners
    without, flipped = (panel.number(learner, "final", noise) for noise in (0.0, 0.2))
    if without is None or flipped is None or without.ours is None or flipped.ours is None:
        raise Hint(f"There are no runs of {learner} on {panel.stream}: choose another.")
    gain = without.ours - flipped.ours
    margin = math.hypot(without.error or 0.0, flipped.error or 0.0)
    told = f"{learner} on {panel.stream}: {without.ours:.2f} % without wrong labels, {flipped.ours:.2f} % with them"
    hint_if(
        (gain <= 0, f"{told}. Here they cost more mistakes, as one would expect. Look on."),
        (gain <= _CLEARLY * margin, f"{told}. That is fewer, but it may be chance: the margin is ± {margin:.2f}."),
    )
