"""A sentence in JupyterLab: its numbers are dragged there, Python knows, and the other way round."""

import pytest
from lab_driver import lab, write_notebook

from browser.pages import SIZE, LabNotebook, until


@pytest.mark.slow
def test_a_sentence_moves_in_lab(browser, tmp_path):
    code = "from bflo_viz.lessons import Sentence\n\nsentence = Sentence('width')\nsentence"
    write_notebook(tmp_path / "one.ipynb", [code])
    with lab(tmp_path) as server:
        window = browser.new_context(viewport=SIZE)
        notebook = LabNotebook(server, window.new_page(), "one.ipynb")
        notebook.run_all()
        number = notebook.page.get_by_role("slider", name="where the weight goes")
        number.press("End")
        until(lambda: notebook.python("sentence.v"), 4)
        notebook.python("1", "sentence.v = -2.0")
        until(number.text_content, "−2.0")
        words = notebook.page.locator('.bflo[data-explorer="sentence"] .bflo-readout').text_content()
        assert f"Sentence. {words}" == notebook.python("repr(sentence)")
        assert notebook.witness.take() == []
        window.close()
