"""``bflo doctor``: says whether everything works here, and how to repair what does not.

Whatever is broken becomes a line with its cure, so what could be broken is imported inside of checks only.
"""

import importlib.metadata as metadata
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from bflo_viz._advice import command, install_course, pip, python
from bflo_viz._places import DATA_VARIABLE, cache_folder, course_folder, data_folder

_EXTRAS = {
    "": "mathematics, figures and explorers",
    "lab": "the course in JupyterLab",
    "classroom": "site and slides",
}
_IMPORTED = ("numpy", "scipy", "matplotlib", "ipywidgets", "anywidget")
Finding = tuple[str, str, str]  # a mark (✓ right, ✗ wrong, – can be done without), a line, and a cure


def examine(*, tell: Callable[[str], object]) -> bool:
    """Print a checklist, every problem with its cure; whether there is none."""
    problems = 0
    for name, check in CHECKS.items():
        for mark, text, cure in _found(name, check, first=not problems):
            tell(f"{mark} {text}")
            if cure:
                tell(f"    → {cure}")
            problems += mark == "✗"
    tell(f"\n{problems} problem{'s' * (problems > 1)}: see the lines with ✗." if problems else "\nAll is well.")
    return not problems


def _found(name: str, check: Callable[[], Iterator[Finding]], *, first: bool) -> Iterator[Finding]:
    """What a check finds; if it fails itself, that is a problem, or after other problems perhaps a consequence."""
    try:
        yield from check()
    except Exception as problem:
        reason = f"{type(problem).__name__}: {_short(problem)}"
        if not first:
            yield "–", f"{name}: not tried until the above is repaired ({reason})", ""
        elif isinstance(problem, OSError):
            yield "✗", f"{name}: {reason}", f"see that '{problem.filename}' is there and that you may use it"
        else:
            yield "✗", f"{name}: {reason}", install_course("lab", "--force-reinstall")


def _short(problem: Exception) -> str:
    return " ".join(str(problem).split())[:120]


def _home() -> Iterator[Finding]:
    home = os.environ.get("HOME") or os.path.expanduser("~")
    if os.path.isabs(home) and os.path.isdir(home):
        yield "✓", f"Python {sys.version.split()[0]} at {sys.executable}; your home folder is {home}", ""
    else:  # Jupyter keeps things there
        yield "✗", f"there is no home folder: HOME is '{home}'", "export HOME=FOLDER   # one that you may write to"


def _packages() -> Iterator[Finding]:
    """Every package that is asked for: whether it is here, and in its range."""
    from packaging.requirements import Requirement

    asked = [Requirement(line) for line in metadata.requires("bflo-viz") or () if not line.startswith("bflo-viz")]
    for extra, use in _EXTRAS.items():
        missing = []
        for package in asked:
            if package.marker.evaluate({"extra": extra}) if package.marker else not extra:
                wanted = f"{package.name}{package.specifier}"
                try:
                    version = metadata.version(package.name)
                except metadata.PackageNotFoundError:
                    missing.append(wanted)
                    continue
                if not package.specifier.contains(version, prereleases=True):
                    text = f"{package.name} {version} is not in the range {package.specifier}"
                    yield "✗", text, pip(wanted)
        if missing:
            yield "–" if extra else "✗", f"for {use}: {', '.join(missing)} missing", pip(*missing)
        else:
            yield "✓", f"all packages for {use}", ""


def _imports() -> Iterator[Finding]:
    """Whether what is installed can be imported; a file of the same name may hide it."""
    for module in _IMPORTED:
        try:
            import_module(module)
        except Exception as problem:  # a broken package may raise anything
            yield "✗", f"{module} cannot be imported: {_short(problem)}", _cure(module)
            return  # the others need the first ones
    yield "✓", f"{', '.join(_IMPORTED)} can be imported", ""


def _cure(module: str) -> str:
    try:
        spec, place = find_spec(module), metadata.distribution(module).locate_file("")
    except (ImportError, ValueError):
        spec = None
    if spec and spec.origin and not Path(spec.origin).is_relative_to(str(place)):
        origin = Path(spec.origin)
        hiding = origin.parent if origin.name == "__init__.py" else origin
        return f"{command('mv', hiding, f'{hiding}.away')}   # it hides the installed {module}"
    return pip("--force-reinstall", "--no-deps", module)


def _kernel() -> Iterator[Finding]:
    """Whether notebooks run in this Python: a kernel of another environment is a classic."""
    try:
        from jupyter_client.kernelspec import KernelSpecManager
    except ModuleNotFoundError:
        return  # the packages have said so
    spec = KernelSpecManager().get_kernel_spec("python3")
    program = Path(spec.argv[0])
    # Folders, not where links lead to: environments may share one Python.
    if program.is_absolute() and program.parent.resolve() != Path(sys.executable).parent.resolve():
        text = f"the kernel python3 starts {program}, not this Python (set in {spec.resource_dir})"
        yield "✗", text, python("-m", "jupyter", "kernelspec", "remove", "-y", "python3")
    else:
        yield "✓", "notebooks run in this Python (kernel python3)", ""


def _course() -> Iterator[Finding]:
    try:
        yield "✓", f"the course is in {course_folder()}", ""
    except ValueError as problem:  # or the folder has been deleted
        yield "✗", f"the course is not here: {problem}", "cd FOLDER-OF-THE-COURSE"


def _data() -> Iterator[Finding]:
    from bflo_viz.streams.load import NAMES, is_here

    try:
        data_folder()  # nobody would look into it, if all streams are in the cache
    except (ValueError, RuntimeError) as problem:
        yield "✗", f"{DATA_VARIABLE} is wrong: {problem}", f"unset {DATA_VARIABLE}"
        return
    missing = [name for name in NAMES if not is_here(name)]
    yield "✓", f"data: {', '.join(name for name in NAMES if name not in missing)}", ""
    if missing:
        yield "–", f"data not here: {', '.join(missing)}", "bflo data fetch --all"


def _writing() -> Iterator[Finding]:
    for what, folder, cure in (
        ("this folder", Path.cwd(), "cd FOLDER   # one that you may write to"),
        ("the cache folder", cache_folder(), "export XDG_CACHE_HOME=FOLDER   # one that you may write to"),
    ):
        try:
            with tempfile.TemporaryFile(dir=next(place for place in (folder, *folder.parents) if place.exists())):
                yield "✓", f"{what} can be written: {folder}", ""
        except OSError as problem:
            yield "✗", f"{what} cannot be written: '{folder}' ({problem.strerror})", cure


def _self_test() -> Iterator[Finding]:
    """A flow, a learner, an explorer and a figure, each against what it must be."""
    import numpy as np

    from bflo_viz import BeliefFlow, DiagonalBelief, RegimeExplorer
    from bflo_viz.figures.style import png

    moved = DiagonalBelief([0.0], 1.0).flow([1.0], [0.5])
    a = (0.5 + np.sqrt(0.25 + 8)) / 4  # of the equation (1 + u²) a² − u v a − 1 = 0, with u = 1 and v = 1/2
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 0] > 0
    by_step, by_run = (BeliefFlow(DiagonalBelief(np.zeros(3), 0.1), eta=0.1) for _ in range(2))
    rng = np.random.default_rng(1)
    mistakes = sum(by_step.step(x, label, rng).mistake for x, label in zip(X, y, strict=True))
    error = by_run.run(X, y, np.random.default_rng(1)).error
    explorer = RegimeExplorer(delta=1.0, delta_new=0.5)
    drawn = str(explorer.regime) == "contracting" and len(png(explorer.figure())) > 10_000
    same = error == mistakes / 200 and np.allclose(by_run.belief.mean, by_step.belief.mean)
    for what, holds in (
        ("a flow is its closed form", np.allclose([moved.mean[0], moved.std[0]], [0.5 - a, a])),
        ("a run (compiled, if numba is here) is what its steps are", same),
        ("an explorer knows its state and draws it", drawn),
    ):
        yield "✓" if holds else "✗", what, "" if holds else install_course("lab", "--force-reinstall")


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "the home folder": _home,
    "packages": _packages,
    "imports": _imports,
    "the kernel": _kernel,
    "the course": _course,
    "the data": _data,
    "writing": _writing,
    "the self-test": _self_test,
}
