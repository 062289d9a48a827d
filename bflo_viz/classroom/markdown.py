"""Markdown as HTML, its formulas as MathML, its code in colours: all that a browser draws without any script."""

import functools
import html
import itertools
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from bflo_viz.classroom.needs import need

mistune = need("mistune")
converter = need("latex2mathml.converter")
pygments = need("pygments")
formatters = need("pygments.formatters")
lexers = need("pygments.lexers")

Link = Callable[[str], str]
# Both may go over the end of a line, as in notebooks; a line of a formula may begin like one of a list.
_BLOCK = r"^\$\$(?P<display>[^$]+)\$\$[ \t]*(?:\n|$)"
_INLINE = r"\$(?!\s)(?P<inline>[^$]*[^$\s])\$"
_SIGNS, _CLOSING = tuple("−+±"), tuple(")]}|!")
_SHORT = 24  # letters of LaTeX that fit on a phone
_NOTEBOOK = re.compile(r"^([\w-]+)\.ipynb(#.*)?$")


def to_page(address: str) -> str:
    """The address of a lesson's page, for that of its notebook; other addresses as they are.

    >>> to_page("02_one_dimension.ipynb"), to_page("https://example.org")
    ('02_one_dimension.html', 'https://example.org')
    """
    return _NOTEBOOK.sub(r"\1.html\2", address)


def markdown(text: str, *, link: Link = to_page, within: int = 0) -> str:
    """Markdown of a notebook as HTML.

    Addresses go through ``link``. Headings get an ``id`` made of their words, and stand ``within`` levels lower.
    """
    read = mistune.create_markdown(renderer=_Renderer(link, within), plugins=["table", "strikethrough", _math])
    return str(read(text))


def heading_id(words: str) -> str:
    """The ``id`` of a heading with these words (Markdown or HTML).

    >>> heading_id("3 · What `stretch` does")
    '3-what-stretch-does'
    """
    plain = html.unescape(re.sub(r"<[^>]+>", "", words)).casefold()
    return re.sub(r"\W+", "-", plain).strip("-")


@functools.cache
def formula(latex: str, *, display: bool = False) -> str:
    """LaTeX as MathML, which browsers draw by themselves, and screen readers read."""
    label = re.search(r"\\tag\{(.*?)\}", latex)
    text = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\!", "")  # which MathML of browsers does not know
    drawn = _spaced(converter.convert(text.strip(), xmlns="", display="block" if display else "inline"))
    if not display:  # a browser does not break formulas: on a phone, long ones scroll
        return f'<span class="long scroll">{drawn}</span>' if len(latex) > _SHORT else drawn
    number = f'<span class="tag">({html.escape(label[1])})</span>' if label else ""
    return f'<div class="formula scroll">{drawn}{number}</div>'


def _spaced(drawn: str) -> str:
    """MathML whose signs, bars and strokes stand close to what they belong to, as in print."""
    root = ElementTree.fromstring(drawn)
    for row in root.iter():
        for before, sign in itertools.pairwise(row):
            if sign.tag == "mo" and sign.text in _SIGNS and before.tag == "mo" and before.text not in _CLOSING:
                sign.set("form", "prefix")
        for one in row:
            if one.text in ("|", "/"):
                one.attrib |= {"lspace": "0", "rspace": "0"}
            elif one.text == "⟺":
                one.tag = "mo"
    return ElementTree.tostring(root, encoding="unicode")


@functools.cache
def code(source: str, language: str = "python") -> str:
    """Code as HTML with a class for each kind of word, in a box that scrolls."""
    lexer = lexers.get_lexer_by_name(language, stripnl=False)
    words = pygments.highlight(source, lexer, formatters.HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<pre class="code scroll"><code>{words}</code></pre>'


def _math(reader: Any) -> None:
    """Add formulas to a Markdown reader."""

    def block(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "display_formula", "raw": found["display"]})
        return found.end()

    def inline(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "formula", "raw": found["inline"]})
        return found.end()

    reader.block.register("display_formula", _BLOCK, block, before="list")
    reader.inline.register("formula", _INLINE, inline, before="codespan")


class _Renderer(mistune.HTMLRenderer):  # type: ignore[misc, name-defined]
    def __init__(self, link: Link, within: int) -> None:
        super().__init__(escape=True)
        self._link, self._within = link, within

    def formula(self, text: str) -> str:
        return formula(text)

    def display_formula(self, text: str) -> str:
        return formula(text, display=True) + "\n"

    def heading(self, text: str, level: int, **_: Any) -> str:
        level += self._within
        return f'<h{level} id="{heading_id(text)}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return str(super().link(text, self._link(url), title))

    def table(self, text: str) -> str:
        return f'<div class="table scroll"><table>\n{text}</table></div>\n'

    def block_code(self, code_text: str, info: str | None = None) -> str:
        return code(code_text, info or "text") + "\n"
