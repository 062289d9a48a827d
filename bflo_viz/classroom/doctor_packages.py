"""The packages: installed from where, in which versions, and whether they can be imported."""

import importlib.metadata as metadata
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import bflo_viz
from bflo_viz._advice import command, install_course, pip
from bflo_viz._places import course_folder
from bflo_viz.classroom.doctor_findings import Finding, fine, note, sentence, wrong
from bflo_viz.lessons.installation import PARTS

_NAME = "bflo-viz"
_IN_PACKAGE = {"sklearn": "scikit-learn"}  # where a module has not the name of its package
_DO_WITHOUT = ("numba", "sklearn")  # what is slower or smaller without them, but works
_EXTRAS = {
    "lab": "the course in JupyterLab",
    "classroom": "site, slides and serving them",
    "cluster": "runs on a Dask cluster",
    "test": "the tests",
}


def package() -> Iterator[Finding]:
    """Where this package comes from."""
    home = Path(bflo_viz.__file__).parent
    try:
        version = metadata.version(_NAME)
    except metadata.PackageNotFoundError:
        yield wrong("bflo-viz is not installed", f", only found in {home.parent}", install_course("lab"))
        return
    if version != bflo_viz.__version__:
        text = f" is {bflo_viz.__version__}, but was installed as {version}"
        yield wrong("bflo-viz", text, install_course("lab"))
    else:
        yield fine(f"bflo-viz {version} from {home}")


def versions() -> Iterator[Finding]:
    """Every package that is asked for: whether it is here, in its range, and as it is pinned."""
    from packaging.requirements import Requirement

    asked: dict[str, list[Requirement]] = {"": [], **{extra: [] for extra in _EXTRAS}}
    for one in map(Requirement, metadata.requires(_NAME) or ()):
        for extra, group in asked.items():
            if one.name != _NAME and (one.marker.evaluate({"extra": extra}) if one.marker else not extra):
                group.append(one)
    pins, others = _pins(), []
    for extra, group in asked.items():
        here, missing = [], []
        for one in group:
            try:
                version = metadata.version(one.name)
            except metadata.PackageNotFoundError:
                missing.append(one)
                continue
            here.append(f"{one.name} {version}")
            if not one.specifier.contains(version, prereleases=True):
                wanted = f"{one.name}{one.specifier}"
                yield wrong(f"{one.name} {version}", f" is not in the range {one.specifier}", pip(wanted))
            elif pins.get(_plain(one.name), version) != version:
                others.append(f"{one.name} {version} (pinned {pins[_plain(one.name)]})")
        needed = [one for one in missing if not extra or one.name == "jupyterlab"]
        for one in needed:
            yield wrong(f"{one.name} is missing", "", pip(f"{one.name}{one.specifier}"))
        optional = [one for one in missing if one not in needed]
        if optional:
            names = ", ".join(one.name for one in optional)
            ranges = (f"{one.name}{one.specifier}" for one in optional)
            yield note(f"for {_EXTRAS[extra]}: {names} missing", pip(*ranges))
        elif not missing:
            names = ", ".join(here) if len(here) < 12 else f"all {len(here)} packages"
            yield fine(f"for {_EXTRAS[extra]}: {names}" if extra else f"needed: {names}")
    if others:
        yield note(f"in range, but not as tested: {', '.join(others)}", install_course("lab"))


def imports() -> Iterator[Finding]:
    """Whether what is installed can be imported, and from where if not."""
    loaded: list[str] = []
    broken: dict[str, str] = {}  # what an error says, and the first that said it
    for module, use in PARTS.items():
        name = _IN_PACKAGE.get(module, module)
        try:
            import_module(module)
        except Exception as problem:  # a broken package may raise anything
            if module in _DO_WITHOUT and isinstance(problem, ModuleNotFoundError) and problem.name == module:
                yield note(f"{name} is missing ({use})", pip(name))
            elif sentence(problem) in broken:
                yield note(f"{name}: not tried until {broken[sentence(problem)]} is mended")
            else:
                broken[sentence(problem)] = name
                yield wrong(f"{name} cannot be imported", f" ({use}): {sentence(problem)}", _mended(module, name))
        else:
            loaded.append(module)
    if loaded:
        yield fine(f"can be imported: {', '.join(loaded)}")


def _mended(module: str, name: str) -> str:
    """How to mend a package that cannot be imported: remove what hides it, or install it again."""
    again = pip("--force-reinstall", "--no-deps", name)
    try:
        spec, place = find_spec(module), metadata.distribution(name).locate_file("")
    except (ImportError, ValueError):
        return again
    found = Path(spec.origin) if spec and spec.origin else None
    if found and not found.is_relative_to(Path(str(place))):
        hiding = found.parent if found.name == "__init__.py" else found
        return f"{command('mv', hiding, f'{hiding}.away')}   # it hides the installed {name}"
    return again


def _pins() -> dict[str, str]:
    """The versions that the course was tested with, if its folder is here: only those that hold for this Python."""
    from packaging.requirements import Requirement

    try:
        lines = (course_folder() / "constraints.txt").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return {}
    pins = {}
    for line in lines:
        if "==" in line:
            one = Requirement(line)
            if not one.marker or one.marker.evaluate():
                pins[_plain(one.name)] = str(one.specifier).removeprefix("==")
    return pins


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
