"""Builds the package with flit, and puts the course into every wheel: `bflo lab` finds it wherever it is installed.

An editable installation needs none of this: the course is beside the package.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from flit_core import buildapi
from flit_core.buildapi import *  # noqa: F403  the other hooks are flit's own

_FILES = ("pyproject.toml", "README.md", "LICENSE", "THIRD_PARTY.md")
_COURSE = {"notebooks": "[0-9][0-9]_*.ipynb", "results": "*.*"}


def build_wheel(folder: str, settings: Any = None, metadata: Any = None) -> str:
    """Build the wheel of a copy that has the course inside of the package."""
    target = os.path.abspath(folder)
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made)
        for name in _FILES:
            shutil.copy2(name, copy)
        shutil.copytree("bflo_viz", copy / "bflo_viz", ignore=shutil.ignore_patterns("__pycache__", ".*"))
        for name, pattern in _COURSE.items():
            inside = copy / "bflo_viz" / "course" / name
            inside.mkdir(parents=True)
            for path in Path(name).glob(pattern):
                shutil.copy2(path, inside)
        with contextlib.chdir(copy):
            return str(buildapi.build_wheel(target, settings, metadata))
