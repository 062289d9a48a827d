"""``bflo serve``: what it hands out and what it refuses, that it stops at once, and what it says."""

import gzip
import http.client
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from bflo_viz import cli
from bflo_viz.classroom import serve


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages, beside them what is not to be had, and links that lead there."""
    around = tmp_path_factory.mktemp("around")
    (around / "secret.html").write_text("secret")
    pages = around / "pages"
    (pages / "figures").mkdir(parents=True)
    (pages / "index.html").write_text("<p>" + 100 * "a page for all " + "</p>")
    (pages / "course.js").write_text("1;")
    (pages / "figures" / "größe.png").write_bytes(b"\x89PNG" + bytes(range(256)))
    (pages / ".hidden").write_text("secret")
    (pages / "link.html").symlink_to(around / "secret.html")
    (pages / "linked").symlink_to(around, target_is_directory=True)
    return pages


@pytest.fixture(scope="module")
def port(folder):
    """Where a server of these pages listens."""
    opened = serve._listening("127.0.0.1", 0)
    with serve.Server(opened, serve.read(folder)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield opened.getsockname()[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def line(port):
    """A connection that stays open."""
    made = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    yield made
    made.close()


def asked(line, path, method="GET", **headers):
    """The answer, with its content read."""
    line.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    answer.content = answer.read()
    return answer


def test_one_line_brings_everything_with_its_type(line, folder):
    """The first page by its folder, a name with other letters, a question behind it: all on one connection."""
    line.connect()
    socket_of_all = line.sock
    for path, name, kind in (
        ("/", "index.html", "text/html; charset=utf-8"),
        ("/course.js?v=1", "course.js", "text/javascript; charset=utf-8"),
        ("/figures/gr%C3%B6%C3%9Fe.png", "figures/größe.png", "image/png"),
    ):
        answer = asked(line, path)
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.content == (folder / name).read_bytes()
    assert line.sock is socket_of_all


def test_words_are_compressed_and_sent_once(line, folder):
    """Where the browser takes it; and what it has already is not sent again."""
    packed = asked(line, "/", Accept_Encoding="br, gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == (folder / "index.html").read_bytes()
    assert asked(line, "/figures/gr%C3%B6%C3%9Fe.png", Accept_Encoding="gzip").headers["Content-Encoding"] is None
    again = asked(line, "/", If_None_Match=f'"other", {packed.headers["ETag"]}')
    assert (again.status, again.content, again.headers["Cache-Control"]) == (304, b"", "no-cache")
    assert asked(line, "/course.js", If_None_Match=packed.headers["ETag"]).status == 200


def test_a_head_is_that_of_the_page_without_it(port, line):
    """As a phone asks before it loads; not a byte more, or the next answer on the line would be lost."""
    whole = asked(line, "/")
    with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
        plain.sendall(b"HEAD / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: plain.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n")
    assert f"Content-Length: {whole.headers['Content-Length']}\r\n".encode() in answer


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/figures/",
            "/figures",
            "/.hidden",
            "/link.html",
            "/linked/secret.html",
            "/../secret.html",
            "/%2e%2e/secret.html",
        ),
        *("//etc/passwd", "/figures/../../secret.html", "/index.html/", "/..%5csecret.html", "/index.html%00", "*"),
    ],
)
def test_nothing_else_is_handed_out(line, path):
    """No list of a folder, nothing hidden, nothing outside of it."""
    answer = asked(line, path)
    assert answer.status == 404 and b"secret" not in answer.content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_pages_can_only_be_read(line, method):
    """Whatever else is asked for is refused, and its line is closed."""
    answer = asked(line, "/", method)
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD" and answer.will_close


def test_a_folder_without_pages_is_refused(tmp_path, capsys):
    """A home folder must not be handed out by mistake."""
    assert cli.main(["serve", "--port", "0", "--from", str(tmp_path)]) == 1
    assert "has no index.html: name a folder that bflo site or bflo slides has written." in capsys.readouterr().err


def test_a_folder_with_too_much_in_it_is_refused(folder, monkeypatch):
    """All of it is read before the first student comes."""
    monkeypatch.setattr(serve, "_MOST", 100)
    with pytest.raises(ValueError, match=r"more than 0\.0001 MB in it: name a folder of pages and nothing else\."):
        serve.read(folder)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["regimes"], "there are no pages of 'regimes'; choose one of dynamics, flow, "),
        (["flow", "--ip", "192.0.2.77"], "192.0.2.77 is not an address of this machine; --ip 0.0.0.0 listens at all"),
        (["flow", "--ip", "no such host"], "no such host is not an address of this machine"),
        (["flow", "--port", "99999"], "99999 is not a port; choose one from 1024 to 65535"),
    ],
)
def test_a_mistake_gets_a_sentence(arguments, sentence, capsys):
    """What was wrong, and what to do."""
    assert cli.main(["serve", *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"bflo: {sentence}")


def test_a_port_that_cannot_be_had(monkeypatch, capsys):
    """The sentence names another."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert cli.main(["serve", "flow", "--port", str(port)]) == 1
    assert (
        f"port {port} is taken: stop what uses it, or choose another: --port {port + 1}." in capsys.readouterr().err
    )

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")  # as of an ordinary user, which the tests may not be

    monkeypatch.setattr(socket, "create_server", refuse)
    assert cli.main(["serve", "flow", "--port", "80"]) == 1
    assert "port 80 is not for everybody: choose one from 1024 on" in capsys.readouterr().err


def test_the_addresses_to_give_to_students(monkeypatch):
    """Those of this machine for everybody; for this machine alone, how to serve others."""
    monkeypatch.setattr(serve, "own_addresses", lambda: ["192.0.2.5", "198.51.100.7"])
    assert serve._greeting("0.0.0.0", 8866)[1:] == ["    http://192.0.2.5:8866/", "    http://198.51.100.7:8866/"]
    (line,) = serve._greeting("127.0.0.1", 8866)
    assert "http://127.0.0.1:8866/" in line and "--ip 0.0.0.0 serves a class" in line


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_makes_the_page_of_an_explorer_and_stops_at_once(ending):
    """As a person starts and ends it, with a student who is still there; nothing is left on the disk."""
    command = [sys.executable, "-m", "bflo_viz", "serve", "regime", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = ""
        while "Ctrl-C stops it." not in said:
            said += (words := process.stdout.readline())
            assert words, said
        host, port = re.search(r"Open  http://(\S+):(\d+)/", said).groups()
        line = http.client.HTTPConnection(host, int(port), timeout=10)
        answer = asked(line, "/")
        assert answer.status == 200 and b"Content-Security-Policy" in answer.content
        start = time.monotonic()
        process.send_signal(ending)
        rest, _ = process.communicate(timeout=10)
        line.close()
    assert time.monotonic() - start < 5
    assert (process.returncode, rest.strip()) == (0, "Stopped.")
