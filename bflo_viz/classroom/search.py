"""What can be searched for: the sections of all pages as text, in a script that a page loads when it is needed."""

import html
import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

_LEFT_OUT = re.compile(r"<(script|pre|button|figure|style)\b.*?</\1>|<img\b[^>]*>", re.DOTALL)  # code is not searched
_HEADING = re.compile(r'<h[23] id="([^"]*)">(.*?)</h[23]>', re.DOTALL)
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_RAISED = str.maketrans("0123456789+−-T⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵀᵀ")
_ACCENTS = str.maketrans({"~": "\N{COMBINING TILDE}", "^": "\N{COMBINING CIRCUMFLEX ACCENT}"})
_TAG = re.compile(r"<[^>]*>")


class Section(NamedTuple):
    """A part of a page: where it is, the title of its page, its heading, and its words."""

    address: str
    page: str
    heading: str
    words: str


def sections(address: str, page: str, body: str) -> Iterator[Section]:
    """The sections of a page: what stands before the first heading, and then what stands below each."""
    start, *parts = _HEADING.split(_LEFT_OUT.sub(" ", _without_answers(body)))
    yield Section(address, page, "", _words(start))
    for name, heading, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        yield Section(f"{address}#{name}", page, _words(heading), _words(text))


def index(all_sections: list[Section]) -> bytes:
    """The script that has them all."""
    text = json.dumps([list(section) for section in all_sections], ensure_ascii=False, separators=(",", ":"))
    return f"bflo.sections = {text};\n".encode()


def _without_answers(body: str) -> str:
    """A page without what a bet folds: whoever searches has not answered it yet."""
    kept, depth = [], 0
    for part in re.split(r"(<details\b[^>]*>|</details>)", body):
        if part.startswith("<details") and (depth or 'class="fold"' in part):  # there are folds within
            depth += 1
        if not depth:
            kept.append(part)
        if part == "</details>" and depth:
            depth -= 1
    return " ".join(kept)


def _words(part: str) -> str:
    part = _MATH.sub(lambda math: html.escape(_in_line(ElementTree.fromstring(math[0]))), part)
    # Letters of a formula stand side by side, but words of two cells of a table do not.
    spaced = re.sub(r"</(p|li|td|th|h\d|div|summary)>", " ", part)
    return " ".join(html.unescape(_TAG.sub("", spaced)).split())


def _in_line(math: ElementTree.Element) -> str:
    """A formula as one would write it in a line: a² and not a2, u/v and not uv."""
    parts = [_in_line(part) for part in math]
    if math.tag in ("msup", "msubsup"):
        parts[-1] = parts[-1].translate(_RAISED)
    elif math.tag == "mover":
        parts[-1] = parts[-1].translate(_ACCENTS)
    return (math.text or "") + ("/" if math.tag == "mfrac" else "").join(parts)
