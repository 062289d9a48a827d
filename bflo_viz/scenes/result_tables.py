"""The paper's tables and ours as one picture: which numbers there are, and what they say."""

from collections.abc import Iterable
from dataclasses import dataclass

from bflo_viz import _places
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Result, committed
from bflo_viz.experiments.tables import Block, Deviation, Table, make_table
from bflo_viz.scenes.base import Scene, signed


@dataclass(frozen=True)
class Results(Scene):
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
        (block,) = [each for each in self.table.blocks if (each.measure, each.noise) == (measure, noise)]
        return block

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
    def worst_rank(self) -> int:
        """The last rank that a learner can have, here or in the paper."""
        printed = [sum(row.printed_rank is not None for row in block.rows) for block in self.blocks]
        return max(*printed, *(len(block.ranked_learners) for block in self.blocks))

    @property
    def missing_streams(self) -> list[str]:
        """Streams without a single run of what is drawn."""
        columns = zip(*(row.cells for block in self.blocks for row in block.rows), strict=True)
        streams = zip(self.table.streams, columns, strict=True)
        return [stream for stream, cells in streams if not any(cell.runs for cell in cells)]

    @property
    def is_partial(self) -> bool:
        """Whether there are runs, but of some streams or learners only."""
        return bool(self.runs[1]) and bool(self.missing_streams or self.table.missing_learners)

    @property
    def runs(self) -> tuple[int, int]:
        """The fewest and the most runs that a number is a mean of; 0 and 0 if there are none."""
        counts = [cell.runs for block in self.blocks for row in block.rows for cell in row.cells if cell.runs]
        return min(counts, default=0), max(counts, default=0)

    def leaders(self, measure: str, noise: float) -> str:
        """The learners of the best mean rank, or of the least error where there is a single stream."""
        rows = self.block(measure, noise).rows
        scores = {row.learner: row.cells[0].ours if len(row.cells) == 1 else row.rank for row in rows}
        known = {learner: score for learner, score in scores.items() if score is not None}
        return " and ".join(learner for learner, score in known.items() if score == min(known.values()))

    def deviations(self, measure: str) -> list[Deviation]:
        """How far each of our numbers that are drawn is from the printed one."""
        return [deviation for noise in self.noise for deviation in self.table.deviations(measure, noise)]

    def about(self) -> str:
        """Which table it is, of how many runs, and how much of it is missing."""
        fewest, most = self.runs
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        runs = "one run" if most == 1 else f"mean ± standard error of {count} runs"
        missing = len(self.missing_streams) if self.is_partial else 0
        rest = f"; {missing} of {len(self.table.streams)} streams missing" if missing else ""
        return f"{self.table.title}{f'; {runs}' if most else ''}{rest}"

    def finding(self) -> str:
        """What there is to see, by the numbers."""
        if not self.runs[1]:
            return f"No results are here: {self.command} makes them"
        online, final = (self.deviations(measure) for measure in MEASURES)
        if not online or not final:
            return f"{self._best()}; the paper has no numbers for these streams"
        means = [sum(abs(each.value) for each in some) / len(some) for some in (online, final)]
        far = max([*online, *final], key=lambda each: abs(each.value))
        flipped = f", {percent(far.noise)} flipped" if len(self.table.noise) > 1 else ""
        return (
            f"On average {means[0]:.2f} points from the printed errors online, {means[1]:.2f} final; "
            f"farthest {far.learner} on {far.stream}, {far.measure}{flipped}: {signed(far.value)}"
        )

    def _best(self) -> str:
        return "Best: " + ", ".join(f"{measure} {self.leaders(measure, self.noise[0])}" for measure in MEASURES)

    def _words(self) -> str:
        table = self.table
        stroke = ", an upright stroke the paper's" if self.has_paper else ""
        best = f" {self._best()}." if self.runs[1] and self.has_paper else ""
        missing = (*self.missing_streams, *table.missing_learners)
        rest = f" Missing: {', '.join(missing)}; {self.command} makes them." if self.is_partial else ""
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
    rows = _committed(experiment, protocol, quick) if results is None else list(results)
    settings = settings.extended(name for name in settings.extras if any(row.learner == name for row in rows))
    table = make_table(settings, rows)
    chosen = table.noise if noise is None else tuple(noise) if isinstance(noise, Iterable) else (noise,)
    for level in chosen:
        if level not in table.noise:
            known = ", ".join(f"{share:g}" for share in table.noise)
            raise ValueError(f"noise must be one of {known} in {experiment}, but it was {level!r}.")
    options = ("" if protocol == "inferred" else f" --protocol {protocol}") + (" --quick" if quick else "")
    return Results(table, chosen or table.noise, f"bflo run {experiment}{options}")


def _committed(experiment: str, protocol: str, quick: bool) -> list[Result]:
    """Results that come with the course; none where its folder is not here."""
    try:
        _places.results_folder()
    except ValueError:
        return []
    return committed(experiment, protocol, quick=quick)


def percent(share: float) -> str:
    """A share in percent."""
    return f"{100 * share:g} %"
