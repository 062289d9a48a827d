"""Results of runs beside the numbers that the paper prints: what a table has to show, before it is drawn."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bflo_viz import _checks as check
from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.results import Result, Store
from bflo_viz.experiments.statistics import TIES, common, mean_and_error, mean_ranks

DECIMALS = 2  # as the paper prints errors
TITLES = {"demo": "Demonstration", "table1": "Table 1", "table2": "Table 2"}


@dataclass(frozen=True)
class Cell:
    """One learner on one stream: errors in percent, ours with two decimals as the paper's are.

    Attributes
    ----------
    paper
        The printed number; None where the paper has none.
    ours, error
        Our mean over runs and its standard error; None where there are no runs (for the error: fewer than two).
    runs
        How many runs there are.
    """

    paper: float | None
    ours: float | None
    error: float | None
    runs: int

    @property
    def deviation(self) -> float | None:
        """Ours minus the paper's, of the numbers as they are shown."""
        if self.ours is None or self.paper is None:
            return None
        return round(self.ours - self.paper, DECIMALS)


@dataclass(frozen=True)
class Row:
    """A learner: its cells in the order of the streams, and its mean ranks.

    Attributes
    ----------
    rank
        Ours; None if the learner is not ranked.
    printed_rank, recomputed_rank
        What the paper prints, and what follows from the errors that it prints, over the same streams and learners as
        ours (over all of them where we have none).
    """

    learner: str
    cells: tuple[Cell, ...]
    rank: float | None
    printed_rank: float | None
    recomputed_rank: float | None

    @property
    def rank_differs(self) -> bool:
        """Whether the printed rank is not the one that follows from the printed errors."""
        if self.printed_rank is None or self.recomputed_rank is None:
            return False
        return abs(self.printed_rank - round(self.recomputed_rank, 1)) > 0.01


@dataclass(frozen=True)
class Block:
    """One measure at one share of flipped labels.

    Attributes
    ----------
    ranked_streams, ranked_learners
        What our ranks are over: the learners that have runs (of those in the paper, where it has numbers), and the
        streams that all of these have.
    largest
        The largest standard errors that the paper prints, by stream.
    """

    measure: str
    noise: float
    streams: tuple[str, ...]
    rows: tuple[Row, ...]
    ranked_streams: tuple[str, ...]
    ranked_learners: tuple[str, ...]
    largest: Mapping[str, float]

    @property
    def has_paper(self) -> bool:
        """Whether the paper has any of its numbers."""
        return any(cell.paper is not None for row in self.rows for cell in row.cells)

    @property
    def has_ranks(self) -> bool:
        """Whether any rank can be shown: one stream alone has none."""
        return any(rank is not None for row in self.rows for rank in (row.rank, row.printed_rank))

    def best(self, whose: str) -> frozenset[tuple[str, str]]:
        """Learner and stream of the smallest errors, ``"ours"`` or the ``"paper"``'s; none in a column of one."""
        found = set()
        for place, stream in enumerate(self.streams):
            column = {row.learner: getattr(row.cells[place], whose) for row in self.rows}
            there = {learner: error for learner, error in column.items() if error is not None}
            if len(there) > 1:
                found |= {(learner, stream) for learner, error in there.items() if error == min(there.values())}
        return frozenset(found)


@dataclass(frozen=True)
class Deviation:
    """How far one of our numbers is from the printed one."""

    measure: str
    noise: float
    learner: str
    stream: str
    value: float


@dataclass(frozen=True)
class Gap:
    """A learner on a stream, with fewer runs than the protocol has."""

    stream: str
    learner: str
    noise: float
    runs: int


@dataclass(frozen=True, repr=False)
class Table:
    """Our results beside the paper's, and what there is to say about them; it prints as text.

    Attributes
    ----------
    experiment, protocol, about, fitted, ties
        What was done; whether the protocol was fitted to the printed numbers; what equal errors get as rank.
    blocks
        One for each measure and share of flipped labels.
    runs, expected, found
        How many runs each learner should have, how many that is in all, and how many there are.
    missing_streams, missing_learners
        Those without a single run.
    gaps
        Where else runs are missing.
    codes, mixed_data
        Versions of the code that made the runs; streams that were not the same in all of them.
    left_out
        Runs under the name of this protocol that were made with other settings.
    """

    experiment: str
    protocol: str
    about: str
    fitted: bool
    ties: str
    streams: tuple[str, ...]
    learners: tuple[str, ...]
    noise: tuple[float, ...]
    blocks: tuple[Block, ...]
    runs: int
    expected: int
    found: int
    missing_streams: tuple[str, ...]
    missing_learners: tuple[str, ...]
    gaps: tuple[Gap, ...]
    codes: tuple[str, ...]
    mixed_data: tuple[str, ...]
    left_out: int

    def __repr__(self) -> str:
        from bflo_viz.experiments.rendering import render

        return render(self).rstrip()

    @property
    def title(self) -> str:
        """Which table by which protocol; says so if that was fitted."""
        fitted = " (fitted to the printed numbers)" if self.fitted else ""
        return f"{TITLES.get(self.experiment, self.experiment)}, protocol {self.protocol}{fitted}"

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
        found = self.deviations(measure, noise)
        return sum(abs(one.value) for one in found) / len(found) if found else None

    def largest_deviation(self, measure: str | None = None, noise: float | None = None) -> Deviation | None:
        """Where ours is farthest from the paper's."""
        return max(self.deviations(measure, noise), key=lambda one: abs(one.value), default=None)


Runs = Mapping[tuple[str, str, float], list[Result]]  # by stream, learner and noise


def make_table(
    protocol: Protocol, results: Iterable[Result], *, ties: str = "average", runs: int | None = None
) -> Table:
    """Put results beside the printed numbers.

    Parameters
    ----------
    protocol
        Says what the table should have, so that what is missing can be seen.
    results
        Runs, in any order. Those of other protocols are left out, by their keys; whole stores may be given.
    ties
        What equal errors get as rank: ``"average"``, ``"min"`` or ``"max"``.
    runs
        How many runs of each there should be, if not as many as the protocol says.
    """
    check.choice("ties", ties, TIES)
    wanted = protocol.runs if runs is None else check.positive_int("runs", runs)
    there, left_out = _sorted_out(protocol, results)
    counts = {place: len(ours) for place, ours in there.items()}
    missing_streams = _without(list(protocol.streams), {stream for stream, _, _ in _filled(counts)})
    missing_learners = _without(list(protocol.learners), {learner for _, learner, _ in _filled(counts)})
    return Table(
        experiment=protocol.experiment,
        protocol=protocol.name,
        about=protocol.about,
        fitted=protocol.fitted,
        ties=ties,
        streams=tuple(protocol.streams),
        learners=tuple(protocol.learners),
        noise=protocol.noise,
        blocks=tuple(_block(protocol, there, m, noise, ties) for m in paper.MEASURES for noise in protocol.noise),
        runs=wanted,
        expected=wanted * len(there),
        found=sum(counts.values()),
        missing_streams=missing_streams,
        missing_learners=missing_learners,
        gaps=tuple(
            Gap(stream, learner, noise, count)
            for (stream, learner, noise), count in counts.items()
            if count < wanted and stream not in missing_streams and learner not in missing_learners
        ),
        codes=tuple(sorted({result.code for ours in there.values() for result in ours})),
        mixed_data=_mixed_data(protocol, there),
        left_out=left_out,
    )


def table(protocol: Protocol, store: Path | str, *, ties: str = "average", runs: int | None = None) -> Table:
    """The `make_table` of what `run` has kept in a file."""
    with Store(store, create=False) as kept:
        return make_table(protocol, kept.results(protocol.trials(runs)), ties=ties, runs=runs)


def _sorted_out(protocol: Protocol, results: Iterable[Result]) -> tuple[Runs, int]:
    """Runs of this protocol by their place, and how many only pretend to be."""
    there: dict[tuple[str, str, float], list[Result]] = {
        (stream, learner, noise): []
        for stream in protocol.streams
        for noise in protocol.noise
        for learner in protocol.learners
    }
    seen: set[str] = set()
    left_out = 0
    for result in results:
        place = (result.stream, result.learner, result.noise)
        if result.experiment != protocol.experiment or place not in there or result.key in seen:
            continue
        recipe, settings = protocol.streams[result.stream], protocol.learners[result.learner]
        trial = Trial(protocol.experiment, *place, result.run, recipe, settings, protocol.layers)
        if trial.key == result.key:
            seen.add(result.key)
            there[place].append(result)
        else:
            left_out += result.protocol == protocol.name
    return there, left_out


def _filled(counts: Mapping[tuple[str, str, float], int]) -> list[tuple[str, str, float]]:
    return [place for place, count in counts.items() if count]


def _without(names: list[str], there: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in there)


def _mixed_data(protocol: Protocol, there: Runs) -> tuple[str, ...]:
    """Streams whose rows were not the same for all; a stream that is drawn anew must be so within each run only."""
    digests: dict[tuple[str, int], set[str]] = {}
    for (stream, _, _), ours in there.items():
        for result in ours:
            run = result.run if protocol.streams[stream].fresh else -1
            digests.setdefault((stream, run), set()).add(result.data)
    return tuple(dict.fromkeys(stream for (stream, _), found in digests.items() if len(found) > 1))


def _block(protocol: Protocol, there: Runs, measure: str, noise: float, ties: str) -> Block:
    streams = tuple(protocol.streams)
    ours_of = {name for name in streams if protocol.streams[name].load == paper.DATA.get(name)}
    printed = {
        learner: {stream: error for stream, error in row.items() if stream in ours_of}
        for learner, row in paper.errors(protocol.experiment, measure, noise).items()
    }
    cells = {
        learner: tuple(
            _cell(printed.get(learner, {}).get(stream), there[stream, learner, noise], measure) for stream in streams
        )
        for learner in protocol.learners
    }
    in_paper = [learner for learner, row in cells.items() if any(cell.paper is not None for cell in row)]
    ranked = {
        learner: [cell.ours for cell in row]
        for learner, row in cells.items()
        if (learner in in_paper or not in_paper) and any(cell.runs for cell in row)
    }
    places = common(ranked)
    ranked_streams = tuple(streams[place] for place in places)
    several = len(streams) > 1
    ranks = mean_ranks(ranked, ties) if several and places and len(ranked) > 1 else {}
    if ranks:
        recomputed = _recomputed(printed, tuple(ranked), ranked_streams, ties)
    else:
        recomputed = _recomputed(printed, tuple(printed), tuple(name for name in streams if name in ours_of), ties)
    printed_ranks = paper.ranks(protocol.experiment, measure, noise) if several and in_paper else {}
    return Block(
        measure=measure,
        noise=noise,
        streams=streams,
        rows=tuple(
            Row(learner, row, ranks.get(learner), printed_ranks.get(learner), recomputed.get(learner))
            for learner, row in cells.items()
        ),
        ranked_streams=ranked_streams if ranks else (),
        ranked_learners=tuple(ranks),
        largest={
            stream: error
            for stream, error in paper.largest_errors(protocol.experiment, measure, noise).items()
            if in_paper and stream in ours_of
        },
    )


def _cell(printed: float | None, ours: list[Result], measure: str) -> Cell:
    if not ours:
        return Cell(printed, None, None, 0)
    mean, error = map(float, mean_and_error([getattr(result, measure) for result in ours]))
    return Cell(printed, round(mean, DECIMALS), None if math.isnan(error) else error, len(ours))


def _recomputed(
    printed: paper.Block, learners: tuple[str, ...], streams: tuple[str, ...], ties: str
) -> dict[str, float]:
    """Mean ranks that follow from the printed errors."""
    there = {name: [printed[name].get(stream) for stream in streams] for name in learners if name in printed}
    ranks = mean_ranks(there, ties) if len(there) > 1 and len(streams) > 1 else {}
    return {learner: rank for learner, rank in ranks.items() if not math.isnan(rank)}
