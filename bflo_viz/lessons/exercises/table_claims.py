"""Judges of the claims of notebook 09 about words and tables: the evidence is made of what the paper prints."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bflo_viz.experiments import mean_ranks, printed_errors
from bflo_viz.experiments import printed_ranks as _printed
from bflo_viz.lessons.exercise import Hint, array, call, hint_by_result, hint_if, number, pair

_TABLE1 = [("table1", measure, noise) for measure in ("online", "final") for noise in (0.0, 0.2)]
_TABLE2 = [("table2", measure, 0.0) for measure in ("online", "final")]


def _by_name(found: Any, names: Sequence[str], example: str) -> dict[str, Any]:
    """What a check returned, by these names."""
    if not isinstance(found, Mapping):
        raise Hint(f"Your function should return a dictionary, such as {example}.")
    missing = [name for name in names if name not in found]
    more = [str(name) for name in found if name not in names]
    hint_if(
        (missing, f"There is nothing for {', '.join(missing)} in your dictionary."),
        (more, f"{', '.join(more)} should not be in your dictionary."),
    )
    return {name: found[name] for name in names}


def _hint_by_names(found: Sequence[Any], ways: Sequence[dict[str, Any]], otherwise: str) -> None:
    """Give the hint of the slip that leads to just these names; the right ones have none."""
    for words in ways[0]:
        if all(names == way[words] for names, way in zip(found, ways, strict=True)):
            return hint_if((words, words))
    raise Hint(otherwise)


def printed_ranks(answer: Any) -> None:
    """Judge which printed mean ranks cannot follow from the printed errors, in all six blocks of the tables."""
    found, ways = [], []
    for place in _TABLE1 + _TABLE2:
        errors, printed = printed_errors(*place), _printed(*place)
        names = call(answer, errors, printed)
        if not isinstance(names, set | frozenset | list | tuple) or not all(name in list(errors) for name in names):
            raise Hint("Your function should return a set of names, such as {'SGD'}; it may be empty: set().")
        found.append(set(names))
        ways.append(_wrong_ranks(errors, printed))
    block = next((n for n, names in enumerate(found) if names != ways[n][""]), 0)
    table, measure, noise = (_TABLE1 + _TABLE2)[block]
    yours = ", ".join(sorted(found[block])) or "nobody"
    where = f"In the block {measure}, {noise:.0%} of {table.replace('table', 'Table ')}"
    _hint_by_names(found, ways, f"{where}, {len(ways[block][''])} ranks are wrong, and you name {yours}.")


def _wrong_ranks(errors: dict[str, dict[str, float]], printed: dict[str, float]) -> dict[str, set[str]]:
    rows = {method: [*row.values()] for method, row in errors.items()}
    low, shared, high = (mean_ranks(rows, ties=ties) for ties in ("min", "average", "max"))
    worst = mean_ranks({name: [-error for error in row] for name, row in rows.items()})

    def off(low: Any, high: Any, allowed: float = 0.0501) -> set[str]:
        return {name for name, rank in printed.items() if not low[name] - allowed <= rank <= high[name] + allowed}

    return {
        "": off(low, high),
        "A tie in print may be none: be fair, and let it fall either way.": off(shared, shared),
        "Ranks are printed to one digit: allow for rounding, 0.05 up or down.": off(low, high, 1e-9),
        "Allow for rounding, but for no more than that: 0.05 up or down.": off(low, high, 0.1),
        "Rank 1 is for the smallest error; yours is for the largest.": off(worst, worst),
        "Your function never finds anything. Does it compare with the printed ranks?": set(),
        "You name every method: only those whose rank is wrong are asked for.": set(errors),
    }


def a_perceptron(answer: Any) -> None:
    """Judge the steps of two rules: on the right side, on the wrong one, and for the other label."""
    results, ways = [], []
    for w, x, y in (([0.8, -0.5], [1.5, 0.4], 1), ([0.8, -0.5], [0.3, 1.2], 1), ([2.0, -1.0], [1.0, -0.5], 0)):
        weights, row = np.array(w), np.array(x)
        steps = pair(call(answer, weights, row, y), "the step of SGD and that of the perceptron")
        names = "the first step", "the second step"
        results.append(np.array([array(step, (2,), name) for step, name in zip(steps, names, strict=True)]))
        score = float(weights @ row)
        z = 1 / (1 + np.exp(-score))
        sgd, rule = (y - z) * row, (y - float(score > 0)) * row
        ways.append(
            {
                "": [sgd, rule],
                "The first should be of SGD, the second of the perceptron: swap them.": [rule, sgd],
                "These go uphill: a step is minus the gradient.": [-sgd, -rule],
                "SGD on this loss does not round z to 0 or 1: take the probability itself.": [rule, rule],
                "The perceptron predicts 0 or 1: round z for it.": [sgd, sgd],
                "The sigmoid is missing: y − w · x is the rule of Widrow and Hoff.": [(y - score) * row, rule],
                "The loss is the KL, not a square: its gradient has no factor z (1 − z).": [sgd * z * (1 - z), rule],
                "The perceptron moves only when it is wrong.": [sgd, (2 * y - 1) * row],
            }
        )
    right, yours = (" and ".join(str(step.round(3)) for step in steps) for steps in (ways[0][""], results[0]))
    hint_by_result(results, ways, f"In one of the cases the steps are {right}; yours are {yours}.")


def closest_to_blang(answer: Any) -> None:
    """Judge the distances of three rivals from BFLO, in the four blocks of Table 1."""
    results, ways = [], []
    for place in _TABLE1:
        errors = printed_errors(*place)
        rivals = [name for name in errors if name != "BFLO"]
        found = _by_name(call(answer, errors), rivals, "{'AROW': 3.6, 'SGD': 1.0, 'BLANG': 1.1}")
        results.append(np.array([number(value, "each distance") for value in found.values()]))
        gaps = np.array([[errors[name][stream] - own for stream, own in errors["BFLO"].items()] for name in rivals])
        ranks = mean_ranks({method: [*row.values()] for method, row in errors.items()})
        ways.append(
            {
                "": abs(gaps).mean(axis=1),
                "Distances have no sign: take absolute values before the mean, or they cancel.": gaps.mean(axis=1),
                "Here gaps cancel: take absolute values before the mean, not after it.": abs(gaps.mean(axis=1)),
                "That is the sum over the streams; take the mean.": abs(gaps).sum(axis=1),
                "That is the root of the mean square, which counts large gaps more; take the plain mean.": np.sqrt(
                    np.square(gaps).mean(axis=1)
                ),
                "That is the largest distance; take the mean over the streams.": abs(gaps).max(axis=1),
                "That compares mean ranks; the claim is about performance, so compare errors.": np.array(
                    [abs(ranks[name] - ranks["BFLO"]) for name in rivals]
                ),
            }
        )
    right, yours = (", ".join(f"{distance:.2f}" for distance in each) for each in (ways[0][""], results[0]))
    hint_by_result(results, ways, f"Online, without wrong labels, the distances are {right}; yours are {yours}.")


def random_is_hardest(answer: Any) -> None:
    """Judge the stream with the largest error of each method, in both blocks of Table 2 and in one of Table 1."""
    found, ways = [], []
    for place in (*_TABLE2, _TABLE1[2]):
        errors = printed_errors(*place)
        streams = list(errors["SGD"])
        named = call(answer, errors)
        turned = isinstance(named, Mapping) and set(named) == set(streams)
        hint_if((turned, "You asked each stream for its worst method; ask each method for its worst stream."))
        found.append(_by_name(named, list(errors), "{'SGD': 'RANDOM', 'DROPOUT': 'RANDOM', 'BFLO': 'RANDOM'}"))
        odd = [name for name, stream in found[-1].items() if not any(stream is s or stream == s for s in streams)]
        hint_if((odd, f"For {odd[:1]} there should be the name of a stream, one of {', '.join(streams)}."))
        total = {stream: sum(row[stream] for row in errors.values()) for stream in streams}
        ways.append(
            {
                "": {name: max(row, key=lambda stream: row[stream]) for name, row in errors.items()},
                "These are the easiest: the hardest has the largest error.": {
                    name: min(row, key=lambda stream: row[stream]) for name, row in errors.items()
                },
                "That is the hardest on average. Ask each method by itself.": dict.fromkeys(
                    errors, max(streams, key=lambda stream: total[stream])
                ),
            }
        )
    wrong = [name for names, way in zip(found, ways, strict=True) for name in names if names[name] != way[""][name]]
    _hint_by_names(found, ways, f"Look again at {', '.join(wrong[:1])}: its largest error is on another stream.")
