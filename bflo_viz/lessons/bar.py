"""A bar for work that takes longer than a moment: how far it is, and how much time is left."""

import time
from collections.abc import Iterable, Iterator, Sized
from typing import Any

import ipywidgets
from IPython.core.getipython import get_ipython
from IPython.display import display

_VIEW = "application/vnd.jupyter.widget-view+json"
_EVERY = 0.2  # seconds between two drawings


class progress:  # noqa: N801  (used like range)
    """Show a bar while a loop, or a learner's run, goes on; it goes away at the end, so that results stand alone.

    >>> sum(k for k in progress([1, 2, 3], "adding"))
    6

    `learner.run(X, y, rng, progress=progress("learning"))` shows the same for one long run.
    """

    def __init__(self, over: Iterable[Any] | str, what: str = "") -> None:
        self._over: Iterable[Any] = () if isinstance(over, str) else over
        self._what = over if isinstance(over, str) else what
        self._start = self._drawn = time.monotonic()
        self._bar: Any = None

    def __iter__(self) -> Iterator[Any]:
        """Give one thing after the other, and move the bar after each."""
        total = len(self._over) if isinstance(self._over, Sized) else 0
        try:
            for done, one in enumerate(self._over):
                self(done, total)
                yield one
        finally:
            self._clear()

    def __call__(self, done: int, total: int) -> None:
        """Show that so much of it all is done."""
        now = time.monotonic()
        if total and done >= total:
            self._clear()
        elif now - self._drawn >= _EVERY and get_ipython() is not None:
            self._drawn = now
            left = f", {(now - self._start) * (total - done) / done:.0f} s left" if done and total else ""
            if self._bar is None:
                self._bar = ipywidgets.FloatProgress(max=max(total, 1), style={"description_width": "initial"})
                # Only the view: no words of it are stored in a notebook, where it has long been gone.
                view = {"version_major": 2, "version_minor": 0, "model_id": self._bar.model_id}
                display({_VIEW: view}, raw=True)  # type: ignore[no-untyped-call]
            self._bar.value, self._bar.description = done, f"{self._what}: {done} of {total or '?'}{left}"

    def _clear(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
