"""The explorers in JupyterLab: drawn, dragged, typed at, set from Python, played, linked, run again and again.

One file, so that one JupyterLab serves all of it.
"""

import base64
import time

import pytest

from browser.instruments import INSTRUMENTS
from browser.pages import SIZE, Explorer, Notebook, place, same, until, violations

FOCUSABLE = '[data-handle], input[type="range"], input[type="checkbox"], select, button'
PLAYERS = [one for one in INSTRUMENTS if one.rounds]
WITH_POINTS = [one for one in INSTRUMENTS if one.handles]
only_players = pytest.mark.parametrize("in_lab", PLAYERS, indirect=True, ids=str)
# What passes between page and Python is one way for all: the others go it in `make soak`.
some_first = pytest.mark.parametrize(
    "in_lab",
    [
        pytest.param(one, marks=[pytest.mark.slow] * (one.name not in ("regime", "pseudo")), id=one.name)
        for one in INSTRUMENTS
    ],
    indirect=True,
)
only_with_points = pytest.mark.parametrize("in_lab", WITH_POINTS, indirect=True, ids=str)
RERUNS = 200
HEADS = """
import gc, ipywidgets
from matplotlib.figure import Figure
from bflo_viz import RegimeExplorer
regime = RegimeExplorer()
def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096 / 1e6
class Quick(RegimeExplorer):
    def figure(self, *, style="paper", blank=Figure((0.5, 0.5))):  # drawing is not what runs 200 times here
        return blank
    _picture = figure
"""
LINKED = """
other, slider = RegimeExplorer(delta=0), ipywidgets.FloatSlider(min=-4, max=9, step=0.1)
ipywidgets.link((regime, "delta"), (other, "delta"))
ipywidgets.jslink((regime, "delta_new"), (slider, "value"))
ipywidgets.VBox([other, slider])
"""


def in_python(explorer):
    """The state that Python has."""
    return explorer.notebook.python(f"{explorer.name}.state")


def test_it_is_drawn_as_python_has_it(in_lab):
    """The picture shows the state of Python, has many colours, and says nothing of errors."""
    assert same(in_lab.state, in_python(in_lab))
    assert in_lab.root.locator(".bflo-alert").inner_text() == ""
    assert in_lab.colours(".bflo-panels") > 30
    assert in_lab.root.locator(".bflo-readout").inner_text().strip()


def test_what_a_notebook_stores_shows_without_a_kernel(in_lab):
    """Beside the view there are a picture and words, in the cell that JupyterLab would save."""
    outputs = in_lab.notebook.outputs(1 + INSTRUMENTS.index(in_lab.parts))
    (data,) = [output["data"] for output in outputs if "data" in output]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "".join(data["text/plain"]).startswith(in_lab.parts.made_by)


def test_these_tests_know_every_part(in_lab):
    """A control, a point or a trait that is added later must join the tables, and have a label."""
    names = in_lab.root.locator("input, select, button").evaluate_all("all => all.map((one) => one.name)")
    assert sorted(names) == sorted(in_lab.parts.controls)
    points = in_lab.root.locator("[data-handle]").evaluate_all("all => all.map((one) => one.dataset.handle)")
    assert sorted(points) == sorted(in_lab.parts.handles)
    assert set(in_python(in_lab)) == set(in_lab.parts.traits)
    unnamed = in_lab.root.locator(FOCUSABLE).evaluate_all(
        """all => all.filter((one) => {
            const said = one.labels?.[0]?.textContent || one.getAttribute("aria-label") || one.textContent;
            return !said.trim();
        }).map((one) => one.outerHTML)"""
    )
    assert unnamed == []


@some_first
def test_every_control_sets_its_traits(in_lab):
    """Each slider, list, box and button, used once: the picture and Python follow."""
    for name, (value, wanted) in in_lab.parts.controls.items():
        if wanted:
            in_lab.start_again(**in_lab.parts.needs.get(name, {}))
            in_lab.use(name, value)
            in_lab.shows(**wanted)
            until(lambda: {trait: in_python(in_lab)[trait] for trait in wanted}, wanted)  # noqa: B023


@some_first
def test_every_trait_set_in_python_moves_the_picture(in_lab):
    """The picture changes, its state is that of Python, and a slider goes along."""
    at_first = in_lab.picture()
    for name, value in in_lab.parts.traits.items():
        needs = {trait: needed for trait, needed in in_lab.parts.needs.get(name, {}).items() if trait != name}
        in_lab.start_again(**needs)
        before = in_lab.picture() if needs else at_first
        in_lab.notebook.python("None", f"{in_lab.name}.{name} = {value!r}")  # this one alone
        in_lab.shows(**{name: value})
        if name in in_lab.parts.controls and in_lab.control(name).get_attribute("type") == "range":
            assert float(in_lab.control(name).input_value()) == pytest.approx(value)
        if name != "speed":
            assert in_lab.picture() != before, name


@only_with_points
@pytest.mark.parametrize("touch", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["mouse", "finger"])
def test_a_dragged_point_follows_and_sets_its_traits(in_lab, touch):
    """The point stays under the mouse or the finger, and Python has what the picture shows."""
    points = list(in_lab.parts.handles.items())
    for name, moves in points[:1] if touch else points:  # all know a finger, or none
        in_lab.start_again(**in_lab.parts.needs.get(name, {}))
        before = in_lab.state
        if moves:
            in_lab.follows(name, (36, -24), touch=touch)
            for trait in moves:
                assert place(in_lab.state, trait) > place(before, trait)
        else:
            with in_lab.dragged(name, (36, -24), touch=touch):
                until(lambda: in_lab.state != before, True)  # noqa: B023
        until(lambda: same(in_python(in_lab), in_lab.state), True)


@only_with_points
def test_arrow_keys_move_a_point(in_lab):
    """By a small step, by a larger one with Shift, and the new place is announced."""
    for name, moves in in_lab.parts.handles.items():
        in_lab.start_again(**in_lab.parts.needs.get(name, {}))
        before = in_lab.state
        in_lab.handle(name).focus()
        for key in ("ArrowRight", "ArrowUp", "Shift+ArrowLeft"):
            in_lab.page.keyboard.press(key)
        until(lambda: in_lab.state != before, True)  # noqa: B023
        if moves:
            right, up = moves
            until(lambda: place(in_lab.state, right), place(before, right) - 0.4)  # noqa: B023
            until(lambda: place(in_lab.state, up), place(before, up) + 0.1)  # noqa: B023
        until(lambda: same(in_python(in_lab), in_lab.state), True)
        until(lambda: in_lab.told(name), True)  # noqa: B023


@pytest.mark.slow
def test_keys_do_not_reach_the_notebook(in_lab):
    """Where "d d" would delete a cell and "b" add one, they do nothing; nor do arrows go to the next cell."""
    index = 1 + INSTRUMENTS.index(in_lab.parts)
    in_lab.notebook.command_mode(index)
    before, tried = in_lab.notebook.cells(), set()
    for element in in_lab.root.locator(FOCUSABLE).all():
        kind = element.evaluate("one => one.checkVisibility() && !one.disabled && one.tagName + (one.type ?? '')")
        if kind and kind not in tried:
            tried.add(kind)
            element.focus()
            for key in ("b", "d", "d", "ArrowDown", "m"):
                in_lab.page.keyboard.press(key)
    assert len(tried) >= 2
    assert in_lab.notebook.cells() == before
    assert in_lab.notebook.active() == [index, "command", "code"]


@pytest.mark.slow
@only_players
def test_playing(in_lab):
    """Play, pause, step, back, scrub, restart; the space bar; and the end."""

    def label():
        return in_lab.control("play").inner_text()

    def rounds_in(seconds):
        before = in_lab.state["round"]
        time.sleep(seconds)
        return in_lab.state["round"] - before

    last = in_lab.parts.rounds
    in_lab.start_again(round=10, speed=40)
    for toggle in (lambda: in_lab.use("play", None), lambda: in_lab.page.keyboard.press("Space")):
        before = in_lab.state["round"]
        toggle()
        until(lambda: in_lab.state["round"] > before + 4 and label() == "Pause", True)  # noqa: B023
        toggle()
        until(label, "Play")
        until(lambda: rounds_in(0.3), 0)  # once the last frame is drawn
        at = in_lab.state["round"]
        in_lab.control("round").focus()  # for the space bar: it would press a button
    in_lab.use("step", None)
    in_lab.shows(round=at + 1)
    in_lab.use("back", None)
    in_lab.use("back", None)
    in_lab.shows(round=at - 1)
    in_lab.use("round", last - 2)
    in_lab.use("play", None)
    if in_lab.parts.endless:
        until(lambda: in_lab.state["round"] > last + 4, True)
        in_lab.use("play", None)
    else:
        in_lab.shows(round=last)
    until(label, "Play")
    in_lab.use("restart", None)
    in_lab.shows(round=0)
    in_lab.use("back", None)
    until(lambda: in_python(in_lab)["round"], 0)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(notebook, theme):
    """Neither in JupyterLab's light nor in its dark theme."""
    notebook.theme(theme)
    notebook.page.set_viewport_size({**SIZE, "height": 4500})  # axe judges no words that are scrolled away
    try:
        assert violations(notebook.page) == []
    finally:
        notebook.page.set_viewport_size(SIZE)
        notebook.theme("light")


# As ipywidgets: callbacks that fail, links, and a cell that is run again and again


@pytest.fixture(scope="module")
def kernel(window, lab):
    """A notebook with an explorer, widgets that are linked to it, and a cell that makes another."""
    lab.write("kernel.ipynb", [HEADS, "regime", LINKED, "again = Quick()\nagain"])
    opened = Notebook(lab, window.new_page(), "kernel.ipynb")
    opened.run_all()
    opened.explorer = Explorer(opened.page, "regime").wait()
    return opened


@pytest.fixture
def heard(kernel):
    """What went wrong on the page; a test that expects something takes it, and the rest fails the test."""
    yield kernel.witness
    assert kernel.witness.take() == []


def test_a_link_moves_other_widgets(kernel, heard):
    """Through Python (link), and in the browser alone (jslink)."""
    kernel.explorer.use("delta", -2)
    until(lambda: kernel.python("[regime.delta, other.delta]"), [-2, -2])
    kernel.explorer.use("delta_new", 3)
    until(lambda: kernel.python("slider.value"), 3)
    handle = kernel.page.locator(".widget-slider .noUi-handle")
    handle.focus()
    kernel.page.keyboard.press("ArrowLeft")
    kernel.explorer.shows(delta_new=2.9)
    until(lambda: kernel.python("regime.delta_new"), 2.9)


def test_a_callback_that_fails_is_seen(kernel, heard):
    """Its words are in the explorer, and go when it is mended."""
    alert = kernel.explorer.root.locator(".bflo-alert")
    kernel.python("None", "def fail(change): raise ValueError('no such luck')\nregime.observe(fail, 'delta')")
    kernel.explorer.use("delta", 1)
    until(lambda: "ValueError: no such luck" in alert.inner_text(), True)
    assert alert.is_visible()
    assert alert.get_attribute("role") == "alert"
    kernel.python("None", "regime.unobserve(fail, 'delta')")
    kernel.explorer.use("delta", 1.5)
    until(alert.inner_text, "")
    assert kernel.python("regime.delta") == 1.5


def test_a_wrong_value_is_refused_with_a_sentence(kernel, heard):
    """A TraitError in Python, and the picture stays."""
    before = kernel.explorer.state
    kernel.python("None", "try: regime.delta = 7\nexcept Exception as problem: refused = problem")
    assert kernel.python("type(refused).__name__") == "TraitError"
    assert kernel.python("str(refused)") == "delta must be from -4 to 4, but it was 7."
    assert kernel.explorer.state == before


def test_a_wrong_value_from_the_browser_is_refused_too(kernel, heard):
    """The explorer says why, and shows what Python has."""
    kernel.explorer.use("delta_new", 2)
    until(lambda: kernel.python("slider.value"), 2)
    kernel.page.locator(".widget-slider .noUi-handle").focus()
    kernel.page.keyboard.press("End")
    alert = kernel.explorer.root.locator(".bflo-alert")
    until(alert.inner_text, "delta_new must be from -4 to 4, but it was 9.")
    kernel.explorer.shows(delta_new=2)
    assert kernel.python("regime.delta_new") == 2
    kernel.explorer.use("delta_new", 1)
    until(alert.inner_text, "")


@pytest.mark.slow
def test_running_a_cell_again_leaks_nothing(kernel, heard):
    """200 times: as many widgets in the kernel as before, and as many listeners in the browser."""
    session = kernel.page.context.new_cdp_session(kernel.page)
    session.send("Performance.enable")

    def settled():
        """What the browser holds, once that no longer changes: anywidget keeps each model for two seconds."""
        kernel.page.wait_for_timeout(2500)
        before, now = None, {}
        while now != before:
            kernel.page.wait_for_timeout(500)
            session.send("HeapProfiler.collectGarbage")
            session.send("HeapProfiler.collectGarbage")
            metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            before, now = now, {name: metrics[name] for name in ("JSEventListeners", "Nodes")}
        return now

    def measured():
        found = settled()
        count = "len(ipywidgets.widgets.widget._instances)"
        widgets, megabytes = kernel.python(f"[{count}, resident()]", "gc.collect()")
        return widgets, megabytes, found["JSEventListeners"], found["Nodes"]

    kernel.run_cell(3, times=20)  # what is kept once is kept by now
    before = measured()
    kernel.run_cell(3, times=RERUNS)
    widgets, megabytes, listeners, nodes = (now - then for now, then in zip(measured(), before, strict=True))
    assert kernel.page.locator("section.bflo").count() == 3
    assert widgets == 0
    assert megabytes < 10
    assert listeners < RERUNS  # fewer than one a run: JupyterLab adds some of its own, once
    assert nodes < 5 * RERUNS  # an explorer has hundreds
    # A model that was closed before it was ready: anywidget says so after two seconds, and nothing is amiss.
    heard.forgive("[anywidget] Failed to initialize model.")
