"""What ``bflo run`` and ``bflo table`` do."""

import argparse
import contextlib
from collections.abc import Callable, Iterator
from datetime import timedelta

from tabulate import tabulate

from bflo_viz import _places
from bflo_viz.cli import complain
from bflo_viz.experiments import workbench
from bflo_viz.experiments.protocol import Protocol, load_protocol, protocol_file
from bflo_viz.experiments.results import Result, Store, committed, file_name
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.tables import MEASURES, make_table, paired, render


def run_command(options: argparse.Namespace) -> int:
    """Do the runs, tell what came of them, and show the table."""
    protocol = _protocol(options)
    if options.show:
        print(protocol_file(options.experiment, options.protocol).read_text(encoding="utf-8").rstrip())
        return 0
    print(f"{protocol.title}. {protocol.about}")
    with Store(options.store) as store:
        try:
            settings = {"runs": options.runs, "jobs": options.jobs, "scheduler": options.scheduler}
            with progress(protocol.experiment) as watch:
                report = run(protocol, store, **settings, watch=watch)
        except KeyboardInterrupt:
            complain(f"stopped; what was done is in {options.store}, and the same command goes on from there.")
            return 130
        results = store.results(protocol.trials(options.runs))
    for stream, why in report.missing.items():
        complain(f"{stream} is missing: {why}")
    for why in dict.fromkeys(report.failed.values()):
        trials = [trial for trial, reason in report.failed.items() if reason == why]
        complain(f"{trials[0]}{f' and {len(trials) - 1} more' if len(trials) > 1 else ''} failed: {why}")
    spent = timedelta(seconds=round(sum(result.seconds for result in results)))
    print(f"{report.done} runs done now, {report.kept} kept before, {spent} of computing, all in {options.store}.")
    if results:
        print("\n" + _shown(protocol, results, options.runs))
    return 1 if report.missing or report.failed else 0


def table_command(options: argparse.Namespace) -> int:
    """Show the paper's table and ours, side by side."""
    protocol = _protocol(options)
    protocol.select(learners=options.compare or ())  # refuses a name that is not there
    file = _places.results_folder() / file_name(protocol.experiment, protocol.name)
    if protocol.switches and options.store is None and file.is_file():
        print(workbench.read(protocol, file))
        return 0
    if options.store is not None:
        with Store(options.store, create=False) as store:
            results = store.results(protocol.trials(options.runs))
    else:
        results = committed(options.experiment, options.protocol, quick=options.quick)
        results = [result for result in results if options.runs is None or result.run < options.runs]
    if not results:
        source = f"in {options.store}" if options.store else "with the course"
        raise ValueError(
            f"there are no results of {protocol.experiment}, protocol {protocol.name}, {source}: "
            f"bflo run {options.experiment} --protocol {options.protocol} makes them."
        )
    if options.compare:
        print(_compared(options.compare, results))
    else:
        print(_shown(protocol, results, options.runs, options.format))
    return 0


def _compared(names: list[str], results: list[Result]) -> str:
    """Two learners run by run, for both measures."""
    first_runs, second_runs = ([result for result in results if result.learner == name] for name in names)
    grids = [
        f"{name} of {names[0]} minus that of {names[1]}, in points of percent\n"
        + tabulate(paired(first_runs, second_runs, measure), headers="keys", floatfmt=".2f")
        for measure, name in MEASURES.items()
    ]
    note = (
        "Both saw the same rows in the same order. From low to high: the 95 % interval of the difference; "
        "if it includes 0, which of them is better remains open."
    )
    return "\n\n".join([*grids, note])


def _shown(protocol: Protocol, results: list[Result], runs: int | None, form: str = "text") -> str:
    """The table; of a protocol with switches, how far each way to set them is from the printed one."""
    if protocol.switches:
        return str(workbench.gather(protocol, results))
    return render(make_table(protocol, results, runs=runs), form).rstrip()


def _protocol(options: argparse.Namespace) -> Protocol:
    protocol = load_protocol(options.experiment, options.protocol, quick=options.quick)
    protocol = protocol.with_extras(_names(options.extra))
    return protocol.select(streams=_names(options.streams), learners=_names(options.learners))


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
