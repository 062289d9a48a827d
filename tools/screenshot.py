"""Photograph an explorer: open its saved page in Chromium, and write what it shows as a PNG of twice its size.

``python tools/screenshot.py docs/regime.png`` draws the picture of the README.
"""

import argparse
import base64
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from bflo_viz import RegimeExplorer
from bflo_viz.explorers.page import page


def still(state: dict[str, Any], *, width: int = 1000) -> tuple[str, str]:
    """Return the picture of an explorer for a notebook, a PNG in base64, and its own sentence as alt text."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "explorer.html"
        path.write_text(page("", state), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
        window.goto(path.as_uri())
        root = window.locator("section.bflo[data-painted]")
        taken, words = root.screenshot(), root.locator(".bflo-say").inner_text()
        browser.close()
    small = io.BytesIO()
    with Image.open(io.BytesIO(taken)) as picture:
        picture.convert("RGB").quantize(128).save(small, format="PNG", optimize=True)
    return base64.b64encode(small.getvalue()).decode(), words


def photograph(saved: Path, target: Path, *, width: int = 840, dark: bool = False) -> None:
    """Write the explorer on a saved page as it looks ``width`` pixels wide, in few colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        look = {"color_scheme": "dark" if dark else "light", "reduced_motion": "reduce"}
        window = browser.new_page(viewport={"width": width, "height": 900}, device_scale_factor=2, **look)
        window.goto(saved.resolve().as_uri())
        window.locator("section.bflo[data-painted]").screenshot(path=target)
        browser.close()
    with Image.open(target) as picture:
        picture.convert("RGB").quantize(256).save(target, optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--width", type=int, default=840)
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        saved = RegimeExplorer(delta=1.2, delta_new=-0.6).save_html(Path(folder) / "regime.html")
        photograph(saved, options.target, width=options.width, dark=options.dark)
