"""Do the runs of a protocol that are not yet kept: on all cores, or on a cluster."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._advice import missing
from bflo_viz._own_code import in_words
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.result import Result
from bflo_viz.experiments.store import Store
from bflo_viz.experiments.trial import code_version, perform

Ended = tuple[Trial, Result | None, str]  # a run, and its result or the reason why there is none

_LOOKS = 1.0  # seconds between two looks of a worker at the process that it works for
_ANSWER = 10  # seconds that a scheduler has for its first answer
_KILLED = "its process was killed, perhaps for want of memory: run the same command again, with fewer jobs."
_AGAIN = "see to the cluster, and run the same command again"


@dataclass(frozen=True)
class Outcome:
    """What came of a command: runs done now, kept before, missing streams and failed runs, each with its reason."""

    done: int
    kept: int
    missing: dict[str, str]
    failed: dict[str, str]

    @property
    def complete(self) -> bool:
        """Whether every run is in the store."""
        return not self.missing and not self.failed


class Status:
    """How far a command is: for a display.

    Of ``total`` runs, ``kept`` were in the store before, ``missing`` cannot be done for want of their stream, and
    ``done`` have ended now, ``failed`` of them without a result; ``running`` has those that have begun, by their key.
    """

    def __init__(self, total: int, kept: int, began: float, missing: int = 0) -> None:
        self.total, self.kept, self.began, self.missing = total, kept, began, missing
        self.done = self.failed = 0
        self.running: dict[str, Trial] = {}

    def begun(self, trial: Trial) -> None:
        """Count a run among those that are running."""
        self.running[trial.key] = trial

    def ended(self, key: str, *, failed: bool = False) -> Trial:
        """Count a run as done."""
        self.done += 1
        self.failed += failed
        return self.running.pop(key)

    def seconds_left(self) -> float | None:
        """About how long the rest will take, judging by what was done; None before the first has ended."""
        left = self.total - self.kept - self.missing - self.done
        return (time.monotonic() - self.began) / self.done * left if self.done else None


def run(
    protocol: Protocol,
    store: Store | Path | str,
    *,
    runs: int | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Callable[[Status], object] | None = None,
) -> Outcome:
    """Do every run that the store does not have yet, and keep each as soon as it ends.

    A run that fails does not end the others.

    Parameters
    ----------
    protocol
        What to run.
    store
        Where results are kept, or the name of the file. Runs that are there are not done again.
    runs
        How many runs of each, instead of the protocol's.
    jobs
        How many at a time on this machine; -1 is as many as there are cores.
    scheduler
        Address of a Dask scheduler, to run there instead. The streams must be where its workers are.
    watch
        Is called with the `Status` whenever a run begins or ends, always in the thread that called ``run``.
    """
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(protocol, opened, runs=runs, jobs=jobs, scheduler=scheduler, watch=watch)
    if jobs != -1:
        check.dimension("jobs", jobs)
    wanted = list({trial.key: trial for trial in protocol.trials(runs)}.values())
    there = store.keys()
    todo = [trial for trial in wanted if trial.key not in there]
    kept = len(wanted) - len(todo)
    if todo:
        protocol.bring_code()
    missing = _missing(todo) if scheduler is None else {}
    can_be_done = [trial for trial in todo if trial.stream not in missing]
    status = Status(len(wanted), kept, time.monotonic(), len(todo) - len(can_be_done))

    def begun(trial: Trial) -> None:
        status.begun(trial)
        if watch is not None:
            watch(status)

    failed: dict[str, str] = {}
    with contextlib.closing(_ended(can_be_done, protocol.name, jobs, scheduler, begun)) as results:
        for trial, result, problem in results:
            if result is None:
                failed[str(trial)] = problem
            else:
                store.add(result)
            status.ended(trial.key, failed=result is None)
            if watch is not None:
                watch(status)
    return Outcome(status.done - status.failed, kept, missing, failed)


def _missing(todo: Iterable[Trial]) -> dict[str, str]:
    """Streams that are not here and cannot be fetched or made, each with the sentence that says why."""
    missing: dict[str, str] = {}
    for trial in {trial.stream: trial for trial in todo}.values():
        try:
            trial.recipe.loaded(trial.data_name)
        except (Exception, SystemExit) as problem:
            missing[trial.stream] = in_words(problem)
    return missing


def _ended(
    todo: list[Trial], protocol: str, jobs: int, scheduler: str | None, begun: Callable[[Trial], object]
) -> Generator[Ended, None, None]:
    """Runs as they end; the next ones begin whenever there is room."""
    from joblib import cpu_count

    rest = deque(todo)
    count = min(cpu_count() if jobs == -1 else jobs, len(todo))
    if not rest:
        return
    if scheduler is not None:
        lost = f"the cluster stopped before it had ended: {_AGAIN}."
        with _cluster(scheduler) as (executor, count, alive):
            yield from _spread(executor, rest, count, protocol, begun, lost, alive)
        if rest:
            raise ValueError(f"the Dask cluster at {scheduler} stopped; what was done is kept: {_AGAIN}.")
    elif count == 1:
        for trial in todo:
            begun(trial)
            _, result, problem = _perform(trial, protocol)
            yield trial, result, problem
    while rest and scheduler is None and count > 1:  # a second time only if a worker was killed
        with _processes(count) as executor:
            yield from _spread(executor, rest, count, protocol, begun, _KILLED)


def _spread(
    executor: Executor,
    rest: deque[Trial],
    count: int,
    protocol: str,
    begun: Callable[[Trial], object],
    lost: str,
    alive: Callable[[], object] = lambda: True,
) -> Iterator[Ended]:
    """Runs as they end, so many at a time, until there is no more to do or the executor is broken.

    What it had begun then is ``lost``, which says why.
    """
    waiting: dict[Future[Any], Trial] = {}
    broken = False
    while waiting or (rest and not broken):
        while rest and not broken and len(waiting) < count:
            begun(rest[0])
            try:
                future = executor.submit(_perform, rest[0], protocol)
            except Exception:  # it takes no more work
                future, broken = Future(), True
                future.set_exception(CancelledError())
            waiting[future] = rest.popleft()
        ended = wait(waiting, timeout=_ANSWER, return_when=FIRST_COMPLETED).done
        if not ended and not alive():
            yield from ((trial, None, lost) for trial in waiting.values())
            return
        for future in ended:
            trial = waiting.pop(future)
            try:
                _, result, problem = future.result()
            except (BrokenProcessPool, CancelledError):
                broken, result, problem = True, None, lost
            except Exception as other:  # such as a result that could not be sent
                result, problem = None, in_words(other)
            yield trial, result, problem


def _perform(trial: Trial, protocol: str) -> tuple[str, Result | None, str]:
    """A run that fails, in our code or in a learner of the user's, must not end the others."""
    try:
        with np.errstate(all="ignore"):  # numbers that overflow are told of in the end
            result = perform(trial, protocol)
    except (Exception, SystemExit) as problem:
        shared = ": others get the same rows, so change a copy, X = X.copy()." if "read-only" in str(problem) else ""
        return trial.key, None, in_words(problem) + shared
    impossible = result.problem()
    return (trial.key, None, f"{impossible}.") if impossible else (trial.key, result, "")


@contextlib.contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """So many processes on this machine, which end with this one."""
    from joblib.externals.loky import ProcessPoolExecutor

    parent = os.getpid() if sys.platform != "win32" else None
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: os.environ.get(name, "1") for name in threads}  # the processes share the cores already
    safe = "PYTHONSAFEPATH"  # or Python looks for its modules in the folder where one works, before its own
    before, os.environ[safe] = os.environ.get(safe, ""), "1"
    try:  # this starts a helper, which needs it as well
        environment[safe] = "1"
        executor = ProcessPoolExecutor(count, initializer=_serve, initargs=(parent,), env=environment)
    finally:
        os.environ[safe] = before  # empty is as if it were not set
    try:
        yield executor
        executor.shutdown(wait=True)
    except BaseException:
        # Asked to kill its workers itself, loky may trip over work that it has not handed out yet.
        for process in list(executor._processes.values()):
            process.terminate()
        executor.shutdown(wait=True)
        raise


def _serve(parent: int | None) -> None:
    """A worker leaves Ctrl-C to its parent, and ends when that ends, in a run or between two.

    It keeps a stream for the next run. loky would take that for a leak, and start it anew, with a warning.
    """
    from joblib.externals.loky import process_executor

    process_executor._MAX_MEMORY_LEAK_SIZE = 1 << 40
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOKS)
    os._exit(1)


@contextlib.contextmanager
def _cluster(scheduler: str) -> Iterator[tuple[Executor, int, Callable[[], object]]]:
    """A Dask cluster, how many runs it can do at a time, and a way to ask whether it still has workers."""
    try:
        from distributed import Client
        from distributed.comm.core import connect
    except ImportError:
        raise ValueError(f"a cluster needs Dask: {missing('distributed', 'cluster')}") from None

    async def knock() -> None:
        answer = connect(scheduler, timeout=_ANSWER)  # type: ignore[no-untyped-call]
        (await asyncio.wait_for(answer, _ANSWER + 1)).abort()

    try:
        # A client that gets no answer leaves a stack trace when it is collected, so this asks first. It does so in a
        # thread of its own, as this one may have a loop: that of a notebook.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, knock()).result()
        client: Any = Client(scheduler, timeout=_ANSWER, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception as problem:
        raise ValueError(
            f"no Dask scheduler answers at {scheduler} ({in_words(problem)}): start one, or correct the address."
        ) from None
    with _quiet("distributed", "distributed.client", "tornado.application"), client:
        count = sum(client.nthreads().values())
        if not count:
            raise ValueError(f"the Dask scheduler at {scheduler} has no workers: start some, and try again.")
        _same_code(client, scheduler)

        def alive() -> object:
            try:
                if not client.nthreads():
                    time.sleep(_ANSWER)  # one may just be starting again
                return client.nthreads()
            except Exception:
                return False

        yield client.get_executor(pure=False), count, alive


def _same_code(client: Any, scheduler: str) -> None:
    """Refuse workers with other code: their numbers would be others."""
    try:
        versions = set(client.run(code_version).values())
    except Exception as problem:
        raise ValueError(
            f"the Dask workers at {scheduler} cannot run bflo_viz ({in_words(problem)}): install it there."
        ) from None
    others = sorted(versions - {code_version()})
    if others:
        raise ValueError(
            f"the Dask workers at {scheduler} have bflo_viz {others[0]}, here is {code_version()}: install the same."
        )


@contextlib.contextmanager
def _quiet(*names: str) -> Iterator[None]:
    """Keep loggers from writing stack traces: what matters is said in a sentence."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
