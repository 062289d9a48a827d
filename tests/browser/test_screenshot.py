"""The picture of an explorer is what Chromium shows of it, at twice the size, in either theme."""

import importlib.util
from pathlib import Path

from PIL import Image

from bflo_viz import RegimeExplorer

TOOL = Path(__file__).parents[2] / "tools" / "screenshot.py"


def test_an_explorer_is_photographed_in_light_and_dark(tmp_path):
    spec = importlib.util.spec_from_file_location("screenshot", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page, corners = RegimeExplorer().save_html(tmp_path / "regime.html"), {}
    for dark in (False, True):
        tool.photograph(page, tmp_path / "picture.png", width=500, dark=dark)
        with Image.open(tmp_path / "picture.png") as picture:
            assert 900 < picture.width <= 1000 < picture.height
            corners[dark] = picture.convert("L").getpixel((0, 0))
    assert corners[False] > 200 > 60 > corners[True]
