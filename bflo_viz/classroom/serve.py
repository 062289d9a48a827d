"""``bflo serve``: pages for a class, in the browsers of all, with nothing to install and no logins.

What is handed out are files that were read before the first student came, and nothing else: nothing is run for a
student, nothing on the disk can be reached, and nothing is listed. The pages compute by themselves. Nothing is
encrypted, and whoever can reach the address can read the pages.
"""

import contextlib
import errno
import gzip
import hashlib
import multiprocessing
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import bflo_viz

EXPLORERS = {
    module.removeprefix("explorers."): name
    for module, name in bflo_viz._NAMES.items()
    if module.startswith("explorers.")
}
_PAGES = ("site", "slides")
_MOST = 200_000_000  # bytes: a folder with more is not one of pages
_PATIENCE = 15  # seconds for a browser that says nothing
# Not those of the system: some take a script for plain text, and browsers then do not run it.
_TYPES = {
    **{".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json"},
    **{
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".jpg": "image/jpeg",
        ".gif": "image/gif",
        ".webp": "image/webp",
    },
    **{".pdf": "application/pdf", ".txt": "text/plain", "": "text/plain"},
}
_NO_PAGE = b'<!doctype html><title>Not here</title><p>There is no such page: <a href="/">begin at the first</a>.\n'


@dataclass(frozen=True)
class File:
    """A file to hand out: its bytes, the same compressed (None where that gains nothing), its type and its mark."""

    content: bytes
    packed: bytes | None
    kind: str
    mark: str


def serve(what: str, *, ip: str, port: int, folder: Path | None = None, tell: Callable[[str], None]) -> int:
    """Hand out pages until Ctrl-C.

    Parameters
    ----------
    what
        The name of an explorer, ``"site"`` or ``"slides"``; they are made anew, unless a folder is given.
    ip, port
        Where to listen; ``0.0.0.0`` is every address of this machine.
    folder
        Pages that were made before.
    tell
        Takes what there is to say.
    """
    if what not in (*EXPLORERS, *_PAGES):
        raise ValueError(f"there are no pages of {what!r}; choose one of {', '.join((*EXPLORERS, *_PAGES))}.")
    with contextlib.closing(_listening(ip, port)) as opened:
        for ending in (
            signal.SIGINT,
            signal.SIGTERM,
        ):  # the first is ignored by what a shell starts in the background
            signal.signal(ending, signal.default_int_handler)
        try:
            server = Server(opened, _made(what, tell) if folder is None else read(folder))
            for line in _greeting(ip, opened.getsockname()[1]):
                tell(line)
            tell("Ctrl-C stops it.")
            server.serve_forever()
        except KeyboardInterrupt:
            tell("\nStopped.")
    return 0


def _made(what: str, tell: Callable[[str], None]) -> dict[str, File]:
    """Pages that are made anew; nothing of them stays on the disk."""
    tell(f"Making the pages of “{what}” …")
    with tempfile.TemporaryDirectory(prefix="bflo_serve_") as folder:
        # In a process of its own: to make them takes much more memory than to hand them out.
        alone = multiprocessing.get_context("spawn")
        with alone.Pool(1, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as maker:
            maker.apply(_make, (what, Path(folder)))
        return read(Path(folder))


def _make(what: str, folder: Path) -> None:
    """Write the pages into an empty folder."""
    if what == "site":
        from bflo_viz.classroom import site

        site.build(folder, tell=lambda _: None)
    elif what == "slides":
        from bflo_viz.classroom import slides

        slides.build(folder, [], tell=lambda _: None)
    else:
        getattr(bflo_viz, EXPLORERS[what])().save_html(folder / "index.html")


def read(folder: Path) -> dict[str, File]:
    """All files of a folder by their addresses; what is hidden, or leads out of the folder, is left out."""
    if not (folder / "index.html").is_file():
        raise ValueError(f"{folder} has no index.html: name a folder that bflo site or bflo slides has written.")
    paths = {path.relative_to(folder).as_posix(): path for path in _inside(folder)}
    if sum(path.stat().st_size for path in paths.values()) > _MOST:
        raise ValueError(f"{folder} has more than {_MOST / 1e6:g} MB in it: name a folder of pages and nothing else.")
    return {f"/{name}": _file(path) for name, path in sorted(paths.items())}


def _inside(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.is_file() and path.resolve().is_relative_to(root):
            yield path


def _file(path: Path) -> File:
    content = path.read_bytes()
    kind = _TYPES.get(path.suffix.lower(), "application/octet-stream")
    packed = None
    if kind.startswith("text/") or kind in ("application/json", "image/svg+xml"):
        packed = gzip.compress(content, mtime=0)
        kind += "; charset=utf-8"
    smaller = packed if packed is not None and len(packed) < len(content) else None
    return File(content, smaller, kind, f'"{hashlib.sha256(content).hexdigest()[:16]}"')


class Server(ThreadingHTTPServer):
    """Hands out these files at a socket that listens; a thread for each browser, which ends when that is silent."""

    def __init__(self, opened: socket.socket, files: dict[str, File]) -> None:
        super().__init__(opened.getsockname()[:2], _Browser, bind_and_activate=False)
        self.socket.close()
        self.socket = opened
        self.files = files

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away half way."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Browser(BaseHTTPRequestHandler):
    """What one browser asks for, one thing after the other on the same line."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bflo", ""
    timeout = _PATIENCE
    wbufsize = -1  # a head and its content go out together
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain"

    def do_GET(self) -> None:
        """Answer with a file, compressed if the browser takes it, or that it has not changed."""
        address = unquote(urlsplit(self.path).path)
        file = self.server.files.get(f"{address}index.html" if address.endswith("/") else address)
        if file is None:
            self._answer(HTTPStatus.NOT_FOUND, _NO_PAGE, {"Content-Type": "text/html; charset=utf-8"})
            return
        # A page is asked for again each time, and sent again only if it is another one.
        head = {"ETag": file.mark, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if file.mark in self.headers.get("If-None-Match", ""):
            self._answer(HTTPStatus.NOT_MODIFIED, None, head)
            return
        head |= {"Content-Type": file.kind, "X-Content-Type-Options": "nosniff"}
        if file.packed is not None and "gzip" in self.headers.get("Accept-Encoding", ""):
            self._answer(HTTPStatus.OK, file.packed, head | {"Content-Encoding": "gzip"})
        else:
            self._answer(HTTPStatus.OK, file.content, head)

    do_HEAD = do_GET  # noqa: N815

    def _refuse(self) -> None:
        # What was sent along is not read, so nothing can follow on this line.
        head = {"Allow": "GET, HEAD", "Content-Type": "text/plain", "Connection": "close"}
        self._answer(HTTPStatus.METHOD_NOT_ALLOWED, b"Pages can be read here, and nothing else.\n", head)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse  # noqa: N815

    def _answer(self, code: HTTPStatus, content: bytes | None, head: dict[str, str]) -> None:
        self.send_response(code)
        for name, value in head.items():
            self.send_header(name, value)
        if content is not None:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if content is not None and self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Keep no list of who read what."""


def _listening(ip: str, port: int) -> socket.socket:
    """Open a socket at an address of this machine."""
    if not 0 <= port <= 65535:
        raise ValueError(f"{port} is not a port; choose one from 1024 to 65535, such as 8866.")
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    try:
        return socket.create_server((ip, port), family=family, backlog=1024)
    except OSError as problem:
        reasons = {
            errno.EADDRINUSE: f"port {port} is taken: stop what uses it, or choose another: --port {port + 1}.",
            errno.EACCES: f"port {port} is not for everybody: choose one from 1024 on, such as --port 8866.",
        }
        elsewhere = f"{ip} is not an address of this machine; --ip 0.0.0.0 listens at all that it has."
        raise ValueError(reasons.get(problem.errno or 0, elsewhere)) from None


def _greeting(ip: str, port: int) -> list[str]:
    """The addresses to give to students."""
    if ip not in ("0.0.0.0", "::", ""):
        address = f"http://{f'[{ip}]' if ':' in ip else ip}:{port}/"
        alone = ip.startswith("127.") or ip in ("localhost", "::1")
        return [f"Open  {address}  on this machine; --ip 0.0.0.0 serves a class." if alone else f"Open  {address}"]
    addresses = own_addresses()
    if not addresses:
        return [f"Open  http://127.0.0.1:{port}/  on this machine, which is in no network now."]
    which = "this address" if len(addresses) == 1 else "one of these addresses (the one that they can reach)"
    return [f"Give students {which}:", *(f"    http://{address}:{port}/" for address in addresses)]


def own_addresses() -> list[str]:
    """The IPv4 addresses of this machine by which others can reach it, the likeliest first."""
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # asks only which way a message would go; none is sent
        addresses.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        addresses += socket.gethostbyname_ex(socket.gethostname())[2]
    return [address for address in dict.fromkeys(addresses) if not address.startswith(("127.", "0."))]
