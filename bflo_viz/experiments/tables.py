"""Tables of our results beside the numbers that the paper prints, as text, Markdown, LaTeX and HTML."""

import html
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from tabulate import tabulate

from bflo_viz import _checks as check
from bflo_viz.experiments.protocol import Protocol
from bflo_viz.experiments.results import Result

MEASURES = {"online": "Online error", "final": "Final error"}
FORMATS = {"text": "simple", "markdown": "pipe", "latex": "latex", "html": "html"}  # by what tabulate calls them
Where = tuple[str, float, str, str]  # measure, noise, learner and stream
_PAPER = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))


def printed_errors(experiment: str, measure: str, noise: float) -> dict[str, dict[str, float]]:
    """Return the printed errors in percent by learner and stream; none where the paper has none."""
    rows = _PAPER[experiment][measure].get(f"{100 * noise:g}%", {})
    return {name: {key: error for key, error in row.items() if key != "rank"} for name, row in rows.items()}


def printed_ranks(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Return the printed mean ranks by learner; none where the paper has none."""
    rows = _PAPER[experiment][measure].get(f"{100 * noise:g}%", {})
    return {name: row["rank"] for name, row in rows.items() if "rank" in row}


def mean_ranks(errors: Mapping[str, Sequence[float | None]]) -> dict[str, float]:
    """Return the mean rank of each learner over the streams that all have a number for; 1 is the smallest error.

    >>> mean_ranks({"a": [1.0, 5.0, 2.0], "b": [1.0, 4.0, None]})
    {'a': 1.75, 'b': 1.25}
    """
    streams = [column for column in zip(*errors.values(), strict=True) if None not in column]
    return dict(zip(errors, rankdata(streams, axis=1).mean(axis=0).tolist(), strict=True)) if streams else {}


class Cell(NamedTuple):
    """One number of a table: errors in percent, ours with two decimals as the paper's are."""

    measure: str
    noise: float
    learner: str
    stream: str
    paper: float | None  # the printed number, if there is one
    ours: float | None = None  # mean over our runs, if there are any
    error: float | None = None  # its standard error, if there are two runs or more
    runs: int = 0

    @property
    def deviation(self) -> float | None:
        """Ours minus the paper's, of the numbers as they are shown."""
        return None if self.ours is None or self.paper is None else round(self.ours - self.paper, 2)


class Row(NamedTuple):
    """A learner: its cells in the order of the streams, and its mean ranks, where it has any."""

    learner: str
    cells: tuple[Cell, ...]
    rank: float | None = None  # ours
    printed_rank: float | None = None
    recomputed_rank: float | None = None  # what follows from the errors that the paper prints

    @property
    def rank_differs(self) -> bool:
        """True if the printed rank is not the one that follows from the printed errors."""
        return self.printed_rank is not None and self.printed_rank != round(self.recomputed_rank or 0.0, 1)


class Block(NamedTuple):
    """One measure at one share of flipped labels; it has no ranks where there is a single stream."""

    measure: str
    noise: float
    rows: tuple[Row, ...]

    @property
    def has_ranks(self) -> bool:
        """True if there is a rank to show."""
        return any(rank is not None for row in self.rows for rank in (row.rank, row.printed_rank))


@dataclass(frozen=True, repr=False)
class Table:
    """Our results beside the paper's; it prints as text."""

    title: str
    about: str
    streams: tuple[str, ...]
    learners: tuple[str, ...]
    noise: tuple[float, ...]
    cells: Mapping[Where, Cell]
    blocks: tuple[Block, ...]  # for each measure and share of flipped labels
    expected: int  # runs in all
    found: int
    missing_streams: tuple[str, ...]  # without a single run
    missing_learners: tuple[str, ...]

    def __repr__(self) -> str:
        return render(self).rstrip()

    def deviations(self, measure: str | None = None) -> list[Cell]:
        """Return the cells that have our number and the printed one."""
        cells = (cell for cell in self.cells.values() if measure in (None, cell.measure))
        return [cell for cell in cells if cell.deviation is not None]

    def mean_deviation(self, measure: str | None = None) -> float | None:
        """Return the mean absolute deviation, in points of percent; None if there is nothing to compare."""
        sizes = [abs(cell.deviation or 0.0) for cell in self.deviations(measure)]
        return sum(sizes) / len(sizes) if sizes else None

    def largest_deviation(self) -> Cell | None:
        """Return the cell that is farthest from the paper's."""
        return max(self.deviations(), key=lambda cell: abs(cell.deviation or 0.0), default=None)

    def beyond_chance(self) -> dict[Where, Cell]:
        """Return cells that are off by more than three standard errors of a difference; the paper's are as ours."""
        return {c[:4]: c for c in self.deviations() if c.error and abs(c.deviation or 0.0) > 3 * 2**0.5 * c.error}


def make_table(protocol: Protocol, results: Iterable[Result]) -> Table:
    """Put means over runs beside the printed numbers; results of other protocols, with other keys, are ignored."""
    by_key, cells = {result.key: result for result in results}, dict[Where, Cell]()
    for trial in protocol.trials(1):
        keys = (replace(trial, run=run).key for run in range(protocol.runs))
        found = [by_key[key] for key in keys if key in by_key]
        for measure in MEASURES:
            paper = printed_errors(protocol.experiment, measure, trial.noise).get(trial.learner, {}).get(trial.stream)
            if trial.recipe.load != _PAPER["streams"].get(trial.stream):
                paper = None  # numbers of a different stream do not belong beside the printed ones
            cell = Cell(measure, trial.noise, trial.learner, trial.stream, paper, runs=len(found))
            if errors := [getattr(result, measure) for result in found]:
                error = float(np.std(errors, ddof=1)) / len(errors) ** 0.5 if len(errors) > 1 else None
                cell = cell._replace(ours=round(float(np.mean(errors)), 2), error=error)
            cells[cell[:4]] = cell
    places = [cell for cell in cells.values() if cell.measure == "online"]
    filled = {name for cell in places if cell.runs for name in (cell.learner, cell.stream)}
    streams, learners = tuple(protocol.streams), tuple(protocol.learners)
    return Table(
        *(protocol.title, str(protocol.about), streams, learners, protocol.noise, cells),
        blocks=tuple(_block(protocol, cells, measure, noise) for measure in MEASURES for noise in protocol.noise),
        expected=protocol.runs * len(places),
        found=sum(cell.runs for cell in places),
        missing_streams=tuple(name for name in streams if name not in filled),
        missing_learners=tuple(name for name in learners if name not in filled),
    )


def _block(protocol: Protocol, cells: Mapping[Where, Cell], measure: str, noise: float) -> Block:
    where, streams = (protocol.experiment, measure, noise), protocol.streams
    rows = {name: tuple(cells[measure, noise, name, stream] for stream in streams) for name in protocol.learners}
    in_paper = [name for name, row in rows.items() if any(cell.paper is not None for cell in row)]
    ranks: list[Mapping[str, float]] = []
    if len(streams) > 1:
        ours = {name: [cell.ours for cell in rows[name]] for name in in_paper or rows}  # extra learners have no rank
        ranks.append(mean_ranks({name: errors for name, errors in ours.items() if set(errors) != {None}}))
    if ranks and in_paper:
        theirs = {name: [*row.values()] for name, row in printed_errors(*where).items()}
        ranks += [printed_ranks(*where), mean_ranks(theirs)]
    return Block(
        measure, noise, tuple(Row(name, row, *(each.get(name) for each in ranks)) for name, row in rows.items())
    )


def render(table: Table, form: str = "text") -> str:
    """Write a table in one of the `FORMATS`; in LaTeX, what stands around the numbers is a comment."""
    frame = {"latex": "% {}", "html": "<p>{}</p>"}.get(check.choice("format", form, tuple(FORMATS)), "{}")
    is_html, blocks = form == "html", []
    for block in table.blocks:
        heads = ["Learner", "", *table.streams, *(["Rank"] if block.has_ranks else [])]
        lines = [line[: len(heads)] for line in _lines(block, repeat=is_html)]
        grid = tabulate(lines, heads, FORMATS[form], disable_numparse=True, preserve_whitespace=True)
        flipped = f"{100 * block.noise:g} % of labels flipped" if block.noise else "no labels flipped"
        caption = f"{MEASURES[block.measure]} (%)" + (f", {flipped}" if table.noise != (0.0,) else "")
        if is_html:  # a screen reader needs a caption, and headers of columns and rows
            grid = grid.replace("<th>", '<th scope="col">').replace("<table>", f"<table><caption>{caption}</caption>")
            header = r'<th scope="row">\1</th><th scope="row">\2</th>'
            grid = re.sub(r"(?<=<tr>)<td>(.*?)</td><td>(.*?)</td>", header, grid)
        blocks += [grid] if is_html else [frame.format(caption), grid]
    above, below = (
        [frame.format(html.escape(text) if is_html else " ".join(text.split())) for text in texts if text]
        for texts in ((table.title, table.about), _sentences(table))
    )
    return "\n\n".join([*above, *blocks, *below]) + "\n"


def _lines(block: Block, *, repeat: bool) -> Iterator[list[str]]:
    """List the lines of a block: learner (on its first line, or on each), whose numbers, the numbers, the rank."""
    columns = [*zip(*(row.cells for row in block.rows), strict=True)]
    for row in block.rows:
        paper, ours, off = list[str](), list[str](), list[str]()
        for cell, column in zip(row.cells, columns, strict=True):
            error = "" if cell.error is None else f" ±{cell.error:.2f}"
            paper.append(_number(cell.paper, [other.paper for other in column]))
            ours.append(_number(cell.ours, [other.ours for other in column]) + error)
            off.append(_number(cell.deviation, sign="+"))
        printed = "" if row.printed_rank is None else f"{row.printed_rank:.1f}"
        printed += f" ({row.recomputed_rank:.1f})" if row.rank_differs else ""
        ranks = printed, "–" if row.rank is None else f"{row.rank:.1f}", ""
        name = row.learner
        for whose, numbers, rank in zip(("paper", "ours", "off by"), (paper, ours, off), ranks, strict=True):
            if whose == "ours" or any(number.strip() != "–" for number in numbers):
                yield [name, whose, *numbers, rank]
                name = row.learner if repeat else ""


def _number(value: float | None, rivals: Sequence[float | None] = (), sign: str = "") -> str:
    """Write a number with two decimals, and a star if it is the least of its column."""
    is_best = value is not None and value == min((x for x in rivals if x is not None), default=None)
    return f"{'–' if value is None else format(value, f'{sign}.2f'):>6}{'*' if is_best else ' '}"


def _sentences(table: Table) -> Iterator[str]:
    """Say how far the table is from the paper, what is missing, and what its signs mean."""
    for measure, name in MEASURES.items():
        if (far := table.mean_deviation(measure)) is not None:
            ours = f"{name}: our {len(table.deviations(measure))} numbers"
            yield f"{ours} differ from the paper's by {far:.2f} points on average."
    none = ", ".join((*table.missing_streams, *table.missing_learners))
    yield f"{table.found} of {table.expected} runs are here{f'; none of {none}' if none else ''}."
    yield (
        "*: the best of its column. ±: standard error of our mean over runs. Rank: mean place over the streams by "
        "the numbers shown, 1 is best; in brackets, what follows from the paper's numbers instead."
    )
