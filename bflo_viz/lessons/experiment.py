"""Experiments inside a notebook: a bar while a loop or runs go on, and tables that show as tables."""

import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import display
from tqdm.notebook import tqdm

from bflo_viz import _checks as check
from bflo_viz.experiments.tables import MEASURES, Table, render

_VIEW = "application/vnd.jupyter.widget-view+json"


class progress(tqdm):  # type: ignore[misc]  # noqa: N801  (used like range)
    """Show a bar while a loop, or a learner's run, goes on; it goes away at the end, so that results stand alone.

    >>> sum(k for k in progress([1, 2, 3], "adding"))
    6

    `learner.run(X, y, rng, progress=progress("learning"))` shows the same for one long run.
    """

    monitor_interval = 0 if sys.platform == "emscripten" else tqdm.monitor_interval  # a browser has no threads

    def __init__(self, over: Iterable[Any] | str, what: str = "") -> None:
        loop, what = (None, over) if isinstance(over, str) else (over, what)
        super().__init__(loop, desc=what, leave=False, display=False, disable=get_ipython() is None)
        if not self.disable:
            # Only the view: no words of it are stored in a notebook, where it has long been gone.
            view = {"version_major": 2, "version_minor": 0, "model_id": self.container.model_id}
            display({_VIEW: view}, raw=True)  # type: ignore[no-untyped-call]

    def __call__(self, done: int, total: int) -> None:
        """Show that so much of it all is done."""
        if total != self.total:
            self.reset(total)
            self.initial = done  # done before: that took no time
        self.update(done - self.n)
        if done >= total:
            self.close()


def scratch(name: str) -> Path:
    """A path for a file of this name, in a new temporary folder."""
    return Path(tempfile.mkdtemp()) / name


def bar_of_runs(what: str = "runs") -> Callable[[int, int], None]:
    """A bar for `bflo_viz.experiments.runner.run`: ``run(protocol, store, watch=bar_of_runs())``."""
    return progress(what)


class show_table:  # noqa: N801  (used like a function)
    """A table that a notebook shows as one, in the colours of its theme, and a terminal as text.

    ``measure`` (``"online"`` or ``"final"``) and ``noise`` (a share of flipped labels) choose a part of it.
    """

    def __init__(self, table: Table, measure: str | None = None, noise: float | None = None) -> None:
        if measure is not None:
            check.choice("measure", measure, tuple(MEASURES))
        if noise is not None and noise not in table.noise:
            shares = " or ".join(f"{share:g}" for share in table.noise)
            raise ValueError(f"noise must be {shares} in this table, but it was {noise!r}.")
        blocks = [b for b in table.blocks if measure in (None, b.measure) and noise in (None, b.noise)]
        self.table = replace(table, blocks=tuple(blocks))

    def __repr__(self) -> str:
        return render(self.table, "text")

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        return {"text/html": render(self.table, "html"), "text/plain": repr(self)}
