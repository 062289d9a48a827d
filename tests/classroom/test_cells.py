"""Cells as HTML."""

import json
import re

import pytest

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.cells import explorers_in, scripts, to_html
from bflo_viz.classroom.lesson import Cell, lessons
from bflo_viz.explorers.base import MIME


@pytest.fixture
def kept():
    """Files that were kept."""
    return {}


@pytest.fixture
def keep(kept):
    """Keeps a file in a folder above."""

    def put(name, content):
        kept[name] = content
        return f"../{name}"

    return put


def shown(explorer):
    bundle, metadata = explorer._repr_mimebundle_()
    return Cell(
        "code-1", "code", "explorer", ({"output_type": "execute_result", "data": bundle, "metadata": metadata},)
    )


def given(html):
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])


def test_what_was_printed_cannot_break_the_page(keep):
    """It is text."""
    cell = Cell("code-1", "code", "print(1 < 2)", ({"output_type": "stream", "name": "stdout", "text": "<b>\n"},))
    assert '<pre class="output scroll">&lt;b&gt;\n</pre>' in to_html(cell, keep=keep)


def test_every_picture_of_the_course_has_words(keep, kept):
    """And a size, so that the page does not jump when it comes."""
    count = 0
    for lesson in lessons():
        for cell in lesson.cells:
            if cell.kind == "code" and not explorers_in(cell):
                for picture in re.findall(r"<img .*?>", to_html(cell, keep=keep)):
                    assert re.search(r' width="\d+" height="\d+" alt="[^"]{30,}"', picture), (lesson.number, cell.id)
                    count += 1
    assert count > 30
    assert all(content.startswith(b"\x89PNG") for content in kept.values())


def test_every_explorer_of_the_course_can_be_made_again():
    """Stored notebooks have a record of its state beside its picture."""
    found = []
    for lesson in lessons():
        for cell in lesson.cells:
            for output in cell.outputs:
                words = output.get("data", {}).get("text/plain", "")
                if re.match(r"\w+Explorer\. ", words):
                    assert output["data"][MIME]["explorer"] == words.split(".")[0], (lesson.number, cell.id)
                    found.append(lesson.number)
    assert found == ["00", "01", "01", "01", "02", "02", "03", "03", "04", "05", "05", "06", "06", "07", "07"]


def test_an_explorer_has_its_state_and_its_picture(keep, kept):
    """The state of the record, not that of a new one."""
    html = to_html(shown(RegimeExplorer(delta=-1.25)), keep=keep)
    state = given(html)
    assert state.pop("_about") == json.loads(json.dumps(RegimeExplorer.about()))
    assert state == RegimeExplorer(delta=-1.25).state
    assert '<div class="bflo-alive" data-explorer="regime">' in html
    assert re.search(r'<img class="bflo-still" src="../figures/\w+.png"', html)
    assert len(kept) == 1


def test_the_script_is_one_that_pages_from_a_disk_may_load():
    """No module in it is left, and each part is there once."""
    text = scripts()
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    assert text.count("function savedModel(") == text.count("function mount(") == 1
    assert "</script" not in text
