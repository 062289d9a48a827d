"""Text, formulas, code and outputs of cells as HTML."""

import base64
import json
import re
import struct

import pytest

from bflo_viz import RegimeExplorer
from bflo_viz.classroom.cells import explorers_in, folded, scripts, to_html
from bflo_viz.classroom.lesson import Cell, lessons
from bflo_viz.classroom.markdown import code, formula, markdown
from bflo_viz.lessons.exercises import BOOK

LESSONS = lessons()


def test_every_formula_of_the_course_is_drawn():
    """None is left as LaTeX, in a lesson or in a hint; no prime is an exponent, and no operator is a letter."""
    texts = [(one.number, cell.source) for one in LESSONS for cell in one.cells if cell.kind == "markdown"]
    texts += [(number, hint) for number, exercise in BOOK.items() for hint in exercise.hints]
    drawn = 0
    for place, text in texts:
        shown = re.sub(r"<code>.*?</code>", "", markdown(text), flags=re.DOTALL)
        assert not re.search(r"[$\\]|merror|<mi>[′″⟺⟹±~ΔΣΦ]", shown), (place, text)
        drawn += shown.count("<math")
    assert drawn > 550


@pytest.mark.parametrize(
    ("latex", "parts"),
    [
        (
            r"w' = 1",
            ["<mrow><mrow><mi>w</mi><mpadded", '<mo lspace="0" rspace="0">′</mo></mpadded></mrow></mrow><mo>='],
        ),
        (r"\sigma'^2", ["<msup><mrow><mi>σ</mi><mpadded", "</mpadded></mrow><mrow><mn>2</mn></mrow></msup>"]),
        (r"w'_t", ["<msub><mrow><mi>w</mi><mpadded", "</mpadded></mrow><mi>t</mi></msub>"]),
        (r"x^2", ["<msup><mi>x</mi><mn>2</mn></msup>"]),
        (r"\Delta \pi", ['<mi mathvariant="normal">Δ</mi><mi>π</mi>']),
        (r"a = \pm 1", ['<mo form="prefix">±</mo>']),
        (r"a \Longrightarrow b \iff c", ["<mo>⟹</mo>", "<mo>⟺</mo>"]),
        (r"|a| \in \{-1, 1 - x\}", ['<mo form="prefix">−</mo><mn>1</mn>', "<mn>1</mn><mo>−</mo><mi>x</mi>"]),
        (r"u/v", ['<mo lspace="0" rspace="0">/</mo>']),
        (r"\log a", ['<mo lspace="0.167em" rspace="0.167em">log</mo><mi>a</mi>']),
        (r"\min(a)", ['<mo lspace="0.167em" rspace="0">min</mo>']),
        (r"a^\ast \to \infty", ["<mo>∗</mo>", "<mi>∞</mi>"]),
    ],
)
def test_formulas_look_as_in_print(latex, parts):
    """A prime stands beside its letter, Greek capitals are upright, operators have their spaces."""
    assert [part for part in parts if part not in formula(latex)] == []


def test_a_number_of_an_equation_stands_beside_it():
    drawn = formula(r"x \tag{*}", display=True)
    assert 'display="block"' in drawn and drawn.endswith('</math><span class="tag">(*)</span></div>')


def test_a_displayed_formula_is_in_no_paragraph():
    """Its lines may begin like those of a list, and words may stand around it."""
    shown = markdown("Let\n$$a\n + b\n - c$$\nhold.\n")
    assert re.sub(r"<math.*?</math>", "…", shown, flags=re.DOTALL) == (
        '<p>Let</p>\n<div class="formula scroll">…</div><p>hold.</p>\n'
    )


def test_links_and_headings():
    """Links can lead elsewhere; headings can be linked to; HTML in a text is text."""
    assert 'href="deck"' in markdown("[next](02_one_dimension.ipynb)", link=lambda _: "deck")
    assert markdown("## 3 · What `a` does, and $a$").startswith('<h2 id="3-what-a-does-and-a">')
    assert markdown("# One", within=1) == '<h2 id="one">One</h2>\n'
    assert markdown("<script>") == "<p>&lt;script&gt;</p>\n"


def test_words_of_code_have_their_colours():
    shown = code('def f(x):\n    return "<" + str(x)  # why')
    assert '<span class="k">def</span>' in shown
    assert re.sub(r"<.*?>", "", shown) == 'def f(x):\n    return "&lt;" + str(x)  # why'


def test_every_picture_of_the_course_has_words_and_is_sharp():
    """Two of its pixels are one of the page's: projectors and laptops of today show them."""
    count = 0
    for lesson in LESSONS:
        for cell in lesson.cells:
            for picture in re.findall(r"<img .*?>", to_html(cell) if cell.kind == "code" else ""):
                found = re.search(r'base64,(.*?)" width="(\d+)" height="\d+" alt="[^"]{30,}"', picture)
                pixels, _ = struct.unpack(">II", base64.b64decode(found[1][:64])[16:24])
                assert pixels == pytest.approx(2 * int(found[2]), abs=2), (lesson.number, cell.id)
                count += 1
    assert count > 30


def test_every_explorer_of_the_course_is_alive():
    """Stored notebooks have a record of its state beside its picture, or beside the words of a sentence."""
    shown = [lesson.number for lesson in LESSONS for cell in lesson.cells for _ in explorers_in(cell)]
    assert "".join(number[1] for number in shown) == "011122233344555666777700"  # sentences among them
    pictures = sum(
        bool(re.match(r"(\w+Explorer|Sentence)\. ", output.get("data", {}).get("text/plain", "")))
        for lesson in LESSONS
        for cell in lesson.cells
        for output in cell.outputs
    )
    assert pictures == len(shown)


def test_an_explorer_has_its_state_and_its_picture():
    bundle, metadata = RegimeExplorer(delta=-1.25)._repr_mimebundle_()
    output = {"output_type": "execute_result", "data": bundle, "metadata": metadata}
    html = to_html(Cell("code-1", "code", "explorer", [output]))
    state = json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])
    assert state.pop("_about") == json.loads(json.dumps(RegimeExplorer.about()))
    assert state == RegimeExplorer(delta=-1.25).state
    assert '<div class="bflo-alive" data-explorer="regime">' in html
    assert '<img class="bflo-still" src="data:image/png;base64,' in html


def test_the_script_is_one_that_pages_from_a_disk_may_load():
    text = scripts()
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    assert text.count("function savedModel(") == text.count("function mount(") == 1
    assert "</script" not in text


@pytest.mark.parametrize(
    ("numbers", "closed", "opened"),
    [
        (["09.3"], "Check claim 09.3 first, or open: the verdict is in here", "The verdict on claim 09.3"),
        (["02.2"], "Answer bet 02.2 first, or open: the answer is in here", "The answer to bet 02.2"),
        (["02.2", "02.4"], "Answer bet 02.2 and 02.4 first", "The answer to bet 02.2 and 02.4"),
        (["99.9"], "Answer bet 99.9 first", "The answer to bet 99.9"),
    ],
)
def test_a_fold_says_what_is_in_it(numbers, closed, opened):
    """The answer to a bet, or the verdict on a claim, which nobody bets on."""
    cell = Cell("a", "markdown", "It is so.", metadata={"bflo": {"answers": numbers}})
    (fold,) = folded([(cell, "<p>It is so.</p>")])
    assert closed in fold and opened in fold
    assert fold.startswith("<details") and fold.endswith("\n</details>\n")
    assert ("claim" in fold) != ("bet " in fold)


def test_code_that_jupyterlab_hides_is_in_a_fold():
    output = {"output_type": "stream", "text": "42"}
    hidden = to_html(Cell("a", "code", "x = 41", [output], {"jupyter": {"source_hidden": True}}))
    start, _, after = hidden.partition("</details>")
    assert start.startswith("<details") and "41" in start and "42" in after and "42" not in start
    for metadata in ({}, {"jupyter": None}, {"jupyter": {"source_hidden": False}}):
        assert "<details" not in to_html(Cell("a", "code", "x = 41", [output], metadata))
