"""The course as web pages: to be read and moved from any server or disk, with no Python and no network."""

import html
import itertools
import re
from collections.abc import Callable
from pathlib import Path

from bflo_viz.classroom.cells import ASSETS, explorers_in, scripts, styles, title, to_html
from bflo_viz.classroom.folder import fill, ours
from bflo_viz.classroom.lesson import Lesson, lessons
from bflo_viz.classroom.markdown import Warn, markdown
from bflo_viz.classroom.outputs import Keep
from bflo_viz.explorers.page import HERE, policy
from bflo_viz.lessons.exercise import BOOK

COURSE = "Belief flows"
_ROW = re.compile(r"^\| \[.*?\]\((\w+)\.ipynb\) \| (.*?) \| (\d+) \|$", re.MULTILINE)
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth")
_LIVE = markdown(
    "This is the course to read and to move: explorers live in the page. Running code, having answers checked and "
    "filling tables with new runs need Python: in the folder of the course, `make lab` (or `bflo lab`) opens it live."
)


def build(out: Path, *, tell: Callable[[str], None]) -> Path:
    """Write the pages into a folder, one a lesson, and give that of the first page."""
    ours(out)  # before all the work
    files: dict[str, bytes] = {}

    def keep(name: str, content: bytes) -> str:
        files[name] = content
        return name

    course = lessons()
    for i, lesson in enumerate(course):
        before, after = course[i - 1] if i else None, course[i + 1] if i + 1 < len(course) else None
        name = f"{lesson.slug}.html"
        body = _lesson(lesson, keep, tell) + _turn(before, after)
        keep(name, _page(f"{lesson.number} {lesson.title}", _contents(lesson), body))
        tell(f"{name}  {len(files[name]) / 1000:.0f} kB")
    keep("index.html", _page("the course", "", _index(course)))
    keep("course.css", (styles() + _asset("site.css")).encode())
    keep("course.js", (scripts() + _asset("site.js")).encode())
    keep("theme.js", _asset("theme.js").encode())
    fill(out, files)
    size = sum(map(len, files.values())) / 1e6
    tell(f"{out / 'index.html'} opens the course; {len(files)} files, {size:.1f} MB.")
    return out / "index.html"


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _page(title: str, contents: str, body: str) -> bytes:
    filled = {"TITLE": html.escape(f"{title} · {COURSE}"), "COURSE": COURSE, "CONTENTS": contents, "BODY": body}
    filled["POLICY"] = policy(*HERE)
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found[1]], _asset("site.html")).encode()


def _lesson(lesson: Lesson, keep: Keep, warn: Warn) -> str:
    shown = (to_html(cell, keep=keep, warn=warn) for cell in lesson.cells)
    hints = (_hints(cell.exercise) if cell.exercise else "" for cell in lesson.cells)
    text = "".join(itertools.chain.from_iterable(zip(shown, hints, strict=True)))
    if not text.startswith("<h1"):
        text = f"<h1>{html.escape(lesson.title)}</h1>\n{text}"
    heading, rest = text.split("\n", 1)
    return f'<p class="lesson">Lesson {lesson.number}</p>\n{heading}\n<div class="live">{_LIVE}</div>\n{rest}'


def _hints(exercise: str) -> str:
    """What ``hint`` would say, one hint at a time; no solution."""
    hints = zip(_ORDINALS, BOOK.find(exercise).hints, strict=False)
    told = (f"<details><summary>{nth} hint</summary>{markdown(text)}</details>\n" for nth, text in hints)
    return f'<div class="hints">\n{"".join(told)}</div>\n'


def _contents(lesson: Lesson) -> str:
    """The sections of a page."""
    text = "\n".join(cell.source for cell in lesson.cells if cell.kind == "markdown")
    found = (markdown(words) for words in re.findall(r"^## .*", text, re.MULTILINE))
    items = "".join(re.sub(r'<h2 id="(.*?)">(.*)</h2>', r'<li><a href="#\1">\2</a></li>', one) for one in found)
    return (
        '<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>\n'
        f"<ul>\n{items}</ul></details></nav>\n"
    )


def _turn(before: Lesson | None, after: Lesson | None) -> str:
    """Links to the lessons before and after."""
    found = [("prev", "Before", before), ("next", "Next", after)]
    links = [
        f'<a rel="{rel}" href="{one.slug}.html"><small>{word}</small> {one.number} {html.escape(one.title)}</a>'
        for rel, word, one in found
        if one
    ]
    return f'<nav class="turn" aria-label="Lessons before and after">{"".join(links)}</nav>\n'


def _index(course: list[Lesson]) -> str:
    """The first page: what the course is about, and its lessons."""
    start = course[0]
    about = "\n\n".join(start.cells[0].source.split("\n\n")[1:-1]) if start.cells else ""  # no title, no aim
    rows = {slug: (says, minutes) for cell in start.cells for slug, says, minutes in _ROW.findall(cell.source)}
    rows[start.slug] = ("what one update does to a belief, before anything is explained", "10")
    items = []
    for one in course:
        says, minutes = rows.get(one.slug, ("", ""))  # the table of the course knows only its own
        lasts = f'<span class="quiet">{minutes} minutes</span>' if minutes else ""
        inside = dict.fromkeys(title(name) for cell in one.cells for name in explorers_in(cell))
        moved = f'<p class="quiet">To move: {"; ".join(inside)}</p>' if inside else ""
        items.append(
            f'<li><a href="{one.slug}.html"><span class="number">{one.number}</span> {html.escape(one.title)}</a> '
            f"{lasts}\n{markdown(says)}{moved}</li>\n"
        )
    return (
        f"<h1>{COURSE}, hands on</h1>\n{markdown(about)}"
        f'<div class="live">{_LIVE}</div>\n<h2 id="lessons">The lessons</h2>\n'
        f'<p>After each of them you can say:</p>\n<ol class="map">\n{"".join(items)}</ol>\n'
    )
