"""Experiments inside of a notebook: a bar while runs go on, and tables that show as tables."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bflo_viz import _checks as check
from bflo_viz.experiments.paper import MEASURES
from bflo_viz.experiments.rendering import render
from bflo_viz.experiments.runner import Status
from bflo_viz.experiments.tables import Table
from bflo_viz.lessons.bar import progress


def scratch(name: str) -> Path:
    """A path for a file of this name in a new folder of its own, which the system clears away some day."""
    return Path(tempfile.mkdtemp()) / name


def bar_of_runs(what: str = "runs") -> Callable[[Status], None]:
    """A bar for `bflo_viz.experiments.runner.run`: ``run(protocol, store, watch=bar_of_runs())``."""
    bar = progress(what)
    return lambda status: bar(status.kept + status.done, status.total - status.missing)


class show_table:  # noqa: N801  (used like a function)
    """A table that a notebook shows as one, in the colours of its theme, and a terminal as text.

    Parameters
    ----------
    table
        What `make_table` gave.
    measure
        ``"online"`` or ``"final"`` for these errors alone.
    noise
        A share of flipped labels, for this one alone.
    """

    def __init__(self, table: Table, measure: str | None = None, noise: float | None = None) -> None:
        if measure is not None:
            check.choice("measure", measure, MEASURES)
        if noise is not None and noise not in table.noise:
            there = " or ".join(f"{one:g}" for one in table.noise)
            raise ValueError(f"noise must be {there} in this table, but it was {noise!r}.")
        blocks = [b for b in table.blocks if measure in (None, b.measure) and noise in (None, b.noise)]
        self.table = replace(table, blocks=tuple(blocks))

    def __repr__(self) -> str:
        return render(self.table, "text")

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, str]:
        return {"text/html": render(self.table, "html"), "text/plain": repr(self)}
