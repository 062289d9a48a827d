"""The handout: one page, the same bytes each time, and the copy in docs is the current one."""

from pathlib import Path

import pytest
from matplotlib.backends.backend_pdf import pdfRepr

from bflo_viz.figures import gallery
from bflo_viz.figures.style import alt_text, save

COPY = Path(__file__).parents[2] / "docs" / "handout.pdf"


@pytest.fixture(scope="module")
def page():
    return gallery.make("handout")


def test_the_copy_in_docs_says_what_is_drawn_now(page):
    """A4, below 200 kB, with a title, and with the words of this very page."""
    content = COPY.read_bytes()
    assert len(content) < 200_000
    assert b"/Count 1 " in content and b"/MediaBox [ 0 0 595.44 841.68 ]" in content
    assert pdfRepr("Belief flows on one page") in content
    assert pdfRepr(alt_text(page)) in content, "make it anew: bflo figures handout --format pdf --out docs"


def test_the_same_bytes_each_time(page, tmp_path):
    """No date, and nothing that changes from run to run."""
    save(page, tmp_path / "one.pdf")
    save(gallery.make("handout", "slides"), tmp_path / "two.pdf")
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
    assert b"CreationDate" not in (tmp_path / "one.pdf").read_bytes()


def test_the_alt_text_tells_the_steps_and_all_three_pictures(page):
    """So that who cannot see the page knows what is on it."""
    words = alt_text(page)
    for part in ("Draw a weight", "The belief follows", "three flows", "Two maps", "pseudo-points"):
        assert part in words
