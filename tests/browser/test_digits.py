"""A script draws on the digit explorer by mouse, finger and keys, and reads the votes."""

from itertools import pairwise

import pytest

from bflo_viz import DigitExplorer
from bflo_viz.scenes.votes import ROUNDS, SENTENCES, digit_votes
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, swiped, until

ONE = [[(14, 4), (14, 23)]]
ZERO = [[(14, 4), (9.5, 7), (8, 13), (9.5, 20), (14, 23), (18.5, 20), (20, 13), (18.5, 7), (14, 4)]]
SEVEN = [[(8, 5), (20, 5), (12, 23)]]
FOUR = [[(9, 4), (8, 14), (20, 14)], [(17.5, 8), (17, 24)]]


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    """The saved page, offline, on an empty sheet."""
    file = DigitExplorer(sketch="").save_html(tmp_path_factory.mktemp("digits") / "digits.html")
    with browser.new_context(offline=True, has_touch=True, viewport={"width": 1200, "height": 900}) as context:
        page = context.new_page()
        witness = Witness(page)
        page.goto(file.as_uri())
        yield Explorer(page, "digits", PARTS["digits"]).wait()
        assert witness.take() == []


@pytest.fixture
def empty(shown):
    """With nothing drawn, as much learned as can be, and the pen in the middle."""
    shown.page.goto(shown.page.url.partition("#")[0])  # a reload would keep the sketch, which is in the address
    return shown.wait()


def places(explorer, stroke):
    """Where points of the sheet, in cells, are on the screen; steps as small as those of a hand."""
    box = explorer.root.locator(".bflo-pad rect").bounding_box()
    cell = box["width"] / 28
    corners = [(box["x"] + x * cell, box["y"] + y * cell) for x, y in stroke]
    fine = [corners[0]]
    for (x0, y0), (x1, y1) in pairwise(corners):
        fine += [(x0 + (x1 - x0) * k / 8, y0 + (y1 - y0) * k / 8) for k in range(1, 9)]
    return fine


def draw(explorer, strokes):
    """Draw by mouse."""
    for stroke in strokes:
        first, *rest = places(explorer, stroke)
        explorer.page.mouse.move(*first)
        explorer.page.mouse.down()
        for spot in rest:
            explorer.page.mouse.move(*spot)
        explorer.page.mouse.up()


def says_what_python_says(explorer):
    """The words below are those of the same sketch in Python, which comes back as a scene."""
    for _ in range(2):  # what was drawn last is painted a frame later
        explorer.page.evaluate("() => new Promise(requestAnimationFrame)")
    says = explorer.says()
    scene = digit_votes(**says["state"])
    said = scene.said()
    assert says["below"] == [f"{said[0]} {said[1]}", *said[2:], *[""] * (4 - len(said))]
    return scene


@pytest.mark.parametrize(("strokes", "digit"), [(ONE, 1), (ZERO, 0), (SEVEN, 7), (FOUR, 4)], ids=str)
def test_a_drawn_digit_is_recognised(empty, strokes, digit):
    """By most networks; each is a dot, and the titles say it."""
    draw(empty, strokes)
    scene = says_what_python_says(empty)
    assert scene.ranking[0] == digit and scene.agreement[-1] > 0.8, scene.tally
    title = f"{scene.votes[-1].max()} of 50 networks see a {digit}"
    assert empty.says()["titles"][1] == title
    dots = empty.root.locator("path[stroke-linecap=round]").get_attribute("d")
    assert dots.count("M") == 50


def test_a_finger_draws_and_the_page_stays(empty):
    with swiped(empty.page, places(empty, SEVEN[0])):
        pass
    scene = says_what_python_says(empty)
    assert scene.ranking[0] == 7 and empty.page.evaluate("scrollY") == 0


def test_keys_draw_and_say_where_the_pen_is(empty):
    """Up to the top, pen down, a line down, pen up: a 1; elsewhere nothing is drawn; the eraser takes it away."""
    empty.root.locator(".bflo-pad").focus()
    keys = empty.page.keyboard
    for _ in range(3):
        keys.press("Shift+ArrowUp")
    until(lambda: empty.voice.startswith("Row 3, column 15, pen up. "))
    assert empty.state["sketch"] == ""
    keys.press("Space")
    until(lambda: "pen down" in empty.voice)
    for _ in range(20):
        keys.press("ArrowDown")
    keys.press("Space")
    keys.press("ArrowRight")
    scene = says_what_python_says(empty)
    assert scene.ranking[0] == 1 and scene.agreement[-1] > 0.9, scene.tally
    drawn = empty.state["sketch"]
    empty.use("erase", None)
    assert empty.control("erase").get_attribute("aria-pressed") == "true"
    draw(empty, ONE)
    until(lambda: len(empty.state["sketch"]) < len(drawn))
    empty.use("clear", None)
    empty.shows(sketch="")
    until(lambda: empty.below()[1], SENTENCES["empty"])


def test_learning_is_scrubbed_by_hand_and_by_keys(empty):
    """The votes are those of the moment; the slider says how many digits that is."""
    draw(empty, SEVEN)
    empty.root.locator('[style*="ew-resize"]').scroll_into_view_if_needed()
    box = empty.root.locator('[style*="ew-resize"]').bounding_box()
    empty.page.mouse.click(box["x"] + 0.02 * box["width"], box["y"] + 0.5 * box["height"])
    empty.shows(moment=0)
    scene = says_what_python_says(empty)
    assert scene.doubt[0] > 2
    slider = empty.control("moment")
    assert slider.get_attribute("aria-valuetext") == "0 digits"
    slider.focus()
    for moment in (1, 2, 3):
        empty.page.keyboard.press("ArrowRight")
        empty.shows(moment=moment)
    until(lambda: slider.get_attribute("aria-valuetext"), "1k digits")
    says_what_python_says(empty)
    assert f"{ROUNDS[3]:,}" in empty.says()["titles"][3]
