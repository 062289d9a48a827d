"""A class that opens ``bflo serve`` within a minute: who gets a whole page, how soon, and what it takes.

Each student is a connection of its own, which asks for a page and then for all that the page loads, as a browser with
an empty cache does, and has to get every byte. All students come at once. They run on this machine, too.

    python benchmarks/bench_serve.py [WHAT | FOLDER [STUDENTS]]
"""

import asyncio
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from side_by_side import report

MINUTE = 60
MEMORY = 150  # MB
LOADED = re.compile(r'<(?:script|img|link)\b[^>]*?(?:src|href)="(?!data:)([^"#]+)"')


async def get(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str) -> tuple[bytes, int]:
    """Ask for one file; its content, and how many bytes came for it."""
    writer.write(f"GET {address} HTTP/1.1\r\nHost: here\r\nAccept-Encoding: identity\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise ValueError(f"{address}: {head.splitlines()[0].decode()}")
    content = await reader.readexactly(int(re.search(rb"Content-Length: (\d+)", head)[1]))
    return content, len(head) + len(content)


async def visit(port: int, page: str) -> tuple[float, int, int]:
    """Open a page and all that it loads; seconds, files and bytes."""
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    content, size = await get(reader, writer, page)
    others = dict.fromkeys(LOADED.findall(content.decode()))
    for address in others:
        size += (await get(reader, writer, f"/{address}"))[1]
    writer.close()
    return time.perf_counter() - start, 1 + len(others), size


def memory(process: int) -> float:
    """The most MB that a process has had."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1000


async def main(what: str, count: int) -> None:
    made = ["site", "--from", what] if Path(what).is_dir() else [what]
    command = [sys.executable, "-m", "bflo_viz", "serve", *made, "--port", "0"]
    page = "/02_one_dimension.html" if made[0] in ("site", "slides") else "/"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        said = ""
        while "Ctrl-C" not in said:
            said += (line := server.stdout.readline())
            assert line, "the server did not start"
        port = int(re.findall(r"http://\S+:(\d+)/", said)[0])
        before = memory(server.pid)
        start = time.perf_counter()
        visits = await asyncio.gather(*(visit(port, page) for _ in range(count)), return_exceptions=True)
        took = time.perf_counter() - start
        problems = [one for one in visits if isinstance(one, BaseException)]
        for one in problems[:3]:
            print(f"    {type(one).__name__}: {one}")
        whole = [one for one in visits if not isinstance(one, BaseException)]
        times, (_, files, size) = np.array([one[0] for one in whole]), whole[0]
        report(f"bflo serve {what}: students of {count} with a whole page", len(whole), count, at_most=False, unit="")
        report("the same, the last one served after", took, MINUTE, at_most=True, unit="s")
        report("memory of the server, at most", memory(server.pid), MEMORY, at_most=True, unit="MB")
        print(f"    {files} files and {size / 1e6:.2f} MB a student; {before:.0f} MB before the first came")
        print(f"    seconds to a whole page: p50 {np.percentile(times, 50):.1f}, p95 {np.percentile(times, 95):.1f}")
        start = time.perf_counter()
        server.send_signal(signal.SIGINT)
        server.wait(30)
        print(f"    stopped within {time.perf_counter() - start:.1f} s of Ctrl-C")


if __name__ == "__main__":
    given = sys.argv[1:]
    for what in given[:1] or ("regime", "site"):
        asyncio.run(main(what, int(given[1]) if len(given) > 1 else 1000))
