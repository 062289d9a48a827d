"""Every explorer in a browser: it fits on one screen, lives in any host, and can be used without a mouse."""

import itertools
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from traitlets import TraitError

import bflo_viz
from bflo_viz import (
    DigitExplorer,
    DynamicsExplorer,
    FlowExplorer,
    NetworkExplorer,
    OnlineExplorer,
    PseudoDatasetExplorer,
    RegimeExplorer,
    ResultsExplorer,
)
from bflo_viz.explorers.page import JS, STYLE, module
from bflo_viz.explorers.page import page as saved_page

# Explorers, how many controls may be in sight, and how large a saved page may be.
VIEWS = [
    (RegimeExplorer, 6, 150_000),
    (FlowExplorer, 6, 150_000),
    (PseudoDatasetExplorer, 6, 150_000),
    (ResultsExplorer, 9, 400_000),
    (OnlineExplorer, 6, 150_000),
    (DynamicsExplorer, 6, 150_000),
    (NetworkExplorer, 6, 150_000),
    (DigitExplorer, 6, 400_000),
]
KINDS = pytest.mark.parametrize(("kind", "most", "size"), VIEWS, ids=[kind.view for kind, *_ in VIEWS])

# An anywidget in the worst of hosts: inside a shadow root, with a model whose `off` and `save_changes` throw.
HOST = """async ([code, style, state]) => {
  const view = (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
  const place = document.body.appendChild(document.createElement("div"));
  place.style.background = "#202020";
  const el = place.attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
  el.appendChild(document.createElement("style")).textContent = style;
  const listeners = {};
  const refuse = () => { throw new Error("not here"); };
  const model = {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      for (const action of listeners[`change:${name}`] ?? []) action({ type: "change" });
    },
    on: (type, action) => (listeners[type] ??= []).push(action), off: refuse, save_changes: refuse, send: refuse,
  };
  const end = new AbortController();
  const dispose = await view.render({ model, el, signal: end.signal, experimental: {} });
  Object.assign(window, { model, end, dispose, el });
}"""
MEASURE = """() => {
  const box = (one) => one.getBoundingClientRect();
  const area = (one) => box(one).width * box(one).height;
  const root = document.querySelector(".bflo");
  const all = (name) => [...root.querySelectorAll(name)].filter((one) => one.checkVisibility());
  const seen = all(".bflo-control").filter((one) => !one.closest(".bflo-drawer"));
  const pictures = all(".bflo-figure");
  const main = box(root.querySelector(".is-main"));
  return {
    height: box(root).height, top: main.top, bottom: main.bottom,
    scroll: document.documentElement.scrollWidth - innerWidth,
    controls: seen.length,
    first: Math.min(...seen.filter((one) => one.closest(".bflo-desk")).map((one) => box(one).bottom)),
    share: pictures.reduce((sum, one) => sum + area(one), 0) / area(root),
    below: Math.max(...pictures.map((one) => box(one).bottom)),
    alert: root.querySelector(".bflo-alert").textContent,
    sentence: box(root.querySelector(".bflo-say")).height,
    words: root.querySelector(".bflo-say").textContent,
  };
}"""


def state(page):
    """The traits of the explorer on a page, and what only its view knows."""
    return page.evaluate("() => ({ ...document.querySelector('.bflo').bflo.state })")


@KINDS
def test_it_fits_on_a_laptop(opened, kind, most, size):
    """Inside 1,000 × 680: pictures first, all of them in sight, few controls, and one line that says what is seen."""
    page = opened(kind())
    seen = page.evaluate(MEASURE)
    assert seen["height"] <= 680 and seen["below"] <= 680 and seen["scroll"] == 0
    assert seen["top"] <= 90 and seen["share"] >= 0.6 and 1 <= seen["controls"] <= most
    assert seen["alert"] == "" and seen["sentence"] < 30 and len(seen["words"]) > 30
    for chip in page.query_selector_all(".bflo-chips button"):
        chip.click()
        page.wait_for_timeout(400)
        assert page.evaluate(MEASURE)["sentence"] < 30


@KINDS
def test_it_fits_on_a_phone(opened, kind, most, size):
    """Main picture and first control are within the first 600 pixels, and a finger moves what a mouse does."""
    page = opened(kind(), 390, 800, has_touch=True)
    seen = page.evaluate(MEASURE)
    assert seen["bottom"] <= 600 and seen["first"] <= 600 and seen["scroll"] == 0
    handle = page.locator(".bflo-handle").first
    handle.scroll_into_view_if_needed()
    before, box = state(page), handle.locator("circle").first.bounding_box()
    x, y = box["x"] + box["width"] / 2 + 4, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    for kind_, far in (("touchStart", 0), ("touchMove", 12), ("touchMove", 30), ("touchEnd", None)):
        points = [] if far is None else [{"x": x + far, "y": y}]
        finger.send("Input.dispatchTouchEvent", {"type": kind_, "touchPoints": points})
    page.wait_for_timeout(100)
    after = handle.locator("circle").first.bounding_box()
    assert state(page) != before and after["x"] - box["x"] == pytest.approx(
        30, abs=6 if kind is DigitExplorer else 2.5
    )  # ten places only


@KINDS
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_no_barriers(opened, barriers, kind, most, size, theme):
    """No serious finding of axe-core, in light and in dark, with More open."""
    page = opened(kind(), color_scheme=theme)
    page.click(".bflo-more summary")
    assert barriers(page, ".bflo") == []
    assert page.evaluate("() => document.querySelector('.bflo').style.colorScheme") == theme


@KINDS
def test_everything_is_moved_by_keys(opened, kind, most, size):
    """Every handle hears the arrow keys, says where it is, and keeps them from the host; Ctrl+S is the host's."""
    page = opened(kind())
    page.evaluate("() => { window.heard = []; document.addEventListener('keydown', (e) => heard.push(e.key)); }")
    labels = page.evaluate("() => [...document.querySelectorAll('.bflo-handle')].map((one) => one.ariaLabel)")
    assert labels
    for label in labels:
        handle = page.locator(f'.bflo-handle[aria-label="{label}"]')
        before = state(page), handle.get_attribute("aria-valuetext")
        handle.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowUp")
        page.wait_for_timeout(80)
        assert (
            handle.get_attribute("aria-valuetext") and (state(page), handle.get_attribute("aria-valuetext")) != before
        ), label
        assert page.evaluate("() => document.activeElement.matches('.bflo-handle:focus-visible')")
    assert page.evaluate("() => heard") == []
    page.keyboard.press("Control+s")
    assert "s" in page.evaluate("() => heard")


@KINDS
def test_every_control_and_chip_does_something(opened, kind, most, size):
    """Each range, switch, list and choice changes the state; with reduced motion chips arrive at once."""
    page = opened(kind(), reduced_motion="reduce")
    tried = []
    find = """(tried) => {
        document.querySelector(".bflo-more").open = true;
        document.querySelector(".bflo").bflo.flush();
        const seen = [...document.querySelectorAll("[data-control]")].filter((one) => one.checkVisibility());
        return seen.map((one) => one.dataset.control).find((trait) => !tried.includes(trait));
    }"""
    while (trait := page.evaluate(find, tried)) is not None:  # what one hides or shows changes with others
        tried.append(trait)
        before = state(page)[trait]
        box = page.locator(f'[data-control="{trait}"]')
        if box.locator("input[type=range]").count():
            box.locator("input").press("ArrowRight")
        elif box.locator("input[type=radio]").count():
            box.locator("label:not(:has(:checked))").first.click()
        elif box.locator("input[type=number]").count():
            box.locator("input").fill("7")
            box.locator("input").press("Tab")
        else:
            box.locator("input").first.click()
        assert state(page)[trait] != before, trait
    for chip in page.query_selector_all(".bflo-chips button"):
        before = page.evaluate(MEASURE)["words"]
        chip.click()
        page.wait_for_timeout(300)
        assert page.evaluate(MEASURE)["words"] != before or chip.get_attribute("aria-pressed") == "true"
    assert page.evaluate(MEASURE)["alert"] == ""


@KINDS
def test_it_lives_in_hostile_hosts(opened, kind, most, size):
    """In a dark shadow root, with a model that throws: it draws, plays, hears its controls, and ends twice."""
    page = opened()
    page.evaluate(HOST, [module(kind.view), STYLE, kind().on_page()])
    root = page.locator(".bflo")
    page.wait_for_function("() => el.querySelector('.bflo').dataset.painted")
    assert root.evaluate("(one) => one.style.colorScheme") == "dark"
    words = root.locator(".bflo-say").inner_text()
    frames = int(root.get_attribute("data-painted"))
    root.locator(".bflo-go").click()
    wanted = frames + (0 if kind in (DigitExplorer, ResultsExplorer) else 5)  # which do it at once
    page.wait_for_function("(wanted) => Number(el.querySelector('.bflo').dataset.painted) > wanted", arg=wanted)
    root.locator(".bflo-chips button").first.click()
    page.wait_for_timeout(2000)
    root.locator(".bflo-handle").first.press("Shift+ArrowLeft")
    page.wait_for_timeout(150)
    assert root.locator(".bflo-say").inner_text() != words
    assert root.locator(".bflo-alert").inner_text() == ""
    page.evaluate(
        "() => { el.querySelector('.bflo').remove(); end.abort(); dispose?.(); dispose?.(); model.set('show', []); }"
    )
    assert root.count() == 0


def test_every_explorer_is_held_to_all_of_this():
    assert {kind.__name__ for kind, *_ in VIEWS} == {name for name in bflo_viz.__all__ if name.endswith("Explorer")}


def test_explorers_of_one_notebook_do_not_share_names(opened):
    """Each has a module of its own, and ids and radio groups are those of the whole document."""
    page = opened()
    for kind in (RegimeExplorer, PseudoDatasetExplorer, RegimeExplorer):
        page.evaluate(HOST.replace('attachShadow({ mode: "open" }).', ""), [module(kind.view), "", kind().on_page()])
    page.wait_for_function("() => document.querySelectorAll('.bflo[data-painted]').length === 3")
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids)) > 9
    chosen = (
        "() => [...document.querySelectorAll('[role=radiogroup]')].map((one) => one.querySelector(':checked')?.type)"
    )
    assert set(page.evaluate(chosen)) == {"radio"}


@KINDS
def test_its_page_is_small_and_asks_nobody(kind, most, size, tmp_path):
    """A saved page has no address of any other host."""
    text = kind().save_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(text.encode()) <= size
    assert "https://" not in text and text.count("http://") == text.count("http://www.w3.org/2000/svg")


def test_nothing_is_left_over():
    """Every export is imported, and every class of the style sheet is given to something."""
    modules = {path: path.read_text(encoding="utf-8") for path in JS.rglob("*.js")}
    code = "\n".join(modules.values())
    imported = {
        name.strip() for some in re.findall(r"^import \{([^}]*)\}", code, re.MULTILINE) for name in some.split(",")
    }
    imported |= {"startAll"}  # by page.py
    for path in Path(__file__).parent.glob("*.py"):
        for some in re.findall(r"const \{([^}]*)\} = modules\[", path.read_text(encoding="utf-8")):
            imported |= {name.strip() for name in some.split(",")}
    exported = set(re.findall(r"^export (?:async )?(?:function|const|class) (\w+)", code, re.MULTILINE))
    assert exported - imported == set()
    classes = set(re.findall(r"\.((?:bflo|is)-\w+)", STYLE)) - {"bflo-page"}  # of a saved page
    made = code + "bflo-range bflo-number bflo-checkbox"  # by their type
    assert [name for name in classes if name not in made] == []


def test_copied_python_makes_the_same_explorer(copied):
    """The call, and for a learner the script of the same rounds, run as they are."""
    copied(RegimeExplorer(delta=-1.0, branch=-1, stretch=0.5))
    copied(FlowExplorer(w=[2.0, 1.25], axes=[0.5, 2.0], angle=30.0, rule="exact", non_expansive=True))
    copied(DigitExplorer(sketch="...1c.fc", moment=3, why=False))
    copied(ResultsExplorer(experiment="table2", bflo_prior="wide", noise=0.2, stream="IMAGES"))
    explorer = PseudoDatasetExplorer(seed=3, flow="full", round=30)
    assert copied(explorer)["run"].beliefs[-1].kl(explorer.posterior) == pytest.approx(0, abs=1e-9)


def test_links_carry_the_state_and_the_controls(opened):
    """A link says what differs from the first state; what cannot be shown is taken as the nearest that can."""
    page = opened(RegimeExplorer(delta=2.0, show=["delta", "std"]))
    page.evaluate("() => (navigator.clipboard.writeText = async (text) => (window.copied = text))")
    page.click(".bflo-more summary")
    page.click("text=Copy link")
    address = page.evaluate("() => copied")
    assert address.endswith("#regime?delta=2&show=delta%2Cstd")
    page.goto("about:blank")
    page.goto(address.replace("delta=2", "delta=99&branch=7&std=1.5"))
    page.wait_for_selector("[data-painted]")
    assert {name: state(page)[name] for name in ("delta", "branch", "std")} == {"delta": 4, "branch": 1, "std": 1.5}
    sight = page.evaluate(
        "() => [...document.querySelectorAll('.bflo-desk > [data-control]')].map((one) => one.dataset.control)"
    )
    assert sight == ["delta", "std"]


@KINDS
def test_garbage_is_taken_as_the_nearest_that_can_be_shown(opened, kind, most, size, tmp_path):
    """Values that are no numbers, too large, cut short or of another type, in links and in saved pages."""
    page = opened(kind())
    for garbage in ("nan", "1e999", "-1e308", "0", "[1,2,3]", '["a",{}]', '"x"', "null", "tru", ""):
        query = "&".join(f"{trait}={quote(garbage)}" for trait in kind.controls())
        page.evaluate("(hash) => (location.hash = hash)", f"{kind.view}?{query}&show=x&=")
        page.wait_for_timeout(50)
        seen = page.evaluate(MEASURE)
        assert seen["alert"] == "" and seen["words"] and "NaN" not in seen["words"], garbage
    saved = tmp_path / "garbage.html"
    given = itertools.cycle((1e308, "x", [1, 2, 3], None, {}))  # each trait gets another kind
    saved.write_text(
        saved_page("", kind().on_page() | dict(zip(kind.controls(), given, strict=False))), encoding="utf-8"
    )
    assert opened(saved).evaluate(MEASURE)["alert"] == ""


def test_pictures_are_drawn_anew_in_another_size(opened):
    """Also paths that are kept while their data stay."""
    page = opened(RegimeExplorer(main="map"))
    long = """() => [...document.querySelectorAll("[data-picture=map] path")].map((one) => one.getAttribute("d"))
        .filter((path) => path.length > 500)"""
    before = page.evaluate(long)
    page.set_viewport_size({"width": 900, "height": 700})
    page.wait_for_timeout(300)
    assert before and set(before).isdisjoint(page.evaluate(long))


def test_teachers_choose_controls_and_chips(opened):
    page = opened(
        RegimeExplorer(show=["std"], presets={"far": {"delta": 3.0, "delta_new": -3.0}}), reduced_motion="reduce"
    )
    page.click("text=far")
    page.wait_for_timeout(200)
    assert (state(page)["delta"], state(page)["delta_new"]) == (3, -3)
    assert page.locator(".bflo-desk > [data-control=std]").count() == 1


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"dleta": 1.0}, "did you mean 'delta'"),
        ({"delta": 5.0}, "delta"),
        ({"delta": float("nan")}, "delta"),
        ({"branch": 2}, "branch"),
        ({"show": ["measure"]}, "no trait 'measure'"),
        ({"presets": {"far": {"delta": 9.0}}}, "delta"),
    ],
)
def test_bad_input_is_refused(given, says):
    with pytest.raises(TraitError, match=says):
        RegimeExplorer(**given)
    explorer = RegimeExplorer()
    ((name, value),) = given.items()
    with pytest.raises(TraitError, match=says):
        setattr(explorer, name, value)


def test_a_failing_callback_is_seen():
    """Jupyter only logs it, so the page is told; the next value that works clears it."""
    explorer = RegimeExplorer()
    explorer.observe(lambda change: 1 / change["new"], "delta")
    with suppress(ZeroDivisionError):
        explorer.set_state({"delta": 0.0})
    assert "ZeroDivisionError" in explorer._problem
    explorer.set_state({"delta": 1.0})
    assert explorer._problem == "" and repr(explorer) == "RegimeExplorer(delta=1.0)"
