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
from bflo_viz.explorers.old_base import MIME

ROOT = Path(__file__).parents[2]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
TITLE = new_markdown_cell("# A")


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course with one lesson of ours."""
    (tmp_path / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks" / "00_start_here.ipynb", tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shown(course):
    """Makes a page and a deck of a notebook: their texts, and the warnings about its cells."""

    def show(*cells, **metadata):
        notebook = cells[0] if cells and not hasattr(cells[0], "cell_type") else new_notebook(cells=list(cells))
        notebook.setdefault("metadata", {}).update(metadata)
        path = course / "notebooks" / "10_my_own_lesson.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        lines = []
        site.build(course / "site", tell=lines.append)
        slides.build(course / "slides", ["10"], tell=lambda _: None)
        texts = ((course / kind / f"{path.stem}.html").read_text(encoding="utf-8") for kind in ("site", "slides"))
        place = f"{path.name}, cell "
        return *texts, [line.removeprefix(place) for line in lines if line.startswith(place)]

    return show


def output(**data):
    """An output with these kinds, written with underscores."""
    return new_output("display_data", {kind.replace("_", "/", 1): value for kind, value in data.items()})


def test_a_lesson_of_ones_own_is_on_the_map(shown, course):
    """With its title; slides begin at its headings, if no cell says where."""
    page, deck, warnings = shown(
        new_markdown_cell("# Mine\n\nWords."), new_markdown_cell("## One"), new_code_cell("1 + 1")
    )
    assert warnings == []
    index = (course / "site" / "index.html").read_text(encoding="utf-8")
    assert '<a href="10_my_own_lesson.html"><span class="number">10</span> Mine</a>' in index
    assert page.count("<h1") == 1
    assert deck.count('<section class="slide"') == 2 and 'id="questions"' not in deck


@pytest.mark.parametrize("cells", [[], [new_code_cell("# no title")], [new_markdown_cell("")], [new_raw_cell("<b>")]])
def test_a_lesson_without_a_title_has_that_of_its_file(shown, cells):
    for text in shown(*cells)[:2]:
        assert "<h1>my own lesson</h1>" in text
        assert "<b>" not in text


def test_outputs_of_every_kind_are_shown(shown):
    """Errors, pictures, data, nothing at all; for what needs Jupyter, its words."""
    error = new_output("error", ename="ValueError", evalue="<no>", traceback=["\x1b[31mValueError\x1b[0m: <no>"])
    kinds = [
        error,
        new_output("stream", text=""),
        new_output("stream", text="\x1b[1mbold\x1b[0m"),
        output(**{"image_svg+xml": "<svg><script>alert(1)</script></svg>"}),
        output(image_jpeg=base64.b64encode(b"jpeg").decode()),
        output(image_png=PIXEL, text_plain="<Figure>"),
        output(image_png="a"),
        output(application_json={"a": [1]}),
        output(text_latex=r"$$\alpha$$"),
        output(text_markdown="**strong**"),
        output(**{"application_vnd.jupyter.widget-view+json": {}}, text_plain="IntSlider()"),
        output(),
    ]
    page, deck, warnings = shown(TITLE, *(new_code_cell("", outputs=[kind]) for kind in kinds))
    for words in (
        "ValueError: &lt;no&gt;</pre>",
        '">bold</pre>',
        'src="data:image/svg+xml;base64,',
        'src="data:image/jpeg;base64,',
        'width="1" height="1" alt="&lt;Figure&gt;"',
        "&quot;a&quot;: [",
        "<mi>α</mi>",
        "<strong>strong</strong>",
        "IntSlider()</pre>",
    ):
        assert words in page, words
        assert words in deck, words
    assert "alert" not in page
    blind = "a picture has no words for those who cannot see it: give its figure an alt text."
    assert warnings == [
        f"5: {blind}",
        f"6: {blind}",
        f"7: {blind}",
        "8: a picture is damaged: run the cell again.",
        "12: application/vnd.jupyter.widget-view+json cannot be shown in a page: its words are.",
    ]


@pytest.mark.parametrize("record", [{"explorer": "RegimeExplorer", "state": {"nothing": 1}}, {"explorer": "x"}, "x"])
def test_an_explorer_that_cannot_be_made_again_is_its_picture(shown, record):
    bundle, _ = RegimeExplorer()._repr_mimebundle_()
    page, _, warnings = shown(
        TITLE, new_code_cell("", outputs=[new_output("execute_result", bundle | {MIME: record})])
    )
    assert "<img" in page and "bflo-alive" not in page
    assert warnings


def test_any_latex_is_drawn_or_shown_as_written(shown):
    """With a warning that begins with the formula; nothing of it becomes markup."""
    drawn = [
        r"$\begin{aligned} a &= b \\ c &= d \end{aligned}$",
        "\\begin{align}\nx &= 1\n\\end{align}",
        "so $$y$$ is",
    ]
    page, _, warnings = shown(TITLE, *map(new_markdown_cell, drawn))
    assert (page.count("<math"), warnings) == (3, [])
    odd = [r"\frac{1}{", r"\text{a & b}", r"\text{<script>alert(1)</script>}", r"\href{javascript:x}{y}", r"\nope{x}"]
    odd += [r"\style{color:red}{x}", "{" * 3000 + "}" * 3000, r"\left( x", r"\begin{nope} a & b \end{nope}"]
    page, deck, warnings = shown(TITLE, *(new_markdown_cell(f"${latex}$") for latex in odd))
    for text in (page, deck):
        assert text.count('<code class="latex">') == len(odd)
        assert "<script>" not in text and 'href="javascript' not in text
    assert len(warnings) == len(odd)
    assert warnings[0] == r"2: a formula cannot be drawn and is shown as it is written: \frac{1}{."


def test_unknown_languages_are_text(shown):
    fences = "```mermaid\ngraph\n```\n\n```{note} x\ny\n```\n\n```python title=a\n1\n```\n\n``` \nz\n```"
    page, _, warnings = shown(
        new_markdown_cell(f"# A\n\n{fences}"), new_code_cell("x ← 1"), language_info={"name": "nolanguage"}
    )
    assert page.count('<pre class="code scroll">') == 5
    assert warnings == []


def test_pictures_of_a_text_come_along(shown, course):
    """Those in a cell and beside the notebook; of others there is a link, and nothing above the folder is taken."""
    (course / "notebooks" / "my picture.png").write_bytes(base64.b64decode(PIXEL))
    (course / "secret.png").write_bytes(base64.b64decode(PIXEL))
    text = "![a](attachment:b.png) ![c](my%20picture.png) ![d](https://example.org/e.png) ![](gone.png)"
    text += " ![f](../secret.png) ![g](attachment:h.png)"
    page, _, warnings = shown(new_markdown_cell(f"# A\n\n{text}", attachments={"b.png": {"image/png": PIXEL}}))
    assert page.count(f'<img src="data:image/png;base64,{PIXEL}"') == 2
    assert '<a href="https://example.org/e.png">d</a>' in page
    linked = "a picture is only linked, since it is not beside the notebook"
    assert [words.removeprefix("1: ").partition(":")[0] for words in warnings] == [
        linked,
        "a picture has no words for those who cannot see it",
        *[linked] * 3,
    ]


def test_cells_need_no_names(shown):
    """Before format 4.5 they had none; names that come twice, or are none, are replaced. Format 3 is read, too."""
    slide = new_markdown_cell("## B", metadata={"slideshow": {"slide_type": "slide"}})
    nameless = [{key: value for key, value in cell.items() if key != "id"} for cell in (TITLE, slide, slide, slide)]
    assert 'id="cell-3"' in shown({"nbformat": 4, "nbformat_minor": 4, "cells": nameless})[1]
    odd = [cell | {"id": '"><script>' if i == 1 else "b"} for i, cell in enumerate(nameless)]
    deck = shown({"nbformat": 4, "nbformat_minor": 5, "cells": odd})[1]
    assert "<script>" not in deck
    assert [deck.count(f' id="{name}"') for name in ("cell-2", "cell-3", "cell-4")] == [1, 1, 1]
    sheet = nbformat.v3.new_worksheet(cells=[nbformat.v3.new_heading_cell("Old", level=1)])
    page, _, _ = shown(json.loads(nbformat.v3.writes_json(nbformat.v3.new_notebook(worksheets=[sheet]))))
    assert '<h1 id="old">Old</h1>' in page


def test_a_file_that_is_no_notebook_and_a_number_twice_are_named(course):
    """Which of them, in one sentence; neither is left out without a word."""
    for text in ("no JSON", "{}", '{"nbformat": 4, "nbformat_minor": 5, "cells": 7}', "[]"):
        (course / "notebooks" / "10_bad.ipynb").write_text(text)
        with pytest.raises(ValueError, match=r"10_bad\.ipynb' cannot be read as a notebook \(.*\): save it anew"):
            site.build(course / "out", tell=print)
    nbformat.write(new_notebook(), course / "notebooks" / "10_a.ipynb")
    with pytest.raises(ValueError, match=r"10_a\.ipynb' and '.*10_bad\.ipynb' have the same number: rename one"):
        site.build(course / "site", tell=print)
