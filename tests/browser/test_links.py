"""The address of a page: it keeps what its explorers show, opens it again, and can be copied."""

import contextlib
import re

import pytest

import bflo_viz
from browser.instruments import INSTRUMENTS, PARTS
from browser.pages import Explorer, Witness, until

SIZE = {"width": 1200, "height": 900}
WRITES = """() => {
    window.writes = 0;
    const write = history.replaceState.bind(history);
    history.replaceState = (...all) => ((window.writes += 1), write(...all));
}"""
FALLEN = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
BAD = [
    ("delta=1e999", {"delta": 4}, "The address says delta = 1e999, taken as 4."),
    ("delta=(1,2),std=2", {"std": 2}, "The address says delta = (1,2), taken as 1.5."),
    ("non_expansive=yes", {}, "The address says non_expansive = yes, taken as false."),
    ("%E0%A4%A=1,delta=2", {"delta": 2}, "The address says %E0%A4%A = 1, which this explorer does not have."),
    ("__proto__=1", {}, "The address says __proto__ = 1, which this explorer does not have."),
    ("delta=2;__proto__:x=1", {"delta": 2}, "The address names the explorer __proto__, which is not on this page."),
    ("delta=2," + "x=1," * 9000, {"delta": 2}, "has more than 20000 letters, and the rest of it is not read."),
]
REGIME = {"delta": 1.5, "delta_new": 0.5, "std": 1.0, "branch": 1, "non_expansive": False}
# One text for all explorers; test_addresses tries every trait of each, and `make soak` the pixels of the others.
some_first = pytest.mark.parametrize(
    "parts",
    [pytest.param(one, marks=[pytest.mark.slow] * (one.name not in ("flow", "network"))) for one in INSTRUMENTS],
    ids=str,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A page of each explorer, and one of another state than the first."""
    folder = tmp_path_factory.mktemp("links")
    made = {one.name: one.kind().save_html(folder / f"{one.name}.html") for one in INSTRUMENTS}
    made["moved"] = bflo_viz.RegimeExplorer(delta=-3, std=2).save_html(folder / "moved.html")
    return made


@pytest.fixture
def visit(browser, files):
    """Opens a page at an address, in a window of its own; whatever goes wrong in any of them fails the test."""
    with contextlib.ExitStack() as ending:
        witnesses = []

        def opened(name, address="", script="", **options):
            context = browser.new_context(offline=True, viewport=SIZE, **options)
            ending.callback(context.close)
            page = context.new_page()
            if script:
                page.add_init_script(script)
            witnesses.append(Witness(page))
            page.goto(files[name].as_uri() + address)
            count = page.locator(".bflo-alive").count()
            until(lambda: page.locator('.bflo-alive[data-alive="yes"] [data-painted]').count(), count)
            return page

        yield opened
        assert [witness.take() for witness in witnesses] == [[]] * len(witnesses)


def explorer_at(page, name):
    """The explorer that has this name in the address."""
    kind = name.partition(".")[0]
    explorer = Explorer(page, kind, PARTS[kind])
    explorer.root = page.locator(f'[data-address="{name}"] .bflo')
    return explorer


def note(page, name):
    return explorer_at(page, name).root.locator(".bflo-address").inner_text()


def fragment(page):
    return page.evaluate("location.hash")


def drawn(page):
    """The page as a picture, with nothing pressed or announced."""
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    page.mouse.move(0, 0)
    return page.screenshot(full_page=True, animations="disabled")


@some_first
def test_a_moved_page_opens_again_as_it_was(visit, files, parts):
    """Every trait of an explorer: the address is what Python writes, and gives its state and its pixels."""
    page = visit(parts.name)
    explorer = explorer_at(page, parts.name)
    assert fragment(page) == ""
    traits = {name: value for name, value in parts.traits.items() if name not in ("experiment", "w_new", "round")}
    for name, (value, wanted) in parts.controls.items():
        if wanted and "." not in name and name in traits and explorer.control(name).first.is_visible():
            explorer.use(name, value)
            explorer.shows(**wanted)
    state, python = explorer.state, parts.kind()
    for name, value in state.items():
        setattr(python, name, value)
    until(lambda: fragment(page), python.link())
    assert len(fragment(page)) > len(f"#{parts.name}:")
    again = visit(parts.name, fragment(page))
    explorer_at(again, parts.name).shows(**state)
    assert note(again, parts.name) == "" and fragment(again) == fragment(page)
    assert explorer_at(again, parts.name).says() == explorer.says()
    files["own"] = python.save_html(files[parts.name].with_name("own.html"))
    assert drawn(again) == drawn(visit("own"))
    linked = parts.kind.from_link(page.url)
    assert linked.state == python.state


def test_an_address_means_the_first_state_and_its_differences(visit):
    """Whatever a page was saved with; without an address it shows that, and its address stays clean."""
    page = visit("moved")
    shown = explorer_at(page, "regime")
    shown.shows(delta=-3, std=2)
    assert page.url.endswith(".html")
    page = visit("moved", "#regime:delta_new=2")
    explorer = explorer_at(page, "regime")
    explorer.shows(**REGIME | {"delta_new": 2})
    for address, wanted in (
        ("#regime:", {}),
        ("#regime", {}),  # a program took the colon for that of a sentence
        ("#regime%3Adelta%3D1%2Cstd%3D.5", {"delta": 1, "std": 0.5}),
        ("#regime:delta=1,std=0.5).", {"delta": 1, "std": 0.5}),
    ):
        explorer.use("delta_new", 3)
        page.evaluate("(one) => { location.hash = one; }", address)
        explorer.shows(**REGIME | wanted)
        assert note(page, "regime") == ""


def test_another_address_changes_the_explorer_and_back_comes_the_last(visit):
    """As by typing into the address, and by the button of the browser."""
    page = visit("regime", "#regime:delta=2")
    explorer = explorer_at(page, "regime")
    explorer.shows(delta=2)
    page.evaluate("location.hash = '#regime:delta=3,branch=-1'")
    explorer.shows(delta=3, branch=-1)
    page.go_back()
    explorer.shows(**REGIME | {"delta": 2})
    page.evaluate("location.hash = '#nowhere'")
    explorer.use("std", 2)
    explorer.shows(delta=2, std=2)
    until(lambda: fragment(page), "#regime:delta=2,std=2")


def test_a_bad_address_is_the_nearest_state_and_one_sentence(visit):
    """It is told to a screen reader as well, and goes with the next move; the page is not broken by it."""
    page = visit("regime", f"#regime:{BAD[0][0]}")
    explorer = explorer_at(page, "regime")
    told = explorer.root.locator(".bflo-address")
    assert told.get_attribute("role") == "status"
    for address, wanted, sentence in BAD:  # the first as the page opens, the others as if they were typed
        page.evaluate("(one) => { location.hash = one; }", f"#regime:{address}")
        until(lambda: told.inner_text()[-len(sentence) :], sentence)  # noqa: B023
        explorer.shows(**REGIME | wanted)
        assert told.inner_text().count(".") <= 3 and len(told.inner_text()) < 200, address[:40]
        assert explorer.root.locator(".bflo-replaced").inner_text() == "", address[:40]
        explorer.use("std", 0.5)
        until(lambda: told.text_content(), "")
        until(lambda: re.fullmatch(r"#regime:[\w=.,-]+", fragment(page)) is not None)


def test_the_address_is_not_flooded(visit):
    """Not by rounds that play, not by a point that is dragged; it has the last state soon after."""
    page = visit("pseudo")
    explorer = explorer_at(page, "pseudo")
    page.evaluate(WRITES)
    explorer.use("speed", 60)
    explorer.use("play", None)
    until(lambda: explorer.state["round"] > 120)
    played = page.evaluate("window.writes")
    assert played >= 1 and played * 20 < explorer.state["round"]
    assert "round=" in fragment(page)
    explorer.use("play", None)
    until(lambda: fragment(page) == f"#pseudo:round={explorer.state['round']},speed=60")
    still = page.evaluate("window.writes")
    page.wait_for_timeout(1200)
    assert page.evaluate("window.writes") == still
    dragged = explorer_at(visit("regime"), "regime")
    dragged.page.evaluate(WRITES)
    with dragged.dragged("point", (60, -40)):
        pass
    until(lambda: fragment(dragged.page) == f"#{link_of(dragged)}" != "#regime:")
    assert dragged.page.evaluate("window.writes") <= 3


@pytest.mark.parametrize("script", ["", FALLEN], ids=["clipboard", "without"])
def test_the_button_copies_the_link(visit, files, script):
    """By key, whatever the address has by then; where a page may not use the clipboard, as of old. It says so."""
    page = visit("regime", script=script, permissions=["clipboard-read", "clipboard-write"])
    explorer = explorer_at(page, "regime")
    explorer.use("delta", -1.5)
    until(lambda: explorer.voice != "")  # what it says of the move comes a moment later
    button = explorer.control("copy-link")
    button.press("Enter")
    until(button.inner_text, "Copied")
    assert explorer.voice == "Link copied."
    assert page.evaluate("document.activeElement.name") == "copy-link" and page.locator(".bflo-link").count() == 0
    until(lambda: fragment(page), "#regime:delta=-1.5")
    page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
    page.locator("#paste").press("Control+v")
    assert page.locator("#paste").input_value() == f"{files['regime'].as_uri()}#regime:delta=-1.5"
    until(button.inner_text, "Copy link")


def link_of(explorer):
    return bflo_viz.RegimeExplorer(**explorer.state).link()[1:]
