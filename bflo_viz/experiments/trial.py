"""One run: prepare the stream, learn it in a single pass, test without learning."""

import hashlib
import time
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

import bflo_viz
from bflo_viz.experiments.protocol import Trial
from bflo_viz.experiments.recipes import StreamRecipe, generator, step
from bflo_viz.experiments.results import Result
from bflo_viz.learners import Learner
from bflo_viz.streams import Stream, flip_labels, shuffle, split
from bflo_viz.streams.stream import fingerprint

BLOCKS = 50  # points of a learning curve
_CODE = "flows beliefs models kernels learners/* streams/* experiments/recipes experiments/trial"  # decides numbers
_SAMPLES = 100  # weights that predict a test by sampling, each a part of its rows


def run_trial(trial: Trial) -> Result:
    """Do one run; the same numbers come out wherever and whenever it is done."""
    began = time.perf_counter()
    digest, train, test = parts(trial)
    learner = trial.settings.build(train.features, trial.model, len(train))
    rng = generator(f"{trial.data_name}/noise {trial.noise:g}/{trial.learner}")
    before = learner.entropy()
    record = learner.run(train.X, train.y, rng, truth=train.truth, blocks=BLOCKS)
    entropy = (before, *record.entropy.tolist())
    return Result(
        *(trial.key, trial.stream, trial.learner, trial.noise, trial.run),
        rounds=int(record.rounds.sum()),
        online_mistakes=int(record.mistakes.sum()),
        test_rows=len(test),
        final_mistakes=_mistakes(learner, trial.settings.final, trial.settings.final_noise, test, rng),
        mean_mistakes=_mistakes(learner, "mean", 0.0, test, rng),
        mistakes=tuple(record.mistakes.tolist()),
        entropy=entropy if np.isfinite(entropy).any() else (),
        seconds=time.perf_counter() - began,
        data=digest,
        code=code_version(),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
    )


@lru_cache(maxsize=1)  # the next run is likely to want the same
def _prepared(recipe: StreamRecipe, name: str) -> tuple[str, Stream]:
    """Read a stream and do its steps; also return a digest of it as it was read."""
    stream = recipe.read(name)
    digest = fingerprint(stream.X, stream.truth)[:16]
    for text in recipe.steps:
        stream = step(text)(stream)
    return digest, stream


def parts(trial: Trial) -> tuple[str, Stream, Stream]:
    """Return a digest of the stream, its rows to learn from in this run's order, with wrong labels, and its test."""
    digest, train, test = _ordered(trial.recipe, trial.data_name)
    if trial.noise:
        train = flip_labels(train, trial.noise, generator(f"{trial.data_name}/noise {trial.noise:g}"))
    return digest, _read_only(train), _read_only(test)


@lru_cache(maxsize=1)  # with any share of wrong labels, the rows and their order are the same
def _ordered(recipe: StreamRecipe, data_name: str) -> tuple[str, Stream, Stream]:
    digest, stream = _prepared(recipe, data_name if recipe.fresh else "")
    rng = generator(f"{data_name}/order" if recipe.fresh else data_name)
    train, test = split(stream, recipe.share, rng if recipe.split == "shuffled" else None)
    if not len(train) or not len(test):
        raise ValueError(f"{stream.name} has {len(stream)} rows, too few to learn from some and to test on others.")
    if recipe.shuffle and recipe.split == "order":
        train = shuffle(train, rng)
    return digest, train, replace(test, y=test.truth, true_labels=None)


def _read_only(stream: Stream) -> Stream:
    """Return the same rows, read-only: the learner of a user must not change what the next one gets."""
    X = copy(stream.X) if stream.is_sparse else stream.X  # sparse rows are parts, which could be exchanged
    for array in (*((X.data, X.indices, X.indptr) if stream.is_sparse else (X,)), stream.y, stream.truth):
        array.setflags(write=False)
    return replace(stream, X=X)


def _mistakes(learner: Learner, by: str, noise: float, test: Stream, rng: np.random.Generator) -> int:
    """Count mistakes in the test. Of samples, each of many predicts a part of the rows: one alone may be lucky."""
    if by == "mean" and not noise:
        return int(np.count_nonzero(learner.predict(test.X) != test.y))
    wrong = 0
    for rows in np.array_split(np.arange(len(test)), min(_SAMPLES, len(test))):
        part = test.take(rows)
        w = learner.weights_for_prediction(rng if by == "sample" else None)
        w = w + noise * rng.standard_normal(w.size) if noise else w
        X = part.X.toarray() if part.is_sparse else part.X
        labels = learner.model.labels(learner.model.predict_many(w, X.astype(np.float64, copy=False)))
        wrong += int(np.count_nonzero(labels != part.y))
    return wrong


@cache
def code_version() -> str:
    """Return the version of the package, with a digest of all code that decides numbers."""
    root = Path(bflo_viz.__file__).parent
    files = [path for name in _CODE.split() for path in sorted(root.glob(f"{name}.py"))]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return f"{bflo_viz.__version__}+{digest[:12]}"
