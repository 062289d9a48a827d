"""One student's notebook, run and judged: the process that ``bflo grade`` starts, fenced in as the system allows.

It takes a job as JSON from its input. What it finds out, it writes at once as a line of JSON to its output, so that
what came before an ``os._exit`` is not lost. Each line has the key of the job: what else is written does not count.
"""

import ast
import contextlib
import ctypes
import io
import json
import os
import re
import resource
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, NoReturn

_LONGEST = 2000  # characters of an answer that are kept
_SEALED = {"bflo_viz", "numpy", "builtins", "math", "copy"}  # modules that judges rely on
_READ, _WRITE = 0b1101, 0x7FFF  # Landlock: execute, read files and list folders; and all that changes a file
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/dev", "/sys", "/opt", "/nix")


class _TooLong(KeyboardInterrupt):
    """A cell used up its time; like Ctrl-C, so that ``except Exception`` does not swallow it."""


class _Sink(io.TextIOBase):
    """Where the student's output goes: counted, and dropped."""

    written = 0

    def write(self, text: str) -> int:
        self.written += len(text)
        return len(text)


def main() -> None:
    """Do the job that the input describes."""
    job = json.load(sys.stdin.buffer)
    out, null = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)

    def say(**found: Any) -> None:
        os.write(out, (json.dumps({"key": job["key"]} | found) + "\n").encode())

    _limit(job["memory"], int(job["seconds"]), alone=job["alone"])
    fence = _fence(job["folder"])
    if not job["alone"] and fence < 4:
        socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = _refuse  # type: ignore[method-assign]
    say(fence=fence)
    end = threading.Timer(job["seconds"] + 5, os._exit, (1,))  # should nobody be there any more to stop it
    end.daemon = True
    end.start()
    sys.stdout = sys.stderr = sink = _Sink()
    _run(job, say)
    say(done=True, printed=sink.written)
    os._exit(0)  # whatever the student's code has left running


def _refuse(*_: object) -> NoReturn:
    raise OSError("there is no network while a notebook is marked")


def _limit(memory: int, seconds: int, *, alone: bool) -> None:
    """Bound memory, processor time and files; the number of processes where no others of this user are counted."""
    bounds = {resource.RLIMIT_AS: memory, resource.RLIMIT_CPU: seconds + 5, resource.RLIMIT_FSIZE: 2**26}
    bounds |= {resource.RLIMIT_CORE: 0} | ({resource.RLIMIT_NPROC: 200} if alone else {})
    for kind, bound in bounds.items():
        _, most = resource.getrlimit(kind)
        bound = bound if most == resource.RLIM_INFINITY else min(bound, most)
        with contextlib.suppress(ValueError, OSError):  # macOS knows no bound on the memory
            resource.setrlimit(kind, (bound, bound))


def _fence(folder: str) -> int:
    """Let this process write only in a folder, and read only there and what Python needs: Landlock, of Linux.

    Its version comes back, 0 where there is none. Since version 4 it also refuses TCP connections, since version 6
    signals to other processes.
    """
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    version = int(libc.syscall(444, None, 0, 1))
    if version < 1:
        return 0
    every = {1: 0x1FFF, 2: 0x3FFF}.get(version, _WRITE)
    parts = struct.pack("QQQ", every, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = int(libc.syscall(444, parts, len(parts), 0))
    readable = {*_SYSTEM, sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.realpath(sys.prefix)}
    for path, access in [*((one, _READ) for one in sorted(readable)), (folder, every), ("/dev/null", 0b110)]:
        with contextlib.suppress(OSError):  # not every system has every folder
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            libc.syscall(445, rules, 1, struct.pack("=Qi", access & every, place), 0)
            os.close(place)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges: the kernel asks for it
    return version if rules >= 0 and libc.syscall(446, rules, 0) == 0 else 0


def _run(job: dict[str, Any], say: Any) -> None:
    """Run the cells one after the other, and judge each exercise when its cell has run."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from bflo_viz.lessons import exercises

    book = {number: replace(exercises.BOOK[number]) for number in job["exercises"]}
    known, seal = exercises.check, _Seal()
    config = Config()
    config.HistoryManager.enabled = False
    shell: Any = InteractiveShell.instance(config=config)
    shell.system = shell.getoutput = lambda *_, **__: None  # lines that begin with ! are for the student's machine
    namespace = shell.user_ns
    for place, source in enumerate(job["cells"]):
        try:
            with _at_most(job["cell_seconds"]):
                result = shell.run_cell(source, silent=True, store_history=False)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as stopped:  # IPython catches nearly all
            problem = stopped
        if problem is not None:
            say(cell=place, problem="too long" if isinstance(problem, _TooLong) else _named(problem))
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        if changed := seal.restore():
            say(changed=changed)
        if namespace.get("check", known) is not known:
            say(changed=["check"])
        for number in (number for number, cells in job["exercises"].items() if place in cells):
            answers = [*_answers(book[number], source), *_answers(book[number], book[number].stub)]
            say(exercise=number, **_judge(book[number], answers, namespace, job["cell_seconds"]))


def _judge(exercise: Any, expressions: Sequence[str], namespace: dict[str, Any], seconds: float) -> dict[str, Any]:
    """What the course's own check says of the answer; the student's call of it is only read for what it was given."""
    said: dict[str, Any] = {"state": "no answer"}
    for expression in dict.fromkeys(expressions):
        try:
            with _at_most(seconds):
                answer = eval(compile(expression, "<answer>", "eval"), namespace)
                verdict = exercise.check(answer)
        except BaseException as problem:
            said = {"state": "no answer" if isinstance(problem, NameError) else "wrong"}
            continue
        if isinstance(answer, str):
            said["answer"] = str(answer)[:_LONGEST]
        if answer is not None and answer is not ... and answer != "":
            said["state"] = {True: "right", None: "written"}.get(verdict.right, "wrong")
        if said["state"] in ("right", "written"):
            break
    return said


def _answers(exercise: Any, source: str) -> list[str]:
    """What the calls of a check, or of a bet after its number, were given, as they are written."""
    lines = "\n".join(line for line in source.splitlines() if not re.match(r"\s*[%!?]", line))  # IPython's own
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        calls = [node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Call)]
        checks = [call.args for call in calls if getattr(call.func, "attr", "") == exercise.name]
        bets = [call.args[1:2] for call in calls if call.args and _is_bet(call, exercise.number)]
        return [ast.unparse(given[0]) for given in [*checks, *bets] if len(given) == 1]
    return []


def _is_bet(call: ast.Call, number: str) -> bool:
    return getattr(call.func, "id", "") == "bet" and getattr(call.args[0], "value", "") == number


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> NoReturn:
        raise _TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again each second, should the first one be swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _named(problem: BaseException) -> str:
    try:
        return f"{type(problem).__name__}: {problem}"[:120]
    except Exception:  # words of its own making
        return type(problem).__name__


class _Seal:
    """What the modules that judges rely on had in them before the student's code ran."""

    def __init__(self) -> None:
        import bflo_viz.lessons.exercise as lesson

        modules: list[Any] = [one for name, one in sys.modules.items() if name.partition(".")[0] in _SEALED]
        classes = [lesson.Exercise, lesson.Verdict, lesson.Hint]
        self._had = [(owner, owner.__name__, dict(vars(owner))) for owner in [*modules, *classes]]
        self._code = {
            value: (value.__code__, value.__defaults__, value.__kwdefaults__)
            for _, _, parts in self._had
            for value in parts.values()
            if isinstance(value, FunctionType) and value.__module__.startswith("bflo_viz")
        }

    def restore(self) -> list[str]:
        """Put back what was changed, and name it."""
        changed = []
        for owner, name, had in self._had:
            now = vars(owner)
            for part in [part for part, value in had.items() if now.get(part, self) is not value]:
                setattr(owner, part, had[part])
                changed.append(f"{name}.{part}")
        for function, code in self._code.items():
            if (function.__code__, function.__defaults__, function.__kwdefaults__) != code:
                function.__code__, function.__defaults__, function.__kwdefaults__ = code
                changed.append(f"{function.__module__}.{function.__name__}")
        return changed


if __name__ == "__main__":
    main()
