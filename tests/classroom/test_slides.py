"""The decks as files: what is on their slides, and what only the speaker may see."""

import importlib.util
import re
from html.parser import HTMLParser

import pytest

from bflo_viz.classroom import slides
from bflo_viz.classroom.lesson import lessons
from bflo_viz.lessons.exercise import BOOK
from bflo_viz.lessons.instructor import remarks

COURSE = lessons()


class Deck(HTMLParser):
    """The slides of a page: for each its address, its text, that of its notes, and the elements on it."""

    def __init__(self, page):
        super().__init__()
        self.slides, self._open, self._noted = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        """A slide begins, or its notes, or something on it."""
        given = dict(attributes)
        if tag == "section" and "id" in given:
            self.slides.append({"id": given["id"], "text": "", "notes": "", "tags": []})
        if tag == "aside":
            self._noted = True
        elif self.slides and not self._noted:
            self.slides[-1]["tags"].append(tag)

    def handle_endtag(self, tag):
        """Notes end."""
        self._noted = self._noted and tag != "aside"

    def handle_data(self, text):
        """Words, on the slide or in its notes."""
        if self.slides and self.cdata_elem is None:  # what stands in a script is not read
            self.slides[-1]["notes" if self._noted else "text"] += text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The decks of all lessons."""
    out = tmp_path_factory.mktemp("slides") / "out"
    slides.build(out, [], tell=lambda _: None)
    return out


@pytest.fixture(params=COURSE, ids=lambda lesson: lesson.number)
def lesson(request):
    """Each lesson."""
    return request.param


@pytest.fixture
def deck(folder, lesson):
    """Its deck."""
    return Deck((folder / f"{lesson.slug}.html").read_text(encoding="utf-8")).slides


def test_a_deck_has_twelve_to_twentyfive_slides(deck):
    """Each with its own address and a heading."""
    assert 12 <= len(deck) <= 25
    assert len({slide["id"] for slide in deck}) == len(deck)
    for slide in deck:
        assert {"h1", "h2"} & set(slide["tags"]), slide["id"]
        assert "table" in slide["tags"] or len(slide["text"].split()) <= 190, slide["id"]  # a slide is no page


def test_it_begins_with_a_promise_and_ends_with_questions(deck, lesson):
    """And names the next lesson."""
    first, last = deck[0], deck[-1]
    assert lesson.title in first["text"]
    assert len(first["text"].split()) < 60
    assert last["id"] == "questions"
    assert last["text"].count("?") == 3
    following = COURSE[COURSE.index(lesson) + 1 :]
    assert (following[0].title if following else "last lesson") in last["text"]


def test_solutions_are_for_the_speaker_alone(deck, lesson):
    """Stubs are on the slides; what fills them, and why, is in the notes."""
    shown = " ".join(" ".join(slide["text"] for slide in deck).split())
    notes = " ".join(" ".join(slide["notes"] for slide in deck).split())
    for exercise in BOOK.exercises.values():
        if not exercise.number.startswith(lesson.number):
            continue
        stub = [line.strip() for line in exercise.stub.splitlines()]
        for line in map(str.strip, exercise.solution.splitlines()):
            if line not in stub:
                assert line not in shown, exercise.number
                assert " ".join(line.split()) in notes, exercise.number
        assert exercise.title in shown
        assert re.split(r"[$`*]", exercise.hints[0])[0].strip() in notes
        assert "Why." in notes


def test_the_speaker_has_notes(deck, lesson):
    """At least five a lesson were written for the class, and each stands at a slide."""
    said = remarks(f"# {lesson.title}")
    assert len(said) >= 5
    assert said.keys() <= {cell.id for cell in lesson.cells}
    notes = " ".join(slide["notes"] for slide in deck)
    for words in said.values():
        start = re.split(r"[`$*]", words)[0].strip()
        assert " ".join(start.split()) in " ".join(notes.split())


def test_nothing_is_asked_of_another_host(folder):
    """Not by a page, and not by what it loads; only the authors of reveal.js name their home."""
    for path in folder.rglob("*"):
        if path.suffix in (".html", ".css") or path.name == "slides.js":
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            found = re.findall(r"""(?:src|href|url|import)\s*[=(]?\s*["']?(?:https?:)?//[^"')\s]+""", text)
            assert not found, (path.name, found)


def test_files_that_are_named_are_there(folder):
    """Scripts, styles, pictures and other decks; and the licence of reveal.js."""
    for path in folder.glob("*.html"):
        for address in re.findall(r'(?:src|href)="([^"#]+)"', path.read_text(encoding="utf-8")):
            assert (folder / address).is_file(), (path.name, address)
    assert "Permission is hereby granted" in (folder / "reveal/LICENSE").read_text(encoding="utf-8")
    assert all(f"{one.slug}.html" in (folder / "index.html").read_text(encoding="utf-8") for one in COURSE)


def test_one_deck_by_itself_is_the_same_each_time(tmp_path):
    """Named in short, it links to no deck that is not there; and an index has it."""
    told = []
    for name in ("a", "b"):
        slides.build(tmp_path / name, ["2"], tell=told.append)
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.*")} for name in ("a", "b"))
    assert first == second
    assert "25 slides" in told[0]
    deck = (tmp_path / "a/02_one_dimension.html").read_text(encoding="utf-8")
    assert "03_flow_types.html" not in deck
    assert "02_one_dimension.html" in (tmp_path / "a/index.html").read_text(encoding="utf-8")


def test_an_unknown_lesson_gets_one_sentence(tmp_path):
    """Which names those that exist."""
    with pytest.raises(ValueError, match=r"no lesson '42'; there are 00, 01, .*09\.$"):
        slides.build(tmp_path / "out", ["42"], tell=print)


def test_without_reveal_it_says_how_to_get_it(tmp_path, monkeypatch):
    """In one sentence."""
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "sphinx_revealjs" else found(name))
    with pytest.raises(ValueError, match=r"pip install .*\[classroom\]'  and try again\.$"):
        slides.build(tmp_path / "out", ["02"], tell=print)


@pytest.mark.parametrize(
    ("shows", "kept"),
    [
        (None, "# H|one|$$x$$|- a|two"),
        ([], "# H"),
        (["first", "lists"], "# H|one|- a"),
        (["formulas", "last"], "# H|$$x$$|two"),
    ],
)
def test_parts_of_a_text(shows, kept):
    """A heading always; the rest as it is asked for."""
    text = "# H\n\none\n\n$$x$$\n\n- a\n\ntwo"
    assert "|".join(block for block, shown in slides._blocks(text, shows) if shown) == kept
