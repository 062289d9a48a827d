"""The paper's experiments: protocols, runs that go on where they stopped, results beside the printed numbers.

``run(load_protocol("table1", quick=True), "runs.sqlite")`` does the runs, `make_table` puts them beside the paper's.
"""

from typing import Any

from bflo_viz._lazy import lazy

_load, __dir__, __all__ = lazy(
    __name__,
    {
        "protocol": "load_protocol names",
        "results": "Store committed",
        "runner": "run",
        "tables": "make_table mean_ranks paired printed_errors printed_ranks",
        "workbench": "committed_workbench",
    },
)


def __getattr__(name: str) -> Any:
    return _load(name)
