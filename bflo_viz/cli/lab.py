"""What ``bflo lab`` does."""

import os
import platform
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from bflo_viz._advice import missing
from bflo_viz._places import FIRST_NOTEBOOK, course_folder


def open_lab(port: int, *, open_browser: bool) -> int:
    """Open the course in JupyterLab."""
    if find_spec("jupyterlab") is None:
        raise ValueError(f"JupyterLab is not installed: {missing('jupyterlab', 'lab')}")
    root = course_folder()
    _refuse_without_home()
    command = [
        *(sys.executable, "-P", "-m", "jupyterlab"),  # no launcher: some fail in a folder with $ in its name
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/lab/tree/{FIRST_NOTEBOOK}",
        f"--port={port}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops at once
        f"--LabApp.app_settings_dir={Path(__file__).parents[1] / 'lab_settings'}",  # no call home
    ]
    if not open_browser or not _has_display():
        command.append("--no-browser")
        print("Open the address that ends in a token, below, in a browser; Ctrl-C stops the server.", flush=True)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers
    if platform.system() == "Windows":  # exec there would hand the terminal back while the server runs
        return subprocess.call(command)
    os.execv(command[0], command)


def _refuse_without_home() -> None:
    """Say in a sentence what Jupyter would say in a traceback: it keeps what it runs in the user's home."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir

        folder = Path(jupyter_runtime_dir())
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except (OSError, RuntimeError) as problem:
        raise ValueError(
            f"JupyterLab needs a home folder that can be written ({problem}): run  export HOME=FOLDER  and try again."
        ) from None


def _has_display() -> bool:
    if platform.system() == "Linux":
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
