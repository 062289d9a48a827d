"""The explorers in Voila, which shows a notebook without its cells."""

import pytest

from browser import servers
from browser.instruments import INSTRUMENTS
from browser.pages import Explorer, Witness, until

pytestmark = pytest.mark.slow
NAMES = ", ".join(one.made_by for one in INSTRUMENTS)
SHOWN = f"""
import ipywidgets
from bflo_viz import {NAMES}
explorers = [{", ".join(f"{one.made_by}()" for one in INSTRUMENTS)}]
seen = ipywidgets.Label()
for explorer in explorers:
    tell = lambda change: setattr(seen, "value", f"{{change.name}} = {{change.new}}")
    explorer.observe(tell, explorer.public_traits())
display(seen, *explorers)
"""


@pytest.fixture(scope="module")
def voila(browser, tmp_path_factory):
    """Voila's page of all explorers."""
    folder = tmp_path_factory.mktemp("voila")
    servers.Server("", folder).write("explorers.ipynb", [SHOWN])
    with servers.voila(folder, "explorers.ipynb") as server:
        context = browser.new_context(viewport={"width": 1200, "height": 900})
        page = context.new_page()
        page.witness = Witness(page)
        page.goto(server.url)
        yield page
        context.close()


@pytest.mark.parametrize("one", INSTRUMENTS, ids=str)
def test_it_is_drawn_and_python_hears_of_it(voila, one):
    """A point that is dragged, or a step that is made, reaches the kernel behind the page."""
    explorer = Explorer(voila, one.name, one).wait(seconds=60)
    assert explorer.colours(".bflo-panels") > 30
    words = voila.locator(".widget-label")
    if one.handles:
        handle, (trait, _) = next(iter(one.handles.items()))
        explorer.follows(handle, (30, -20))
        assert trait.partition(".")[0] in explorer.state
        until(lambda: words.inner_text().partition(" = ")[0] in one.traits, True)
    else:
        before = explorer.state["round"]
        explorer.use("step", None)
        until(words.inner_text, f"round = {before + 1}")
    voila.witness.forgive("@fortawesome")  # Voila's own page asks for icons from afar, and does without them
    assert voila.witness.take() == []
