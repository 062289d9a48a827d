"""Tables as text, Markdown, LaTeX and HTML, with a few sentences on what they show and what is missing."""

import html
import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from tabulate import LATEX_ESCAPE_RULES, tabulate

from bflo_viz import _checks as check
from bflo_viz.experiments import paper
from bflo_viz.experiments.protocol import EXPERIMENTS
from bflo_viz.experiments.statistics import Pair
from bflo_viz.experiments.tables import Block, Row, Table

FORMATS = ("text", "markdown", "latex", "html")
_WIDTH = 100  # columns of a sentence in a text
_NOTHING = "–"
_MANY = 6  # names that a sentence has before it counts the rest
_MEASURES = {"online": "Online error", "final": "Final error"}


def render(table: Table, form: str = "text") -> str:
    """The whole table in one of the `FORMATS`."""
    check.choice("format", form, FORMATS)
    return {"text": _text, "markdown": _markdown, "latex": _latex, "html": _html}[form](table)


class _Number(NamedTuple):
    """What a cell shows: a number, whether it is the best of its column, and its standard error."""

    text: str
    best: bool = False
    error: str = ""


class _Line(NamedTuple):
    """A line of a block: the paper's numbers, ours, or the difference."""

    whose: str
    numbers: list[_Number]
    rank: str = ""


def _groups(block: Block) -> dict[str, list[_Line]]:
    """The lines of each learner, and of the largest standard errors."""
    groups: dict[str, list[_Line]] = {}
    for row in block.rows:
        lines = groups[row.learner] = []
        if any(cell.paper is not None for cell in row.cells):
            rank = "" if row.printed_rank is None else f"{row.printed_rank:.1f}"
            rank += f" ({row.recomputed_rank:.1f})" if row.rank_differs else ""
            lines.append(_Line("paper", _numbers(block, row, "paper"), rank))
        rank = _NOTHING if row.rank is None else f"{row.rank:.1f}"
        lines.append(_Line("ours", _numbers(block, row, "ours"), rank if block.has_ranks else ""))
        if any(cell.deviation is not None for cell in row.cells):
            off = ["" if cell.deviation is None else f"{cell.deviation:+.2f}" for cell in row.cells]
            lines.append(_Line("off by", list(map(_Number, off))))
    if block.largest:
        printed = [block.largest.get(stream) for stream in block.streams]
        columns = zip(*([cell.error for cell in row.cells] for row in block.rows), strict=True)
        ours = [max((error for error in column if error is not None), default=None) for column in columns]
        groups["largest ±"] = [
            _Line(whose, [_Number(_decimals(error)) for error in errors])
            for whose, errors in (("paper", printed), ("ours", ours))
            if any(error is not None for error in errors)
        ]
    return groups


def _numbers(block: Block, row: Row, whose: str) -> list[_Number]:
    best, shown = block.best(whose), []
    for stream, cell in zip(block.streams, row.cells, strict=True):
        error = "" if whose == "paper" or cell.error is None else f"{cell.error:.2f}"
        shown.append(_Number(_decimals(getattr(cell, whose)), (row.learner, stream) in best, error))
    return shown


def _decimals(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.2f}"


# Text, Markdown and LaTeX


def _text(table: Table) -> str:
    parts = [table.title, *map(_wrapped, _introduction(table))]
    for block in table.blocks:
        lines = chain.from_iterable(_groups(block).values())
        width = max(len(number.text) for line in lines for number in line.numbers)

        def show(number: _Number, width: int = width) -> str:
            # The mark has a place of its own, so that the decimal points are below one another.
            mark = "*" if number.best else " "
            return f"{number.text:>{width}}{mark}" + (f" ±{number.error}" if number.error else "")

        grid = _grid(block, "simple", str, show, gap=True)
        parts.append(f"\n{_heading(table, block)}\n{grid}")
    return "\n".join([*parts, "", *map(_wrapped, sentences(table, "*"))]) + "\n"


def _grid(
    block: Block, style: str, name: Callable[[str], str], show: Callable[[_Number], str], *, gap: bool = False
) -> str:
    """What tabulate makes of a block, given how names and numbers are shown; with a gap between learners or none."""
    heads = ["", "", *map(name, block.streams), *(["Rank"] if block.has_ranks else [])]
    rows: list[list[str]] = []
    for learner, lines in _groups(block).items():
        if gap and rows and len(lines) > 1:
            rows.append([""] * len(heads))
        for line in lines:
            first = name(learner) if line is lines[0] else ""
            rows.append([first, line.whose, *map(show, line.numbers), name(line.rank)][: len(heads)])
    align = "left" if style == "simple" else "right"
    columns = ["left", "left", *[align] * (len(heads) - 2)]
    options = {"tablefmt": style, "colalign": columns, "disable_numparse": True, "preserve_whitespace": True}
    grid = tabulate(rows, heads, **options)
    return "\n".join(line.rstrip() for line in grid.splitlines())


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False))


def _markdown(table: Table) -> str:
    parts = [f"**{_md(table.title)}**", *map(_md, _introduction(table))]
    for block in table.blocks:
        parts += [f"**{_heading(table, block)}**", _grid(block, "pipe", _md, _md_number)]
    parts.append("\n".join(f"- {_md(sentence)}" for sentence in sentences(table, "Bold")))
    return "\n\n".join(parts) + "\n"


def _md_number(number: _Number) -> str:
    text = f"**{number.text}**" if number.best else number.text
    return f"{text} ± {number.error}" if number.error else text


def _md(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#~" else sign for sign in " ".join(text.split()))


def _latex(table: Table) -> str:
    parts = [rf"% {_tex(table.title)}. Needs \usepackage{{booktabs}}."]
    for block in table.blocks:
        grid = _grid(block, "latex_raw", _tex, _tex_number)
        for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
            grid = grid.replace(r"\hline", rule, 1)
        caption = _tex(f"{table.title}. {_heading(table, block)}.")
        parts += [r"\begin{table*}", r"\centering\scriptsize", rf"\caption{{{caption}}}", grid, r"\end{table*}"]
    return "\n".join([*parts, "", *map(_tex, _introduction(table)), *map(_tex, sentences(table, "Bold"))]) + "\n"


_TEX = {
    **LATEX_ESCAPE_RULES,
    **{"±": r"$\pm$", "–": "--", "…": r"\dots{}", "×": r"$\times$", "−": "$-$", "σ": r"$\sigma$"},
    **{"|": r"\textbar{}", "[": "{[}", "]": "{]}"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in " ".join(text.split()))


def _tex_number(number: _Number) -> str:
    if number.text in ("", _NOTHING):
        return _tex(number.text)
    text = rf"\mathbf{{{number.text}}}" if number.best else number.text
    return f"${text}" + (rf" \pm {number.error}$" if number.error else "$")


# HTML: tabulate's has neither captions nor headers for lines, which a screen reader needs

STYLE = """\
.bflo-results { overflow-x: auto; margin-block: 1em; }
.bflo-results table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.bflo-results caption { text-align: start; font-weight: bold; padding-block: 0.4em; }
.bflo-results th, .bflo-results td { padding: 0.15em 0.5em; text-align: right; white-space: nowrap; }
.bflo-results th { text-align: left; font-weight: normal; vertical-align: top; }
.bflo-results thead th { text-align: right; font-weight: bold; }
.bflo-results thead { border-block: 2px solid currentColor; }
.bflo-results tbody { border-block-end: 1px solid currentColor; }
.bflo-results thead th:nth-child(-n + 2) { text-align: left; }
.bflo-results small { display: inline-block; min-width: 4em; font-size: 0.85em; text-align: left; }
"""


def _html(table: Table) -> str:
    esc = html.escape
    parts = [f"<style>\n{STYLE}</style>", f"<p><strong>{esc(table.title)}</strong></p>"]
    parts += [f"<p>{esc(part)}</p>" for part in _introduction(table)]
    for block in table.blocks:
        caption = esc(f"{_heading(table, block)}. {table.title}")
        heads = ["Learner", "Whose", *block.streams, *(["Rank"] if block.has_ranks else [])]
        parts += [
            f'<div class="bflo-results" role="region" aria-label="{caption}" tabindex="0"><table>',
            f"<caption>{caption}</caption>",
            "<thead><tr>" + "".join(f'<th scope="col">{esc(head)}</th>' for head in heads) + "</tr></thead>",
        ]
        errors = any(cell.error is not None for row in block.rows for cell in row.cells)
        for learner, lines in _groups(block).items():
            parts.append("<tbody>")
            name = f'<th scope="rowgroup" rowspan="{len(lines)}">{esc(learner)}</th>'
            for line in lines:
                cells = [_html_number(number, errors) for number in line.numbers]
                cells += [esc(line.rank)] if block.has_ranks else []
                tail = "".join(f"<td>{cell}</td>" for cell in cells)
                parts.append(f'<tr>{name if line is lines[0] else ""}<th scope="row">{line.whose}</th>{tail}</tr>')
            parts.append("</tbody>")
        parts.append("</table></div>")
    parts += ["<ul>", *(f"<li>{esc(sentence)}</li>" for sentence in sentences(table, "Bold")), "</ul>"]
    return "\n".join(parts) + "\n"


def _html_number(number: _Number, errors: bool) -> str:
    """A number and its error; where others of the block have one, its place is kept, so that numbers stay aligned."""
    text = number.text.replace("-", "−")
    text = f"<strong>{text}</strong>" if number.best else text
    return f"{text} <small>{f'± {number.error}' if number.error else ''}</small>" if errors else text


# Learners compared


def render_pairs(comparisons: Iterable[Sequence[Pair]]) -> str:
    """What `paired` gave, for one measure or several, as text: a block for each, and what the numbers mean."""
    comparisons = [pairs for pairs in comparisons if pairs]
    if not comparisons:
        return "There is no run that both learners have.\n"
    unpaired = max(sum(pair.unpaired for pair in pairs) for pairs in comparisons)
    notes = [
        "Below zero the first of the two made fewer mistakes, above zero the second. In each run both saw the same "
        "rows in the same order, so what made a run hard cancels in the difference. ± is its standard error; an "
        "interval that includes 0 leaves open which of them is better.",
        *([f"Runs that only one of the two has are left out: {unpaired}."] if unpaired else []),
    ]
    return "\n\n".join([*map(_pairs, comparisons), "\n".join(map(_wrapped, notes))]) + "\n"


def _pairs(pairs: Sequence[Pair]) -> str:
    first, second = pairs[0].first, pairs[0].second
    heads = ["", "difference", "95 % interval", f"{first} better", f"{second} better", "equal", "runs"]
    rows = []
    for pair in pairs:
        where = f"{pair.stream}, {100 * pair.noise:g} % flipped" if pair.noise else pair.stream
        difference, interval = f"{pair.difference:+.2f}", _NOTHING
        if not math.isnan(pair.error):
            difference, interval = f"{difference} ±{pair.error:.2f}", f"{pair.low:+.2f} to {pair.high:+.2f}"
        rows.append([where, difference, interval, pair.first_better, pair.second_better, pair.ties, pair.runs])
    grid = tabulate(rows, heads, disable_numparse=True, colalign=["left", *["right"] * 6])
    return f"{_MEASURES[pairs[0].measure]} of {first} minus that of {second}, in points of percent\n{grid}"


# What a table says in words, the same in every format


def _introduction(table: Table) -> list[str]:
    """What the experiment is in the paper, and how it was done."""
    return [text for text in (f"In the paper: {EXPERIMENTS[table.experiment]}.", table.about) if text]


def _heading(table: Table, block: Block) -> str:
    return f"{_MEASURES[block.measure]} (%){_flipped(table, block.noise, ', ')}"


def _flipped(table: Table, noise: float, link: str) -> str:
    """The share of wrong labels, after a link; nothing where all runs have none."""
    share = f"{100 * noise:g} % of labels flipped" if noise else "no labels flipped"
    return "" if table.noise == (0.0,) else link + share


def sentences(table: Table, mark: str) -> list[str]:
    """How far the table is from the paper, what is missing, and what its signs mean."""
    texts = [_deviations(table, measure) for measure in paper.MEASURES if table.deviations(measure)]
    if not any(block.has_paper for block in table.blocks):
        texts.append("The paper has no numbers for these streams and learners.")
    texts.append(_missing(table))
    if len(table.codes) > 1:
        texts.append(f"These runs were made by {len(table.codes)} versions of the code: {_listed(table.codes)}.")
    if table.mixed_data:
        texts.append(f"Not all runs had the same rows of {_listed(table.mixed_data)}: make these runs anew.")
    if table.left_out:
        runs = _count(table.left_out, "run")
        texts.append(f"{runs} of this protocol's name, but made with other settings: left out.")
    return [*texts, _signs(table, mark), *_ranks(table)]


def _deviations(table: Table, measure: str) -> str:
    farthest = max(table.deviations(measure), key=lambda deviation: abs(deviation.value))
    means = [(table.mean_deviation(measure, noise), noise) for noise in table.noise]
    parts = [f"{mean:.2f}{_flipped(table, noise, ' with ')}" for mean, noise in means if mean is not None]
    shares = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    where = f" on {farthest.stream}" if len(table.streams) > 1 else ""
    return (
        f"{_MEASURES[measure]}: our {_count(len(table.deviations(measure)), 'number')} differ from the paper's by "
        f"{table.mean_deviation(measure):.2f} points on average{shares}, and most for {farthest.learner}{where}"
        f"{_flipped(table, farthest.noise, ' with ')}: {farthest.value:+.2f}."
    )


def _missing(table: Table) -> str:
    if not table.found:
        return f"None of the {_count(table.expected, 'run')} is here yet."
    if not table.gaps and not table.missing_streams and not table.missing_learners:
        more = f", and {table.found - table.expected} more" if table.found > table.expected else ""
        return f"All {_count(table.expected, 'run')} are here, {table.runs} for each number{more}."
    text = f"{table.found} of {_count(table.expected, 'run')} are here."
    if table.missing_streams:
        text += f" There are none on {_listed(table.missing_streams)}: bflo data says how to get a missing stream."
    if table.missing_learners:
        text += f" There are none of {_listed(table.missing_learners)}."
    if table.gaps:
        places = [
            f"{learner} on {stream}{_flipped(table, noise, ' with ')} ({runs})"
            for (stream, learner, noise), runs in table.gaps.items()
        ]
        text += f" Fewer than {table.runs}: {_listed(places)}."
    return text


def _signs(table: Table, mark: str) -> str:
    cells = [cell for block in table.blocks for row in block.rows for cell in row.cells]
    both = ", in the paper's numbers and in ours" if any(cell.paper is not None for cell in cells) else ""
    text = f"{mark}: smallest error of its column{both}."
    if any(cell.error is not None for cell in cells):
        text += " ±: standard error of our mean over runs."
    return text if all(cell.runs for cell in cells) else f"{text} {_NOTHING}: no runs."


def _ranks(table: Table) -> list[str]:
    blocks = [block for block in table.blocks if block.has_ranks]
    if not blocks:
        return []
    text = "Rank: mean place over the streams, 1 is best, by the numbers shown; equal numbers share the average of "
    text += "their places."
    if any(row.rank_differs for block in blocks for row in block.rows):
        text += " In brackets: the rank that follows from the paper's numbers, where it is not the printed one."
    if not any(block.ranked_learners for block in blocks):
        return [f"{text} There are too few runs for ranks of ours."]
    streams = [name for name in table.streams if any(name not in block.ranked_streams for block in blocks)]
    learners = [name for name in table.learners if any(name not in block.ranked_learners for block in blocks)]
    if streams:
        text += f" Ours are without {_listed(streams)}, as not all learners have runs there."
    if learners:
        text += f" Not ranked, as the paper does not have them or they have no runs: {_listed(learners)}."
    return [text]


def _count(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more
