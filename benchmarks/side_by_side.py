"""Time things against each other in one run: what else the machine does then hits all of them alike."""

import json
import os
import time
from collections.abc import Callable, Mapping

from threadpoolctl import threadpool_limits


def best_times(
    jobs: Mapping[str, Callable[[], object]],
    rounds: int = 15,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Best time of each job in seconds of one processor, the jobs taking turns.

    Processor time leaves out what others do on a busy machine. It adds up over threads, so linear algebra has one.
    A job that waits for another process is timed by ``time.perf_counter``.
    """
    best = dict.fromkeys(jobs, float("inf"))
    with threadpool_limits(1):
        for _ in range(rounds):
            for name, job in jobs.items():
                start = clock()
                job()
                best[name] = min(best[name], clock() - start)
    return best


def report(what: str, measured: float, bar: float, *, at_most: bool, unit: str = "x") -> None:
    """Print one ratio beside its bar; `run.py` collects what is reported in the file that BFLO_BENCH names."""
    holds = measured <= bar if at_most else measured >= bar
    limit, verdict = f"{'at most' if at_most else 'at least'} {bar:g}", "ok" if holds else "MISSED"
    print(f"{what:<74} {measured:8.2f}{unit}  ({limit}) {verdict}")
    if rows := os.environ.get("BFLO_BENCH"):
        row = {"what": what, "measured": f"{measured:.2f} {unit}".strip(), "bar": limit, "verdict": verdict}
        with open(rows, "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
