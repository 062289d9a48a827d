"""The network explorer as it plays: frames a second with 200 examples a frame, for one learner and for two."""

import tempfile
from pathlib import Path

import numpy as np
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
    "one learner": {"data": "spirals", "round": 0, "speed": 12_000},
    "two learners": {"data": "spirals", "round": 0, "speed": 12_000, "rival": "SGD"},
}


def plays(browser: Browser, folder: Path, name: str) -> None:
    """Let a page play, and report how often it draws and how many examples it learns in a frame."""
    page_of = NetworkExplorer(**PLAYED[name]).save_html(folder / "page.html")
    with browser.new_context(viewport={"width": 1000, "height": 700}, offline=True) as context:
        page = context.new_page()
        page.goto(page_of.as_uri())
        page.wait_for_selector("[data-painted]")
        round_ = "() => document.querySelector('.bflo').bflo.state.round"
        page.click(".bflo-go")
        page.wait_for_timeout(1500)  # until it is compiled
        before = page.evaluate(round_)
        times = np.diff(page.evaluate(FRAMES, SECONDS))
        done = page.evaluate(round_) - before
    median, p95 = np.percentile(times, [50, 95])
    print(f"{name}: {len(times)} frames, median {median:.1f} ms, p95 {p95:.1f} ms, {done} examples")
    report(f"frames a second in the median, {name}", 1000 / median, 58, at_most=False)
    report(f"a frame, {name}, p95", p95, 33, at_most=True, unit="ms")
    report(f"examples a frame, {name}", done / len(times), 180, at_most=False)


if __name__ == "__main__":
    if browser_here() is None:
        print(f"The network explorer was not measured. {NO_BROWSER}")
    else:
        with tempfile.TemporaryDirectory() as folder, launched() as browser:
            for name in PLAYED:
                plays(browser, Path(folder), name)
