"""The folders in which streams are looked for."""

import os
from pathlib import Path

from bflo_viz.streams.registry import Recipe, Way
from bflo_viz.streams.stream import StreamError

VARIABLE = "BFLO_DATA"


def given_folder() -> Path | None:
    """The folder that BFLO_DATA names, if it names one."""
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser()
    if not os.path.isdir(folder):  # a folder in one that may not be entered is none either
        raise StreamError(f"{VARIABLE} names {folder}, which is not a folder: correct it, or unset it.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise StreamError(f"{VARIABLE} names {folder}, which you may not enter: ask its owner, or unset it.")
    return folder


def cache_folder() -> Path:
    """The user's cache folder: what was fetched, and the parsed form of every stream; it need not exist."""
    from platformdirs import user_cache_path

    return user_cache_path("bflo-viz", appauthor=False)


def find(recipe: Recipe) -> tuple[Way, list[Path]] | None:
    """The first complete set of files of a stream: in the folder that was given, else in the cache folder."""
    for folder in filter(None, (given_folder(), cache_folder())):
        for way in recipe.ways:
            paths = [_named(folder, file.name) for file in way.files]
            if all(paths):
                return way, [path for path in paths if path]
    return None


def _named(folder: Path, name: str) -> Path | None:
    """A file under its official name, or under that name packed or unpacked."""
    plain = name.removesuffix(".gz").removesuffix(".bz2")
    for spelling in dict.fromkeys((name, plain, f"{plain}.gz", f"{plain}.bz2")):
        if (folder / spelling).is_file():
            return folder / spelling
    return None
