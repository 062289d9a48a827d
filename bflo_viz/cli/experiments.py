"""What ``bflo run`` and ``bflo table`` do."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bflo_viz import _checks as check
from bflo_viz.cli import complain
from bflo_viz.experiments import protocol as protocols
from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.rendering import FORMATS, render, render_pairs
from bflo_viz.experiments.results import Result, Store, committed
from bflo_viz.experiments.runner import Outcome, run
from bflo_viz.experiments.statistics import TIES, paired
from bflo_viz.experiments.tables import make_table


def run_command(options: argparse.Namespace) -> int:
    """Do the runs, tell what came of them, and show the table."""
    if options.show:
        print(protocols.source(options.experiment, options.protocol).rstrip())
        return 0
    protocol = _protocol(options)
    print(f"{_title(protocol)}. {protocol.about}")
    if protocol.code:
        print(f"The runs of this protocol run code that it names, with all your rights: {', '.join(protocol.code)}.")
    with Store(options.store) as store:
        try:
            settings = {"runs": options.runs, "jobs": options.jobs, "scheduler": options.scheduler}
            with progress(protocol.experiment) as watch:
                outcome = run(protocol, store, **settings, watch=watch)
        except KeyboardInterrupt:
            complain(f"stopped; what was done is in {options.store}, and the same command goes on from there.")
            return 130
        results = store.results(protocol.trials(options.runs))
    _tell_outcome(outcome, results, options.store)
    if results:
        print("\n" + render(make_table(protocol, results, runs=options.runs), "text").rstrip())
    return 0 if outcome.complete else 1


def table_command(options: argparse.Namespace) -> int:
    """Show the paper's table and ours, side by side."""
    protocol = _protocol(options)
    check.choice("--format", options.format, FORMATS)
    check.choice("--ties", options.ties, TIES)
    protocol.only(learners=options.compare or ())  # refuses a name that is not there
    if options.store is None:
        results = committed(options.experiment, options.protocol, quick=options.quick)
        if options.runs is not None:
            results = [result for result in results if result.run < options.runs]
    else:
        with Store(options.store, create=False) as store:
            results = store.results(protocol.trials(options.runs))
    if not results:
        source = f"in {options.store}" if options.store else "with the course"
        raise ValueError(
            f"there are no results of {protocol.experiment}, protocol {protocol.name}, {source}: "
            f"bflo run {options.experiment} --protocol {options.protocol} makes them."
        )
    if options.compare:
        first, second = ([result for result in results if result.learner == name] for name in options.compare)
        print(render_pairs([paired(first, second, measure) for measure in ("online", "final")]).rstrip())
    else:
        print(render(make_table(protocol, results, ties=options.ties, runs=options.runs), options.format).rstrip())
    return 0


def _protocol(options: argparse.Namespace) -> Protocol:
    protocol = load_protocol(options.experiment, options.protocol, quick=options.quick)
    protocol = protocol.extended(_names(options.extra))
    return protocol.only(streams=_names(options.streams), learners=_names(options.learners))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _title(protocol: Protocol) -> str:
    fitted = " (fitted to the printed numbers)" if protocol.fitted else ""
    return f"{protocol.experiment}, protocol {protocol.name}{fitted}"


def _tell_outcome(outcome: Outcome, results: list[Result], store: Path) -> None:
    for stream, why in outcome.missing.items():
        complain(f"{stream} is missing: {why}")
    for trial, why in outcome.failed.items():
        complain(f"{trial} failed: {why}")
    spent = sum(result.seconds for result in results)
    print(f"{outcome.done} runs done now, {outcome.kept} kept before, {_span(spent)} of computing, all in {store}.")
    if sys.stdout.isatty():
        print(f"bflo table … --store {store} shows them again.")


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, and nothing elsewhere, to be told how many runs are done, and of how many."""
    from tqdm import tqdm

    options = {"desc": what, "unit": " runs", "miniters": 1, "leave": False, "disable": None}
    with contextlib.ExitStack() as stack:
        bars: list[Any] = []

        def watch(done: int, total: int) -> None:
            if not bars:  # what was stored before says nothing of the time that is left
                bars.append(stack.enter_context(tqdm(total=total, initial=done, **options)))
            bars[0].update(done - bars[0].n)

        yield watch


def _span(seconds: float) -> str:
    """A time in words: 42 s, 3 min 5 s, 130 min."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
