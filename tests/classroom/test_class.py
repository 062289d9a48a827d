"""``bflo serve --class``: votes that are counted once and never lost, and all that is refused."""

import contextlib
import csv
import http.client
import json
import re
import resource
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from bflo_viz import cli
from bflo_viz.classroom import class_pages, server
from bflo_viz.classroom.votes import BODY, Bet, Class, Limit
from bflo_viz.lessons.exercises import BOOK

BETS = [Bet("02.2", "past", "<p>?</p>", ("narrower", "the same", "wider"), "narrower")]
BETS += [Bet("03.1", "turn", "<p>?</p>", ("none", "full, and more"), "full, and more")]
POLICY = "<meta content=\"default-src 'none'; script-src 'self'\">"
PAGE = f'<head>{POLICY}</head><h2 id="here">Exercise 02.2 · Bet</h2><aside class="notes" hidden>narrower</aside>'
# A server of such a class as a program, which a test can kill.
PROGRAM = f"""
import sys
from pathlib import Path
from bflo_viz.classroom.server import Server, as_file
from bflo_viz.classroom.votes import Bet, Class
course = Class([Bet(*bet) for bet in {[tuple(bet) for bet in BETS]!r}], Path(sys.argv[1]), print)
with Server("127.0.0.1", 0) as server:
    server.join(course, {{"/class/index.html": as_file("index.html", b"")}}, {{}})
    print(server.server_address[1], course.code, course.count, flush=True)
    server.serve_forever()
"""


class Room:
    """A class at a port of this machine, as students and others reach it."""

    def __init__(self, port, code, key=""):
        self.port, self.code, self.key = port, code, key

    def send(self, body, address="/vote", method="POST", **headers):
        """Send anything on a line of its own: status and outcome."""
        body = json.dumps(body) if isinstance(body, dict) else body
        given = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as line:
            line.request(method, address, body, {name: value for name, value in given.items() if value is not None})
            answer = line.getresponse()
            said = json.loads(answer.read())
        if isinstance(said, dict) and "words" in said:
            assert re.fullmatch(r"[A-Z].*\.", said["words"])
            return answer.status, said["outcome"]
        return answer.status, said

    def vote(self, token, answer="wider", bet="02.2", **others):
        """Send a vote, or nearly one."""
        return self.send({"class": self.code, "bet": bet, "answer": answer, "browser": token} | others)

    def set(self, state, bet="02.2", key=None):
        """Open, close or reveal a bet."""
        return self.send({"bet": bet, "state": state}, "/class/state", Class_Key=self.key if key is None else key)

    def shown(self):
        """What the instructor sees."""
        return self.send(None, "/class/state", "GET", Class_Key=self.key)[1]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "votes.csv"


@contextlib.contextmanager
def opened(path, **settings):
    """A class of this process."""
    said = []
    course = Class(BETS, path, said.append)
    course.addresses = ["http://192.0.2.5:8866/"]
    pages = {"/index.html": server.as_file("index.html", PAGE.encode())}
    with server.Server("127.0.0.1", 0) as running:
        running.join(course, {"/class/index.html": server.as_file("index.html", b"<p>class</p>")}, pages)
        for name, value in settings.items():
            setattr(running, name, value)
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        room = Room(running.server_address[1], course.code, course.key)
        room.course, room.said = course, said
        try:
            yield room
        finally:
            running.shutdown()
            thread.join()
            course.journal.close()


@pytest.fixture
def room(path):
    with opened(path) as room:
        yield room


@contextlib.contextmanager
def program(path):
    """A class in a process of its own, with what it said first."""
    command = [sys.executable, "-c", PROGRAM, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        port, code, count = process.stdout.readline().split()
        try:
            yield process, Room(int(port), code), int(count)
        finally:
            process.kill()


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_class_of_forty_at_once_and_none_is_lost(room, path):
    """Each acknowledged vote is a line, in the order of nobody; neither tokens nor addresses are in the file."""
    tokens = [secrets.token_hex(16) for _ in range(40)]
    answers = ["narrower", "the same", "wider", "wider"] * 10
    with ThreadPoolExecutor(40) as students:
        replies = list(students.map(room.vote, tokens, answers))
    assert replies == [(200, "counted")] * 40
    kept = rows(path)
    assert Counter(row["answer"] for row in kept) == Counter(answers)
    assert {(row["class"], row["bet"]) for row in kept} == {(room.code, "02.2")}
    assert len({row["browser"] for row in kept}) == 40
    assert not any(token in path.read_text() for token in tokens) and "127.0.0.1" not in path.read_text()
    assert room.shown()["bets"]["02.2"]["counts"] == [10, 10, 20]


def test_the_first_answer_of_a_browser_counts(room, path):
    """The same again, as when an acknowledgement was lost, is fine; another one is refused; other bets are open."""
    token = secrets.token_hex(16)
    assert [room.vote(token, answer) for answer in ("wider", "wider", "narrower")] == [
        (200, "counted"),
        (200, "counted"),
        (409, "before"),
    ]
    assert room.vote(token, "full, and more", "03.1") == (200, "counted")
    assert [(row["bet"], row["answer"]) for row in rows(path)] == [("02.2", "wider"), ("03.1", "full, and more")]


def test_what_is_no_vote_is_refused_and_not_counted(room, path):
    token = secrets.token_hex(16)
    for others, reply in (
        ({"class": "XXXX"}, (403, "code")),
        ({"class": ""}, (403, "code")),
        ({"class": "ß\ud800"}, (403, "code")),
        ({"class": f" {room.code.lower()} ", "bet": "02.1"}, (400, "refused")),
        ({"answer": "sideways"}, (400, "refused")),
        ({"answer": ["wider"]}, (400, "refused")),
        ({"bet": 2.2}, (400, "refused")),
        ({"name": "Ann"}, (400, "refused")),
        ({"browser": token[:-1]}, (400, "refused")),
        ({"browser": token.upper() + "\n"}, (400, "refused")),
    ):
        assert room.vote(token, **others) == reply, others
    for body in (b"", b"{", b"null", b"[" * 500, b"\xff\xfe", b'{"class": NaN}', b"9" * 500):
        assert room.send(body) == (400, "refused"), body
    assert rows(path) == []


def test_nothing_but_votes_can_be_sent(room, path):
    """Not too much, not elsewhere, not otherwise, and not from the page of another host."""
    vote = {"class": room.code, "bet": "02.2", "answer": "wider", "browser": secrets.token_hex(16)}
    assert room.send(b"x" * (BODY + 1))[0] == 413
    assert room.send(b"x" * 200_000)[0] == 413
    assert room.send(vote, "/index.html")[0] == 404
    assert room.send(vote, method="PUT")[0] == room.send(vote, method="DELETE")[0] == 405
    assert room.send(vote, method="BREW")[0] == room.send(None, method="GET")[0] == 405
    assert room.send(vote, Content_Type="text/plain")[0] == 415
    assert room.send(iter([b"{}"]), Transfer_Encoding="chunked")[0] == 411
    for origin in (None, "null", "http://evil.example", f"http://evil.example:{room.port}", "http://127.0.0.1"):
        assert room.send(vote, Origin=origin)[0] == 403, origin
    assert rows(path) == []
    assert room.send(vote) == (200, "counted")


def test_the_instructor_alone_sees_and_decides(room):
    """Which answer is right comes with the reveal; a bet that is closed or revealed takes no more votes."""
    room.vote(secrets.token_hex(16))
    shown = room.shown()["bets"]["02.2"]
    assert (shown["state"], shown["counts"], shown["right"]) == ("open", [0, 0, 1], None)
    assert room.set("revealed", key="guess") == room.set("revealed", key="ß") == (403, "key")
    for address in ("/class/state", "/class/notes/index.html"):
        assert room.send(None, address, "GET") == (403, "key")
    for state in ("closed", "revealed"):
        assert room.set(state) == (200, "set")
        assert room.vote(secrets.token_hex(16)) == (403, "closed")
    assert room.shown()["bets"]["02.2"]["right"] == 0
    assert room.set("open") == (200, "set") and room.vote(secrets.token_hex(16)) == (200, "counted")
    assert room.shown()["bets"]["02.2"]["right"] is None
    assert room.set("torn") == room.set("open", bet="99.9") == (400, "refused")


def test_pages_get_the_script_and_may_ask_their_own_host(room):
    """And lose what the speaker alone may read."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", room.port, timeout=10)) as line:
        line.request("GET", "/")
        page = line.getresponse().read().decode()
    assert "default-src 'none'; connect-src 'self'; script-src 'self'" in page
    assert '<script src="/class/class.js" defer></script>' in page
    assert "narrower" not in page
    assert room.send(None, "/class/notes/index.html", "GET", Class_Key=room.key) == (200, ["narrower"])
    assert room.send(None, "/class/bets.json", "GET") == (200, {"02.2": "/index.html#here"})


def test_a_flood_of_junk_is_refused_and_stops_no_vote(room, path):
    """From the same address: a school has one for all."""
    line = http.client.HTTPConnection("127.0.0.1", room.port, timeout=10)
    given = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{room.port}"}
    statuses = Counter()
    for _ in range(700):
        line.request("POST", "/vote", b"{}", given)
        answer = line.getresponse()
        answer.read()
        statuses[answer.status] += 1
    line.close()
    assert statuses[400] >= 600 and statuses[429] > 10, statuses
    assert room.vote(secrets.token_hex(16)) == (200, "counted")


def test_so_many_at_once_and_then_so_many_a_second():
    """A class of 300 behind one address gets through; what one address has spent does not stop another."""
    limit = Limit(400, 10, shared=2)
    assert sum(limit.allows("a", 0.0) for _ in range(1000)) == 400
    assert limit.allows("b", 0.0)
    assert sum(limit.allows("a", 3.0) for _ in range(1000)) == 30
    everybody = Limit(400, 10, shared=2)
    assert sum(everybody.allows(f"{n}", 0.0) for n in range(10_000)) == 800
    assert sum(everybody.allows(f"{n}", 1.0) for n in range(10_000)) == 20
    assert len(everybody._spent) <= 4096


def test_a_school_with_one_address_gets_through(room):
    """Three hundred who bring six bets each, all at once."""
    assert all(room.course._busy.allows("school", 0.0) for _ in range(300 * 6))


def test_a_class_has_an_end(path, monkeypatch):
    monkeypatch.setattr("bflo_viz.classroom.votes.BROWSERS", 2)
    with opened(path) as room:
        tokens = [secrets.token_hex(16) for _ in range(3)]
        assert [room.vote(token)[1] for token in tokens] == ["counted", "counted", "refused"]
        assert room.vote(tokens[0], "none", "03.1") == (200, "counted")


def test_the_silent_and_the_slow_hold_up_nobody(path, monkeypatch):
    """Lines that say nothing give way; one that says a byte now and then is cut off all the same."""
    monkeypatch.setattr(server._Browser, "timeout", 1)
    with opened(path, lines=8) as room:
        silent = [socket.create_connection(("127.0.0.1", room.port), timeout=10) for _ in range(20)]
        assert room.vote(secrets.token_hex(16)) == (200, "counted")
        slow = socket.create_connection(("127.0.0.1", room.port), timeout=10)
        slow.sendall(b"POST /vote HTTP/1.1\r\n")
        with pytest.raises(ConnectionError):
            _drip(slow)
        for line in (*silent, slow):
            with contextlib.suppress(ConnectionError):
                assert line.recv(1) == b""
            line.close()


def _drip(line):
    """Speak for ten seconds, a byte at a time."""
    for _ in range(100):
        line.sendall(b"X")
        time.sleep(0.1)


def test_nothing_acknowledged_is_lost_when_it_is_killed(path):
    """In the middle of a class; then the class goes on, with the same code, and each browser has one vote."""
    tokens, acknowledged = [secrets.token_hex(16) for _ in range(40)], []
    with program(path) as (process, first, count), ThreadPoolExecutor(8) as students:
        assert count == 0

        def vote(token):
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                if first.vote(token) == (200, "counted"):
                    acknowledged.append(token)
                    if len(acknowledged) == 20:
                        process.kill()

        list(students.map(vote, tokens))
    assert 20 <= len(acknowledged) < 40
    with open(path, "ab") as file:
        file.write(b"2026-11-18T08:00:00+00:00,BCD")  # a line that was never finished
    with program(path) as (_, again, count):
        assert again.code == first.code and count >= len(acknowledged)
        assert {again.vote(token, "narrower") for token in acknowledged} == {(409, "before")}
        assert {again.vote(token) for token in tokens} == {(200, "counted")}
    assert len(rows(path)) == len({row["browser"] for row in rows(path)}) == 40
    assert {(row["class"], row["bet"], row["answer"]) for row in rows(path)} == {(first.code, "02.2", "wider")}


def test_a_full_disk_gets_a_sentence_and_the_class_goes_on(room, path, monkeypatch):
    """Votes wait in memory, no line is half written, and all of them are in the file when there is room again."""
    monkeypatch.setattr("bflo_viz.classroom.votes._PAUSE", 0.0)
    assert room.vote(secrets.token_hex(16)) == (200, "counted")
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
    try:
        assert {room.vote(secrets.token_hex(16)) for _ in range(3)} == {(200, "counted")}
        assert path.read_bytes() == before
        assert room.shown()["bets"]["02.2"]["counts"] == [0, 0, 4] and "cannot be written" in room.shown()["trouble"]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(room.said) == 1 and "votes are kept in memory" in room.said[0]
    assert room.vote(secrets.token_hex(16)) == (200, "counted")
    assert len(rows(path)) == 5 and room.shown()["trouble"] == "" and "can be written again" in room.said[1]


def test_all_bets_of_the_course_can_be_made():
    bets = class_pages.bets()
    assert len(bets) > 10 and all(bet.right in bet.options and "<" in bet.question for bet in bets)
    assert {bet.number for bet in bets} == {number for number, one in BOOK.items() if one.kind == "predict"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["regime", "--class"], "regime has no bets for a class: serve the site or the slides with --class."),
        (["site", "--votes", "a.csv"], "--votes is where the votes of a class are kept: add --class."),
    ],
)
def test_a_mistake_gets_a_sentence(arguments, sentence, capsys):
    assert cli.main(["serve", "--port", "0", *arguments]) == 1
    assert capsys.readouterr().err == f"bflo: {sentence}\n"


def test_a_file_that_is_not_ours_is_left_alone(tmp_path):
    """So is a folder, and what cannot be written; a class that was cut off while it began begins again."""
    begun, other, broken = (tmp_path / f"{name}.csv" for name in ("begun", "other", "broken"))
    begun.write_bytes(b"time,cla")
    course = Class(BETS, begun, print)
    assert course.count == course.journal.close() == 0
    assert begun.read_bytes() == b"time,class,bet,answer,browser\n"
    other.write_text("a,b\n1,2\n")
    broken.write_text("time,class,bet,answer,browser\nwords\n")
    for path, words in (
        (other, "has other things in it than votes: name another file with --votes."),
        (broken, "line 2 of .* is no vote: mend it, or name another"),
        (tmp_path, "is not a file: name another"),
        (tmp_path / "none" / "a.csv", r"cannot be kept in .* \(No such file or directory\): name another"),
    ):
        with pytest.raises(ValueError, match=words):
            Class(BETS, path, print)
    assert other.read_text() == "a,b\n1,2\n"


@pytest.mark.slow  # the parts of it are tried one by one above
def test_as_an_instructor_starts_and_ends_it(tmp_path):
    """The terminal has the code, the address for students, that of the instructor, and where the votes are."""
    (tmp_path / "index.html").write_text(PAGE)
    votes = tmp_path / "votes.csv"
    command = [sys.executable, "-m", "bflo_viz", "serve", "--class", "--port", "0"]
    command += ["--from", str(tmp_path), "--votes", str(votes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = ""
        while "Ctrl-C stops it." not in said:
            said += (words := process.stdout.readline())
            assert words, said
        code = re.search(r"The code of the class is  (\w{4})  ", said)[1]
        assert f"/?class={code}\n" in said and f"Votes are kept in {votes}" in said
        port, key = re.search(r"http://127.0.0.1:(\d+)/class#(\S+)", said).groups()
        room = Room(int(port), code, key)
        assert room.vote(secrets.token_hex(16)) == (200, "counted")
        assert room.shown()["bets"]["02.2"]["counts"] == [0, 0, 1]
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=10)
    assert (process.returncode, rest.split("\n", 1)[1]) == (0, f"Stopped.\nVotes in {votes}: 1.\n")
