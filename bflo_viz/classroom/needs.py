"""Packages that only the classroom needs."""

import importlib
from typing import Any

from bflo_viz._advice import missing


def need(name: str) -> Any:
    """Import a module, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        package = (problem.name or name).split(".")[0]
        raise ValueError(f"{package} is not installed: {missing(package, 'classroom')}") from None
