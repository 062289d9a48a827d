"""The decks in Chromium, from a disk and without a network: keys, hands, and words that fit."""

import re

import pytest

from bflo_viz.classroom import slides
from browser.pages import Explorer, Witness, until, violations

SIZE = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All decks."""
    out = tmp_path_factory.mktemp("slides") / "out"
    slides.build(out, [], tell=lambda _: None)
    return out


@pytest.fixture(scope="module")
def window(browser):
    """As large as a small projector."""
    context = browser.new_context(viewport=SIZE)
    yield context
    context.close()


@pytest.fixture
def deck(window, folder):
    """Opens a deck at a slide; whatever goes wrong on the page fails the test."""
    page = window.new_page()
    witness = Witness(page)

    def opened(slug, slide="title"):
        page.goto((folder / f"{slug}.html").as_uri() + f"#{slide}")
        page.wait_for_selector(".present")
        page.wait_for_function("() => document.querySelectorAll('.bflo-alive:not([data-alive])').length === 0")
        return page

    yield opened
    page.close()
    for words in ("XMLHttpRequest at 'file:", "ERR_FAILED (file:", "Connecting to 'file:"):
        witness.forgive(words)  # axe-core asks for style sheets, which a page from a disk may not read
    assert witness.take() == []


def slide_of(page):
    return page.evaluate("() => document.querySelector('.present').id")


def test_keys_and_buttons_turn_slides(deck):
    """The address goes along, also from outside; every slide says where it stands."""
    page = deck("02_one_dimension")
    for key, slide in (
        ("ArrowRight", "text-2"),
        ("ArrowDown", "text-4"),
        (" ", "text-5"),
        ("ArrowLeft", "text-4"),
        ("End", "questions"),
        ("ArrowRight", "questions"),
        ("Home", "title"),
        ("PageDown", "text-2"),
    ):
        page.keyboard.press(key)
        assert slide_of(page) == slide
        assert page.evaluate("() => location.hash") == f"#{slide}"
        assert page.evaluate("() => document.activeElement.id") == slide
    page.get_by_role("button", name="Next slide").click()
    assert slide_of(page) == "text-4"
    assert page.locator(".count").inner_text() == "3 / 25"
    assert page.locator(".slide.present").get_attribute("aria-label") == "3 of 25"
    page.evaluate("() => { location.hash = '#text-30'; }")
    until(lambda: slide_of(page), "text-30")


def test_what_comes_later_comes_later(deck):
    """A fragment is the first step; for those who come back it is there."""
    page = deck("02_one_dimension")
    slide = page.evaluate("() => document.querySelector('.fragment').closest('.slide').id")
    page = deck("02_one_dimension", slide)
    fragment = page.locator(".present .fragment")
    assert not fragment.is_visible()
    page.keyboard.press("ArrowRight")
    assert slide_of(page) == slide and fragment.is_visible()
    page.keyboard.press("ArrowRight")
    assert slide_of(page) != slide
    page.keyboard.press("ArrowLeft")
    assert slide_of(page) == slide and fragment.is_visible()


def test_a_swipe_turns_the_slide(browser, folder):
    """On a phone; but not one that begins on an explorer."""
    context = browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True)
    page = context.new_page()
    page.goto((folder / "02_one_dimension.html").as_uri() + "#text-30")
    Explorer(page, "regime").wait()
    finger = context.new_cdp_session(page)

    def swipe(x, y, by):
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x + by, "y": y}]),
            ("touchEnd", []),
        ):
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    box = page.locator(".present .bflo-title, .present .bflo-plot").last.bounding_box()
    swipe(box["x"] + 200, min(box["y"] + 20, 700), -150)
    assert slide_of(page) == "text-30"
    swipe(300, 30, -200)
    until(lambda: slide_of(page), "exercise-02-3-asks")
    swipe(50, 30, 200)
    until(lambda: slide_of(page), "text-30")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


def test_the_point_has_the_arrows_as_long_as_it_has_the_focus(deck):
    """Escape gives them back; a remote control turns slides in any case, and takes the focus away."""
    page = deck("02_one_dimension", "text-30")
    explorer = Explorer(page, "regime").wait()
    state = lambda: page.evaluate("() => JSON.parse(document.querySelector('.bflo').dataset.state)")  # noqa: E731
    explorer.handle("point").focus()
    before = state()
    for key in ("ArrowRight", "ArrowUp", " "):
        page.keyboard.press(key)
    until(lambda: state()["delta"] > before["delta"] and state()["delta_new"] > before["delta_new"], True)
    assert slide_of(page) == "text-30"
    page.keyboard.press("Escape")
    moved = state()
    page.keyboard.press("ArrowLeft")
    assert slide_of(page) == "text-27"
    page.keyboard.press("ArrowRight")
    assert slide_of(page) == "text-30"
    assert state() == moved
    explorer.handle("point").focus()
    page.keyboard.press("PageDown")
    assert slide_of(page) == "exercise-02-3-asks"
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowLeft")
    assert slide_of(page) == "text-27"


def test_no_control_turns_a_slide(deck):
    """A slider, a list, a box and a button: arrows and space are theirs. And Tab stays on the slide."""
    page = deck("02_one_dimension", "text-30")
    explorer = Explorer(page, "regime").wait()
    for control in ("delta", "branch", "non_expansive", "preset-4"):
        explorer.control(control).focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", " "):
            page.keyboard.press(key)
        page.keyboard.press("Escape")  # the list may have opened, and takes the first one
        assert slide_of(page) == "text-30", control
    there = "() => document.activeElement.closest('.slide')?.id ?? 'none'"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(there) in ("text-30", "none")


def test_what_is_dragged_stays_under_the_hand(deck):
    """Slides are not scaled."""
    page = deck("02_one_dimension", "text-30")
    Explorer(page, "regime").wait().follows("point", (38, -31))
    assert slide_of(page) == "text-30"


def test_nobody_is_kept_out(deck):
    """axe-core has nothing serious to say of a slide with an explorer, light or dark; the key D swaps them."""
    page = deck("02_one_dimension", "text-30")
    Explorer(page, "regime").wait()
    for _ in range(2):
        assert violations(page) == []
        found = page.evaluate("() => axe.run({ exclude: [['.bflo']] }, { preload: false }).then((r) => r.violations)")
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        page.keyboard.press("d")
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != ground


@pytest.mark.slow
def test_no_slide_is_wider_than_the_window(deck, folder):
    """In any deck; nor is anything on it, and every explorer lives."""
    counted = 0
    for path in sorted(folder.glob("[0-9]*.html")):
        page = deck(path.stem)
        wide = page.evaluate(
            """() => [...document.querySelectorAll(".slide")].flatMap((slide) => {
                while (!slide.classList.contains("present")) {
                    dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", cancelable: true, view: window }));
                }
                const parts = slide.querySelectorAll(":scope > :not(.notes, .scroll), .bflo-controls *, .bflo-plot");
                const far = [...parts].filter((part) => part.getBoundingClientRect().right > innerWidth);
                return slide.scrollWidth > slide.clientWidth || far.length ? [slide.id] : [];
            })"""
        )
        assert wide == [], path.name
        assert page.locator('.bflo-alive[data-alive="no"]').count() == 0
        counted += page.locator('.bflo-alive[data-alive="yes"]').count()
    assert counted == 15


@pytest.mark.slow
def test_it_prints_a_sheet_for_each_slide(window, folder, tmp_path):
    """With what comes later, and without notes."""
    page = window.new_page()
    page.goto((folder / "02_one_dimension.html").as_uri())
    page.wait_for_selector(".present")
    page.pdf(path=tmp_path / "deck.pdf", prefer_css_page_size=True)
    page.close()
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "deck.pdf").read_bytes())) == 25


def test_the_speaker_sees_the_notes(deck):
    """By the key S, in a window of its own that follows the slides, and turns them."""
    page = deck("02_one_dimension", "exercise-02-2-asks")
    assert not page.locator(".present .notes").is_visible()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    speaker.wait_for_selector(".notes:has-text('Let everyone commit')")
    page.keyboard.press("ArrowRight")
    speaker.locator("body").press("ArrowRight")
    speaker.wait_for_selector(".notes:has-text('Ask which of the three changed most')")
    assert slide_of(page) == "text-23"
    assert "/ 25 · " in speaker.locator("h1").inner_text()
    assert speaker.locator(".coming").inner_text().startswith("Next: ")
    speaker.wait_for_selector(".clock:has-text('after 0 min')")
    speaker.close()
