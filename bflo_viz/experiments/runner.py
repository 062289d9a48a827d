"""Do the runs of a protocol that are not stored yet: on all cores of this machine, or on a Dask cluster."""

import signal
import warnings
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config

from bflo_viz._checks import UserError
from bflo_viz.experiments.protocol import Protocol, Trial
from bflo_viz.experiments.recipes import one_line
from bflo_viz.experiments.results import Result, Store
from bflo_viz.experiments.trial import run_trial
from bflo_viz.streams.load import is_here

warnings.filterwarnings("ignore", ".*tasks which were still being processed")  # joblib's, where a run is ended early


@dataclass(frozen=True)
class RunReport:
    """Summary of a command: runs done now, kept from before, and failed ones with the reason of each."""

    done: int
    kept: int
    failed: dict[str, str]


def run(
    protocol: Protocol,
    store: Store,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Callable[[int, int], object] = lambda done, total: None,
) -> RunReport:
    """Do every run that the store does not have yet, and store each as soon as it ends; failures do not stop others.

    ``jobs`` is how many runs to do at a time on this machine, -1 for one on each core; or ``scheduler`` is the
    address of a Dask scheduler whose workers do them, and have the streams. ``watch`` is called at the start and
    after each run with how many are done, and how many there will be. Streams are downloaded before the first run.
    """
    trials = {trial.key: trial for trial in protocol.trials()}
    stored = {result.key for result in store}
    todo = [trial for key, trial in trials.items() if key not in stored]
    for recipe in dict.fromkeys(trial.recipe for trial in todo if not scheduler and not is_here(trial.recipe.load)):
        recipe.read()
    kept, failed = len(trials) - len(todo), dict[str, str]()
    watch(kept, len(trials))
    # Ctrl-C is for this process, which then ends the others.
    here = {"backend": "loky", "initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    where: dict[str, Any] = {"backend": "dask", "scheduler_host": scheduler} if scheduler else here | {"n_jobs": jobs}
    try:
        with parallel_config(**where):
            attempts = (delayed(_attempt)(trial) for trial in todo)
            finished = Parallel(batch_size=1, return_as="generator_unordered")(attempts)
            for count, (name, result, problem) in enumerate(finished, kept + 1):
                if result is None:
                    failed[name] = problem
                else:
                    store.add(result)
                watch(count, len(trials))
    except (BrokenProcessPool, OSError, ImportError, TimeoutError) as problem:
        what_to_do = "finished runs are stored: check the memory or the cluster, and repeat the command"
        raise UserError(f"the runs broke off ({one_line(problem)}); {what_to_do}.") from None
    return RunReport(len(todo) - len(failed), kept, failed)


def _attempt(trial: Trial) -> tuple[str, Result | None, str]:
    """Do a run; return its name, and its result or the reason why there is none."""
    try:
        with np.errstate(all="ignore"):  # numbers that overflow are reported in the end
            return str(trial), run_trial(trial), ""
    except (Exception, SystemExit) as problem:  # also of the learner of a user
        return str(trial), None, one_line(problem)
