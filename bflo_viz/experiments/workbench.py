"""A protocol with switches: the table of every combination of options, and how far it is from the printed one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tabulate import tabulate

from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.results import Result, committed
from bflo_viz.experiments.tables import Table, make_table

Choice = tuple[str, ...]  # names of options, in the order of the switches


@dataclass(frozen=True, eq=False)
class Workbench:
    """Results of a protocol with switches, for every combination of options."""

    protocol: Protocol
    results: Sequence[Result]

    @cached_property
    def variants(self) -> dict[Choice, Protocol]:
        """The protocol by each combination: all first options read the text, and all last ones were fitted."""
        return self.protocol.variants()

    def table(self, choice: Choice) -> Table:
        """Make the table of one combination."""
        return make_table(self.variants[choice], self.results)

    @cached_property
    def deviations(self) -> dict[Choice, float]:
        """Mean absolute deviation, in points of percent, by each combination that has runs for all its numbers."""
        every = {choice: self.table(choice) for choice in self.variants}
        in_paper = {
            choice: [c for c in table.cells.values() if c.paper is not None] for choice, table in every.items()
        }
        whole = [choice for choice, cells in in_paper.items() if cells and all(cell.runs for cell in cells)]
        return {choice: every[choice].mean_deviation() or 0.0 for choice in whole}

    def __str__(self) -> str:
        rows = sorted((off, *choice) for choice, off in self.deviations.items())
        grid = tabulate(rows, ["points", *self.protocol.switches], floatfmt=".2f")
        return (
            f"{self.protocol.title}. {self.protocol.about}\nMean deviation from the printed numbers, by the "
            f"{len(rows)} of {len(self.variants)} combinations that have all runs:\n\n{grid}\n\n"
            "The printed numbers decide which option is nearer, so choosing it is fitting."
        )


@lru_cache(maxsize=4)
def committed_workbench(experiment: str = "table1") -> Workbench:
    """Return the workbench of an experiment with the results that come with the course; it is read once."""
    return Workbench(load_protocol(experiment, "workbench"), committed(experiment, "workbench"))
