"""The decks in Chromium, from a disk and without a network: keys, hands, and words that fit."""

import re

import pytest

from bflo_viz.classroom import slides
from browser.pages import Explorer, Witness, attacked, swiped, until, violations

SLUG, WITH_EXPLORER = "02_one_dimension", "text-30"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All decks."""
    out = tmp_path_factory.mktemp("slides") / "out"
    slides.build(out, [], tell=lambda _: None)
    return out


@pytest.fixture(scope="module")
def window(browser):
    """As large as a small projector."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, has_touch=True)
    yield context
    context.close()


@pytest.fixture
def deck(window, folder):
    """Opens a deck at a slide; whatever goes wrong on the page fails the test."""
    page = window.new_page()
    witness = Witness(page)

    def opened(slide="title", slug=SLUG):
        page.goto((folder / f"{slug}.html").as_uri() + f"#{slide}")
        page.wait_for_selector(".present")
        page.wait_for_function("() => document.querySelectorAll('.bflo-alive:not([data-alive])').length === 0")
        return page

    yield opened
    page.close()
    assert witness.take() == []


def slide_of(page):
    return page.evaluate("() => document.querySelector('.present').id")


def test_keys_and_buttons_turn_slides(deck):
    """The address goes along, also from outside; every slide says where it stands."""
    page = deck()
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
        places = "() => [document.querySelector('.present').id, location.hash.slice(1), document.activeElement.id]"
        assert page.evaluate(places) == [slide] * 3
    page.get_by_role("button", name="Next slide").click()
    assert slide_of(page) == "text-4"
    assert page.locator(".count").inner_text() == "3 / 28"
    assert page.locator(".slide.present").get_attribute("aria-label") == "3 of 28"
    page.evaluate("() => { location.hash = '#text-30'; }")
    until(lambda: slide_of(page), "text-30")


def test_what_comes_later_comes_later(deck):
    """A fragment is the first step; for those who come back it is there."""
    slide = deck().evaluate("() => document.querySelector('.fragment').closest('.slide').id")
    page = deck(slide)
    fragment = page.locator(".present .fragment")
    assert not fragment.is_visible()
    page.keyboard.press("ArrowRight")
    assert slide_of(page) == slide and fragment.is_visible()
    page.keyboard.press("ArrowRight")
    assert slide_of(page) != slide
    page.keyboard.press("ArrowLeft")
    assert slide_of(page) == slide and fragment.is_visible()


def test_a_swipe_turns_the_slide(deck):
    """On a phone; but not one that begins on an explorer."""
    page = deck(WITH_EXPLORER)
    page.set_viewport_size({"width": 390, "height": 780})
    Explorer(page, "regime").wait()

    def swipe(x, y, by):
        with swiped(page, [(x, y), (x + by, y)]):
            pass

    box = page.locator(".present .bflo-title, .present .bflo-plot").last.bounding_box()
    swipe(box["x"] + 200, min(box["y"] + 20, 700), -150)
    assert slide_of(page) == WITH_EXPLORER
    swipe(300, 30, -200)
    until(lambda: slide_of(page), "exercise-02-3-asks")
    swipe(50, 30, 200)
    until(lambda: slide_of(page), WITH_EXPLORER)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_what_is_used_has_the_keys_as_long_as_it_has_the_focus(deck):
    """A point stays under the hand, and has the arrows until Escape gives them back; so has any control.

    A remote control turns slides in any case, and takes the focus away. Tab stays on the slide.
    """
    page = deck(WITH_EXPLORER)
    explorer = Explorer(page, "regime").wait()
    explorer.follows("point", (38, -31))  # slides are not scaled
    explorer.handle("point").focus()
    before = explorer.state
    for key in ("ArrowRight", "ArrowUp", " "):
        page.keyboard.press(key)
    until(lambda: all(explorer.state[name] > before[name] for name in ("delta", "delta_new")))
    assert slide_of(page) == WITH_EXPLORER
    page.keyboard.press("Escape")
    moved = explorer.state
    for key, slide in (("ArrowLeft", "text-27"), ("ArrowRight", WITH_EXPLORER)):
        page.keyboard.press(key)
        assert slide_of(page) == slide
    assert explorer.state == moved
    for control in ("delta", "branch", "non_expansive", "preset-4"):
        explorer.control(control).focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", " "):
            page.keyboard.press(key)
        page.keyboard.press("Escape")  # the list may have opened, and takes the first one
        assert slide_of(page) == WITH_EXPLORER, control
    for _ in range(28):
        page.keyboard.press("Tab")
        there = page.evaluate("() => document.activeElement.closest('.slide')?.id ?? 'none'")
        assert there in (WITH_EXPLORER, "none")
    explorer.handle("point").focus()
    for key, slide in (("PageDown", "exercise-02-3-asks"), ("PageUp", WITH_EXPLORER), ("ArrowLeft", "text-27")):
        page.keyboard.press(key)
        assert slide_of(page) == slide


def test_nobody_is_kept_out(deck):
    """axe-core has nothing serious to say of a slide with an explorer, light or dark; the key D swaps them."""
    page = deck(WITH_EXPLORER)
    Explorer(page, "regime").wait()
    for _ in range(2):
        assert violations(page, "html") == []
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        page.keyboard.press("d")
        assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") != ground


def test_scripts_of_others_are_blocked(window, folder):
    """Those inside, those of handlers, those of other hosts; its own may run."""
    page = window.new_page()
    page.goto((folder / f"{SLUG}.html").as_uri())
    page.wait_for_selector(".present")
    ran, blocked = attacked(page)
    page.close()
    assert ran == [] and {"script-src-elem", "script-src-attr"} <= blocked


@pytest.mark.slow
def test_no_slide_is_wider_than_the_window(deck, folder):
    """In any deck; nor is anything on it, and every explorer lives."""
    there = alive = 0
    for path in sorted(folder.glob("[0-9]*.html")):
        page = deck(slug=path.stem)
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
        there += page.locator(".bflo-alive").count()
        alive += page.locator('.bflo-alive[data-alive="yes"]').count()
    assert alive == there > 30


@pytest.mark.slow
def test_it_prints_a_sheet_for_each_slide(deck, tmp_path):
    """With what comes later, and without notes."""
    deck().pdf(path=tmp_path / "deck.pdf", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "deck.pdf").read_bytes())) == 28


def test_the_speaker_sees_the_notes(deck):
    """By the key S, in a window of its own that follows the slides, and turns them."""
    page = deck("exercise-02-2-asks")
    assert not page.locator(".present .notes").is_visible()
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    speaker.wait_for_selector(".notes:has-text('Let everyone commit')")
    page.keyboard.press("ArrowRight")
    speaker.locator("body").press("ArrowRight")
    speaker.wait_for_selector(".notes:has-text('Ask which of the three changed most')")
    assert slide_of(page) == "text-23"
    assert "/ 28 · " in speaker.locator("h1").inner_text()
    assert speaker.locator(".coming").inner_text().startswith("Next: ")
    speaker.wait_for_selector(".clock:has-text('after 0 min')")
    speaker.close()


def test_no_picture_is_enlarged_on_a_full_hd_projector(deck, folder):
    """An image has a pixel for each of the screen's, so that it is not soft."""
    sizes = """() => [...document.querySelectorAll(".present figure.output img")].map((one) => {
        const fit = Math.min(one.clientWidth / one.naturalWidth, one.clientHeight / one.naturalHeight);
        return getComputedStyle(one).objectFit === "scale-down" ? Math.min(1, fit) : fit;
    })"""
    seen = []
    for slug in (SLUG, "07_neural_network_experiment"):
        page = deck(slug=slug)
        page.set_viewport_size({"width": 1920, "height": 1080})
        for place in page.locator(".slide:has(> figure.output)").evaluate_all("(all) => all.map((one) => one.id)"):
            page.evaluate("(id) => { location.hash = id; }", place)
            until(lambda: slide_of(page), place)  # noqa: B023
            seen += page.evaluate(sizes)
    assert len(seen) > 3 and max(seen) <= 1
