"""What ``bflo data`` does: list the streams, fetch their files, verify them."""

import argparse

from bflo_viz import _places
from bflo_viz.cli import complain
from bflo_viz.streams import StreamError, load_stream
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES
from bflo_viz.streams.load import NAMES, ON_BACKGROUNDS, checked_name, dataset_of, is_here
from bflo_viz.streams.sources import cache_path, find_files, from_files, obtain
from bflo_viz.streams.stream import fingerprint

# What numpy.random.default_rng(0) gives; the second with the photographs of photos.npz.
_MADE_SHA256 = {
    "mnist-random": "f3d134ea123332a4dc218d26dfced07e79dd26fa04ba987afe09bad6212cdb93",
    "mnist-images": "a0cd2546e7051db3b8bd95f8adcee501163e316293346583255df3b6f4e8edbc",
}


def data_command(options: argparse.Namespace) -> int:
    """List, fetch or verify; the exit code is 0 if all is well."""
    if options.action is None:
        _list_all()
        return 0
    names, code = [checked_name(name) for name in options.names], 0
    fetching = options.action == "fetch"
    if fetching and not names and not options.all:
        raise ValueError("name the streams to fetch, or say --all; bflo data lists them.")
    every = FROM_FILES if fetching else [*FROM_FILES, *ON_BACKGROUNDS, *BUNDLED]
    for name in every if fetching and options.all else names or every:
        try:
            print(_fetch(name) if fetching else _verify(name, named=bool(names)), flush=True)
        except StreamError as problem:
            complain(str(problem))
            code = 1
    return code


def _list_all() -> None:
    """Those that work now, those that need a download, and how to place files by hand."""
    missing = [name for name in NAMES if not is_here(name)]
    print("These work now:", *(_line(name) for name in NAMES if name not in missing), sep="\n")
    if missing:
        print("\nThese need a download; bflo data fetch NAME or --all does it:", *map(_line, missing), sep="\n")
        print("\nOr place the files by hand, with no network here: in a folder that you name in the variable")
        print(f"{_places.DATA_VARIABLE}, or in {_places.cache_folder()}")
    for name in missing:
        for file, url in FROM_FILES[name].file_sets[0].urls.items() if name in FROM_FILES else ():
            print(f"  {name:<15} {file:<26} {url}")


def _fetch(name: str) -> str:
    dataset = dataset_of(name)
    if dataset:
        obtain(dataset)
    return _line(name)


def _verify(name: str, *, named: bool) -> str:
    """Check a stream that is here, from its files and from the cache, and say what it is."""
    if not is_here(name):
        if named:
            raise StreamError(f"{name} is not here.")
        return f"{name:<15} is not here"
    origins, expected = ["scikit-learn" if name in BUNDLED else "made here"], None
    if name in FROM_FILES:
        dataset = FROM_FILES[name]
        files, cached, expected = find_files(dataset), cache_path(dataset), dataset.sha256
        origins = [f"its parsed form in {cached.parent}"] if cached.is_file() else []
        if files:
            from_files(dataset, *files)
            origins.insert(0, str(files[1][0].parent))
    stream = load_stream(name, download=False)
    # Pictures of installed packages may be decoded with slight differences on other machines.
    if name == "mnist-random" or (name == "mnist-images" and "photos.npz" in stream.source):
        expected = _MADE_SHA256[name]
    sha256 = fingerprint(stream.X, stream.y)
    if expected not in (None, sha256):
        if name in ON_BACKGROUNDS:
            raise StreamError(f"{name} is made of the right digits, but it is not what seed 0 gives elsewhere.")
        cached.unlink(missing_ok=True)
        raise StreamError(f"{cached} was not {name}, by its SHA-256, so it was removed; try again.")
    classes = ", ".join(f"{label} {count:,}" for label, count in stream.class_counts.items())
    size = f"{stream.rows:,} x {stream.features}"
    return f"{name:<15} ok: {size}; {classes}; sha256 {sha256[:12]}; {' and '.join(origins)}"


def _line(name: str) -> str:
    """A stream in one line: its size, its licence, and where it is."""
    size, licence, place = "any size", "MIT", "made here"
    if name in ON_BACKGROUNDS:
        size, licence, place = "62,000 x 784", FROM_FILES["mnist"].licence, "made from mnist"
    elif name in BUNDLED or name in FROM_FILES:
        dataset = BUNDLED.get(name) or FROM_FILES[name]
        rows, features = dataset.shape
        size, licence, place = f"{rows:,} x {features}", dataset.licence, "comes with scikit-learn"
    if name in FROM_FILES:
        files, cached = find_files(dataset), cache_path(dataset)
        paths = files[1] if files else [cached] if cached.is_file() else []
        megabytes = sum(path.stat().st_size for path in paths) / 1e6
        place = f"{paths[0].parent} ({megabytes:.1f} MB)" if paths else f"{dataset.download_mb:.1f} MB to fetch"
    return f"  {name:<15} {size:>12}  {licence:<13} {place}"
