"""``bflo dashboard``: what it says, what its server gives and refuses, and that kernels end with their students."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import psutil
import pytest
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from websockets.sync.client import connect

from bflo_viz import cli
from bflo_viz.classroom import dashboard

# As a person starts it, but for students who are taken for gone after a second.
SOON = """
if __name__ == "__main__":
    import sys
    from bflo_viz.classroom import dashboard_server
    from bflo_viz.cli import main
    dashboard_server.AWAY = dashboard_server.LOOK = 1
    sys.exit(main())
"""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["regimes"], "there is no explorer 'regimes'; choose one of regime, flow, pseudo, online, dynamics."),
        (["flow", "--students", "0"], "--students is a number from 1 on, not 0."),
        (["flow", "--ip", "192.0.2.77"], "192.0.2.77 is not an address of this machine; --ip 0.0.0.0 listens at all"),
        (["flow", "--ip", "no such host"], "no such host is not an address of this machine"),
        (["flow", "--port", "99999"], "99999 is not a port; choose one from 1024 to 65535"),
    ],
)
def test_a_mistake_gets_a_sentence(arguments, sentence, capsys):
    """What was wrong, and what to do."""
    assert cli.main(["dashboard", *arguments]) == 1
    assert capsys.readouterr().err.startswith(f"bflo: {sentence}")


def test_a_port_that_is_taken(capsys):
    """The sentence names another."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert cli.main(["dashboard", "flow", "--port", str(port)]) == 1
    assert f"port {port} is taken" in capsys.readouterr().err


def test_without_voila_it_names_the_cure(monkeypatch, capsys):
    """Voila is in an extra."""
    monkeypatch.setattr(dashboard, "find_spec", lambda name: None)
    assert cli.main(["dashboard", "flow"]) == 1
    assert "run  python -m pip install 'bflo-viz[classroom]'" in capsys.readouterr().err


def test_the_addresses_to_give_to_students(monkeypatch):
    """Those of this machine for everybody; for this machine alone, how to serve others."""
    monkeypatch.setattr(dashboard, "own_addresses", lambda: ["192.0.2.5", "198.51.100.7"])
    assert dashboard._greeting("0.0.0.0", 8866)[1:] == ["    http://192.0.2.5:8866/", "    http://198.51.100.7:8866/"]
    (line,) = dashboard._greeting("127.0.0.1", 8866)
    assert "http://127.0.0.1:8866/" in line and "--ip 0.0.0.0 serves a class" in line


class Served:
    """A dashboard that runs: its address, its process, what it said."""

    def __init__(self, process):
        self.process, self.said = process, ""
        while "Ctrl-C" not in self.said:
            self.said += (line := process.stdout.readline())
            assert line, self.said
        self.url = re.findall(r"http://\S+", self.said)[0]

    def get(self, path=""):
        """Code and text of an answer."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as problem:
            with problem:
                return problem.code, problem.read().decode()

    def student(self):
        """Open a page; the names of its kernel and of its explorer."""
        code, page = self.get()
        assert code == 200
        line = json.loads(re.search(r'id="line">(.*?)</script>', page)[1])
        return line["kernel"], line["explorer"]

    def connect(self, kernel):
        """Talk to a kernel as the page does."""
        address = f"{self.url.replace('http', 'ws')}api/kernels/{kernel}/channels?session_id=s"
        return connect(address, subprotocols=["v1.kernel.websocket.jupyter.org"], proxy=None)

    def has(self, kernel):
        """Whether a kernel is there."""
        return self.get(f"api/kernels/{kernel}")[0] == 200

    def leave(self, kernel):
        """Say goodbye, as a page does that is closed."""
        asked = urllib.request.Request(f"{self.url}voila/api/shutdown/{kernel}", method="POST")
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert answer.status == 204


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """One dashboard for two students."""
    script = tmp_path_factory.mktemp("dashboard") / "soon.py"
    script.write_text(SOON)
    command = [sys.executable, str(script), "dashboard", "regime", "--port", "0", "--students", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


@pytest.mark.slow
def test_it_says_what_a_student_takes(served):
    """Memory measured here, and how many fit."""
    taken, fit = re.search(r"takes about (\d+) MB here; about (\d+) fit", served.said).groups()
    assert 5 < int(taken) < 500 and int(fit) > 0
    assert "At most 2 can use it" in served.said and "Ctrl-C stops it" in served.said


@pytest.mark.slow
def test_no_code_is_run_and_nobody_else_gets_in(served, tmp_path):
    """The explorer can be moved, but code is not run; there is no room for a third student until one leaves."""
    first, explorer = served.student()
    second, _ = served.student()
    code, page = served.get()
    assert code == 503 and "All places are taken" in page
    target = tmp_path / "written"

    with served.connect(first) as line:

        def send(kind, content):
            message = {"header": {"msg_id": kind, "msg_type": kind, "session": "s", "username": "", "version": "5.3"}}
            message |= {"parent_header": {}, "metadata": {}, "content": content}
            line.send(serialize_msg_to_ws_v1(message, "shell", lambda part: json.dumps(part).encode()))

        send("execute_request", {"code": f"open({str(target)!r}, 'w')", "silent": False})
        send("comm_msg", {"comm_id": explorer, "data": {"method": "request_state"}})
        kind = ""
        while kind != "comm_msg":
            _, parts = deserialize_msg_from_ws_v1(line.recv(timeout=30))
            kind = json.loads(parts[0])["msg_type"]
    assert json.loads(parts[3])["data"]["state"]["delta"] == 1.5
    assert not target.exists()
    served.leave(first)
    assert not served.has(first) and served.has(second)
    third, _ = served.student()
    served.leave(second)
    served.leave(third)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        *("api/kernels", "api/contents", "api/terminals", "api/sessions", "lab", "tree", "terminals/1", "voila/tree"),
        *("voila/files/dashboard.ipynb", "voila/files/../dashboard.ipynb", "voila/render/dashboard.ipynb"),
        *("voila/api/contents", "voila/static/../app.py", "voila/templates/lab/static/../../../../../etc/passwd"),
    ],
)
def test_nothing_else_is_served(served, path):
    """No list of kernels, no files, no terminals; and no page that would ask another host for something."""
    code, text = served.get(path)
    assert code in (403, 404, 405, 500)
    assert "https://" not in text and "import show" not in text


@pytest.mark.slow
def test_the_page_may_ask_no_other_host(served):
    """It names none, and the browser would refuse."""
    with urllib.request.urlopen(served.url, timeout=60) as answer:
        policy, page = answer.headers["Content-Security-Policy"], answer.read().decode()
    assert "default-src 'self'" in policy
    assert not re.search(r"(https?|wss?)://", page)
    assert "<title>Regimes of a belief flow</title>" in page
    served.leave(re.search(r'"kernel": "([^"]+)"', page)[1])


@pytest.mark.slow
def test_a_kernel_ends_when_its_student_is_lost_and_not_while_one_looks_on(served):
    """One connection is cut with no goodbye, one stays open and still."""
    here, gone = served.student()[0], served.student()[0]

    with served.connect(here), served.connect(gone) as cut:
        cut.socket.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + 30
        while served.has(gone):
            assert time.monotonic() < deadline, "the kernel of a lost student goes on"
            time.sleep(0.1)
        time.sleep(1.5)  # more than what a student who is gone has
        assert served.has(here)


@pytest.mark.slow
def test_an_interrupt_ends_it_with_all_kernels(served):
    """At once, with a word, and with nothing left."""
    served.student()
    started = psutil.Process(served.process.pid).children(recursive=True)
    assert len(started) >= 2
    served.process.send_signal(signal.SIGINT)
    said = served.process.communicate(timeout=30)[0]
    assert served.process.returncode == 0
    assert said.strip() == "Stopped; all pages have ended."
    _, left = psutil.wait_procs(started, timeout=10)
    assert left == []
