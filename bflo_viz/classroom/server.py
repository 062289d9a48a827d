"""A server of files in memory, which takes nothing but votes, and waits for nobody longer than it has to."""

import contextlib
import gzip
import hashlib
import io
import json
import mimetypes
import socket
import socketserver
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from bflo_viz.classroom import class_pages
from bflo_viz.classroom.votes import BODY, Class, Reply

_TYPES = mimetypes.MimeTypes()  # not those of the system, of which some take a script for plain text
_NOT_FOUND = b'<!doctype html><title>Not here</title><p>There is no such page: <a href="/">begin at the first</a>.\n'


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
            files[f"/{name.as_posix()}"] = as_file(path.name, path.read_bytes())
    return files


def as_file(name: str, content: bytes) -> File:
    """What is handed out for this content, with the type that its name has."""
    kind = _TYPES.guess_type(name)[0] or "application/octet-stream"
    packed, mark = gzip.compress(content, mtime=0), f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    if kind.startswith("text/") or kind.endswith(("javascript", "json", "xml")):
        kind += "; charset=utf-8"
    return File(kind, content, packed if len(packed) < len(content) else None, mark)


class Server(ThreadingHTTPServer):
    """Hands out files from memory; a thread for each browser, which ends when that is silent."""

    request_queue_size = 1024
    lines = 2048  # that are open at once: the one that was silent longest gives way to a new one

    def __init__(self, ip: str, port: int) -> None:
        self.files: dict[str, File] = {}
        self.course: Class | None = None
        self.notes: dict[str, list[str]] = {}  # of the speaker, by pages
        self._lines: dict[socket.socket, None] = {}
        self._lock = threading.Lock()
        super().__init__((ip, port), _Browser)

    def join(self, course: Class, own: dict[str, File], pages: dict[str, File]) -> None:
        """Hand out pages with the bets of a class."""
        texts = {}
        for name in (name for name in pages if name.endswith(".html")):
            texts[name], self.notes[name] = class_pages.joined(pages[name].content)
        texts["/class/bets.json"] = class_pages.places(texts, course.bets)
        joined = {name: as_file(name, text) for name, text in texts.items()}
        self.files, self.course = pages | joined | own | {"/class": own["/class/index.html"]}, course

    def server_bind(self) -> None:
        """Bind without asking a name server for the name of this machine."""
        socketserver.TCPServer.server_bind(self)

    def heard(self, line: Any) -> None:
        """Note that a browser has spoken; if there are too many, hang up on the one that was silent longest."""
        with self._lock:
            self._lines.pop(line, None)
            self._lines[line] = None
            silent = next(iter(self._lines)) if len(self._lines) > self.lines else None
            if silent is not None:
                del self._lines[silent]
        if silent is not None:
            with contextlib.suppress(OSError):
                silent.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, request: Any) -> None:
        """Forget a line that ends."""
        with self._lock:
            self._lines.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away half way."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Heard(io.RawIOBase):
    """What comes in on a line until a time: a byte now and then does not make it longer."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self.until = line, 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        self._line.settimeout(max(self.until - time.monotonic(), 0.001))
        return self._line.recv_into(room)


class _Browser(BaseHTTPRequestHandler):
    """What one browser asks for, one thing after the other on the same connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "bflo", ""
    timeout = 15  # seconds for a browser to say something, and to say it whole
    wbufsize = -1  # a head and its content go out together

    def setup(self) -> None:
        """Listen to the browser, with patience that ends."""
        super().setup()
        self.rfile.close()
        self._heard = _Heard(self.connection)
        self.rfile = io.BufferedReader(self._heard)

    def handle_one_request(self) -> None:
        """Answer one thing."""
        self.server.heard(self.connection)
        self._heard.until = time.monotonic() + self.timeout
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer with a file, compressed if the browser takes it, or that it has not changed."""
        address = unquote(urlsplit(self.path).path)
        if self.server.course and address.startswith(("/class/state", "/class/notes/")):
            return self._tell_instructor(self.server.course, address)
        if self.server.course and address == "/vote":
            return self._say(HTTPStatus.METHOD_NOT_ALLOWED, "Votes are sent here, and nothing is read.")
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

    def do_POST(self) -> None:
        """Take a vote, or a word of the instructor; nothing else can be sent."""
        course, address, ip = self.server.course, urlsplit(self.path).path, self.client_address[0]
        body, problem = self._body()
        if course is None:
            self._say(HTTPStatus.METHOD_NOT_ALLOWED, "Pages can only be read here.")
        elif address not in ("/vote", "/class/state"):
            self._say(HTTPStatus.NOT_FOUND, "Nothing can be sent there.")
        elif problem:
            self._say(*problem)
        elif urlsplit(self.headers.get("Origin", "")).netloc != self.headers.get("Host", "nowhere"):
            self._say(HTTPStatus.FORBIDDEN, "Votes come from the pages of this server alone.")
        elif address == "/vote":
            self._reply(course.vote(body, ip))
        else:
            self._reply(course.set(body, self.headers.get("Class-Key", ""), ip))

    def _body(self) -> tuple[bytes, tuple[HTTPStatus, str] | None]:
        """What was sent, or why it is not taken; some of what is too long is heard, so that the answer is, too."""
        given = self.headers.get("Content-Length", "")
        if not (given.isascii() and given.isdecimal()) or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return b"", (HTTPStatus.LENGTH_REQUIRED, "A vote says how long it is.")
        length = int(given[:9])
        body = self.rfile.read(min(length, 2**16))
        if length > BODY:
            self.close_connection = True
            return b"", (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A vote has at most {BODY} bytes.")
        if self.headers.get_content_type() != "application/json":
            return b"", (HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A vote is sent as application/json.")
        return body, None

    def _tell_instructor(self, course: Class, address: str) -> None:
        """What the class has bet so far, or the notes of a deck, for those who have the key."""
        if not course.knows(self.headers.get("Class-Key", "")):
            self._reply(course.set(b"", "", self.client_address[0]))
        elif address == "/class/state":
            self._json(HTTPStatus.OK, course.shown())
        else:
            self._json(HTTPStatus.OK, self.server.notes.get(address.removeprefix("/class/notes"), []))

    def _reply(self, reply: Reply) -> None:
        self.close_connection = self.close_connection or reply.status == HTTPStatus.TOO_MANY_REQUESTS
        self._json(reply.status, {"outcome": reply.outcome, "words": reply.words})

    def _say(self, status: HTTPStatus, words: str) -> None:
        self._reply(Reply(status, "refused", words))

    def _json(self, status: HTTPStatus, content: Any) -> None:
        head = {"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        self._answer(status, json.dumps(content).encode(), head)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no request at all with one sentence."""
        status = HTTPStatus(code)
        if status == HTTPStatus.NOT_IMPLEMENTED:  # a method that pages do not need
            self._body()
            status, message = HTTPStatus.METHOD_NOT_ALLOWED, "Pages can only be read here"
        self.close_connection = True
        self._say(status, f"{message or status.phrase}.")

    def _answer(self, code: HTTPStatus, content: bytes, head: dict[str, str]) -> None:
        self.connection.settimeout(self.timeout)
        self.send_response(code)
        if code != HTTPStatus.NOT_MODIFIED:
            head["Content-Length"] = str(len(content))
        if self.close_connection:
            head["Connection"] = "close"
        for name, value in head.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Keep no list of who read what."""
