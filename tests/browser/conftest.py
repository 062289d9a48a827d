"""The browser and the servers of these tests: each started once, and ended with the last test of this folder.

(They must not outlive it: Playwright keeps an event loop running, which the tests of the notebooks could not share.)
"""

import pytest

from browser import servers
from browser.instruments import INSTRUMENTS
from browser.pages import NO_BROWSER, SIZE, Explorer, Notebook, browser_here, launched

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
    with launched() as found:
        yield found


@pytest.fixture(scope="package")
def lab(browser, tmp_path_factory):
    """A JupyterLab server with a folder of its own."""
    with servers.lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="package")
def window(browser):
    """Where JupyterLab opens: what it has loaded for one notebook it need not load for the next."""
    context = browser.new_context(viewport=SIZE, has_touch=True)
    yield context
    context.close()


@pytest.fixture(scope="package")
def notebook(window, lab):
    """All explorers in one notebook of JupyterLab, each in a cell; widgets that are linked to one; and one more."""
    cells = [f"{one.name} = show({one.made_by}())\n{one.name}" for one in INSTRUMENTS]
    helpers = _HELPERS.replace("NAMES", ", ".join(one.made_by for one in INSTRUMENTS))
    lab.write("explorers.ipynb", [helpers, *cells, _LINKED, "again = Quick()\nagain"])
    opened = Notebook(lab, window.new_page(), "explorers.ipynb")
    opened.run_all()
    yield opened
    assert opened.witness.take() == []


@pytest.fixture(params=INSTRUMENTS, ids=str)
def in_lab(request, notebook):
    """Each explorer in JupyterLab as it is at first; whatever goes wrong on the page fails the test."""
    one = request.param
    explorer = Explorer(notebook.page, one.name, one, notebook).wait()
    explorer.start_again()
    yield explorer
    assert notebook.witness.take() == []
