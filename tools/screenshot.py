"""Photograph an explorer: open its page in Chromium, and keep what it shows as a PNG.

``python tools/screenshot.py docs/regime.png`` draws the picture of the README.
"""

import argparse
import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from bflo_viz import RegimeExplorer
from bflo_viz.explorers.page import page


def photograph(state, *, width=1000, scale=1, dark=False):
    """Return the picture of an explorer, a PNG of few colours, and its own sentence as alt text."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "explorer.html"
        path.write_text(page("", state), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        look = {"color_scheme": "dark" if dark else "light", "reduced_motion": "reduce", "device_scale_factor": scale}
        window = browser.new_page(viewport={"width": width, "height": 900}, **look)
        window.goto(path.as_uri())
        root = window.locator("section.bflo[data-painted]")
        taken, words = root.screenshot(), root.locator(".bflo-say").inner_text()
        browser.close()
    small = io.BytesIO()
    with Image.open(io.BytesIO(taken)) as picture:
        picture.convert("RGB").quantize(128 * scale).save(small, format="PNG", optimize=True)
    return small.getvalue(), words


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path)
    parser.add_argument("--width", type=int, default=1000)
    parser.add_argument("--dark", action="store_true")
    given = parser.parse_args()
    shown = RegimeExplorer(delta=1.2, delta_new=-0.6).on_page()
    given.target.write_bytes(photograph(shown, width=given.width, scale=2, dark=given.dark)[0])
