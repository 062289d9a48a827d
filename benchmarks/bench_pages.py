"""Any control of a saved page to painted pixels, for each instrument, and the network's frames a second as it plays.

A time runs from the time stamp of the event to the end of the first frame that shows what it changed. With
``python benchmarks/bench_pages.py --against FOLDER [PATTERN]`` the pages of another checkout take turns with ours.
"""

import os
import re
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from lab_driver import NO_BROWSER, browser_here, launched
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as Late
from side_by_side import report

import bflo_viz

ROOT = Path(__file__).parents[1]
ROUNDS, MOVES, SECONDS = 3, 10, 6
# Each instrument, far into its rounds where it has some, and the bar of its p95 in milliseconds.
INSTRUMENTS: dict[str, tuple[dict[str, object], int]] = {
    "Regime": ({}, 35),
    "Flow": ({}, 35),
    "PseudoDataset": ({"round": 200}, 35),
    "Online": ({"round": 2000}, 50),
    "Dynamics": ({"round": 400}, 50),
    "Network": ({}, 50),  # another setting learns all rounds anew
    "Digit": ({}, 50),  # another seed draws the weights of fifty networks anew
    "Results": ({}, 35),
}
PLAYED = {
    "one learner": {"data": "spirals", "round": 0, "speed": 12_000},
    "two learners": {"data": "spirals", "round": 0, "speed": 12_000, "rival": "SGD"},
}
WATCH = """(type) => {
  const root = document.querySelector(".bflo");
  const times = (window.times = []);
  let [start, before] = [null, ""];
  const frame = () => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { // after this frame was painted
      if (root.dataset.painted === before) return void requestAnimationFrame(frame);
      times.push(performance.now() - start);
      start = null;
    };
    port2.postMessage(0);
  };
  document.addEventListener(type, ({ timeStamp }) => {
    if (start !== null) return;
    [start, before] = [timeStamp, root.dataset.painted];
    requestAnimationFrame(frame);
  }, true);
}"""
# Focus a control or handle; return its name, and the keys that change it and change it back: none out of sight.
FOCUS = """(at) => {
  document.querySelector(".bflo-more").open = true;
  const all = ".bflo-handle, [data-control] :is(input:not([type=radio]), input:checked)";
  const one = [...document.querySelectorAll(all)][at];
  if (!one) return null;
  const { type, value, max } = one;
  const keys = {
    range: Number(value) >= Number(max) ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"],
    checkbox: ["Space"],
    number: ["ArrowUp", "ArrowDown"],
  }[type] ?? ["ArrowRight", "ArrowLeft"];
  one.focus();
  const name = one.closest("[data-control]")?.dataset.control ?? one.ariaLabel;
  return [name, one.checkVisibility() && !one.disabled ? keys : []];
}"""
FRAMES = """async (seconds) => {
  const times = [];
  for (let start = performance.now(), now = start; now - start < 1000 * seconds; ) {
    now = await new Promise(requestAnimationFrame);
    times.push(now);
  }
  return times;
}"""


def save_all(folder: Path) -> None:
    """Write the pages that are measured."""
    for name, (state, _) in INSTRUMENTS.items():
        getattr(bflo_viz, f"{name}Explorer")(**state).save_html(folder / f"{name}.html")
    for name, state in PLAYED.items():
        bflo_viz.NetworkExplorer(**state).save_html(folder / f"{name}.html")
    bflo_viz.DigitExplorer(sketch="").save_html(folder / "stroke.html")


def opened(browser: Browser, path: Path) -> Page:
    """Open a page in a window of its own."""
    page = browser.new_context(viewport={"width": 1000, "height": 700}, offline=True).new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-painted]")
    return page


def controls(browser: Browser, paths: Sequence[Path]) -> list[list[float]]:
    """Press keys on every control of some pages, which take turns; milliseconds of each page."""
    pages = [opened(browser, path) for path in paths]
    times: list[list[float]] = [[] for _ in pages]
    for page in pages:
        page.evaluate(WATCH, "keydown")
    for _ in range(ROUNDS):
        at = 0
        while all(found := [page.evaluate(FOCUS, at) for page in pages]):
            at += 1
            for page, some, (name, keys) in zip(pages, times, found, strict=True):
                page.bring_to_front()
                spent = [pressed(page, name, keys[move % len(keys)]) for move in range(MOVES if keys else 0)]
                some += spent
    for page in pages:
        page.context.close()
    return times


def pressed(page: Page, name: str, key: str) -> float:
    """Press a key; milliseconds until what it changed is painted."""
    page.wait_for_timeout(40)
    count = page.evaluate("() => times.length")
    page.keyboard.press(key)
    try:
        page.wait_for_function("(count) => times.length > count", arg=count, timeout=5000)
    except Late:
        raise AssertionError(f"{key} on “{name}” painted nothing.") from None
    return float(page.evaluate("() => times.at(-1)"))


def stroke(browser: Browser, paths: Sequence[Path]) -> list[list[float]]:
    """Draw a spiral on an empty page of the digits: from a move of the hand to the votes of fifty networks."""
    told = []
    for path in paths:
        page = opened(browser, path)
        page.evaluate(WATCH, "pointermove")
        box = page.locator("[data-picture=pad] svg").bounding_box()
        assert box is not None
        for move in range(100):
            away, angle = (0.1 + 0.003 * move) * box["width"], 0.126 * move
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x + away * np.cos(angle), y + away * np.sin(angle))
            if not move:
                page.mouse.down()
            page.wait_for_timeout(40)
        told.append(page.evaluate("() => times"))
        page.context.close()
    return told


def frames(browser: Browser, paths: Sequence[Path]) -> list[list[float]]:
    """Let the network play; milliseconds between its frames."""
    told = []
    for path in paths:
        page = opened(browser, path)
        page.click(".bflo-go")
        page.wait_for_timeout(1500)  # until it is compiled
        told.append([*np.diff(page.evaluate(FRAMES, SECONDS))])
        page.context.close()
    return told


def showing() -> float:
    """Return the milliseconds of Python that showing the slowest explorer takes."""
    kinds = [getattr(bflo_viz, f"{name}Explorer") for name in INSTRUMENTS]
    return 1e3 * max(min(timeit.repeat(lambda k=kind: k()._repr_mimebundle_(), number=1, repeat=5)) for kind in kinds)


def main(other: str | None = None, pattern: str = "") -> None:
    """Report our numbers against their bars; or against another checkout, side by side."""
    jobs = {f"{name}Explorer, any control": (controls, f"{name}.html", bar) for name, (_, bar) in INSTRUMENTS.items()}
    jobs["DigitExplorer, a stroke to its votes"] = (stroke, "stroke.html", 50)
    jobs |= {f"NetworkExplorer plays, {name}": (frames, f"{name}.html", 33) for name in PLAYED}
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        roots = [ROOT] if other is None else [Path(other).resolve(), ROOT]
        places = [Path(folder) / str(number) for number in range(len(roots))]
        for root, place in zip(roots, places, strict=True):
            place.mkdir()
            path = os.environ | {"PYTHONPATH": str(root)}
            save = [sys.executable, Path(__file__).resolve(), "--save", place]
            subprocess.run(save, cwd=root, env=path, check=True)  # results are those of its folder
        for what, (measure, name, bar) in jobs.items():
            if not re.search(pattern, what):
                continue
            times = measure(browser, [place / name for place in places])
            p50, p95 = np.percentile(times[-1], [50, 95])
            print(f"{what}: {len(times[-1])} frames, median {p50:.1f} ms, p95 {p95:.1f} ms", flush=True)
            if other:
                then = np.percentile(times[0], 95)
                print(f"{what}, p95: {then:.1f} ms then, {p95:.1f} ms now: {p95 / then:.2f} x", flush=True)
                continue
            report(f"{what}, p95", p95, bar, at_most=True, unit="ms")
            if measure is frames:
                report(f"{what}, frames a second in the median", 1000 / p50, 58, at_most=False, unit=" ")
    if other is None and not pattern:
        report("showing the slowest explorer, Python", showing(), 30, at_most=True, unit="ms")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--save"]:
        save_all(Path(sys.argv[2]))
    elif browser_here() is None:
        print(f"The pages were not measured. {NO_BROWSER}")
    else:
        main(*sys.argv[2:] if sys.argv[1:2] == ["--against"] else ())
