"""The course as web pages: to be read and moved from any server or disk, with no Python and no network."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bflo_viz.classroom.cells import explorers_in, folded, scripts, styles, to_html
from bflo_viz.classroom.lesson import Cell, Lesson, lessons
from bflo_viz.classroom.markdown import Warn, markdown
from bflo_viz.classroom.pages import PageFolder, asset, template
from bflo_viz.lessons.exercises import BOOK

_COURSE = "Belief flows"
_AIM = re.compile(r"\*\*Aim\*\* (.*?)\s+\*\*.*\*\*Time\*\* (\d+) minutes", re.DOTALL)
_ROW = re.compile(r"^\| \[.*?\]\((\w+)\.ipynb\) \| (.*?) \| (\d+) \|$", re.MULTILINE)  # of the table of lessons


def build(out: Path, *, tell: Callable[[str], None]) -> Path:
    """Write the pages into a folder, one for each lesson, and give the path of the first page."""
    pages, course = PageFolder(out), lessons()
    neighbours = zip([None, *course], course, [*course[1:], None], strict=False)
    for before, lesson, after in neighbours:
        name = f"{lesson.slug}.html"
        values = {"title": f"{lesson.number} {lesson.title}", "before": before, "after": after}
        pages.add(name, "site.html", course=_COURSE, lesson=lesson, **values, **_text_of(lesson, tell))
        tell(f"{name}  {len(pages.files[name]) / 1000:.0f} kB")
    pages.add("index.html", "site_index.html", title="the course", course=_COURSE, **_index(course))
    pages.add("bets.html", "site_bets.html", title="your bets", course=_COURSE, **_bets(course))
    pages.files["course.css"] = (styles() + asset("site.css")).encode()
    pages.files["course.js"] = (scripts() + asset("site.js") + asset("bets.js")).encode()
    pages.files["theme.js"] = asset("theme.js").encode()
    tell(f"{out / 'index.html'} opens the course; {pages.write()}.")
    return out / "index.html"


def to_page(address: str) -> str:
    """The address of a lesson's page, for that of its notebook; other addresses as they are.

    >>> to_page("02_one_dimension.ipynb#limits"), to_page("https://example.org/a.ipynb")
    ('02_one_dimension.html#limits', 'https://example.org/a.ipynb')
    """
    return re.sub(r"^([\w-]+)\.ipynb(#.*)?$", r"\1.html\2", address)


def _text_of(lesson: Lesson, warn: Warn) -> dict[str, Any]:
    """The heading of a lesson, its sections by their ids, and the rest of its text."""
    text = "".join(folded((cell, to_html(cell, link=to_page, warn=warn) + _hints(cell)) for cell in lesson.cells))
    if not text.startswith("<h1"):
        text = f"<h1>{html.escape(lesson.title)}</h1>\n{text}"
    heading, body = text.split("\n", 1)
    return {"heading": heading, "body": body, "sections": re.findall(r'<h2 id="(.*?)">(.*)</h2>', body)}


def _hints(cell: Cell) -> str:
    """What ``hint`` would say, one hint at a time; no solution."""
    hints = BOOK[cell.exercise].hints if cell.exercise else ()
    is_bet = bool(cell.exercise and BOOK[cell.exercise].options)
    return template("hints.html").render(hints=map(markdown, hints), is_bet=is_bet) if hints else ""


def _bets(course: list[Lesson]) -> dict[str, Any]:
    """All bets, each with the page of its lesson, for whoever looks back."""
    pages = {lesson.number: f"{lesson.slug}.html" for lesson in course}
    bets = [(one, pages[one.number[:2]]) for one in BOOK.values() if one.options and one.number[:2] in pages]
    return {"bets": bets, "first": bets[0][1] if bets else "index.html"}


def _index(course: list[Lesson]) -> dict[str, Any]:
    """What the course is about, and for each lesson what one learns in it, how long it takes, and what moves."""
    start = course[0]
    about = "\n\n".join(start.cells[0].source.split("\n\n")[1:-1]) if start.cells else ""  # no title, no aim
    rows = {slug: (says, minutes) for cell in start.cells for slug, says, minutes in _ROW.findall(cell.source)}
    rows[start.slug] = ("what one update does to a belief, before anything is explained", "10")
    listed = []
    for lesson in course:
        says, minutes = rows.get(lesson.slug) or _own_words(lesson)
        explorers = dict.fromkeys(kind._title for cell in lesson.cells for kind in explorers_in(cell))
        listed.append((lesson, markdown(says), minutes, list(explorers)))
    return {"about": markdown(about, link=to_page), "lessons": listed}


def _own_words(lesson: Lesson) -> tuple[str, str]:
    """What a lesson that is not in the table of the first one says of itself: its aim, and its time."""
    found = _AIM.search(lesson.cells[0].source) if lesson.cells else None
    return (found[1], found[2]) if found else ("", "")
