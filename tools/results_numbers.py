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
    return (
        "against the text" if "against" in mark else "the text is silent" if "not say" in mark else mark.split(",")[0]
    )


def numbers(experiment):
    """Return all tables of an experiment as plain numbers: what settings gave, and which combinations have them.

    Places in a table are counted learner by learner; lists by measure and share of flipped labels come before them.
    """
    bench = committed_workbench(experiment)
    tables = [bench.table(choice) for choice in bench.variants]
    table, first = tables[0], next(iter(bench.variants))
    places = [(learner, stream) for learner in table.learners for stream in table.streams]
    settings = {}  # one learner on one stream: its cells by measure and share of flipped labels
    combinations = []
    for cells in (one.cells for one in tables):
        of = [
            tuple(tuple(cells[measure, x, *place] for x in table.noise) for measure in MEASURES) for place in places
        ]
        combinations.append([settings.setdefault(setting, len(settings)) for setting in of])
    printed = [
        [[table.cells[measure, noise, *place].paper for place in places] for noise in table.noise]
        for measure in MEASURES
    ]
    return {
        "switches": {
            name: {
                "help": switch.help,
                "options": {key: [one.text, brief(one.mark)] for key, one in switch.options.items()},
            }
            for name, switch in load_protocol(experiment, "workbench").switches.items()
        },
        **{"learners": table.learners, "streams": table.streams, "noise": table.noise, "paper": printed},
        "ours": [[[cell.ours for cell in row] for row in setting] for setting in settings],
        "error": [[[round(cell.error, 2) for cell in row] for row in setting] for setting in settings],
        "combinations": combinations,
        "scores": [round(bench.deviations[choice], 4) for choice in bench.variants],
        "turned": [sum(map(str.__ne__, choice, first)) for choice in bench.variants],
        "curves": {name: curves(experiment, name) for name in ("printed", "inferred")},
    }


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
