"""Bets in a browser: by keyboard alone, kept once, and what gives them away opens with the first answer."""

import json

import nbformat
import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from lab_driver import lab

from bflo_viz._places import JOURNAL_VARIABLE
from bflo_viz.classroom import site, slides
from browser.pages import LabNotebook, Witness, until

LESSON, BET = "02_one_dimension.html", '.bflo[data-explorer="bet"]'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site, and the slides of lesson 02."""
    out = tmp_path_factory.mktemp("bets")
    site.build(out / "site", tell=lambda _: None)
    slides.build(out / "slides", ["02"], tell=lambda _: None)
    return out


@pytest.fixture
def page(browser):
    """A page of a browser that has kept nothing; whatever goes wrong on it fails the test."""
    context = browser.new_context(viewport={"width": 360, "height": 780})
    page = context.new_page()
    witness = Witness(page)
    yield page
    assert witness.take() == []
    context.close()


def answer_by_keys(page, option, reason=""):
    """Choose, say why, commit: without a mouse."""
    page.locator(f'{BET} button[name="{option}"]').focus()
    page.keyboard.press("Enter")
    while page.evaluate("document.activeElement.name") != "reason":
        page.keyboard.press("Tab")
    page.keyboard.type(reason)
    page.keyboard.press("Enter")
    until(lambda: page.locator(BET).get_attribute("data-answer"), option)


def test_the_site_keeps_the_first_answer(page, folder):
    """From a disk, on a phone: the fold opens, others are told, and it is the same after a reload."""
    page.goto((folder / "site" / LESSON).as_uri())
    page.evaluate("document.addEventListener('bflo-bet', ({ detail }) => (window.heard = detail))")
    folds = page.locator('details[data-bets~="02.2"]')
    assert folds.count() > 3 and folds.evaluate_all("all => all.every((one) => !one.open)")
    page.locator(f'{BET} button[name="commit"]').click()
    assert "Choose first" in page.locator(".bflo-said").inner_text()
    answer_by_keys(page, "wider", "it was <b>pushed</b>")
    assert page.evaluate("heard") == {"number": "02.2", "answer": "wider"}
    assert page.evaluate("document.activeElement.className") == "bflo-said"
    assert "✗ Not “wider”" in page.locator(".bflo-said").inner_text()
    opened = 'all => all.every((one) => one.open === (one.className === "fold"))'
    assert page.locator("details.fold").evaluate_all(opened)
    assert page.locator(f"{BET} .bflo-options button:enabled").count() == 0
    page.reload()
    until(lambda: page.locator(BET).get_attribute("data-answer"), "wider")
    assert page.locator("details.fold").evaluate_all(opened)
    kept = json.loads(page.evaluate("localStorage['bflo-bets']"))["02.2"]
    assert (kept["answer"], kept["reason"]) == ("wider", "it was <b>pushed</b>")
    page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    assert (
        page.evaluate(f"async () => (await axe.run({BET!r}, {{ preload: false }})).violations.map((one) => one.id)")
        == []
    )
    page.goto((folder / "site" / "bets.html").as_uri())
    row = page.locator("table.bets tr:visible").nth(1)
    assert "✗ wider" in row.inner_text() and "it was <b>pushed</b>" in row.inner_text()
    assert page.locator("table.bets tr:visible").count() == 2
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget my bets").click()
    assert page.locator(".no-bets").is_visible()


def test_a_browser_that_keeps_nothing_or_nonsense(page, folder):
    """Then an answer holds for the page; a fold can be opened by hand."""
    page.add_init_script("try { localStorage.setItem('bflo-bets', '{\"02.2\": {\"answer\": 7}}'); } catch {}")
    page.goto((folder / "site" / LESSON).as_uri())
    fold = page.locator("details.fold").first
    assert fold.get_attribute("open") is None
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert fold.get_attribute("open") is not None
    page.evaluate("Object.defineProperty(window, 'localStorage', { get() { throw Error('none'); } })")
    answer_by_keys(page, "narrower")
    assert "✓ Right" in page.locator(".bflo-said").inner_text()


def test_a_slide_asks_anew(page, folder):
    """A class is a new one each time, and the answer is the next step."""
    page.set_viewport_size({"width": 1280, "height": 720})
    address = (folder / "slides" / LESSON).as_uri() + "#exercise-02-2-asks"
    for _ in range(2):
        page.goto(address)
        page.reload()
        later = page.locator(".present .fragment").first
        answer_by_keys(page, "the same")
        assert not later.is_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        assert later.is_visible() and "std 1 → 0.50" in later.inner_text()


@pytest.mark.slow
def test_in_lab_the_fold_opens_and_the_notebook_keeps_the_answer(browser, tmp_path, monkeypatch):
    """Folded as the course is; the answer is in the saved notebook, and running the cell again changes nothing."""
    monkeypatch.setenv(JOURNAL_VARIABLE, str(tmp_path / "journal.jsonl"))
    new = nbformat.v4
    code = [new.new_code_cell(text) for text in ('bet("02.2")', "'half as wide'", 'bet("03.1")', "'two of them'")]
    words = new.new_markdown_cell("Half as wide.", metadata={"jupyter": {"source_hidden": True}})
    for cell in code[1::2]:
        cell.metadata["jupyter"] = {"outputs_hidden": True}
        cell.outputs = [new.new_output("stream", text=f"{cell.source}\n")]
    cells = [new.new_code_cell("from bflo_viz.lessons import bet"), *code[:2], words, *code[2:]]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new.new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "bets.ipynb")
    with lab(tmp_path) as server:
        page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
        notebook = LabNotebook(server, page, "bets.ipynb")
        run = "(panel.content.activeCellIndex = arg, await jupyterapp.commands.execute('notebook:run-cell'))"
        for index in (0, 1, 4):  # not all: JupyterLab shows what is run
            notebook.ask(run, index)
        hidden = "panel.content.widgets.map((cell) => cell.outputHidden || cell.inputHidden)"
        assert notebook.ask(hidden) == [False, False, True, True, False, True]
        first = page.locator(BET).first
        first.locator('button[name="wider"]').press("Enter")
        first.locator('input[name="reason"]').fill("pushed")
        first.locator('input[name="reason"]').press("Enter")
        until(lambda: notebook.ask(hidden), [False, False, False, False, False, True])  # but not beyond the next bet
        answer = {"exercise": "02.2", "first": "wider", "reason": "pushed"}
        mime = "application/vnd.bflo-viz.answer+json"
        stored = f"panel.content.widgets[1].model.outputs.toJSON()[0].data['{mime}']"
        until(lambda: notebook.ask(stored), answer)
        until(lambda: page.evaluate("document.activeElement.className"), "bflo-said")
        notebook.ask(run, 1)
        until(lambda: notebook.ask(stored), answer)
        notebook.ask("panel.context.save()")
        saved = nbformat.read(tmp_path / "bets.ipynb", as_version=4)
        assert saved.cells[1].outputs[0].data[mime] == answer
        assert notebook.witness.take() == []
        page.context.close()
