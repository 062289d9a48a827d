"""The course as web pages: from a server and from a disk, with every other host refused."""

import functools
import http.server
import threading

import pytest
from lab_driver import HOST

from bflo_viz.classroom import site
from bflo_viz.classroom.lesson import lessons
from browser.instruments import PARTS
from browser.pages import Explorer, Witness, until, violations

PAGES = ["index", *(lesson.slug for lesson in lessons())]
NARROW, WIDE = {"width": 360, "height": 780}, {"width": 1200, "height": 900}
WIDER = """() => [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll > *, .bflo-table > *, svg")
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

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer((HOST, 0), functools.partial(Quiet, directory=folder)) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        yield f"http://{HOST}:{served.server_port}"
        served.shutdown()
        thread.join()


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
    places = page.locator(".bflo-alive")
    until(lambda: page.locator('.bflo-alive[data-alive="yes"] [data-painted]').count(), places.count())
    explorers = []
    for place in places.all():
        name = place.get_attribute("data-explorer")
        explorers.append(Explorer(page, name, PARTS[name]))
        explorers[-1].root = place.locator(".bflo")
    return explorers


@pytest.mark.parametrize("name", PAGES)
def test_every_explorer_lives(page, server, folder, name):
    """On a server it answers the keyboard; from a disk it lives, and on a phone nothing is wider than the page."""
    for explorer in opened(page, f"{server}/{name}.html"):
        before = explorer.state
        if handles := explorer.parts.handles.keys() - explorer.parts.needs.keys():
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


LIKE_OTHERS = [
    name for name in PAGES if name[:2] not in ("in", "02")
]  # but the index, and a lesson with all there is


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LIKE_OTHERS)) for name in PAGES]
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
    widths = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.tabIndex)"
    page.set_viewport_size(NARROW)
    until(lambda: set(page.locator(".scroll").evaluate_all(widths)), {0})
    contents = page.locator(".contents details")
    assert contents.get_attribute("open") is None
    page.set_viewport_size(WIDE)
    until(lambda: contents.get_attribute("open"), "")
