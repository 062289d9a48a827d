"""Packages that only the classroom needs."""

import importlib
from typing import Any


def need(name: str) -> Any:
    """Import a module, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        package = (problem.name or name).split(".")[0]
        raise ValueError(
            f"{package} is not installed: run  python -m pip install 'bflo-viz[classroom]'  and try again."
        ) from None
