"""A browser without a network, and what a test does on its pages: open, run, press, drag, read."""

import ast
import contextlib
import json
import math
import re
import shutil
import time
from collections.abc import Iterator
from typing import Any

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from browser.servers import HOST, Server

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = "There is no Chromium or Chrome here: install one (Debian, Ubuntu: sudo apt install chromium)."
SIZE = {"width": 1400, "height": 1000}
_FLAGS = [
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",  # there is no network, whatever a page tries
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_AT_HOME = re.compile(rf"(https?|wss?)://{re.escape(HOST)}[:/]|(file|data|blob|about):")
_NOTEBOOK = "jupyterapp.shell.currentWidget"
_IDLE = f"{_NOTEBOOK}?.sessionContext?.isReady && {_NOTEBOOK}.sessionContext.session?.kernel?.status === 'idle'"


def browser_here() -> str | None:
    """Path of the browser that the tests can drive, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def launched() -> Iterator[Browser]:
    """The browser, until the end of the block, with an empty profile."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=browser_here(), args=_FLAGS)
        yield found
        found.close()


class Witness:
    """Hears what goes wrong on a page: errors of scripts, of the console, and requests that leave this machine."""

    def __init__(self, page: Page) -> None:
        self._heard: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self._heard.append(f"error: {error}"))
        page.on("console", self._console)
        page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self._heard.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _request(self, request: Any) -> None:
        self.requests.append(request.url)
        if not _AT_HOME.match(request.url):
            self._heard.append(f"request: {request.url}")

    def forgive(self, words: str) -> None:
        """Forget what has these words in it."""
        self._heard = [one for one in self._heard if words not in one]

    def take(self) -> list[str]:
        """What was heard since the last time."""
        heard, self._heard = self._heard, []
        return heard


class Notebook:
    """A notebook open in JupyterLab."""

    def __init__(self, server: Server, page: Page, name: str) -> None:
        self.page, self.witness = page, Witness(page)
        page.goto(f"{server.url}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-Notebook .jp-Cell", timeout=60_000)
        page.wait_for_function(_IDLE, timeout=60_000)

    def run_all(self) -> None:
        """Run every cell, wait for the last, and insist that none failed."""
        self.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
        self.wait()

    def wait(self) -> None:
        """Wait until every cell has run, and insist that none failed."""
        failed = '[data-mime-type="application/vnd.jupyter.error"]'
        done = f"""(failed) => {_IDLE} && (document.querySelector(failed) || {_NOTEBOOK}.content.widgets.every(
            (cell) => cell.model.type !== 'code' || !cell.model.sharedModel.source || cell.model.executionCount))"""
        self.page.wait_for_function(done, arg=failed, timeout=60_000)
        errors = self.page.locator(failed).all_inner_texts()
        assert not errors, errors[0]

    def command(self, name: str, **arguments: Any) -> None:
        """One of JupyterLab's own commands."""
        self.page.evaluate("([name, given]) => jupyterapp.commands.execute(name, given)", [name, arguments])

    def run_cell(self, index: int, times: int = 1) -> None:
        """Run one cell, several times if so wanted, each time to its end."""
        self.page.evaluate(
            f"""async ([index, times]) => {{
                const panel = {_NOTEBOOK};
                panel.content.activeCellIndex = index;
                for (let i = 0; i < times; i += 1) await jupyterapp.commands.execute("notebook:run-cell");
            }}""",
            [index, times],
        )

    def cells(self) -> list[str]:
        """The sources of all cells."""
        sources: list[str] = self.page.evaluate(
            f"() => {_NOTEBOOK}.content.widgets.map((cell) => cell.model.sharedModel.source)"
        )
        return sources

    def python(self, expression: str, code: str = "") -> Any:
        """Run code in the kernel, beside the cells, then give the value of an expression."""
        reply = self.page.evaluate(
            f"""async ([code, expression]) => {{
                const kernel = {_NOTEBOOK}.sessionContext.session.kernel;
                const asked = {{code, store_history: false, silent: false, user_expressions: {{value: expression}}}};
                return (await kernel.requestExecute(asked).done).content;
            }}""",
            [code, f"__import__('json').dumps({expression})"],
        )
        assert reply["status"] == "ok", reply.get("evalue")
        value = reply["user_expressions"]["value"]
        assert value["status"] == "ok", value.get("evalue")
        return json.loads(ast.literal_eval(value["data"]["text/plain"]))

    def outputs(self, index: int) -> list[Any]:
        """What the notebook would save of a cell's outputs."""
        found: list[Any] = self.page.evaluate(
            f"(index) => {_NOTEBOOK}.content.widgets[index].model.outputs.toJSON()", index
        )
        return found

    def command_mode(self, index: int) -> None:
        """Choose a cell, so that keys would act on it."""
        self.page.evaluate(
            f"""(index) => {{
                const {{ content }} = {_NOTEBOOK};
                Object.assign(content, {{ activeCellIndex: index, mode: "command" }});
                content.activate();
            }}""",
            index,
        )

    def active(self) -> list[Any]:
        """Which cell is chosen, how, and what it is."""
        found: list[Any] = self.page.evaluate(
            f"() => {{ const c = {_NOTEBOOK}.content; return [c.activeCellIndex, c.mode, c.activeCell.model.type]; }}"
        )
        return found

    def theme(self, name: str) -> None:
        """Change to JupyterLab's light or dark theme."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name.capitalize()}")
        self.page.wait_for_function(
            """(light) => document.body.dataset.jpThemeLight === light
                && !document.getElementById("jupyterlab-splash")""",  # which covers the page until all is there
            arg=str(name == "light").lower(),
        )


class Explorer:
    """One explorer on a page, whichever program shows it."""

    def __init__(self, page: Page, name: str, parts: Any = None, notebook: Notebook | None = None) -> None:
        self.page, self.name, self.parts, self.notebook = page, name, parts, notebook
        self.root = page.locator(f'.bflo[data-explorer="{name}"]').first

    def wait(self, seconds: float = 20) -> "Explorer":
        """Wait until it is drawn."""
        self.root.and_(self.page.locator("[data-painted]")).wait_for(state="attached", timeout=1000 * seconds)
        return self

    def start_again(self, **traits: Any) -> None:
        """Set the traits in Python as they were at first, but for those given, and wait for the picture."""
        assert self.notebook is not None
        code = f"start_again({self.name}, {traits!r})"
        self.shows(**self.notebook.python(f"{self.name}.state", code))

    @property
    def painted(self) -> int:
        """How many frames it has drawn."""
        return int(self.root.get_attribute("data-painted") or 0)

    @property
    def state(self) -> dict[str, Any]:
        """The traits that the picture shows."""
        shown: dict[str, Any] = json.loads(self.root.get_attribute("data-state") or "{}")
        return shown

    def shows(self, **wanted: Any) -> None:
        """Insist that the picture comes to show these values."""
        until(lambda: {name: self.state.get(name) for name in wanted}, wanted)

    def control(self, name: str) -> Locator:
        """The input, select or button with this name."""
        return self.root.locator(f':is(input, select, button)[name="{name}"]')

    def handle(self, name: str) -> Locator:
        """A point that can be dragged."""
        return self.root.locator(f'[data-handle="{name}"]')

    def told(self, name: str) -> bool:
        """Whether a screen reader has heard where a point is now."""
        where = self.handle(name).get_attribute("aria-valuetext")
        return bool(where) and where in (self.root.locator(".bflo-live").text_content() or "")

    def use(self, name: str, value: Any) -> None:
        """Use a control: choose a value or a text, type a number, tick or untick, or press."""
        control = self.control(name)
        kind = control.evaluate("one => one.type")
        if kind == "range":
            control.fill(str(value))
        elif kind == "number":
            control.fill(str(value))
            control.press("Enter")
        elif kind == "checkbox":
            control.set_checked(value)
        elif kind == "button":
            control.click()
        else:
            control.select_option(label=value)

    @property
    def drawing(self) -> str:
        """The panels, as the page has them."""
        return self.root.locator(".bflo-panels").inner_html()

    def says(self) -> dict[str, Any]:
        """All words and numbers of it, read in one look: of controls, panels and what stands below, and the state."""
        found: dict[str, Any] = self.root.evaluate(
            """(root) => {
                const texts = (which, read) => [...root.querySelectorAll(which)].map(read);
                return {
                    state: JSON.parse(root.dataset.state),
                    outputs: texts("output", (one) => one.textContent),
                    titles: texts("figcaption", (one) => one.textContent),
                    alts: texts("figure svg", (one) => one.getAttribute("aria-label")),
                    below: texts(".bflo-readout :is(p, strong)", (one) => one.textContent),
                    rows: texts("tbody tr:not([hidden])", (one) => [...one.children].map((cell) => cell.textContent)),
                };
            }"""
        )
        return found

    def middle(self, name: str) -> tuple[float, float]:
        """Where a handle is on the screen, once it has come to rest there."""
        x, y = self.handle(name).evaluate(
            """async (one) => {
                const middle = () => {
                    const box = one.querySelector("circle").getBoundingClientRect();
                    return [box.x + box.width / 2, box.y + box.height / 2];
                };
                const [x, y] = middle();
                const inside = x > 0 && x < innerWidth && y > 80 && y < innerHeight - 80;
                if (!inside) one.scrollIntoView({ block: "center" });
                const frame = () => new Promise(requestAnimationFrame);
                for (let before, calm = 0; calm < 3; before = String(middle())) {
                    await frame();
                    calm = String(middle()) === before ? calm + 1 : 0;
                }
                return middle();
            }"""
        )
        return x, y

    @contextlib.contextmanager
    def dragged(self, name: str, by: tuple[float, float], *, touch: bool = False, steps: int = 4) -> Iterator[None]:
        """Drag a handle by pixels (right, down), with the mouse or a finger; it is held during the block."""
        x, y = self.middle(name)
        places = [(x + by[0] * i / steps, y + by[1] * i / steps) for i in range(steps + 1)]
        if touch:
            finger = self.page.context.new_cdp_session(self.page)
            for kind, spot in zip(["touchStart"] + steps * ["touchMove"], places, strict=True):
                points = [dict(zip("xy", spot, strict=True))]
                finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            yield
            finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            finger.detach()
        else:
            self.page.mouse.move(*places[0])
            self.page.mouse.down()
            for spot in places[1:]:
                self.page.mouse.move(*spot)
            yield
            self.page.mouse.up()

    def follows(self, name: str, by: tuple[float, float], *, touch: bool = False) -> None:
        """Drag a handle and insist that it stays under what drags it."""
        start = self.middle(name)

        def astray() -> float:
            return max(abs(now - then - far) for now, then, far in zip(self.middle(name), start, by, strict=True))

        with self.dragged(name, by, touch=touch):
            until(lambda: astray() < 1.5, True)  # a pixel, and the rounding of the value


def violations(page: Page, within: str = ".bflo") -> list[str]:
    """What axe-core finds to be a serious or critical barrier within the explorers of a page, or elsewhere."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_FILE_PATH.read_text(encoding="utf-8"))
    read, found = page.evaluate(
        """async (within) => {
            // JupyterLab's body has no height: axe would take all that is in it to be hidden.
            if (!document.body.clientHeight) document.body.style.height = "100vh";
            const where = { include: [[within]] };
            const all = await axe.run(where);
            // Lines cut off at the edge of a panel reach beyond it, for axe: it judges no words under them.
            const panels = [...document.querySelectorAll(".bflo-panels")];
            for (const one of panels) one.style.display = "none";
            const words = await axe.run(where, { runOnly: ["color-contrast"] });
            for (const one of panels) one.style.display = "";
            const found = [...all.violations, ...words.violations];
            const serious = found.filter((one) => ["serious", "critical"].includes(one.impact));
            return [
                words.passes.flatMap((one) => one.nodes).length,
                serious.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.failureSummary} ${node.html}`)),
            ];
        }""",
        within,
    )
    assert read + len(found) > 10, f"axe has judged the colours of {read} pieces of text alone"
    return list(found)


def place(state: dict[str, Any], trait: str) -> Any:
    """One number of a state: ``"delta"``, or ``"w.0"`` for the first of a list."""
    name, _, index = trait.partition(".")
    return state[name][int(index)] if index else state[name]


def until(read: Any, wanted: Any, seconds: float = 15) -> None:
    """Wait until what is read is what is wanted (numbers within 1e-6), and say what it was instead."""
    deadline = time.monotonic() + seconds
    while not same(found := read(), wanted):
        assert time.monotonic() < deadline, f"{found!r} instead of {wanted!r}"
        time.sleep(0.02)


def same(a: Any, b: Any) -> bool:
    """Whether two values of traits agree; numbers need not to the last digit."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, int | float) or not isinstance(b, int | float):
        return bool(a == b)
    return math.isclose(a, b, abs_tol=1e-6)
