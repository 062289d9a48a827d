"""The ``bflo`` command."""

import argparse
import io
import os
import platform
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bflo_viz import __version__
from bflo_viz._advice import missing
from bflo_viz._places import FIRST_NOTEBOOK, copy_course, course_folder, course_inside

_STORE = Path("bflo_results.sqlite")


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # tables have ±, and names of files have anything
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    parser = argparse.ArgumentParser(prog="bflo", description="Belief Flows for Robust Online Learning.")
    parser.add_argument("--version", action="version", version=f"bflo-viz {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_course(commands)
    _add_experiments(commands)
    options = parser.parse_args(argv)
    try:
        code = options.run(options)
        return code if isinstance(code, int) else 0
    except ValueError as problem:
        complain(str(problem))
        return 1
    except ModuleNotFoundError as problem:  # of an extra
        package = (problem.name or "").partition(".")[0]
        complain(f"{package} is not installed: {missing(package, 'lab')}")
        return 1
    except BrokenPipeError:  # the reader has read enough: bflo table … | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def complain(problem: str) -> None:
    """Write one sentence on what went wrong."""
    print(f"bflo: {problem}", file=sys.stderr)


def _load(module: str, function: str) -> Any:
    """A function that does a command; its module is imported when the command is given."""
    return getattr(import_module(f"bflo_viz.{module}"), function)


def _add_course(commands: Any) -> None:
    lab = commands.add_parser("lab", help="open the course in JupyterLab")
    lab.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="FOLDER",
        help="copy the course there first, over nothing of yours",
    )
    lab.add_argument("--port", type=_port, default=8888, help="first port to try (default 8888)")
    lab.add_argument("--no-browser", action="store_true", help="print the address instead of opening a browser")
    lab.set_defaults(run=_lab)
    figures = commands.add_parser("figures", help="write the figures, with a contact sheet")
    figures.add_argument("names", metavar="NAME", nargs="*", help="which figures (default all; --list names them)")
    figures.add_argument("--out", type=Path, default=Path("figures"), help="folder to write to (default figures)")
    figures.add_argument("--format", default="png", help="png, svg, pdf or several, with commas (default png)")
    figures.add_argument("--style", choices=("paper", "slides"), default="paper", help="slides has larger text")
    figures.add_argument("--seed", type=int, default=0, help="of what is drawn at random (default 0)")
    figures.add_argument("--animations", action="store_true", help="write the animations (GIF) too")
    figures.add_argument("--list", action="store_true", help="list the figures and stop")
    figures.set_defaults(run=_figures)
    data = commands.add_parser("data", help="list the streams, fetch their files, verify them")
    data.set_defaults(run=lambda options: _load("cli.data", "data_command")(options))
    actions = data.add_subparsers(dest="action", metavar="[ACTION]", help="fetch or verify; without one, list")
    fetched = actions.add_parser("fetch", help="download, check and keep streams")
    fetched.add_argument("names", metavar="NAME", nargs="*", help="which streams")
    fetched.add_argument("--all", action="store_true", help="every stream that has files")
    verified = actions.add_parser("verify", help="check the content of the streams that are here")
    verified.add_argument("names", metavar="NAME", nargs="*", help="which streams (default all that are here)")


def _add_experiments(commands: Any) -> None:
    run = commands.add_parser("run", help="do the paper's experiments; goes on where it was stopped")
    table = commands.add_parser("table", help="show their results beside the paper's numbers")
    for parser in (run, table):
        parser.add_argument("experiment", help="demo, table1 or table2")
        parser.add_argument(
            "--protocol", default="inferred", metavar="NAME", help="printed, inferred (default), …, FILE"
        )
        parser.add_argument("--quick", action="store_true", help="a small version that needs no files and no network")
        parser.add_argument("--streams", default="", metavar="NAME,NAME", help="only these streams")
        parser.add_argument("--learners", default="", metavar="NAME,NAME", help="only these learners")
        parser.add_argument("--extra", default="", metavar="NAME,NAME", help="learners that the paper does not have")
        parser.add_argument("--runs", type=int, help="runs of each learner on each stream (default: the protocol's)")
    run.add_argument("--jobs", type=int, default=-1, help="runs at a time (default -1, one for each core)")
    run.add_argument("--store", type=Path, default=_STORE, help=f"file that keeps the runs (default {_STORE})")
    run.add_argument("--scheduler", metavar="ADDRESS", help="run on this Dask cluster, such as tcp://host:8786")
    run.add_argument("--show", action="store_true", help="print the protocol, to read or to copy, and stop")
    run.set_defaults(run=lambda options: _load("cli.experiments", "run_command")(options))
    table.add_argument("--store", type=Path, help="take the runs in this file, not those that come with the course")
    table.add_argument("--format", default="text", help="text (default), markdown, latex or html")
    table.add_argument("--compare", nargs=2, metavar="LEARNER", help="compare two learners run by run instead")
    table.set_defaults(run=lambda options: _load("cli.experiments", "table_command")(options))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, but it was '{text}'")
    return int(text)


def _figures(options: argparse.Namespace) -> None:
    from bflo_viz.figures import gallery

    if options.list:
        for name, entry in gallery.FIGURES.items():
            print(f"{name:16} {entry.title}")
        return
    kinds = [kind.strip() for kind in options.format.split(",")]
    settings = {"style": options.style, "seed": options.seed, "tell": print}
    gallery.write(options.out, options.names, formats=kinds, animations=options.animations, **settings)


def _lab(options: argparse.Namespace) -> int:
    if find_spec("jupyterlab") is None:
        raise ValueError(f"JupyterLab is not installed: {missing('jupyterlab', 'lab')}")
    command = [
        *(sys.executable, "-P", "-m", "jupyterlab"),  # no launcher: some fail in a folder with $ in its name
        f"--ServerApp.root_dir={_own_course(options.folder)}",
        f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
        f"--port={options.port}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once
        f"--LabApp.app_settings_dir={Path(__file__).parents[1] / 'lab_settings'}",  # no call home
    ]
    _refuse_without_home()
    has_display = platform.system() != "Linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if options.no_browser or not has_display:
        command.append("--no-browser")
        print("Open the address that ends in a token, below, in a browser; Ctrl-C stops the server.", flush=True)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers
    if platform.system() == "Windows":  # exec there would hand the terminal back while the server runs
        return subprocess.call(command)
    os.execv(command[0], command)


def _own_course(folder: Path | None) -> Path:
    """The folder of the course to work in: where the user wants it, or where it is."""
    if folder is None:
        if (course := course_folder()) == course_inside():
            raise ValueError("the course is inside of the package: say where to copy it, as in  bflo lab my-course")
        return course
    try:
        folder = folder.expanduser().resolve()
        new, kept = copy_course(folder)
    except OSError as problem:
        reason = problem.strerror or problem
        raise ValueError(f"the course could not be copied to {folder} ({reason}): name another folder.") from None
    print(f"{folder}: {len(new)} lessons copied." if new else f"{folder}: nothing new to copy.", flush=True)
    if kept:
        print(f"Kept, as they differ from version {__version__}: {', '.join(kept)}.", flush=True)
    return folder


def _refuse_without_home() -> None:
    """Say in a sentence what Jupyter would say in a traceback: it keeps what it runs in the user's home."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir

        folder = Path(jupyter_runtime_dir())
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as problem:
        raise ValueError(
            f"JupyterLab needs a home folder that can be written ({problem}): run  export HOME=FOLDER  and try again."
        ) from None
