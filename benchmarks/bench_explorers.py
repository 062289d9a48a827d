"""Key press to painted pixels in JupyterLab: explorers against ``interact`` and a matplotlib re-plot, side by side.

Both are timed inside the page, from the time stamp of the key press to the end of the frame that paints its value:
for ``interact`` that is the frame in which the strip on top of the picture has the colour of the new value, for an
explorer the frame in which it has drawn the new state. Screenshots make sure now and then that pixels did change.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from lab_driver import NO_BROWSER, Notebook, browser_here, lab, launched, write_notebook
from playwright.sync_api import Browser
from side_by_side import report

import bflo_viz

ROOT = Path(__file__).parents[1]

BLOCKS, MOVES = 5, 10  # blocks of moves, in which both take turns: 50 each
REPEATS = 90  # key presses of the test with a key held down
RATE = 30  # of them a second
EXPLORERS = ("Regime", "Flow", "PseudoDataset", "Online", "Dynamics")
CELLS = [
    "import sys, ipywidgets\n"
    f"sys.path.append({str(ROOT / 'benchmarks')!r})\n"
    "import interact_pictures\n"
    f"from bflo_viz import {', '.join(f'{name}Explorer' for name in EXPLORERS)}",
    "slider = ipywidgets.FloatSlider(value=-3, min=-4, max=4, step=0.1)\n"
    "ipywidgets.interact(interact_pictures.regimes, delta=slider, delta_new=(-4.0, 4.0, 0.1));",
    "RegimeExplorer(delta=-3)",
    "slider = ipywidgets.FloatSlider(value=-3, min=-4, max=4, step=0.1)\n"
    "ipywidgets.interact(interact_pictures.flows, w=slider, w_new=(-4.0, 4.0, 0.1));",
    "FlowExplorer(w=[-3, -0.4])",
]
# Without a kernel: each explorer, far into its rounds where it has some, and the bar of its latency in milliseconds.
WITHOUT: dict[str, tuple[dict[str, object], int]] = {
    "Online": ({"others": ["AROW", "Langevin"], "round": 2000}, 50),
    "Regime": ({}, 40),
    "Flow": ({"gradient_step": True}, 40),
    "PseudoDataset": ({"round": 200}, 40),
    "Dynamics": ({"round": 400}, 40),
    "Digit": ({}, 80),  # another seed draws the weights of fifty networks anew
    "Results": ({}, 40),
}
PAINTED = """
window.bench = {
  /** Every control and handle of the page. */
  all: [...document.querySelectorAll("section.bflo [name], section.bflo [data-handle]")],
  /** Focus one of them; return its name, and the keys that change it and change it back: none if it is not in use. */
  focus(at) {
    const { type, name, value, min, disabled, selectedIndex, options, dataset } = bench.all[at];
    const sideways = ["ArrowRight", "ArrowLeft"];
    let keys = [];
    if (disabled || !bench.all[at].getClientRects().length) keys = [];
    else if (dataset.handle) keys = sideways;
    else if (type === "range" && name !== "speed") keys = value === min ? sideways : sideways.toReversed();
    else if (type === "checkbox") keys = ["Space"];
    else if (options?.length > 1) keys = selectedIndex === 0 ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
    else if (name === "new-seed") keys = ["Enter"];
    bench.all[at].focus();
    return [name || dataset.handle, keys];
  },
};
document.addEventListener("keydown", (event) => {
  const root = document.querySelector("[data-painted]");
  const pressed = event.timeStamp;
  bench.frame = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`${event.key} on ${event.target.name} painted nothing`)), 5000);
    const observer = new MutationObserver(() => {
      observer.disconnect();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now() - pressed); // after this frame was painted
      port2.postMessage(0);
    });
    observer.observe(root, { attributes: true, attributeFilter: ["data-painted"] });
  });
}, true);
"""
STROKES = """() => {
  window.times = [];
  let moved = null;
  document.addEventListener("pointermove", (event) => (moved ??= event.timeStamp), true);
  new MutationObserver(() => {
    if (moved === null) return;
    const [start, { port1, port2 }] = [moved, new MessageChannel()];
    moved = null;
    port1.onmessage = () => times.push(performance.now() - start); // after this frame was painted
    port2.postMessage(0);
  }).observe(document.querySelector("[data-painted]"), { attributes: true, attributeFilter: ["data-painted"] });
}"""
HELPERS = """
window.bench = {
  seen: [],
  /** The value that the picture of interact shows: the colour of its strip; NaN while there is none. */
  interact(cell) {
    const image = cell.querySelector(".jp-OutputArea-output img");
    if (!image?.complete || !image.naturalWidth) return NaN;
    const canvas = new OffscreenCanvas(1, 24);
    const context = canvas.getContext("2d");
    context.drawImage(image, image.naturalWidth / 2, 0, 1, 24, 0, 0, 1, 24);
    const { data } = context.getImageData(0, 0, 1, 24);
    for (let k = 0; k < data.length; k += 4) {
      const [red, green, blue] = data.slice(k, k + 3);
      if (green === 0 && Math.abs(red + blue - 255) <= 1) return Math.round(red / 3);
    }
    return NaN;
  },
  /** The value that an explorer has drawn, in the same steps. */
  explorer(cell) {
    const state = JSON.parse(cell.querySelector("section.bflo")?.dataset.state ?? "{}");
    return Math.round(((state.delta ?? state.w?.[0]) + 4) / 0.1);
  },
  /** Note every value that is painted from now on, with the time when its frame was done. */
  watch(index, kind) {
    const cell = document.querySelectorAll(".jp-Notebook .jp-Cell")[index];
    const run = (bench.run = (bench.run ?? 0) + 1);
    bench.seen = [];
    let last = bench[kind](cell);
    let asked = false;
    const look = () => {
      const value = bench[kind](cell);
      if (!Number.isFinite(value) || value === last) return;
      last = value;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => bench.seen.push([value, performance.now()]); // after this frame was painted
      port2.postMessage(0);
    };
    if (kind === "explorer") {
      bench.observer?.disconnect();
      bench.observer = new MutationObserver(look); // in the frame that draws, before it is painted
      bench.observer.observe(cell, { attributes: true, attributeFilter: ["data-state"], subtree: true });
    } else {
      const frame = () => {
        if (run !== bench.run) return;
        look();
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }
    return last;
  },
  /** When the last key was pressed, and when its value was painted. */
  async painted(value) {
    for (let waited = 0; waited < 2000; waited += 1) {
      const found = bench.seen.find(([shown]) => shown === value);
      if (found) return found[1] - bench.pressed;
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    throw new Error(`${value} was never painted, but ${bench.seen.map(([shown]) => shown)}`);
  },
};
document.addEventListener("keydown", (event) => (bench.pressed = event.timeStamp), true);
"""


def moves(notebook: Notebook, index: int, kind: str, focused: str) -> list[float]:
    """Milliseconds from key press to painted pixels, of each move of a block to the right."""
    page = notebook.page
    thing = page.locator(f".jp-Notebook .jp-Cell >> nth={index}").locator(focused).first
    thing.scroll_into_view_if_needed()
    thing.focus()
    value = page.evaluate("([index, kind]) => bench.watch(index, kind)", [index, kind])
    before = page.screenshot()
    page.wait_for_timeout(500)  # a screenshot keeps the browser busy for a while
    times = []
    for move in range(MOVES):
        page.keyboard.press("ArrowRight")
        times.append(page.evaluate("(value) => bench.painted(value)", value + move + 1))
        page.wait_for_timeout(50)
    assert page.screenshot() != before, "the pixels did not change"
    return times


def held_down(notebook: Notebook, index: int, kind: str, focused: str) -> float:
    """Share of the values that are never painted while a key is held down."""
    page = notebook.page
    thing = page.locator(f".jp-Notebook .jp-Cell >> nth={index}").locator(focused).first
    thing.focus()
    page.evaluate("([index, kind]) => bench.watch(index, kind)", [index, kind])
    start = time.perf_counter()
    for press in range(REPEATS):
        # To the left and to the right in turns of 30, so that no end is met.
        page.keyboard.down("ArrowLeft" if press // 30 % 2 == 0 else "ArrowRight")
        time.sleep(max(0.0, start + (press + 1) / RATE - time.perf_counter()))
    took = time.perf_counter() - start
    page.keyboard.up("ArrowLeft")
    page.keyboard.up("ArrowRight")
    page.wait_for_timeout(3000 if kind == "interact" else 500)
    seen = page.evaluate("() => bench.seen.length")
    print(f"    {REPEATS / took:.1f} key presses a second, {seen} of {REPEATS} values painted")
    return 1 - seen / REPEATS


def first_paint(notebook: Notebook, name: str, runs: int = 5) -> tuple[float, float]:
    """Seconds from running a cell until its explorer is painted: the median and the worst of some runs."""
    times = notebook.page.evaluate(
        """async ([name, runs]) => {
            const { content } = jupyterapp.shell.currentWidget;
            content.activeCellIndex = content.widgets.length - 1;
            content.activeCell.model.sharedModel.setSource(name);
            const times = [];
            for (let run = 0; run < runs; run += 1) {
                const cell = content.activeCell.node;
                const before = cell.querySelector("section.bflo");
                const start = performance.now();
                const done = jupyterapp.commands.execute("notebook:run-cell");
                for (;;) {
                    const now = cell.querySelector("section.bflo[data-painted]");
                    if (now && now !== before) break;
                    await new Promise(requestAnimationFrame);
                }
                times.push((performance.now() - start) / 1000);
                await done;
                await new Promise((resolve) => setTimeout(resolve, 300));
            }
            return times;
        }""",
        [name, runs],
    )
    return float(np.median(times)), float(max(times))


def compare(notebook: Notebook, name: str, interact: int, explorer: int, handle: str) -> None:
    """Time an explorer and the same content by interact, and print both."""
    slider = ".widget-slider .noUi-handle"
    slow: list[float] = []
    fast: list[float] = []
    for _ in range(BLOCKS):
        slow += moves(notebook, interact, "interact", slider)
        fast += moves(notebook, explorer, "explorer", handle)
    for label, times in ((f"interact, {name}", slow), (f"{name}Explorer", fast)):
        p50, p95 = np.percentile(times, [50, 95])
        print(f"{label:<24} key press to painted pixels, {len(times)} moves: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms")
    report(f"{name}Explorer, p95", np.percentile(fast, 95), 50, at_most=True, unit="ms")
    for p in (50, 95):
        ratio = np.percentile(slow, p) / np.percentile(fast, p)
        report(f"{name}Explorer against interact, times faster at p{p}", ratio, 15, at_most=False)
    dropped = 100 * held_down(notebook, explorer, "explorer", handle)
    report(f"{name}Explorer, values dropped at {RATE} key presses a second", dropped, 10, at_most=True, unit="%")
    print(f"    interact drops {100 * held_down(notebook, interact, 'interact', slider):.0f} %")


def without_kernel(browser: Browser, folder: Path, name: str, state: dict[str, object], bar: int) -> None:
    """Any control of a saved page, from its key press to the frame that has everything anew."""
    shown = getattr(bflo_viz, f"{name}Explorer")(**state).save_html(folder / f"{name}.html")
    with browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True) as context:
        page = context.new_page()
        times: dict[str, list[float]] = {}
        for _ in range(BLOCKS):
            page.goto(shown.as_uri())  # back to the first state
            page.wait_for_selector("[data-painted]")
            page.evaluate(PAINTED)
            for at in range(page.evaluate("() => bench.all.length")):
                control, keys = page.evaluate("(at) => bench.focus(at)", at)
                for move in range(MOVES if keys else 0):
                    page.wait_for_timeout(60)
                    page.keyboard.press(keys[move % len(keys)])
                    times.setdefault(control, []).append(page.evaluate("() => bench.frame"))
    for control, some in times.items():
        p50, p95 = np.percentile(some, [50, 95])
        print(f"{name}Explorer without a kernel, {control:<18} p50 {p50:6.1f} ms, p95 {p95:6.1f} ms")
    every = np.concatenate([*times.values()])
    report(
        f"{name}Explorer without a kernel, any control, p95", np.percentile(every, 95), bar, at_most=True, unit="ms"
    )


def sketch_to_votes(browser: Browser, folder: Path) -> None:
    """A stroke on an empty page of the digit explorer: from each move of the hand to the votes on it, painted."""
    shown = bflo_viz.DigitExplorer(sketch="").save_html(folder / "strokes.html")
    with browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True) as context:
        page = context.new_page()
        page.goto(shown.as_uri())
        page.wait_for_selector("[data-painted]")
        page.evaluate(STROKES)
        box = page.locator("[data-picture=pad] svg").bounding_box()
        assert box is not None
        angles = np.linspace(0, 4 * np.pi, BLOCKS * MOVES * 2)
        for move, angle in enumerate(angles):
            away = (0.1 + 0.3 * move / len(angles)) * box["width"]  # a spiral: ink is added to the end
            x, y = (
                box["x"] + box["width"] / 2 + away * np.cos(angle),
                box["y"] + box["height"] / 2 + away * np.sin(angle),
            )
            page.mouse.move(x, y)
            if not move:
                page.mouse.down()
            page.wait_for_timeout(40)
        page.mouse.up()
        times = page.evaluate("() => times")
    p50, p95 = np.percentile(times, [50, 95])
    print(f"DigitExplorer, stroke to painted votes, {len(times)} frames: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
    report("DigitExplorer, stroke to the painted votes of 50 networks, p95", p95, 50, at_most=True, unit="ms")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, launched() as browser, lab(Path(folder)) as server:
        write_notebook(Path(folder) / "bench.ipynb", [*CELLS, "0"])
        page = browser.new_context(viewport={"width": 1400, "height": 1000}).new_page()
        notebook = Notebook(server, page, "bench.ipynb")
        for name, (state, bar) in WITHOUT.items():
            without_kernel(browser, Path(folder), name, state, bar)
        sketch_to_votes(browser, Path(folder))
        notebook.run_all()
        page.evaluate(HELPERS)
        page.wait_for_timeout(2000)
        compare(notebook, "Regime", 1, 2, '[data-handle="point"]')
        compare(notebook, "Flow", 3, 4, '[data-handle="w"]')
        for name in EXPLORERS:
            median, worst = first_paint(notebook, f"{name}Explorer()")
            what = f"{name}Explorer, first paint after its cell is run (worst {worst:.2f} s)"
            report(what, median, 1, at_most=True, unit="s")


if __name__ == "__main__":
    if browser_here() is None:
        print(f"The explorers were not measured. {NO_BROWSER}")
    else:
        main()
