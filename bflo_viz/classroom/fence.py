"""A place where a student's notebook can do no harm: a folder and a process of its own, limits, no network."""

import functools
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bflo_viz._places import FIRST_NOTEBOOK, course_folder

_PACKAGE = Path(__file__).parents[1]
_ALONE = ("--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")  # sees no network and no other process
_WAYS = (("--user", "--map-root-user", *_ALONE), _ALONE)  # as anybody; as root where users may not be mapped
_TOLD = 2**20  # bytes that a run may tell


@dataclass(frozen=True)
class Run:
    """What came of a run: the lines that it told, and how it ended, in words; nothing if it came to its end."""

    told: list[dict[str, Any]]
    ended: str


def run(job: dict[str, Any], *, seconds: float, memory: int) -> Run:
    """Run the job of ``graded`` in a folder that is removed afterwards, with all that it has started."""
    way = alone()
    with _folder() as folder:
        mark, key = secrets.token_hex(8), secrets.token_hex(16)
        limits = {"seconds": seconds, "cell_seconds": seconds / 5, "memory": memory, "alone": bool(way)}
        work = folder / "work"
        command = [*way, sys.executable, "-P", "-m", "bflo_viz.classroom.graded"]
        (folder / "job").write_text(json.dumps(job | limits | {"key": key, "folder": str(work)}), encoding="utf-8")
        with (folder / "job").open("rb") as given, (folder / "told").open("wb") as told:
            settings: dict[str, Any] = {"stdin": given, "stdout": told, "stderr": subprocess.DEVNULL}
            settings |= {"cwd": work / "notebooks", "env": _environment(work, mark), "start_new_session": True}
            process = subprocess.Popen(command, **settings)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _stop(process, mark)
        return _outcome(folder / "told", key, code, seconds)


def _outcome(path: Path, key: str, code: int | None, seconds: float) -> Run:
    with path.open("rb") as told:
        lines = told.read(_TOLD).splitlines()
    found = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            one = json.loads(line)
            if isinstance(one, dict) and one.pop("key", "") == key:
                found.append(one)
    if any("done" in one for one in found):
        return Run(found, "")
    if code is None:
        return Run(found, f"it was still running after {seconds:g} seconds and was stopped")
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return Run(found, f"its process ended by itself before the last cell ({how})")


@functools.cache
def alone() -> tuple[str, ...]:
    """The command that starts another one without network and out of sight of other processes; none if none can."""
    command = shutil.which("unshare") or ""
    for way in _WAYS if command else ():
        with suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([command, *way, "true"], capture_output=True, timeout=20).returncode == 0:
                return (command, *way)
    return ()


@contextmanager
def _folder() -> Iterator[Path]:
    """A copy of the course without its solutions, to work in; whatever becomes of it, it is removed."""
    folder = Path(tempfile.mkdtemp(prefix="bflo-grade-"))
    work = folder / "work"
    try:
        shutil.copytree(_PACKAGE, work / "bflo_viz", ignore=shutil.ignore_patterns("solutions"))
        (work / "notebooks").mkdir()
        shutil.copy(course_folder() / FIRST_NOTEBOOK, work / "notebooks")  # by this, the course is found
        with suppress(FileNotFoundError):
            shutil.copytree(course_folder() / "results", work / "results")
        for name in ("home", "tmp"):
            (work / name).mkdir()
        if fonts := _fonts():
            shutil.copytree(fonts, work / "home" / "matplotlib")
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, also one whose parts may not be entered."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                os.chmod(path, 0o700)
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _fonts() -> Path | None:
    """The folder with matplotlib's list of fonts, which takes seconds to make anew."""
    import matplotlib

    found = Path(matplotlib.get_cachedir())
    return found if any(found.glob("fontlist*.json")) else None


def _environment(work: Path, mark: str) -> dict[str, str]:
    """The variables of a run: nothing of the instructor's but where programs are, and the language."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    home = {name: str(work / "home") for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "IPYTHONDIR")}
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")}
    own = {"PYTHONPATH": str(work), "TMPDIR": str(work / "tmp"), "MPLCONFIGDIR": str(work / "home" / "matplotlib")}
    return kept | home | threads | own | {"MPLBACKEND": "agg", "BFLO_GRADED_RUN": mark}


def _stop(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a run and all that it started: its group, and on Linux whatever carries its mark."""
    for _ in range(100):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        left = _marked(mark)
        for number in left:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        if not left:
            break
    process.wait()


def _marked(mark: str) -> list[int]:
    """Processes whose variables have the mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"BFLO_GRADED_RUN={mark}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found
