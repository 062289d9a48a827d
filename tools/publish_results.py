"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md."""

import argparse
import csv
import io
import json
from collections import Counter
from pathlib import Path

from bflo_viz._places import write_whole
from bflo_viz.experiments.protocol import EXPERIMENTS, load_protocol, names
from bflo_viz.experiments.results import COLUMNS, Store, file_name

QUICK = [("table1", "inferred"), ("table2", "inferred")]  # small ones that anyone can rerun
EXTRAS = {"table1": ["NHERD", "spherical", "spherical exact", "full"]}


def write_csv(path, results):
    """Write results, a line for each run; the file is there whole, or as it was before."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in results:
        times = {"seconds": f"{result.seconds:.3f}", "memory_mb": f"{result.memory_mb:.0f}"}
        writer.writerow(result.as_texts() | times)
    write_whole(path, text.getvalue().encode())


def publish(rows, protocol, into, command):
    """Write the results of a protocol, and how they were made into the manifest beside them."""
    into.mkdir(parents=True, exist_ok=True)
    path = into / file_name(protocol.experiment, protocol.name)
    write_csv(path, rows)
    fresh = any(recipe.fresh for recipe in protocol.streams.values())
    data = {stream: sorted({row.data for row in rows if row.stream == stream}) for stream in protocol.streams}
    manifest = into / "manifest.json"
    entries = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
    entries[path.name] = {
        "command": command,
        "protocol": protocol.name,
        "fitted": protocol.fitted,
        "about": protocol.about,
        "runs": len(rows),
        "runs of each": {stream: _fewest(rows, stream) for stream in protocol.streams},
        "seconds of all runs": round(sum(row.seconds for row in rows)),
        "most memory of a run (MB)": round(max(row.memory_mb for row in rows)),
        "finished": [min(row.finished for row in rows), max(row.finished for row in rows)],
        "code": sorted({row.code for row in rows}),
        "machine": sorted({row.machine for row in rows}),
        "data": "drawn anew in each run" if fresh else data,
    }
    text = json.dumps(dict(sorted(entries.items())), indent=2, ensure_ascii=False)
    write_whole(manifest, f"{text}\n".encode())
    return path


def _fewest(rows, stream):
    """Runs of the learner that has the fewest on a stream."""
    counts = Counter((row.learner, row.noise) for row in rows if row.stream == stream)
    return min(counts.values(), default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--into", type=Path, default=Path("results"))
    options = parser.parse_args()
    everything = [(experiment, name, False) for experiment in EXPERIMENTS for name in names(experiment)]
    with Store(options.store, create=False) as store:
        for experiment, name, quick in [*everything, *((*one, True) for one in QUICK)]:
            extras = [] if quick else EXTRAS.get(experiment, [])
            protocol = load_protocol(experiment, name, quick=quick).extended(extras)
            results = store.results(protocol.trials())
            if results:
                command = f"bflo run {experiment} --protocol {name}{' --quick' if quick else ''}"
                command += f' --extra "{",".join(extras)}"' if extras else ""
                path = publish(results, protocol, options.into, command)
                print(f"{path}: {len(results)} of {len(protocol.trials())} runs")


if __name__ == "__main__":
    main()
