"""Sketches: their text, their brush, and what a network sees of them, by an oracle that counts small dots."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bflo_viz.scenes.votes import BOX, BRUSH, SEEN, as_seen, drawn, from_text, of_picture, seen, to_text
from bflo_viz.streams import Stream, enlarge, load_stream

pages = arrays.arrays(bool, (28, 28), elements=st.booleans(), fill=st.just(False))
FINE = 60  # dots a side of a cell, for the oracle


@given(pages)
def test_a_text_says_all_of_a_page(page):
    text = to_text(page)
    np.testing.assert_array_equal(from_text(text), page)
    assert len(text) <= 28 * 7 + 27 and to_text(from_text(text)) == text


def test_a_text_is_read_from_the_top_left():
    """By hand: the top left corner, the bottom right one, and nothing."""
    corners = from_text("8000000" + 27 * "." + "1")
    assert np.argwhere(corners).tolist() == [[0, 0], [27, 27]]
    assert not from_text("").any() and to_text(np.zeros((28, 28))) == ""


@pytest.mark.parametrize("text", ["g", "12345678", 28 * ".", "A", "1\n", " ", 7, None, ["1"]])
def test_what_is_no_sketch_gets_one_sentence(text):
    with pytest.raises(ValueError, match=r"^sketch must be at most 28 rows of up to 7 hexadecimal digits, .*\.$"):
        from_text(text)


def by_dots(page):
    """What is seen, by the textbook: every cell is many dots, each dot is moved, and dots are counted."""
    rows, columns = np.nonzero(page)
    inside = (np.arange(FINE) + 0.5) / FINE
    y, x = (np.add.outer(found, inside).ravel() for found in (rows, columns))
    ends = [(found.min(), found.max() + 1) for found in (rows, columns)]
    scale = BOX / max(high - low for low, high in ends)
    y, x = (scale * (place - place.mean()) + SEEN / 2 for place in (y, x))
    counts = np.zeros((SEEN, SEEN))
    for first, second in zip(y.reshape(-1, FINE), x.reshape(-1, FINE), strict=True):
        down, across = (
            np.bincount(np.clip(np.floor(v), 0, SEEN - 1).astype(int), minlength=SEEN) for v in (first, second)
        )
        counts += np.outer(down, across)
    return counts * (scale / FINE) ** 2


@given(pages)
def test_what_is_seen_is_sized_and_centred(page):
    """Against the dots; nothing is lost, the middle is the centre of mass, and the longer side fills the box."""
    picture = seen(page)
    if not page.any():
        assert not picture.any()
        return
    assert picture.shape == (SEEN, SEEN) and picture.min() >= 0 and picture.max() <= 1 + 1e-12
    rows, columns = np.nonzero(page)
    scale = BOX / max(np.ptp(rows) + 1, np.ptp(columns) + 1)
    middle_fits = all(
        max(found.mean() - found.min(), found.max() - found.mean()) + 0.5 <= SEEN / 2 / scale
        for found in (rows, columns)
    )
    if middle_fits:  # else its far end is cut off, as in MNIST
        assert picture.sum() == pytest.approx(page.sum() * scale**2)
        np.testing.assert_allclose(picture, by_dots(page), atol=0.06)


def test_the_place_of_a_sketch_does_not_matter():
    """Drawn elsewhere it is seen the same."""
    stroke = np.array([(8.0, 4.0), (16.0, 4.0), (11.0, 20.0)])
    here, there = (seen(drawn([stroke + shift])) for shift in ((0, 0), (3, 2)))
    np.testing.assert_allclose(here, there, atol=1e-12)


def test_the_brush_is_round():
    """A dot, and a line: cells whose middle is near enough, counted one by one."""
    ink = drawn([[(10.5, 10.5)], [(3, 3), (3, 9)]])
    for row in range(28):
        for column in range(28):
            x, y = column + 0.5, row + 0.5
            dot = np.hypot(x - 10.5, y - 10.5)
            line = np.hypot(x - 3, max(3 - y, 0, y - 9))
            assert ink[row, column] == (min(dot, line) <= BRUSH), (row, column)


def test_any_picture_can_be_drawn():
    """Of any size and brightness, in the middle; what is no picture gets a sentence."""
    small = np.zeros((8, 4))
    small[1:7, 2] = 9.0
    ink = of_picture(small)
    assert ink.any() and not ink[:3].any() and not ink[25:].any()
    rows, columns = np.nonzero(ink)
    assert np.ptp(rows) + 1 == pytest.approx(21, abs=1) and np.ptp(columns) + 1 == pytest.approx(3.5, abs=1)
    np.testing.assert_array_equal(of_picture(255 * drawn([[(5, 5), (20, 20)]])), drawn([[(5, 5), (20, 20)]]))
    assert not of_picture(np.zeros((28, 28))).any()
    for wrong in (np.zeros(5), -np.ones((3, 3)), np.zeros((2, 2, 3))):
        with pytest.raises(ValueError, match=r"^picture must be rows and columns of brightness from 0 up, .*\.$"):
            of_picture(wrong)


def test_a_stream_is_seen_as_a_sketch_is():
    """Row by row; other streams are refused."""
    digits = enlarge(load_stream("digits")).take(slice(20))
    ready = as_seen(digits)
    assert ready.features == SEEN * SEEN and ready.X.dtype == np.float32
    for row, pixels in zip(ready.X, digits.X, strict=True):
        np.testing.assert_allclose(row, seen(pixels.reshape(28, 28) > 127).ravel(), atol=1e-6)
    with pytest.raises(ValueError, match="as_seen is for pictures of 28 x 28 pixels, not for"):
        as_seen(Stream(np.zeros((2, 5)), np.array([0, 1])))
