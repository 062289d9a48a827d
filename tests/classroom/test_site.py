"""The site as files."""

import html
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from bflo_viz.classroom import folder, site
from bflo_viz.cli import main
from bflo_viz.lessons.exercise import BOOK


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site, built twice; and what was told."""
    out, told = tmp_path_factory.mktemp("classroom") / "site", []
    assert site.build(out, tell=told.append) == out / "index.html"
    again = out.with_name("again")
    site.build(again, tell=lambda _: None)
    return out, told, again


@pytest.fixture(scope="module")
def pages(built):
    """The text of every page, by its name."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(built[0].glob("*.html"))}
    assert len(found) == 11
    return found


def files_in(place):
    return {path.relative_to(place): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_it_tells_of_each_page(built):
    """One line a page, and where to begin."""
    _, told, _ = built
    assert [line.split(".")[0] for line in told[:10]] == sorted(line.split(".")[0] for line in told[:10])
    assert len(told) == 11
    assert "index.html opens the course" in told[-1]


def test_all_that_is_linked_is_there(built, pages):
    """Pages, parts of pages, pictures, scripts: all in the folder, and nothing at another place."""
    names = {str(path) for path in files_in(built[0])}
    for page, text in pages.items():
        for address in re.findall(r'(?:href|src)="(.*?)"', text):
            name, _, part = address.partition("#")
            assert address.startswith("data:image/svg") or name in names | {""}, (page, address)
            if part:
                assert f'id="{part}"' in pages[name or page], (page, address)
    everything = "".join(pages.values()) + "".join(
        (built[0] / name).read_text() for name in ("course.css", "course.js")
    )
    assert set(re.findall(r"\bhttps?://[\w./-]+", everything)) <= {"http://www.w3.org/2000/svg"}


def test_a_page_can_be_read_by_ear(pages):
    """Language, title, one first heading, no level left out, landmarks, no name twice."""
    for name, text in pages.items():
        assert text.startswith('<!doctype html>\n<html lang="en"'), name
        assert len(set(re.findall(r"<title>(.*?)</title>", text))) == 1
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in itertools.pairwise(levels)), name
        assert {"<main", "<header", "<footer"} <= set(re.findall(r"<\w+", text))
        twice = [one for one, times in Counter(re.findall(r' id="(.*?)"', text)).items() if times > 1]
        assert (name, twice) == (name, [])
    assert len({re.search(r"<title>(.*?)</title>", text)[1] for text in pages.values()}) == 11


def test_the_first_page_is_a_map(pages):
    """Every lesson with what it is about, its time, and what can be moved in it."""
    items = re.findall(r"<li>(.*?)</li>", pages["index.html"], re.DOTALL)
    assert len(items) == 10
    assert all(re.search(r"\d+ minutes", item) and "<p>" in item for item in items)
    assert "To move: Learning a line online" in items[5]


def test_lessons_lead_to_each_other(pages):
    """Back and forth, and each says once what needs Python."""
    names = sorted(set(pages) - {"index.html"})
    for i, name in enumerate(names):
        assert re.findall(r'rel="prev" href="(.*?)"', pages[name]) == names[max(0, i - 1) : i]
        assert re.findall(r'rel="next" href="(.*?)"', pages[name]) == names[i + 1 : i + 2]
        assert pages[name].count('class="live"') == 1


def test_exercises_have_hints_and_no_solutions(pages):
    """The stub is there; what fills it in is not."""
    text = html.unescape(re.sub(r"<.*?>", "", "".join(pages.values())))
    for exercise in BOOK.exercises.values():
        assert exercise.stub in text, exercise.number
        assert exercise.solution
        assert exercise.solution not in text, exercise.number
        assert exercise.why.splitlines()[0] not in text, exercise.number
    hints = sum(len(exercise.hints) for exercise in BOOK.exercises.values())
    assert sum(page.count("hint</summary>") for page in pages.values()) == hints


def test_the_same_course_gives_the_same_site(built):
    """To the last byte."""
    assert files_in(built[0]) == files_in(built[2])


def test_only_our_own_files_are_replaced(tmp_path):
    """What is no longer needed goes; what someone put there stays."""
    folder.fill(tmp_path, {"a.html": b"1", "runs/b.js": b"2"})
    (tmp_path / "notes.txt").write_text("mine")
    folder.fill(tmp_path, {"a.html": b"3", "c.css": b"4"})
    assert {str(path): content for path, content in files_in(tmp_path).items() if path.suffix != ".json"} == {
        "a.html": b"3",
        "c.css": b"4",
        "notes.txt": b"mine",
    }


def test_a_folder_with_other_things_is_refused(tmp_path, capsys):
    """Before any work, in one sentence, and nothing is written."""
    (tmp_path / "thesis.txt").write_text("dear")
    assert main(["site", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err == f"bflo: {tmp_path} has other things in it: name a new folder, or an empty one.\n"
    assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_that_cannot_be_written_gets_one_sentence(tmp_path, monkeypatch):
    """Neither a file in its place nor a full disk leaves half a file."""
    (tmp_path / "file").touch()
    with pytest.raises(
        ValueError, match=r"file could not be written \(Not a directory\); name a folder that can be\.$"
    ):
        folder.fill(tmp_path / "file", {})
    folder.fill(tmp_path / "full", {"a.html": b"1"})
    write = Path.write_bytes

    def full(self, content):
        if "a.html" not in self.name:
            return write(self, content)
        write(self, content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ValueError, match="No space left"):
        folder.fill(tmp_path / "full", {"a.html": b"22", "b.html": b"3"})
    assert {path.name for path in (tmp_path / "full").iterdir()} == {"a.html", "bflo-files.json"}
    assert (tmp_path / "full" / "a.html").read_bytes() == b"1"
    monkeypatch.undo()
    folder.fill(tmp_path / "full", {"b.html": b"3"})
    assert {path.name for path in (tmp_path / "full").iterdir()} == {"b.html", "bflo-files.json"}
