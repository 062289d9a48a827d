"""Explorers as ipywidgets in JupyterLab: callbacks that fail, links, and a cell that is run again and again."""

import pytest

from browser.pages import Explorer, Notebook, until

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
