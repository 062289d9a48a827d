"""What ``bflo data`` says: which streams are here, which can be fetched, and whether they are what they should be."""

from collections.abc import Callable, Sequence
from pathlib import Path

from bflo_viz import _places
from bflo_viz.streams import backgrounds, places, store
from bflo_viz.streams.load import NAMES, ON_BACKGROUNDS, known, load_stream
from bflo_viz.streams.parsers import ContentError, verify
from bflo_viz.streams.registry import BUNDLED, FROM_FILES, Recipe
from bflo_viz.streams.sources import checked, obtain
from bflo_viz.streams.stream import Stream, StreamError, fingerprint

Tell = Callable[[str], object]
WITH_FILES = tuple(FROM_FILES)

# What numpy.random.default_rng(0) gives; the second with the photographs of photos.npz.
_MADE_SHA256 = {
    "mnist-random": "f3d134ea123332a4dc218d26dfced07e79dd26fa04ba987afe09bad6212cdb93",
    "mnist-images": "a0cd2546e7051db3b8bd95f8adcee501163e316293346583255df3b6f4e8edbc",
}


def tell_all(tell: Tell) -> None:
    """List every stream: those that work now, those that need a download, and how to place files by hand."""
    missing = [name for name in NAMES if not is_here(name)]
    tell("These work now:")
    for name in NAMES:
        if name not in missing:
            tell(_line(name))
    if not missing:
        return
    tell("\nThese need a download; bflo data fetch NAME or --all does it:")
    for name in missing:
        tell(_line(name))
    tell("\nOr place the files by hand, with no network here: in a folder that you name in the variable")
    tell(f"{_places.DATA_VARIABLE}, or in {_places.cache_folder()}")
    for name in missing:
        for file in FROM_FILES[name].ways[0].files if name in FROM_FILES else ():
            tell(f"  {name:<15} {file.name:<26} {file.url}")


def fetch(names: Sequence[str], tell: Tell, complain: Tell) -> bool:
    """Fetch, parse and check streams; whether all of them are here now."""
    fine = True
    for name in [known(name) for name in names]:
        try:
            if name in FROM_FILES or name in ON_BACKGROUNDS:
                obtain(_files_of(name))
            tell(_line(name))
        except StreamError as problem:
            complain(str(problem))
            fine = False
    return fine


def verify_all(names: Sequence[str], tell: Tell, complain: Tell) -> bool:
    """Check streams from their files up, and their parsed form too; whether all are right.

    Without names these are all that have a known content, and one that is not here is no fault.
    """
    fine = True
    for name in [known(name) for name in names] or (*FROM_FILES, *ON_BACKGROUNDS, *BUNDLED):
        try:
            if is_here(name):
                tell(f"{name:<15} ok: {_verified(name)}")
                continue
            tell(f"{name:<15} is not here")
            fine = fine and not names
        except StreamError as problem:
            complain(str(problem))
            fine = False
    return fine


def _verified(name: str) -> str:
    """Check a stream that is here, and say what was found."""
    looked_at = ["made here"]
    if name in FROM_FILES:
        stream, looked_at = _from_files(FROM_FILES[name])
    else:
        stream = load_stream(name, download=False)
    sha = fingerprint(stream.X, stream.y)
    if name in _MADE_SHA256 and _is_reproducible(name) and sha != _MADE_SHA256[name]:
        raise StreamError(f"{name} is made of the right digits, but it is not what seed 0 gives elsewhere.")
    if name in BUNDLED:
        looked_at = ["scikit-learn"]
    classes = ", ".join(f"{which} {count:,}" for which, count in stream.class_counts.items())
    return f"{stream.rows:,} x {stream.features}; {classes}; sha256 {sha[:12]}; {' and '.join(looked_at)}"


def _from_files(recipe: Recipe) -> tuple[Stream, list[str]]:
    """Parse the files anew, if they are here, and check the parsed form, if that is; both, if both are."""
    looked_at = []
    found = places.find(recipe)
    if found:
        checked(recipe, *found)
        looked_at.append(str(found[1][0].parent))
    kept = store.load(recipe)
    if kept is not None:
        try:
            verify(recipe, kept)
        except ContentError as problem:
            store.path_of(recipe).unlink(missing_ok=True)
            where = store.path_of(recipe)
            raise StreamError(f"{where} was not {recipe.name}: {problem}, so it was removed; try again.") from None
        looked_at.append(f"its parsed form in {_places.cache_folder()}")
    return load_stream(recipe.name, download=False), looked_at


def _is_reproducible(name: str) -> bool:
    """Pictures of installed packages may be decoded with slight differences on other machines."""
    return name != "mnist-images" or backgrounds.has_known_photographs()


def _files_of(name: str) -> Recipe:
    return FROM_FILES["mnist" if name in ON_BACKGROUNDS else name]


def is_here(name: str) -> bool:
    """Whether a stream can be loaded with no download."""
    if name not in FROM_FILES and name not in ON_BACKGROUNDS:
        return True
    recipe = _files_of(name)
    return store.path_of(recipe).is_file() or places.find(recipe) is not None


def _line(name: str) -> str:
    """A stream in one line: its size, where it is, how large, and its licence."""
    if name in FROM_FILES:
        recipe = FROM_FILES[name]
        return _words(name, f"{recipe.rows:,} x {recipe.features}", recipe.licence, _place(recipe))
    if name in ON_BACKGROUNDS:
        return _words(name, "62,000 x 784", FROM_FILES["mnist"].licence, "made from mnist")
    if name in BUNDLED:
        recipe = BUNDLED[name]
        return _words(name, f"{recipe.rows:,} x {recipe.features}", recipe.licence, "comes with scikit-learn")
    return _words(name, "any size", "MIT", "made here")


def _words(name: str, size: str, licence: str, place: str) -> str:
    return f"  {name:<15} {size:>12}  {licence:<13} {place}"


def _place(recipe: Recipe) -> str:
    found = places.find(recipe)
    if found:
        return _folder(found[1])
    kept = store.path_of(recipe)
    return _folder([kept]) if kept.is_file() else f"{recipe.download / 1e6:.1f} MB to fetch"


def _folder(paths: list[Path]) -> str:
    return f"{paths[0].parent} ({sum(path.stat().st_size for path in paths) / 1e6:.1f} MB)"
