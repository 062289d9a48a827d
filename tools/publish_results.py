"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md.

A file keeps the runs that its protocol still has and that are not in the store. Of a protocol with switches only
counts are written, also of the runs that it shares with other files:

    python tools/publish_results.py FILE --protocol workbench
"""

import argparse
import csv
import io
import json
from pathlib import Path

from bflo_viz._places import write_whole
from bflo_viz.experiments import workbench
from bflo_viz.experiments.protocol import TITLES, load_protocol, names
from bflo_viz.experiments.results import COLUMNS, Store, file_name, read_csv

EXTRAS = {"table1": ["NHERD", "spherical", "spherical exact", "full", "Kalman"], "demo": ["Kalman"]}
SETTINGS = ("key", "stream", "learner", "noise", "settings", "rounds", "test_rows", *workbench.OF_EACH_RUN, "seconds")


def write_csv(path, columns, rows):
    """Write rows; the file is there whole, or as it was before."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def settings(bench):
    """A row for each setting: what decides it, and the counts of all its runs."""
    for key, runs in bench.runs.items():
        trial = bench.trials[key]
        words = {"split": trial.recipe.split, "shuffle": trial.recipe.shuffle, **trial.settings.options}
        words |= {"final": trial.settings.final, "final_noise": trial.settings.final_noise}
        each = {name: " ".join(str(getattr(run, name)) for run in runs) for name in workbench.OF_EACH_RUN}
        seconds = f"{sum(run.seconds for run in runs) / len(runs):.3f}"
        shared = {name: getattr(runs[0], name) for name in ("rounds", "test_rows", "data")}
        shared["code"] = " ".join(sorted({code for run in runs for code in run.code.split()}))
        place = {"key": key, "stream": trial.stream, "learner": trial.learner, "noise": trial.noise}
        yield place | shared | each | {"settings": " ".join(f"{k}={v}" for k, v in words.items()), "seconds": seconds}


def publish(protocol, rows, into, command):
    """Write the results of a protocol, and how they were made into the manifest beside them."""
    path, more = into / file_name(protocol.experiment, protocol.name), {}
    if protocol.switches:
        bench = workbench.gather(protocol, rows)
        if path.is_file():
            before = workbench.read(protocol, path).runs
            bench = workbench.Workbench(
                protocol,
                {
                    key: bench.runs.get(key) or before[key]
                    for key in bench.trials
                    if key in bench.runs or key in before
                },
            )
            rows = [row for runs in bench.runs.values() for row in runs]
        write_csv(path, (*SETTINGS, "data", "code"), settings(bench))
        more = {"combinations": len(bench.variants), "settings without runs": len(bench.trials) - len(bench.runs)}
    else:
        write_csv(path, COLUMNS, (row.to_row() | {"seconds": f"{row.seconds:.3f}"} for row in rows))
    manifest = into / "manifest.json"
    entries = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
    times = sorted(row.finished for row in rows if row.finished)
    entries[path.name] = {
        **{"command": command, "protocol": protocol.name, "fitted": protocol.fitted, "about": protocol.about},
        **{"runs": len(rows), **more, "seconds of all runs": round(sum(row.seconds for row in rows))},
        "finished": [*times[:1], *times[-1:]],
        "code": sorted({code for row in rows for code in row.code.split()}),
        "machine": sorted({row.machine for row in rows if row.machine}),
    }
    write_whole(manifest, (json.dumps(dict(sorted(entries.items())), indent=2, ensure_ascii=False) + "\n").encode())
    print(f"{path}: {len(rows)} runs")


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
        files = [options.into / file_name(experiment, name) for name in names(experiment) if name != "workbench"]
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
