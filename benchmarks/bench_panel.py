"""The results panel: from a control to its picture, in Python, and in JupyterLab from key press to painted pixels.

In the page the time is from the time stamp of the key press on a list to the end of the frame that paints the picture
of its choice.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from side_by_side import report

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from browser.pages import NO_BROWSER, Notebook, browser_here, launched  # noqa: E402
from browser.servers import lab  # noqa: E402

from bflo_viz.lessons import ResultsPanel  # noqa: E402

ROUNDS = 8
BAR = 150  # ms
HELPERS = """
window.bench = { pressed: 0, drawn: [] };
document.addEventListener("keydown", (event) => (bench.pressed = event.timeStamp), true);
const image = document.querySelector(".bflo-panel img");
new MutationObserver(() => {
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => bench.drawn.push(performance.now() - bench.pressed); // after the frame was painted
    port2.postMessage(0);
  });
}).observe(image, { attributes: true, attributeFilter: ["data-drawn"] });
"""
WAIT = """async (count) => {
  for (let waited = 0; waited < 3000; waited += 1) {
    if (bench.drawn.length > count) return bench.drawn[count];
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
  throw new Error("no picture was painted");
}"""


def told(where: str, times: list[float]) -> None:
    """Print the middle of some times, and the worst beside the bar."""
    print(f"panel {where}, any control, p50 of {len(times)} {np.percentile(times, 50):.0f} ms")
    report(f"panel {where}, any control, p95", np.percentile(times, 95), BAR, at_most=True, unit="ms")


def in_python() -> None:
    """From the value of a control to the bytes of the picture."""
    panel = ResultsPanel()
    times = []
    for stream in ROUNDS * [*panel._options["stream"][::-1]]:
        for name, value in (("stream", stream), ("noise", 0.2), ("noise", 0.0)):
            start = time.perf_counter()
            panel._controls[name].value = value
            times.append(1000 * (time.perf_counter() - start))
    told("in Python", times)


def in_the_page() -> None:
    """From key press to painted pixels."""
    with tempfile.TemporaryDirectory() as folder, launched() as browser, lab(Path(folder)) as server:
        server.write("panel.ipynb", ["from bflo_viz.lessons import ResultsPanel\npanel = ResultsPanel()\npanel"])
        notebook = Notebook(
            server, browser.new_context(viewport={"width": 1400, "height": 1000}).new_page(), "panel.ipynb"
        )
        notebook.run_all()
        page = notebook.page
        page.wait_for_selector(".bflo-panel img[data-drawn]")
        page.evaluate(HELPERS)
        times: list[float] = []
        keys = [("stream", "ArrowDown")] * 4 + [("stream", "ArrowUp")] * 4
        keys += [("labels flipped", "ArrowDown"), ("labels flipped", "ArrowUp")]
        for label, key in ROUNDS * keys:
            page.locator(".bflo-panel").get_by_label(label).focus()
            page.keyboard.press(key)
            times.append(page.evaluate(WAIT, len(times)))
            page.wait_for_timeout(50)
        told("in JupyterLab", times)


if __name__ == "__main__":
    in_python()
    if browser_here() is None:
        print(f"The panel was not measured in a browser. {NO_BROWSER}")
    else:
        in_the_page()
