"""The exercises of the course, one module a notebook; their solutions come from a folder that may be missing."""

import tomllib
from importlib import import_module
from pathlib import Path

from bflo_viz.lessons.exercise import BOOK

for _module in ("e01", "e02", "e03", "e04", "e05", "e06", "e07", "e08"):
    import_module(f"{__name__}.{_module}")

for _file in sorted((Path(__file__).parents[1] / "solutions").glob("*.toml")):
    for _number, _parts in tomllib.loads(_file.read_text(encoding="utf-8")).items():
        BOOK.solve(_number, **_parts)
