"""What the parsed form of a stream is worth: COVTYPE from its parsed form, against COVTYPE from its text."""

import tempfile
from pathlib import Path

from side_by_side import best_times, report

from bflo_viz import _places
from bflo_viz.streams import places, store
from bflo_viz.streams.parsers import read
from bflo_viz.streams.registry import FROM_FILES

covtype = FROM_FILES["covtype"]
found = places.find(covtype)
if found is None:
    print("COVTYPE is not here, so it is not measured: bflo data fetch covtype gets it.")
else:
    with tempfile.TemporaryDirectory() as folder:
        _places.cache_folder = lambda: Path(folder)
        store.save(covtype, read(covtype, *found))
        times = best_times({"text": lambda: read(covtype, *found), "parsed": lambda: store.load(covtype)}, rounds=5)
    print(f"COVTYPE: {times['text']:.2f} s from text, {times['parsed']:.3f} s from the parsed form")
    report("COVTYPE, times faster from its parsed form", times["text"] / times["parsed"], 20, at_most=False)
