"""What a test does on the pages of a browser: run, press, drag, read."""

import ast
import contextlib
import functools
import http.server
import json
import math
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lab_driver import CURRENT, HOST, Notebook
from playwright.sync_api import Locator, Page

SIZE = {"width": 1400, "height": 1000}
AXE = Path(os.environ.get("AXE", Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"))
_AT_HOME = re.compile(rf"(https?|wss?)://{re.escape(HOST)}[:/]|(file|data|blob|about):")


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

    def take(self, *forgiven: str) -> list[str]:
        """What was heard since the last time, but for what has one of these words in it."""
        heard, self._heard = self._heard, []
        return [words for words in heard if not any(part in words for part in forgiven)]


class LabNotebook(Notebook):
    """A notebook open in JupyterLab, with a witness, and a way to ask its kernel."""

    def __init__(self, url: str, page: Page, name: str) -> None:
        self.witness = Witness(page)
        super().__init__(url, page, name)

    def ask(self, code: str, argument: Any = None) -> Any:
        """What JavaScript gives for ``code``, where ``panel`` is the notebook and ``arg`` the argument."""
        return self.page.evaluate(f"async (arg) => {{ const panel = {CURRENT}; return {code}; }}", argument)

    def python(self, expression: str, code: str = "") -> Any:
        """Run code in the kernel, beside the cells, then give the value of an expression."""
        reply = self.ask(
            """(await panel.sessionContext.session.kernel.requestExecute(
                { code: arg[0], store_history: false, silent: false, user_expressions: { value: arg[1] } }
            ).done).content""",
            [code, f"__import__('json').dumps({expression})"],
        )
        assert reply["status"] == "ok", reply.get("evalue")
        value = reply["user_expressions"]["value"]
        assert value["status"] == "ok", value.get("evalue")
        return json.loads(ast.literal_eval(value["data"]["text/plain"]))

    def theme(self, name: str) -> None:
        """Change to JupyterLab's light or dark theme."""
        self.ask(
            "jupyterapp.commands.execute('apputils:change-theme', arg)", {"theme": f"JupyterLab {name.capitalize()}"}
        )
        self.page.wait_for_function(
            """(light) => document.body.dataset.jpThemeLight === light
                && !document.getElementById("jupyterlab-splash")""",  # which covers the page until all is there
            arg=str(name == "light").lower(),
        )


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a server that hands out the files of a folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer((HOST, 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class Explorer:
    """One explorer on a page, whichever program shows it."""

    def __init__(self, page: Page, name: str, parts: Any = None, notebook: LabNotebook | None = None) -> None:
        self.page, self.name, self.parts, self.notebook = page, name, parts, notebook
        self.root = page.locator(f'.bflo[data-explorer="{name}"]').first

    def wait(self) -> "Explorer":
        """Wait until it is drawn."""
        self.root.and_(self.page.locator("[data-painted]")).wait_for(state="attached", timeout=20_000)
        return self

    def start_again(self, **traits: Any) -> None:
        """Set the traits in Python as they were at first, but for those given, and wait for the picture."""
        assert self.notebook is not None
        self.shows(**self.notebook.python(f"{self.name}.state", f"start_again({self.name}, {traits!r})"))

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

    @property
    def voice(self) -> str:
        """What a screen reader heard last."""
        return self.root.locator(".bflo-live").text_content() or ""

    def use(self, name: str, value: Any) -> None:
        """Use a control: choose a value or a text, type a number, tick or untick, or press."""
        control = self.control(name)
        kind = control.first.evaluate("control => control.type")
        if kind in ("range", "number", "text"):
            control.fill(str(value))
            if kind != "range":
                control.press("Enter")
        elif kind == "checkbox":
            control.set_checked(value)
        elif kind == "button":
            control.click()
        elif kind == "radio":
            control.and_(self.root.get_by_label(value, exact=True)).check()
        else:
            control.select_option(label=value)

    @property
    def drawing(self) -> str:
        """The panels, as the page has them."""
        return self.root.locator(".bflo-panels").inner_html()

    def says(self) -> dict[str, Any]:
        """All words and numbers of it, read in one look: of controls, panels and what stands below, and the state.

        Not those of a picture of what was done in this page before: they are not part of the state.
        """
        words: dict[str, Any] = self.root.evaluate(
            """(root) => {
                const texts = (which, read) => [...root.querySelectorAll(which)].map(read);
                return {
                    state: JSON.parse(root.dataset.state),
                    outputs: texts("output", (one) => one.textContent),
                    titles: texts("figcaption", (one) => one.textContent),
                    alts: texts("figure svg:not([data-history])", (one) => one.getAttribute("aria-label")),
                    below: texts(".bflo-readout :is(p, strong)", (one) => one.textContent),
                    rows: texts("tbody tr:not([hidden])", (one) => [...one.children].map((cell) => cell.textContent)),
                };
            }"""
        )
        return words

    def below(self) -> list[Any]:
        """The words and numbers below the panels."""
        says = self.says()
        return [*says["below"], *says["rows"]]

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
                for (let before, calm = 0; calm < 3; before = String(middle())) {
                    await new Promise(requestAnimationFrame);
                    calm = String(middle()) === before ? calm + 1 : 0;
                }
                return middle();
            }"""
        )
        return x, y

    @contextlib.contextmanager
    def dragged(self, name: str, by: tuple[float, float], *, touch: bool = False) -> Iterator[None]:
        """Drag a handle by pixels (right, down), with the mouse or a finger; it is held during the block."""
        x, y = (part + 5 for part in self.middle(name))  # beside its middle: it must not jump there
        places = [(x + by[0] * i / 4, y + by[1] * i / 4) for i in range(5)]
        if touch:
            with swiped(self.page, places):
                yield
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


@contextlib.contextmanager
def swiped(page: Page, places: list[tuple[float, float]]) -> Iterator[None]:
    """Put a finger on the first of some places and move it to the others; it is lifted after the block."""
    finger = page.context.new_cdp_session(page)
    for kind, (x, y) in zip(["touchStart"] + ["touchMove"] * (len(places) - 1), places, strict=True):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    yield
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    finger.detach()


def violations(page: Page, within: str = ".bflo") -> list[str]:
    """What axe-core finds to be a serious or critical barrier within the explorers of a page, or elsewhere."""
    if not AXE.is_file():
        pytest.skip(f"axe-core is not here ({AXE}): `npm install --no-save axe-core` puts it there, or AXE names it.")
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    read, barriers = page.evaluate(
        """async (within) => {
            // JupyterLab's body has no height: axe would take all that is in it to be hidden.
            if (!document.body.clientHeight) document.body.style.height = "100vh";
            const where = { include: [[within]] };
            const all = await axe.run(where, { preload: false });
            // Lines cut off at the edge of a panel reach beyond it, for axe: it judges no words under them.
            const panels = [...document.querySelectorAll(".bflo-panels")];
            for (const one of panels) one.style.display = "none";
            const words = await axe.run(where, { runOnly: ["color-contrast"], preload: false });
            for (const one of panels) one.style.display = "";
            const isSerious = ({ impact }) => ["serious", "critical"].includes(impact);
            const serious = [...all.violations, ...words.violations].filter(isSerious);
            return [
                words.passes.flatMap((one) => one.nodes).length,
                serious.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.failureSummary} ${node.html}`)),
            ];
        }""",
        within,
    )
    assert read + len(barriers) > 10, f"axe has judged the colours of {read} pieces of text alone"
    return list(barriers)


def attacked(page: Page) -> tuple[list[str], set[str]]:
    """Foreign scripts (inline, in handlers, from other hosts) that a page let run, and the rules that blocked any."""
    ran, blocked = page.evaluate(
        """() => {
            window.ran = [];
            const place = document.createElement("div");
            place.innerHTML = `<img src="x:" onerror="ran.push('handler')">`;
            const [inline, remote] = [document.createElement("script"), document.createElement("script")];
            inline.textContent = "ran.push('inline')";
            remote.src = "https://example.org/x.js";
            document.body.append(place, inline, remote);
            return new Promise((resolve) => {
                const blocked = [];
                document.addEventListener("securitypolicyviolation", (event) => {
                    if (blocked.push(event.effectiveDirective) >= 3) resolve([ran, blocked]);
                });
            });
        }"""
    )
    return ran, set(blocked)


def until(read: Any, wanted: Any = True, seconds: float = 15) -> None:
    """Wait until what is read is what is wanted (numbers within 1e-6), and say what it was instead."""
    deadline = time.monotonic() + seconds
    while not same(seen := read(), wanted):
        assert time.monotonic() < deadline, f"{seen!r} instead of {wanted!r}"
        time.sleep(0.02)


def same(a: Any, b: Any) -> bool:
    """Whether two values of traits agree; numbers need not to the last digit."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if {type(a), type(b)} <= {int, float}:
        return math.isclose(a, b, abs_tol=1e-6)
    return bool(a == b)
