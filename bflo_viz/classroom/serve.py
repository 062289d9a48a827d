"""``bflo serve``: pages for a class, in the browsers of all, with nothing to install and no logins.

What is handed out are files that were read before the first student came, and nothing else: nothing is run for a
student, and nothing else on the disk can be reached. Nothing is encrypted: who can reach the address can read them.
"""

import contextlib
import gzip
import hashlib
import mimetypes
import multiprocessing
import signal
import socket
import socketserver
import sys
import tempfile
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from bflo_viz._checks import did_you_mean
from bflo_viz.classroom import explorers

_EXPLORERS = sorted(view.parent.name for view in (Path(__file__).parents[1] / "explorers").glob("*/view.js"))
_TYPES = mimetypes.MimeTypes()  # not those of the system, of which some take a script for plain text
_NOT_FOUND = b'<!doctype html><title>Not here</title><p>There is no such page: <a href="/">begin at the first</a>.\n'


def serve(what: str, *, ip: str, port: int, folder: Path | None = None, tell: Callable[[str], None]) -> int:
    """Hand out the pages of an explorer, the ``"site"`` or the ``"slides"`` until Ctrl-C.

    They are made anew, unless a ``folder`` of pages is given. The address ``0.0.0.0`` is every one of this machine.
    """
    names = (*_EXPLORERS, "site", "slides")
    if what not in names:
        raise ValueError(f"there are no pages of {what!r}: {did_you_mean(what, names)}")
    with _listening(ip, port) as server:
        for ending in (signal.SIGINT, signal.SIGTERM):  # what a shell starts in the background ignores the first
            signal.signal(ending, signal.default_int_handler)
        try:
            server.files = _made(what, tell) if folder is None else read(folder)
            tell(_addresses(ip, server.server_address[1]))
            tell("Ctrl-C stops it.")
            server.serve_forever()
        except KeyboardInterrupt:
            tell("\nStopped.")
    return 0


class File(NamedTuple):
    """A file to hand out: its type, its bytes, the same compressed (None where that gains nothing) and their hash."""

    kind: str
    content: bytes
    packed: bytes | None
    mark: str


def read(folder: Path) -> dict[str, File]:
    """All files of a folder by their addresses; what is hidden, or leads out of the folder, is left out."""
    if not (folder / "index.html").is_file():
        raise ValueError(f"{folder} has no index.html: name a folder that bflo site or bflo slides has written.")
    files = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if not hidden and path.is_file() and path.resolve().is_relative_to(folder.resolve()):
            content, kind = path.read_bytes(), _TYPES.guess_type(path.name)[0] or "application/octet-stream"
            packed, mark = gzip.compress(content, mtime=0), f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            if kind.startswith("text/") or kind.endswith(("javascript", "json", "xml")):
                kind += "; charset=utf-8"
            files[f"/{name.as_posix()}"] = File(kind, content, packed if len(packed) < len(content) else None, mark)
    return files


def _made(what: str, tell: Callable[[str], None]) -> dict[str, File]:
    """Pages that are made anew, in a process of its own: making them takes much more memory than serving them."""
    tell(f"Making the pages of “{what}” …")
    with tempfile.TemporaryDirectory(prefix="bflo_serve_") as folder:
        alone = multiprocessing.get_context("spawn")
        with alone.Pool(1, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as maker:
            maker.apply(_make, (what, Path(folder)))
        return read(Path(folder))


def _make(what: str, folder: Path) -> None:
    if what in _EXPLORERS:
        explorers()[what]().save_html(folder / "index.html")
    else:
        build = import_module(f"bflo_viz.classroom.{what}").build
        build(folder, tell=lambda _: None)


class Server(ThreadingHTTPServer):
    """Hands out files from memory; a thread for each browser, which ends when that is silent."""

    request_queue_size = 1024

    def __init__(self, ip: str, port: int) -> None:
        self.files: dict[str, File] = {}
        super().__init__((ip, port), _Browser)

    def server_bind(self) -> None:
        """Bind without asking a name server for the name of this machine."""
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away half way."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Browser(BaseHTTPRequestHandler):
    """What one browser asks for, one thing after the other on the same connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bflo", ""
    timeout = 15  # seconds for a browser that says nothing
    wbufsize = -1  # a head and its content go out together

    def do_GET(self) -> None:
        """Answer with a file, compressed if the browser takes it, or that it has not changed."""
        address = unquote(urlsplit(self.path).path)
        file = self.server.files.get(f"{address}index.html" if address.endswith("/") else address)
        if file is None:
            return self._answer(HTTPStatus.NOT_FOUND, _NOT_FOUND, {"Content-Type": "text/html; charset=utf-8"})
        # A page is asked for again each time, and sent again only if it is another one.
        head = {"ETag": file.mark, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if file.mark in self.headers.get("If-None-Match", ""):
            return self._answer(HTTPStatus.NOT_MODIFIED, b"", head)
        head |= {"Content-Type": file.kind, "X-Content-Type-Options": "nosniff"}
        packed = file.packed if "gzip" in self.headers.get("Accept-Encoding", "") else None
        if packed:
            head["Content-Encoding"] = "gzip"
        self._answer(HTTPStatus.OK, packed or file.content, head)

    def _answer(self, code: HTTPStatus, content: bytes, head: dict[str, str]) -> None:
        self.send_response(code)
        if code != HTTPStatus.NOT_MODIFIED:
            head["Content-Length"] = str(len(content))
        for name, value in head.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Keep no list of who read what."""


def _listening(ip: str, port: int) -> Server:
    try:
        return Server(ip, port)
    except OSError as problem:
        raise ValueError(
            f"cannot listen at {ip}, port {port} ({problem.strerror}): choose another port, such as "
            f"--port {max(port, 1023) + 1}, and an address of this machine; --ip 0.0.0.0 is all that it has."
        ) from None


def _addresses(ip: str, port: int) -> str:
    """The addresses to give to students, in words."""
    if ip == "0.0.0.0" and (own := _own_addresses()):
        lines = (f"    http://{address}:{port}/" for address in own)
        return "\n".join(["Give students an address that they can reach:", *lines])
    alone = "  on this machine; --ip 0.0.0.0 serves a class." if ip.startswith("127.") or ip == "localhost" else ""
    return f"Open  http://{ip}:{port}/{alone}"


def _own_addresses() -> list[str]:
    """The IPv4 addresses of this machine by which others can reach it, the likeliest first."""
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # asks only which way a message would go; none is sent
        addresses.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        addresses += socket.gethostbyname_ex(socket.gethostname())[2]
    return [address for address in dict.fromkeys(addresses) if not address.startswith(("127.", "0."))]
