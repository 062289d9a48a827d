"""Results of runs beside the numbers that the paper prints: what a table has to show, before it is drawn."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bflo_viz import _checks as check
from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import Protocol
from bflo_viz.experiments.results import Result, Store
from bflo_viz.experiments.statistics import common, mean_and_error, mean_ranks

DECIMALS = 2  # as the paper prints errors
Place = tuple[str, str, float]  # of a cell: stream, learner and noise
Runs = dict[Place, list[Result]]


@dataclass(frozen=True)
class Cell:
    """One learner on one stream: errors in percent, ours with two decimals as the paper's are."""

    paper: float | None  # the printed number, if there is one
    ours: float | None  # mean over our runs, if there are any
    error: float | None  # its standard error, if there are two runs or more
    runs: int

    @property
    def deviation(self) -> float | None:
        """Ours minus the paper's, of the numbers as they are shown."""
        return None if self.ours is None or self.paper is None else round(self.ours - self.paper, DECIMALS)

    @property
    def ends(self) -> list[float]:
        """All that a picture of it has to hold: ours with its error to both sides, and the paper's."""
        error = self.error or 0.0
        ours = [] if self.ours is None else [self.ours - error, self.ours + error]
        return ours if self.paper is None else [*ours, self.paper]


@dataclass(frozen=True)
class Row:
    """A learner: its cells in the order of the streams, and its mean ranks."""

    learner: str
    cells: tuple[Cell, ...]
    rank: float | None  # ours; None if the learner is not ranked
    printed_rank: float | None
    recomputed_rank: float | None  # what follows from the errors that the paper prints

    @property
    def rank_differs(self) -> bool:
        """Whether the printed rank is not the one that follows from the printed errors."""
        if self.printed_rank is None or self.recomputed_rank is None:
            return False
        return abs(self.printed_rank - round(self.recomputed_rank, 1)) > 0.01


@dataclass(frozen=True)
class Block:
    """One measure at one share of flipped labels.

    Our ranks are those of the learners that have runs (of those in the paper, where it has numbers), over the streams
    that all of these have.
    """

    measure: str
    noise: float
    streams: tuple[str, ...]
    rows: tuple[Row, ...]
    ranked_streams: tuple[str, ...]
    ranked_learners: tuple[str, ...]
    largest: Mapping[str, float]  # standard errors that the paper prints, by stream

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any of its numbers."""
        return any(cell.paper is not None for row in self.rows for cell in row.cells)

    @property
    def has_ranks(self) -> bool:
        """Whether any rank can be shown: one stream alone has none."""
        return any(rank is not None for row in self.rows for rank in (row.rank, row.printed_rank))

    @property
    def rank_order(self) -> str | None:
        """Whose order our mean ranks have: the ``"printed"`` ranks', that of the printed ``"errors"``, ``"neither"``.

        The two differ where the paper's ranks do not follow from its errors. Learners of the same printed rank may be
        in any order. None if there is nothing to compare.
        """
        known = [row for row in self.rows if row.rank is not None and row.printed_rank is not None]
        if len(known) < 2:
            return None
        printed = [(row.rank, row.printed_rank) for row in known]
        recomputed = [(row.rank, row.recomputed_rank) for row in known]
        return "printed" if _same_order(printed) else "errors" if _same_order(recomputed) else "neither"

    def best(self, whose: str) -> set[tuple[str, str]]:
        """Learner and stream of the smallest errors, ``"ours"`` or the ``"paper"``'s; none in a column of one."""
        smallest = set()
        for place, stream in enumerate(self.streams):
            column = {row.learner: getattr(row.cells[place], whose) for row in self.rows}
            errors = {learner: error for learner, error in column.items() if error is not None}
            if len(errors) > 1:
                smallest |= {(learner, stream) for learner, error in errors.items() if error == min(errors.values())}
        return smallest


class Deviation(NamedTuple):
    """How far one of our numbers is from the printed one."""

    measure: str
    noise: float
    learner: str
    stream: str
    value: float


@dataclass(frozen=True, repr=False)
class Table:
    """Our results beside the paper's, and what there is to say about them; it prints as text."""

    experiment: str
    title: str
    about: str
    fitted: bool  # whether the protocol was fitted to the printed numbers
    streams: tuple[str, ...]
    learners: tuple[str, ...]
    noise: tuple[float, ...]
    blocks: tuple[Block, ...]  # for each measure and share of flipped labels
    runs: int  # that each learner should have
    expected: int  # runs in all
    found: int
    missing_streams: tuple[str, ...]  # without a single run
    missing_learners: tuple[str, ...]
    gaps: Mapping[Place, int]  # where else runs are missing, and how many there are
    codes: tuple[str, ...]  # versions of the code that made the runs
    mixed_data: tuple[str, ...]  # streams that were not the same in all runs
    left_out: int  # runs under the name of this protocol, but with other settings

    def __repr__(self) -> str:
        from bflo_viz.experiments.rendering import render

        return render(self).rstrip()

    @property
    def cells(self) -> dict[tuple[str, float, str, str], Cell]:
        """All of its cells, by measure, share of flipped labels, learner and stream."""
        return {
            (block.measure, block.noise, row.learner, stream): cell
            for block in self.blocks
            for row in block.rows
            for stream, cell in zip(block.streams, row.cells, strict=True)
        }

    def beyond_chance(self) -> dict[tuple[str, float, str, str], Cell]:
        """Cells that differ from the printed number by more than three standard errors of the difference.

        The printed number is taken to have the same standard error as ours.
        """
        return {
            place: cell
            for place, cell in self.cells.items()
            if cell.deviation is not None and cell.error and abs(cell.deviation) > 3 * math.sqrt(2) * cell.error
        }

    def deviations(self, measure: str | None = None, noise: float | None = None) -> list[Deviation]:
        """Deviations of all numbers that the paper has and we have, or of some."""
        return [
            Deviation(block.measure, block.noise, row.learner, stream, cell.deviation)
            for block in self.blocks
            if measure in (None, block.measure) and noise in (None, block.noise)
            for row in block.rows
            for stream, cell in zip(block.streams, row.cells, strict=True)
            if cell.deviation is not None
        ]

    def mean_deviation(self, measure: str | None = None, noise: float | None = None) -> float | None:
        """Mean absolute deviation, in points of percent; None if there is nothing to compare."""
        sizes = [abs(deviation.value) for deviation in self.deviations(measure, noise)]
        return sum(sizes) / len(sizes) if sizes else None

    def largest_deviation(self, measure: str | None = None, noise: float | None = None) -> Deviation | None:
        """Where ours is farthest from the paper's."""
        return max(self.deviations(measure, noise), key=lambda deviation: abs(deviation.value), default=None)


def make_table(protocol: Protocol, results: Iterable[Result], *, runs: int | None = None) -> Table:
    """Put results beside the printed numbers.

    The protocol says what the table should have, so that what is missing can be seen. Results of other protocols are
    left out, by their keys. ``runs`` is how many of each there should be, if not as many as the protocol says.
    """
    by_place, left_out = runs_by_place(protocol, results)
    return fill_table(protocol, by_place, runs=runs, left_out=left_out)


def fill_table(protocol: Protocol, by_place: Runs, *, runs: int | None = None, left_out: int = 0) -> Table:
    """The `make_table` of runs whose places are known."""
    wanted = protocol.runs if runs is None else check.positive_int("runs", runs)
    filled = [place for place, rows in by_place.items() if rows]
    missing_streams = tuple(name for name in protocol.streams if name not in {stream for stream, _, _ in filled})
    missing_learners = tuple(name for name in protocol.learners if name not in {learner for _, learner, _ in filled})
    return Table(
        *(protocol.experiment, protocol.title, protocol.about, protocol.fitted),
        *(tuple(protocol.streams), tuple(protocol.learners), protocol.noise),
        blocks=tuple(_block(protocol, by_place, m, noise) for m in paper.MEASURES for noise in protocol.noise),
        runs=wanted,
        expected=wanted * len(by_place),
        found=sum(map(len, by_place.values())),
        missing_streams=missing_streams,
        missing_learners=missing_learners,
        gaps={
            place: len(rows)
            for place, rows in by_place.items()
            if len(rows) < wanted and place[0] not in missing_streams and place[1] not in missing_learners
        },
        codes=tuple(sorted({row.code for rows in by_place.values() for row in rows})),
        mixed_data=_mixed_data(protocol, by_place),
        left_out=left_out,
    )


def table(protocol: Protocol, store: Path | str, *, runs: int | None = None) -> Table:
    """The `make_table` of what `run` has stored in a file."""
    with Store(store, create=False) as opened:
        return make_table(protocol, opened.results(protocol.trials(runs)), runs=runs)


def runs_by_place(protocol: Protocol, results: Iterable[Result]) -> tuple[Runs, int]:
    """Runs of this protocol by their place, and how many have its name but other settings."""
    by_place: Runs = {(trial.stream, trial.learner, trial.noise): [] for trial in protocol.trials(1)}
    seen: set[str] = set()
    left_out = 0
    for result in results:
        place = (result.stream, result.learner, result.noise)
        if result.experiment != protocol.experiment or place not in by_place or result.key in seen:
            continue
        if result.key == protocol.trial(*place, result.run).key:
            seen.add(result.key)
            by_place[place].append(result)
        else:
            left_out += result.protocol == protocol.name
    return by_place, left_out


def _mixed_data(protocol: Protocol, by_place: Runs) -> tuple[str, ...]:
    """Streams whose rows were not the same for all; a stream that is drawn anew must be so within each run only."""
    digests: dict[tuple[str, int], set[str]] = {}
    for (stream, _, _), rows in by_place.items():
        for row in rows:
            run = row.run if protocol.streams[stream].fresh else -1
            digests.setdefault((stream, run), set()).add(row.data)
    return tuple(dict.fromkeys(stream for (stream, _), different in digests.items() if len(different) > 1))


def _block(protocol: Protocol, by_place: Runs, measure: str, noise: float) -> Block:
    streams = tuple(protocol.streams)
    where = (protocol.experiment, measure, noise)
    printed = paper.errors(*where)
    # Numbers of another stream do not belong beside the printed ones.
    same_data = {name for name in streams if protocol.streams[name].load == paper.DATA.get(name)}
    cells = {
        learner: tuple(
            make_cell(
                printed.get(learner, {}).get(stream) if stream in same_data else None,
                [getattr(result, measure) for result in by_place[stream, learner, noise]],
            )
            for stream in streams
        )
        for learner in protocol.learners
    }
    in_paper = {learner for learner, row in cells.items() if any(cell.paper is not None for cell in row)}
    ranked = {
        learner: [cell.ours for cell in row]
        for learner, row in cells.items()
        if (learner in in_paper or not in_paper) and any(cell.runs for cell in row)
    }
    ranks, printed_ranks, recomputed = dict[str, float](), dict[str, float](), dict[str, float]()
    if len(streams) > 1:
        ranks = mean_ranks(ranked) if common(ranked) and len(ranked) > 1 else {}
        printed_ranks = paper.ranks(*where) if in_paper else {}
        recomputed = mean_ranks({name: list(row.values()) for name, row in printed.items()})
    largest = paper.largest_errors(*where) if in_paper else {}
    return Block(
        *(measure, noise, streams),
        rows=tuple(
            Row(learner, row, ranks.get(learner), printed_ranks.get(learner), recomputed.get(learner))
            for learner, row in cells.items()
        ),
        ranked_streams=tuple(streams[place] for place in common(ranked)) if ranks else (),
        ranked_learners=tuple(ranks),
        largest={stream: error for stream, error in largest.items() if stream in same_data},
    )


def _same_order(ranks: list[tuple[float | None, float | None]]) -> bool:
    """Whether the first of each pair are in the order of the second; where these are equal, any order will do."""
    return all(a[0] < b[0] for a in ranks for b in ranks if a[1] < b[1])  # type: ignore[operator]


def make_cell(printed: float | None, ours: list[float]) -> Cell:
    """A printed number beside the mean of ours, as far as they are there."""
    if not ours:
        return Cell(printed, None, None, 0)
    mean, error = map(float, mean_and_error(ours))
    return Cell(printed, round(mean, DECIMALS), None if math.isnan(error) else error, len(ours))
