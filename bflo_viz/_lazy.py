"""Packages whose public names are loaded when they are first used: importing such a package loads nothing else."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy(package: str, names: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its modules and the names in each."""
    home = {name: module for module, listed in names.items() for name in listed.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(home), sorted(home)
