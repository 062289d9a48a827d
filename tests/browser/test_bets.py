"""A bet in JupyterLab: answered by keys, kept once, and what gives it away opens with the first answer."""

import nbformat
import pytest
from lab_driver import lab

from bflo_viz._places import JOURNAL_VARIABLE
from browser.pages import LabNotebook, until

BET = '.bflo[data-explorer="bet"]'


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
