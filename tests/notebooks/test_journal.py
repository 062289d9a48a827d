"""The journal of attempts, also where it cannot be written."""

import json

import pytest

from bflo_viz._places import JOURNAL_VARIABLE
from bflo_viz.lessons import check, journal

MIME = "application/vnd.bflo-viz.answer+json"


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """A journal of its own, which does not exist yet."""
    file = tmp_path / "deep" / "journal.jsonl"
    monkeypatch.setenv(JOURNAL_VARIABLE, str(file))
    monkeypatch.setattr(journal, "_unwritten", [])
    return file


def test_a_disk_that_takes_nothing_breaks_nothing(path):
    """Then attempts are counted as long as Python runs."""
    path.parent.write_text("a file where a folder should be")
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
