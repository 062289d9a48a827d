"""Tables of our results beside the numbers that the paper prints, as text, Markdown, LaTeX and HTML."""

import html
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata, t
from tabulate import LATEX_ESCAPE_RULES, tabulate

from bflo_viz import _checks as check
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.results import Result, mean_and_error

MEASURES = {"online": "Online error", "final": "Final error"}
Place = tuple[str, str, float]  # stream, learner and noise
Where = tuple[str, float, str, str]  # measure, noise, learner and stream
_PAPER = tomllib.loads(Path(__file__).with_name("paper.toml").read_text(encoding="utf-8"))


def printed(experiment: str, measure: str, noise: float) -> dict[str, dict[str, float]]:
    """Return the lines of a printed table: errors in percent, a ``rank``, and ``largest`` standard errors."""
    columns, *lines = (line.split() for line in _PAPER[experiment][measure].strip().splitlines())
    rows: dict[str, dict[str, float]] = {}
    for name, *cells in lines:
        for column, cell in zip(columns, cells, strict=False):  # the line of largest errors has no rank
            by_noise = dict(zip((0.0, 0.2), map(float, cell.split("/")), strict=False))
            if noise in by_noise:
                rows.setdefault(name, {})[column] = by_noise[noise]
    return rows


def printed_errors(experiment: str, measure: str, noise: float) -> dict[str, dict[str, float]]:
    """Return the printed errors in percent by learner and stream; none where the paper has none.

    >>> printed_errors("table1", "final", 0.2)["BFLO"]["MUSHROOM"]
    0.65
    """
    rows = printed(experiment, measure, noise)
    return {name: {k: v for k, v in row.items() if k != "rank"} for name, row in rows.items() if name != "largest"}


def printed_ranks(experiment: str, measure: str, noise: float) -> dict[str, float]:
    """Return the printed mean ranks by learner; none where the paper has none."""
    return {name: row["rank"] for name, row in printed(experiment, measure, noise).items() if "rank" in row}


def mean_ranks(errors: Mapping[str, Sequence[float | None]], ties: str = "average") -> dict[str, float]:
    """Return the mean rank of each learner over the streams that all have a number for; 1 is the smallest error.

    Equal errors get the ``"average"`` of their places, the better (``"min"``) or the worse one (``"max"``).

    >>> mean_ranks({"a": [1.0, 5.0, 2.0], "b": [1.0, 4.0, None]})
    {'a': 1.75, 'b': 1.25}
    """
    streams = [column for column in zip(*errors.values(), strict=True) if None not in column]
    return dict(zip(errors, rankdata(streams, ties, axis=1).mean(axis=0).tolist(), strict=True)) if streams else {}


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
    streams: tuple[str, ...]
    rows: tuple[Row, ...]
    largest: Mapping[str, float]  # standard errors that the paper prints, by stream

    @property
    def has_ranks(self) -> bool:
        """True if there is a rank to show."""
        return any(rank is not None for row in self.rows for rank in (row.rank, row.printed_rank))


@dataclass(frozen=True, repr=False)
class Table:
    """Our results beside the paper's; it prints as text."""

    experiment: str
    title: str
    about: str
    streams: tuple[str, ...]
    learners: tuple[str, ...]
    noise: tuple[float, ...]
    blocks: tuple[Block, ...]  # for each measure and share of flipped labels
    expected: int  # runs in all
    found: int
    missing_streams: tuple[str, ...]  # without a single run
    missing_learners: tuple[str, ...]

    def __repr__(self) -> str:
        return render(self).rstrip()

    @property
    def cells(self) -> dict[Where, Cell]:
        """All of its cells, by measure, share of flipped labels, learner and stream."""
        return {cell[:4]: cell for block in self.blocks for row in block.rows for cell in row.cells}

    def deviations(self, measure: str | None = None) -> list[Cell]:
        """Return the cells that have our number and the printed one."""
        cells = (cell for cell in self.cells.values() if measure in (None, cell.measure))
        return [cell for cell in cells if cell.deviation is not None]

    def mean_deviation(self, measure: str | None = None) -> float | None:
        """Return the mean absolute deviation, in points of percent; None if there is nothing to compare."""
        sizes = [abs(cell.deviation or 0.0) for cell in self.deviations(measure)]
        return sum(sizes) / len(sizes) if sizes else None

    def largest_deviation(self, measure: str | None = None) -> Cell | None:
        """Return the cell that is farthest from the paper's."""
        return max(self.deviations(measure), key=lambda cell: abs(cell.deviation or 0.0), default=None)

    def beyond_chance(self) -> dict[Where, Cell]:
        """Return cells that are off by more than three standard errors of a difference; the paper's are as ours."""
        far = (c for c in self.deviations() if c.error and abs(c.deviation or 0.0) > 3 * 2**0.5 * c.error)
        return {cell[:4]: cell for cell in far}


def fill_cells(protocol: Protocol, results: Iterable[Result]) -> dict[Trial, dict[str, Cell]]:
    """Put means over runs beside the printed numbers: a cell for each measure, by run 0 of each setting."""
    by_key, found = {result.key: result for result in results}, dict[Trial, dict[str, Cell]]()
    runs = range(1 + max((result.run for result in by_key.values()), default=0))
    for trial in protocol.trials(1):
        some = [by_key[key] for run in runs if (key := replace(trial, run=run).key) in by_key]
        found[trial] = {}
        for measure in MEASURES:
            paper = printed_errors(protocol.experiment, measure, trial.noise).get(trial.learner, {}).get(trial.stream)
            if trial.recipe.load != _PAPER["streams"].get(trial.stream):
                paper = None  # numbers of a different stream do not belong beside the printed ones
            cell = Cell(measure, trial.noise, trial.learner, trial.stream, paper)
            if some:
                mean, error = map(float, mean_and_error([getattr(result, measure) for result in some]))
                cell = cell._replace(ours=round(mean, 2), error=error if len(some) > 1 else None, runs=len(some))
            found[trial][measure] = cell
    return found


def make_table(protocol: Protocol, results: Iterable[Result], *, runs: int | None = None) -> Table:
    """Put results beside the printed numbers; those of other protocols are left out, by their keys.

    ``runs`` is how many of each there should be, if not as many as the protocol says.
    """
    places = fill_cells(protocol, results).values()
    filled = {name for cells in places for name in cells["online"][2:4] if cells["online"].runs}
    streams, learners = tuple(protocol.streams), tuple(protocol.learners)
    cells = {cell[:4]: cell for place in places for cell in place.values()}
    return Table(
        *(protocol.experiment, protocol.title, protocol.about, streams, learners, protocol.noise),
        blocks=tuple(_block(protocol, cells, measure, noise) for measure in MEASURES for noise in protocol.noise),
        expected=(runs or protocol.runs) * len(places),
        found=sum(cells["online"].runs for cells in places),
        missing_streams=tuple(name for name in streams if name not in filled),
        missing_learners=tuple(name for name in learners if name not in filled),
    )


def _block(protocol: Protocol, cells: Mapping[Where, Cell], measure: str, noise: float) -> Block:
    where, streams = (protocol.experiment, measure, noise), tuple(protocol.streams)
    rows = {name: tuple(cells[measure, noise, name, stream] for stream in streams) for name in protocol.learners}
    known = [cell for row in rows.values() for cell in row if cell.paper is not None]
    in_paper = {cell.learner for cell in known}
    ranks: list[Mapping[str, float]] = []
    if len(streams) > 1:
        ours = {name: [cell.ours for cell in rows[name]] for name in in_paper or rows}  # extra learners have no rank
        ours = {name: errors for name, errors in ours.items() if any(error is not None for error in errors)}
        ranks = [mean_ranks(ours if len(ours) > 1 else {})]
    if ranks and in_paper:
        theirs = {name: [*row.values()] for name, row in printed_errors(*where).items()}
        ranks += [printed_ranks(*where), mean_ranks(theirs)]
    made = tuple(Row(name, row, *(each.get(name) for each in ranks)) for name, row in rows.items())
    largest = {cell.stream: printed(*where).get("largest", {}).get(cell.stream) for cell in known}
    return Block(measure, noise, streams, made, {name: error for name, error in largest.items() if error is not None})


def paired(first: Iterable[Result], second: Iterable[Result], measure: str = "online") -> list[dict[str, Any]]:
    """Compare two learners over the runs that both did, which had the same rows in the same order.

    What makes a run hard is hard for both and cancels in the difference, which is in points of percent, with its
    standard error and the 95 % interval of Student's t.
    """
    a, b = ({(one.stream, one.noise, one.run): getattr(one, measure) for one in side} for side in (first, second))
    found = []
    for stream, noise in dict.fromkeys(key[:2] for key in a if key in b):
        x = np.round([a[key] - b[key] for key in a if key in b and key[:2] == (stream, noise)], 9)
        mean, error = map(float, mean_and_error(x))
        reach = error * float(t.ppf(0.975, len(x) - 1))
        interval = {"difference": mean, "error": error, "low": mean - reach, "high": mean + reach}
        counts = {"first better": int(np.sum(x < 0)), "second better": int(np.sum(x > 0)), "runs": len(x)}
        found.append({"stream": stream, "noise": noise, **interval, **counts})
    return found


# Formats: what tabulate calls them, and what each makes of a text, of the best number, and of a caption and a grid

_TEX = str.maketrans({**LATEX_ESCAPE_RULES, "±": r"$\pm$", "–": "--"})
_FORMS: dict[str, tuple[str, Callable[[str], str], str, str]] = {
    "text": ("simple", str, r"\1*", "{}\n{}"),
    "markdown": ("pipe", lambda text: re.sub(r"([\\`_|<>])", r"\\\1", text), r"**\1**", "**{}**\n\n{}"),
    "latex": (
        *("latex_raw", lambda text: text.translate(_TEX), r"\\textbf{\1}"),
        "\\begin{{table*}}\n\\caption{{{}}}\n{}\n\\end{{table*}}",
    ),
    "html": ("unsafehtml", html.escape, r"<strong>\1</strong>", "<table><caption>{}</caption>{}"),
}
FORMATS = tuple(_FORMS)


def render(table: Table, form: str = "text") -> str:
    """Write the whole table in one of the `FORMATS`."""
    grid_format, escape, best, whole = _FORMS[check.choice("format", form, FORMATS)]
    is_text, is_html = form == "text", form == "html"

    def write(*texts: str) -> list[str]:
        texts = tuple(textwrap.fill(text, 100) if is_text else escape(text) for text in texts if text)
        return [f"<p>{text}</p>" if is_html else text for text in texts]

    parts = write(table.title, table.about)
    for block in table.blocks:
        heads = ["Learner", "", *block.streams, *(["Rank"] if block.has_ranks else [])]
        lines = [[escape(cell) for cell in line[: len(heads)]] for line in _lines(block, repeat=is_html)]
        align = ["left", "left", *["left" if is_text else "right"] * (len(heads) - 2)]
        options = {"colalign": align, "disable_numparse": True, "preserve_whitespace": is_text}
        grid = tabulate(lines, [*map(escape, heads)], grid_format, **options)
        grid = "\n".join(map(str.rstrip, re.sub(r"([\d.]+)\*", best, grid).splitlines()))
        if is_html:  # a screen reader needs headers of columns and rows, and a caption
            grid = re.sub(r"<th(?=[ >])", '<th scope="col"', grid.removeprefix("<table>"))
            header = r'<th scope="row">'
            grid = re.sub(r"<tr><td>(.*?)</td><td>(.*?)</td>", rf"<tr>{header}\1</th>{header}\2</th>", grid)
        parts.append(whole.format(escape(_caption(table, block)), grid))
    return "\n\n".join([*parts, *write(*_sentences(table))]) + "\n"


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
    if block.largest:
        yield ["largest ±", "paper", *(_number(block.largest.get(name)) for name in block.streams), ""]
        errors = ([cell.error for cell in column if cell.error is not None] for column in columns)
        yield ["largest ±" if repeat else "", "ours", *(_number(max(some, default=None)) for some in errors), ""]


def _number(value: float | None, rivals: Sequence[float | None] = (), sign: str = "") -> str:
    """Write a number with two decimals, and a star if it is the least of its column."""
    is_best = value is not None and value == min((x for x in rivals if x is not None), default=None)
    return f"{'–' if value is None else format(value, f'{sign}.2f'):>6}{'*' if is_best else ' '}"


def _caption(table: Table, block: Block) -> str:
    flipped = f"{100 * block.noise:g} % of labels flipped" if block.noise else "no labels flipped"
    return MEASURES[block.measure] + " (%)" + (f", {flipped}" if table.noise != (0.0,) else "")


def _sentences(table: Table) -> Iterator[str]:
    """Say how far the table is from the paper, what is missing, and what its signs mean."""
    for measure, name in MEASURES.items():
        if far := table.largest_deviation(measure):
            flipped = f" with {100 * far.noise:g} % of labels flipped" if len(table.noise) > 1 else ""
            yield (
                f"{name}: our {len(table.deviations(measure))} numbers differ from the paper's by "
                f"{table.mean_deviation(measure):.2f} points on average, and most for {far.learner} on "
                f"{far.stream}{flipped}: {far.deviation:+.2f}."
            )
    none = ", ".join((*table.missing_streams, *table.missing_learners))
    yield f"{table.found} of {table.expected} runs are here{f'; none of {none}' if none else ''}."
    yield (
        "The best number of a column is marked. ±: standard error of our mean over runs. Rank: mean place over the "
        "streams by the numbers shown, 1 is best; in brackets, what follows from the paper's numbers instead."
    )
