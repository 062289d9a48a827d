"""Tables of our results beside the numbers that the paper prints, as text, Markdown, LaTeX and HTML."""

import html
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata, t
from tabulate import LATEX_ESCAPE_RULES, tabulate

from bflo_viz import _checks as check
from bflo_viz.experiments.protocol import Protocol
from bflo_viz.experiments.results import Result, Store, mean_and_error

MEASURES = {"online": "Online error", "final": "Final error"}
Place = tuple[str, str, float]  # stream, learner and noise
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
    table = np.array(list(errors.values()), dtype=float)  # None becomes NaN
    table = table[:, ~np.isnan(table).any(axis=0)] if table.size else table
    ranks = rankdata(table, ties, axis=0).mean(axis=1).tolist() if table.size else [np.nan] * len(errors)
    return dict(zip(errors, ranks, strict=True))


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

    def filled(self, runs: Sequence[Result]) -> "Cell":
        """Put the mean of runs into it, if there are any."""
        if not runs:
            return self
        mean, error = mean_and_error([getattr(run, self.measure) for run in runs])
        return self._replace(
            ours=round(float(mean), 2), error=float(error) if len(runs) > 1 else None, runs=len(runs)
        )

    @property
    def deviation(self) -> float | None:
        """Ours minus the paper's, of the numbers as they are shown."""
        return None if self.ours is None or self.paper is None else round(self.ours - self.paper, 2)


class Row(NamedTuple):
    """A learner: its cells in the order of the streams, and its mean ranks, where it has any."""

    learner: str
    cells: tuple[Cell, ...]
    rank: float | None  # ours
    printed_rank: float | None
    recomputed_rank: float | None  # what follows from the errors that the paper prints

    @property
    def rank_differs(self) -> bool:
        """True if the printed rank is not the one that follows from the printed errors."""
        printed, right = self.printed_rank, self.recomputed_rank
        return printed is not None and right is not None and abs(printed - round(right, 1)) > 0.01


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
    def cells(self) -> dict[tuple[str, float, str, str], Cell]:
        """All of its cells, by measure, share of flipped labels, learner and stream."""
        return {cell[:4]: cell for block in self.blocks for row in block.rows for cell in row.cells}

    def deviations(self, measure: str | None = None, noise: float | None = None) -> dict[Cell, float]:
        """Return how far our numbers are from the printed ones, where there are both."""
        found = {cell: cell.deviation for cell in self.cells.values() if cell.deviation is not None}
        return {c: off for c, off in found.items() if measure in (None, c.measure) and noise in (None, c.noise)}

    def mean_deviation(self, measure: str | None = None, noise: float | None = None) -> float | None:
        """Return the mean absolute deviation, in points of percent; None if there is nothing to compare."""
        sizes = list(map(abs, self.deviations(measure, noise).values()))
        return sum(sizes) / len(sizes) if sizes else None

    def largest_deviation(self, measure: str | None = None) -> Cell | None:
        """Return the cell that is farthest from the paper's."""
        found = self.deviations(measure)
        return max(found, key=lambda cell: abs(found[cell]), default=None)

    def beyond_chance(self) -> dict[tuple[str, float, str, str], Cell]:
        """Return cells that differ from the printed number by more than three standard errors of the difference.

        The printed number is taken to have the same standard error as ours.
        """
        found = self.deviations().items()
        return {cell[:4]: cell for cell, off in found if cell.error and abs(off) > 3 * 2**0.5 * cell.error}


def make_table(protocol: Protocol, results: Iterable[Result], *, runs: int | None = None) -> Table:
    """Put results beside the printed numbers; those of other protocols are left out, by their keys.

    ``runs`` is how many of each there should be, if not as many as the protocol says.
    """
    return fill_table(protocol, runs_by_place(protocol, results), runs or protocol.runs)


def table(protocol: Protocol, store: Path | str, *, runs: int | None = None) -> Table:
    """Make the table of what `run` has stored in a file."""
    with Store(store, create=False) as opened:
        return make_table(protocol, opened.results(protocol.trials(runs)), runs=runs)


def runs_by_place(protocol: Protocol, results: Iterable[Result]) -> dict[Place, list[Result]]:
    """Group the runs of this protocol."""
    by_key, by_place = {result.key: result for result in results}, dict[Place, list[Result]]()
    for trial in protocol.trials(max((result.run + 1 for result in by_key.values()), default=1)):
        place = by_place.setdefault((trial.stream, trial.learner, trial.noise), [])
        place += [by_key[trial.key]] if trial.key in by_key else []
    return by_place


def fill_table(protocol: Protocol, by_place: Mapping[Place, Sequence[Result]], runs: int) -> Table:
    """Make the table of runs whose places are known."""
    filled = {name for place, rows in by_place.items() if rows for name in place[:2]}
    streams, learners = tuple(protocol.streams), tuple(protocol.learners)
    return Table(
        *(protocol.experiment, protocol.title, protocol.about, streams, learners, protocol.noise),
        blocks=tuple(_block(protocol, by_place, m, noise) for m in MEASURES for noise in protocol.noise),
        expected=runs * len(by_place),
        found=sum(map(len, by_place.values())),
        missing_streams=tuple(name for name in streams if name not in filled),
        missing_learners=tuple(name for name in learners if name not in filled),
    )


def _block(protocol: Protocol, by_place: Mapping[Place, Sequence[Result]], measure: str, noise: float) -> Block:
    where, streams = (protocol.experiment, measure, noise), tuple(protocol.streams)
    # Numbers of a different stream do not belong beside the printed ones.
    same = [name for name, recipe in protocol.streams.items() if recipe.load == _PAPER["streams"].get(name)]
    paper = {name: {k: row[k] for k in same if k in row} for name, row in printed(*where).items()}
    cells = {
        learner: tuple(
            Cell(measure, noise, learner, stream, paper.get(learner, {}).get(stream)).filled(
                by_place[stream, learner, noise]
            )
            for stream in streams
        )
        for learner in protocol.learners
    }
    in_paper = {name for name in cells if paper.get(name)}
    ours = {name: [cell.ours for cell in row] for name, row in cells.items() if name in in_paper or not in_paper}
    ranked = {name: row for name, row in ours.items() if any(error is not None for error in row)}
    theirs = {name: [*row.values()] for name, row in printed_errors(*where).items()}
    ranks = (
        mean_ranks(ranked) if len(ranked) > 1 else {},
        printed_ranks(*where) if in_paper else {},
        mean_ranks(theirs),
    )
    known = [{name: rank for name, rank in each.items() if rank == rank and len(streams) > 1} for each in ranks]
    rows = tuple(Row(name, row, *(each.get(name) for each in known)) for name, row in cells.items())
    return Block(measure, noise, streams, rows, paper.get("largest", {}) if in_paper else {})


def paired(first: Iterable[Result], second: Iterable[Result], measure: str = "online") -> list[dict[str, Any]]:
    """Compare two learners over the runs that both did, which had the same rows in the same order.

    What makes a run hard is hard for both and cancels in the difference, so smaller differences can be seen than
    between two means. Each stream and noise gives the mean difference in points of percent with its standard error,
    the 95 % interval of Student's t, and the numbers of runs in which either erred less.
    """
    a, b = ({(one.stream, one.noise, one.run): getattr(one, measure) for one in side} for side in (first, second))
    found = []
    for stream, noise in dict.fromkeys(key[:2] for key in a if key in b):
        runs = [key for key in a if key[:2] == (stream, noise) and key in b]
        x, y = (np.array([side[key] for key in runs]) for side in (a, b))
        difference, error = map(float, mean_and_error(np.round(x - y, 9)))  # so that equal differences are equal
        reach = error * float(t.ppf(0.975, len(runs) - 1))
        counts = {"first better": int(np.sum(x < y)), "second better": int(np.sum(x > y)), "runs": len(runs)}
        interval = {"difference": difference, "error": error, "low": difference - reach, "high": difference + reach}
        found.append({"stream": stream, "noise": noise, **interval, **counts})
    return found


# Formats


class _Form(NamedTuple):
    """Patterns of a format."""

    grid: str  # of tabulate
    escape: Callable[[str], str]
    number: str
    best: str
    error: str
    paragraph: Callable[[str], str]
    block: str  # a heading and a grid


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", text)


def _latex(text: str) -> str:
    signs = {**LATEX_ESCAPE_RULES, "±": r"$\pm$", "–": "--", "−": "$-$", "σ": r"$\sigma$", "×": r"$\times$"}
    return "".join(signs.get(sign, sign) for sign in text)


_REGION = '<div role="region" aria-label="%s" tabindex="0" style="overflow-x: auto">\n%s\n</div>'
_TEX = "\\begin{table*}\n\\caption{%s}\n%s\n\\end{table*}\n"
_FORMS = {
    "text": _Form("simple", str, "%6s ", "%6s*", " ±%s", lambda text: textwrap.fill(text, 100), "\n%s\n%s"),
    "markdown": _Form("pipe", _markdown, "%s", "**%s**", " ± %s", "%s\n".__mod__, "**%s**\n\n%s\n"),
    "latex": _Form("latex_raw", _latex, "%s", r"\textbf{%s}", r" $\pm$ %s", "%s\n".__mod__, _TEX),
    "html": _Form("unsafehtml", html.escape, "%s", "<strong>%s</strong>", " ± %s", "<p>%s</p>".__mod__, _REGION),
}
FORMATS = tuple(_FORMS)


def render(table: Table, form: str = "text") -> str:
    """Write the whole table in one of the `FORMATS`."""
    style = _FORMS[check.choice("format", form, FORMATS)]
    parts = [style.paragraph(style.escape(text)) for text in (table.title, table.about) if text]
    for block in table.blocks:
        heading = style.escape(f"{MEASURES[block.measure]} (%){_flipped(table, block.noise, ', ')}")
        heads = ["Learner", "", *map(style.escape, block.streams), *(["Rank"] if block.has_ranks else [])]
        lines: list[list[str]] = []
        for learner, group in groupby(_lines(block, style), key=lambda line: line[0]):
            lines += [[]] if form == "text" else []
            for at, line in enumerate(group):
                lines.append([style.escape(learner) if at == 0 or form == "html" else "", *line[1 : len(heads)]])
        align = ["left", "left", *["left" if form == "text" else "right"] * (len(heads) - 2)]
        options = {"tablefmt": style.grid, "colalign": align, "disable_numparse": True, "preserve_whitespace": True}
        grid = "\n".join(line.rstrip() for line in tabulate(lines, heads, **options).splitlines())
        if form == "html":  # tabulate's tables have neither captions nor headers of rows, which a screen reader needs
            grid = grid.replace("<table>", f"<table><caption>{heading}</caption>")
            grid = re.sub(r"<th(?=[ >])", '<th scope="col"', grid)
            header = '<th scope="row">'
            grid = re.sub(r"<tr><td>(.*?)</td><td>(.*?)</td>", rf"<tr>{header}\1</th>{header}\2</th>", grid)
        parts.append(style.block % (heading, grid))
    return "\n".join([*parts, "", *(style.paragraph(style.escape(text)) for text in _sentences(table))]) + "\n"


def _lines(block: Block, style: _Form) -> Iterator[list[str]]:
    """List the lines of a block: learner, whose numbers, the numbers, the rank."""
    columns = list(zip(*(row.cells for row in block.rows), strict=True))
    for row in block.rows:
        printed = "" if row.printed_rank is None else f"{row.printed_rank:.1f}"
        printed += f" ({row.recomputed_rank:.1f})" if row.rank_differs else ""
        ranks = printed, "–" if row.rank is None else f"{row.rank:.1f}", ""
        for whose, name, rank in zip(("paper", "ours", "off by"), ("paper", "ours", "deviation"), ranks, strict=True):
            texts = []
            for cell, column in zip(row.cells, columns, strict=True):
                value, rivals = getattr(cell, name), [getattr(rival, name) for rival in column]
                best = name != "deviation" and value == min((x for x in rivals if x is not None), default=0)
                error = style.error % f"{cell.error:.2f}" if name == "ours" and cell.error is not None else ""
                text = style.escape(_decimals(value, "+" if name == "deviation" else ""))
                texts.append((style.best if best else style.number) % text + error)
            if whose == "ours" or any(getattr(cell, name) is not None for cell in row.cells):
                yield [row.learner, whose, *texts, style.escape(rank)]
    if block.largest:
        ours = [max((cell.error for cell in column if cell.error is not None), default=None) for column in columns]
        for whose, errors in (("paper", [block.largest.get(name) for name in block.streams]), ("ours", ours)):
            yield ["largest ±", whose, *(style.number % style.escape(_decimals(error)) for error in errors), ""]


def _decimals(value: float | None, sign: str = "") -> str:
    return "–" if value is None else f"{value:{sign}.2f}"


def _flipped(table: Table, noise: float, link: str) -> str:
    share = f"{100 * noise:g} % of labels flipped" if noise else "no labels flipped"
    return "" if table.noise == (0.0,) else link + share


def _sentences(table: Table) -> Iterator[str]:
    """Say how far the table is from the paper, what is missing, and what its signs mean."""
    for measure, name in MEASURES.items():
        if far := table.largest_deviation(measure):
            count, mean = len(table.deviations(measure)), table.mean_deviation(measure)
            parts = [(table.mean_deviation(measure, noise), noise) for noise in table.noise]
            means = [f"{part:.2f}{_flipped(table, noise, ' with ')}" for part, noise in parts if part is not None]
            shares = f" ({', '.join(means)})" if len(means) > 1 else ""
            yield (
                f"{name}: our {count} numbers differ from the paper's by {mean:.2f} points on average{shares}, and "
                f"most for {far.learner} on {far.stream}{_flipped(table, far.noise, ' with ')}: {far.deviation:+.2f}."
            )
    none = ", ".join((*table.missing_streams, *table.missing_learners))
    yield f"{table.found} of {table.expected} runs are here{f'; none of {none}' if none else ''}."
    yield (
        "The best number of a column is marked. ±: standard error of our mean over runs. Rank: mean place over the "
        "streams by the numbers shown, 1 is best; in brackets, what follows from the paper's numbers instead."
    )
