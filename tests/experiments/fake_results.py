"""A small protocol, and results that were never run, with the keys that runs of a protocol would have."""

import csv
import math

from bflo_viz.experiments.results import PUBLISHED, Result

SMALL = """
runs = 2
[streams.CLOUDS]
load = "two-gaussians"
options = { rows = 400 }
[streams.FRESH]
load = "two-gaussians"
options = { rows = 200, features = 3 }
fresh = true
[learners.SGD]
kind = "SGD"
[learners.BFLO]
kind = "BeliefFlow"
final = "sample"
"""


def result(number=0, **changes):
    """A result of its own key."""
    values = {
        "key": f"{number:032x}",
        "stream": "text",
        "learner": "text",
        "noise": 0.5,
        "run": number,
        "rounds": 100,
    }
    values |= {"online_mistakes": 7, "test_rows": 20, "final_mistakes": 3, "mean_mistakes": 2, "seconds": 0.5}
    return Result(**(values | {"mistakes": (3, 4), "entropy": (1.5, -math.inf, 0.25)} | changes))


def results_of(
    protocol, runs, *, online=lambda trial: 100, final=lambda trial: 30, keep=lambda trial: True, **counts
):
    """All runs of a protocol, with as many mistakes as the functions say, in 1,000 rounds and 500 rows of test."""
    sizes = {"rounds": 1000, "test_rows": 500, "mean_mistakes": 0, "mistakes": ()} | counts
    return [
        result(
            **{name: getattr(trial, name) for name in ("key", "stream", "learner", "noise", "run")},
            **{"online_mistakes": online(trial), "final_mistakes": final(trial), **sizes},
        )
        for trial in protocol.trials(runs)
        if keep(trial)
    ]


def write_csv(path, results):
    """A file of results, as the repository has them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, PUBLISHED, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(result.to_row() for result in results)
