"""The ``bflo`` command."""

import argparse
import io
import os
import platform
import subprocess
import sys
import tempfile
from functools import partial
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
    _add_classroom(commands)
    options = parser.parse_args(argv)
    try:
        code = options.run(options)
        return code if isinstance(code, int) else 0
    except ValueError as problem:
        complain(str(problem))
        return 1
    except ModuleNotFoundError as problem:  # of an extra
        package = (problem.name or "").partition(".")[0]
        complain(f"{package} is not installed: {missing(package, 'classroom')}")
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


def _add_classroom(commands: Any) -> None:
    tell = partial(print, flush=True)
    site = commands.add_parser("site", help="write the course as web pages that need no server")
    site.add_argument("--out", type=Path, default=Path("site"), help="folder to write to (default site)")
    site.add_argument("--book", action="store_true", help="also the whole course as one page, and as a PDF")
    site.set_defaults(run=lambda o: _load("classroom.site", "build")(o.out, book=o.book, tell=tell))
    slides = commands.add_parser("slides", help="write the lessons as slides")
    slides.add_argument("lessons", metavar="LESSON", nargs="*", help="which lessons, such as 02 (default all)")
    slides.add_argument("--out", type=Path, default=Path("slides"), help="folder to write to (default slides)")
    slides.set_defaults(run=lambda o: _load("classroom.slides", "build")(o.out, o.lessons, tell=tell))
    serve = commands.add_parser("serve", help="hand out pages to a class, with no logins")
    serve.add_argument(
        "what", nargs="?", default="site", help="site (default), slides or an explorer, such as regime"
    )
    serve.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="pages that were written before")
    serve.add_argument("--ip", default="127.0.0.1", help="where to listen; 0.0.0.0 for a class (default 127.0.0.1)")
    serve.add_argument("--port", type=_port, default=8866, help="port to listen at (default 8866)")
    serve.add_argument("--class", dest="together", action="store_true", help="let the class bet, and show its bets")
    serve.add_argument("--votes", type=Path, metavar="FILE", help="CSV for its bets (default bflo_votes_DATE.csv)")
    serve.set_defaults(
        run=lambda o: _load("classroom.serve", "serve")(
            o.what, ip=o.ip, port=o.port, folder=o.folder, together=o.together, votes=o.votes, tell=tell
        )
    )
    bundle = commands.add_parser("bundle", help="pack the course to hand out")
    for_whom = bundle.add_mutually_exclusive_group(required=True)
    for_whom.add_argument("--student", type=Path, metavar="FILE", help="without solutions, to this ZIP file")
    for_whom.add_argument("--instructor", type=Path, metavar="FILE", help="with solutions, to this ZIP file")
    bundle.set_defaults(
        run=lambda o: _load("classroom.bundle", "write")(
            o.student or o.instructor, solved=o.instructor is not None, tell=tell
        )
    )
    grade = commands.add_parser("grade", help="mark students' notebooks, each in a process of its own")
    grade.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", type=Path, help="files, or folders with some")
    grade.add_argument("--out", type=Path, default=Path("marks.csv"), help="table to write (default marks.csv)")
    grade.add_argument("--only", default="", metavar="02.1,02.2", help="exercises that count (default the lesson's)")
    grade.add_argument("--right-bets", action="store_true", help="a bet counts if it is right, not if it was made")
    grade.add_argument("--seconds", type=float, default=300, help="time for each notebook (default 300)")
    grade.add_argument("--memory", type=float, default=4, help="memory for each notebook, in GB (default 4)")
    grade.set_defaults(run=_grade)
    modules = commands.add_parser("explorers", help="write explorers as modules for MyST and pages of your own")
    modules.add_argument("names", metavar="NAME", nargs="*", help="which explorers, such as regime (default all)")
    modules.add_argument("--out", type=Path, default=Path("explorers"), help="folder to write to (default explorers)")
    modules.set_defaults(run=lambda o: _load("classroom.modules", "write")(o.out, o.names, tell=tell))
    doctor = commands.add_parser("doctor", help="say whether all works here, and how to repair what does not")
    doctor.set_defaults(run=lambda o: 0 if _load("classroom.doctor", "examine")(tell=tell) else 1)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, but it was '{text}'")
    return int(text)


def _grade(options: argparse.Namespace) -> int:
    only = [number.strip() for number in options.only.split(",") if number.strip()]
    settings = {"seconds": options.seconds, "memory": options.memory, "right_bets": options.right_bets}
    tell = partial(print, flush=True)
    try:
        _load("classroom.grade", "grade")(options.notebooks, options.out, only=only, tell=tell, **settings)
    except KeyboardInterrupt:
        complain(f"stopped; {options.out} has a line for each notebook that was done.")
        return 130
    return 0


def _figures(options: argparse.Namespace) -> None:
    from bflo_viz.figures import gallery

    if options.list:
        for name, entry in gallery.FIGURES.items():
            print(f"{name:16} {entry.title}")
        return
    kinds = [kind.strip() for kind in options.format.split(",")]
    settings = {"style": options.style, "seed": options.seed, "tell": print}
    gallery.write(options.out, options.names, formats=kinds, **settings)


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
