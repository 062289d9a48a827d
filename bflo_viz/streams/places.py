"""The folders in which streams are looked for."""

from pathlib import Path

from bflo_viz import _places
from bflo_viz.streams.registry import Recipe, Way


def find(recipe: Recipe) -> tuple[Way, list[Path]] | None:
    """The first complete set of files of a stream: in the folder that was given, else in the cache folder."""
    for folder in filter(None, (_places.data_folder(), _places.cache_folder())):
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
