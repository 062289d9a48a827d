"""``bflo serve``: what it hands out and what it refuses, that it stops at once, and what it says."""

import gzip
import http.client
import mimetypes
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest

from bflo_viz import cli
from bflo_viz.classroom import explorers, serve

JAVASCRIPT = f"{mimetypes.MimeTypes().guess_type('a.js')[0]}; charset=utf-8"  # older Pythons have its older name


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
    with serve.Server("127.0.0.1", 0) as server:
        server.files = serve.read(folder)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
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
        ("/course.js?v=1", "course.js", JAVASCRIPT),
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


HIDDEN = """
    /figures/ /figures /.hidden /link.html /linked/secret.html /../secret.html /%2e%2e/secret.html //etc/passwd
    /figures/../../secret.html /index.html/ /..%5csecret.html /index.html%00 *
"""


@pytest.mark.parametrize("path", HIDDEN.split())
def test_nothing_else_is_handed_out(line, path):
    answer = asked(line, path)
    assert answer.status == 404 and b"secret" not in answer.content


def test_pages_can_only_be_read(line):
    assert [asked(line, "/", method).status for method in ("POST", "PUT", "DELETE")] == [405, 405, 405]


def test_every_explorer_can_be_served():
    assert sorted(explorers()) == serve._EXPLORERS and len(explorers()) > 5


def test_a_folder_without_pages_is_refused(tmp_path, capsys):
    assert cli.main(["serve", "--port", "0", "--from", str(tmp_path)]) == 1
    assert "has no index.html: name a folder that bflo site or bflo slides has written." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["regimes"], "there are no pages of 'regimes': did you mean 'regime'?"),
        (["flow", "--ip", "192.0.2.77"], "cannot listen at 192.0.2.77, port 8866 (Cannot assign requested address)"),
        (["flow", "--ip", "no such host"], "cannot listen at no such host"),
        (
            ["flow", "--port", "TAKEN"],
            "cannot listen at 127.0.0.1, port TAKEN (Address already in use): choose another",
        ),
    ],
)
def test_a_mistake_gets_a_sentence(arguments, sentence, capsys):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        assert cli.main(["serve", *(word.replace("TAKEN", taken) for word in arguments)]) == 1
    assert capsys.readouterr().err.startswith(f"bflo: {sentence.replace('TAKEN', taken)}")


def test_the_addresses_to_give_to_students(monkeypatch):
    """Those of this machine for everybody; for this machine alone, how to serve others."""
    monkeypatch.setattr(serve, "_own_addresses", lambda: ["192.0.2.5", "198.51.100.7"])
    addresses = serve._addresses("0.0.0.0", 8866).splitlines()[1:]
    assert addresses == ["    http://192.0.2.5:8866/", "    http://198.51.100.7:8866/"]
    assert (
        serve._addresses("127.0.0.1", 1) == "Open  http://127.0.0.1:1/  on this machine; --ip 0.0.0.0 serves a class."
    )
    assert serve._addresses("192.0.2.5", 1) == "Open  http://192.0.2.5:1/"


@pytest.mark.parametrize("ending", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
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
        process.send_signal(ending)
        rest, _ = process.communicate(timeout=10)
        line.close()
    assert (process.returncode, rest.strip()) == (0, "Stopped.")
