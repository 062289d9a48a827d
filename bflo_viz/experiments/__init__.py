"""The paper's experiments: protocols, runs that resume where they stopped, results beside the printed numbers."""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "protocol": "load_protocol names",
        "results": "Store committed",
        "runner": "run",
        "tables": "make_table mean_ranks printed_errors printed_ranks",
        "workbench": "committed_workbench",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
