"""What the cache of parsed streams is worth: COVTYPE from the cache, against COVTYPE from its text."""

import tempfile
from pathlib import Path

from side_by_side import best_times, report

from bflo_viz import _places
from bflo_viz.streams.datasets import FROM_FILES
from bflo_viz.streams.sources import find_files, from_cache, from_files, obtain

covtype = FROM_FILES["covtype"]
files = find_files(covtype)
if files is None:
    print("COVTYPE is not here, so it is not measured: bflo data fetch covtype gets it.")
else:
    with tempfile.TemporaryDirectory() as folder:
        _places.cache_folder = lambda: Path(folder)
        obtain(covtype)
        ways = {"text": lambda: from_files(covtype, *files), "cache": lambda: from_cache(covtype)}
        times = best_times(ways, rounds=5)
    print(f"COVTYPE: {times['text']:.2f} s from text, {times['cache']:.3f} s from the cache")
    report("COVTYPE, times faster from the cache", times["text"] / times["cache"], 20, at_most=False)
