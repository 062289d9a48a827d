"""The paper's two tables beside ours, by every way to settle what the text leaves open; nothing is run for it."""

import functools
from typing import Any

import numpy as np

from bflo_viz.experiments.protocol import TITLES, load_protocol
from bflo_viz.experiments.results import committed
from bflo_viz.experiments.tables import MEASURES, Cell, Table
from bflo_viz.experiments.workbench import Choice, Workbench, committed_workbench
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, whole

TABLES = {name: TITLES[name] for name in ("table1", "table2")}
SWITCHES = {name: load_protocol(name, "workbench").switches for name in TABLES}
STREAMS = ["MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A", "PLAIN", "RANDOM", "IMAGES"]
LEARNERS = ["AROW", "SGD", "BLANG", "BFLO", "DROPOUT"]
EXTRA = "Kalman"  # a learner that the paper does not have, for its learning curve


def _switch(name: str, label: str, *words: str) -> Any:
    """Return the trait of a switch: its options and its help stand in the protocol, short words for them here."""
    (switch,) = [switches[name] for switches in SWITCHES.values() if name in switches]
    return choice(
        next(iter(switch.options)), dict(zip(switch.options, words, strict=True)), label=label, about=switch.help
    )


class ResultsExplorer(Explorer):
    """Settle what the text leaves open, and drive one number down: how far our table is from the printed one.

    ``experiment`` is the table. Each switch begins as the protocol ``printed`` reads the text; with all of them at
    their last option one has the protocol ``inferred``. ``measure``, ``noise``, ``learner`` and ``stream`` say which
    number of the table is looked at, and ``block`` where in its learning curves.

    >>> explorer = ResultsExplorer(experiment="table2", rival_steps="large", stream="RANDOM", learner="SGD")
    >>> explorer.number().paper
    89.17
    """

    view = "results"
    title = "Which protocol gives the printed table?"
    experiment = choice("table1", TABLES, label="table", about="Which table of the paper.")
    split = _switch("split", "Split", "shuffled", "by file order")
    prior = _switch("prior", "Prior σ", "0.2", "0.1")
    expansion = _switch("expansion", "BFLO may", "widen", "never widen")
    prediction = _switch("prediction", "Predict by", "own rule", "mean", "sample")
    eeg = _switch("eeg", "Order of EEG", "kept", "shuffled")
    bflo_prior = _switch("bflo_prior", "Prior σ of BFLO", "0.1", "0.5")
    bflo_expansion = _switch("bflo_expansion", "BFLO may", "widen", "never widen")
    rival_steps = _switch("rival_steps", "Rate η of rivals", "0.2", "1.0")
    rival_weights = _switch("rival_weights", "First σ of rivals", "0.1", "0.5", "1.3")
    cells = choice("deviation", {"deviation": "ours − printed", "ours": "ours", "paper": "printed"}, label="cells")
    measure = choice("final", ["online", "final"], label="error", about="Whether the error is online or final.")
    noise = choice(0.0, {0.0: "labels right", 0.2: "20 % flipped"}, label="labels", about="Share of flipped labels.")
    learner = choice("BFLO", LEARNERS, label="learner")
    stream = choice("COVTYPE", STREAMS, label="stream")
    block = whole(24, 0, 49, label="block", about="Block of rounds that is looked at in learning curves.")

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """The numbers of both tables, and what the protocol says of each option."""
        return {"tables": {name: numbers(name) for name in TABLES}}

    @property
    def bench(self) -> Workbench:
        """The results of all combinations of the switches of this table."""
        return committed_workbench(self.experiment)

    @property
    def chosen(self) -> Choice:
        """The chosen options of the switches of this table."""
        return tuple(getattr(self, name) for name in SWITCHES[self.experiment])

    @property
    def table(self) -> Table:
        """Our table by these switches, beside the printed one."""
        return self.bench.table(self.chosen)

    @property
    def deviation(self) -> float | None:
        """The one number: the mean absolute deviation from the printed table, in points; None without runs."""
        return self.table.mean_deviation()

    def number(
        self,
        learner: str | None = None,
        measure: str | None = None,
        noise: float | None = None,
        stream: str | None = None,
    ) -> Cell:
        """Return our error beside the printed one, in the cell that is looked at or in another."""
        here = (measure or self.measure, self.noise if noise is None else noise, learner or self.learner)
        return self.table.cells[*here, stream or self.stream]


@functools.lru_cache(maxsize=len(TABLES))  # all explorers show the same runs, and none changes them
def numbers(experiment: str) -> dict[str, Any]:
    """Return all tables of an experiment as plain numbers: what settings gave, and which combinations have them.

    Places in a table are counted learner by learner; lists by measure and share of flipped labels come before them.
    """
    bench = committed_workbench(experiment)
    table = bench.table(bench.ends[0])
    places = [(learner, stream) for learner in table.learners for stream in table.streams]
    settings: dict[tuple[str, ...], int] = {}  # keys of one learner on one stream, at all shares of flipped labels
    combinations = [
        [
            settings.setdefault(tuple(keys[stream, learner, x] for x in table.noise), len(settings))
            for learner, stream in places
        ]
        for keys in bench.keys.values()
    ]
    cells = [[[bench.cells[key][measure] for key in keys] for measure in MEASURES] for keys in settings]
    return {
        "switches": {
            name: {option: [one.text, one.mark] for option, one in switch.options.items()}
            for name, switch in SWITCHES[experiment].items()
        },
        "learners": table.learners,
        "streams": table.streams,
        "noise": table.noise,
        "paper": [
            [[table.cells[measure, noise, *place].paper for place in places] for noise in table.noise]
            for measure in MEASURES
        ],
        "ours": [[[cell.ours for cell in row] for row in setting] for setting in cells],
        "error": [[[cell.error and round(cell.error, 2) for cell in row] for row in setting] for setting in cells],
        "combinations": combinations,
        "curves": {name: curves(experiment, name) for name in ("printed", "inferred")},
    }


def curves(experiment: str, protocol: str) -> dict[str, dict[str, Any]]:
    """Return rounds by stream, and by "STREAM LEARNER NOISE" the mean mistakes in percent of each block of rounds."""
    rounds, runs = dict[str, int](), dict[str, list[Any]]()
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
