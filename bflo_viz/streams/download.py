"""Downloads that survive a bad line: retried, resumed where the server allows it, and bounded in size."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from bflo_viz.streams.progress import Progress

TIMEOUT = (10.0, 20.0)  # seconds to connect, and of silence
WAITS: Sequence[float] = (0.5, 2.0)  # seconds before each further try
SLOWEST = 1000.0  # bytes a second on average; what is slower would take hours
PATIENCE = 60.0  # seconds before a line is called slow
_PIECE = 1 << 16


class DownloadError(Exception):
    """A server and what went wrong with it, as a part of a sentence."""


def fetch(url: str, path: Path, most: int) -> None:
    """Download ``url`` to ``path``, at most ``most`` bytes; the file is there when it is whole, and not before."""
    import pooch

    manager = pooch.create(path=path.parent, base_url="", registry={path.name: None}, urls={path.name: url})
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # one sentence is said in the end, or none
    try:
        manager.fetch(path.name, downloader=_Resuming(most))
    finally:
        logger.setLevel(level)


class _TryAgainError(Exception):
    """What may go better with the next try."""


class _Resuming:
    """A downloader for pooch, which gives it a file of its own and renames that when it is complete."""

    def __init__(self, most: int) -> None:
        self._most = most

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        import requests
        from urllib3.exceptions import HTTPError

        name, server = url.rpartition("/")[2], urlsplit(url).netloc
        with open(output_file, "wb") as file, requests.Session() as session, Progress(name, None, "MB") as progress:
            # The bytes of the file itself: unpacking is bounded elsewhere.
            session.headers.update({"User-Agent": "bflo-viz", "Accept-Encoding": "identity"})
            for wait in (*WAITS, None):
                try:
                    return self._go_on(session, url, file, progress)
                except (_TryAgainError, HTTPError, requests.RequestException) as problem:
                    if wait is None or _unreachable(problem):
                        raise DownloadError(f"{server}: {_in_words(problem)}") from None
                    time.sleep(wait)
                except DownloadError as problem:
                    raise DownloadError(f"{server}: {problem}") from None

    def _go_on(self, session: Any, url: str, file: BinaryIO, progress: Progress) -> None:
        """Ask for what is still missing, and append it."""
        began, have = time.monotonic(), file.tell()
        wanted = {"Range": f"bytes={have}-"} if have else {}
        with session.get(url, headers=wanted, stream=True, timeout=TIMEOUT) as answer:
            code, span = answer.status_code, answer.headers.get("Content-Range", "")
            if code == 206 and span.startswith(f"bytes {have}-"):
                total = _number(span.rpartition("/")[2])
            else:  # from the beginning
                have, total = 0, _number(answer.headers.get("Content-Length"))
                if code == 429 or code >= 500:
                    raise _TryAgainError(f"the server answers {code}")
                file.seek(0)
                file.truncate()
                if code in (206, 416):
                    raise _TryAgainError("the server gives another part than was asked for")
                if code != 200:
                    raise DownloadError(f"the server answers {code}")
            start, read = have, getattr(answer.raw, "read1", answer.raw.read)  # urllib3 before 2.1 has no read1
            while piece := read(_PIECE, decode_content=False):  # whatever has come, and be it one byte
                have += len(piece)
                waited = time.monotonic() - began
                if waited > PATIENCE and have - start < SLOWEST * waited:
                    raise DownloadError(f"the line is too slow, {(have - start) / waited:.0f} bytes a second")
                if have > self._most:
                    raise DownloadError(f"the file is larger than {self._most / 1e6:.0f} MB, so it cannot be right")
                file.write(piece)
                progress.update(have, total)
        if total is not None and have < total:
            raise _TryAgainError("the line was cut")


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"\d+", text) else None


def _unreachable(problem: Exception) -> bool:
    """Whether there was no connection at all: then there is none a second later either."""
    from urllib3.exceptions import ConnectTimeoutError, MaxRetryError, NewConnectionError, ProxyError

    cause = problem.args[0] if problem.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    return isinstance(reason, (NewConnectionError, ConnectTimeoutError, ProxyError))


def _in_words(problem: Exception) -> str:
    import requests
    from urllib3.exceptions import ReadTimeoutError

    if isinstance(problem, _TryAgainError):
        return str(problem)
    if _unreachable(problem):
        return "no connection"
    if isinstance(problem, (requests.Timeout, ReadTimeoutError)):
        return "the server is silent"
    if isinstance(problem, requests.TooManyRedirects):
        return "the server sends one in circles"
    if isinstance(problem, requests.exceptions.SSLError):
        return "its certificate cannot be trusted"
    return "the line was cut"
