"""Do the runs of a protocol that are not stored yet: on all cores, or on a cluster."""

import contextlib
import logging
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._errors import UserError
from bflo_viz._own_code import in_words
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.results import Result, Store
from bflo_viz.experiments.trial import code_version, run_trial

Finished = tuple[Trial, Result | None, str]  # a run, and its result or the reason why there is none

_ANSWER = 10  # seconds that a scheduler has for its first answer


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


def run(
    protocol: Protocol,
    store: Store | Path | str,
    *,
    runs: int | None = None,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Callable[[int, int], object] | None = None,
) -> Outcome:
    """Do every run that the store does not have yet, and store each as soon as it ends.

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
        Is called at the start and after each run with how many are done, and how many there will be.
    """
    if not isinstance(store, Store):
        with Store(store) as opened:
            return run(protocol, opened, runs=runs, jobs=jobs, scheduler=scheduler, watch=watch)
    if jobs != -1:
        check.positive_int("jobs", jobs)
    trials = {trial.key: trial for trial in protocol.trials(runs)}
    stored = store.keys()
    todo = [trial for key, trial in trials.items() if key not in stored]
    if todo:
        protocol.bring_code()
    missing_streams = _missing_streams(todo) if scheduler is None else {}
    ready = [trial for trial in todo if trial.stream not in missing_streams]
    kept, failed = len(trials) - len(todo), dict[str, str]()
    tell = (lambda done, total: None) if watch is None else watch  # a bar of tqdm may be false
    tell(kept, kept + len(ready))
    finished = _on_cluster(scheduler, ready, protocol.name) if scheduler else _here(jobs, ready, protocol.name)
    with contextlib.closing(finished):
        for count, (trial, result, problem) in enumerate(finished, kept + 1):
            if result is None:
                failed[str(trial)] = problem
            else:
                store.add(result)
            tell(count, kept + len(ready))
    return Outcome(len(ready) - len(failed), kept, missing_streams, failed)


def _missing_streams(trials: Iterable[Trial]) -> dict[str, str]:
    """Streams that are not here and cannot be fetched or made, each with the sentence that says why."""
    problems: dict[str, str] = {}
    for trial in {trial.stream: trial for trial in trials}.values():
        try:
            trial.recipe.loaded(trial.data_name)
        except (Exception, SystemExit) as problem:
            problems[trial.stream] = in_words(problem)
    return problems


def _attempt(trial: Trial, protocol: str) -> Finished:
    """A run that fails, in our code or in a learner of the user's, must not end the others."""
    try:
        with np.errstate(all="ignore"):  # numbers that overflow are reported in the end
            return trial, run_trial(trial, protocol), ""
    except (Exception, SystemExit) as problem:
        shared = ": others get the same rows, so change a copy, X = X.copy()." if "read-only" in str(problem) else ""
        return trial, None, in_words(problem) + shared


def _here(jobs: int, trials: list[Trial], protocol: str) -> Generator[Finished, None, None]:
    """Runs in processes of this machine, as they end; one at a time in this process: a browser has no others."""
    if jobs == 1 or not trials:
        yield from (_attempt(one, protocol) for one in trials)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    settings = {"n_jobs": jobs, "batch_size": 1, "return_as": "generator_unordered"}
    # Ctrl-C is for this process, which then ends the others.
    settings |= {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    with _python_safe_path(), warnings.catch_warnings():
        # joblib warns when runs are cut short, and when a worker has grown and is started anew: both are meant.
        warnings.filterwarnings("ignore", module="joblib")
        try:
            with contextlib.closing(Parallel(**settings)(delayed(_attempt)(one, protocol) for one in trials)) as runs:
                yield from runs
        except BrokenProcessPool:
            raise UserError(
                "a run was killed, perhaps because memory ran out: what was done before is stored; run the same "
                "command again, with fewer jobs."
            ) from None
        finally:  # the next runs get new workers, as code of one's own may have been edited
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextlib.contextmanager
def _python_safe_path() -> Iterator[None]:
    """Workers must not find a file such as ``random.py`` in the working folder before Python's own modules."""
    before = os.environ.get("PYTHONSAFEPATH", "")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        os.environ["PYTHONSAFEPATH"] = before  # empty is as if it were not set


def _on_cluster(scheduler: str, trials: list[Trial], protocol: str) -> Generator[Finished, None, None]:
    """Runs on a Dask cluster, as they end."""
    if not trials:
        return
    try:
        from distributed import Client, as_completed
        from distributed.comm.addressing import get_address_host_port
    except ImportError:
        raise UserError("a cluster needs Dask: install the extra cluster of this package.") from None
    logging_before = logging.root.manager.disable
    logging.disable()  # Dask's log would have stack traces; what matters is said in a sentence
    try:
        with _in_a_sentence(f"no Dask scheduler answers at {scheduler}", "start one, or correct the address"):
            get_address_host_port(scheduler)  # a client would leave a stack trace
            client: Any = Client(scheduler, timeout=_ANSWER, set_as_default=False)  # type: ignore[no-untyped-call]
        with client:
            with _in_a_sentence(f"the Dask workers at {scheduler} cannot run bflo_viz", "install it there"):
                versions = set(client.run(code_version).values())
            if not versions:
                raise UserError(f"the Dask scheduler at {scheduler} has no workers: start some, and try again.")
            here = code_version()
            for other in versions - {here}:  # its numbers would be others
                raise UserError(
                    f"the Dask workers at {scheduler} have bflo_viz {other}, here is {here}: install the same."
                )
            futures = client.map(_attempt, trials, [protocol] * len(trials), pure=False)
            advice = "what was done before is stored; see to the cluster, and run the same command again"
            with _in_a_sentence(f"the Dask cluster at {scheduler} stopped", advice):
                for future in as_completed(futures, loop=client.loop):  # type: ignore[no-untyped-call]
                    yield future.result()
    finally:
        logging.disable(logging_before)


@contextlib.contextmanager
def _in_a_sentence(what: str, advice: str) -> Iterator[None]:
    try:
        yield
    except Exception as problem:
        raise UserError(f"{what} ({in_words(problem)}): {advice}.") from None
