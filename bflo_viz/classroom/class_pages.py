"""What ``bflo serve --class`` adds to the pages that it hands out: a script for bets, and the instructor's page."""

import json
import re
from collections.abc import Collection, Mapping

from bflo_viz.classroom.votes import Bet

_NOTES = re.compile(r'(<aside class="notes" hidden>)(.*?)(</aside>)', re.DOTALL)
_ADDED = '<link rel="stylesheet" href="/class/class.css">\n<script src="/class/class.js" defer></script>\n</head>'
_NOTHING = "default-src 'none';"
_OWN_HOST = f"{_NOTHING} connect-src 'self';"  # votes are sent, and to nobody else


def bets() -> list[Bet]:
    """The bets of the course, in its order."""
    from bflo_viz.classroom.markdown import (
        markdown,  # large, and not kept while pages are served
    )
    from bflo_viz.lessons.exercises import BOOK

    return [
        Bet(number, one.title, markdown(one.prompt), tuple(one.options), one.right_option)
        for number, one in sorted(BOOK.items())
        if one.options
    ]


def own_pages() -> tuple[list[Bet], dict[str, bytes]]:
    """The bets, and the files of the class by their addresses: the instructor's page, and what all pages load."""
    from bflo_viz.classroom import cells, pages
    from bflo_viz.explorers.old_page import HERE, policy

    found = bets()
    rule = policy(*HERE).replace(_NOTHING, _OWN_HOST)
    page = pages.template("class.html").render(policy=rule, styles=cells.styles(), bets=found)
    files = {"index.html": page, "class.js": pages.asset("class.js"), "class.css": pages.asset("class.css")}
    return found, {f"/class/{name}": text.encode() for name, text in files.items()}


def joined(page: bytes) -> tuple[bytes, list[str]]:
    """A page with the script of the class, and without what only the speaker may read; and that apart."""
    text = page.decode("utf-8")
    notes = [found[2] for found in _NOTES.finditer(text)]
    text = _NOTES.sub(r"\1\3", text)
    return text.replace(_NOTHING, _OWN_HOST, 1).replace("</head>", _ADDED, 1).encode(), notes


def places(pages: Mapping[str, bytes], numbers: Collection[str]) -> bytes:
    """Where each bet is, as JSON: the address of its page, and the last place with a name before its heading."""
    found: dict[str, str] = {}
    for address, page in sorted(pages.items()):
        text = page.decode("utf-8")
        for number in numbers:
            before, heading, _ = text.partition(f"Exercise {number} ·")
            names = re.findall(r'\bid="([^"]+)"', before) if heading else []
            if names:
                found.setdefault(number, f"{address}#{names[-1]}")
    return json.dumps(dict(sorted(found.items()))).encode()
