"""The command ``bflo data``: list the streams, fetch their files, verify them."""

import argparse

from bflo_viz import _places
from bflo_viz.cli import complain
from bflo_viz.streams import StreamError, load
from bflo_viz.streams.datasets import BUNDLED, FROM_FILES


def data_command(options: argparse.Namespace) -> int:
    """List, fetch or verify; the exit code is 0 if all is well."""
    names = [load.checked_name(name) for name in getattr(options, "names", ())]
    if options.action is None:
        here = [name for name in load.NAMES if load.is_here(name)]
        print("These work now:", *map(_described, here), sep="\n")
        print("\nThese need a download; bflo data fetch NAME or --all does it:")
        print(*(_described(name) for name in load.NAMES if name not in here), sep="\n")
        print(f"\nFiles of your own are found in the folder that {_places.DATA_VARIABLE} names, and in")
        print(_places.cache_folder())
        return 0
    fetching, code = options.action == "fetch", 0
    if fetching and not names and not options.all:
        raise ValueError("name the streams to fetch, or say --all; bflo data lists them.")
    for name in names or (FROM_FILES if fetching else filter(load.is_here, load.NAMES)):
        try:
            print(f"{name:<15} ok: {load.load_stream(name, download=fetching)}", flush=True)
        except StreamError as problem:
            complain(str(problem))
            code = 1
    return code


def _described(name: str) -> str:
    """Describe a stream in one line: its size, its licence, and how it is had."""
    dataset = BUNDLED.get(name) or load.dataset_of(name)
    if dataset is None:
        return f"  {name:<15}     any size  MIT           made here"
    size = "{:,} x {}".format(*dataset.shape) if dataset.name == name else "62,000 x 784"
    how = "comes with scikit-learn" if name in BUNDLED else f"{dataset.download_mb:.1f} MB, from {dataset.name}"
    return f"  {name:<15} {size:>12}  {dataset.licence:<13} {how}"
