"""Runs of an explorer over a grid of settings, computed before and kept in files: for pages without Python."""

import base64
import itertools
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from bflo_viz._checks import Floats
from bflo_viz.explorers.base import Explorer

MINUS_INFINITY = -1024.0  # what stands for it among whole numbers; saved.js reads it so


def choices(explorer: Explorer) -> dict[str, list[Any]]:
    """For each setting the values that there are runs for: those of the explorer's grid, and its own."""
    return {name: sorted({*values, getattr(explorer, name)}) for name, values in explorer._grid.items()}


def scripts(kind: type[Explorer], values: dict[str, list[Any]]) -> Iterator[tuple[str, bytes]]:
    """The runs of an explorer as script files, by what their names differ in: places in the values, as ``1-0-2``.

    What all runs share is in a file of its own, ``all``.
    """
    runs = {}
    for place in itertools.product(*(range(len(some)) for some in values.values())):
        settings = {name: some[i] for (name, some), i in zip(values.items(), place, strict=True)}
        runs["-".join(map(str, place))] = _run(kind, settings)
    first = next(iter(runs.values()))
    shared = {name for name in first if all(run[name] == first[name] for run in runs.values())}
    yield "all", _script({name: first[name] for name in first if name in shared}, kind._steps)
    for name, run in runs.items():
        yield name, _script({part: value for part, value in run.items() if part not in shared}, kind._steps)


def _run(kind: type[Explorer], settings: dict[str, Any]) -> dict[str, Any]:
    explorer: Any = kind(**settings)
    run: dict[str, Any] = explorer._run
    explorer.close()
    return run


def _script(run: dict[str, Any], steps: dict[str, float]) -> bytes:
    press = zlib.compressobj(8, wbits=31, strategy=zlib.Z_FILTERED)  # gzip, and made for small differences
    packed = press.compress(encode(run, steps)) + press.flush()
    return b'globalThis.bfloRun = "' + base64.b64encode(packed) + b'";\n'


def encode(run: dict[str, Any], steps: dict[str, float]) -> bytes:
    """A run as bytes: the length of its words, the words as JSON, and the arrays one after the other.

    An array that has a step is kept as whole numbers of steps, each as its difference from the one before.
    """
    arrays = bytearray()

    def put(name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "data" not in value:
            return {key: put(key, part) for key, part in value.items()}
        data, entry = value["data"], {"shape": value["shape"], "dtype": value["dtype"]}
        if name in steps:
            entry["step"] = steps[name]
            data = _differences(np.frombuffer(data, "<f4").reshape(value["shape"]), steps[name])
        entry |= {"at": len(arrays), "size": len(data)}
        arrays.extend(data)
        return entry

    words = json.dumps({key: put(key, part) for key, part in run.items()}, allow_nan=False).encode()
    return struct.pack("<I", len(words)) + words + bytes(arrays)


def _differences(values: Floats, step: float) -> bytes:
    """Column by column, the lowest bytes of all differences first: those that hardly differ are then side by side."""
    whole = np.rint(np.maximum(values, MINUS_INFINITY).astype(float) / step).astype("<i4")
    columns = whole.reshape(len(whole), -1).T
    apart = np.ascontiguousarray(np.diff(columns, axis=1, prepend=0), dtype="<i4")
    return apart.reshape(-1, 1).view(np.uint8).T.tobytes()
