"""The site as files, and the folder that they are written into."""

import html
import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from bflo_viz.classroom import pages as pages_module
from bflo_viz.classroom import site
from bflo_viz.classroom.pages import PageFolder
from bflo_viz.cli import main
from bflo_viz.lessons.exercises import BOOK

MARK = ".bflo-pages"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site, built twice; and what was said the first time."""
    out, lines = tmp_path_factory.mktemp("classroom") / "site", []
    assert site.build(out, tell=lines.append) == out / "index.html"
    site.build(out.with_name("again"), tell=lambda _: None)
    return out, lines, out.with_name("again")


@pytest.fixture(scope="module")
def pages(built):
    """The text of every page, by its name."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(built[0].glob("*.html"))}
    assert len(texts) == 13
    return texts


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_that_is_linked_is_there(built, pages):
    """Pages, parts of pages, scripts: all in the folder, and nothing at another place; a line for each page."""
    names = set(files_in(built[0]))
    for page, text in pages.items():
        for address in re.findall(r'(?:href|src)="(.*?)"', text):
            name, _, part = address.partition("#")
            assert address.startswith("data:image/") or name in names | {""}, (page, address)
            if part:
                assert f'id="{part}"' in pages[name or page], (page, address)
    everything = "".join(content.decode() for content in files_in(built[0]).values())
    assert set(re.findall(r"\bhttps?://[\w./-]+", everything)) <= {"http://www.w3.org/2000/svg"}
    assert len(everything) < 8_000_000
    assert len(built[1]) == 12 and "index.html opens the course" in built[1][-1]


def test_a_page_can_be_read_by_ear(pages):
    """Language, title, one first heading, no level left out, landmarks, no name twice; and it has its policy."""
    for name, text in pages.items():
        assert text.startswith('<!doctype html>\n<html lang="en"'), name
        levels = [int(level) for level in re.findall(r"<h([1-6])\b", text)]
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in itertools.pairwise(levels)), name
        assert {"<main", "<header", "<footer"} <= set(re.findall(r"<\w+", text))
        twice = [one for one, times in Counter(re.findall(r' id="(.*?)"', text)).items() if times > 1]
        assert (name, twice) == (name, [])
        assert "default-src 'none'; script-src 'self' file:;" in text
    assert len({re.search(r"<title>(.*?)</title>", text)[1] for text in pages.values()}) == 13


def test_the_first_page_is_a_map(pages):
    """Every lesson with what it is about, its time, and what can be moved in it."""
    items = re.findall(r"<li>(.*?)</li>", pages["index.html"], re.DOTALL)
    assert len(items) == 11
    assert all(re.search(r"\d+ minutes", item) and "<p>" in item for item in items)
    assert "To move: Learning a line online" in items[5]


def test_lessons_lead_to_each_other(pages):
    names = sorted(set(pages) - {"index.html", "bets.html"})
    for i, name in enumerate(names):
        assert re.findall(r'rel="prev" href="(.*?)"', pages[name]) == names[max(0, i - 1) : i]
        assert re.findall(r'rel="next" href="(.*?)"', pages[name]) == names[i + 1 : i + 2]
        assert pages[name].count('class="live"') == 1


def test_exercises_have_hints_and_no_solutions(pages):
    whole = "".join(pages.values())
    text = html.unescape(re.sub(r"<.*?>", "", whole))
    for exercise in BOOK.values():
        asked = f'"number":"{exercise.number}"' in whole if exercise.options else exercise.stub in text
        assert asked, exercise.number
        assert exercise.solution
        assert exercise.solution not in text, exercise.number
        assert exercise.why.splitlines()[0] not in text, exercise.number
    hints = sum(len(exercise.hints) for exercise in BOOK.values())
    assert sum(page.count("hint</summary>") for page in pages.values()) == hints


def test_the_same_course_gives_the_same_site(built):
    assert files_in(built[0]) == files_in(built[2])


def fill(folder, **files):
    pages = PageFolder(folder)
    pages.files = {name.replace("_", "."): content for name, content in files.items()}
    pages.write()


def test_only_our_own_files_are_replaced(tmp_path):
    """What someone put there stays, and a link is replaced, not what it leads to."""
    out, mine = tmp_path / "out", tmp_path / "mine.txt"
    mine.write_text("mine")
    fill(out, a_html=b"1")
    (out / "notes.txt").write_text("mine, too")
    (out / "c.css").symlink_to(mine)
    fill(out, a_html=b"3", c_css=b"4")
    assert files_in(out) == {"a.html": b"3", "c.css": b"4", "notes.txt": b"mine, too", MARK: b""}
    assert not (out / "c.css").is_symlink() and mine.read_text() == "mine"


@pytest.mark.parametrize("command", ["site", "slides"])
def test_a_folder_with_other_things_is_refused(tmp_path, capsys, command):
    (tmp_path / "thesis.txt").write_text("dear")
    assert main([command, "--out", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.err == f"bflo: {tmp_path} has other things in it: name a new folder, or an empty one.\n"
    assert said.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_that_cannot_be_written_gets_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"file could not be written \(Not a directory\): name another folder\.$"):
        fill(tmp_path / "file")
    out, write = tmp_path / "full", pages_module.write_whole

    def full(path, content):
        if path.name == "b.html":
            raise OSError(28, "No space left on device")
        write(path, content)

    monkeypatch.setattr(pages_module, "write_whole", full)
    with pytest.raises(ValueError, match="No space left"):
        fill(out, a_html=b"2", b_html=b"3")
    monkeypatch.undo()
    fill(out, b_html=b"3")
    assert {path.name for path in out.iterdir()} == {"a.html", "b.html", MARK}


def test_a_missing_package_is_named_with_the_cure(monkeypatch, capsys):

    def missing(*_, **__):
        raise ModuleNotFoundError("No module named 'latex2mathml.converter'", name="latex2mathml.converter")

    monkeypatch.setattr(site, "build", missing)
    assert main(["site", "--out", str(Path("nowhere"))]) == 1
    said = capsys.readouterr().err
    assert re.match(r"bflo: latex2mathml is not installed: run  .* -m pip install .*\[classroom\]'", said)
