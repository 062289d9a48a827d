"""``bflo doctor``: whether all works here, and how to mend what does not.

Whatever is broken becomes a line with its cure, so what could be broken is imported inside of checks only.
"""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bflo_viz._advice import HOME, install_course, pip, python
from bflo_viz._places import DATA_VARIABLE, cache_folder, course_folder, data_folder
from bflo_viz.classroom import doctor_packages
from bflo_viz.classroom.doctor_findings import Finding, fine, note, sentence, wrong

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_LITTLE = 500e6  # bytes of a disk that are soon full of data


def examine(*, tell: Callable[[str], object]) -> bool:
    """Print a checklist, every problem with its cure; whether there is none."""
    problems: list[str] = []
    for about, check in CHECKS.items():
        try:
            for found in check():
                tell(f"{found.mark} {found.text}")
                if found.cure:
                    tell(f"    → {found.cure}")
                if found.mark == "✗":
                    problems.append(found.name)
        except Exception as problem:  # whatever is broken, the rest is still to be examined
            if problems:
                tell(f"– {about}: not tried until the above is mended ({sentence(problem)})")
            else:
                tell(f"✗ {about}: {sentence(problem)}")
                tell(f"    → {_cure(problem)}")
                problems.append(about)
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    tell(f"\n{count}: {'; '.join(problems)}." if problems else "\nAll is well.")
    return not problems


def _cure(problem: Exception) -> str:
    """An installation that is broken is made again; a place that cannot be used is not mended by that."""
    if isinstance(problem, OSError):
        place = f"'{problem.filename}'" if problem.filename else "the place where it failed"
        return f"see that {place} is there and that you may use it, or choose another place"
    return _install_again()


def _install_again() -> str:
    return install_course("lab", "--force-reinstall")


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < (3, 11):  # noqa: UP036  (somebody may have copied the folder to where it does not belong)
        yield wrong(
            f"Python {version}", " is too old", "install Python 3.11 or newer, remove .venv, and run  make lab"
        )
    else:
        yield fine(f"Python {version} at {sys.executable}")


def _folders() -> Iterator[Finding]:
    """The folder we are in may be gone; the home, where Jupyter keeps things, may never have been there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        yield wrong("this folder has been deleted", "", "cd FOLDER-OF-THE-COURSE")
        os.chdir(HOME)  # or everything else would fail
    try:
        home = os.environ.get("HOME", str(Path.home()))
    except RuntimeError:
        home = ""
    if Path(home).is_absolute() and Path(home).is_dir():
        yield fine(f"your home folder is {home}")
    else:
        yield wrong(
            "there is no home folder", f": HOME is '{home}'", "export HOME=FOLDER   # one that you may write to"
        )


def _kernel() -> Iterator[Finding]:
    """Whether notebooks run in this Python: a kernel of another environment is a classic."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ModuleNotFoundError:
        yield note("JupyterLab is not installed, so no notebook can be opened here", pip("jupyterlab>=4.2,<5"))
        return
    spec = KernelSpecManager().get_kernel_spec("python3")
    started = spec.argv[0]
    # Folders, not where links lead to: environments may share one Python.
    here = Path(sys.executable).parent.resolve()
    if Path(started).is_absolute() and (Path(started).parent.resolve() != here or not Path(started).exists()):
        text = f" starts {started}, not this Python (set in {spec.resource_dir})"
        yield wrong("the kernel python3", text, python("-m", "jupyter", "kernelspec", "remove", "-y", "python3"))
    else:
        yield fine("notebooks run in this Python (kernel python3)")


def _numba() -> Iterator[Finding]:
    try:
        from numba import njit
    except ModuleNotFoundError:
        return  # the packages have said so
    if njit(lambda x: x + 1)(1) == 2:
        yield fine("numba compiles")


def _browser() -> Iterator[Finding]:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found:
        yield fine(f"a browser for the tests: {found}")
    else:
        yield note("no Chromium or Chrome: the tests in a browser are left out", "sudo apt install chromium")


def _course() -> Iterator[Finding]:
    try:
        yield fine(f"the course is in {course_folder()}")
    except ValueError:
        yield wrong("the course is not here", ": no notebooks in this folder or above", "cd FOLDER-OF-THE-COURSE")


def _data() -> Iterator[Finding]:
    from bflo_viz.streams.load import NAMES, is_here

    try:
        given = data_folder()  # which nobody would look into, if all streams are in the cache
        if given:
            next(given.iterdir(), None)
    except (ValueError, OSError, RuntimeError) as problem:  # no folder, one that is not for us, of nobody's home
        yield wrong(f"{DATA_VARIABLE} is wrong", f": {problem}", f"unset {DATA_VARIABLE}")
        return
    missing = [name for name in NAMES if not is_here(name)]
    here = [name for name in NAMES if name not in missing]
    yield fine(f"data: {', '.join(here)}")
    if missing:
        yield note(f"data not here: {', '.join(missing)}", "bflo data fetch --all")


def _writing() -> Iterator[Finding]:
    cures = {
        ("this folder", Path.cwd()): "cd FOLDER   # one that you may write to",
        ("the cache folder", cache_folder()): "export XDG_CACHE_HOME=FOLDER   # one that you may write to",
    }
    for (what, folder), cure in cures.items():
        there = next(one for one in (folder, *folder.parents) if one.exists())
        if not there.is_dir():
            yield wrong(f"{what} cannot be made", f": {there} is a file", cure)
            continue
        try:
            with tempfile.TemporaryFile(dir=there):
                yield fine(f"{what} can be written: {folder}")
        except OSError as problem:
            reason = problem.strerror or problem
            yield wrong(f"{what} cannot be written", f": '{folder}' ({reason})", cure)
    free = shutil.disk_usage(Path.cwd()).free
    if free < _LITTLE:
        cure = "remove what you do not need, such as old environments"
        yield wrong("the disk is almost full", f": {free / 1e6:.0f} MB free", cure)
    else:
        yield fine(f"{free / 1e9:.0f} GB of the disk are free")


def _port() -> Iterator[Finding]:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8888)) == 0:
            yield note("port 8888 is taken: JupyterLab will choose the next one")
        else:
            yield fine("port 8888 is free for JupyterLab")


def _self_test() -> Iterator[Finding]:
    """A flow, a learner, an explorer and a figure, each against what it must be."""
    import numpy as np

    from bflo_viz import BeliefFlow, DiagonalBelief, RegimeExplorer
    from bflo_viz.figures.style import png

    prior = DiagonalBelief([0.0], 1.0)
    moved = prior.flow([1.0], [0.5])
    a = (0.5 + np.sqrt(0.25 + 8)) / 4  # of the equation (1 + u²) a² − u v a − 1 = 0, with u = 1 and v = 1/2
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] > 0
    by_step, by_run = (BeliefFlow(DiagonalBelief(np.zeros(3), 0.1), eta=0.1) for _ in range(2))
    same = np.random.default_rng(1), np.random.default_rng(1)
    mistakes = sum(by_step.step(x, t, same[0]).mistake for x, t in zip(X, y, strict=True))
    explorer = RegimeExplorer(delta=1.0, delta_new=0.5)
    results = {
        "a flow is its closed form": np.allclose([moved.mean[0], moved.std[0]], [0.5 - a, a]),
        "compiled rounds are those step by step": by_run.run(X, y, same[1]).error == mistakes / 200
        and np.allclose(by_run.belief.mean, by_step.belief.mean),
        "an explorer knows its state": str(explorer.regime) == "contracting" and explorer.state["delta_new"] == 0.5,
        "a figure is drawn": len(png(explorer.figure())) > 10_000,
    }
    for what, holds in results.items():
        yield fine(what) if holds else wrong("the self-test failed", f": not true that {what}", _install_again())


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "Python": _python,
    "folders": _folders,
    "the package": doctor_packages.package,
    "versions": doctor_packages.versions,
    "imports": doctor_packages.imports,
    "the kernel": _kernel,
    "numba": _numba,
    "the browser": _browser,
    "the course": _course,
    "the data": _data,
    "writing": _writing,
    "the port": _port,
    "the self-test": _self_test,
}
