"""A server on this machine that misbehaves on purpose: what it does depends on the path."""

import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Serves ``content`` and notes what it was asked for."""

    daemon_threads = True

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = content
        self.asked = []  # path and Range of each request

    def url(self, behaviour):
        """The address at which the server behaves so."""
        return f"http://127.0.0.1:{self.server_address[1]}/{behaviour}/tiny"

    def times(self, behaviour):
        """How often it was asked to."""
        return sum(path.split("/")[1] == behaviour for path, _ in self.asked)

    def handle_error(self, request, address):
        """A client that has had enough is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, address)


class Handler(BaseHTTPRequestHandler):
    """One method a behaviour."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        """Nothing on the screen."""

    def do_GET(self):
        """Behave as the path says."""
        self.server.asked.append((self.path, self.headers.get("Range")))
        getattr(self, "do_" + self.path.split("/")[1])(self.server.content)

    def answer(self, code, body, *, length=None, **headers):
        """Send so much of an answer, and close the line if that is less than promised."""
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = length is not None

    def do_fine(self, content):
        """The right file."""
        self.answer(200, content)

    def do_slow(self, content):
        """The right file, in small pieces."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        for start in range(0, len(content), 50):
            self.wfile.write(content[start : start + 50])
            time.sleep(0.01)

    def do_truncated(self, content):
        """Half of the file each time, and it cannot resume."""
        self.answer(200, content[: len(content) // 2], length=len(content))

    def do_resuming(self, content):
        """A third of the file, then the line is cut; goes on where it is asked to."""
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        rest = content[start:]
        part = rest[: len(content) // 3 + 1]
        span = {"Content_Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if asked else {}
        self.answer(206 if asked else 200, part, length=len(rest), **span)

    def do_confused(self, content):
        """A third of the file, then another part than was asked for, then all of it."""
        nth = self.server.times("confused")
        if nth == 1:
            self.answer(200, content[: len(content) // 3], length=len(content))
        elif nth == 2:
            self.answer(206, content[:10], Content_Range=f"bytes 0-9/{len(content)}")
        else:
            self.answer(200, content)

    def do_stingy(self, content):
        """A third of the file, then the line is cut; the rest in two parts, each whole in itself."""
        third = len(content) // 3 + 1
        nth = self.server.times("stingy")
        if nth == 1:
            self.answer(200, content[:third], length=len(content))
        else:
            start = third * (nth - 1)
            part = content[start : start + third]
            self.answer(206, part, Content_Range=f"bytes {start}-{start + len(part) - 1}/{len(content)}")

    def do_wrong(self, content):
        """A page that says something else."""
        self.answer(200, b"<html>Please log in to this hotel's network.</html>")

    def do_other(self, content):
        """The right format, but one number is another."""
        self.answer(200, content.replace(b"1:", b"2:", 1))

    def do_missing(self, content):
        """No such file."""
        self.answer(404, b"no")

    def do_failing(self, content):
        """Two errors of the server, then the right file."""
        self.answer(500, b"oops") if self.server.times("failing") < 3 else self.answer(200, content)

    def do_broken(self, content):
        """Errors of the server only."""
        self.answer(503, b"oops")

    def do_hanging(self, content):
        """A promise, and then silence."""
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        time.sleep(2)

    def do_moved(self, content):
        """Somewhere else."""
        self.answer(302, b"", Location=self.server.url("fine"))

    def do_circle(self, content):
        """Here, again and again."""
        self.answer(302, b"", Location=self.server.url("circle"))

    def do_endless(self, content):
        """Far more than anyone wants, and no word of how much."""
        self.send_response(200)
        self.end_headers()
        for _ in range(300):
            self.wfile.write(bytes(1 << 16))
        self.close_connection = True

    def do_encoded(self, content):
        """The right file, but said to be packed, though nobody asked for that."""
        self.answer(200, content, Content_Encoding="gzip")


@contextmanager
def serving(content):
    """A server that runs for a while."""
    server = Server(content)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
