"""The network explorer as it plays, all panels on: frames a second, and the latency of its controls.

A saved page plays 200 examples a frame with one learner, and with a rival beside it. A frame is timed from one
animation frame to the next. The controls are those of `bench_explorers.py`, measured in the same way.
"""

import tempfile
from pathlib import Path

import numpy as np
from bench_explorers import without_kernel
from lab_driver import NO_BROWSER, browser_here, launched
from playwright.sync_api import Browser
from side_by_side import report

from bflo_viz import NetworkExplorer

SECONDS = 8
FRAMES = """async (seconds) => {
    const times = [];
    for (let start = performance.now(), now = start; now - start < 1000 * seconds; ) {
        now = await new Promise(requestAnimationFrame);
        times.push(now);
    }
    return times;
}"""
PLAYED = {
    "one learner": {"data": "spirals", "round": 0},
    "two learners": {"data": "spirals", "round": 0, "rival": "SGD"},
}


def plays(browser: Browser, folder: Path, name: str) -> None:
    """Let a page play, and report how often it draws and how many examples it learns in a frame."""
    page_of = NetworkExplorer(**PLAYED[name]).save_html(folder / "page.html")
    with browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True) as context:
        page = context.new_page()
        page.goto(page_of.as_uri())
        page.wait_for_selector("[data-painted]")
        read = "() => JSON.parse(document.querySelector('.bflo').dataset.state).round"
        page.locator("[name=play]").click()
        page.wait_for_timeout(1500)  # until it is compiled
        before = page.evaluate(read)
        times = np.diff(page.evaluate(FRAMES, SECONDS))
        done = page.evaluate(read) - before
    median, p95 = np.percentile(times, [50, 95])
    print(f"{name}: {len(times)} frames, median {median:.1f} ms, p95 {p95:.1f} ms, {done} examples")
    report(f"frames a second in the median, {name}", 1000 / median, 58, at_most=False)
    report(f"a frame, {name}, p95", p95, 33, at_most=True, unit="ms")
    report(f"examples a frame, {name}", done / len(times), 180, at_most=False)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        for name in PLAYED:
            plays(browser, Path(folder), name)
        without_kernel(browser, Path(folder), "Network", {"round": 2000, "rival": "SGD"}, 50)


if __name__ == "__main__":
    if browser_here() is None:
        print(f"The network explorer was not measured. {NO_BROWSER}")
    else:
        main()
