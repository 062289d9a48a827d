"""The example for marimo in marimo itself: the explorer lives in a shadow root, and cells that read it run again."""

import socket
import subprocess
import sys

from documents import ROOT


def test_a_cell_follows_the_handle(browser):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    options = ["run", "--headless", "--no-token", "-p", port, ROOT / "examples" / "marimo_regime.py"]
    command = [sys.executable, "-m", "marimo", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            while b"URL" not in server.stdout.readline():
                assert server.poll() is None
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{port}/")
            page.wait_for_selector(".bflo[data-painted]", timeout=60_000)
            handle = page.locator(".bflo-handle").first
            assert handle.evaluate("(one) => one.getRootNode() instanceof ShadowRoot")
            handle.press("Shift+ArrowLeft")
            handle.press("Shift+ArrowLeft")
            page.get_by_text("unchanged: the belief becomes 1.00 wide").wait_for(timeout=30_000)
        finally:
            server.terminate()
