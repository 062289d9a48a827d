"""Code of one's own, named ``"module:name"``: found without running it, known by its source, then brought in."""

import hashlib
import sys
from contextlib import suppress
from importlib import import_module, invalidate_caches
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any


def digest(what: str, place: str, folder: Path | None = None) -> str:
    """Digest of the file that a ``"module:name"`` is in; nothing of that file runs.

    It is an installed module, or one in ``folder``. Python's own modules have nothing to give here: such a name is
    that of an own file which would never be found.
    """
    module, _, name = place.partition(":")
    parts = module.split(".")
    if not all(part.isidentifier() for part in (*parts, name)):
        raise ValueError(f"the {what} {place!r} must be a module and a name, such as 'my_module:my_name'.")
    if parts[0] in sys.stdlib_module_names:
        raise ValueError(f"the {what} {place!r} names a module of Python's own: give yours another name.")
    file = _file(parts, folder)
    if file is None:
        where = f"{str(folder)!r} and the installed packages have" if folder else "the installed packages have"
        raise ValueError(f"the {what} {place!r} is not there: {where} no module {module!r}.")
    return _digest(file)


def brought(what: str, place: str, source: str = "") -> Any:
    """What a ``"module:name"`` stands for; its module runs, and must be the one with this digest."""
    module, _, name = place.partition(":")
    is_new = module not in sys.modules
    try:
        found = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # whatever a module of somebody else may do
        raise ValueError(f"the {what} {place!r} could not be loaded: {in_words(problem).rstrip('.')}.") from None
    if source and is_new and _digest(Path(str(sys.modules[module].__file__))) != source:
        del sys.modules[module]
        raise ValueError(f"the {what} {place!r} has changed since the protocol was read: run the same again.")
    return found


def make_importable(folder: Path) -> None:
    """Let modules in a folder be imported, after all others; those that were before may have been edited since."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    for name, module in list(sys.modules.items()):
        top, file = name.partition(".")[0], Path(getattr(module, "__file__", None) or "/")
        inside = file == folder / f"{top}.py" or file.is_relative_to(folder / top)
        if inside and top not in ("__main__", "bflo_viz"):
            del sys.modules[name]
            with suppress(OSError):  # with what was compiled, an edit in the same second would not be seen
                Path(cache_from_source(str(file))).unlink()


def in_words(problem: BaseException) -> str:
    """What went wrong in one line; errors that are not meant for the reader have their type before it."""
    text = " ".join(str(problem).split())
    text = text if len(text) <= 300 else text[:299] + "…"
    worded = isinstance(problem, (ValueError, ArithmeticError, OSError))
    return text if text and worded else f"{type(problem).__name__}{': ' if text else ''}{text}"


def _file(parts: list[str], folder: Path | None) -> Path | None:
    """The file of a module, looked for as an import would, but no package on the way to it is run."""
    invalidate_caches()
    spec = _spec(parts[0], None) or (_spec(parts[0], [str(folder)]) if folder else None)
    for count in range(2, len(parts) + 1):
        spec = spec and _spec(".".join(parts[:count]), spec.submodule_search_locations or [])
    return Path(spec.origin) if spec and spec.has_location else None


def _spec(name: str, where: Any) -> Any:
    return next(filter(None, (finder.find_spec(name, where) for finder in sys.meta_path)), None)


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError as problem:
        raise ValueError(f"'{file}' could not be read: {problem.strerror}.") from None
