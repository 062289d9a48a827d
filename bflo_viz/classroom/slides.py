"""Slides of the lessons: reveal.js decks that run from a disk, cut out of the notebooks by their slide tags.

Besides its ``slide_type`` a cell may say under ``slideshow`` what it ``shows``. For Markdown that is a list of
``first`` and ``last`` (paragraph), ``formulas``, ``lists`` and ``tables``; a heading is always shown, and the rest is
for the speaker. For code it is ``code`` or ``output``; if nothing is said, a picture comes without its code.
"""

import html
import importlib.util
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from bflo_viz._advice import missing
from bflo_viz.classroom import cells
from bflo_viz.classroom.folder import fill, ours
from bflo_viz.classroom.lesson import Cell, Lesson, lessons
from bflo_viz.classroom.markdown import Warn, code, markdown
from bflo_viz.classroom.outputs import PICTURES, Keep
from bflo_viz.explorers.page import HERE, policy
from bflo_viz.lessons.exercise import BOOK
from bflo_viz.lessons.instructor import explained, remarks

_REVEAL = ("LICENSE", "dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js")
_KINDS = {"#": "heading", "$": "formulas", "|": "tables", "-": "lists", "*": "lists", "1": "lists"}
_QUESTIONS = "**Three questions.** "


def build(out: Path, wanted: list[str], *, tell: Callable[[str], None]) -> None:
    """Write the decks of these lessons, or of all, and an index, in place of what was written there before."""
    ours(out)  # before all the work
    course, chosen = lessons(), lessons([number.zfill(2) for number in wanted])
    files = {f"reveal/{path.name}": path.read_bytes() for path in _reveal()}
    allowed = policy(*HERE, inline=_speaker_script(files["reveal/notes.js"].decode()))

    def keep(name: str, content: bytes) -> str:
        files[name] = content
        return name

    for lesson in chosen:
        deck = _Deck(lesson, course, {one.slug for one in chosen}, keep, tell)
        page = _filled("slides.html", POLICY=allowed, TITLE=html.escape(lesson.title), SLIDES=deck.html())
        keep(f"{lesson.slug}.html", page)
        tell(f"{lesson.slug}.html  {len(deck.slides)} slides")
    links = (f'<li><a href="{one.slug}.html">{one.number} {html.escape(one.title)}</a></li>\n' for one in chosen)
    keep("index.html", _filled("slides_index.html", POLICY=policy(*HERE), LESSONS="".join(links)))
    keep("slides.css", (cells.styles() + _asset("slides.css")).encode())
    keep("slides.js", (cells.scripts() + _asset("slides.js")).encode())
    fill(out, files)
    tell(f"{out / 'index.html'} lists them; {len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB.")


@dataclass
class _Slide:
    """One slide: its address in the deck, whether it stands below the one before it, and what is on it."""

    name: str
    below: bool = False
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kind: str = ""

    def html(self) -> str:
        notes = f'<aside class="notes">\n{"".join(self.notes)}</aside>\n' if self.notes else ""
        return f'<section id="{self.name}" class="{self.kind}">\n{"".join(self.shown)}{notes}</section>\n'


class _Deck:
    """The slides of a lesson."""

    def __init__(self, lesson: Lesson, course: list[Lesson], there: set[str], keep: Keep, warn: Warn) -> None:
        self._lesson, self._keep, self._there, self._warn = lesson, keep, there, warn
        self._tagged = any(cell.slide for cell in lesson.cells)  # or else a slide begins at every heading
        self._next = next((one for one in course if one.number > lesson.number), None)
        self._heading = ""
        titled = [cell for cell in lesson.cells[:1] if cell.kind == "markdown" and cell.source.startswith("# ")]
        self.slides = [self._title(titled[0].source if titled else "")]
        said = remarks(f"# {lesson.title}")
        for cell in lesson.cells:
            if cell not in titled:
                self._add(cell)
            if cell.exercise and (exercise := BOOK.find(cell.exercise)).solution:
                self._note(code(exercise.solution) + "\n", self._markdown(explained(exercise)))
            if cell.id in said:
                self.slides[-1].notes.insert(0, f'<div class="remark">{self._markdown(said[cell.id])}</div>\n')
        self.slides += self._questions(lesson.cells[-1].source if lesson.cells else "")

    def html(self) -> str:
        """All sections; those of subslides stand within another one."""
        stacks: list[list[_Slide]] = []
        for slide in self.slides:
            if slide.below:
                stacks[-1].append(slide)
            else:
                stacks.append([slide])
        return "".join(_stacked([slide.html() for slide in stack]) for stack in stacks)

    def _add(self, cell: Cell) -> None:
        if cell.slide == "skip":
            return
        if cell.slide == "notes":
            self._note(self._markdown(cell.source))
            return
        headed = cell.kind == "markdown" and cell.source.startswith("#")
        starts = cell.slide in ("slide", "subslide") or (not self._tagged and (headed or len(self.slides) == 1))
        if starts:
            self.slides.append(_Slide(cell.id, below=cell.slide == "subslide"))
        slide = self.slides[-1]
        shows = cell.metadata.get("slideshow", {}).get("shows")
        if cell.kind == "markdown":
            blocks = list(_blocks(cell.source, shows))
            text = "\n\n".join(block for block, shown in blocks if shown)
            hidden = [block for block, shown in blocks if not shown and not block.startswith(_QUESTIONS)]
            found = re.match(r"## (.*)", text)
            self._heading = found[1] if found else self._heading
            # An exercise that has a slide of its own is its heading, not one below.
            drawn = self._cell(replace(cell, source=text), within=-1 if starts and text.startswith("###") else 0)
            self._note(self._cell(replace(cell, source="\n\n".join(hidden))))
        else:
            text, drawn = "", self._code(cell, shows)
            slide.kind = "explorer" if cells.explorers_in(cell) else slide.kind
        if starts and not text.startswith("#"):
            slide.shown.append(f'<h2 class="again">{self._inline(self._heading)}</h2>\n')
        slide.shown.append(f'<div class="fragment">{drawn}</div>\n' if cell.slide == "fragment" else drawn)

    def _code(self, cell: Cell, shows: list[str] | None) -> str:
        # What was printed beside a picture or a table is for reading.
        kinds = {*PICTURES, "text/html"}
        drawn = tuple(output for output in cell.outputs if kinds & output.get("data", {}).keys())
        parts = shows or (["output"] if drawn else ["code", "output"])
        outputs = (drawn or cell.outputs) if "output" in parts else ()
        cut = replace(cell, source=cell.source if "code" in parts else "", outputs=outputs)
        return self._cell(cut)

    def _title(self, text: str) -> _Slide:
        words = " ".join(text.split())
        aim = words.partition("**Aim** ")[2].partition(" **You need**")[0]
        shown = [
            f'<p class="place">Belief flows · lesson {self._lesson.number}</p>\n',
            f"<h1>{self._inline(self._lesson.title)}</h1>\n",
            f'<p class="promise">{self._inline(aim)}</p>\n' if aim else "",
        ]
        return _Slide("title", shown=shown, notes=[self._markdown(text.partition("\n")[2])], kind="title")

    def _questions(self, text: str) -> Iterator[_Slide]:
        """The last slide, of lessons that end with questions."""
        block = next((block for block, _ in _blocks(text, None) if block.startswith(_QUESTIONS)), "")
        if not block:
            return
        asked = re.split(r"(?<=\?)\s+", block.removeprefix(_QUESTIONS))
        shown = ["<h2>Three questions</h2>\n<ol>\n", *(f"<li>{self._inline(one)}</li>\n" for one in asked), "</ol>\n"]
        if self._next is None:
            shown.append('<p class="next">This was the last lesson.</p>\n')
        else:
            name = f"{self._next.number} {html.escape(self._next.title)}"
            address = self._link(f"{self._next.slug}.ipynb")
            shown.append(f'<p class="next">Next: <a href="{address}">{name}</a></p>\n')
        yield _Slide("questions", shown=shown)

    def _note(self, *texts: str) -> None:
        self.slides[-1].notes += [text for text in texts if text.strip()]

    def _link(self, address: str) -> str:
        """The deck of a notebook or, as long as there is none, the list of decks."""
        slug, dot, _ = address.partition(".ipynb")
        return address if not dot else f"{slug}.html" if slug in self._there else "index.html"

    def _cell(self, cell: Cell, within: int = 0) -> str:
        return _no_ids(cells.to_html(cell, keep=self._keep, link=self._link, within=within, warn=self._warn))

    def _markdown(self, text: str) -> str:
        return _no_ids(markdown(text, link=self._link))

    def _inline(self, text: str) -> str:
        return self._markdown(text).strip().removeprefix("<p>").removesuffix("</p>")


def _no_ids(page: str) -> str:
    """Only slides have addresses here: the notes, and headings that come again, would give one twice."""
    return re.sub(r'(<h\d) id="[^"]*"', r"\1", page)


def _stacked(slides: list[str]) -> str:
    return slides[0] if len(slides) == 1 else f"<section>\n{''.join(slides)}</section>\n"


def _blocks(text: str, shows: Iterable[str] | None) -> Iterator[tuple[str, bool]]:
    """The paragraphs, formulas, lists and tables of a text, and whether a slide shows each of them."""
    blocks = re.split(r"\n\s*\n", text.strip())
    kinds = [_KINDS.get(block[:1], "paragraph") if not block.startswith("**") else "paragraph" for block in blocks]
    places = [n for n, kind in enumerate(kinds) if kind == "paragraph"]
    named = {"first": places[:1], "last": places[-1:]}
    for n, (block, kind) in enumerate(zip(blocks, kinds, strict=True)):
        wanted = shows is None or kind == "heading" or kind in shows
        yield block, wanted or any(n in named.get(word, ()) for word in shows or ())


def _filled(template: str, **parts: str) -> bytes:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset(template)).encode()


def _asset(name: str) -> str:
    return (cells.ASSETS / name).read_text(encoding="utf-8")


def _speaker_script(notes: str) -> str:
    """The script that reveal.js writes into the window of the speaker, which has the policy of the deck."""
    found = re.search(r"<script>(.*?)<\\?/script>", notes, re.DOTALL)
    text = re.sub(r"\\x(..)", r"\\u00\1", found[1] if found else "").replace("\\'", "'").replace("\\/", "/")
    return str(json.loads(f'"{text}"'))


def _reveal() -> list[Path]:
    """The files of reveal.js that a deck needs; they come with a package of which nothing else is used."""
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None or not found.submodule_search_locations:
        raise ValueError(f"reveal.js is not installed: {missing('sphinx-revealjs', 'classroom')}")
    folder = Path(found.submodule_search_locations[0]) / "_static" / "revealjs"
    return [folder / name for name in _REVEAL]
