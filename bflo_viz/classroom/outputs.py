"""What running a cell left, as HTML: pictures, tables, words and errors, whoever made them, but no scripts."""

import base64
import hashlib
import html
import json
import re
import struct
from collections.abc import Callable
from typing import Any

from bflo_viz.classroom.markdown import Warn, markdown
from bflo_viz.classroom.needs import need

bleach = need("bleach")
css = need("bleach.css_sanitizer")

Keep = Callable[[str, bytes], str]  # puts a file with this name beside the pages, and gives its address
PICTURES = {"image/png": "png", "image/svg+xml": "svg", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp"}
_WORDS = {"text/plain", "text/html", "text/markdown", "text/latex", "application/json"}
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # of a terminal
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
_STYLES = css.CSSSanitizer()


def to_html(output: dict[str, Any], *, keep: Keep, warn: Warn) -> str:
    """One output as HTML; what cannot be shown is told to ``warn``."""
    if output.get("output_type") == "error":
        lines = output.get("traceback") or [f"{output.get('ename', '')}: {output.get('evalue', '')}"]
        return _text("\n".join(lines))
    if "text" in output:
        return _text(str(output["text"]))
    data = output.get("data", {})
    if PICTURES.keys() & data.keys():
        return f'<figure class="output">{picture(output, keep=keep, warn=warn)}</figure>'
    if "text/html" in data and (shown := safe(str(data["text/html"]), warn=warn).strip()):
        return f'<div class="output results">{shown}</div>'
    for kind in ("text/markdown", "text/latex"):
        if kind in data:
            return f'<div class="output results">{markdown(str(data[kind]), picture=lambda _: "", warn=warn)}</div>'
    if others := sorted(data.keys() - _WORDS):
        warn(f"{', '.join(others)} cannot be shown in a page: its words are")
    return _text(str(data.get("text/plain") or json.dumps(data.get("application/json", ""), indent=1).strip('"')))


def picture(output: dict[str, Any], *, keep: Keep, warn: Warn, kind: str = "") -> str:
    """The picture of an output, kept as a file; if nobody gave it words, those that stand for it in a terminal."""
    data = output["data"]
    mime = next(one for one in PICTURES if one in data)
    alt = output.get("metadata", {}).get(mime, {}).get("alt")
    try:
        content = str(data[mime]).encode() if mime == "image/svg+xml" else base64.b64decode(data[mime])
    except ValueError:
        warn("a picture is damaged: run the cell again")
        return html.escape(str(alt or data.get("text/plain") or "a picture"))
    size = ""
    if content.startswith(b"\x89PNG") and len(content) >= 24:  # so that a page need not jump when it comes
        size = ' width="{}" height="{}"'.format(*struct.unpack(">II", content[16:24]))
    address = keep(f"figures/{hashlib.sha256(content).hexdigest()[:12]}.{PICTURES[mime]}", content)
    if not alt:
        warn("a picture has no words for those who cannot see it: give its figure an alt text")
        alt = data.get("text/plain") or "a picture"
    return f'<img class="{kind}" src="{address}"{size} alt="{html.escape(str(alt))}" loading="lazy">'


def safe(text: str, *, warn: Warn) -> str:
    """HTML of an output without scripts, and without what asks anything of another host."""
    if found := {name.lower() for name in _LEFT_OUT.findall(text)}:
        warn(f"HTML of an output was shown without its {', '.join(sorted(found))}")
    text = _WITH_CONTENT.sub("", text)
    cleaned = bleach.clean(
        text,
        tags=frozenset(_TAGS.split()),
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        css_sanitizer=_STYLES,
        strip=True,
    )
    return str(cleaned)


def _allowed(_: str, name: str, value: str) -> bool:
    if name == "class":
        return "bflo-alive" not in value  # where the script of a page looks for explorers
    if name == "src":
        return bool(re.match(r"data:image/(png|jpeg|gif|webp);base64,", value))
    if name == "href":
        return bool(re.match(r"(https?:|mailto:|#)", value))
    return name in _ATTRIBUTES.split()


def _text(words: str) -> str:
    return f'<pre class="output scroll">{html.escape(_COLOURS.sub("", words))}</pre>' if words else ""
