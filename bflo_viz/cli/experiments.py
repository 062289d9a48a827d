"""What ``bflo run`` and ``bflo table`` do."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta

from bflo_viz.cli import complain
from bflo_viz.experiments import protocol as protocols
from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.rendering import render, render_pairs
from bflo_viz.experiments.results import Result, Store, committed
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.statistics import paired
from bflo_viz.experiments.tables import make_table
from bflo_viz.experiments.workbench import gather


def run_command(options: argparse.Namespace) -> int:
    """Do the runs, tell what came of them, and show the table."""
    if options.show:
        print(protocols.source(options.experiment, options.protocol).rstrip())
        return 0
    protocol = _protocol(options)
    print(f"{protocol.title}. {protocol.about}")
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
    for stream, why in outcome.missing.items():
        complain(f"{stream} is missing: {why}")
    for trial, why in outcome.failed.items():
        complain(f"{trial} failed: {why}")
    spent = timedelta(seconds=round(sum(result.seconds for result in results)))
    print(f"{outcome.done} runs done now, {outcome.kept} kept before, {spent} of computing, all in {options.store}.")
    if results:
        print("\n" + _shown(protocol, results, options.runs))
    return 0 if outcome.complete else 1


def table_command(options: argparse.Namespace) -> int:
    """Show the paper's table and ours, side by side."""
    protocol = _protocol(options)
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
        print(_shown(protocol, results, options.runs, options.format))
    return 0


def _shown(protocol: Protocol, results: list[Result], runs: int | None, form: str = "text") -> str:
    """The table; of a protocol with switches, how far each way to set them is from the printed one."""
    if protocol.switches:
        return str(gather(protocol, results))
    return render(make_table(protocol, results, runs=runs), form).rstrip()


def _protocol(options: argparse.Namespace) -> Protocol:
    protocol = load_protocol(options.experiment, options.protocol, quick=options.quick)
    protocol = protocol.extended(_names(options.extra))
    return protocol.only(streams=_names(options.streams), learners=_names(options.learners))


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, and nothing elsewhere, to be told how many runs are done, and of how many."""
    from tqdm import tqdm

    with tqdm(desc=what, unit=" runs", miniters=1, leave=False, disable=None) as bar:

        def watch(done: int, total: int) -> None:
            if bar.total is None:
                bar.reset(total)
                bar.initial = bar.n = done  # what was stored before says nothing of the time that is left
                bar.refresh()
            bar.update(done - bar.n)

        yield watch
