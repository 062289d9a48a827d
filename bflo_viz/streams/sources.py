"""A stream from wherever it is: its parsed form, files that are here, or a download; in that order, and checked."""

import os
import warnings
from collections.abc import Iterable, Iterator
from glob import escape
from itertools import count
from pathlib import Path

from bflo_viz import _places
from bflo_viz.streams import download, places, store
from bflo_viz.streams.parsers import Arrays, ContentError, read
from bflo_viz.streams.registry import Recipe, Way
from bflo_viz.streams.stream import StreamError


def obtain(recipe: Recipe, *, may_download: bool = True) -> Arrays:
    """The arrays of a stream, as the registry has them.

    The parsed form is asked first: it was checked when it was written, and its name has the fingerprint, so no file
    could say anything else. Whatever is parsed now is kept in that form.
    """
    kept = store.load(recipe)
    if kept is not None:
        return kept
    found = places.find(recipe)
    if found:
        arrays = checked(recipe, *found)
    elif may_download:
        arrays = _downloaded(recipe)
    else:
        raise StreamError(f"{recipe.name} is not here: run  bflo data fetch {recipe.name}, or {_by_hand(recipe)}.")
    try:
        store.save(recipe, arrays)
    except OSError as problem:
        warnings.warn(
            f"{recipe.name} could not be kept in {_places.cache_folder()}: {problem.strerror or problem}.",
            RuntimeWarning,
            stacklevel=3,
        )
    return arrays


def checked(recipe: Recipe, way: Way, paths: list[Path]) -> Arrays:
    """Parse files and check them; those that fail are renamed aside, so that nobody uses them by mistake."""
    try:
        return _parsed(recipe, way, paths)
    except ContentError as problem:
        raise StreamError(f"{problem}; run the same again to get it from elsewhere.") from None
    except OSError as problem:
        raise StreamError(f"{problem.filename or paths[0]} cannot be read: {problem.strerror}.") from None


def set_aside(paths: Iterable[Path]) -> str:
    """Rename files so that they are not found again; a part of a sentence says what became of them."""
    names = []
    for path in paths:
        taken = {other.name for other in path.parent.glob(f"{escape(path.name)}.rejected*")}
        new = path.with_name(next(name for name in _aside(path.name) if name not in taken))
        try:
            os.replace(path, new)
        except FileNotFoundError:  # another process has done it
            pass
        except OSError:
            return "and it could not be renamed, so move it away"
        names.append(new.name)
    return f"so it was renamed to {' and '.join(names)}"


def _aside(name: str) -> Iterator[str]:
    """Names for a file that was wrong: an older one keeps its own."""
    yield f"{name}.rejected"
    yield from (f"{name}.rejected-{number}" for number in count(2))


def _parsed(recipe: Recipe, way: Way, paths: list[Path]) -> Arrays:
    try:
        return read(recipe, way, paths)
    except ContentError as problem:
        wrong = paths if problem.path is None else [problem.path]
        where = f"{' and '.join(path.name for path in wrong)} in {wrong[0].parent}"
        what = "the stream" if len(wrong) == len(paths) else "a part of the stream"
        raise ContentError(f"{where} is not {what} {recipe.name}: {problem}, {set_aside(wrong)}") from None


def _downloaded(recipe: Recipe) -> Arrays:
    """Try one address after the other, until one has the right content."""
    problems = []
    for way in recipe.ways:
        paths = [_places.cache_folder() / file.name for file in way.files]
        try:
            for file, path in zip(way.files, paths, strict=True):
                download.fetch(file.url, path, recipe.most)
            return _parsed(recipe, way, paths)
        except (download.DownloadError, ContentError) as problem:
            problems.append(str(problem))
        except OSError as problem:
            problems.append(f"{paths[0].parent} cannot be written: {problem.strerror or problem}")
            break
    why = "; ".join(dict.fromkeys(problems))
    raise StreamError(f"{recipe.name} is not here and could not be downloaded ({why}): {_by_hand(recipe)}.")


def _by_hand(recipe: Recipe) -> str:
    names = recipe.official_names()
    folders = f"the folder that {_places.DATA_VARIABLE} names, or into {_places.cache_folder()}"
    return f"put {names} into {folders} (bflo data tells where to get it)"
