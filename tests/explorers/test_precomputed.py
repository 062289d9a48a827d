"""Runs that were computed before: what is kept of them is what Python computes."""

import base64
import gzip
import json
import struct

import numpy as np
import pytest

from bflo_viz import OnlineExplorer, PseudoDatasetExplorer
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


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        # With the widest prior and the longest steps a width collapses: an entropy of minus infinity.
        (
            OnlineExplorer,
            {"eta": [0.03, 0.1], "std": [3.0], "flip": [0.4], "drift": [20.0], "non_expansive": [True], "seed": [3]},
        ),
        (PseudoDatasetExplorer, {"seed": [4, 5]}),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_kept_run_is_the_computed_one(kind, values):
    """To the step with which an array is kept, and exactly where it has none."""
    files = {name: decode(script) for name, script in precomputed.scripts(kind, values)}
    changed = next(iter(values))
    assert len(files) == 3
    for i, value in enumerate(values[changed]):
        place = "-".join([str(i), *["0"] * (len(values) - 1)])
        settings = {name: some[0] for name, some in values.items()} | {changed: value}
        compare(files["all"] | files[place], unpacked(kind(**settings)._run), kind._steps)
    if kind is OnlineExplorer:
        assert np.isneginf(files["1-0-0-0-0-0"]["learners"]["diagonal"]["entropy"]).any()
        assert {"x", "samples"} <= files["all"].keys()


@pytest.mark.parametrize("kind", [OnlineExplorer, PseudoDatasetExplorer])
def test_the_choices_are_those_of_the_traits(kind):
    """Every value of the grid may be set in Python, the explorer's own is among them, and no setting is left out."""
    explorer = kind(seed=7)
    choices = precomputed.choices(explorer)
    assert tuple(choices) == (tuple(explorer.settings) if kind is OnlineExplorer else ("seed",))
    for name, values in choices.items():
        assert getattr(explorer, name) in values
        assert [explorer.traits()[name].validate(explorer, value) for value in values] == values


def test_all_runs_of_an_explorer_fit_into_a_few_megabytes():
    """Those of the largest grid, by the largest of some of its runs."""
    some = precomputed.scripts(
        OnlineExplorer,
        {"eta": [0.1], "std": [1.0, 3.0], "flip": [0.4], "drift": [0.0], "non_expansive": [False], "seed": [3]},
    )
    largest = max(len(script) for _, script in some)
    count = np.prod([max(1, len(values)) for values in OnlineExplorer._grid.values()])
    assert count * largest < 7_000_000
