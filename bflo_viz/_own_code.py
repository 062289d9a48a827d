"""Code of a user, named ``"module:name"``."""

import hashlib
import sys
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bflo_viz._errors import UserError


def source_digest(what: str, place: str, folder: Path | None = None) -> str:
    """Return a digest of the file of a ``"module:name"``, installed or in ``folder``: an edit changes the digest."""
    if folder is not None:
        make_importable(folder)
    try:
        spec = find_spec(place.partition(":")[0])
        return hashlib.sha256(Path((spec and spec.origin) or "").read_bytes()).hexdigest()[:16]
    except (ImportError, ValueError, OSError):
        raise UserError(f"the {what} {place!r} was not found: no module of this name has a file.") from None


def load_code(what: str, place: str, digest: str = "") -> Any:
    """Import a ``"module:name"``; its file must still have ``digest``, if one is given."""
    module, _, name = place.partition(":")
    try:
        value = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:
        raise UserError(f"the {what} {place!r} could not be loaded: {in_words(problem).rstrip('.')}.") from problem
    if digest and source_digest(what, place) != digest:
        raise UserError(f"the {what} {place!r} has changed since the protocol was read: run the same again.")
    return value


def make_importable(folder: Path) -> None:
    """Let modules in a folder be imported, after all others and as they are now."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    invalidate_caches()
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == str(folder / f"{name}.py"):
            del sys.modules[name]


def in_words(problem: BaseException) -> str:
    """Return an error as one line: the sentence of a ValueError or OSError as it is, others with their type."""
    text = " ".join(str(problem).split())
    is_worded = text and isinstance(problem, (ValueError, OSError))
    return text if is_worded else f"{type(problem).__name__}: {text}".removesuffix(": ")
