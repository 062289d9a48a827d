"""The browser and JupyterLab, each started once, and ended with the last test of this folder.

(They must not outlive it: Playwright keeps an event loop running, which the tests of the notebooks could not share.)
"""

import pytest
from lab_driver import NO_BROWSER, browser_here, lab, launched, write_notebook

from browser.instruments import INSTRUMENTS
from browser.pages import SIZE, Explorer, LabNotebook

_HELPERS = """
import gc, ipywidgets
from matplotlib.figure import Figure
from bflo_viz import NAMES
FIRST = {}
def show(explorer):
    FIRST[explorer] = explorer.state
    return explorer
def start_again(explorer, traits):
    for name, value in (FIRST[explorer] | traits).items():
        setattr(explorer, name, value)
def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * 4096 / 1e6
class Quick(RegimeExplorer):
    def figure(self, *, style="paper", blank=Figure((0.5, 0.5))):  # drawing is not what runs 200 times here
        return blank
    _picture = figure
"""
_LINKED = """
other, slider = RegimeExplorer(), ipywidgets.FloatSlider(min=-4, max=9, step=0.1)
ipywidgets.link((regime, "delta"), (other, "delta"))
ipywidgets.jslink((regime, "delta_new"), (slider, "value"))
ipywidgets.VBox([other, slider])
"""
AGAIN = 2 + len(INSTRUMENTS)  # the cell that is run again and again


@pytest.fixture(scope="package")
def browser():
    """Chromium, if there is one."""
    if browser_here() is None:
        pytest.skip(NO_BROWSER)
    with launched() as browser:
        yield browser


@pytest.fixture(scope="package")
def notebook(browser, tmp_path_factory):
    """All explorers in one notebook of JupyterLab, each in a cell; widgets that are linked to one; and one more."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [f"{one.name} = show({one.kind.__name__}())\n{one.name}" for one in INSTRUMENTS]
    helpers = _HELPERS.replace("NAMES", ", ".join(one.kind.__name__ for one in INSTRUMENTS))
    write_notebook(folder / "explorers.ipynb", [helpers, *cells, _LINKED, "again = Quick()\nagain"])
    with lab(folder) as server:
        window = browser.new_context(viewport=SIZE)
        notebook = LabNotebook(server, window.new_page(), "explorers.ipynb")
        notebook.run_all()
        yield notebook
        assert notebook.witness.take() == []
        window.close()


@pytest.fixture(params=INSTRUMENTS, ids=str)
def in_lab(request, notebook):
    """Each explorer in JupyterLab as it is at first; whatever goes wrong on the page fails the test."""
    explorer = Explorer(notebook.page, request.param.name, request.param, notebook).wait()
    explorer.start_again()
    yield explorer
    assert notebook.witness.take() == []
