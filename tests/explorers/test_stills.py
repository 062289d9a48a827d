"""Pictures of explorers are what Chromium shows; a notebook keeps one until its state or its code changes."""

import base64
import io
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from lab_driver import NO_BROWSER, browser_here
from PIL import Image

TOOLS = Path(__file__).parents[2] / "tools"
pytestmark = pytest.mark.skipif(browser_here() is None, reason=NO_BROWSER)


def test_notebooks_keep_screenshots(tmp_path):
    path = tmp_path / "00_tried.ipynb"

    def executed(source):
        book = (
            nbformat.read(path, 4) if path.exists() else nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell()])
        )
        book.cells[0].source = f"from bflo_viz import RegimeExplorer\n{source}"
        nbformat.write(book, path)
        subprocess.run([sys.executable, TOOLS / "execute_notebooks.py", path], check=True, capture_output=True)
        (output,) = nbformat.read(path, 4).cells[0].outputs
        return output.data["image/png"], output.metadata["image/png"]

    picture, about = executed("RegimeExplorer()")
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        assert image.width == 1000 and 600 < image.height <= 680
    assert "narrows to 68 %" in about["alt"] and len(picture) < 200_000
    marked = base64.b64encode(
        base64.b64decode(picture) + b" "
    ).decode()  # a picture that is not taken anew keeps this
    path.write_text(path.read_text().replace(picture, marked))
    assert executed("RegimeExplorer()") == (marked, about)
    other, _ = executed("RegimeExplorer(delta=-1.0)")
    assert other not in (picture, marked)


def test_the_picture_of_the_readme_has_twice_the_size(tmp_path):
    subprocess.run([sys.executable, TOOLS / "screenshot.py", tmp_path / "picture.png"], check=True)
    with Image.open(tmp_path / "picture.png") as picture:
        assert picture.width == 2000 and 1200 < picture.height <= 1360
