"""Every explorer in JupyterLab: Python and page hear of each other, the theme is followed, Lab keeps its own keys."""

import pytest
from lab_driver import Notebook, lab, write_notebook
from test_views import VIEWS

NAMES = [kind.__name__ for kind, *_ in VIEWS]


@pytest.fixture(scope="module")
def notebook(browser, tmp_path_factory):
    """All explorers in one notebook, each in a cell."""
    folder = tmp_path_factory.mktemp("lab")
    first = f"from bflo_viz import {', '.join(NAMES)}\nmade = {{}}"
    write_notebook(folder / "explorers.ipynb", [first, *(f"made['{n}'] = {n}()\nmade['{n}']" for n in NAMES)])
    with lab(folder) as server:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        problems = []
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        opened = Notebook(server, page, "explorers.ipynb")
        opened.run_all()
        yield opened
        page.close()
    assert problems == []


def python(notebook, code):
    """Run code in the kernel and return what it prints."""
    return notebook.page.evaluate(
        """async (code) => {
            const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
            const future = kernel.requestExecute({ code });
            let out = "";
            future.onIOPub = ({ content }) => (out += content.text ?? content.evalue ?? "");
            await future.done;
            return out.trim();
        }""",
        code,
    )


@pytest.mark.parametrize(("kind", "most", "size"), VIEWS, ids=[kind.view for kind, *_ in VIEWS])
def test_python_and_the_page_hear_of_each_other(notebook, kind, most, size):
    page, name = notebook.page, kind.__name__
    root = page.locator(f'.bflo[data-explorer="{kind.view}"]').first
    root.scroll_into_view_if_needed()
    page.wait_for_function(f"() => document.querySelector('.bflo[data-explorer={kind.view}]').dataset.painted")
    assert root.evaluate("(one) => one.style.colorScheme") == "light"
    before = python(notebook, f"print(made['{name}'].state)")
    handle = root.locator(".bflo-handle").first
    handle.focus()
    handle.press("ArrowLeft")
    page.wait_for_timeout(500)
    assert python(notebook, f"print(made['{name}'].state)") != before
    words = root.locator(".bflo-say").inner_text()
    numbers = {
        trait: spec["high"]
        for trait, spec in kind.controls().items()
        if spec["kind"] == "number" and spec["default"] is not None and trait not in ("seed", "speed", "block")
    }
    choices = {trait: spec["options"][-1][0] for trait, spec in kind.controls().items() if spec["kind"] == "choice"}
    trait, value = next(iter((numbers | choices).items()))
    python(notebook, f"made['{name}'].{trait} = {value!r}")
    page.wait_for_timeout(500)
    assert root.evaluate("(one, trait) => one.bflo.state[trait]", trait) == value
    assert root.locator(".bflo-say").inner_text() != words or trait == "angle"


def test_the_theme_of_lab_is_followed(notebook):
    themes = "() => [...document.querySelectorAll('.bflo')].map((one) => one.style.colorScheme)"
    switch = "(name) => jupyterapp.commands.execute('apputils:change-theme', { theme: name })"
    notebook.page.evaluate(switch, "JupyterLab Dark")
    notebook.page.wait_for_timeout(1500)
    assert set(notebook.page.evaluate(themes)) == {"dark"}
    notebook.page.evaluate(switch, "JupyterLab Light")
    notebook.page.wait_for_timeout(1500)
    assert set(notebook.page.evaluate(themes)) == {"light"}


def test_keys_do_no_harm(notebook):
    """Neither d d nor arrows reach the notebook from a handle, and Ctrl+S does: Lab saves."""
    page = notebook.page
    cells = "() => jupyterapp.shell.currentWidget.content.widgets.length"
    before = page.evaluate(cells)
    handle = page.locator(".bflo-handle").first
    handle.scroll_into_view_if_needed()
    handle.focus()
    for key in ("d", "d", "b", "m", "ArrowDown"):
        page.keyboard.press(key)
    assert page.evaluate(cells) == before
    page.evaluate("() => jupyterapp.shell.currentWidget.context.model.sharedModel.setMetadata('tried', true)")
    assert page.evaluate("() => jupyterapp.shell.currentWidget.context.model.dirty")
    handle.focus()
    page.keyboard.press("Control+s")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty", timeout=10_000)
