"""Time things against each other in one run: the machine's mood then hits all of them alike."""

import time
from collections.abc import Callable, Mapping


def best_times(jobs: Mapping[str, Callable[[], object]], rounds: int = 15) -> dict[str, float]:
    """Best time of each job in seconds, the jobs taking turns."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def report(what: str, measured: float, bar: float, *, at_most: bool, unit: str = "x") -> None:
    """Print one ratio beside its bar."""
    holds = measured <= bar if at_most else measured >= bar
    verdict = f"({'at most' if at_most else 'at least'} {bar:g}) {'ok' if holds else 'MISSED'}"
    print(f"{what:<74} {measured:8.2f}{unit}  {verdict}")
