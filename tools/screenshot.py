"""Photograph an explorer: open its page in Chromium, and keep what it shows as a PNG.

``python tools/screenshot.py docs/regime.png`` draws the picture of the README.
"""

import io
import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from bflo_viz import RegimeExplorer
from bflo_viz.explorers.page import page


def photograph(state, scale=1):
    """Return the picture of an explorer, a PNG of few colours, and its own sentence as alt text."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        look = {"color_scheme": "light", "reduced_motion": "reduce", "device_scale_factor": scale}
        window = browser.new_page(viewport={"width": 1000, "height": 900}, **look)
        window.set_content(page("", state))
        root = window.locator("section.bflo[data-painted]")
        taken, words = root.screenshot(), root.locator(".bflo-say").inner_text()
        browser.close()
    small = io.BytesIO()
    with Image.open(io.BytesIO(taken)) as picture:
        picture.convert("RGB").quantize(128 * scale).save(small, format="PNG", optimize=True)
    return small.getvalue(), words


if __name__ == "__main__":
    picture, _ = photograph(RegimeExplorer(delta=1.2, delta_new=-0.6).on_page(), scale=2)
    Path(sys.argv[1]).write_bytes(picture)
