"""Tables as text, Markdown, LaTeX and HTML."""

import html
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bflo_viz import _checks as check
from bflo_viz.experiments.statistics import Pair
from bflo_viz.experiments.tables import Block, Cell, Row, Table
from bflo_viz.experiments.wording import heading, labels, sentences

FORMATS = ("text", "markdown", "latex", "html")
WIDTH = 100  # columns of a text
_NOTHING = "–"
_DEVIATION = "off by"


def render(table: Table, form: str = "text") -> str:
    """The whole table in one of the `FORMATS`, with a few sentences on what it shows and what is missing."""
    check.choice("form", form, FORMATS)
    return {"text": _text, "markdown": _markdown, "latex": _latex, "html": _html}[form](table)


@dataclass(frozen=True)
class _Shown:
    """What a cell shows: a number, whether it is the best of its column, and its standard error."""

    number: str = ""
    best: bool = False
    error: str = ""


@dataclass(frozen=True)
class _Line:
    """A line of a block: the paper's numbers, ours, or the difference."""

    name: str
    kind: str
    cells: tuple[_Shown, ...]
    rank: str = ""


def _groups(block: Block) -> Iterator[list[_Line]]:
    """The lines of each learner, and of the largest standard errors."""
    best = {whose: block.best(whose) for whose in ("paper", "ours")}

    def shown(row: Row, whose: str) -> tuple[_Shown, ...]:
        return tuple(
            _Shown(_number(getattr(cell, whose)), (row.learner, stream) in best[whose], _error(cell, whose))
            for stream, cell in zip(block.streams, row.cells, strict=True)
        )

    for row in block.rows:
        ours = _Line(row.learner, "ours", shown(row, "ours"), _rank(row.rank, block.has_ranks))
        if all(cell.paper is None for cell in row.cells):
            yield [ours]
            continue
        differences = tuple(_Shown(_signed(cell.deviation)) for cell in row.cells)
        yield [
            _Line(row.learner, "paper", shown(row, "paper"), _printed_rank(row)),
            ours,
            *([_Line(row.learner, _DEVIATION, differences)] if any(cell.number for cell in differences) else []),
        ]
    if block.largest:
        there = [[row.cells[place].error for row in block.rows] for place in range(len(block.streams))]
        ours_largest = [max((error for error in column if error is not None), default=None) for column in there]
        printed = tuple(_Shown(_number(block.largest.get(name))) for name in block.streams)
        ours_shown = tuple(_Shown(_number(error)) for error in ours_largest)
        known = any(error is not None for error in ours_largest)
        yield [_Line("largest ±", "paper", printed), *([_Line("largest ±", "ours", ours_shown)] if known else [])]


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.2f}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _error(cell: Cell, whose: str) -> str:
    return f"{cell.error:.2f}" if whose == "ours" and cell.error is not None else ""


def _rank(rank: float | None, wanted: bool) -> str:
    return (_NOTHING if rank is None else f"{rank:.1f}") if wanted else ""


def _printed_rank(row: Row) -> str:
    if row.printed_rank is None:
        return ""
    recomputed = f" ({row.recomputed_rank:.1f})" if row.rank_differs else ""
    return f"{row.printed_rank:.1f}{recomputed}"


# Text


def _text(table: Table) -> str:
    about = [part for part in (labels(table), table.about) if part]
    parts = [table.title, *(_wrapped(part) for part in about)]
    text = "\n".join(parts) + "\n"
    names = [line.name for block in table.blocks for group in _groups(block) for line in group]
    for block in table.blocks:
        pieces = _text_block(block, max(map(len, names), default=0) + 2)
        text += f"\n{heading(table, block)}\n" + "\n\n".join(pieces) + "\n"
    return text + "\n" + "\n".join(_wrapped(sentence) for sentence in sentences(table, "*")) + "\n"


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def _text_block(block: Block, name: int) -> list[str]:
    """The block, cut into several where its streams do not fit beside one another."""
    groups = list(_groups(block))
    kind = max([len(line.kind) for group in groups for line in group], default=0)
    columns = []
    for place, stream in enumerate(block.streams):
        cells = [line.cells[place] for group in groups for line in group]
        number = max([5, *(len(cell.number) for cell in cells)])
        errors = max((len(cell.error) for cell in cells), default=0)
        tail = 1 + (2 + errors if errors else 0)  # the mark; a blank, the sign and the error
        texts = [f"{cell.number:>{number}}" + _tail(cell).ljust(tail) for cell in cells]
        columns.append([stream.ljust(number + tail), *texts])
    if block.has_ranks:
        columns.append(["Rank", *(line.rank for group in groups for line in group)])
    heads = ["".ljust(name + kind)]
    heads += [
        (line.name if first else "").ljust(name) + line.kind.ljust(kind)
        for group in groups
        for first, line in ((line is group[0], line) for line in group)
    ]
    starts = {
        sum(len(group) for group in groups[:place])
        for place in range(1, len(groups))
        if len(groups[place - 1]) > 1 or len(groups[place]) > 1
    }
    pieces = []
    for some in _fitting(columns, name + kind):
        widths = [max(len(text) for text in column) for column in some]
        lines = [
            (head + "".join("  " + column[place].ljust(width) for column, width in zip(some, widths, strict=True)))
            for place, head in enumerate(heads)
        ]
        rule = "-" * max(len(line.rstrip()) for line in lines)
        body = [
            ("\n" if place in starts else "") + line.rstrip()
            for place, line in enumerate(lines[1:])
            if any(column[place + 1].strip() for column in some)
        ]
        pieces.append("\n".join([lines[0].rstrip(), rule, *body]))
    return pieces


def _tail(cell: _Shown) -> str:
    return ("*" if cell.best else " ") + (f" ±{cell.error}" if cell.error else "")


def _fitting(columns: list[list[str]], taken: int) -> list[list[list[str]]]:
    """Columns in as few groups as fit into the width."""
    groups: list[list[list[str]]] = [[]]
    width = taken
    for column in columns:
        wide = 2 + max(len(text.rstrip()) for text in column)
        if groups[-1] and width + wide > WIDTH:
            groups.append([])
            width = taken
        groups[-1].append(column)
        width += 2 + max(len(text) for text in column)
    return groups


def render_pairs(comparisons: Iterable[Sequence[Pair]]) -> str:
    """What `paired` gave, for one measure or several, as text: a block for each, and what the numbers mean."""
    there = [pairs for pairs in comparisons if pairs]
    if not there:
        return "There is no run that both learners have.\n"
    unpaired = max(sum(pair.unpaired for pair in pairs) for pairs in there)
    notes = [
        "Below zero the first of the two made fewer mistakes, above zero the second. In each run both saw the same "
        "rows in the same order, so what made a run hard cancels in the difference. ± is its standard error; an "
        "interval that includes 0 leaves open which of them is better.",
        *([f"Runs that only one of the two has are left out: {unpaired}."] if unpaired else []),
    ]
    return "\n\n".join([*map(_pairs, there), "\n".join(map(_wrapped, notes))]) + "\n"


def _pairs(pairs: Sequence[Pair]) -> str:
    first, second = pairs[0].first, pairs[0].second
    measure = {"online": "Online error", "final": "Final error"}.get(pairs[0].measure, "Final error by the mean")
    rows = [["", "difference", "95 % interval", f"{first} better", f"{second} better", "equal", "runs"]]
    for pair in pairs:
        where = f"{pair.stream}, {100 * pair.noise:g} % flipped" if pair.noise else pair.stream
        known = not math.isnan(pair.error)
        numbers = [f"{pair.difference:+.2f}" + (f" ±{pair.error:.2f}" if known else "")]
        numbers += [f"{pair.low:+.2f} to {pair.high:+.2f}" if known else _NOTHING]
        rows.append([where, *numbers, *map(str, (pair.first_better, pair.second_better, pair.ties, pair.runs))])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        (row[0].ljust(widths[0]) + "".join("  " + one.rjust(w) for one, w in zip(row[1:], widths[1:], strict=True)))
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join([f"{measure} of {first} minus that of {second}, in points of percent", *lines])


# Markdown


def _markdown(table: Table) -> str:
    parts = [f"**{_md(table.title)}**", *(_md(part) for part in (labels(table), table.about) if part)]
    for block in table.blocks:
        head = ["learner", "", *block.streams, *(["rank"] if block.has_ranks else [])]
        rules = ["---", "---", *["---:"] * (len(head) - 2)]
        lines = [[_md(text) for text in head], rules]
        for group in _groups(block):
            for line in group:
                cells = [_md_cell(cell) for cell in line.cells]
                name = _md(line.name) if line is group[0] else ""
                lines.append([name, line.kind, *cells, *([line.rank] if block.has_ranks else [])])
        parts.append(f"**{heading(table, block)}**")
        parts.append("\n".join("| " + " | ".join(line) + " |" for line in lines))
    parts.append("\n".join(f"- {_md(sentence)}" for sentence in sentences(table, "Bold")))
    return "\n\n".join(parts) + "\n"


def _md(text: str) -> str:
    return "".join(f"\\{one}" if one in "\\`*_[]<>|#~" else one for one in " ".join(text.split()))


def _md_cell(cell: _Shown) -> str:
    number = f"**{cell.number}**" if cell.best else cell.number
    return number + (f" ± {cell.error}" if cell.error else "")


# LaTeX

_TEX = {
    **{one: f"\\{one}" for one in "%&#_{}$"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "±": r"$\pm$", "–": "--", "…": r"\dots{}"},
    **{"×": r"$\times$", "−": "$-$", "σ": r"$\sigma$", "[": "{[}", "]": "{]}"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(one, one) for one in " ".join(text.split()))


def _latex(table: Table) -> str:
    parts = [rf"% {_tex(table.title)}. Needs \usepackage{{booktabs}}."]
    for block in table.blocks:
        columns = len(block.streams) + block.has_ranks
        head = ["", "", *map(_tex, block.streams), *(["Rank"] if block.has_ranks else [])]
        lines = [" & ".join(head) + r" \\"]
        for group in _groups(block):
            lines.append(r"\midrule")
            for line in group:
                name = _tex(line.name) if line is group[0] else ""
                rank = [_tex(line.rank)] if block.has_ranks else []
                lines.append(" & ".join([name, line.kind, *map(_tex_cell, line.cells), *rank]) + r" \\")
        parts += [
            r"\begin{table*}",
            r"\centering\scriptsize\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{_tex(f'{table.title}. {heading(table, block)}.')}}}",
            rf"\begin{{tabular}}{{ll{'r' * columns}}}",
            *(r"\toprule", *lines, r"\bottomrule"),
            *(r"\end{tabular}", r"\end{table*}"),
        ]
    about = [part for part in (table.about, *sentences(table, "Bold")) if part]
    return "\n".join([*parts, "", *map(_tex, about)]) + "\n"


def _tex_cell(cell: _Shown) -> str:
    if not cell.number or cell.number == _NOTHING:
        return _tex(cell.number)
    number = rf"\mathbf{{{cell.number}}}" if cell.best else cell.number
    return f"${number}" + (rf" \pm {cell.error}$" if cell.error else "$")


# HTML

STYLE = """\
.bflo-table { overflow-x: auto; margin-block: 1em; }
.bflo-table table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.bflo-table caption { text-align: start; font-weight: bold; padding-block: 0.4em; }
.bflo-table th, .bflo-table td { padding: 0.15em 0.7em; text-align: right; white-space: nowrap; }
.bflo-table th { text-align: left; font-weight: normal; vertical-align: top; }
.bflo-table thead th { text-align: right; font-weight: bold; }
.bflo-table thead { border-block: 2px solid currentColor; }
.bflo-table tbody { border-block-end: 1px solid currentColor; }
.bflo-table thead th:nth-child(-n + 2) { text-align: left; }
.bflo-table small { display: inline-block; min-width: 4em; font-size: 0.85em; text-align: left; }
"""


def _html(table: Table) -> str:
    parts = [f"<style>\n{STYLE}</style>", f"<p><strong>{_esc(table.title)}</strong></p>"]
    parts += [f"<p>{_esc(part)}</p>" for part in (labels(table), table.about) if part]
    for block in table.blocks:
        caption = _esc(f"{heading(table, block)}. {table.title}")
        head = "".join(f'<th scope="col">{_esc(name)}</th>' for name in block.streams)
        head += '<th scope="col">Rank</th>' if block.has_ranks else ""
        parts += [
            f'<div class="bflo-table" role="region" aria-label="{caption}" tabindex="0"><table>',
            f"<caption>{caption}</caption>",
            f'<thead><tr><th scope="col">Learner</th><th scope="col">Whose</th>{head}</tr></thead>',
        ]
        errors = any(cell.error for group in _groups(block) for line in group for cell in line.cells)
        for group in _groups(block):
            parts.append("<tbody>")
            for line in group:
                name = (
                    f'<th scope="rowgroup" rowspan="{len(group)}">{_esc(line.name)}</th>' if line is group[0] else ""
                )
                cells = "".join(f"<td>{_html_cell(cell, errors)}</td>" for cell in line.cells)
                cells += f"<td>{_esc(line.rank)}</td>" if block.has_ranks else ""
                parts.append(f'<tr>{name}<th scope="row">{line.kind}</th>{cells}</tr>')
            parts.append("</tbody>")
        parts.append("</table></div>")
    parts += ["<ul>", *(f"<li>{_esc(sentence)}</li>" for sentence in sentences(table, "Bold")), "</ul>"]
    return "\n".join(parts) + "\n"


def _esc(text: str) -> str:
    return html.escape(text)


def _html_cell(cell: _Shown, errors: bool) -> str:
    """A number and its error; where others of the block have one, its place is kept, so that numbers stay aligned."""
    number = html.escape(cell.number).replace("-", "−")
    number = f"<strong>{number}</strong>" if cell.best else number
    error = f"± {cell.error}" if cell.error else ""
    return f"{number} <small>{error}</small>" if errors else number
