"""A server on this machine that misbehaves on purpose: what it does depends on the path."""

import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Serves ``content`` and notes what it was asked for."""

    daemon_threads = True

    def __init__(self, content):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = content
        self.asked = []
        self.closing = threading.Event()

    def url(self, behaviour):
        """The address at which the server behaves so."""
        return f"http://127.0.0.1:{self.server_address[1]}/{behaviour}/tiny"

    def handle_error(self, request, address):
        """A client that has had enough is no error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, address)


class Handler(BaseHTTPRequestHandler):
    """One method for each behaviour."""

    def log_message(self, *arguments):
        """Nothing on the screen."""

    def do_GET(self):
        """Behave as the path says."""
        behaviour = self.path.split("/")[1]
        self.server.asked.append(behaviour)
        getattr(self, "do_" + behaviour)(self.server.content)

    def answer(self, code, body, *, length=None, **headers):
        """Send so much of an answer, whatever length was promised."""
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_fine(self, content):
        """The right file."""
        self.answer(200, content)

    def do_truncated(self, content):
        """Half of the file each time."""
        self.answer(200, content[: len(content) // 2], length=len(content))

    def do_wrong(self, content):
        """A page that says something else."""
        self.answer(200, b"<html>Please log in to this hotel's network.</html>")

    def do_other(self, content):
        """The right format, but one number is another."""
        self.answer(200, content.replace(b" 1:", b" 2:", 1))

    def do_missing(self, content):
        """No such file."""
        self.answer(404, b"no")

    def do_failing(self, content):
        """An error of the server, then the right file."""
        self.answer(500, b"oops") if self.server.asked.count("failing") == 1 else self.answer(200, content)

    def do_hanging(self, content):
        """A promise, and then silence."""
        self.answer(200, b"", length=len(content))
        self.server.closing.wait(5)

    def do_dripping(self, content):
        """One byte after the other, never silent for long."""
        self.answer(200, b"", length=len(content))
        for place in range(len(content)):
            self.wfile.write(content[place : place + 1])
            self.server.closing.wait(0.002)

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


@contextmanager
def serving(content):
    """A server that runs for a while."""
    server = Server(content)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
