"""Saved pages of explorers in Chromium."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]


@pytest.fixture(scope="module")
def browser():
    """Chromium; it ends with this module, since Playwright's event loop must not outlive it."""
    if (path := shutil.which("chromium")) is None:
        pytest.skip("there is no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a saved page; whatever goes wrong on it fails the test."""
    contexts, problems = [], []

    def open_page(explorer=None, width=1000, height=700, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        if explorer is not None:
            page.goto(explorer.save_html(tmp_path / "page.html").as_uri())
            page.wait_for_selector("[data-painted]")
            page.wait_for_timeout(100)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


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
