"""Results that were never run, with the keys that runs of a protocol would have."""

import csv
import math

from bflo_viz.experiments.results import COLUMNS, Result


def result(number=0, **changes):
    """A result of its own key."""
    values = dict.fromkeys(COLUMNS, "text") | {"noise": 0.5, "seconds": 0.5}
    values |= {"key": f"{number:032x}", "run": number, "rounds": 100, "online_mistakes": 7, "test_rows": 20}
    values |= {"final_mistakes": 3, "mean_mistakes": 2, "mistakes": (3, 4), "entropy": (1.5, -math.inf, 0.25)}
    return Result(**(values | changes))


def results_of(
    protocol, runs, *, online=lambda trial: 100, final=lambda trial: 30, keep=lambda trial: True, **counts
):
    """All runs of a protocol, with as many mistakes as the functions say, in 1,000 rounds and 500 rows of test."""
    sizes = {"rounds": 1000, "test_rows": 500, "mean_mistakes": 0, "mistakes": (), "code": "code 1"} | counts
    return [
        result(
            **{name: getattr(trial, name) for name in ("key", "experiment", "stream", "learner", "noise", "run")},
            **{"online_mistakes": online(trial), "final_mistakes": final(trial), **sizes},
            protocol=protocol.name,
            data=f"rows of {trial.stream}",
        )
        for trial in protocol.trials(runs)
        if keep(trial)
    ]


def write_csv(path, results):
    """A file of results, as the repository has them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(result.to_row() for result in results)
