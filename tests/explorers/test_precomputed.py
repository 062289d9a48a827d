"""Runs that were computed before: what is kept of them is what Python computes."""

import base64
import gzip
import json
import struct

import numpy as np

from bflo_viz import DynamicsExplorer
from bflo_viz.explorers import precomputed


def decode(script):
    """What saved.js makes of a file: the arrays of a run in place of their packed form."""
    text = script.decode().removeprefix('globalThis.bfloRun = "').removesuffix('";\n')
    raw = gzip.decompress(base64.b64decode(text, validate=True))
    (length,) = struct.unpack("<I", raw[:4])

    def read(entry):
        if "size" not in entry:
            return entry
        data = raw[4 + length + entry["at"] :][: entry["size"]]
        if "step" not in entry:
            return np.frombuffer(data, {"float32": "<f4", "uint8": "u1"}[entry["dtype"]]).reshape(entry["shape"])
        planes = np.frombuffer(data, np.uint8).reshape(4, -1).T
        differences = np.ascontiguousarray(planes).view("<i4").reshape(-1, entry["shape"][0])
        values = (differences.cumsum(axis=1) * entry["step"]).T.reshape(entry["shape"])
        return np.where(values <= precomputed.MINUS_INFINITY, -np.inf, values)

    return json.loads(raw[4 : 4 + length], object_hook=read)


def unpacked(value):
    """The arrays of a run as Python computed it."""
    if not isinstance(value, dict):
        return value
    if "data" in value:
        kind = {"float32": "<f4", "uint8": "u1"}[value["dtype"]]
        return np.frombuffer(value["data"], kind).reshape(value["shape"])
    return {name: unpacked(part) for name, part in value.items()}


def compare(kept, computed, steps, name=""):
    if isinstance(computed, dict):
        assert kept.keys() == computed.keys()
        for key, value in computed.items():
            compare(kept[key], value, steps, key)
    elif isinstance(computed, np.ndarray):
        off = steps[name] / 2 if name in steps else 0
        np.testing.assert_allclose(kept, computed, rtol=0, atol=off * (1 + 1e-6), err_msg=name)
    else:
        assert kept == computed


def test_a_kept_run_is_the_computed_one():
    """To the step with which an array is kept, and exactly where it has none."""
    files = {name: decode(script) for name, script in precomputed.scripts(DynamicsExplorer, {"seed": [0, 2]})}
    assert len(files) == 3
    for i, seed in enumerate([0, 2]):
        wanted = unpacked(DynamicsExplorer(seed=seed)._run)
        compare(files["all"] | files[str(i)], wanted, DynamicsExplorer._steps)


def test_the_choices_are_those_of_the_traits():
    """Every value of the grid may be set in Python, the explorer's own is among them."""
    explorer = DynamicsExplorer(seed=7)
    choices = precomputed.choices(explorer)
    assert tuple(choices) == ("seed",) and 7 in choices["seed"]
    assert [explorer.traits()["seed"].validate(explorer, value) for value in choices["seed"]] == choices["seed"]
