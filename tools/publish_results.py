"""Write the results in a store as the files of the folder ``results``, with a manifest: see results/README.md.

Of a protocol with switches only counts are kept. Runs that it shares with other protocols come from their files, too:

    python tools/publish_results.py FILE --protocol workbench
"""

import argparse
import csv
import io
import json
from collections import Counter
from pathlib import Path

from bflo_viz._places import write_whole
from bflo_viz.experiments.protocol import EXPERIMENTS, load_protocol, names
from bflo_viz.experiments.results import COLUMNS, COUNT_COLUMNS, Store, file_name, read_csv
from bflo_viz.experiments.workbench import gather

QUICK = [("table1", "inferred"), ("table2", "inferred")]  # small ones that anyone can rerun
EXTRAS = {"table1": ["NHERD", "spherical", "spherical exact", "full"]}


def write_csv(path, columns, rows):
    """Write rows; the file is there whole, or as it was before."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def in_short(result):
    """A run as texts, its time and memory as short as they are of use."""
    return result.as_texts() | {"seconds": f"{result.seconds:.3f}", "memory_mb": f"{result.memory_mb:.0f}"}


def publish(rows, protocol, into, command):
    """Write the results of a protocol, and how they were made into the manifest beside them."""
    into.mkdir(parents=True, exist_ok=True)
    path = into / file_name(protocol.experiment, protocol.name)
    if protocol.switches:
        counts = gather(protocol, rows).counts.values()
        write_csv(path, COUNT_COLUMNS, (one.as_texts() for one in counts))
        settings = [(one.stream, len(one.runs)) for one in counts]
        missing = len(protocol.trials(1)) - len(counts)
        of_switches = {"combinations": len(protocol.variants()), "settings without runs": missing}
    else:
        write_csv(path, COLUMNS, map(in_short, rows))
        settings = [(stream, runs) for (stream, *_), runs in Counter(map(_place, rows)).items()]
        of_switches = {}
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
        "runs of each": {name: _fewest(name, settings) for name in protocol.streams},
        **of_switches,
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


def _place(row):
    return row.stream, row.learner, row.noise


def _fewest(name, settings):
    """Runs of the setting that has the fewest on a stream."""
    return min((runs for stream, runs in settings if stream == name), default=0)


def of_others(experiment, into):
    """Runs of the protocols without switches that are in the folder."""
    settled = [name for name in names(experiment) if not load_protocol(experiment, name).switches]
    files = [into / file_name(experiment, name) for name in settled]
    return [row for file in files if file.is_file() for row in read_csv(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--into", type=Path, default=Path("results"))
    parser.add_argument("--protocol", help="write this protocol alone")
    options = parser.parse_args()
    everything = [(experiment, name, False) for experiment in EXPERIMENTS for name in names(experiment)]
    everything += [(*one, True) for one in QUICK]
    chosen = [one for one in everything if options.protocol in (None, one[1])]
    with Store(options.store, create=False) as store:
        for experiment, name, quick in chosen:
            protocol = load_protocol(experiment, name, quick=quick)
            extras = [] if quick or protocol.switches else EXTRAS.get(experiment, [])
            protocol = protocol.extended(extras)
            results = store.results(protocol.trials())
            if results and protocol.switches:
                by_key = {row.key: row for row in (*of_others(experiment, options.into), *results)}
                results = [by_key[trial.key] for trial in protocol.trials() if trial.key in by_key]
            if results:
                command = f"bflo run {experiment} --protocol {name}{' --quick' if quick else ''}"
                command += f' --extra "{",".join(extras)}"' if extras else ""
                path = publish(results, protocol, options.into, command)
                print(f"{path}: {len(results)} of {len(protocol.trials())} runs")


if __name__ == "__main__":
    main()
