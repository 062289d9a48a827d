"""The explorers in JupyterLab: drawn, set from Python, linked, run again and again.

One file, so that one JupyterLab serves all of it.
"""

import base64

import pytest

from browser.conftest import AGAIN
from browser.instruments import INSTRUMENTS
from browser.pages import SIZE, Explorer, Witness, same, until, violations

FOCUSABLE = '[data-handle], input[type="range"], input[type="checkbox"], select, button'
# What passes between page and Python is one way for all: the others go it in `make soak`.
some_first = pytest.mark.parametrize(
    "in_lab",
    [pytest.param(one, marks=[pytest.mark.slow] * (one.name not in ("regime", "pseudo"))) for one in INSTRUMENTS],
    indirect=True,
    ids=str,
)
only_regime = pytest.mark.parametrize("in_lab", INSTRUMENTS[:1], indirect=True, ids=str)
RERUNS = 200


def in_python(explorer):
    """The state that Python has."""
    return explorer.notebook.python(f"{explorer.name}.state")


def test_it_is_drawn_as_python_has_it(in_lab):
    """The state is that of Python, every control has a name and is known here, and a picture and words are stored."""
    assert same(in_lab.state, in_python(in_lab))
    assert in_lab.root.locator(".bflo-alert").text_content() == ""
    names = in_lab.root.locator("input, select, button").evaluate_all("all => all.map((one) => one.name)")
    assert sorted(set(names)) == sorted(in_lab.parts.controls)  # radio buttons of one trait share its name
    points = in_lab.root.locator("[data-handle]").evaluate_all("all => all.map((one) => one.dataset.handle)")
    assert sorted(points) == sorted(in_lab.parts.handles)
    name = 'one.labels?.[0]?.textContent || one.getAttribute("aria-label") || one.textContent'
    assert all(in_lab.root.locator(FOCUSABLE).evaluate_all(f"all => all.map((one) => ({name}).trim())"))
    cell = 1 + INSTRUMENTS.index(in_lab.parts)
    outputs = in_lab.notebook.ask("panel.content.widgets[arg].model.outputs.toJSON()", cell)
    (data,) = [output["data"] for output in outputs if "data" in output]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert "".join(data["text/plain"]).startswith(in_lab.parts.kind.__name__)


def test_a_page_from_a_disk_shows_and_says_the_same(in_lab, tmp_path):
    """The same state, in another host: every word and every number of it."""
    traits = {name: value for name, value in in_lab.parts.traits.items() if name not in ("experiment", "w_new")}
    in_lab.start_again(**traits)
    in_lab.notebook.python("None", f"{in_lab.name}.save_html({str(tmp_path / 'saved.html')!r})")
    page = in_lab.page.context.new_page()
    witness = Witness(page)
    page.goto((tmp_path / "saved.html").as_uri())
    saved = Explorer(page, in_lab.name).wait()
    until(lambda: saved.says() == in_lab.says())
    assert (len(saved.says()["alts"]) > 1 or saved.says()["outputs"]) and saved.below()
    page.close()
    assert witness.take() == []


@some_first
def test_page_and_python_follow_each_other(in_lab):
    """Each slider, list, box and button, used once; and before each, Python sets all traits back."""
    for name, (value, wanted) in in_lab.parts.controls.items():
        if wanted and name not in ("experiment", "learners.diagonal", "learners.DROPOUT"):
            in_lab.start_again(**in_lab.parts.needs.get(name, {}))
            in_lab.use(name, value)
            in_lab.shows(**wanted)
            until(lambda: {trait: in_python(in_lab)[trait] for trait in wanted}, wanted)  # noqa: B023


@pytest.mark.slow
def test_keys_do_not_reach_the_notebook(in_lab):
    """Where "d d" would delete a cell and "b" add one, they do nothing; nor do arrows go to the next cell."""
    index = 1 + INSTRUMENTS.index(in_lab.parts)
    in_lab.notebook.ask(
        "(Object.assign(panel.content, { activeCellIndex: arg, mode: 'command' }), panel.content.activate())", index
    )
    sources = "panel.content.widgets.map((cell) => cell.model.sharedModel.source)"
    before, tried = in_lab.notebook.ask(sources), set()
    for element in in_lab.root.locator(FOCUSABLE).all():
        kind = element.evaluate("one => one.checkVisibility() && !one.disabled && one.tagName + (one.type ?? '')")
        if kind and kind not in tried:
            tried.add(kind)
            element.focus()
            for key in ("b", "d", "d", "ArrowDown", "m"):
                in_lab.page.keyboard.press(key)
    assert len(tried) >= 2
    assert in_lab.notebook.ask(sources) == before
    chosen = in_lab.notebook.ask("[panel.content.activeCellIndex, panel.content.mode]")
    assert chosen == [index, "command"]


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


@only_regime
def test_a_link_moves_other_widgets(in_lab):
    """Through Python (link), and in the browser alone (jslink); a wrong value is refused, with its sentence."""
    in_lab.use("delta", -2)
    until(lambda: in_lab.notebook.python("[regime.delta, other.delta]"), [-2, -2])
    in_lab.use("delta_new", 3)
    until(lambda: in_lab.notebook.python("slider.value"), 3)
    handle = in_lab.page.locator(".widget-slider .noUi-handle")
    handle.press("ArrowLeft")
    in_lab.shows(delta_new=2.9)
    until(lambda: in_lab.notebook.python("regime.delta_new"), 2.9)
    handle.press("End")
    alert = in_lab.root.locator(".bflo-alert")
    until(alert.text_content, "delta_new must be from -4 to 4, but it was 9.")
    in_lab.shows(delta_new=2.9)
    assert in_lab.notebook.python("regime.delta_new") == pytest.approx(2.9)
    in_lab.use("delta_new", 1)
    until(alert.text_content, "")


@only_regime
def test_a_callback_that_fails_is_seen(in_lab):
    """Its words are in the explorer, and go when it is corrected."""
    alert = in_lab.root.locator(".bflo-alert")
    fails = "def fail(change): raise ValueError('no such luck')\nregime.observe(fail, 'delta')"
    in_lab.notebook.python("None", fails)
    in_lab.use("delta", 1)
    until(lambda: "ValueError: no such luck" in alert.text_content() and alert.is_visible())
    assert alert.get_attribute("role") == "alert"
    in_lab.notebook.python("None", "regime.unobserve(fail, 'delta')")
    in_lab.use("delta", 1.5)
    until(alert.text_content, "")
    assert in_lab.notebook.python("regime.delta") == 1.5


@pytest.mark.slow
def test_running_a_cell_again_leaks_nothing(notebook):
    """200 times: as many widgets in the kernel as before, and as many listeners in the browser."""
    session = notebook.page.context.new_cdp_session(notebook.page)
    session.send("Performance.enable")

    def run(times):
        notebook.ask("panel.content.activeCellIndex = arg", AGAIN)
        for _ in range(times):
            notebook.ask("jupyterapp.commands.execute('notebook:run-cell')")

    def measured():
        """What kernel and browser hold, once that no longer changes: anywidget keeps each model for two seconds."""
        notebook.page.wait_for_timeout(2500)
        before, now = None, {}
        while now != before:
            notebook.page.wait_for_timeout(500)
            session.send("HeapProfiler.collectGarbage")
            metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            before, now = now, [metrics[name] for name in ("JSEventListeners", "Nodes")]
        held = "[len(ipywidgets.widgets.widget._instances), resident()]"
        return [*notebook.python(held, "gc.collect()"), *now]

    run(20)  # what is kept once is kept by now
    before = measured()
    run(RERUNS)
    widgets, megabytes, listeners, nodes = (now - then for now, then in zip(measured(), before, strict=True))
    assert notebook.page.locator("section.bflo").count() == len(INSTRUMENTS) + 2
    assert widgets == 0
    assert megabytes < 10
    assert listeners < RERUNS  # fewer than one for each run: JupyterLab adds some of its own, once
    assert nodes < 5 * RERUNS  # an explorer has hundreds
    # A model that was closed before it was ready: anywidget says so after two seconds, and nothing is amiss.
    assert notebook.witness.take("[anywidget] Failed to initialize model.") == []
