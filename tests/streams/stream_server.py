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
    """Behaves as the path says."""

    def log_message(self, *arguments):
        """Nothing on the screen."""

    def do_GET(self):
        """Answer: code, what is sent, what is promised, and where to go."""
        server, content = self.server, self.server.content
        behaviour = self.path.split("/")[1]
        server.asked.append(behaviour)
        right = (200, [content], len(content), None)
        code, pieces, length, location = {
            "fine": right,
            "failing": right if server.asked.count("failing") > 1 else (500, [b"oops"], 4, None),
            "moved": (302, [], 0, server.url("fine")),
            "circle": (302, [], 0, server.url("circle")),
            "missing": (404, [b"no"], 2, None),
            "truncated": (200, [content[: len(content) // 2]], len(content), None),
            "wrong": (200, [b"<html>Please log in to this hotel's network.</html>"], None, None),
            "other": (200, [content.replace(b" 1:", b" 2:", 1)], None, None),
            "endless": (200, 300 * [bytes(1 << 16)], None, None),
            "hanging": (200, [], len(content), None),
            "dripping": (200, [content[i : i + 1] for i in range(len(content))], len(content), None),
        }[behaviour]
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
            if behaviour == "dripping":
                server.closing.wait(0.002)
        if behaviour == "hanging":
            server.closing.wait(5)


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
