"""Draw the pictures of the README into ``docs``: a figure, an animation, and an explorer as a browser shows it."""

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from bflo_viz import RegimeExplorer
from bflo_viz.figures import gallery

DOCS = Path(__file__).parents[1] / "docs"


def main():
    with tempfile.TemporaryDirectory() as folder:
        gallery.write(Path(folder), ["flow_types", "dynamics"], formats=["png"], animations=True, tell=lambda _: None)
        for name in ("flow_types.png", "dynamics.gif"):
            (DOCS / name).write_bytes((Path(folder) / name).read_bytes())
        page = RegimeExplorer(delta=1.2, delta_new=-0.6).save_html(Path(folder) / "regime.html")
        photograph(page, DOCS / "regime_explorer.png")
    for path in sorted(DOCS.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def photograph(page, target):
    """Save what Chromium shows of the explorer on a page, in few colours."""
    with sync_playwright() as playwright:
        here = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=here, args=["--disable-gpu"])
        window = browser.new_page(viewport={"width": 1200, "height": 800})
        window.goto(page.as_uri())
        explorer = window.locator("section.bflo[data-painted]")
        explorer.wait_for()
        explorer.screenshot(path=target)
        browser.close()
    with Image.open(target) as picture:
        picture.convert("RGB").quantize(128).save(target, optimize=True)


if __name__ == "__main__":
    main()
