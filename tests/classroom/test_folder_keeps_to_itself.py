"""A folder of pages that came from somebody else: nothing outside of it is deleted or written."""

import json

import pytest

from bflo_viz.classroom.folder import fill, ours

LIST = "bflo-files.json"


@pytest.fixture
def given(tmp_path):
    """A folder of ours, and a file beside it."""
    (tmp_path / "out").mkdir()
    (tmp_path / "dear.txt").write_text("dear")
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["../dear.txt", "{}/dear.txt", "sub/../../dear.txt", "link/dear.txt", "..", ""])
def test_names_that_lead_out_are_not_ours(given, name):
    """They are left alone: with dots, absolute, or through a link."""
    (given / "sub").mkdir()
    (given / "link").symlink_to(given.parent)
    (given / LIST).write_text(json.dumps([name.format(given.parent), "old.html"]))
    (given / "old.html").touch()
    fill(given, {"new.html": b"1"})
    assert (given.parent / "dear.txt").read_text() == "dear"
    assert not (given / "old.html").exists()


def test_links_are_not_written_through(given):
    """Neither a folder that leads out, nor the draft of a file."""
    fill(given, {"a.html": b"1"})
    (given / ".a.html.part").symlink_to(given.parent / "dear.txt")
    fill(given, {"a.html": b"2"})
    assert (given.parent / "dear.txt").read_text() == "dear"
    (given / "runs").symlink_to(given.parent)
    with pytest.raises(ValueError, match=r"runs/b\.js' would be outside of '.*out': remove that link"):
        fill(given, {"runs/b.js": b"3"})
    assert not (given.parent / "b.js").exists()


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "[1]", "7"])
def test_a_list_that_is_none_gets_a_sentence(given, text):
    """It names the file."""
    (given / LIST).write_text(text)
    with pytest.raises(ValueError, match=r"bflo-files\.json' is not the list that it should be: name a new folder"):
        ours(given)
