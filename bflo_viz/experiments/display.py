"""How far a command is, on a terminal: what runs, how many are done, how much time is left."""

import shutil
import sys
import time
from typing import TextIO

from bflo_viz.experiments.runner import Status

_BETWEEN = 0.1  # seconds between two drawings


class Display:
    """A line that is written over as runs begin and end; silent where nobody would see it."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._visible = self._stream.isatty()
        self._drawn = 0.0
        self._width = 0

    def __call__(self, status: Status) -> None:
        """Show the status, if the last one has been there for a moment."""
        now = time.monotonic()
        if self._visible and now - self._drawn >= _BETWEEN:
            self._drawn = now
            room = shutil.get_terminal_size().columns - 1
            text = line(self._what, status)
            text = text if len(text) <= room else text[: room - 1] + "…"
            print(f"\r{text:<{self._width}}", end="", file=self._stream, flush=True)
            self._width = len(text)

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            print(f"\r{' ' * self._width}\r", end="", file=self._stream, flush=True)
            self._width = 0


def line(what: str, status: Status) -> str:
    """The line itself."""
    done = status.kept + status.done
    share = done / status.total if status.total else 1.0
    left = status.seconds_left()
    time_left = "" if left is None else f", {span(left)} left"
    now = ", ".join(str(trial) for trial in status.running.values())
    return (
        f"{what} [{'#' * round(20 * share):<20}] {done} of {status.total} runs{time_left}{f': {now}' if now else ''}"
    )


def span(seconds: float) -> str:
    """A time in words: 42 s, 3 min 5 s, 2 h 10 min."""
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s" if minutes < 10 else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
