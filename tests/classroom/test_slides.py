"""The decks as files: what is on their slides, and what only the speaker may see."""

import re

import pytest
from bs4 import BeautifulSoup

from bflo_viz.classroom import slides
from bflo_viz.classroom.lesson import lessons
from bflo_viz.lessons.exercises import BOOK
from bflo_viz.lessons.instructor import remarks

COURSE = lessons()


def one_line(text):
    return " ".join(text.split())


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
    """Its slides: the address of each, its text, that of its notes, and the elements on it."""
    page, slides = BeautifulSoup((folder / f"{lesson.slug}.html").read_text("utf-8"), "html.parser"), []
    for slide in page.select(".slide"):
        for script in slide.select("script"):  # what stands in it is not read
            script.decompose()
        notes = slide.aside.extract().get_text()
        tags = {tag.name for tag in slide.find_all(True)}
        slides.append({"id": slide["id"], "text": slide.get_text(), "notes": notes, "tags": tags})
    return slides


def test_a_deck_is_a_talk(deck, lesson):
    """Twelve to 28 slides with headings; it begins with a promise, ends with questions, and names the next lesson."""
    assert 12 <= len(deck) <= 28
    assert len({slide["id"] for slide in deck}) == len(deck)
    for slide in deck:
        assert {"h1", "h2"} & slide["tags"], slide["id"]
        assert "table" in slide["tags"] or len(slide["text"].split()) <= 190, slide["id"]  # a slide is no page
    first, last = deck[0], deck[-1]
    assert lesson.title in first["text"] and len(first["text"].split()) < 60
    assert last["id"] == "questions" and last["text"].count("?") == 3
    following = COURSE[COURSE.index(lesson) + 1 :]
    assert (following[0].title if following else "last lesson") in last["text"]


def test_solutions_and_remarks_are_for_the_speaker_alone(deck, lesson):
    """Stubs are on the slides; what fills them, and why, is in the notes, and so is what was written for a class."""
    shown = one_line(" ".join(slide["text"] for slide in deck))
    notes = one_line(" ".join(slide["notes"] for slide in deck))
    for exercise in BOOK.values():
        if not exercise.number.startswith(lesson.number) or exercise.kind == "build":
            continue  # what is built from an empty cell takes a quarter of an hour, and no slide asks for it
        stub = [line.strip() for line in exercise.stub.splitlines()]
        for line in map(str.strip, exercise.solution.splitlines()):
            if line not in stub and line != '"""':
                assert line not in shown, exercise.number
                assert one_line(line) in notes, exercise.number
        assert exercise.title in shown
        assert re.split(r"[$`*]", exercise.hints[0])[0].strip() in notes
        assert "Why." in notes
    said = remarks(f"# {lesson.title}")
    assert len(said) >= 5
    for words in said.values():
        assert one_line(re.split(r"[`$*]", words)[0]) in notes


def test_files_that_are_named_are_there_and_no_others(folder):
    """Scripts, styles and other decks; nothing is asked of another host."""
    for path in folder.glob("*.*"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert not re.findall(r"""(?:src|href|url|import)\s*[=(]?\s*["']?(?:https?:)?//[^"')\s]+""", text), path.name
        if path.suffix == ".html":
            assert "default-src 'none'; script-src 'self' file:;" in text
            for address in re.findall(r'(?:src|href)="([^"#]+)"', text):
                assert address.startswith("data:image/") or (folder / address).is_file(), (path.name, address)
    assert all(f"{one.slug}.html" in (folder / "index.html").read_text(encoding="utf-8") for one in COURSE)


def test_one_deck_by_itself_is_the_same_each_time(tmp_path):
    """Named in short, it links to no deck that is not there; and an index has it."""
    lines = []
    for name in ("a", "b"):
        slides.build(tmp_path / name, ["2"], tell=lines.append)
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.*")} for name in ("a", "b"))
    assert first == second
    assert "28 slides" in lines[0]
    assert b"03_flow_types.html" not in first["02_one_dimension.html"]
    assert b"02_one_dimension.html" in first["index.html"]


def test_an_unknown_lesson_gets_one_sentence(tmp_path):
    with pytest.raises(ValueError, match=r"no lesson '42'; there are 00, 01, .*10\.$"):
        slides.build(tmp_path / "out", ["42"], tell=print)


@pytest.mark.parametrize(
    ("shows", "shown"),
    [
        (None, "# H|one|$$x$$|- a|two"),
        ([], "# H"),
        (["first", "lists"], "# H|one|- a"),
        (["formulas", "last"], "# H|$$x$$|two"),
    ],
)
def test_parts_of_a_text(shows, shown):
    text = "# H\n\none\n\n$$x$$\n\n- a\n\ntwo"
    assert "|".join(block for block, wanted in slides._blocks(text, shows) if wanted) == shown
