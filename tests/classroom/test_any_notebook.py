"""Whatever Jupyter can save becomes a page and slides; what is not shown as it is meant is told with its place."""

import base64
import json
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from bflo_viz import RegimeExplorer
from bflo_viz.classroom import site, slides
from bflo_viz.explorers.base import MIME

ROOT = Path(__file__).parents[2]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course with one lesson of ours."""
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "00_start_here.ipynb", tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shown(course):
    """Makes a page and a deck of a notebook: what they are, and what was told of its cells."""

    def show(*cells, **metadata):
        notebook = cells[0] if cells and not hasattr(cells[0], "cell_type") else new_notebook(cells=list(cells))
        notebook.setdefault("metadata", {}).update(metadata)
        path = course / "notebooks" / "10_my_own_lesson.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        told = []
        site.build(course / "site", tell=told.append)
        slides.build(course / "slides", ["10"], tell=lambda _: None)
        page, deck = (
            (course / kind / f"{path.stem}.html").read_text(encoding="utf-8") for kind in ("site", "slides")
        )
        return page, deck, [words for words in told if words.startswith(f"{path.name}, cell ")]

    return show


def output(**data):
    """An output with these kinds, written with underscores."""
    return new_output("display_data", {kind.replace("_", "/", 1): value for kind, value in data.items()})


def test_a_lesson_of_ones_own_is_on_the_map(shown, course):
    """With its title; slides begin at its headings, if no cell says where."""
    page, deck, told = shown(
        new_markdown_cell("# Mine\n\nWords."), new_markdown_cell("## One"), new_code_cell("1 + 1")
    )
    assert told == []
    assert '<a href="10_my_own_lesson.html"><span class="number">10</span> Mine</a>' in (
        (course / "site" / "index.html").read_text(encoding="utf-8")
    )
    assert page.count("<h1") == 1
    assert [f'id="{name}"' in deck for name in ("title", "questions")] == [True, False]
    assert deck.count("<section") == 2


@pytest.mark.parametrize("cells", [[], [new_code_cell("# no title")], [new_markdown_cell("")], [new_raw_cell("<b>")]])
def test_a_lesson_without_a_title_has_that_of_its_file(shown, cells):
    """Even if it is empty."""
    page, deck, _ = shown(*cells)
    assert "<h1>my own lesson</h1>" in page
    assert "<h1>my own lesson</h1>" in deck
    assert "<b>" not in page


def test_a_picture_without_words_is_told(shown):
    """By notebook and cell, as everything below; the words of a terminal stand for it."""
    cell = new_code_cell("plt.plot([1, 2, 3])", outputs=[output(image_png=PIXEL, text_plain="<Figure>")])
    page, deck, told = shown(new_markdown_cell("# A"), cell)
    for text in (page, deck):
        assert 'width="1" height="1" alt="&lt;Figure&gt;"' in text
    assert told == [
        "10_my_own_lesson.ipynb, cell 2: a picture has no words for those who cannot see it: "
        "give its figure an alt text."
    ]


def test_outputs_of_every_kind_are_shown(shown):
    """Errors, other pictures, data, nothing at all; for what needs Jupyter, its words."""
    error = new_output("error", ename="ValueError", evalue="<no>", traceback=["\x1b[31mValueError\x1b[0m: <no>"])
    kinds = [
        error,
        new_output("stream", text=""),
        new_output("stream", text="\x1b[1mbold\x1b[0m"),
        output(image_svg="<svg/>") | {"data": {"image/svg+xml": "<svg><script>alert(1)</script></svg>"}},
        output(image_jpeg=base64.b64encode(b"jpeg").decode()),
        output(image_png="a"),
        output(application_json={"a": [1]}),
        output(text_latex=r"$$\alpha$$"),
        output(text_markdown="**strong**"),
        output(**{"application_vnd.jupyter.widget-view+json": {}}, text_plain="IntSlider()"),
        output(),
    ]
    page, deck, told = shown(new_markdown_cell("# A"), *(new_code_cell("", outputs=[one]) for one in kinds))
    for words in (
        "ValueError: &lt;no&gt;</pre>",
        '">bold</pre>',
        "&quot;a&quot;: [",
        "<mi>α</mi>",
        "IntSlider()</pre>",
    ):
        assert words in page, words
        assert words in deck, words
    assert "<strong>strong</strong>" in page
    assert page.count(".svg") == page.count(".jpg") == 1
    assert "alert" not in page
    assert [words.partition(": ")[2][:22] for words in told] == [
        "a picture has no words",
        "a picture has no words",
        "a picture is damaged: ",
        "application/vnd.jupyte",
    ]


def test_an_explorer_that_cannot_be_made_again_is_its_picture(shown):
    """One of another version, or of nobody."""
    bundle, _ = RegimeExplorer()._repr_mimebundle_()
    for record in (
        {"explorer": "RegimeExplorer", "state": {"nothing": 1}},
        {"explorer": "stretch", "state": {}},
        "x",
    ):
        cell = new_code_cell("", outputs=[new_output("execute_result", bundle | {MIME: record})])
        page, _, told = shown(new_markdown_cell("# A"), cell)
        assert "<img" in page and "bflo-alive" not in page
        assert told


def test_any_latex_is_drawn_or_shown_as_written(shown):
    """With a warning that begins with the formula; nothing of it becomes markup."""
    drawn = [
        r"$\begin{aligned} a &= b \\ c &= d \end{aligned}$",
        "\\begin{align}\nx &= 1\n\\end{align}",
        "so $$y$$ is",
    ]
    page, _, told = shown(new_markdown_cell("# A"), *map(new_markdown_cell, drawn))
    assert (page.count("<math"), told) == (3, [])
    odd = [r"\frac{1}{", r"\text{a & b}", r"\text{<script>alert(1)</script>}", r"\href{javascript:x}{y}", r"\nope{x}"]
    odd += [r"\style{color:red}{x}", "{" * 3000 + "}" * 3000, r"\left( x", r"\begin{nope} a & b \end{nope}"]
    page, deck, told = shown(new_markdown_cell("# A"), *(new_markdown_cell(f"${one}$") for one in odd))
    for text in (page, deck):
        assert text.count('<code class="latex">') == len(odd)
        assert "<script>" not in text and 'href="javascript' not in text
    assert len(told) == len(odd)
    assert told[0] == (
        r"10_my_own_lesson.ipynb, cell 2: a formula cannot be drawn, and is shown as it is written: \frac{1}{."
    )


def test_unknown_languages_are_text(shown):
    """Of fences, and of a whole notebook."""
    fences = "```mermaid\ngraph\n```\n\n```{note} x\ny\n```\n\n```python title=a\n1\n```\n\n``` \nz\n```"
    page, _, told = shown(
        new_markdown_cell(f"# A\n\n{fences}"), new_code_cell("x ← 1"), language_info={"name": "nolanguage"}
    )
    assert page.count('<pre class="code scroll">') == 5
    assert [words.split("'")[1] for words in told] == ["mermaid", "{note}"]


def test_pictures_of_a_text_come_along(shown, course):
    """Those in a cell and beside the notebook; of others there is a link."""
    (course / "notebooks" / "my picture.png").write_bytes(base64.b64decode(PIXEL))
    text = "![a](attachment:b.png) ![c](my%20picture.png) ![d](https://example.org/e.png) ![](gone.png)"
    cell = new_markdown_cell(f"# A\n\n{text}", attachments={"b.png": {"image/png": PIXEL}})
    page, _, told = shown(cell)
    assert page.count('src="figures/') == 2
    assert '<a href="https://example.org/e.png">d</a>' in page
    assert [words.partition(": ")[2].partition(":")[0] for words in told] == [
        "a picture is only linked, since it is not beside the notebook",
        "a picture has no words for those who cannot see it",
        "a picture is only linked, since it is not beside the notebook",
    ]


def test_cells_need_no_names(shown):
    """Before format 4.5 they had none; names that come twice, or are none, are replaced."""
    cells = [
        new_markdown_cell("# A"),
        *(new_markdown_cell("## B", metadata={"slideshow": {"slide_type": "slide"}}),) * 3,
    ]
    old = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "cells": [{k: v for k, v in cell.items() if k != "id"} for cell in cells],
    }
    assert 'id="cell-3"' in shown(old)[1]
    twice = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "cells": [cell | {"id": '"><script>' if i == 1 else "b"} for i, cell in enumerate(cells)],
    }
    deck = shown(twice)[1]
    assert "<script>" not in deck
    assert [deck.count(f'<section id="{name}"') for name in ("cell-2", "cell-3", "cell-4")] == [1, 1, 1]


def test_notebooks_of_format_3_are_read(shown):
    """As Jupyter reads them."""
    page, _, _ = shown(
        json.loads(
            nbformat.v3.writes_json(
                nbformat.v3.new_notebook(
                    worksheets=[nbformat.v3.new_worksheet(cells=[nbformat.v3.new_heading_cell("Old", level=1)])]
                )
            )
        )
    )
    assert '<h1 id="old">Old</h1>' in page


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"nbformat": 4, "nbformat_minor": 5, "cells": 7}', "[]"])
def test_a_file_that_is_no_notebook_is_named(course, text):
    """Which of them, in one sentence."""
    (course / "notebooks" / "10_bad.ipynb").write_text(text)
    for build in (lambda: site.build(course / "o", tell=print), lambda: slides.build(course / "o", [], tell=print)):
        with pytest.raises(ValueError, match=r"10_bad\.ipynb' cannot be read as a notebook \(.*\): save it anew"):
            build()


def test_two_lessons_with_one_number_are_told(course):
    """Neither is left out without a word."""
    for name in ("10_a.ipynb", "10_b.ipynb"):
        nbformat.write(new_notebook(), course / "notebooks" / name)
    with pytest.raises(ValueError, match=r"10_a\.ipynb' and '.*10_b\.ipynb' have the same number: rename one"):
        site.build(course / "site", tell=print)
