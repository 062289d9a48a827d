"""The paper's experiments: protocols, runs that go on where they stopped, results beside the printed numbers.

``run(load_protocol("table1", quick=True), "runs.sqlite")`` does the runs, ``table`` shows what came of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bflo_viz.experiments.protocol import load_protocol
    from bflo_viz.experiments.runner import run
    from bflo_viz.experiments.tables import table

_HOME = {"load_protocol": "protocol", "run": "runner", "table": "tables"}

__all__ = ["load_protocol", "run", "table"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'bflo_viz.experiments' has no attribute {name!r}")
    return getattr(import_module(f"bflo_viz.experiments.{_HOME[name]}"), name)
