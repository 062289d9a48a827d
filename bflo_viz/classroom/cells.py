"""A cell of a lesson as HTML: text, code, what it printed and drew, and explorers that need no Python."""

import base64
import html
import itertools
import json
import re
import struct
from collections.abc import Iterable, Iterator
from typing import Any

import bleach
import traitlets
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.filters.ansi import strip_ansi

from bflo_viz.classroom import widgets
from bflo_viz.classroom.lesson import Cell
from bflo_viz.classroom.markdown import Link, Warn, code, markdown
from bflo_viz.classroom.pages import asset, template
from bflo_viz.explorers.old_base import MIME, Explorer
from bflo_viz.explorers.bet import ANSWERED
from bflo_viz.explorers.old_page import as_script, script, style_sheet
from bflo_viz.lessons.betting import open_bet
from bflo_viz.lessons.exercises import BOOK

PICTURES = ("image/png", "image/svg+xml", "image/jpeg", "image/gif", "image/webp")
_WORDS = {"text/plain", "text/html", "text/markdown", "text/latex", "application/json"}
_WITH_CONTENT = re.compile(r"<(script|style|template|noscript)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_LEFT_OUT = re.compile(r"<(script|iframe|object|embed|form|input|svg|canvas|video|audio)\b", re.IGNORECASE)
_TAGS = """
    a abbr b blockquote br caption center cite code col colgroup dd del details div dl dt em figcaption figure font
    h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strike strong sub summary sup table tbody
    td tfoot th thead tr tt u ul
"""
_ATTRIBUTES = """
    align alt aria-label border colspan dir height href lang role rowspan scope span start style tabindex title width
"""


def styles() -> str:
    """The style sheet of cells and explorers; it follows ``class="bflo-themed"`` and ``data-theme`` of the root."""
    return style_sheet() + asset("cells.css")


def scripts() -> str:
    """The script that brings the explorers of a page to life; to be loaded after them, or deferred."""
    return script({name: kind._view for name, kind in widgets().items()}) + asset("cells.js")


def explorers_in(cell: Cell) -> list[type[Explorer]]:
    """The classes of the explorers that a cell shows."""
    return [kind for output in cell.outputs if (kind := _explorer(output))]


def to_html(cell: Cell, *, link: Link = str, within: int = 0, warn: Warn = lambda _: None) -> str:
    """A cell as HTML, with its pictures in it; ``warn`` hears what is not shown as it was meant, and where it is."""
    warned: set[str] = set()

    def warn_once(words: str) -> None:
        if words not in warned:
            warn(f"{cell.place}: {words}.")
        warned.add(words)

    try:
        if cell.kind == "markdown":
            pictures = {"attachments": cell.attachments, "path": str(cell.folder)}
            return markdown(cell.source, link=link, within=within, warn=warn_once, **pictures)
        if cell.kind == "raw":
            return _text(cell.source) + "\n"
        if cell.exercise and BOOK[cell.exercise].options:
            return _bet(cell.exercise)
        shown = [code(cell.source, cell.language)] if cell.source else []
        if shown and cell.source_hidden:
            shown = [f'<details class="hidden-code"><summary>The code of this step</summary>\n{shown[0]}</details>']
        shown += filter(None, (_output(output, warn_once) for output in cell.outputs))
        return "\n".join(shown) + "\n"
    except Exception as problem:
        raise ValueError(f"{cell.place} cannot be shown ({type(problem).__name__}: {problem}).") from problem


def folded(cells: Iterable[tuple[Cell, str]]) -> Iterator[str]:
    """The HTML of cells, those that give an answer away in a fold: a bet opens it, a verdict is opened by hand."""
    for answers, group in itertools.groupby(cells, key=lambda pair: pair[0].answers):
        text = "".join(shown for _, shown in group)
        claims = all(number in BOOK and BOOK[number].kind == "claim" for number in answers)
        yield template("fold.html").render(bets=answers, claims=claims, text=text) if answers else text


def _bet(number: str) -> str:
    """A bet, alive without Python; where no script runs, its options."""
    bet = open_bet(BOOK[number])
    bet.close()
    options = ", ".join(f"“{html.escape(option)}”" for option in BOOK[number].options)
    state = as_script(bet.on_page())
    start = f'<div class="bflo-alive" data-explorer="{bet._name()}"><script type="application/json">{state}</script>'
    return f'{start}<p class="bflo-still">Your bet: {options}?</p></div>\n'


def _output(output: dict[str, Any], warn: Warn) -> str:
    """One output as HTML; the first of its forms that a page can show."""
    if output.get("output_type") == "error":
        lines = output.get("traceback") or [f"{output.get('ename', '')}: {output.get('evalue', '')}"]
        return _text("\n".join(lines))
    if "text" in output:
        return _text(output["text"])
    data = output.get("data", {})
    if ANSWERED in data:
        return ""  # what a check said of an empty stub is of no use to whoever cannot run it
    if explorer := _explorer(output):
        try:
            state = as_script(explorer.page_of(data[MIME]))
            still = f'<p class="bflo-still">{html.escape(str(data.get("text/plain", "")).partition(". ")[2])}</p>'
            if data.keys() & set(PICTURES):  # until the script runs, and in print
                still = _picture(output, warn, kind="bflo-still")
            start = f'<div class="bflo-alive" data-explorer="{explorer._view.parent.name}">'
            return f'{start}<script type="application/json">{state}</script>{still}</div>'
        except (KeyError, TypeError, traitlets.TraitError) as problem:
            warn(f"an explorer cannot be made again ({problem}): this is its picture")
    if data.keys() & set(PICTURES):
        return f'<figure class="output">{_picture(output, warn)}</figure>'
    if "text/html" in data and (shown := safe(str(data["text/html"]), warn=warn).strip()):
        return f'<div class="output results">{shown}</div>'
    for form in ("text/markdown", "text/latex"):
        if form in data:
            return f'<div class="output results">{markdown(str(data[form]), warn=warn)}</div>'
    if others := sorted(data.keys() - _WORDS):
        warn(f"{', '.join(others)} cannot be shown in a page: its words are")
    return _text(data.get("text/plain") or json.dumps(data.get("application/json", ""), indent=1).strip('"'))


def _picture(output: dict[str, Any], warn: Warn, *, kind: str = "") -> str:
    """The picture of an output; if it has no alt text, with the words that stand for it in a terminal."""
    data = output["data"]
    mime = next(mime for mime in PICTURES if mime in data)
    about = output.get("metadata", {}).get(mime, {})
    alt = about.get("alt")
    words = html.escape(str(alt or data.get("text/plain") or "a picture"))
    try:
        content = str(data[mime]).encode() if mime == "image/svg+xml" else base64.b64decode(data[mime])
    except ValueError:
        warn("a picture is damaged: run the cell again")
        return words
    size = ""
    if content.startswith(b"\x89PNG") and len(content) >= 24:  # so that the page does not jump when it is drawn
        width, height = struct.unpack(">II", content[16:24])
        shown = about.get("width")  # less than its pixels, if it is to be sharp
        scale = shown / width if isinstance(shown, int) and 0 < shown < width else 1
        size = f' width="{round(scale * width)}" height="{round(scale * height)}"'
    if not alt:
        warn("a picture has no words for those who cannot see it: give its figure an alt text")
    address = f"data:{mime};base64,{base64.b64encode(content).decode()}"
    return f'<img class="{kind}" src="{address}"{size} alt="{words}">'


def safe(text: str, *, warn: Warn) -> str:
    """HTML of an output without scripts, and without what asks anything of another host."""
    if left_out := {name.lower() for name in _LEFT_OUT.findall(text)}:
        warn(f"HTML of an output was shown without its {', '.join(sorted(left_out))}")
    rules: Any = {"tags": frozenset(_TAGS.split()), "attributes": _allowed, "css_sanitizer": CSSSanitizer()}
    protocols = {"http", "https", "mailto", "data"}
    return str(bleach.clean(_WITH_CONTENT.sub("", text), **rules, protocols=protocols, strip=True))


def _allowed(_: str, name: str, value: str) -> bool:
    if name == "class":
        return "bflo-alive" not in value  # where the script of a page looks for explorers
    if name == "src":
        return bool(re.match(r"data:image/(png|jpeg|gif|webp);base64,", value))
    if name == "href":
        return bool(re.match(r"(https?:|mailto:|#)", value))
    return name in _ATTRIBUTES.split()


def _text(words: object) -> str:
    return f'<pre class="output scroll">{html.escape(strip_ansi(str(words)))}</pre>' if words else ""


def _explorer(output: dict[str, Any]) -> type[Explorer] | None:
    """The class of the explorer that an output shows; or none."""
    record = output.get("data", {}).get(MIME)
    name = record.get("explorer") if isinstance(record, dict) else None
    return next((kind for kind in widgets().values() if kind.__name__ == name), None)
