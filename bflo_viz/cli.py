"""The ``bflo`` command: lab, data, run, table, figures."""

import argparse
import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bflo_viz import __version__, _places, experiments
from bflo_viz._checks import UserError

_STORE = Path("bflo_results.sqlite")


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code; a user's mistake prints one sentence, a defect a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # tables have ±
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    options = _parser().parse_args(argv)
    try:
        return options.do(options) or 0
    except UserError as problem:
        complain(str(problem))
    except BrokenPipeError:  # the reader has read enough: bflo table … | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def complain(problem: str) -> None:
    """Write one sentence on what went wrong."""
    print(f"bflo: {problem}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bflo", description="Belief Flows for Robust Online Learning.")
    parser.add_argument("--version", action="version", version=f"bflo-viz {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, do: Callable[..., Any], text: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
        added.set_defaults(do=do)
        return added

    lab = command("lab", _lab, "open the course in JupyterLab")
    lab.add_argument("--port", type=int, default=8888, help="first port to try (default 8888)")
    lab.add_argument("--no-browser", action="store_true", help="print the address instead of opening a browser")
    data = command("data", _data, "list the streams, or fetch their files and verify them")
    data.add_argument("action", nargs="?", choices=("fetch",), help="fetch files; without it, list the streams")
    data.add_argument("names", metavar="NAME", nargs="*", help="streams to fetch")
    data.add_argument("--all", action="store_true", help="fetch every stream that has files")
    run = command("run", _run, "run the paper's experiments; after a stop, the same command continues")
    table = command("table", _table, "show the results beside the paper's numbers")
    for one in (run, table):
        one.add_argument("experiment", help="demo, table1 or table2")
        one.add_argument(
            "--protocol", default="inferred", metavar="NAME", help="printed, inferred (default), …, FILE"
        )
        one.add_argument("--quick", action="store_true", help="a small version that needs no files and no network")
        one.add_argument("--streams", type=_names, default=[], metavar="NAME,NAME", help="only these streams")
        one.add_argument("--learners", type=_names, default=[], metavar="NAME,NAME", help="only these learners")
        one.add_argument("--extra", type=_names, default=[], metavar="NAME,NAME", help="learners beyond the paper's")
        one.add_argument("--runs", type=_count, help="runs of each learner on each stream (default: the protocol's)")
    run.add_argument("--jobs", type=_count, default=-1, help="number of runs at a time (default: one per core)")
    run.add_argument("--store", type=Path, default=_STORE, help=f"file that keeps the runs (default {_STORE})")
    run.add_argument("--scheduler", metavar="ADDRESS", help="run on this Dask cluster, such as tcp://host:8786")
    run.add_argument("--show", action="store_true", help="print the protocol, to read or to copy, and stop")
    table.add_argument("--store", type=Path, help="show the runs in this file instead of the committed ones")
    table.add_argument("--format", choices=("text", "markdown", "latex", "html"), default="text")
    figures = command("figures", _figures, "write figures to files")
    figures.add_argument("names", metavar="NAME", nargs="*", help="figures to write (default: all, see --list)")
    figures.add_argument("--out", type=Path, default=Path("figures"), help="folder to write to (default figures)")
    figures.add_argument("--format", type=_names, default=["png"], help="png, svg, pdf, or several with commas")
    figures.add_argument("--list", action="store_true", help="list the figures and stop")
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or more, but it was {text!r}")
    return int(text)


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Names and files of the user enter here, so what is refused here is the user's mistake."""
    try:
        yield
    except ValueError as problem:
        raise UserError(str(problem)) from problem


def _lab(options: argparse.Namespace) -> int:
    if find_spec("jupyterlab") is None:
        raise UserError("JupyterLab is not installed: run  make lab  in the folder of the course.")
    command = [
        *(sys.executable, "-P", "-m", "jupyterlab"),  # no launcher: some fail in a folder with $ in its name
        f"--ServerApp.root_dir={_places.course_folder()}",
        f"--LabApp.default_url=/lab/tree/{_places.FIRST_NOTEBOOK}",
        f"--port={options.port}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once
        f"--LabApp.app_settings_dir={Path(__file__).with_name('lab_settings')}",  # no call home
        "--allow-root",  # containers
        *(["--no-browser"] if options.no_browser else []),
    ]
    if os.name == "nt":  # exec there would hand the terminal back while the server runs
        return subprocess.call(command)
    os.execv(command[0], command)


def _figures(options: argparse.Namespace) -> None:
    from bflo_viz.figures import gallery
    from bflo_viz.figures.style import FIGURES

    if options.list:
        print(*(f"{name:16} {entry.title}" for name, entry in FIGURES.items()), sep="\n")
        return
    for path in gallery.write(options.out, options.names, formats=options.format):
        print(path)


def _data(options: argparse.Namespace) -> int:
    from bflo_viz.streams import StreamError, load
    from bflo_viz.streams.datasets import FROM_FILES

    with _reading():
        names = [load.checked_name(name) for name in options.names]
    if options.action is None:
        absent = [name for name in load.NAMES if not load.is_here(name)]
        print("These work now:", *(_described(name) for name in load.NAMES if name not in absent), sep="\n")
        if absent:
            print("\nTo download, use  bflo data fetch NAME  or  --all:", *map(_described, absent), sep="\n")
        print(f"\nYour own files are read from the folder that {_places.DATA_VARIABLE} names, and in")
        print(_places.cache_folder())
        return 0
    if not names and not options.all:
        raise UserError("name the streams to fetch, or give --all; bflo data lists them.")
    code = 0
    for name in names or FROM_FILES:
        try:
            print(f"{name:<15} ok: {load.load_stream(name)}", flush=True)
        except StreamError as problem:
            complain(str(problem))
            code = 1
    return code


def _described(name: str) -> str:
    """Describe a stream in one line: its size, its licence, and where it comes from."""
    from bflo_viz.streams import load
    from bflo_viz.streams.datasets import BUNDLED

    dataset = BUNDLED.get(name) or load.dataset_of(name)
    if dataset is None:
        return f"  {name:<15}     any size  MIT           made here"
    rows = sum(dataset.classes.values()) if dataset.name == name else 62_000
    size = f"{rows:,} x {dataset.features}"
    how = "comes with scikit-learn" if name in BUNDLED else f"{dataset.download_mb:.1f} MB, from {dataset.name}"
    return f"  {name:<15} {size:>12}  {dataset.licence:<13} {how}"


def _run(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from bflo_viz.experiments.protocol import protocol_file

    protocol = _protocol(options)
    if options.show:
        print(protocol_file(options.experiment, options.protocol).read_text(encoding="utf-8").rstrip())
        return 0
    bar = tqdm(desc=protocol.experiment, unit=" runs", miniters=1, leave=False, disable=None)  # on a terminal only

    def watch(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    with experiments.Store(options.store) as store:
        try:
            with bar:
                report = experiments.run(protocol, store, jobs=options.jobs, scheduler=options.scheduler, watch=watch)
        except KeyboardInterrupt:
            complain(f"stopped; finished runs are in {options.store}, and the same command continues from there.")
            return 130
        results = list(store)
    for why in dict.fromkeys(report.failed.values()):
        first, *others = [name for name, reason in report.failed.items() if reason == why]
        complain(f"{first}{f' and {len(others)} more' if others else ''} failed: {why}")
    print(f"{report.done} runs done now, {report.kept} kept from before, all in {options.store}.\n")
    print(_shown(protocol, results))
    return 1 if report.failed else 0


def _table(options: argparse.Namespace) -> None:
    protocol = _protocol(options)
    if options.store is not None:
        with experiments.Store(options.store, create=False) as store:
            results = list(store)
    else:
        results = experiments.committed(options.experiment, options.protocol, quick=options.quick)
        if not results:
            raise UserError("no runs of this protocol come with the course; --store FILE shows your own.")
    print(_shown(protocol, results, options.format))


def _protocol(options: argparse.Namespace) -> Any:
    with _reading():
        protocol = experiments.load_protocol(options.experiment, options.protocol, quick=options.quick)
        learners = options.learners and list(dict.fromkeys([*options.learners, *options.extra]))
        protocol = protocol.with_extras(options.extra).select(streams=options.streams, learners=learners)
        return protocol.replace(runs=options.runs or protocol.runs)


def _shown(protocol: Any, results: list[Any], form: str = "text") -> str:
    """Return the table; for a protocol with switches, how far each combination is from the printed table."""
    from bflo_viz.experiments.tables import render
    from bflo_viz.experiments.workbench import Workbench

    if protocol.switches:
        return str(Workbench(protocol, results))
    return render(experiments.make_table(protocol, results), form).rstrip()
