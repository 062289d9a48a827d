"""The exercises of the course, one module a notebook."""

from importlib import import_module

for _module in ("e01", "e02", "e03", "e04", "e05", "e06", "e07", "e08"):
    import_module(f"{__name__}.{_module}")
