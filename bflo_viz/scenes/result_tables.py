"""The paper's tables and ours as one picture: which numbers there are, and what they say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bflo_viz import _places
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Result, committed
from bflo_viz.experiments.tables import Block, Cell, Deviation, Row, Table, make_table
from bflo_viz.scenes.base import Scene, signed

_FEW = 12  # numbers that can be said one by one


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
        deviations = self.deviations(measure)
        return sum(abs(each.value) for each in deviations) / len(deviations) if deviations else None

    @property
    def farthest(self) -> Deviation | None:
        """Where ours is farthest from the printed number."""
        every = [each for measure in MEASURES for each in self.deviations(measure)]
        return max(every, key=lambda each: abs(each.value), default=None)

    def about(self) -> str:
        """Which table it is, of how many runs, and how much of it is missing."""
        fewest, most = self.runs
        runs = "one run" if most == 1 else f"mean ± standard error of {_range(fewest, most)} runs"
        missing = len(self.missing_streams) if self.is_partial else 0
        rest = f"; {missing} of {len(self.table.streams)} streams missing" if missing else ""
        return f"{self.table.title}{f'; {runs}' if most else ''}{rest}"

    def finding(self) -> str:
        """What there is to see, by the numbers."""
        if not self.runs[1]:
            return f"No results are here: {self.command} makes them"
        online, final = (self.mean_deviation(measure) for measure in MEASURES)
        far = self.farthest
        if online is None or final is None or far is None:
            best = (f"{measure} {' and '.join(self.leaders(measure, self.noise[0]))}" for measure in MEASURES)
            return f"Best: {', '.join(best)}; the paper has no numbers for these streams"
        where = f"{far.learner} on {far.stream}, {far.measure}{self._flipped(far.noise)}"
        return (
            f"On average {online:.2f} points from the printed errors online, {final:.2f} final; "
            f"farthest {where}: {signed(far.value)}"
        )

    def _flipped(self, noise: float) -> str:
        """The share of flipped labels, where there is more than one."""
        return f", {percent(noise)} flipped" if len(self.table.noise) > 1 else ""

    def _words(self) -> str:
        table = self.table
        ranks = " and mean ranks last" if self.has_ranks else ""
        stroke = ", an upright stroke the paper's" if self.has_paper else ""
        missing = (*self.missing_streams, *table.missing_learners)
        rest = f" Missing: {', '.join(missing)}; {self.command} makes them." if self.is_partial else ""
        return f"""Errors in percent of {", ".join(table.learners)}, a learner a row, on {", ".join(table.streams)}, a
            stream a column{ranks}; online errors above, final ones below. A dot is ours{stroke}. {self.finding()}.
            {self.about()}.{rest} {" ".join(self._block_in_words(block) for block in self.blocks)}"""

    def _block_in_words(self, block: Block) -> str:
        """Every number of a small table, the best of each stream of a large one; and mean ranks."""
        small = len(block.rows) * len(block.streams) <= _FEW
        streams = []
        for place, stream in enumerate(block.streams):
            column = {row.learner: row.cells[place] for row in block.rows}
            if any(cell.ours is not None for cell in column.values()):
                streams.append(f"{stream} {_every(column) if small else _best(column)}")
        name = f"{block.measure}{self._flipped(block.noise)}".capitalize()
        errors = f"{'' if small else 'least on '}{'; '.join(streams)}" if streams else "no runs"
        ranks = ", ".join(filter(None, map(_rank_in_words, block.rows)))
        return f"{name}: {errors}." + (f" Mean ranks: {ranks}." if ranks else "")


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


def _range(fewest: int, most: int) -> str:
    return f"{most}" if fewest == most else f"{fewest} to {most}"


def _every(column: Mapping[str, Cell]) -> str:
    return ", ".join(
        f"{learner} {cell.ours:.1f}" + ("" if cell.paper is None else f" (paper {cell.paper:.1f})")
        for learner, cell in column.items()
        if cell.ours is not None
    )


def _best(column: Mapping[str, Cell]) -> str:
    """Who errs least, here and in the paper."""
    ours = {learner: cell.ours for learner, cell in column.items() if cell.ours is not None}
    printed = {learner: cell.paper for learner, cell in column.items() if cell.paper is not None}
    words = [f"{' and '.join(who)} {least:.1f}" for who, least in map(_least, filter(None, (ours, printed)))]
    return words[0] + (f" (paper {words[1]})" if printed else "")


def _least(errors: Mapping[str, float]) -> tuple[list[str], float]:
    least = min(errors.values())
    return [learner for learner, error in errors.items() if error == least], least


def _rank_in_words(row: Row) -> str:
    notes = [] if row.printed_rank is None else [f"paper {row.printed_rank:.1f}"]
    if row.rank_differs:
        notes.append(f"{row.recomputed_rank:.1f} by its errors")
    ours = "" if row.rank is None else f" {row.rank:.1f}"
    return f"{row.learner}{ours}" + (f" ({', '.join(notes)})" if notes else "") if ours or notes else ""
