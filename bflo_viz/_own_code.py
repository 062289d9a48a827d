"""Code of a user, named ``"module:name"``: found without running it, known by its source, then imported."""

import hashlib
import sys
from contextlib import suppress
from importlib import import_module, invalidate_caches
from importlib.machinery import PathFinder
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any


def source_digest(what: str, place: str, folder: Path | None = None) -> str:
    """Digest of the file of a ``"module:name"``: an installed module, or one in ``folder``. Nothing of it runs."""
    module, _, name = place.partition(":")
    parts = module.split(".")
    if not all(part.isidentifier() for part in (*parts, name)):
        raise ValueError(f"the {what} {place!r} must be a module and a name, such as 'my_module:my_name'.")
    if parts[0] in sys.stdlib_module_names:  # an own file of such a name would never be found
        raise ValueError(f"the {what} {place!r} names a module of Python's own: give yours another name.")
    invalidate_caches()
    spec, search = None, [*sys.path, *([str(folder)] if folder else [])]
    for count in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:count]), search)
        search = (spec and spec.submodule_search_locations) or []
    if spec is None or not spec.origin:
        where = f"{str(folder)!r} and the installed packages have" if folder else "the installed packages have"
        raise ValueError(f"the {what} {place!r} was not found: {where} no module {module!r}.")
    return _digest(Path(spec.origin))


def load_code(what: str, place: str, digest: str = "") -> Any:
    """What a ``"module:name"`` stands for. Its module runs, and must be the one with this digest, if one is given."""
    module, _, name = place.partition(":")
    is_new = module not in sys.modules
    try:
        value = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # the code of a user may raise anything
        raise ValueError(f"the {what} {place!r} could not be loaded: {in_words(problem).rstrip('.')}.") from None
    if digest and is_new and _digest(Path(str(sys.modules[module].__file__))) != digest:
        del sys.modules[module]
        raise ValueError(f"the {what} {place!r} has changed since the protocol was read: run the same again.")
    return value


def make_importable(folder: Path) -> None:
    """Let modules in a folder be imported, after all others; those imported before may have been edited since."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    for name, module in list(sys.modules.items()):
        top, file = name.partition(".")[0], Path(getattr(module, "__file__", None) or "/")
        inside = file == folder / f"{top}.py" or file.is_relative_to(folder / top)
        if inside and top not in ("__main__", "bflo_viz"):
            del sys.modules[name]
            with suppress(OSError):  # the compiled file would hide an edit in the same second
                Path(cache_from_source(str(file))).unlink()


def in_words(problem: BaseException) -> str:
    """What went wrong in one line; an error that is not meant for readers has its type in front."""
    text = " ".join(str(problem).split())
    text = text if len(text) <= 300 else text[:299] + "…"
    is_worded = isinstance(problem, (ValueError, ArithmeticError, OSError))
    return text if text and is_worded else f"{type(problem).__name__}{': ' if text else ''}{text}"


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError as problem:
        raise ValueError(f"'{file}' could not be read: {problem.strerror}.") from None
