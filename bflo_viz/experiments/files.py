"""The results that come with the course: small CSV files, and a manifest of how each was made."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bflo_viz import _places
from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.result import Result, read_csv, write_csv

MANIFEST = "manifest.json"


def file_name(experiment: str, protocol: str) -> str:
    """Name of the file of a protocol: ``table1-inferred.csv``."""
    return f"{experiment}-{protocol.replace(', ', '-')}.csv"


def committed(experiment: str, protocol: str = "inferred", *, quick: bool = False) -> list[Result]:
    """Results that come with the course, one a run; a protocol that has none gives none.

    >>> rows = committed("demo")
    >>> len(rows), rows[0].learner, rows[0].rounds
    (250, 'SGD', 8000)
    """
    name = load_protocol(experiment, protocol, quick=quick).name
    path = _places.results_folder() / file_name(experiment, name)
    return read_csv(path) if path.is_file() else []


def publish(results: Iterable[Result], protocol: Protocol, into: Path, command: str) -> Path:
    """Write the results of a protocol, and how they were made into the manifest beside them."""
    rows = list(results)
    if not rows:
        raise ValueError(f"there are no results of {protocol.experiment} {protocol.name}: run it first.")
    into.mkdir(parents=True, exist_ok=True)
    path = into / file_name(protocol.experiment, protocol.name)
    write_csv(path, rows)
    known = _manifest(into)
    known[path.name] = {
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
        "data": {stream: sorted({row.data for row in rows if row.stream == stream}) for stream in protocol.streams},
    }
    if any(recipe.fresh for recipe in protocol.streams.values()):
        known[path.name]["data"] = "drawn anew in each run"
    text = json.dumps(dict(sorted(known.items())), indent=2, ensure_ascii=False)
    (into / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return path


def _fewest(rows: list[Result], stream: str) -> int:
    """Runs of the learner that has the fewest on a stream."""
    counts = Counter((row.learner, row.noise) for row in rows if row.stream == stream)
    return min(counts.values(), default=0)


def _manifest(into: Path) -> dict[str, Any]:
    path = into / MANIFEST
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
