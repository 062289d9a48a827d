"""Markdown, formulas and code as HTML."""

import re

import pytest

from bflo_viz.classroom.cells import styles
from bflo_viz.classroom.lesson import lessons
from bflo_viz.classroom.markdown import code, formula, markdown
from bflo_viz.classroom.needs import need
from bflo_viz.lessons import check  # noqa: F401  (fills the book)
from bflo_viz.lessons.exercise import BOOK


def test_every_formula_of_the_course_is_drawn():
    """None is left as LaTeX, in a lesson or in a hint."""
    texts = [(one.number, cell.source) for one in lessons() for cell in one.cells if cell.kind == "markdown"]
    texts += [(number, hint) for number, exercise in BOOK.exercises.items() for hint in exercise.hints]
    drawn = 0
    for place, text in texts:
        shown = re.sub(r"<code>.*?</code>", "", markdown(text), flags=re.DOTALL)
        assert not re.search(r"[$\\]|merror", shown), (place, text)
        drawn += shown.count("<math")
    assert drawn > 550


def test_formulas_stand_as_in_print():
    """A sign belongs to its number, bars and strokes need no room, a number of an equation stands beside it."""
    drawn = formula(r"|a| \in \{-1, 1 - x\} / y", display=True)
    assert '<mo form="prefix">−</mo><mn>1</mn>' in drawn
    assert "<mn>1</mn><mo>−</mo><mi>x</mi>" in drawn
    assert drawn.count('lspace="0" rspace="0"') == 3
    assert 'display="block"' in drawn
    assert formula(r"x \tag{*}", display=True).endswith('</math><span class="tag">(*)</span></div>')


def test_a_formula_may_go_over_lines_that_look_like_a_list():
    """As in notebooks."""
    assert markdown("$$a\n + b\n - c$$\n").count("<mi>") == 3
    assert "<li>" not in markdown("$$a\n + b\n - c$$\n")


def test_links_between_notebooks_lead_to_pages():
    """Others stay; headings can be linked to; HTML in the text is text."""
    assert 'href="02_one_dimension.html#3-x"' in markdown("[next](02_one_dimension.ipynb#3-x)")
    assert 'href="https://example.org/a.ipynb"' in markdown("[else](https://example.org/a.ipynb)")
    assert 'href="deck"' in markdown("[next](02_one_dimension.ipynb)", link=lambda _: "deck")
    assert markdown("## 3 · What `a` does, and $a$").startswith('<h2 id="3-what-a-does-and-a">')
    assert markdown("# One", within=1) == '<h2 id="one">One</h2>\n'
    assert "<script>" not in markdown("<script>")


def test_words_of_code_have_their_colours():
    """And nothing of it is lost."""
    shown = code('def f(x):\n    return "<" + str(x)  # why')
    assert '<span class="k">def</span>' in shown
    assert "&lt;" in shown
    assert re.sub(r"<.*?>", "", shown) == 'def f(x):\n    return "&lt;" + str(x)  # why'


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_all_colours_can_be_read(theme):
    """4.5 to 1, on the page and in boxes."""
    found = dict(re.findall(r"--([\w-]+): light-dark\((.*?)\);", styles()))
    colors = {name: pair.split(", ")[theme] for name, pair in found.items()}
    words = [name for name in colors if name.startswith("code-") or name in ("text", "quiet", "link")]
    assert len(words) == 8
    for name in words:
        for ground in ("page", "box"):
            assert contrast(colors[name], colors[ground]) >= 4.5, (name, ground)


def contrast(*colors):
    """By the formula of WCAG."""
    lights = []
    for color in colors:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_a_missing_package_is_named_with_the_cure():
    """In one sentence."""
    with pytest.raises(ValueError, match=r"^nopackage is not installed: run  .* -m pip install .*\[classroom\]'"):
        need("nopackage.sub")
