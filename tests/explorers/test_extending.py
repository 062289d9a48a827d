"""The explorer of EXTENDING works as it stands there: its class in Python, its view in the page."""

import re
from pathlib import Path

import pytest

from bflo_viz.explorers import page as pages

TEXT = (Path(__file__).parents[2] / "docs" / "EXTENDING.md").read_text("utf-8")


@pytest.fixture
def explorer(monkeypatch, tmp_path):
    """The class as a script defines it, with the modules of the package and the new view beside them."""
    for path in [path for path in pages.JS.rglob("*.js") if path.is_file()]:
        copy = tmp_path / path.relative_to(pages.JS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text("utf-8"), "utf-8")
    (tmp_path / "views" / "stretch.js").write_text(re.search(r"```js\n(.*?)```", TEXT, re.DOTALL)[1], "utf-8")
    monkeypatch.setattr(pages, "JS", tmp_path)
    pages.join.cache_clear()
    space = {"__name__": "stretch_explorer"}
    exec(re.search(r"```python\n(from bflo_viz import DiagonalBelief\n.*?)```", TEXT, re.DOTALL)[1], space)
    yield space["StretchExplorer"]
    pages.join.cache_clear()


def test_the_explorer_of_extending_is_drawn_and_dragged(explorer, opened):
    page = opened(explorer(v=3.0))
    assert "as wide" in page.inner_text(".bflo-say")
    before = page.inner_text(".bflo-say")
    page.focus('[aria-label^="Weight after its step"]')
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(200)
    assert page.inner_text(".bflo-say") != before


def test_a_view_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"there is no module views/nowhere\.js in bflo_viz/explorers/js"):
        pages.module("nowhere")
