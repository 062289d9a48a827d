"""The paper's two tables beside ours, by every way to settle what the text leaves open; nothing is run for it."""

import functools
import json
from typing import TYPE_CHECKING, Any

from bflo_viz import _places
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, whole

if TYPE_CHECKING:
    from bflo_viz.experiments.tables import Cell, Table

FILE = "explorer.json"
TABLES = {"table1": "Table 1", "table2": "Table 2"}
SWITCHES = {
    "table1": ["split", "prior", "expansion", "prediction", "eeg"],
    "table2": ["bflo_prior", "bflo_expansion", "rival_steps", "rival_weights"],
}
STREAMS = ["MUSHROOM", "COVTYPE", "IJCNN", "EEG", "A9A", "PLAIN", "RANDOM", "IMAGES"]
LEARNERS = ["AROW", "SGD", "BLANG", "BFLO", "DROPOUT"]


@functools.cache
def numbers() -> dict[str, Any]:
    """Return both tables by all combinations of their switches; ``tools/results_numbers.py`` wrote them."""
    return dict(json.loads((_places.results_folder() / FILE).read_text(encoding="utf-8")))


class ResultsExplorer(Explorer):
    """Settle what the text leaves open, and drive one number down: how far our table is from the printed one.

    ``experiment`` is the table. With all switches at their first option one has the protocol ``printed``, which reads
    the text, and with all at their last the protocol ``inferred``; the explorer opens with one switch turned.
    ``measure``, ``noise``, ``learner`` and ``stream`` say which number of the table is looked at, and ``block`` where
    in its learning curves.

    >>> explorer = ResultsExplorer(experiment="table2", rival_steps="large", stream="RANDOM", learner="SGD")
    >>> explorer.number().paper
    89.17
    """

    view, title = "results", "Which protocol gives the printed table?"
    experiment = choice("table1", TABLES, label="table", about="Which table of the paper.")
    split = choice("order", {"shuffled": "shuffled", "order": "by file order"}, label="Split")
    prior = choice("printed", {"printed": "0.2", "narrow": "0.1"}, label="Prior σ")
    expansion = choice("free", {"free": "widen", "never": "never widen"}, label="BFLO may")
    prediction = choice("own", {"own": "own rule", "mean": "mean", "sample": "sample"}, label="Predict by")
    eeg = choice("kept", ["kept", "shuffled"], label="Order of EEG")
    bflo_prior = choice("printed", {"printed": "0.1", "wide": "0.5"}, label="Prior σ of BFLO")
    bflo_expansion = choice("free", {"free": "widen", "never": "never widen"}, label="BFLO may")
    rival_steps = choice("large", {"printed": "0.2", "large": "1.0"}, label="Rate η of rivals")
    rival_weights = choice("printed", {"printed": "0.1", "shared": "0.5", "wide": "1.3"}, label="First σ of rivals")
    cells = choice("deviation", {"deviation": "ours − printed", "ours": "ours", "paper": "printed"}, label="cells")
    measure = choice("final", ["online", "final"], label="error", about="Online or final error.")
    noise = choice(0.0, {0.0: "labels right", 0.2: "20 % flipped"}, label="labels", about="Share of flipped labels.")
    learner = choice("BFLO", LEARNERS, label="learner")
    stream = choice("COVTYPE", STREAMS, label="stream")
    block = whole(24, 0, 49, label="block", about="Block of rounds that is looked at in learning curves.")

    @property
    def constants(self) -> dict[str, Any]:  # type: ignore[override]
        """The numbers of both tables, and what the protocol says of each option."""
        return {"tables": numbers()}

    @property
    def table(self) -> "Table":
        """Our table by these switches, beside the printed one."""
        from bflo_viz.experiments.workbench import committed_workbench

        return committed_workbench(self.experiment).table(
            tuple(getattr(self, name) for name in SWITCHES[self.experiment])
        )

    @property
    def deviation(self) -> float | None:
        """The one number: the mean absolute deviation from the printed table, in points."""
        return self.table.mean_deviation()

    def number(self) -> "Cell":
        """Return our error beside the printed one, in the cell that is looked at."""
        return self.table.cells[self.measure, self.noise, self.learner, self.stream]
