"""The explorers outside of JupyterLab: Notebook 7, Voila, marimo, and as modules in pages that others make."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from documents import ROOT
from lab_driver import HOST, lab, write_notebook

from bflo_viz.explorers.page import module
from browser.instruments import INSTRUMENTS
from browser.pages import SIZE, Explorer, Witness, until

CELL = """
from bflo_viz import RegimeExplorer
regime = RegimeExplorer(delta=1.5)
regime.observe(lambda change: regime.set_trait("std", 2.0), "delta_new")  # Python hears, and answers
regime
"""


@pytest.fixture
def page(browser):
    """A window of its own; errors on it fail the test."""
    window = browser.new_context(viewport=SIZE)
    page = window.new_page()
    yield page
    window.close()


@pytest.fixture(scope="module")
def server(browser, tmp_path_factory):
    """A Jupyter server with a notebook; Notebook 7 and Voila are parts of it."""
    folder = tmp_path_factory.mktemp("places")
    write_notebook(folder / "regime.ipynb", [CELL])
    with lab(folder) as address:
        yield address


def moves(page):
    """The explorer is as Python made it, and what is moved there comes to Python and back to the page."""
    page.locator(".bflo").wait_for(timeout=90_000)
    regime = Explorer(page, "regime").wait()
    regime.shows(delta=1.5, std=1)
    regime.use("delta_new", -2)
    regime.shows(delta_new=-2, std=2)


@pytest.mark.slow
def test_in_notebook_7(server, page):
    page.goto(f"{server}/notebooks/regime.ipynb")
    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for(timeout=90_000)
    page.locator(".jp-Cell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    moves(page)


@pytest.mark.slow
def test_in_voila(server, page):
    page.goto(f"{server}/voila/render/regime.ipynb", timeout=90_000, wait_until="commit")
    moves(page)


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("marimo"), reason="marimo is not here: `make soak` installs it")
def test_in_marimo(page, tmp_path):
    """The example, unchanged: a cell that reads a trait runs again when the explorer was moved."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "--quiet", "--yes", "run", str(ROOT / "examples" / "marimo_regime.py")]
    options = ["--headless", "--no-token", "--host", HOST, "--port", str(port)]
    own = os.environ | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    process = subprocess.Popen([*command, *options], cwd=tmp_path, env=own, stderr=subprocess.DEVNULL)
    try:
        for _ in range(900):
            try:
                urllib.request.urlopen(f"http://{HOST}:{port}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        page.goto(f"http://{HOST}:{port}/")
        page.locator(".bflo").wait_for(timeout=90_000)
        regime = Explorer(page, "regime").wait()
        regime.shows(delta=1, delta_new=-2)
        page.get_by_text("the belief becomes 0.37 wide").wait_for()
        regime.use("delta_new", 2)
        page.get_by_text("the belief becomes 1.37 wide").wait_for(timeout=20_000)
    finally:
        process.terminate()
        process.wait(20)


HOST_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Another page</title><div id="here"></div>
<script type="module">
import widget from "./NAME.mjs";
const values = VALUES, heard = [];
const watchers = {};
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; for (const one of watchers[`change:${name}`] ?? []) one(); },
  on: (name, watcher) => (watchers[name] ??= []).push(watcher),
  off: (name, watcher) => (watchers[name] = (watchers[name] ?? []).filter((one) => one !== watcher)),
  save_changes() {},
};
const el = document.querySelector("#here").attachShadow({ mode: "open" }).appendChild(document.createElement("div"));
window.values = values;
window.remove = await widget.render({ model, el });
</script></html>"""


@pytest.mark.parametrize(
    "name", [pytest.param(one.name, marks=[pytest.mark.slow] * (one.name != "regime")) for one in INSTRUMENTS]
)
def test_a_module_runs_in_a_page_that_knows_nothing_of_it(page, tmp_path, name):
    """In a shadow root, as MyST has it, with a model that can get, set and tell."""
    kind = next(one.kind for one in INSTRUMENTS if one.name == name)
    (tmp_path / f"{name}.mjs").write_text(module(kind._view), encoding="utf-8")
    given = json.loads(json.dumps(kind().on_page()))
    if name == "regime":
        given["delta"] = -1.0
    if name == "results":  # as a kernel in the browser sends it: keys whose value is None are left out
        given["_runs"] = json.loads(json.dumps(given["_runs"]), object_pairs_hook=known)
    (tmp_path / "index.html").write_text(HOST_PAGE.replace("NAME", name).replace("VALUES", json.dumps(given)))
    witness = Witness(page)
    page.route(
        "http://bflo.test/*", lambda route: route.fulfill(path=tmp_path / route.request.url.rpartition("/")[2])
    )
    page.goto("http://bflo.test/index.html")
    explorer = Explorer(page, name).wait()
    if name == "regime":
        explorer.shows(delta=-1, std=1)
        explorer.use("delta_new", 3)
        until(lambda: page.evaluate("() => values.delta_new"), 3)
    page.evaluate("() => remove()")
    assert witness.take("http://bflo.test") == []


def known(pairs):
    """An object without what is None."""
    return {key: value for key, value in pairs if value is not None}
