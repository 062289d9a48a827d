"""Bets keep their first answer in the browser until it is forgotten, and count hands; sentences say what is true."""

import re

import pytest
from traitlets import TraitError

from bflo_viz import regime, stretch, stretch_kl
from bflo_viz.explorers.bet import NOTEBOOK, Bet
from bflo_viz.explorers.sentence import Sentence

SAID = ".bflo-say"
REPLIES = {"wider": "It comes out half as wide.", "the same": "The mean has moved, too.", "narrower": "By half."}


def numbers(page):
    """All numbers of the sentence on a page."""
    return [float(x) for x in re.findall(r"-?\d+\.?\d*", page.inner_text(SAID).replace("−", "-"))]


def test_the_first_answer_stays_in_the_browser_until_it_is_forgotten(opened):
    """It is there when the page is opened again, and no second one counts; forgotten, one may bet again."""
    page = opened(Bet("2a", REPLIES, "narrower"))
    assert page.inner_text(SAID) == "Your first answer counts."
    page.click("[data-option=wider]")
    page.wait_for_timeout(100)
    assert page.inner_text(SAID) == "✗ It comes out half as wide."
    assert page.get_attribute(".is-right", "data-option") == "narrower"
    page.click("[data-option=narrower]", force=True)  # too late
    page.reload()
    page.wait_for_timeout(300)
    assert page.inner_text(SAID) == "✗ It comes out half as wide."
    page.click("text=Forget my answer")
    page.wait_for_timeout(100)
    assert page.inner_text(SAID) == "Your first answer counts."
    page.reload()
    page.wait_for_timeout(300)
    assert page.inner_text(SAID) == "Your first answer counts."


def test_another_notebook_in_the_same_browser_has_answers_of_its_own(opened, tmp_path, monkeypatch):
    page = opened()
    for notebook, says in (("a/02.ipynb", "wider"), ("b/02.ipynb", ""), ("a/02.ipynb", "wider")):
        monkeypatch.setenv(NOTEBOOK, notebook)
        page.goto(Bet("2a", REPLIES, "narrower").save_html(tmp_path / "bet.html").as_uri())
        page.wait_for_timeout(200)
        if notebook.startswith("a"):
            page.click("[data-option=wider]", force=True)
            page.wait_for_timeout(100)
        assert page.get_attribute(".bflo", "data-answer") == says


def test_hands_are_counted(opened):
    """Each press is a hand, a minus takes one back; bars show the counts, and nothing is answered by that."""
    page = opened(Bet("2a", REPLIES, "narrower"))
    page.click("text=Count hands")
    for option, hands in (("wider", 4), ("narrower", 2)):
        for _ in range(hands):
            page.click(f"[data-option={option}]")
    page.click("[aria-label='One hand less for wider']")
    page.click("text=Done counting")
    page.wait_for_timeout(400)
    assert page.locator(".bflo-bets output").all_inner_texts() == ["3", "0", "2"]
    wide = page.evaluate(
        "() => [...document.querySelectorAll('.bflo-bets i')].map((one) => one.getBoundingClientRect().width)"
    )
    assert wide[2] / wide[0] == pytest.approx(2 / 3, rel=0.01) and wide[1] == 0
    assert page.get_attribute(".bflo", "data-answer") == ""


def test_python_answers_once():
    """From Python as on the page: other answers are refused, an empty one forgets; notebooks store words alone."""
    shown = Bet("2a", REPLIES, "narrower")
    assert repr(shown) == 'Choose from "wider", "the same", "narrower": bet("2a", "…").'
    shown.set_state({"answer": "wider"})  # as the page sends it
    assert repr(shown) == "✗ It comes out half as wide."
    with pytest.raises(TraitError, match="'wider', is kept"):
        shown.answer = "narrower"
    shown.answer = ""
    shown.answer = "narrower"
    assert repr(shown) == "✓ By half."
    assert set(shown._repr_mimebundle_()[0]) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
    with pytest.raises(TraitError, match="bet 2a is one of 'wider', 'the same', 'narrower', but not 'blue'"):
        Bet("2a", REPLIES, "narrower", answer="blue")
    with pytest.raises(ValueError, match="'no' is not one of the options of bet 2a"):
        Bet("2a", REPLIES, "no")


@pytest.mark.parametrize(("u", "v"), [(1.5, 0.5), (1.0, -2.0), (-0.3, 2.4), (3.9, 0.0)])
def test_sentences_of_a_weight_say_what_python_computes(opened, u, v):
    a = float(stretch(u, v))
    page = opened(Sentence("width", u=u, v=v))
    assert numbers(page) == pytest.approx([u, v, round(100 * a), v - a * u, float(stretch_kl(a, u, v))], abs=0.00501)
    page.goto("about:blank")
    page = opened(Sentence("dimensions", u=u, v=v, dim=9))
    shares = [100 * float(stretch(u, v, dim=dim)) for dim in (1, 9)]
    assert numbers(page) == pytest.approx([9, u, v, *map(round, shares)], abs=1.01)


def test_a_number_is_dragged_or_moved_by_keys(opened):
    """Both ways go by steps, stop at the ends, and what follows moves along."""
    page = opened(Sentence("width"))
    first = page.locator(".bflo-scrub").first
    assert regime(1.5, 0.5) and first.inner_text() == "1.5"
    box = first.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 5)
    page.mouse.up()
    page.wait_for_timeout(100)
    assert first.inner_text() == "2.0" and numbers(page)[2] == round(100 * float(stretch(2.0, 0.5)))
    first.press("ArrowLeft")
    first.press("Shift+ArrowRight")
    assert first.inner_text() == "2.4" and first.get_attribute("aria-valuenow") == "2.4"
    for _ in range(5):
        first.press("Shift+ArrowRight")
    assert first.inner_text() == "4.0"
    with pytest.raises(TraitError, match="sentence"):
        Sentence("size")
