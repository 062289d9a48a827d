"""One combination of the switches of a protocol: the table that it gives, and how far it is from the printed one."""

from dataclasses import dataclass
from typing import Any

from bflo_viz.experiments.protocol import TITLES, load_protocol
from bflo_viz.experiments.results import read_csv
from bflo_viz.experiments.tables import Block, Table
from bflo_viz.experiments.workbench import Choice, Workbench
from bflo_viz.scenes.base import Scene, signed
from bflo_viz.scenes.runs import command_of, results_file

EXPERIMENTS = {name: TITLES[name] for name in ("table1", "table2")}
FULL = 10.0  # points from which on the colour of a deviation is the strongest
FITTING = "A small number shows what gives the printed table, not what the authors ran."
ORDERS = {
    "printed": "Mean ranks: in the printed order.",
    "errors": "Mean ranks: in the order that the printed errors give, not in that of the printed ranks.",
    "neither": "Mean ranks: not in the printed order.",
}


@dataclass(frozen=True)
class Combination(Scene):
    """A table by one combination of options.

    Attributes
    ----------
    table
        Our numbers beside the printed ones.
    options
        What was chosen, in words, by the label of its switch.
    command
        What makes the runs that are missing.
    """

    table: Table
    options: dict[str, str]
    command: str

    @property
    def deviation(self) -> float | None:
        """The mean absolute deviation of the numbers that are there, in points of percent."""
        return self.table.mean_deviation()

    @property
    def found(self) -> tuple[int, int]:
        """How many of the printed numbers have runs beside them, and how many there are."""
        cells = [cell for block in self.table.blocks for row in block.rows for cell in row.cells]
        return len(self.table.deviations()), sum(cell.paper is not None for cell in cells)

    def finding(self) -> str:
        """The one number, and of how many it is the mean."""
        found, printed = self.found
        if self.deviation is None:
            return f"No runs of this combination are here: {self.command} makes them"
        some = "" if found == printed else f"{found} of "
        return f"On average {self.deviation:.2f} points from {some}{printed} printed numbers"

    def _words(self) -> str:
        far = self.table.largest_deviation()
        chosen = "; ".join(f"{label}: {option}" for label, option in self.options.items())
        farthest = (
            ""
            if far is None
            else f" Farthest: {far.learner} on {far.stream}, {far.measure}, {signed(far.deviation or 0.0)}."
        )
        orders = [rank_order(block) for block in self.table.blocks]
        ranks = (
            ""
            if None in orders
            else f" Mean ranks in the printed order in {orders.count('printed')} of {len(orders)} parts."
        )
        return f"{TITLES[self.table.experiment]}. {chosen}. {self.finding()}.{farthest}{ranks} {FITTING}"


def rank_order(block: Block) -> str | None:
    """Return whose order our mean ranks have: that of the ``"printed"`` ranks or ``"errors"``, or ``"neither"``.

    Learners of the same printed rank may be in any order. None if there is nothing to compare.
    """
    known = [row for row in block.rows if row.rank is not None and row.printed_rank is not None]
    for name, ranks in (
        ("printed", [row.printed_rank for row in known]),
        ("errors", [r.recomputed_rank for r in known]),
    ):
        pairs = [(row.rank or 0, rank or 0) for row, rank in zip(known, ranks, strict=True)]
        if len(known) > 1 and all(a[0] < b[0] for a in pairs for b in pairs if a[1] < b[1]):
            return name
    return "neither" if len(known) > 1 else None


def heading(table: Table, block: Block) -> str:
    """Which part of a table a block is."""
    flipped = f", {100 * block.noise:g} % of the labels flipped" if len(table.noise) > 1 else ""
    return f"{block.measure.capitalize()} error (%){flipped}"


_READ: dict[str, tuple[Any, Workbench]] = {}


def kept_workbench(experiment: str) -> Workbench:
    """What comes with the course of all combinations; the same file is read once, unless it has changed."""
    protocol = load_protocol(experiment, "workbench")
    path = results_file(protocol)
    version = (path, path and path.stat().st_mtime_ns, repr(protocol))
    if _READ.get(experiment, (None,))[0] != version:
        _READ[experiment] = version, Workbench(protocol, read_csv(path) if path else [])
    return _READ[experiment][1]


def combination(experiment: str = "table1", **options: str) -> Combination:
    """The table by some options of the switches of protocol ``workbench``; by the first, where none is named.

    >>> combination("table2", rival_steps="large").options["Learning rate of SGD and dropout"]
    '1.0 (as fitted)'
    """
    bench = kept_workbench(experiment)
    choice: Choice = bench.choice(**options)
    chosen = {
        switch.label: words(switch.options[name].text, switch.options[name].mark)
        for switch, name in zip(bench.protocol.switches.values(), choice, strict=True)
    }
    return Combination(bench.table(choice), chosen, command_of(bench.protocol))


def words(text: str, mark: str) -> str:
    """An option, and what the paper's text has to say of it."""
    return f"{text} ({mark})"
