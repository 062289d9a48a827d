"""Pages in Chromium: saved explorers, and those of the site."""

import json
import os
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from lab_driver import NO_BROWSER, browser_here, launched
from py_mini_racer import MiniRacer

from bflo_viz.explorers.page import join

AXE = Path(os.environ.get("AXE", Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"))
LOCAL = ("file:", "data:", "blob:", "about:")


@pytest.fixture(scope="module")
def browser():
    """Chromium; it ends with this module, since Playwright's event loop must not outlive it."""
    if browser_here() is None:
        pytest.skip(NO_BROWSER)
    with launched() as browser:
        yield browser


@pytest.fixture
def opened(browser, tmp_path):
    """Open an explorer or a file; whatever goes wrong there, or is asked of a network, fails the test."""
    contexts, problems = [], []

    def open_page(shown=None, width=1000, height=700, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda one: one.url.startswith(LOCAL) or problems.append(one.url))
        if shown is not None:
            path = shown if isinstance(shown, Path) else shown.save_html(tmp_path / "page.html")
            page.goto(path.as_uri())
            page.wait_for_selector("[data-painted]", state="attached")
            page.wait_for_timeout(100)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="module")
def in_v8():
    """Load modules of the pages and some code in V8, and ask there what a function says to some arguments."""
    with ExitStack() as ends:

        def loaded(code, *modules):
            racer = ends.enter_context(closing(MiniRacer()))
            racer.eval(join(*modules) + code)

            def ask(function, *given):
                return json.loads(racer.eval(f"JSON.stringify(({function})({', '.join(map(json.dumps, given))}))"))

            return ask

        yield loaded


@pytest.fixture
def copied(opened):
    """Press *Copy as Python*: the call makes the same explorer; return what its script leaves."""

    def copy(explorer):
        page = opened(explorer)
        page.evaluate("() => (navigator.clipboard.writeText = async (text) => (window.copied = text))")
        page.click(".bflo-more summary")
        page.click("text=Copy as Python")
        head, _, rest = page.evaluate("() => copied").partition("\n\n")
        call, _, script = rest.partition("\n")
        made = {}
        exec(head, made)
        assert eval(call, made).state == explorer.state
        exec(script, made)
        return made

    return copy


@pytest.fixture
def barriers():
    """List what axe-core finds to be a serious or critical barrier within a part of a page."""
    if not AXE.is_file():
        pytest.skip(f"axe-core is not at {AXE}: `npm install --no-save axe-core` puts it there, or AXE names it.")

    def found(page, within):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        all_ = page.evaluate("async (within) => (await axe.run(within, { preload: false })).violations", within)
        serious = [one for one in all_ if one["impact"] in ("serious", "critical")]
        return [(one["id"], node["failureSummary"], node["html"]) for one in serious for node in one["nodes"]]

    return found


@pytest.fixture
def sentences(opened):
    """Give an explorer's page some states, one after the other, and read what it says of each."""

    def read(explorer, states):
        page = opened(explorer)
        say = """(values) => {
            const root = document.querySelector(".bflo");
            root.bflo.set(values);
            root.bflo.flush();
            return root.querySelector(".bflo-say").textContent.replaceAll("−", "-");
        }"""
        return [page.evaluate(say, values) for values in states]

    return read
