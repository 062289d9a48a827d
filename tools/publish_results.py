"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md.

A file keeps the runs that its protocol still has and that are not in the store. Of a protocol with switches only
counts are written, without curves, also of the runs that it shares with other files:

    python tools/publish_results.py FILE --protocol workbench
"""

import argparse
import csv
import json
import os
import platform
from pathlib import Path

import numpy as np

from bflo_viz.experiments.protocol import TITLES, load_protocol, names
from bflo_viz.experiments.results import PUBLISHED, Store, read_csv

EXTRAS = {"table1": ["NHERD", "spherical", "spherical exact", "full", "Kalman"], "demo": ["Kalman"]}
MACHINE = f"{platform.system()} {platform.machine()} {os.cpu_count()} cores, Python {platform.python_version()}"


def publish(protocol, rows, into, command):
    """Write the results of a protocol, a line for each run, and how they were made into the manifest beside them."""
    path = into / f"{protocol.experiment}-{protocol.name}.csv"
    without = {"mistakes": "", "entropy": ""} if protocol.switches else {}
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, PUBLISHED, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row.to_row() | without | {"seconds": f"{row.seconds:.3f}"} for row in rows)
    before = read_manifest(into).get(path.name, {})
    times = sorted({*before.get("finished", []), *(row.finished for row in rows if row.finished)})
    data = dict.fromkeys((row.stream, row.data) for row in rows if row.data)
    streams = [stream for stream, _ in data]
    entry = {
        **{"command": command, "protocol": protocol.name, "fitted": protocol.fitted, "about": protocol.about},
        **{"runs": len(rows), "seconds of all runs": round(sum(row.seconds for row in rows))},
        "finished": [*times[:1], *times[-1:]],
        "code": sorted({*before.get("code", []), *(row.code for row in rows if row.code)}),
        "machine": sorted({*before.get("machine", []), f"{MACHINE}, NumPy {np.__version__}"}),
        "data": before.get("data", {}) | {stream: digest for stream, digest in data if streams.count(stream) == 1},
    }
    enter(into, path.name, entry)
    print(f"{path}: {len(rows)} runs")


def read_manifest(folder):
    path = folder / "manifest.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def enter(folder, name, entry):
    """Write into the manifest of a folder how a file of it was made."""
    entries = dict(sorted((read_manifest(folder) | {name: entry}).items()))
    text = json.dumps(entries, indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(f"{text}\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--into", type=Path, default=Path("results"))
    parser.add_argument("--protocol", help="write this protocol alone")
    parser.add_argument("--quick", action="store_true", help="the small versions of the experiments")
    options = parser.parse_args()
    with Store(options.store, create=False) as store:
        stored = {row.key: row for row in store}
    for experiment in TITLES:
        files = [options.into / f"{experiment}-{name}.csv" for name in reversed(names(experiment))]
        # The file of the workbench is read first: other files have the curves of the runs that it shares with them.
        rows = {row.key: row for file in files if file.is_file() for row in read_csv(file)} | stored
        for name in (one for one in names(experiment) if options.protocol in (None, one)):
            protocol = load_protocol(experiment, name, quick=options.quick)
            extras = [] if options.quick or protocol.switches else EXTRAS.get(experiment, [])
            keys = [trial.key for trial in protocol.with_extras(extras).trials()]
            if not stored.keys().isdisjoint(keys) and not (options.quick and protocol.switches):
                command = f"bflo run {experiment} --protocol {name}{' --quick' if options.quick else ''}"
                command += f' --extra "{",".join(extras)}"' if extras else ""
                publish(protocol, [rows[key] for key in keys if key in rows], options.into, command)


if __name__ == "__main__":
    main()
