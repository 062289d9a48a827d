"""Slides of the lessons: decks that run from a disk, cut out of the notebooks by their slide tags.

Besides its ``slide_type`` a cell may say under ``slideshow`` what it ``shows``. For Markdown that is a list of
``first`` and ``last`` (paragraph), ``formulas``, ``lists`` and ``tables``; a heading is always shown, and the rest is
for the speaker. For code it is ``code`` or ``output``; if nothing is said, a picture comes without its code.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bflo_viz.classroom import cells
from bflo_viz.classroom.lesson import Cell, Lesson, lessons
from bflo_viz.classroom.markdown import Link, Warn, code, markdown
from bflo_viz.classroom.pages import PageFolder, asset
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import explained, remarks

_KINDS = {"#": "heading", "$": "formulas", "|": "tables", "-": "lists", "*": "lists", "1": "lists"}
_QUESTIONS = "**Three questions.** "


def build(out: Path, numbers: Sequence[str] = (), *, tell: Callable[[str], None]) -> None:
    """Write the decks of these lessons, or of all, and an index."""
    pages, course = PageFolder(out), lessons()
    chosen = lessons([number.zfill(2) for number in numbers])
    slugs = {lesson.slug for lesson in chosen}

    def link(address: str) -> str:
        """The deck of a notebook or, if it is not made, the list of decks."""
        slug, notebook, _ = address.partition(".ipynb")
        return address if not notebook else f"{slug}.html" if slug in slugs else "index.html"

    for lesson in chosen:
        after = next((other for other in course if other.number > lesson.number), None)
        deck = _Deck(lesson, link, tell)
        pages.add(f"{lesson.slug}.html", "slides.html", lesson=lesson, deck=deck, after=after, link=link)
        tell(f"{lesson.slug}.html  {deck.count} slides")
    pages.add("index.html", "slides_index.html", lessons=chosen)
    pages.files["slides.css"] = (cells.styles() + asset("slides.css")).encode()
    pages.files["slides.js"] = (cells.scripts() + asset("slides.js")).encode()
    tell(f"{out / 'index.html'} lists them; {pages.write()}.")


@dataclass
class _Slide:
    """One slide: its address in the deck, and as HTML what is on it and what only the speaker sees."""

    id: str
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Deck:
    """A lesson as HTML: its title and aim, the slides that its cells make, and the questions at its end."""

    def __init__(self, lesson: Lesson, link: Link, warn: Warn) -> None:
        self._link, self._warn = link, warn
        self._tagged = any(cell.slide for cell in lesson.cells)  # or else a slide begins at every heading
        self._heading = ""
        self._asked: set[str] = set()  # exercises of the slide
        first = lesson.cells[0].source if lesson.cells else ""
        titled = first.startswith(f"# {lesson.title}") and lesson.cells[0].kind == "markdown"
        about = first if titled else ""
        aim = " ".join(about.split()).partition("**Aim** ")[2].partition(" **You need**")[0]
        self.title, self.aim = self._inline(lesson.title), self._inline(aim)
        self.slides = [_Slide("title", notes=[self._markdown(about.partition("\n")[2])])]
        remark = remarks(f"# {lesson.title}")
        for n, cell in enumerate(lesson.cells):
            if n or not titled:
                self._add(cell)
            notes = self.slides[-1].notes
            if cell.exercise and (exercise := BOOK[cell.exercise]).solution:
                notes += [code(exercise.solution), self._markdown(explained(exercise))]
            if cell.id in remark:
                notes.insert(0, f'<div class="remark">{self._markdown(remark[cell.id])}</div>')
        blocks = [block for cell in lesson.cells for block, _ in _blocks(cell.source, None)]
        asked = next((block for block in reversed(blocks) if block.startswith(_QUESTIONS)), "")
        questions = re.split(r"(?<=\?)\s+", asked.removeprefix(_QUESTIONS)) if asked else []
        self.questions = [self._inline(question) for question in questions]
        self.count = len(self.slides) + bool(self.questions)

    def _add(self, cell: Cell) -> None:
        if cell.slide == "skip":
            return
        if cell.slide == "notes":
            self.slides[-1].notes.append(self._markdown(cell.source))
            return
        starts = cell.slide in ("slide", "subslide")
        if not self._tagged:
            starts = len(self.slides) == 1 or (cell.kind == "markdown" and cell.source.startswith("#"))
        if starts:
            self.slides.append(_Slide(cell.id))
            self._asked.clear()
        if cell.exercise:
            self._asked.add(cell.exercise)
        slide, shows, text = self.slides[-1], cell.metadata.get("slideshow", {}).get("shows"), ""
        if cell.kind == "markdown":
            blocks = list(_blocks(cell.source, shows))
            text = "\n\n".join(block for block, shown in blocks if shown)
            hidden = (block for block, shown in blocks if not shown and not block.startswith(_QUESTIONS))
            heading = re.match(r"## (.*)", text)
            self._heading = heading[1] if heading else self._heading
            # An exercise that has a slide of its own is its heading, not one below.
            drawn = self._html(replace(cell, source=text), within=-1 if starts and text.startswith("###") else 0)
            slide.notes.append(self._html(replace(cell, source="\n\n".join(hidden))))
        else:
            drawn = self._html(_code_or_output(cell, shows))
        if starts and not text.startswith("#"):
            slide.shown.append(f'<h2 class="again">{self._inline(self._heading)}</h2>')
        # A bet's answer is a step of its own.
        later = cell.slide == "fragment" or not self._asked.isdisjoint(cell.answers)
        slide.shown.append(f'<div class="fragment">{drawn}</div>' if later else drawn)

    def _html(self, cell: Cell, within: int = 0) -> str:
        return _no_ids(cells.to_html(cell, link=self._link, within=within, warn=self._warn))

    def _markdown(self, text: str) -> str:
        return _no_ids(markdown(text, link=self._link))

    def _inline(self, text: str) -> str:
        return self._markdown(text).strip().removeprefix("<p>").removesuffix("</p>")


def _no_ids(page: str) -> str:
    """Only slides have addresses here: notes, and headings that come again, would give one twice."""
    return re.sub(r'(<h\d) id="[^"]*"', r"\1", page)


def _code_or_output(cell: Cell, shows: list[str] | None) -> Cell:
    """What a slide shows of a cell of code; what was printed beside a picture or a table is for reading."""
    kinds = {*cells.PICTURES, "text/html"}
    drawn = [output for output in cell.outputs if kinds & output.get("data", {}).keys()]
    parts = shows or (["output"] if drawn else ["code", "output"])
    outputs = (drawn or cell.outputs) if "output" in parts else ()
    return replace(cell, source=cell.source if "code" in parts else "", outputs=outputs)


def _blocks(text: str, shows: Iterable[str] | None) -> Iterator[tuple[str, bool]]:
    """The paragraphs, formulas, lists and tables of a text, and whether a slide shows each of them."""
    blocks = re.split(r"\n\s*\n", text.strip())
    kinds = [_KINDS.get(block[:1], "paragraph") if not block.startswith("**") else "paragraph" for block in blocks]
    paragraphs = [n for n, kind in enumerate(kinds) if kind == "paragraph"]
    named = {"first": paragraphs[:1], "last": paragraphs[-1:]}
    for n, (block, kind) in enumerate(zip(blocks, kinds, strict=True)):
        wanted = shows is None or kind == "heading" or kind in shows
        yield block, wanted or any(n in named.get(word, ()) for word in shows or ())
