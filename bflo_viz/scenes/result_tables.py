"""The paper's tables and ours as one picture: which numbers there are, and what they say."""

from collections.abc import Iterable
from dataclasses import dataclass

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Result, read_csv
from bflo_viz.experiments.tables import MEASURES, Block, Table, make_table
from bflo_viz.scenes.base import Scene, signed
from bflo_viz.scenes.runs import command_of, results_file


@dataclass(frozen=True)
class Results(Scene):
    """A table to be drawn.

    Attributes
    ----------
    table
        Our numbers beside the printed ones, at the shares of flipped labels that are drawn.
    levels
        All shares of flipped labels that the experiment has.
    command
        What makes the runs that are missing.
    """

    table: Table
    levels: tuple[float, ...]
    command: str

    def block(self, measure: str, noise: float) -> Block:
        """The part of the table for one measure at one share of flipped labels."""
        (block,) = [each for each in self.table.blocks if (each.measure, each.noise) == (measure, noise)]
        return block

    @property
    def has_ranks(self) -> bool:
        """Whether there is a rank to be drawn; there is none of a single stream."""
        return any(block.has_ranks for block in self.table.blocks)

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any of these numbers."""
        return any(cell.paper is not None for cell in self.table.cells.values())

    @property
    def worst_rank(self) -> int:
        """The last rank that a learner can have, here or in the paper."""
        printed = [sum(row.printed_rank is not None for row in block.rows) for block in self.table.blocks]
        return max(*printed, *(sum(row.rank is not None for row in block.rows) for block in self.table.blocks))

    @property
    def missing(self) -> tuple[str, ...]:
        """Streams and learners without a single run, if there are runs of others."""
        return (*self.table.missing_streams, *self.table.missing_learners) if self.table.found else ()

    @property
    def runs(self) -> tuple[int, int]:
        """The fewest and the most runs that a number is a mean of; 0 and 0 if there are none."""
        counts = [cell.runs for block in self.table.blocks for row in block.rows for cell in row.cells if cell.runs]
        return min(counts, default=0), max(counts, default=0)

    def about(self) -> str:
        """Which table it is, of how many runs, and how much of it is missing."""
        fewest, most = self.runs
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        runs = "one run" if most == 1 else f"mean ± standard error of {count} runs"
        missing = len(self.table.missing_streams)
        rest = f"; {missing} of {len(self.table.streams)} streams missing" if missing else ""
        return f"{self.table.title}; {runs}{rest}" if most else self.table.title

    def finding(self) -> str:
        """What there is to see, by the numbers."""
        table, far = self.table, self.table.largest_deviation()
        if not table.found:
            return f"No results are here: {self.command} makes them"
        online, final = (table.mean_deviation(measure) for measure in MEASURES)
        if far is None or online is None or final is None:
            return f"{self._best()}; the paper has no numbers for these streams"
        flipped = f", {percent(far.noise)} flipped" if len(self.levels) > 1 else ""
        return (
            f"On average {online:.2f} points from the printed errors online, {final:.2f} final; "
            f"farthest {far.learner} on {far.stream}, {far.measure}{flipped}: {signed(far.deviation or 0.0)}"
        )

    def _best(self) -> str:
        return "Best: " + ", ".join(f"{measure} {self._leaders(measure)}" for measure in MEASURES)

    def _leaders(self, measure: str) -> str:
        """The learners of the best mean rank, or of the least error where there is a single stream."""
        rows = self.block(measure, self.table.noise[0]).rows
        scores = {row.learner: row.cells[0].ours if len(row.cells) == 1 else row.rank for row in rows}
        known = {learner: score for learner, score in scores.items() if score is not None}
        return " and ".join(learner for learner, score in known.items() if score == min(known.values()))

    def _words(self) -> str:
        table = self.table
        stroke = ", an upright stroke the paper's" if self.has_paper else ""
        best = f" {self._best()}." if table.found and self.has_paper else ""
        rest = f" Missing: {', '.join(self.missing)}; {self.command} makes them." if self.missing else ""
        return f"""Errors in percent of {", ".join(table.learners)} on {", ".join(table.streams)}, online errors
            above, final ones below{" and mean ranks last" if self.has_ranks else ""}; a dot is ours{stroke}.
            {self.finding()}. {self.about()}.{best}{rest}"""


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
    path = results_file(settings)
    rows = list(results) if results is not None else read_csv(path) if path else []
    settings = settings.with_extras(name for name in settings.extras if any(row.learner == name for row in rows))
    chosen = settings.noise if noise is None else tuple(noise) if isinstance(noise, Iterable) else (noise,)
    for level in chosen:
        if level not in settings.noise:
            known = ", ".join(f"{share:g}" for share in settings.noise)
            raise ValueError(f"noise must be one of {known} in {experiment}, but it was {level!r}.")
    table = make_table(settings.replace(noise=chosen or settings.noise), rows)
    return Results(table, settings.noise, command_of(settings))


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:g} %"
