"""A browser without a network, and JupyterLab on this machine: what benchmarks and browser tests drive."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Page, sync_playwright

import bflo_viz

HOST = "127.0.0.1"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = "There is no Chromium or Chrome here: install one (Debian, Ubuntu: sudo apt install chromium)."
CURRENT = "jupyterapp.shell.currentWidget"
_FLAGS = [
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",  # there is no network, whatever a page tries
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_OPTIONS = [
    "--no-browser",
    f"--ip={HOST}",  # nobody else can reach it, so it asks for no token
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--ServerApp.port_retries=0",
    "--LabApp.expose_app_in_browser=True",  # as window.jupyterapp: how cells are run
    "--LabApp.news_url=None",
    "--LabApp.extension_manager=readonly",
]
_SETTINGS = {
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/apputils-extension:notification": {"doNotDisturbMode": True},
}


def browser_here() -> str | None:
    """Path of the browser that can be driven, if there is one."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextlib.contextmanager
def launched() -> Iterator[Browser]:
    """The browser, until the end of the block, with an empty profile."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_here(), args=_FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def lab(folder: Path) -> Iterator[str]:
    """Address of a JupyterLab that shows a folder as ``bflo lab`` would, but is silent about itself."""
    settings = folder / ".settings"
    settings.mkdir(parents=True)
    ours = json.loads((Path(bflo_viz.__file__).parent / "lab_settings" / "overrides.json").read_text())
    (settings / "overrides.json").write_text(
        json.dumps(ours | {k: ours.get(k, {}) | v for k, v in _SETTINGS.items()})
    )
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    options = [*_OPTIONS, f"--port={port}", f"--ServerApp.root_dir={folder}", f"--LabApp.app_settings_dir={settings}"]
    own = {f"JUPYTER_{what}_DIR": str(folder / f".{what.lower()}") for what in ("CONFIG", "DATA", "RUNTIME")}
    own |= {"IPYTHONDIR": str(folder / ".ipython"), "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    log = folder / ".jupyterlab.log"
    with log.open("w") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options, *(["--allow-root"] if os.geteuid() == 0 else [])],
            cwd=folder,
            env=os.environ | own,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C reaches us, and we end it in order
        )
    try:
        _wait(process, f"http://{HOST}:{port}/api/status", log)
        yield f"http://{HOST}:{port}"
    finally:
        for ask, patience in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):  # the first one stops its kernels, too
            if process.poll() is None:
                os.killpg(process.pid, ask)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(patience)


def _wait(process: "subprocess.Popen[bytes]", url: str, log: Path, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start; it said:\n{log.read_text()[-3000:]}")


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write a notebook of code cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    code = [nbformat.v4.new_code_cell(source) for source in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=code, metadata={"kernelspec": kernel}), path)


class Notebook:
    """A notebook open in JupyterLab."""

    where = "lab/tree/{}?reset"
    patience = 60_000  # ms

    def __init__(self, url: str, page: Page, name: str) -> None:
        self.page = page
        page.goto(f"{url}/{self.where.format(name)}")
        page.wait_for_selector(".jp-NotebookPanel .jp-Notebook .jp-Cell", timeout=self.patience)
        self._wait_for("true")

    def run_all(self) -> None:
        """Run every cell, wait for the last, and insist that none failed."""
        self.page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
        failed = '[data-mime-type="application/vnd.jupyter.error"]'
        self._wait_for(
            f"""(document.querySelector('{failed}') || {CURRENT}.content.widgets.every(({{ model }}) =>
                model.type !== 'code' || !model.sharedModel.source || model.executionCount))"""
        )
        errors = self.page.locator(failed).all_inner_texts()
        assert not errors, errors[0]

    def _wait_for(self, condition: str) -> None:
        """Wait until the kernel is idle and something is so."""
        idle = f"{CURRENT}.sessionContext.session?.kernel?.status === 'idle'"
        ready = f"{CURRENT}?.sessionContext?.isReady && {idle} && {condition}"
        self.page.wait_for_function(f"() => {ready}", timeout=self.patience)
