"""A class of 300 that bets at ``bflo serve --class``: how soon all bets are counted, and what a kill leaves of them.

Each student is a connection of its own, which opens a page and then sends a bet. All come at once, and from one
address, as they do from a school. For the second bet they come within a second, and the server is killed (SIGKILL)
when a third is acknowledged. It is started again with the same file, and those who got no acknowledgement send theirs
again, as the page does. All of it stays on this machine.

    python benchmarks/bench_class.py [STUDENTS]
"""

import asyncio
import csv
import hashlib
import json
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_serve import get, memory
from side_by_side import report

SECONDS = 10
MEMORY = 150  # MB
BETS = {"02.2": "wider", "04.2": "added below"}
PAGE = "<!doctype html><html><head><title>A page</title></head><body><p>A page.</p></body></html>"


class Server:
    """``bflo serve --class`` as a process, with its port and the code of its class."""

    def __init__(self, folder: Path, votes: Path) -> None:
        command = [sys.executable, "-m", "bflo_viz", "serve", "site", "--class", "--from", folder, "--votes", votes]
        self.process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout
        said = ""
        while "Ctrl-C" not in said:
            said += (line := self.process.stdout.readline())
            assert line, f"the server did not start: {said}"
        address = re.search(r"http://127\.0\.0\.1:(\d+)/\?class=(\w+)", said)
        assert address, said
        self.port, self.code = int(address[1]), address[2]

    def end(self, ending: signal.Signals) -> None:
        """Stop it, and wait until it is gone."""
        self.process.send_signal(ending)
        self.process.communicate(timeout=30)


async def bet(server: Server, token: str, number: str) -> str:
    """Open the page and bet; what the server says of it, or what went wrong on the way."""
    try:
        async with asyncio.timeout(2 * SECONDS):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            await get(reader, writer, "/")
            vote = {"class": server.code, "bet": number, "answer": BETS[number], "browser": token}
            body = json.dumps(vote)
            here = f"127.0.0.1:{server.port}"
            head = (
                f"POST /vote HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\nContent-Type: application/json\r\n"
            )
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            content = await reader.readexactly(int(re.findall(r"Content-Length: (\d+)", head)[0]))
            writer.close()
            return str(json.loads(content)["outcome"])
    except (OSError, EOFError, TimeoutError) as problem:
        return type(problem).__name__


async def all_bet(server: Server, tokens: list[str], number: str) -> set[str]:
    """Let all of them bet at once; the tokens whose bets were acknowledged."""
    outcomes = await asyncio.gather(*(bet(server, token, number) for token in tokens))
    return {token for token, outcome in zip(tokens, outcomes, strict=True) if outcome == "counted"}


def kept(votes: Path, number: str) -> list[str]:
    """The browsers that have a line for this bet in the file; a last line without its end is no line."""
    lines = votes.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = csv.DictReader(line for line in lines if line.endswith("\n"))
    return [row["browser"] for row in rows if row["bet"] == number]


async def killed_in_the_middle(server: Server, tokens: list[str], number: str) -> set[str]:
    """Let all of them bet within a second, and kill the server when a third of the bets is acknowledged."""
    acknowledged: set[str] = set()

    async def student(place: int, token: str) -> None:
        await asyncio.sleep(place / len(tokens))
        if await bet(server, token, number) == "counted":
            acknowledged.add(token)
            if len(acknowledged) == len(tokens) // 3:
                server.end(signal.SIGKILL)

    await asyncio.gather(*(student(place, token) for place, token in enumerate(tokens)))
    return acknowledged


def lost(votes: Path, tokens: set[str], number: str) -> int:
    """How many of these have no line in the file, which knows them by the hashes of their tokens."""
    return len({hashlib.sha256(token.encode()).hexdigest()[:16] for token in tokens} - set(kept(votes, number)))


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        votes, pages = Path(folder) / "votes.csv", Path(folder) / "pages"
        pages.mkdir()
        (pages / "index.html").write_text(PAGE, encoding="utf-8")
        tokens, (first, second) = [secrets.token_hex(16) for _ in range(count)], BETS
        server = Server(pages, votes)
        start = time.perf_counter()
        acknowledged = asyncio.run(all_bet(server, tokens, first))
        took, lines = time.perf_counter() - start, kept(votes, first)
        report(
            f"bets of {count} students at once that were acknowledged",
            len(acknowledged),
            count,
            at_most=False,
            unit="",
        )
        report("the same, in the file", len(set(lines)), count, at_most=False, unit="")
        report("the same, the last one acknowledged after", took, SECONDS, at_most=True, unit="s")
        report("memory of the server, at most", memory(server.process.pid), MEMORY, at_most=True, unit="MB")
        before = asyncio.run(killed_in_the_middle(server, tokens, second))
        print(
            f"    killed when {len(before)} of {count} were acknowledged; {len(kept(votes, second))} are in the file"
        )
        missing = lost(votes, before, second)
        server = Server(pages, votes)
        again = asyncio.run(all_bet(server, [token for token in tokens if token not in before], second))
        server.end(signal.SIGINT)
        missing += lost(votes, before | again, second)
        report("bets acknowledged before or after the kill, and not in the file", missing, 0, at_most=True, unit="")
        report("bets in the file, each student once", len(kept(votes, second)), count, at_most=False, unit="")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
