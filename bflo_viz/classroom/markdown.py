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
Warn = Callable[[str], object]
# They may go over the end of a line, as in notebooks; a line of a formula may begin like one of a list.
_BLOCK = r"^\$\$(?P<display>[^$]+)\$\$[ \t]*(?:\n|$)"
_ENVIRONMENT = r"^(?P<whole>\\begin\{(?P<kind>\w+\*?)\}[\s\S]*?\\end\{(?P=kind)\})[ \t]*(?:\n|$)"
_INLINE = r"\$\$(?P<between>[^$]+)\$\$|\$(?!\s)(?P<inline>[^$]*[^$\s])\$"
_MATHML = re.compile(
    "math|menclose|merror|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|msqrt|"
    "mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none"
)
_NOT_DRAWN = frozenset(("class", "href", "id", "style"))  # what LaTeX may ask for, but not here
AS_WRITTEN = '<code class="latex">'
_SIGNS, _CLOSING = tuple("−+±"), tuple(")]}|!")
_SHORT = 24  # letters of LaTeX that fit on a phone
_NOTEBOOK = re.compile(r"^([\w-]+)\.ipynb(#.*)?$")


def to_page(address: str) -> str:
    """The address of a lesson's page, for that of its notebook; other addresses as they are.

    >>> to_page("02_one_dimension.ipynb"), to_page("https://example.org")
    ('02_one_dimension.html', 'https://example.org')
    """
    return _NOTEBOOK.sub(r"\1.html\2", address)


def markdown(
    text: str, *, link: Link = to_page, within: int = 0, picture: Link = str, warn: Warn = lambda _: None
) -> str:
    """Markdown of a notebook as HTML.

    Addresses go through ``link``, those of pictures through ``picture``, which gives none for what cannot be shown.
    Headings get an ``id`` made of their words, and stand ``within`` levels lower. What is shown as it is written,
    since it cannot be drawn, is told to ``warn``.
    """
    renderer = _Renderer(link, within, picture, warn)
    read = mistune.create_markdown(renderer=renderer, plugins=["table", "strikethrough", _math])
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
    """LaTeX as MathML, which browsers draw by themselves, and screen readers read; or as it is, if it has no form."""
    label = re.search(r"\\tag\{(.*?)\}", latex)
    text = re.sub(r"\\tag\{.*?\}", "", latex).replace(r"\!", "")  # which MathML of browsers does not know
    text = text.replace("{aligned}", "{align*}").strip()  # the same, but known to the converter
    try:
        drawn = _spaced(converter.convert(text, xmlns="", display="block" if display else "inline"))
    except Exception:  # the converter raises many kinds, the parser another, and deep nesting one more
        drawn = f"{AS_WRITTEN}{html.escape(latex)}</code>"
    if not display:  # a browser does not break formulas: on a phone, long ones scroll
        return f'<span class="long scroll">{drawn}</span>' if len(latex) > _SHORT else drawn
    number = f'<span class="tag">({html.escape(label[1])})</span>' if label else ""
    return f'<div class="formula scroll">{drawn}{number}</div>'


def _spaced(drawn: str) -> str:
    """MathML whose signs, bars and strokes stand close to what they belong to, as in print; nothing but MathML."""
    root = ElementTree.fromstring(drawn)
    for row in root.iter():
        if (
            not _MATHML.fullmatch(row.tag)
            or _NOT_DRAWN.intersection(row.keys())
            or re.search(r"\\[A-Za-z]", row.text or "")
        ):
            raise ValueError(f"{row.tag} cannot be drawn")
        for before, sign in itertools.pairwise(row):
            if sign.tag == "mo" and sign.text in _SIGNS and before.tag == "mo" and before.text not in _CLOSING:
                sign.set("form", "prefix")
        for one in row:
            if one.text in ("|", "/"):
                one.attrib |= {"lspace": "0", "rspace": "0"}
            elif one.text == "⟺":
                one.tag = "mo"
    return ElementTree.tostring(root, encoding="unicode")


def has_colours(language: str) -> bool:
    """Whether the words of a language are known.

    >>> has_colours("python"), has_colours("mermaid?")
    (True, False)
    """
    try:
        return bool(lexers.get_lexer_by_name(language))
    except ValueError:
        return False


@functools.cache
def code(source: str, language: str = "python") -> str:
    """Code as HTML with a class for each kind of word, in a box that scrolls."""
    lexer = lexers.get_lexer_by_name(language if has_colours(language) else "text", stripnl=False)
    words = pygments.highlight(source, lexer, formatters.HtmlFormatter(nowrap=True)).rstrip("\n")
    return f'<pre class="code scroll"><code>{words}</code></pre>'


def _math(reader: Any) -> None:
    """Add formulas to a Markdown reader."""

    def block(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "display_formula", "raw": found["display"]})
        return found.end()

    def environment(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "display_formula", "raw": found["whole"]})
        return found.end()

    def inline(_: Any, found: re.Match[str], state: Any) -> int:
        state.append_token({"type": "formula", "raw": found["between"] or found["inline"]})
        return found.end()

    reader.block.register("display_formula", _BLOCK, block, before="list")
    reader.block.register("environment", _ENVIRONMENT, environment, before="list")
    reader.inline.register("formula", _INLINE, inline, before="codespan")


class _Renderer(mistune.HTMLRenderer):  # type: ignore[misc, name-defined]
    def __init__(self, link: Link, within: int, picture: Link, warn: Warn) -> None:
        super().__init__(escape=True)
        self._link, self._within, self._picture, self._warn = link, within, picture, warn

    def formula(self, text: str, display: bool = False) -> str:
        drawn = formula(text, display=display)
        if AS_WRITTEN in drawn:
            self._warn(f"a formula cannot be drawn, and is shown as it is written: {' '.join(text.split())[:60]}")
        return drawn

    def display_formula(self, text: str) -> str:
        return self.formula(text, display=True) + "\n"

    def inline_html(self, html: str) -> str:
        self._warn(f"HTML in a text is shown as it is written: {' '.join(html.split())[:60]}")
        return str(super().inline_html(html))

    def block_html(self, html: str) -> str:
        self._warn(f"HTML in a text is shown as it is written: {' '.join(html.split())[:60]}")
        return str(super().block_html(html))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if not text:
            self._warn(f"a picture has no words for those who cannot see it: {url[:60]}")
        address = self._picture(url)
        return str(super().image(text, address, title) if address else super().link(text or url, url, title))

    def heading(self, text: str, level: int, **_: Any) -> str:
        level = min(max(level + self._within, 1), 6)
        return f'<h{level} id="{heading_id(text)}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return str(super().link(text, self._link(url), title))

    def table(self, text: str) -> str:
        return f'<div class="table scroll"><table>\n{text}</table></div>\n'

    def block_code(self, code_text: str, info: str | None = None) -> str:
        language = (info or "text").split()[0] if (info or "text").split() else "text"
        if not has_colours(language):
            self._warn(f"'{language[:60]}' is no language whose words are known: shown without colours")
        return code(code_text, language) + "\n"
