"""The paper's tables and ours as one picture: which numbers there are, and what they say."""

from collections.abc import Iterable
from dataclasses import dataclass

from bflo_viz.experiments import files
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.result import Result
from bflo_viz.experiments.tables import Block, Deviation, Table, make_table


@dataclass(frozen=True)
class Results:
    """A table to be drawn.

    Attributes
    ----------
    table
        Our numbers beside the printed ones.
    noise
        The shares of flipped labels to be drawn, of those that the table has.
    command
        What makes the runs that are missing.
    """

    table: Table
    noise: tuple[float, ...]
    command: str

    def block(self, measure: str, noise: float) -> Block:
        """The part of the table for one measure at one share of flipped labels."""
        (found,) = [one for one in self.table.blocks if (one.measure, one.noise) == (measure, noise)]
        return found

    @property
    def blocks(self) -> list[Block]:
        """All parts that are drawn."""
        return [self.block(measure, noise) for measure in MEASURES for noise in self.noise]

    @property
    def has_ranks(self) -> bool:
        """Whether there is a rank to be drawn; there is none of a single stream."""
        return any(block.has_ranks for block in self.blocks)

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any of these numbers."""
        return any(block.has_paper for block in self.blocks)

    @property
    def ranks_that_differ(self) -> int:
        """How many printed ranks are not those that follow from the printed errors."""
        return sum(row.rank_differs for block in self.blocks for row in block.rows)

    @property
    def worst_rank(self) -> int:
        """The last rank that a learner can have, here or in the paper."""
        printed = [sum(row.printed_rank is not None for row in block.rows) for block in self.blocks]
        return max(*printed, *(len(block.ranked_learners) for block in self.blocks))

    @property
    def missing_streams(self) -> list[str]:
        """Streams without a single run of what is drawn."""
        columns = zip(*(row.cells for block in self.blocks for row in block.rows), strict=True)
        return [
            stream
            for stream, cells in zip(self.table.streams, columns, strict=True)
            if not any(cell.runs for cell in cells)
        ]

    @property
    def is_partial(self) -> bool:
        """Whether there are runs, but of some streams or learners only."""
        return bool(self.runs[1]) and bool(self.missing_streams or self.table.missing_learners)

    @property
    def runs(self) -> tuple[int, int]:
        """The fewest and the most runs that a number is a mean of; 0 and 0 if there are none."""
        counts = [cell.runs for block in self.blocks for row in block.rows for cell in row.cells if cell.runs]
        return min(counts, default=0), max(counts, default=0)

    def leaders(self, measure: str, noise: float) -> list[str]:
        """The learners of the best mean rank, or of the least error where there is a single stream."""
        rows = self.block(measure, noise).rows
        scores = {row.learner: row.cells[0].ours if len(row.cells) == 1 else row.rank for row in rows}
        there = {learner: score for learner, score in scores.items() if score is not None}
        return [learner for learner, score in there.items() if score == min(there.values())]

    def deviations(self, measure: str) -> list[Deviation]:
        """How far each of our numbers that are drawn is from the printed one."""
        return [one for noise in self.noise for one in self.table.deviations(measure, noise)]

    def mean_deviation(self, measure: str) -> float | None:
        """Mean absolute deviation from the printed numbers in points; None if there is nothing to compare."""
        found = self.deviations(measure)
        return sum(abs(one.value) for one in found) / len(found) if found else None

    @property
    def farthest(self) -> Deviation | None:
        """Where ours is farthest from the printed number."""
        every = [one for measure in MEASURES for one in self.deviations(measure)]
        return max(every, key=lambda one: abs(one.value), default=None)


def results(
    experiment: str = "table1",
    protocol: str = "inferred",
    *,
    noise: float | Iterable[float] | None = None,
    results: Iterable[Result] | None = None,
    quick: bool = False,
) -> Results:
    """Put results beside the printed numbers, ready to be drawn.

    Parameters
    ----------
    experiment, protocol, quick
        As for `load_protocol`.
    noise
        The share of flipped labels, or several; all that the protocol has, if it is None.
    results
        The runs; if it is None, those that come with the course. Extra learners are shown if there are runs of them.
    """
    settings = load_protocol(experiment, protocol, quick=quick)
    rows = _committed(experiment, protocol, quick) if results is None else list(results)
    settings = settings.extended(name for name in settings.extras if any(row.learner == name for row in rows))
    table = make_table(settings, rows)
    if noise is None:
        chosen = table.noise
    else:
        chosen = tuple(noise) if isinstance(noise, Iterable) else (noise,)
        for level in chosen:
            if level not in table.noise:
                there = ", ".join(f"{one:g}" for one in table.noise)
                raise ValueError(f"noise must be one of {there} in {experiment}, but it was {level!r}.")
    options = ("" if protocol == "inferred" else f" --protocol {protocol}") + (" --quick" if quick else "")
    return Results(table, chosen or table.noise, f"bflo run {experiment}{options}")


def results_table1() -> Results:
    """Table 1 with the results that come with the course."""
    return results("table1")


def results_table2() -> Results:
    """Table 2 with the results that come with the course."""
    return results("table2")


def _committed(experiment: str, protocol: str, quick: bool) -> list[Result]:
    """Results that come with the course; none where its folder is not here."""
    try:
        files.folder()
    except ValueError:
        return []
    return files.committed(experiment, protocol, quick=quick)
