"""Write what `ResultsExplorer` shows into results/explorer.json: both tables by every combination of their switches.

The files of results and the protocols have all of it; reading those takes a second, and an explorer is shown at once.
"""

import json
import sys
from pathlib import Path

import numpy as np

from bflo_viz.experiments.results import committed
from bflo_viz.experiments.tables import MEASURES
from bflo_viz.experiments.workbench import committed_workbench
from bflo_viz.explorers.results import FILE, LEARNERS, TABLES


def brief(mark):
    """Return what the text has to say of an option in two or three words."""
    if "against" in mark:
        return "against the text"
    return "the text is silent" if "not say" in mark else mark.split(",")[0]


def numbers(experiment):
    """Return all tables of an experiment as plain numbers, by measure, share of flipped labels, and place."""
    bench = committed_workbench(experiment)
    tables, first = [bench.table(choice) for choice in bench.variants], next(iter(bench.variants))
    return {
        "switches": {
            name: {
                "help": switch.help,
                "options": {key: [option.text, brief(option.mark)] for key, option in switch.options.items()},
            }
            for name, switch in bench.protocol.switches.items()
        },
        **{name: getattr(tables[0], name) for name in ("learners", "streams", "noise")},
        "paper": by_place(tables[0], lambda cell: cell.paper),
        "cells": [by_place(table, lambda cell: [cell.ours, round(cell.error, 2)]) for table in tables],
        "scores": [round(bench.deviations[choice], 4) for choice in bench.variants],
        "turned": [len(turned(bench, first, choice)) for choice in bench.variants],
        "best": [best_from(bench, choice) for choice in bench.variants],
        "curves": {name: curves(experiment, name) for name in ("printed", "inferred")},
    }


def by_place(table, read):
    """Return what is read of each cell: a list by measure, in it by noise, and in that by learner and stream."""
    parts = [[block for block in table.blocks if block.measure == measure] for measure in MEASURES]
    return [[[read(cell) for row in block.rows for cell in row.cells] for block in part] for part in parts]


def turned(bench, before, after):
    """Return the switches that differ between two choices, with their options after it."""
    steps = zip(bench.protocol.switches, before, after, strict=True)
    return {name: new for name, old, new in steps if new != old}


def best_from(bench, choice):
    """Return the switch that helps most from a choice, with the option to turn it to; None where none does."""
    near = [one for one in bench.variants if len(turned(bench, choice, one)) <= 1]
    return turned(bench, choice, min(near, key=bench.deviations.__getitem__)) or None


def curves(experiment, protocol):
    """Return rounds by stream, and by "STREAM LEARNER NOISE" the mean mistakes in percent of each block of rounds."""
    rounds, runs = {}, {}
    for row in committed(experiment, protocol):
        if row.learner in (*LEARNERS, "Kalman"):
            rounds[row.stream] = row.rounds
            starts = np.arange(0, row.rounds, -(-row.rounds // len(row.mistakes)))  # the last block may be shorter
            shares = 100 * np.array(row.mistakes) / np.diff(starts, append=row.rounds)
            runs.setdefault(f"{row.stream} {row.learner} {row.noise:g}", []).append(shares)
    mistakes = {name: np.mean(some, axis=0).round(1).tolist() for name, some in runs.items()}
    return {"rounds": rounds, "mistakes": mistakes}


if __name__ == "__main__":
    into = Path(*sys.argv[1:] or ["results"])
    (into / FILE).write_text(f"{json.dumps({name: numbers(name) for name in TABLES})}\n", encoding="utf-8")
