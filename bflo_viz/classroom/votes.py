"""The bets of a class: one vote of each browser for each bet, on the disk before it is acknowledged.

Nobody is named. A browser is known by a random token that it has made itself; the file keeps a hash of it.
"""

import contextlib
import csv
import datetime
import hashlib
import hmac
import io
import json
import os
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

BROWSERS = 3000  # that may vote in one class
BODY = 512  # bytes of the longest message
_HEAD = b"time,class,bet,answer,browser\n"
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words; nothing that looks like a digit
_TOKEN = re.compile(r"[0-9a-f]{32}")
_STATES = ("open", "closed", "revealed")
_PAUSE = 2.0  # seconds until a disk that failed is tried again


class Bet(NamedTuple):
    """A bet as a class sees it; the question is HTML."""

    number: str
    title: str
    question: str
    options: tuple[str, ...]
    right: str


class Reply(NamedTuple):
    """What the server says of a message: a status, one word that the page goes by, and a sentence that it shows."""

    status: HTTPStatus
    outcome: str
    words: str


_COUNTED = Reply(HTTPStatus.OK, "counted", "Your bet was counted.")
_BEFORE = Reply(HTTPStatus.CONFLICT, "before", "You had bet before: your first answer counts.")
_CLOSED = Reply(HTTPStatus.FORBIDDEN, "closed", "This bet is closed: your answer is not counted.")
_CODE = Reply(HTTPStatus.FORBIDDEN, "code", "This is not the code of this class: type the one on the projector.")
_FULL = Reply(HTTPStatus.FORBIDDEN, "refused", f"This class is full: {BROWSERS} browsers have bet.")
_KEY = Reply(HTTPStatus.FORBIDDEN, "key", "Only the instructor may: open the address that the terminal shows.")
_LATER = Reply(HTTPStatus.TOO_MANY_REQUESTS, "later", "Too many messages at once: wait a moment.")
_NO_BET = Reply(HTTPStatus.BAD_REQUEST, "refused", "The course has no such bet, or the bet no such answer.")
_NO_VOTE = Reply(HTTPStatus.BAD_REQUEST, "refused", "This is no vote: bet on a page of the course.")
_SET = Reply(HTTPStatus.OK, "set", "Done.")


class Class:
    """A class that bets: its code, its instructor's key, its votes, and what was closed or revealed."""

    def __init__(self, bets: Sequence[Bet], path: Path, tell: Callable[[str], None]) -> None:
        self.bets = {bet.number: bet for bet in bets}
        self.journal = Journal(path, tell)
        self.key = secrets.token_urlsafe(16)
        self.addresses: list[str] = []  # to show to students
        self._states = dict.fromkeys(self.bets, "open")
        self._votes: dict[str, dict[str, str]] = {number: {} for number in self.bets}
        self._browsers: set[str] = set()
        self._lock = threading.Lock()
        # A class of 300 may share one address, and a student may bring some bets of last week.
        self._busy, self._junk = Limit(2000, 100, shared=2), Limit(600, 20, shared=2)
        for _, _, number, answer, browser in self.journal.rows:
            if number in self.bets:
                self._votes[number].setdefault(browser, answer)
                self._browsers.add(browser)
        last = self.journal.rows[-1][1] if self.journal.rows else ""  # the same again: browsers keep it
        self.code = (
            last if re.fullmatch(f"[{_LETTERS}]{{4}}", last) else "".join(secrets.choice(_LETTERS) for _ in range(4))
        )

    @property
    def count(self) -> int:
        """How many votes there are."""
        return sum(map(len, self._votes.values()))

    def vote(self, body: bytes, address: str) -> Reply:
        """Count a vote, or say why not; what was counted is on the disk, if that has room."""
        match _strings(body, "class", "bet", "answer", "browser"):
            case [code, number, answer, token] if _TOKEN.fullmatch(token):
                if not hmac.compare_digest(code.strip().upper().encode("utf-8", "replace"), self.code.encode()):
                    return self._refused(_CODE, address)
                if number not in self.bets or answer not in self.bets[number].options:
                    return self._refused(_NO_BET, address)
                if not self._busy.allows(address):
                    return _LATER
                return self._counted(number, answer, hashlib.sha256(token.encode()).hexdigest()[:16])
        return self._refused(_NO_VOTE, address)

    def _counted(self, number: str, answer: str, browser: str) -> Reply:
        with self._lock:
            votes = self._votes[number]
            if browser in votes and votes[browser] != answer:
                return _BEFORE
            if browser not in votes:
                if self._states[number] != "open":
                    return _CLOSED
                if browser not in self._browsers and len(self._browsers) >= BROWSERS:
                    return _FULL
                votes[browser] = answer
                self._browsers.add(browser)
                now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
                self.journal.put(now, self.code, number, answer, browser)
        self.journal.settle()  # also for a vote that is sent again because its acknowledgement was lost
        return _COUNTED

    def _refused(self, reply: Reply, address: str) -> Reply:
        """The reply; or that there is too much junk from there. It has its own limit: a flood of it stops no vote."""
        return reply if self._junk.allows(address) else _LATER

    def knows(self, key: str) -> bool:
        """Whether this is the instructor's key."""
        return hmac.compare_digest(key.encode("utf-8", "replace"), self.key.encode())

    def set(self, body: bytes, key: str, address: str) -> Reply:
        """Open, close or reveal a bet, for the instructor."""
        if not self.knows(key):
            return self._refused(_KEY, address)
        match _strings(body, "bet", "state"):
            case [number, state] if number in self.bets and state in _STATES:
                self._states[number] = state
                return _SET
        return _NO_BET

    def shown(self) -> dict[str, Any]:
        """All that the instructor sees; which answer is right only of bets that are revealed."""
        with self._lock:
            bets = {number: self._shown(bet) for number, bet in self.bets.items()}
        return {"class": self.code, "addresses": self.addresses, "trouble": self.journal.trouble, "bets": bets}

    def _shown(self, bet: Bet) -> dict[str, Any]:
        answers, state = [*self._votes[bet.number].values()], self._states[bet.number]
        counts = [answers.count(option) for option in bet.options]
        right = bet.options.index(bet.right) if state == "revealed" else None
        return {"title": bet.title, "state": state, "options": bet.options, "counts": counts, "right": right}


def _strings(body: bytes, *names: str) -> list[str]:
    """The strings that a message has under exactly these names; or nothing."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return []
    if not isinstance(message, dict) or message.keys() != set(names):
        return []
    return [message[name] for name in names] if all(isinstance(text, str) for text in message.values()) else []


class Limit:
    """So many messages of one address at once, and then so many in each second; of all together, ``shared`` times."""

    def __init__(self, burst: float, rate: float, *, shared: float) -> None:
        self._burst, self._rate, self._shared = burst, rate, shared
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()  # and when; of the last addresses
        self._lock = threading.Lock()

    def allows(self, address: str, now: float | None = None) -> bool:
        """Whether one more may come now; if so, it is counted."""
        now = time.monotonic() if now is None else now
        with self._lock:
            mine, all_of_us = self._debt(address, now), self._debt("", now)
            if mine > self._burst - 1 or all_of_us > self._shared * self._burst - 1:
                return False
            self._spent[address], self._spent[""] = (mine + 1, now), (all_of_us + 1, now)
            self._spent.move_to_end(address)
            self._spent.move_to_end("")
            while len(self._spent) > 4096:
                self._spent.popitem(last=False)
            return True

    def _debt(self, address: str, now: float) -> float:
        """What an address has spent and not yet got back."""
        spent, then = self._spent.get(address, (0.0, now))
        return max(0.0, spent - (now - then) * self._rate * (1 if address else self._shared))


class Journal:
    """A CSV file that only grows. Its lines are on the disk after ``settle``; without room there, they wait."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        self.path, self._tell, self.trouble = path, tell, ""
        self._waiting: list[bytes] = []
        self._put = self._settled = 0  # how many lines
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._tried = -_PAUSE
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is not a file: name another one with --votes.")
        with contextlib.ExitStack() as on_failure:
            try:
                self._file = on_failure.enter_context(open(path, "a+b", buffering=0))
                self.rows, self._size = self._read()
                if not self._size:
                    self._append(_HEAD)
            except OSError as problem:
                words = f"votes cannot be kept in {path} ({problem.strerror or problem})"
                raise ValueError(f"{words}: name another file with --votes.") from None
            on_failure.pop_all()  # it stays open as long as the class

    def _read(self) -> tuple[list[list[str]], int]:
        """The votes of a class that goes on, and their bytes: a last line that was never finished is cut off."""
        self._file.seek(0)
        content = self._file.read()
        if not content.startswith(_HEAD) and not _HEAD.startswith(content):
            raise ValueError(f"{self.path} has other things in it than votes: name another file with --votes.")
        whole = content[: content.rfind(b"\n") + 1]
        rows = [next(csv.reader([line]), []) for line in whole.decode("utf-8", "replace").splitlines()[1:]]
        for n, row in enumerate(rows, start=2):
            if len(row) != 5:
                raise ValueError(f"line {n} of {self.path} is no vote: mend it, or name another file with --votes.")
        if whole != content:
            self._file.truncate(len(whole))
        return rows, len(whole)

    def put(self, *values: str) -> None:
        """Add a line, which is to be written soon."""
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        with self._lock:
            self._waiting.append(line.getvalue().encode())
            self._put += 1

    def settle(self) -> None:
        """Wait until all lines so far are on the disk; threads that wait together are written together."""
        mine = self._put
        with self._writing:
            if self._settled < mine and time.monotonic() - self._tried >= _PAUSE * bool(self.trouble):
                self._write()

    def _write(self) -> None:
        with self._lock:
            lines, upto = [*self._waiting], self._put
        try:
            self._append(b"".join(lines))
        except OSError as problem:
            self._tried = time.monotonic()
            if not self.trouble:
                self.trouble = f"{self.path} cannot be written ({problem.strerror or problem})"
                self._tell(f"{self.trouble}: votes are kept in memory until it can; make room, and do not stop.")
            return
        with self._lock:
            del self._waiting[: len(lines)]
        self._settled = upto
        if self.trouble:
            self.trouble = ""
            self._tell(f"{self.path} can be written again: all votes are in it.")

    def _append(self, content: bytes) -> None:
        """Write all of it to the disk, or nothing."""
        try:
            if self._file.write(content) != len(content):
                raise OSError("there is no room for a whole line")
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(self._size)
            raise
        self._size += len(content)

    def close(self) -> int:
        """Try once more, and give the file back; how many lines could not be written."""
        with self._writing:
            if self._waiting:
                self._write()
            self._file.close()
        return len(self._waiting)
