"""A folder that is ours to fill, and to fill again."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

_LIST = "bflo-files.json"  # what was written there, so that the next time it can be replaced, and nothing else


def ours(folder: Path) -> set[str]:
    """The files that were written there before; a folder with other things in it is refused: they may be dear."""
    with _one_sentence(folder):
        if (folder / _LIST).is_file():
            return _names(folder / _LIST)
        if folder.exists() and any(folder.iterdir()):
            raise ValueError(f"{folder} has other things in it: name a new folder, or an empty one.")
        return set()


def _names(path: Path) -> set[str]:
    """The files that a list names; whoever wrote it, only what is in the same folder is ours to delete."""
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"'{path}' is not the list that it should be: name a new folder, or an empty one.")
    return {name for name in names if _inside(path.parent, name)}


def _inside(folder: Path, name: str) -> bool:
    """Whether a name stays in the folder; links of the folder may lead out of it."""
    path = folder / name
    return path.name not in ("", "..") and path.parent.resolve().is_relative_to(folder.resolve())


def fill(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder, in place of those that were written there before."""
    before = ours(folder)
    with _one_sentence(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / _LIST, _listed({*before, *files}))  # an end half way leaves a folder that is known to be ours
        for name, content in files.items():
            if not _inside(folder, name):
                raise ValueError(f"'{folder / name}' would be outside of '{folder}': remove that link.")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            _write(folder / name, content)
        for name in before - files.keys():
            (folder / name).unlink(missing_ok=True)
        _write(folder / _LIST, _listed(set(files)))


@contextlib.contextmanager
def _one_sentence(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or problem
        raise ValueError(f"{folder} could not be written ({reason}); name a folder that can be.") from None


def _listed(names: set[str]) -> bytes:
    return (json.dumps(sorted(names), indent=0) + "\n").encode()


def _write(path: Path, content: bytes) -> None:
    """Whole, or not at all."""
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.unlink(missing_ok=True)  # a link there would be written through
        draft.write_bytes(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
