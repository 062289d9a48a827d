"""The picture of an explorer is what Chromium shows of it, at twice the size, in either theme."""

import subprocess
import sys
from pathlib import Path

import pytest
from lab_driver import NO_BROWSER, browser_here
from PIL import Image

TOOL = Path(__file__).parents[2] / "tools" / "screenshot.py"


@pytest.mark.skipif(browser_here() is None, reason=NO_BROWSER)
def test_an_explorer_is_photographed_in_light_and_dark(tmp_path):
    corners = {}
    for theme in ([], ["--dark"]):
        command = [sys.executable, TOOL, tmp_path / "picture.png", "--width", "500", *theme]
        subprocess.run(command, check=True)  # Playwright is already running here
        with Image.open(tmp_path / "picture.png") as picture:
            assert 900 < picture.width <= 1000 < picture.height
            corners[bool(theme)] = picture.convert("L").getpixel((0, 0))
    assert corners[False] > 200 > 60 > corners[True]
