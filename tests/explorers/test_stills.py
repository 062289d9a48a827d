"""Pictures of explorers are what Chromium shows; a notebook keeps one until its state or its code changes."""

import base64
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from lab_driver import NO_BROWSER, browser_here
from PIL import Image

import bflo_viz
from bflo_viz.explorers.base import MIME
from bflo_viz.explorers.page import STYLE, module

TOOLS = Path(__file__).parents[2] / "tools"
pytestmark = pytest.mark.skipif(browser_here() is None, reason=NO_BROWSER)


def test_stored_pictures_are_of_this_code():
    """Where this fails, `make notebooks` takes them anew."""
    found = 0
    for path in sorted((TOOLS.parent / "notebooks").glob("*.ipynb")):
        for output in (one for cell in nbformat.read(path, 4).cells for one in cell.get("outputs", [])):
            record = output.get("data", {}).get(MIME, {})
            if record.get("explorer") in bflo_viz.__all__:
                code = module(getattr(bflo_viz, record["explorer"]).view) + STYLE
                key = hashlib.sha256((json.dumps(record, sort_keys=True) + code).encode()).hexdigest()[:16]
                found += 1
                assert output.metadata["image/png"]["key"] == key, f"{path.name}: {record['explorer']}"
    assert found >= 10


def test_notebooks_keep_screenshots(tmp_path):
    """A picture is taken anew only where the state has changed; one that was not taken anew keeps its mark."""
    path = tmp_path / "00_tried.ipynb"

    def executed(*calls):
        book = nbformat.read(path, 4) if path.exists() else nbformat.v4.new_notebook()
        book.cells = book.cells or [nbformat.v4.new_code_cell() for _ in calls]
        for cell, call in zip(book.cells, calls, strict=True):
            cell.source = f"from bflo_viz import RegimeExplorer\n{call}"
        nbformat.write(book, path)
        subprocess.run([sys.executable, TOOLS / "execute_notebooks.py", path], check=True, capture_output=True)
        (one,), (two,) = (cell.outputs for cell in nbformat.read(path, 4).cells)
        return [(output.data["image/png"], output.metadata["image/png"]) for output in (one, two)]

    kept, (picture, about) = executed("RegimeExplorer(delta=2.0)", "RegimeExplorer()")
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        assert image.width == 1000 and 600 < image.height <= 680
    assert "narrows to 68 %" in about["alt"] and len(picture) < 200_000
    marked = base64.b64encode(base64.b64decode(kept[0]) + b" ").decode()
    path.write_text(path.read_text().replace(kept[0], marked))
    again, (other, _) = executed("RegimeExplorer(delta=2.0)", "RegimeExplorer(delta=-1.0)")
    assert again == (marked, kept[1]) and other not in (picture, marked)
