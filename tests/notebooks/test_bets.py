"""Bets and the journal: right, wrong, unknown, twice, and a journal that is broken or cannot be written."""

import json

import pytest
import traitlets

from bflo_viz._places import JOURNAL_VARIABLE
from bflo_viz.lessons import bet, bets, check, journal

MIME = "application/vnd.bflo-viz.answer+json"


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """A journal of its own, which does not exist yet."""
    file = tmp_path / "deep" / "journal.jsonl"
    monkeypatch.setenv(JOURNAL_VARIABLE, str(file))
    monkeypatch.setattr(journal, "_unwritten", [])
    return file


def test_the_first_answer_is_kept(path):
    """By hand or from Python, with its reason; another one is refused, and a new run of the cell shows the first."""
    shown = bet("02.2")
    assert "first answer counts" in repr(shown) and MIME not in shown._stored()[0]
    shown.set_state({"reason": "  it was\n pushed ", "answer": "wider"})  # as the page sends it
    assert "✗ Not “wider”" in repr(shown) and "It is “narrower”" in repr(shown)
    kept = {"exercise": "02.2", "first": "wider", "reason": "it was pushed"}
    assert shown._stored()[0] == {MIME: kept}
    with pytest.raises(traitlets.TraitError, match="'wider', is kept"):
        shown.set_state({"answer": "narrower"})
    shown.reason = "I knew"
    assert (shown.answer, shown.reason) == ("wider", "it was pushed")
    again = bet("02.2", "narrower")
    assert again._stored()[0] == {MIME: kept}
    assert len(path.read_text().splitlines()) == 1


def test_right_wrong_and_unknown():
    assert "✓ Right, “narrower”" in repr(bet("02.2", " Narrower "))
    assert "There is no bet '2.2'; there are 01.3, 01.5" in str(bet("2.2"))
    assert "There is no bet '02.1'" in str(bet("02.1"))  # an exercise, but no bet
    assert str(bet("03.1", "purple")) == (
        "The answer must be one of 'none', 'full', 'full and diagonal', 'full and spherical', 'all', "
        "but it was 'purple'."
    )
    assert "must be one of" not in repr(bet("03.1"))  # what is no option is no answer


def test_looking_back():
    """What I believed, why, what is true; and a reason is shown as it was typed."""
    assert str(bets()).startswith("There are no bets yet")
    bet("02.2", "wider", "<b>a {curly} reason</b>")
    bet("01.3", "flow")
    text, page = str(bets()), bets()._repr_html_()
    assert text.index("01.3") < text.index("02.2") and text.count("✓") == text.count("✗") == 1
    assert "&lt;b&gt;a {curly} reason&lt;/b&gt;" in page


def test_a_broken_journal_breaks_nothing(path):
    """Lines that cannot be read, that are about something else, or that name no option."""
    path.parent.mkdir()
    lines = ["{", "[1]", '"x"', '{"exercise": 7}', '{"exercise": "02.2", "answer": ["wider"]}', "\x00"]
    lines += ['{"exercise": "02.2", "answer": "wider still"}', '{"exercise": "02.2", "answer": "the same"}']
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\xfe\n")
    shown = bet("02.2")
    assert (shown.answer, shown.reason) == ("the same", "")
    assert check.slope_of_the_kl(None).record["attempts"] == 0


def test_a_disk_that_takes_nothing_breaks_nothing(path):
    """Then answers are kept as long as Python runs."""
    path.parent.write_text("a file where a folder should be")
    assert bet("02.2", "wider").answer == "wider"
    assert bet("02.2").answer == "wider"
    assert check.slope_of_the_kl(3).record["attempts"] == 1
    assert check.slope_of_the_kl(3).record["attempts"] == 2


def test_attempts_are_counted_until_one_is_right(path):
    """An empty stub is none; the record goes into the notebook beside the words."""

    def slope(a, u, v):
        return -u * (v - a * u) + a - 1 / a

    assert [check.slope_of_the_kl(answer).record["attempts"] for answer in (None, 1, None, slope, 1)] == [
        0,
        1,
        1,
        2,
        2,
    ]
    verdict = check.slope_of_the_kl(slope)
    record = {"exercise": "02.1", "right": True, "attempts": 2}
    assert verdict._repr_mimebundle_() == {"text/plain": repr(verdict), MIME: record}
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 2
