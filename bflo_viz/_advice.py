"""Commands that repair an installation: they name this very Python, and can be pasted into a shell."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]  # folder of the course; if this is a copy, of all installed packages


def command(*words: object) -> str:
    """Words as a shell of this system takes them."""
    join = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return join([str(word) for word in words])


def python(*words: object) -> str:
    """A command of this Python."""
    return command(sys.executable or "python3", *words)


def pip(*words: object) -> str:
    """An installation into this Python."""
    return python("-m", "pip", "install", *words)


def install_course(extra: str, *words: object) -> str:
    """The installation of this course with one of its extras, from its folder: it is on no package index."""
    if (HOME / "pyproject.toml").is_file():
        return pip(*words, "-c", HOME / "constraints.txt", "-e", f"{HOME}[{extra}]")
    return f"cd FOLDER-OF-THE-COURSE && {pip(*words, '-c', 'constraints.txt', '-e', f'.[{extra}]')}"


def missing(package: str, extra: str) -> str:
    """What to do if a package is missing that belongs to an extra of the course."""
    how = install_course(extra) if (HOME / "pyproject.toml").is_file() else pip(package)
    return f"run  {how}  and try again."
