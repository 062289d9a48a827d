"""A class that opens ``bflo dashboard`` within a minute: who gets a working page, how soon, and what it takes.

Each student is a browser window of its own, with an empty cache. A page works when its explorer is drawn and a key
that is pressed on it has gone to the kernel and has come back. All windows run on this machine, too, and take more of
it than the kernels do, so students with machines of their own wait less. In the end half of the class closes its
page, which tells the server, and the other half is lost without a word.

    python benchmarks/bench_dashboard.py [EXPLORER [STUDENTS]]
"""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
from playwright.async_api import Browser, async_playwright
from side_by_side import report

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))
from browser.pages import _FLAGS, NO_BROWSER, browser_here  # noqa: E402

MINUTE = 60
AWAY = 90  # seconds after which the server takes a student for gone
BFLO = [sys.executable, "-c", "import sys; from bflo_viz.cli import main; sys.exit(main())"]


class Student:
    """One window: when it was drawn, when it answered, what went wrong."""

    def __init__(self) -> None:
        self.drawn = self.answered = float("nan")
        self.problem = ""

    async def visit(self, browser: Browser, address: str) -> None:
        """Open the page, wait for its explorer, and move something that the kernel hears of."""
        start = time.perf_counter()
        self.context = await browser.new_context(viewport={"width": 1200, "height": 800})
        self.page = await self.context.new_page()
        answer = asyncio.Event()

        def heard(frame: str | bytes) -> None:
            text = frame if isinstance(frame, bytes) else frame.encode()
            if b"echo_update" in text:  # what a kernel says when it has taken a value from the page
                answer.set()

        self.page.on("websocket", lambda socket: socket.on("framereceived", heard))
        try:
            await self.page.goto(address, timeout=120_000)
            await self.page.wait_for_selector(".bflo[data-painted]", timeout=120_000)
            self.drawn = time.perf_counter() - start
            explorer = self.page.locator(".bflo")
            before = await explorer.get_attribute("data-state")
            await explorer.locator("input[type=range]").first.focus()
            answer.clear()
            await self.page.keyboard.press("ArrowRight")
            await asyncio.wait_for(answer.wait(), 60)
            await self.page.wait_for_function(
                "(before) => document.querySelector('.bflo').dataset.state !== before", arg=before
            )
            self.answered = time.perf_counter() - start
        except Exception as problem:
            self.problem = f"{type(problem).__name__}: {problem}".splitlines()[0]

    async def leave(self, *, say_goodbye: bool) -> None:
        """Close the page as a person does, or with no word to the server."""
        if not say_goodbye:
            await self.page.evaluate("navigator.sendBeacon = () => false")
        await self.context.close()


@contextlib.contextmanager
def served(explorer: str) -> Iterator[tuple[str, psutil.Process]]:
    """The dashboard as it is started by hand; its address and its process."""
    command = [*BFLO, "dashboard", explorer, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stdout
        said = ""
        while "Ctrl-C" not in said:
            said += (line := server.stdout.readline())
            print("   ", line.rstrip())
            assert line, "the dashboard did not start"
        yield re.findall(r"http://\S+", said)[0], psutil.Process(server.pid)
        start = time.perf_counter()
        os.kill(server.pid, signal.SIGINT)
        server.wait(30)
        print(f"    stopped within {time.perf_counter() - start:.1f} s of Ctrl-C")


def memory(server: psutil.Process) -> float:
    """MB that the server and all its kernels have for themselves."""
    return sum(one.memory_full_info().uss for one in (server, *server.children(recursive=True))) / 1e6


def seconds(server: psutil.Process) -> float:
    """Seconds of a core that the server and its kernels have taken."""
    return sum(sum(one.cpu_times()[:2]) for one in (server, *server.children(recursive=True)))


async def main(explorer: str, count: int) -> None:
    with served(explorer) as (address, server):
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=browser_here(), args=_FLAGS)
            idle, before, busy = len(server.children(recursive=True)), memory(server), seconds(server)
            students = [Student() for _ in range(count)]

            async def arrive(place: int) -> None:
                await asyncio.sleep(place * MINUTE / count)
                await students[place].visit(browser, address)

            await asyncio.gather(*map(arrive, range(count)))
            worked = [one for one in students if not one.problem]
            for one in students:
                if one.problem:
                    print(f"    {one.problem}")
            print(f"    load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            report(f"{explorer} dashboard: pages that work, of {count}", len(worked), count, at_most=False)
            p50, p95 = np.percentile([one.drawn for one in worked], [50, 95])
            print(
                f"    seconds to a drawn page: p50 {p50:.1f}, p95 {p95:.1f}, worst {max(o.drawn for o in worked):.1f}"
            )
            p50, p95 = np.percentile([one.answered - one.drawn for one in worked], [50, 95])
            print(f"    seconds to the answer to a key: p50 {p50:.2f}, p95 {p95:.2f}")
            print(f"    memory a student: {(memory(server) - before) / count:.0f} MB")
            print(f"    server and kernels: {(seconds(server) - busy) / count:.2f} seconds of a core a student")

            def kernels() -> int:
                return len(server.children(recursive=True)) - idle

            print(f"    kernels while all look on: {kernels()}")
            half = count // 2
            await asyncio.gather(*(one.leave(say_goodbye=i < half) for i, one in enumerate(students)))
            await asyncio.sleep(5)
            print(f"    kernels 5 s after all left, {half} of them with a goodbye: {kernels()}")
            await asyncio.sleep(AWAY + 10)
            report(f"kernels left {AWAY + 15} s after all left", kernels(), 0, at_most=True)
            await browser.close()


if __name__ == "__main__":
    if browser_here() is None:
        print(f"The dashboard was not measured. {NO_BROWSER}")
    else:
        given = sys.argv[1:]
        asyncio.run(main(given[0] if given else "regime", int(given[1]) if len(given) > 1 else 30))
