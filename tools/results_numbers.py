"""Write what `ResultsExplorer` shows into results/explorer.json: both tables by every combination of their switches.

The files of results and the protocols have all of it; reading those takes a second, and an explorer is shown at once.
"""

import json
import sys
from pathlib import Path

import numpy as np

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import committed
from bflo_viz.experiments.tables import MEASURES
from bflo_viz.experiments.workbench import committed_workbench
from bflo_viz.explorers.results import FILE, LEARNERS, TABLES

EXTRA = "Kalman"  # a learner that the paper does not have, for its learning curve


def brief(mark):
    """Return what the text has to say of an option in two or three words."""
    if "against" in mark:
        return "against the text"
    return "the text is silent" if "not say" in mark else mark.split(",")[0]


def numbers(experiment):
    """Return all tables of an experiment as plain numbers, by measure, share of flipped labels, and place."""
    bench, switches = committed_workbench(experiment), load_protocol(experiment, "workbench").switches
    tables = [bench.table(choice) for choice in bench.variants]
    first = tables[0]
    places = [(learner, stream) for learner in first.learners for stream in first.streams]
    parts = [[[(measure, noise, *place) for place in places] for noise in first.noise] for measure in MEASURES]
    ours = [
        [[[[t.cells[at].ours, round(t.cells[at].error, 2)] for at in n] for n in m] for m in parts] for t in tables
    ]
    return {
        "switches": {
            name: {
                "help": switch.help,
                "options": {key: [o.text, brief(o.mark)] for key, o in switch.options.items()},
            }
            for name, switch in switches.items()
        },
        **{"learners": first.learners, "streams": first.streams, "noise": first.noise},
        "paper": [[[first.cells[at].paper for at in n] for n in m] for m in parts],
        "cells": ours,
        "scores": [round(bench.deviations[choice], 4) for choice in bench.variants],
        "turned": [len(turned(switches, next(iter(bench.variants)), choice)) for choice in bench.variants],
        "best": [best_from(bench, switches, choice) for choice in bench.variants],
        "curves": {name: curves(experiment, name) for name in ("printed", "inferred")},
    }


def turned(switches, before, after):
    """Return the switches that differ between two choices, with their options after it."""
    return {name: new for name, old, new in zip(switches, before, after, strict=True) if new != old}


def best_from(bench, switches, choice):
    """Return the switch that helps most from a choice, with the option to turn it to; None where none does."""
    near = [one for one in bench.variants if len(turned(switches, choice, one)) == 1]
    best = min(near, key=bench.deviations.__getitem__)
    return turned(switches, choice, best) if bench.deviations[best] < bench.deviations[choice] else None


def curves(experiment, protocol):
    """Return rounds by stream, and by "STREAM LEARNER NOISE" the mean mistakes in percent of each block of rounds."""
    rounds, runs = {}, {}
    for row in committed(experiment, protocol):
        if row.learner in (*LEARNERS, EXTRA):
            rounds[row.stream] = row.rounds
            # All blocks have one size but the last, which may be shorter.
            ends = np.minimum(-(-row.rounds // len(row.mistakes)) * np.arange(1, 1 + len(row.mistakes)), row.rounds)
            shares = 100 * np.array(row.mistakes) / np.diff(ends, prepend=0)
            runs.setdefault(f"{row.stream} {row.learner} {row.noise:g}", []).append(shares)
    return {
        "rounds": rounds,
        "mistakes": {name: np.mean(some, axis=0).round(1).tolist() for name, some in runs.items()},
    }


if __name__ == "__main__":
    into = Path(*sys.argv[1:] or ["results"])
    (into / FILE).write_text(f"{json.dumps({name: numbers(name) for name in TABLES})}\n", encoding="utf-8")
