"""One run: prepare the stream, learn it in a single pass, test without learning."""

import hashlib
import os
import platform
import sys
import time
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

import bflo_viz
from bflo_viz.experiments.protocol import Trial
from bflo_viz.experiments.recipes import LearnerRecipe, StreamRecipe, generator
from bflo_viz.experiments.results import Result
from bflo_viz.learners import Learner
from bflo_viz.learners.rows import Rows
from bflo_viz.streams import Stream, flip_labels, shuffle, split
from bflo_viz.streams.stream import fingerprint

BLOCKS = 50  # points of a learning curve
_SAMPLES = 100  # weights that predict a test by sampling, each a part of its rows


def run_trial(trial: Trial, protocol: str) -> Result:
    """Do one run; the same numbers come out wherever and whenever it is done."""
    began = time.perf_counter()
    digest, stream = _prepared(trial.recipe, trial.data_name if trial.recipe.fresh else "")
    train, test = parts(trial, stream)
    learner = trial.settings.build(stream.features, trial.model, train.rows)
    rng = generator(f"{trial.data_name}/noise {trial.noise:g}/{trial.learner}")
    entropy = [learner.entropy()]
    record = learner.run(train.X, train.y, rng, truth=train.truth, blocks=BLOCKS)
    entropy += record.entropy.tolist()
    final = _mistakes(learner, trial.settings, test, rng)
    by_mean = _mistakes(learner, replace(trial.settings, final="mean", final_noise=0.0), test, rng)
    return Result(
        key=trial.key,
        experiment=trial.experiment,
        protocol=protocol,
        stream=trial.stream,
        learner=trial.learner,
        noise=trial.noise,
        run=trial.run,
        rounds=int(record.rounds.sum()),
        online_mistakes=int(record.mistakes.sum()),
        test_rows=test.rows,
        final_mistakes=final,
        mean_mistakes=by_mean,
        mistakes=tuple(record.mistakes.tolist()),
        entropy=tuple(entropy) if np.isfinite(entropy).any() else (),
        seconds=time.perf_counter() - began,
        memory_mb=_peak_memory(),
        data=digest,
        code=code_version(),
        machine=machine(),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@lru_cache(maxsize=1)  # the next run is likely to want the same
def _prepared(recipe: StreamRecipe, name: str) -> tuple[str, Stream]:
    """A digest of a stream as it was loaded, and the stream with all steps done."""
    loaded = recipe.loaded(name)
    return fingerprint(loaded.X, loaded.truth)[:16], recipe.prepared(loaded)


def parts(trial: Trial, stream: Stream) -> tuple[Stream, Stream]:
    """The part of a prepared stream to learn from, in this run's order and with its wrong labels, and the test."""
    train, test = _ordered(trial.recipe, trial.data_name, stream)
    if not train.rows or not test.rows:
        raise ValueError(
            f"{trial.stream} has {stream.rows} rows, and with share = {trial.recipe.share:g} none of them is left to "
            f"{'test on' if train.rows else 'learn from'}: take more rows, or another share."
        )
    if trial.noise:
        train = flip_labels(train, trial.noise, generator(f"{trial.data_name}/noise {trial.noise:g}"))
    return _read_only(train), _read_only(test)


@lru_cache(maxsize=1)  # with any share of wrong labels, the rows and their order are the same
def _ordered(recipe: StreamRecipe, data_name: str, stream: Stream) -> tuple[Stream, Stream]:
    rng = generator(f"{data_name}/order" if recipe.fresh else data_name)
    shuffled = recipe.split == "shuffled"
    train, test = split(stream, recipe.share, rng if shuffled else None)
    if recipe.shuffle and not shuffled:
        train = shuffle(train, rng)
    return train, replace(test, y=test.truth, true_labels=None)


def _read_only(stream: Stream) -> Stream:
    """The same rows, not to be written to: a learner of the user's must not change what the next one gets."""
    X = copy(stream.X) if stream.is_sparse else stream.X
    for array in (*((X.data, X.indices, X.indptr) if stream.is_sparse else (X,)), stream.y, stream.truth):
        array.setflags(write=False)
    return replace(stream, X=X)


def _mistakes(learner: Learner, settings: LearnerRecipe, test: Stream, rng: np.random.Generator) -> int:
    """Mistakes on the test. With samples, many weights predict a part of the rows each: one alone may be lucky."""
    if settings.final == "mean" and not settings.final_noise:
        return int(np.count_nonzero(learner.predict(test.X) != test.y))
    wrong = 0
    rows = Rows(test.X, test.features)
    for part in np.array_split(np.arange(test.rows), min(_SAMPLES, test.rows)):
        start, stop = part[0], part[-1] + 1
        w = learner.weights_for_prediction(rng if settings.final == "sample" else None)
        w = w + settings.final_noise * rng.standard_normal(w.size) if settings.final_noise else w
        labels = learner.model.labels(learner.model.predict_many(w, rows.dense(start, stop)))
        wrong += int(np.count_nonzero(labels != test.y[start:stop]))
    return wrong


def _peak_memory() -> float:
    """The most memory that this process ever had, in MB; NaN where the system does not tell."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows, and a browser
        return float("nan")
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return float(peak) / (1e6 if sys.platform == "darwin" else 1e3)


_CODE_THAT_DECIDES_NUMBERS = (
    *("_checks.py", "flows.py", "models.py", "beliefs", "kernels.py", "learners", "streams"),
    *("experiments/recipes.py", "experiments/protocol.py", "experiments/trial.py"),
)


@cache
def code_version() -> str:
    """Version of the package, and a digest of all code that decides numbers."""
    root = Path(bflo_viz.__file__).parent
    digest = hashlib.sha256()
    for name in _CODE_THAT_DECIDES_NUMBERS:
        for path in sorted((root / name).glob("*.py")) or [root / name]:
            digest.update(path.read_bytes())
    return f"{bflo_viz.__version__}+{digest.hexdigest()[:12]}"


@cache
def machine() -> str:
    """What a run ran on: system, processor, cores, Python and NumPy."""
    parts = (platform.system(), platform.machine(), f"{os.cpu_count()} cores")
    return f"{' '.join(parts)}, Python {platform.python_version()}, NumPy {np.__version__}"
