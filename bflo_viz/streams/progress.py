"""How far a download or a long parse is, and how long it will take."""

import sys
import time
from types import TracebackType
from typing import Self

_BEFORE, _BETWEEN = 0.5, 0.1  # seconds: short work shows nothing, long work does not flicker
_UNITS = {"MB": 1e6, "rows": 1.0}


class Progress:
    """A line on stderr that is written over as the work goes on, where someone can see it."""

    def __init__(self, what: str, total: int | None, unit: str) -> None:
        self._what, self._total, self._unit = what, total, unit
        self._began = time.monotonic()
        self._next = self._began + _BEFORE
        self._first: int | None = None
        self._width = 0
        self._visible = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        if self._width:
            print(f"\r{' ' * self._width}\r", end="", file=sys.stderr, flush=True)

    def update(self, done: int, total: int | None = None) -> None:
        """Say that so much is done, of ``total`` if it is known only now."""
        self._total = total or self._total
        self._first = done if self._first is None else self._first
        now = time.monotonic()
        if not self._visible or now < self._next:
            return
        self._next = now + _BETWEEN
        line = self.line(done, now - self._began)
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = max(self._width, len(line))

    def line(self, done: int, seconds: float) -> str:
        """The line itself; what a resumed download had before is not counted as speed."""
        digits = 1 if self._unit == "MB" else 0
        scale = _UNITS[self._unit]
        if not self._total:
            return f"{self._what}: {done / scale:,.{digits}f} {self._unit}"
        share = min(1.0, done / self._total)
        new = done - (self._first or 0)
        left = f", {seconds * (self._total - done) / new:.0f} s left" if new > 0 and share < 1 else ""
        amount = f"{done / scale:,.{digits}f} of {self._total / scale:,.{digits}f} {self._unit}"
        bar = "#" * round(20 * share)
        return f"{self._what} [{bar:<20}] {100 * share:3.0f} % ({amount}{left})"
