"""Bets keep their first answer in the browser until it is forgotten, and count hands."""

import pytest
from traitlets import TraitError

from bflo_viz.explorers.bet import NOTEBOOK, Bet
from bflo_viz.lessons import bet

SAID = ".bflo-say"
REPLIES = {"wider": "It comes out half as wide.", "the same": "The mean has moved, too.", "narrower": "By half."}


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


def test_a_bet_can_be_answered_as_its_text_says():
    assert repr(bet("2a")) == 'Choose from "wider", "the same", "narrower": bet("2a", "…").'
    assert repr(bet("2a", "narrower")).startswith("✓ ")


def test_python_answers_once():
    """From Python as on the page: other answers are refused, an empty one forgets; notebooks store words alone."""
    shown = Bet("2a", REPLIES, "narrower")
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
