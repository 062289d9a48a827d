"""A workbench: settle what the text leaves open, and see how far from the printed table that is; nothing is run."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import Dict, default

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.tables import MEASURES
from bflo_viz.experiments.workbench import Workbench
from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.traits import Choice
from bflo_viz.scenes.workbench import (
    EXPERIMENTS,
    FITTING,
    FULL,
    ORDERS,
    Combination,
    combination,
    heading,
    kept_workbench,
)
from bflo_viz.scenes.workbench import words as in_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SWITCHES = {name: load_protocol(name, "workbench").switches for name in EXPERIMENTS}


def _switch(experiment: str, name: str) -> Choice:
    """The trait of a switch: what it can be and what is said of it stands in the protocol."""
    switch = SWITCHES[experiment][name]
    texts = {option: in_words(one.text, one.mark) for option, one in switch.options.items()}
    return Choice(next(iter(texts)), options=texts, label=switch.label, help=switch.help)


class ProtocolExplorer(Explorer):
    """Settle what the text leaves open, and drive one number down: how far ours are from the printed ones.

    Behind it are runs of all combinations, by ``bflo run table1 --protocol workbench`` and the same of ``table2``.
    Each switch begins as the protocol ``printed`` reads the text; all at their last option are the protocol
    ``inferred``.

    >>> ProtocolExplorer(rival_steps="large", experiment="table2").state["rival_weights"]
    'printed'
    """

    experiment = Choice("table1", options=EXPERIMENTS, label="table", help="Which table of the paper.")
    split = _switch("table1", "split")
    prior = _switch("table1", "prior")
    expansion = _switch("table1", "expansion")
    prediction = _switch("table1", "prediction")
    eeg = _switch("table1", "eeg")
    bflo_prior = _switch("table2", "bflo_prior")
    bflo_expansion = _switch("table2", "bflo_expansion")
    rival_steps = _switch("table2", "rival_steps")
    rival_weights = _switch("table2", "rival_weights")
    _runs = Dict(help="The numbers of all combinations.").tag(sync=True)
    _view = Path(__file__).with_name("view.js")
    _title = "Which protocol gives the printed table?"
    _help = f"Turn one switch at a time and watch the number. It is the mean of all deviations below. {FITTING}"
    _panels: ClassVar = {"moves": ("Your moves", "move", "mean deviation (points)")}
    _facts: ClassVar = {
        "full": FULL,
        "orders": ORDERS,
        "number": "points: the mean deviation from {count} printed numbers",
        "part": "{found} of {printed}",
        "before": "{number} before the last move",
        "start": "Turn a switch.",
        "cell": "In a cell: ours minus the printed number, in points; then ours | printed, in percent. "
        "Violet is above the printed number, orange below.",
        "missing": "not run",
        "help": "{label}: “{option}” helps most from here, to {number}.",
        "elsewhere": "No single switch helps from here, but several at once would: {number} is the least of all.",
        "least": "Nothing is nearer: this is the least of all {count} combinations.",
        "unknown": "There are too few runs to tell.",
    }
    _for_page: ClassVar = ("_about", "_runs")

    @default("_runs")
    def _runs_default(self) -> dict[str, Any]:
        return {name: _for_page(kept_workbench(name)) for name in EXPERIMENTS}

    @property
    def scene(self) -> Combination:
        """The table by what is chosen, as data."""
        experiment = str(self.experiment)
        return combination(experiment, **{name: getattr(self, name) for name in SWITCHES[experiment]})

    @property
    def deviation(self) -> float | None:
        """The one number: the mean absolute deviation from the printed table, in points; None without runs."""
        return self.scene.deviation

    def figure(self, *, style: str = "paper") -> "Figure":
        """The table as coloured cells, with alt text."""
        from bflo_viz.figures.workbench import draw_combination

        return draw_combination(self.scene, style=style)


@functools.lru_cache(maxsize=len(EXPERIMENTS))  # all explorers show the same runs, and none changes them
def _for_page(bench: Workbench) -> dict[str, Any]:
    """All combinations as plain numbers: what settings gave, and which of them each combination has."""
    table = bench.table(bench.ends[0])
    where = [(learner, stream) for learner in table.learners for stream in table.streams]
    settings: dict[tuple[str, ...], int] = {}  # keys of one learner on one stream, at all shares of flipped labels
    combinations = []
    for keys in bench.keys.values():
        used = [tuple(keys[stream, learner, noise] for noise in table.noise) for learner, stream in where]
        combinations.append([settings.setdefault(one, len(settings)) for one in used])
    blocks = [
        {
            "heading": heading(table, block),
            "place": [list(MEASURES).index(block.measure), table.noise.index(block.noise)],
            "paper": [cell.paper for row in block.rows for cell in row.cells],
            "ranks": [row.printed_rank for row in block.rows],
            "byErrors": [row.recomputed_rank for row in block.rows],
        }
        for block in table.blocks
    ]
    return {
        "switches": {name: list(switch.options) for name, switch in bench.protocol.switches.items()},
        "learners": table.learners,
        "streams": table.streams,
        "blocks": blocks,
        "settings": [_setting(bench, keys) for keys in settings],
        "combinations": combinations,
    }


def _setting(bench: Workbench, keys: tuple[str, ...]) -> dict[str, Any]:
    """Our errors by measure and share of flipped labels, their standard errors, and the runs."""
    cells = [[bench.cells[key][measure] for key in keys] for measure in MEASURES]
    return {
        "ours": [[cell.ours for cell in row] for row in cells],
        "error": [[cell.error and round(cell.error, 2) for cell in row] for row in cells],
        "runs": min(cell.runs for row in cells for cell in row),
    }
