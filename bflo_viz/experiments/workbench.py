"""A protocol with switches: what every combination of options gives, and how far that is from the printed table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bflo_viz.experiments.protocol import Protocol, load_protocol
from bflo_viz.experiments.results import Result, committed
from bflo_viz.experiments.tables import Cell, Place, Table, fill_cells, make_table

Choice = tuple[str, ...]  # names of options, in the order of the switches


@dataclass(frozen=True, eq=False)
class Workbench:
    """Results of a protocol with switches. A setting of a learner on a stream goes by the key of its run 0."""

    protocol: Protocol
    results: Sequence[Result]

    @cached_property
    def variants(self) -> dict[Choice, Protocol]:
        """The protocol by each combination of options."""
        return self.protocol.variants()

    @property
    def ends(self) -> tuple[Choice, Choice]:
        """All first options, which read the text, and all last ones, which were fitted."""
        return next(iter(self.variants)), next(reversed(self.variants))

    def choice(self, **options: str) -> Choice:
        """Return a combination by the names of its options; the first, where none is named."""
        return self.protocol.choice(**options)

    def table(self, choice: Choice) -> Table:
        """Make the table of one combination."""
        return make_table(self.variants[choice], self.results)

    @cached_property
    def keys(self) -> dict[Choice, dict[Place, str]]:
        """Which setting is in each place of the table, by each combination."""
        trials = {choice: variant.trials(1) for choice, variant in self.variants.items()}
        return {choice: {(t.stream, t.learner, t.noise): t.key for t in some} for choice, some in trials.items()}

    @cached_property
    def cells(self) -> dict[str, dict[str, Cell]]:
        """Our number beside the printed one, by setting and measure: all tables are made of these."""
        return {trial.key: cells for trial, cells in fill_cells(self.protocol, self.results).items()}

    @cached_property
    def deviations(self) -> dict[Choice, float]:
        """Mean absolute deviation, in points of percent, by each combination that has runs for all its numbers."""
        found = {}
        for choice, keys in self.keys.items():
            cells = [cell for key in keys.values() for cell in self.cells[key].values() if cell.paper is not None]
            sizes = [abs(cell.deviation) for cell in cells if cell.deviation is not None]
            if cells and len(sizes) == len(cells):
                found[choice] = sum(sizes) / len(sizes)
        return found

    def __str__(self) -> str:
        found = self.deviations
        nearest = min(found, key=found.__getitem__, default=self.ends[0])
        named = {"all first options": self.ends[0], "all last options": self.ends[1], "the nearest of all": nearest}
        lines = [
            f"{self.protocol.title}. {self.protocol.about}",
            f"{len(self.variants)} combinations of {len(self.protocol.switches)} switches, {len(found)} of them with "
            "all runs. Mean deviation from the printed numbers, in points:",
        ]
        for what, choice in named.items():
            words = " ".join(map("=".join, zip(self.protocol.switches, choice, strict=True)))
            lines.append(f"{found.get(choice, float('nan')):8.2f}  {what}: {words}")
        return "\n".join([*lines, "The printed numbers decide which option is nearer, so choosing it is fitting."])


@lru_cache(maxsize=4)
def committed_workbench(experiment: str = "table1") -> Workbench:
    """Return the workbench of an experiment with the results that come with the course; it is read once.

    >>> bench = committed_workbench("table2")
    >>> bench.table(bench.choice(rival_steps="large")).cells["online", 0.0, "SGD", "RANDOM"].paper
    89.14
    """
    return Workbench(load_protocol(experiment, "workbench"), committed(experiment, "workbench"))
