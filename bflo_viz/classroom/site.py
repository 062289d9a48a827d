"""The course as web pages: to be read and moved from any server or disk, with no Python and no network."""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bflo_viz.classroom import explorers, play, widgets
from bflo_viz.classroom.book import chapters, print_pdf
from bflo_viz.classroom.cells import explorers_in, folded, styles, to_html
from bflo_viz.classroom.lesson import Cell, Lesson, lessons
from bflo_viz.classroom.markdown import Warn, formula, markdown
from bflo_viz.classroom.pages import PageFolder, asset, template
from bflo_viz.classroom.search import Section, index, sections
from bflo_viz.classroom.symbols import symbols
from bflo_viz.explorers.old_page import as_script
from bflo_viz.lessons.exercises import BOOK

_COURSE = "Belief flows"
_SCRIPTS = ("site.js", "cells.js", "stages.js", "search.js", "letters.js", "progress.js", "bets.js")
_AIM = re.compile(r"\*\*Aim\*\* (.*?)\s+\*\*.*\*\*Time\*\* (\d+) minutes", re.DOTALL)
_ROW = re.compile(r"^\| \[.*?\]\((\w+)\.ipynb\) \| (.*?) \| (\d+) \|$", re.MULTILINE)  # of the table of lessons


def build(out: Path, *, book: bool = False, tell: Callable[[str], None]) -> Path:
    """Write the pages into a folder, one for each lesson, and give the path of the first page.

    With ``book`` there is one more page, with the whole course to be printed, and its PDF where a browser can print.
    """
    pages, course = PageFolder(out), lessons()
    texts = {lesson.number: _text_of(lesson, tell) for lesson in course}
    found: list[Section] = []
    common = {"course": _COURSE, "views": ()}
    for before, lesson, after in zip([None, *course], course, [*course[1:], None], strict=False):
        name, text = f"{lesson.slug}.html", texts[lesson.number]
        title = f"{lesson.number} {lesson.title}"
        views = _views_in(text["body"])
        values = common | {"title": title, "before": before, "after": after, "views": views}
        pages.add(name, "site.html", lesson=lesson, **values, **text)
        found += sections(name, title, text["body"])
        tell(f"{name}  {len(pages.files[name]) / 1000:.0f} kB")
    explained = _explained(course, texts)
    pages.add("symbols.html", "symbols.html", title="Symbols", symbols=explained, **common)
    found += [Section(f"symbols.html#{key}", "Symbols", one["name"], one["means"]) for key, one in explained.items()]
    play.add_pages(pages, course, **common)
    pages.add("bets.html", "site_bets.html", title="your bets", **common, **_bets(course))
    found += [Section(f"play/{name}.html", "Play", kind._title, kind._help) for name, kind in explorers().items()]
    front = _front(course)
    shown = [front["hero"].name]
    pages.add("index.html", "front.html", title="the course", **common | {"views": shown, "firsts": shown}, **front)
    pages.files |= play.scripts({name: kind._view for name, kind in widgets().items()})
    pages.files["course.css"] = (styles() + asset("site.css") + asset("front.css")).encode()
    pages.files["course.js"] = "".join(map(asset, _SCRIPTS)).encode()
    pages.files["theme.js"] = asset("theme.js").encode()
    pages.files["sections.js"] = index(found)
    pages.files["symbols.js"] = f"bflo.symbols = {as_script(explained)};\n".encode()
    if book:
        pages.add("book.html", "book.html", title="the whole course", lessons=chapters(course, texts), **common)
    tell(f"{out / 'index.html'} opens the course; {pages.write()}.")
    if book:
        print_pdf(out / "book.html", tell=tell)
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


def _views_in(body: str) -> list[str]:
    """The names of the explorers of a page."""
    return list(dict.fromkeys(re.findall(r'class="bflo-alive" data-explorer="(\w+)"', body)))


def _front(course: list[Lesson]) -> dict[str, Any]:
    """For each lesson what one learns in it, how long it takes, what moves, and which bets there are."""
    start = course[0]
    rows = {slug: (says, minutes) for cell in start.cells for slug, says, minutes in _ROW.findall(cell.source)}
    rows[start.slug] = ("what one update does to a belief, before anything is explained", _own_words(start)[1])
    moving = play.front()
    listed = []
    for lesson in course:
        says, minutes = rows.get(lesson.slug) or _own_words(lesson)
        kinds = dict.fromkeys(kind for cell in lesson.cells for kind in explorers_in(cell))
        bets = [cell.exercise for cell in lesson.cells if cell.exercise and BOOK[cell.exercise].kind == "predict"]
        card = {"lesson": lesson, "promise": markdown(says), "minutes": minutes, "bets": " ".join(bets)}
        known = explorers().items()
        moves = [(name, kind._title) for name, kind in known if kind in kinds]
        listed.append(card | {"explorers": moves, "stage": moving["cards"].get(lesson.number)})
    return {"lessons": listed, "hero": moving["hero"], "hero_words": moving["hero_words"]}


def _own_words(lesson: Lesson) -> tuple[str, str]:
    """What a lesson that is not in the table of the first one says of itself: its aim, and its time."""
    found = _AIM.search(lesson.cells[0].source) if lesson.cells else None
    return (found[1], found[2]) if found else ("", "")


def _explained(course: list[Lesson], texts: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What a page says of each symbol, by its id, with the section in which its lesson first has it."""
    numbers = {lesson.number: lesson for lesson in course}
    explained = {}
    for key, symbol in symbols().items():
        lesson = numbers.get(symbol.lesson)
        body = texts[symbol.lesson]["body"] if lesson else ""
        first = re.search(rf' data-symbols="(?:[^"]* )?{key}(?: [^"]*)?"', body)
        place = re.findall(r'<h2 id="(.*?)">', body[: first.start()])[-1:] if first else []
        address = f"{lesson.slug}.html#{''.join(place)}".removesuffix("#") if lesson else ""
        where = f"{lesson.number} {lesson.title}" if lesson else ""
        about = {"letter": formula(symbol.latex), "name": symbol.name, "means": symbol.means}
        explained[key] = about | {"address": address, "where": where, "only": symbol.only}
    return explained
