"""The course as web pages: from a server and from a disk, with every other host refused."""

import json
import re

import pytest

from bflo_viz.classroom import explorers, play, site
from bflo_viz.classroom.lesson import lessons
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, served, until, violations

PAGES = ["index", *(lesson.slug for lesson in lessons())]
NARROW, WIDE = {"width": 360, "height": 780}, {"width": 1200, "height": 900}
WIDER = """() => [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1
    && !one.closest(":is(.scroll, .bflo-table, .bflo-results) > *, svg")
).map((one) => one.outerHTML.slice(0, 120))"""
# Thousands of words of code, whose colours have a test of their own, and of numbers alike would take axe minutes.
SIMPLER = """() => {
    for (const code of document.querySelectorAll("pre code, math")) code.textContent = code.textContent;
    for (const rows of document.querySelectorAll(".results tbody:nth-of-type(n + 2)")) rows.remove();
}"""
UNREADABLE = """async () => {
    for (const one of document.querySelectorAll(".bflo-panels")) one.style.display = "none";
    const { violations } = await axe.run(document, { runOnly: ["color-contrast"], resultTypes: ["violations"] });
    return violations.flatMap(({ nodes }) => nodes.map((node) => node.html));
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site."""
    return site.build(tmp_path_factory.mktemp("course") / "site", tell=lambda _: None).parent


@pytest.fixture(scope="module")
def server(folder):
    """Its address on a server."""
    with served(folder) as address:
        yield address


@pytest.fixture(scope="module")
def window(browser):
    """A page of the browser."""
    context = browser.new_context(viewport=WIDE)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window):
    """Whatever goes wrong on the page fails the test, and so does a request that leaves this machine."""
    witness = Witness(window)
    yield window
    assert witness.take() == []


def opened(page, address=None):
    """The explorers of a page, all alive."""
    if address:
        page.goto(address)
        page.evaluate("document.querySelectorAll('.fold').forEach((one) => (one.open = true))")
    places = page.locator(".bflo-alive")
    until(lambda: page.locator('.bflo-alive[data-alive="yes"] [data-painted]').count(), places.count())
    alive = []
    for place in places.all():
        name = place.get_attribute("data-explorer")
        alive.append(Explorer(page, name, PARTS.get(name)))
        alive[-1].root = place.locator(".bflo")
    return alive


@pytest.mark.parametrize("name", PAGES)
def test_every_explorer_lives(page, server, folder, name):
    """On a server it answers the keyboard; from a disk it lives, and on a phone nothing is wider than the page."""
    for explorer in opened(page, f"{server}/{name}.html"):
        before = explorer.state
        if explorer.name == "bet":
            continue  # test_bets answers them
        if explorer.parts is None:
            explorer.root.get_by_role("slider").first.press("ArrowRight")  # a number in a sentence
        elif handles := explorer.parts.handles.keys() - explorer.parts.needs.keys():
            explorer.handle(min(handles)).press("ArrowRight")
        elif explorer.parts.rounds:
            explorer.control("step").press("Enter")
        else:
            other = {"table1": "Table 2", "table2": "Table 1"}
            if explorer.parts.name == "protocol":
                explorer.use("experiment", other[before["experiment"]])
            elif explorer.parts.name == "digits":
                explorer.control("moment").press("Home")
            else:
                explorer.control("protocol").press("End")
        until(lambda: explorer.state != before)  # noqa: B023
    page.set_viewport_size(NARROW)
    opened(page, (folder / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]
    assert page.evaluate(WIDER) == []
    page.set_viewport_size(WIDE)


# The index, a lesson with all there is, and a page to play on; others are like these.
NOT_SLOW = ("index", "02_one_dimension", "play/regime")
READ = [*PAGES, "symbols", "play/index", *(f"play/{name}" for name in explorers())]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in NOT_SLOW)) for name in READ]
)
def test_a_page_shuts_nobody_out(page, server, name):
    """axe-core finds nothing serious, in the light and in the dark."""
    page.emulate_media(color_scheme="light")
    opened(page, f"{server}/{name}.html")
    page.evaluate(SIMPLER)
    assert violations(page, "html") == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(UNREADABLE) == []


def test_the_theme_is_chosen_and_kept(page, server):
    """By a switch, for text and explorers, on the next page as well."""

    def grounds():
        shown = "(one) => getComputedStyle(one).backgroundColor"
        return {page.locator(one).first.evaluate(shown) for one in ("body", ".bflo")}

    page.emulate_media(color_scheme="light")
    opened(page, f"{server}/02_one_dimension.html")
    switch = page.get_by_role("button", name="Dark", exact=True)
    assert grounds() == {"rgb(255, 255, 255)"}
    switch.click()
    assert grounds() == {"rgb(17, 17, 17)"}
    page.get_by_role("link", name="Next 03 Flow types").click()
    page.wait_for_url("**/03_flow_types.html")
    opened(page)
    assert grounds() == {"rgb(17, 17, 17)"}
    switch.click()
    assert grounds() == {"rgb(255, 255, 255)"}
    page.evaluate("localStorage.clear()")


def test_paper_has_pictures_and_no_switches(page, server):
    """Of an explorer its picture, of the page its text; in the light, whatever was chosen."""
    opened(page, f"{server}/05_learning_online.html")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    assert page.locator(".bflo-still").first.is_visible()
    for hidden in (".bflo", "header", ".contents", ".turn", ".live", ".hints", "footer"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(34, 34, 34)"
    page.emulate_media(media="screen")


def test_a_page_can_be_used_by_keys_alone(page, server):
    """The first key leads past the bar; what is wider than its box can be scrolled."""
    opened(page, f"{server}/02_one_dimension.html")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    wider = "one.checkVisibility() && one.scrollWidth > one.clientWidth"  # what is folded waits until it is opened
    widths = f"(all) => all.filter((one) => {wider}).map((one) => one.tabIndex)"
    page.set_viewport_size(NARROW)
    until(lambda: set(page.locator(".scroll").evaluate_all(widths)), {0})
    contents = page.locator(".contents details")
    assert contents.get_attribute("open") is None
    page.set_viewport_size(WIDE)
    until(lambda: contents.get_attribute("open"), "")


MOVES = """(place) => new Promise((done) => {
    const before = place.querySelector(".bflo").dataset.state;
    setTimeout(() => done(place.querySelector(".bflo").dataset.state !== before), 250);
})"""


def test_the_first_page_moves_until_one_takes_hold_of_it(page, folder):
    """Without a scroll. Pictures of lessons come when one scrolls; with reduced motion, it stands still."""
    witness = Witness(page)
    stage = page.locator(".stage.held")
    for size in ({"width": 360, "height": 780}, {"width": 1200, "height": 800}):
        page.set_viewport_size(size)
        page.goto((folder / "index.html").as_uri())
        until(lambda: stage.get_attribute("data-moving"), "yes")
        for one in (stage, page.locator(".hold button"), *page.locator(".way").all()):
            box = one.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] < size["height"]
    assert stage.evaluate(MOVES)
    assert not [address for address in witness.requests if "dynamics" in address or "sections" in address]
    handle = stage.locator('[data-handle="w_new"]')
    handle.hover(force=True)
    page.mouse.down()
    assert stage.get_attribute("data-moving") == "no"
    held = json.loads(stage.locator(".bflo").get_attribute("data-state"))["w_new"]
    page.mouse.move(*(part + 30 for part in (handle.bounding_box()["x"], handle.bounding_box()["y"])))
    page.mouse.up()
    until(lambda: json.loads(stage.locator(".bflo").get_attribute("data-state"))["w_new"] != held)
    assert not stage.evaluate(MOVES)
    page.get_by_role("button", name="Play").click()
    assert stage.evaluate(MOVES)
    card = page.locator('.card[data-lesson="01_three_ways_to_learn"] .stage')
    card.scroll_into_view_if_needed()
    until(lambda: card.locator("[data-painted]").count(), 1)
    page.locator("#researchers").scroll_into_view_if_needed()
    until(lambda: stage.get_attribute("data-moving"), "no")  # nobody sees it
    page.emulate_media(reduced_motion="reduce")
    page.goto((folder / "index.html").as_uri())
    stage.locator("[data-painted]").wait_for()
    assert not stage.evaluate(MOVES) and page.get_by_role("button", name="Play").is_visible()
    page.emulate_media(reduced_motion="no-preference")
    page.set_viewport_size(WIDE)


def test_an_address_that_is_shared_shows_the_same(page, folder):
    """On a page to play on; what one may try is an address, too, and leads to its state."""
    page.goto((folder / "play/regime.html").as_uri() + "#regime:delta=1.2,delta_new=-2")
    (explorer,) = opened(page)
    explorer.shows(delta=1.2, delta_new=-2, std=1)
    explorer.handle("point").press("ArrowRight")
    until(lambda: page.evaluate("location.hash"), "#regime:delta=1.3,delta_new=-2")
    words, address = (play.guide(explorers()["regime"])["try"][2][part] for part in ("words", "address"))
    page.get_by_role("link", name=words).click()
    wanted = explorers()["regime"].from_link(f"#regime:{address}")
    explorer.shows(**wanted.state)
    wanted.close()
    page.get_by_role("link", name="02 One dimension").click()
    page.wait_for_url("**/02_one_dimension.html")


def test_a_lesson_is_read_with_search_symbols_and_numbers_to_drag(page, folder):
    """Slash leads to the search, Enter to the best section; a formula tells its letters; progress is kept."""
    page.goto((folder / "02_one_dimension.html").as_uri())
    opened(page)
    page.keyboard.press("/")
    page.keyboard.type("rank one")
    best = page.locator(".found a").first
    best.wait_for()
    assert best.locator("strong").text_content() == "6 · Why it is rank one"
    page.keyboard.press("Enter")
    page.wait_for_url("**/03_flow_types.html#6-why-it-is-rank-one")
    page.go_back()
    sentence = page.locator('.bflo[data-explorer="sentence"]')
    number = sentence.get_by_role("slider", name="where the weight goes")
    number.press("Home")
    until(lambda: number.get_attribute("aria-valuenow"), "-4")
    until(lambda: "goes to −4.0. The belief becomes 15 % as wide" in sentence.text_content())
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5 + 50, box["y"] + 5)
    page.mouse.up()
    until(lambda: number.text_content(), "−3.0")  # five pixels a step of a tenth
    ask = page.locator(".formula .ask").first
    ask.press("Enter")
    dialog = page.get_by_role("dialog")
    told = dialog.text_content()
    assert "stretch" in told and "02 One dimension" in told
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    section = page.locator("h2 .ask").first  # for letters in sentences: a button a section
    section.press("Enter")
    assert page.get_by_role("dialog", name="Symbols in this section").locator("dt").count() > 1
    page.keyboard.press("Escape")
    assert section.evaluate("(one) => one === document.activeElement")
    page.locator("p math[data-symbols='Delta']").first.click()
    assert dialog.locator("dt").all_text_contents() == ["Δ distance before the step"]
    dialog.get_by_role("button", name="Close").click()
    page.locator(".turn").scroll_into_view_if_needed()
    until(lambda: "finished" in page.evaluate("localStorage.getItem('bflo-lessons')"))
    page.evaluate("localStorage.setItem('bflo-bets', JSON.stringify({ '02.2': { answer: 'narrower' } }))")
    page.goto((folder / "index.html").as_uri())
    done = page.locator(".done")
    until(lambda: re.sub(r"\d+ bets", "n bets", done.nth(2).text_content()), " · read to the end · 1 of n bets")
    assert done.nth(3).text_content() == " · opened"
    page.get_by_role("button", name="Forget it").click()
    assert set(done.all_text_contents()) == {""} and page.evaluate("localStorage.length") == 0
