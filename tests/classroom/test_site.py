"""The site as files, and the folder that they are written into."""

import base64
import html
import itertools
import json
import posixpath
import re
import struct
from collections import Counter
from pathlib import Path

import pytest

from bflo_viz.classroom import book, explorers, play, search, site, symbols
from bflo_viz.classroom import pages as pages_module
from bflo_viz.classroom.lesson import lessons
from bflo_viz.classroom.markdown import formula
from bflo_viz.classroom.pages import PageFolder
from bflo_viz.cli import main
from bflo_viz.lessons import minutes
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
    texts = {name: content.decode() for name, content in files_in(built[0]).items() if name.endswith(".html")}
    assert len(texts) == 11 + len(explorers()) + 4  # lessons, explorers; first page, gallery, symbols and bets
    return texts


def files_in(folder):
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_all_that_is_linked_is_there(built, pages):
    """Pages, parts of pages, scripts: all in the folder, and nothing at another place; a line for each lesson."""
    names = set(files_in(built[0]))
    for page, text in pages.items():
        for address in re.findall(r'(?:href|src)="(.*?)"', text):
            path, _, part = address.partition("#")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            assert address.startswith("data:image/") or name in names, (page, address)
            if part and ":" not in part:
                assert f'id="{part}"' in pages[name], (page, address)
    everything = "".join(content.decode() for content in files_in(built[0]).values())
    assert set(re.findall(r"\bhttps?://[\w./-]+", everything)) <= {"http://www.w3.org/2000/svg"}
    assert len(everything) < 9_000_000
    assert len(built[1]) == 12 and "index.html opens the course" in built[1][-1]


def test_what_the_first_page_needs_is_small(built, pages):
    """All that is loaded until one scrolls; a lesson loads its own explorers and no others."""
    files = files_in(built[0])
    loaded = re.findall(r'(?:src|stylesheet" href)="(.*?)"', pages["index.html"])
    assert "course.js" in loaded and "explorers/kit.js" in loaded
    assert sum(len(files[name]) for name in ["index.html", *loaded]) < 300_000
    scripts = re.findall(r'src="explorers/(\w+).js"', pages["04_pseudo_datasets.html"])
    assert scripts[0] == "kit" and {"sentence", "pseudo"} <= set(scripts) and "regime" not in scripts


def test_pictures_are_sharp(pages):
    """A PNG has twice the pixels of the place in which it is shown, so that no projector blurs it."""
    shown = 0
    for name, text in pages.items():
        for start, size in re.findall(r'src="data:image/png;base64,([^"]{40})[^"]*" (width="\d+")?', text):
            (pixels,) = struct.unpack(">I", base64.b64decode(start)[16:20])
            assert pixels == pytest.approx(2 * int(size[7:-1]), abs=2), name
            shown += 1
    assert shown > 40


def test_a_page_can_be_read_by_ear(pages):
    """Language, title, one first heading, no level left out, landmarks, no name twice; and it has its policy."""
    for name, text in pages.items():
        assert text.startswith('<!doctype html>\n<html lang="en"'), name
        alone = ["1"] * (" data-alone" in text)  # an explorer in a page of its own writes the first heading
        levels = [int(level) for level in alone + re.findall(r"<h([1-6])\b", text)]
        assert levels.count(1) == 1
        assert all(below <= above + 1 for above, below in itertools.pairwise(levels)), name
        assert {"<main", "<header", "<footer"} <= set(re.findall(r"<\w+", text))
        twice = [one for one, times in Counter(re.findall(r' id="(.*?)"', text)).items() if times > 1]
        assert (name, twice) == (name, [])
        assert not re.search(r"<th[^>]*>(<math.*?</math>)?</th>", text) or name[0].isdigit()  # heads have words
        assert not re.search(r"<th[^>]*></th>", text), name
        assert "default-src 'none'; script-src 'self' file:;" in text
    assert len({re.search(r"<title>(.*?)</title>", text)[1] for text in pages.values()}) == len(pages)


def test_the_first_page_is_a_map(pages):
    """Every lesson with what it is about, its time, what can be moved in it, its bets, and a picture of it."""
    items = re.findall(r'<li class="card"(.*?)</li>', pages["index.html"], re.DOTALL)
    assert len(items) == 11
    assert all("<p>" in item and "data-stage" in item for item in items)
    shown = [int(re.search(r"(\d+) minutes", item)[1]) for item in items]
    assert shown == [minutes.stated(lesson) for lesson in lessons()]
    assert ">Learning a line online</a>" in items[5]
    assert 'data-bets="02.2 ' in items[2] or 'data-bets="02.2"' in items[2]


@pytest.mark.parametrize("name", explorers())
def test_every_address_of_an_explorer_is_valid(name):
    """What one may try, and what hangs in the gallery; each explorer says how to read it."""
    kind, says = explorers()[name], play.guide(explorers()[name])
    assert says["look"] and len(says["try"]) == 3
    for one in [*says["try"], *says.get("gallery", ())]:
        kind.from_link(f"#{name}:{one['address']}").close()  # it refuses what cannot be
        assert all(0 <= panel < 8 for panel in one.get("panels", ()))


def test_the_gallery_has_a_dozen_settings(pages):
    shown = re.findall(r'data-stage="(.*?)"', pages["play/index.html"])
    assert len(set(shown)) == len(shown) >= 12
    for name in explorers():
        text = pages[f"play/{name}.html"]
        assert "How to read this" in text and text.count(f'href="#{name}:') == 3
    assert 'href="../02_one_dimension.html"' in pages["play/regime.html"]


def test_tours_lead_through_values_that_there_are():
    """Every stop of a tour is a state that its explorer can have, and the first one begins where it ends."""
    moving = play.front()
    assert set(moving["cards"]) == {lesson.number for lesson in lessons()}
    for one in (moving["hero"], *moving["cards"].values()):
        explorer = explorers()[one.name].from_link(f"#{one.address}")
        for leg in json.loads(one.legs):
            for trait, value in {**leg.get("start", {}), **leg.get("to", {})}.items():
                setattr(explorer, trait, value)
            assert leg["seconds"] > 0
        explorer.close()


def test_the_whole_course_can_be_searched(built):
    """A section for every heading, with its words; no code, and no solution."""
    text = files_in(built[0])["sections.js"].decode()
    sections = json.loads(text.removeprefix("bflo.sections = ").removesuffix(";\n"))
    found = {address: words for address, _, heading, words in sections if "rank one" in heading}
    assert "03_flow_types.html#6-why-it-is-rank-one" in found
    assert {"symbols.html#eta", "play/regime.html"} <= {address for address, *_ in sections}
    assert not re.search(r"import numpy|</|&amp;|\$", text)
    assert len(sections) > 150


def test_the_search_gives_no_answer_away(built, pages):
    """What a bet folds is not among the words that are searched, though it is on the page, and what follows is."""
    text = files_in(built[0])["sections.js"].decode()
    fold = re.compile(r'<details class="fold".*?</details>', re.DOTALL)
    folds = [one for page in pages.values() for one in fold.findall(page)]
    told = "".join(fold.sub("", page) for page in pages.values())  # tables of results begin with the same words
    sentences = {words for one in folds for words in re.findall(r"<p>([^<>&]{40,})</p>", one) if words not in told}
    assert len(folds) > 20 and len(sentences) > 5
    assert [words for words in sentences if words in text] == []
    assert "Answer bet" not in text and "The verdict on" not in text
    inner = "<details><p>c</p></details>"
    nested = f'<p>a</p><details class="fold"><p>b</p>{inner}<p>d</p></details>{inner}'
    (section,) = search.sections("x.html", "X", nested)
    assert section.words == "a c"


def test_a_formula_is_searched_as_it_is_written_in_a_line():
    powers, fraction = formula("a^2 S^{-1}"), formula(r"\tilde A = \frac{u}{v} < 1")
    (section,) = search.sections("x.html", "X", f"<p>{powers} and {fraction}</p>")
    assert section.words == "a²S⁻¹ and A\N{COMBINING TILDE}=u/v<1"


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"\Delta' = w' - \mu", {"Delta-new", "w-new", "mu"}),
        (r"a^\ast = uv", {"a-star", "u", "v"}),
        (r"a^{\star} + a", {"a-star", "a"}),
        (r"\tilde A\hat\mu \mapsto \hat{y}", {"A-white", "mu-hat", "y-hat"}),
        (r"\sigma'^2/\sigma^2 \text{ for the mean}", {"sigma"}),
        (r"\log 2 + \sqrt{3}", set()),
    ],
)
def test_the_letters_of_a_formula_are_found(latex, wanted):
    assert set(symbols.symbols_in(latex)) == wanted


def test_symbols_are_explained_where_they_stand(pages):
    """Each is in the lesson that explains it; in a lesson no letter means two things; notebook 00 has no other."""
    for key, symbol in symbols.symbols().items():
        page = next(text for name, text in pages.items() if name.startswith(symbol.lesson))
        assert re.search(rf'data-symbols="(?:[^"]* )?{key}[ "]', page), key
        assert symbol.holds_in(symbol.lesson), key
    written = symbols._written().values()
    for lesson in lessons():
        for same in written:
            assert sum(symbols.symbols()[key].holds_in(lesson.number) for key in same) <= 1, (lesson.number, same)
    table = next(cell.source for cell in lessons(["00"])[0].cells if cell.source.startswith("## Notation"))
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| $")]
    assert len(rows) > 5 and all(symbols.symbols_in(row.strip(" $")) for row in rows)


def test_the_book_has_all_lessons_and_leads_nowhere_else(built, pages):
    """One page: no id twice, every link within it, no script for what does not move on paper."""
    texts = {one.number: site._text_of(one, lambda _: None) for one in lessons(["00", "02", "05"])}
    parts = book.chapters(lessons(["00", "02", "05"]), texts)
    page = "".join(f'<h2 id="lesson-{one["lesson"].number}">{one["heading"]}</h2>{one["body"]}' for one in parts)
    ids = re.findall(r' id="(.*?)"', page)
    assert len(ids) == len(set(ids)) > 20
    inner = {address[1:] for address in re.findall(r'href="(.*?)"', page) if address.startswith("#")}
    assert inner <= set(ids) and "lesson-02" in inner
    assert "<script" not in page and "bflo-alive" not in page and page.count("bflo-still") >= 3
    assert "<h1" not in page


def test_lessons_lead_to_each_other(pages):
    names = sorted(name for name in pages if name[0].isdigit())
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


def test_folders_below_stay_below(tmp_path):
    """A page in a folder of its own; a name or a link that leads out is refused, and nothing is written there."""
    out, away = tmp_path / "out", tmp_path / "away"
    away.mkdir()
    pages = PageFolder(out)
    pages.files = {"play/a.html": b"1"}
    pages.write()
    assert files_in(out) == {"play/a.html": b"1", MARK: b""}
    for name in ("../b.html", "/b.html", "play/../../b.html"):
        pages.files = {name: b"2"}
        with pytest.raises(ValueError, match="is not the name of a page"):
            pages.write()
    (out / "more").symlink_to(away)
    pages.files = {"more/a.html": b"3"}
    with pytest.raises(ValueError, match="leads to another folder"):
        pages.write()
    pages.files = {"play/a.html/b.html": b"4"}
    with pytest.raises(ValueError, match="could not be written"):
        pages.write()
    assert list(away.iterdir()) == [] and not (tmp_path / "b.html").exists()


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
