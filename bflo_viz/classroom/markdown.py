"""Markdown as HTML, formulas as MathML, code in colours: a browser draws all of it without a script."""

import functools
import html
import itertools
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pygments
from latex2mathml.converter import convert
from mistune.plugins.formatting import strikethrough
from mistune.plugins.table import table
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_by_name

from bflo_viz.classroom.symbols import symbols_in

Link = Callable[[str], str]
Warn = Callable[[str], object]
_MATHML = re.compile(
    "math|menclose|merror|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|msqrt|"
    "mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none"
)
_REFUSED = frozenset(("class", "href", "id", "style"))  # LaTeX can ask for these attributes
_AS_WRITTEN = '<code class="latex">'
_PRIMES = ("′", "″", "‴")
_SIGNS, _CLOSING = tuple("−+±"), tuple(")]}|!")
_OPERATORS = {"±": "±", "⟹": "⟹", "⟺": "⟺", "~": "∼", ":": ":"}  # the converter takes these for letters
_FOLD = re.compile(r"<details>\s*<summary>[^<>&]*</summary>|</details>")
_PHONE = 24  # characters of LaTeX that fit on a phone


def markdown(text: str, *, link: Link = str, within: int = 0, warn: Warn = lambda _: None, **pictures: Any) -> str:
    """Markdown of a notebook as HTML, read as Jupyter reads it; HTML in it is shown as text, but for folds.

    Addresses go through ``link``, and headings stand ``within`` levels lower. Pictures are embedded if they are among
    the ``attachments`` of the cell or in the folder ``path``. ``warn`` hears what is not shown as it was meant.
    """
    reader = MarkdownWithMath(_Renderer(link, within, warn, **pictures), plugins=[table, strikethrough])
    return str(reader.render(text))


@functools.cache
def formula(latex: str, *, display: bool = False) -> str:
    """LaTeX as MathML, which browsers draw and screen readers read; what has no MathML is shown as it is written."""
    label = re.search(r"\\tag\{(.*?)\}", latex)
    text = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\!", "")  # browsers know no negative space
    text = text.replace("{aligned}", "{align*}").strip()  # the converter knows only the second name
    try:
        root = ElementTree.fromstring(convert(text, xmlns="", display="block" if display else "inline"))
        _as_in_print(root)
        drawn = ElementTree.tostring(root, encoding="unicode")
    except Exception:  # the converter raises many kinds, the parser another, and deep nesting one more
        drawn = f"{_AS_WRITTEN}{html.escape(latex)}</code>"
    if not display:  # a browser does not break formulas: on a phone, long ones scroll
        return f'<span class="long scroll">{drawn}</span>' if len(latex) > _PHONE else drawn
    number = f'<span class="tag">({html.escape(label[1])})</span>' if label else ""
    return f'<div class="formula scroll">{drawn}{number}</div>'


def _as_in_print(row: ElementTree.Element) -> None:
    """Give letters, primes and operators the shapes and spaces that they have in print; refuse what is no MathML."""
    text = row.text or ""
    if not _MATHML.fullmatch(row.tag) or _REFUSED.intersection(row.keys()) or re.search(r"\\[A-Za-z]", text):
        raise ValueError(f"{row.tag} cannot be drawn")
    for part in row:
        _as_in_print(part)
    if row.tag == "mi" and text in _OPERATORS:
        row.tag, row.text = "mo", _OPERATORS[text]
    elif row.tag == "mi" and len(text) == 1 and "Α" <= text <= "Ω":
        row.set("mathvariant", "normal")
    elif text == "∞":
        row.tag = "mi"
    elif text == "*":
        row.text = "∗"
    elif text in ("|", "/"):
        row.attrib |= {"lspace": "0", "rspace": "0"}
    elif row.tag in ("msup", "msubsup"):
        _set_prime(row)
    for before, part in itertools.pairwise(row):
        if part.tag == "mo" and part.text in _SIGNS and before.tag == "mo" and before.text not in _CLOSING:
            part.set("form", "prefix")
        if before.tag in ("mi", "mo") and re.fullmatch("[a-z]{2,}", before.text or ""):  # log a, but log(a)
            before.tag = "mo"
            before.attrib |= {"lspace": "0.167em", "rspace": "0" if part.text == "(" else "0.167em"}


def _set_prime(power: ElementTree.Element) -> None:
    """Put a prime beside its letter: fonts draw it raised, so as an exponent it would be raised twice."""
    base, *_, exponent = power
    parts = list(exponent) or [exponent]
    if parts[0].text not in _PRIMES:
        return
    letter = power[0] = ElementTree.Element("mrow")
    letter.append(base)
    flat = ElementTree.SubElement(letter, "mpadded", height="0")  # the prime does not lift what else is an exponent
    ElementTree.SubElement(flat, "mo", lspace="0", rspace="0").text = parts[0].text
    if len(parts) > 1:
        exponent.remove(parts[0])
    else:
        power.remove(exponent)
        power.tag = "msub" if power.tag == "msubsup" else "mrow"


@functools.cache
def code(source: str, language: str = "python") -> str:
    """Code as HTML with a class for each kind of word, in a box that scrolls; plain, if the language is not known."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ValueError:
        lexer = TextLexer(stripnl=False)
    words = pygments.highlight(source, lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<pre class="code scroll"><code>{words}</code></pre>'


class _Renderer(IPythonRenderer):
    def __init__(self, link: Link, within: int, warn: Warn, **pictures: Any) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, embed_images=True, **pictures)
        self._link, self._within, self._warn = link, within, warn

    def inline_math(self, body: str, *, display: bool = False) -> str:
        drawn = formula(body.strip(), display=display)
        if _AS_WRITTEN in drawn:
            self._warn(f"a formula cannot be drawn and is shown as it is written: {_short(body)}")
        letters = " ".join(symbols_in(body))
        return drawn.replace("<math ", f'<math data-symbols="{letters}" ', 1) if letters else drawn

    def block_math(self, body: str) -> str:
        return self.inline_math(body, display=True)

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(rf"\begin{{{name}}}{body}\end{{{name}}}")

    def paragraph(self, text: str) -> str:
        """Words and displayed formulas, which HTML does not allow in a paragraph of words."""
        parts = re.split(r'(<div class="formula.*?</div>)', text, flags=re.DOTALL)
        return "".join(
            part if part.startswith("<div") else f"<p>{part.strip()}</p>\n" for part in parts if part.strip()
        )

    def inline_html(self, html: str) -> str:
        self._warn(f"HTML in a text is shown as it is written: {_short(html)}")
        return self.text(html)

    def block_html(self, html: str) -> str:
        """HTML as text, but for a fold: what stands between its two tags is Markdown."""
        if _FOLD.fullmatch(html.strip()):
            return f"{html.strip()}\n"
        return f"<p>{self.inline_html(html.strip())}</p>\n"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if not text:
            self._warn(f"a picture has no words for those who cannot see it: {_short(url)}")
        try:
            embedded = super().image(text, unquote(url), title)
        except InvalidNotebook:
            embedded = ""
        if ' src="data:image/' in embedded:
            return embedded
        self._warn(f"a picture is only linked, since it is not beside the notebook: {_short(url)}")
        return super().link(text or url, url, title)

    def heading(self, text: str, level: int, **_: Any) -> str:
        level = min(max(level + self._within, 1), 6)
        words = html.unescape(re.sub(r"<[^>]+>", "", text)).casefold()
        name = re.sub(r"\W+", "-", words).strip("-")
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return super().link(text, self._link(url), title)

    def table(self, text: str) -> str:
        text = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", text)  # an empty corner is the head of nothing
        return f'<div class="table scroll"><table>\n{text}</table></div>\n'

    def block_code(self, code_text: str, info: str | None = None) -> str:
        language = ((info or "").split() or ["text"])[0]
        return code(code_text, language) + "\n"


def _short(text: str) -> str:
    return " ".join(text.split())[:60]
