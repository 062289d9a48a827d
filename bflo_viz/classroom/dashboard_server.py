"""Voila for a class: one page with one explorer, and for each student a kernel that ends when the student leaves.

What a student can do on the server is what the page can: Voila passes on only messages of widgets, so code sent to a
kernel is refused, and it offers neither terminals, nor a list of kernels, nor any file but those of its own page.
"""
# Voila and Jupyter tell mypy little or nothing of their types.
# mypy: disable-error-code="import-untyped,misc,no-untyped-call,attr-defined,assignment,override"

import asyncio
import contextlib
import logging
import math
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable
from importlib.metadata import EntryPoint
from multiprocessing.context import BaseContext
from pathlib import Path
from socket import socket
from typing import Any

import nbformat
import psutil
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from tornado.httpclient import AsyncHTTPClient, HTTPClientError
from tornado.httpserver import HTTPServer
from tornado.web import HTTPError
from traitlets import Integer
from traitlets.config import Config
from voila.app import Voila

from bflo_viz.classroom import dashboard_kernel

AWAY = 90  # seconds after which a student who lost the connection has left
COMING = 300  # seconds that a page may take to load until it connects
LOOK = 5  # seconds between looks at who has left
_PING = 10  # seconds between questions to a page whether it is still there; three without answer end its connection
_FORKS = "bflo-forks"
_SPEC = KernelSpec(
    argv=["-f", "{connection_file}", "--HistoryManager.enabled=False"],
    display_name="An explorer",
    language="python",
    metadata={"kernel_provisioner": {"provisioner_name": _FORKS}},
)
# The page may load from this server and from nowhere else.
_POLICY = "default-src 'self' data: blob: 'unsafe-inline'; connect-src 'self' ws: wss:"


def _processes() -> BaseContext:
    can_fork = "forkserver" in multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if can_fork else "spawn")


class _Started:
    """A process of `multiprocessing` with the names that Jupyter uses for one of `subprocess`."""

    stdin = stdout = stderr = None

    def __init__(self, process: Any) -> None:
        self._process = process
        self.pid: int = process.pid
        self.wait, self.kill, self.terminate = process.join, process.kill, process.terminate

    def poll(self) -> int | None:
        code: int | None = self._process.exitcode
        return code

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


class Forks(LocalProvisioner):
    """Starts kernels as forks of one process that has imported what they need."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Start one; ``cmd`` are the arguments of the kernel."""
        process: Any = _processes().Process(target=dashboard_kernel.run, args=(cmd,), daemon=True)
        process.start()
        self.process = _Started(process)
        self.pid = self.pgid = process.pid
        return self.connection_info


class Specs(KernelSpecManager):
    """The one kind of kernel that is served, whatever kinds are installed on this machine."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return it, for any name."""
        return _SPEC


class Kernels(AsyncMappingKernelManager):
    """The kernels of all students, up to a limit; each ends when its student has left."""

    limit = Integer(0, help="How many there may be; 0 for any number.")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._ends: dict[str, float] = {}  # when, if nobody comes

    async def start_kernel(self, *arguments: Any, **options: Any) -> str:
        """Start a kernel, unless the memory is needed by those who are here."""
        if self.limit and len(self) >= self.limit:
            raise HTTPError(503, "no room for another kernel")
        started: str = await super().start_kernel(*arguments, **options)
        self._ends[started] = time.monotonic() + COMING
        return started

    def notify_connect(self, kernel_id: str) -> None:
        """Somebody is here, and may look on for as long as they like."""
        super().notify_connect(kernel_id)
        self._ends.pop(kernel_id, None)

    def notify_disconnect(self, kernel_id: str) -> None:
        """Give them time to come back."""
        super().notify_disconnect(kernel_id)
        if not self._kernel_connections.get(kernel_id):
            self._ends[kernel_id] = time.monotonic() + AWAY

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """End a kernel whose time is over, however busy it was last."""
        if time.monotonic() > self._ends.get(kernel_id, math.inf):
            del self._ends[kernel_id]
            await self.shutdown_kernel(kernel_id, now=True)


class Dashboard(Voila):
    """One explorer, served until Ctrl-C."""

    def serve(self, opened: socket, began: Callable[[int], int]) -> None:
        """Serve at an open socket; ``began`` is told the bytes a kernel takes, and says how many there may be."""
        self._socket, self._began = opened, began
        self.initialize([])
        self.start()

    def setup_template_dirs(self) -> None:
        """Put a page of our own before those of Voila, which ask for icons from another host."""
        super().setup_template_dirs()
        self.template_paths.insert(0, str(Path(__file__).parent / "dashboard_page"))

    def listen(self) -> None:
        """Serve at the socket that is open: Voila would try other ports, and tell it in its log."""
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: loop.call_soon_threadsafe(stopped.set))
        server = HTTPServer(self.app)
        server.add_socket(self._socket)
        waiting = asyncio.create_task(stopped.wait())
        trial = asyncio.create_task(self._first())
        try:
            await asyncio.wait({waiting, trial}, return_when=asyncio.FIRST_COMPLETED)
            if trial.done():
                self.kernel_manager.limit = self._began(trial.result())
                await waiting
        finally:
            server.stop()
            for task in (trial, waiting):
                task.cancel()
            await self.kernel_manager.shutdown_all(now=True)

    async def _first(self) -> int:
        """Ask for the page as a student would, and measure the memory that is the kernel's own."""
        host, port = self._socket.getsockname()[:2]
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
        found = None
        with contextlib.suppress(HTTPClientError):
            page = (await AsyncHTTPClient().fetch(address, request_timeout=60)).body
            found = re.search(rb'"kernel": "([^"]+)"', page)
        if not found:
            raise ValueError("the explorer could not be shown: run  bflo doctor  to see why.")
        kernel = found[1].decode()
        taken: int = psutil.Process(self.kernel_manager.get_kernel(kernel).provisioner.pid).memory_full_info().uss
        await self.kernel_manager.shutdown_kernel(kernel, now=True)
        return taken


def dashboard(name: str, title: str, folder: Path) -> Dashboard:
    """Voila, set up to serve one explorer from a folder that holds nothing else."""
    _processes().set_forkserver_preload([*dashboard_kernel.NEEDED, dashboard_kernel.EXPLORERS[name][0]])
    for source in ("tornado", "asyncio"):
        logging.getLogger(source).setLevel(logging.CRITICAL)
    factory = KernelProvisionerFactory.instance()
    factory.provisioners[_FORKS] = EntryPoint(_FORKS, f"{__name__}:Forks", factory.GROUP_NAME)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(f"from {dashboard_kernel.__name__} import show\nshow({name!r})")],
        metadata={"title": title, "kernelspec": {"name": _FORKS, "display_name": title, "language": "python"}},
    )
    nbformat.write(notebook, folder / "dashboard.ipynb")
    settings = {
        "Voila": {
            "notebook_path": str(folder / "dashboard.ipynb"),
            "connection_dir_root": str(folder),
            "open_browser": False,
            "log_level": logging.CRITICAL,
            "tornado_settings": {
                "disable_check_xsrf": True,  # nobody is logged in, and who knows the name of a kernel may end it
                "headers": {"Content-Security-Policy": _POLICY},
                "ws_ping_interval": 1000 * _PING,
                "ws_ping_timeout": 3000 * _PING,
            },
        },
        "VoilaConfiguration": {
            "allow_template_override": "NO",
            "allow_theme_override": "NO",
            "attempt_fix_notebook": False,
            "extension_allowlist": ["none"],  # the page has its own way to talk to the kernel
            "file_allowlist": [],
            "kernel_spec_manager_class": Specs,
            "multi_kernel_manager_class": Kernels,
        },
        # Files rather than ports, where a system has them: nobody else on this machine can listen.
        "KernelManager": {"transport": "ipc" if os.name == "posix" else "tcp"},
        "MappingKernelManager": {"cull_idle_timeout": 1, "cull_interval": LOOK},
    }
    return Dashboard(config=Config(settings), config_file_paths=[])
