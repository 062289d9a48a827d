"""Table 1 whole, on two cores, against plain NumPy loops over the same rounds.

Ours is measured, all ten runs from the start of the first process. The loops are measured on a slice of each stream,
extrapolated to all of its rounds, by two processes at a time as well: two cores of a shared machine may be less than
twice as fast as one. They are the textbook formulas: AROW keeps its covariance, and draws the weights to predict
with by a Cholesky factor of it.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from side_by_side import report

from bflo_viz.experiments.protocol import load_protocol
from bflo_viz.experiments.results import Store
from bflo_viz.experiments.runner import run
from bflo_viz.experiments.trial import parts

ETA, SLICE, CORES = 0.001, 300, 2


def sgd(X, y, rng):
    w = np.zeros(X.shape[1])
    for x, t in zip(X, y, strict=True):
        w -= ETA * (1 / (1 + np.exp(-(w @ x))) - t) * x


def blang(X, y, rng):
    w = np.zeros(X.shape[1])
    for x, t in zip(X, y, strict=True):
        w += -ETA / 2 * (1 / (1 + np.exp(-(w @ x))) - t) * x + 1e-4 * rng.standard_normal(w.size)


def arow(X, y, rng):
    mean, cov = np.zeros(X.shape[1]), 0.1 * np.eye(X.shape[1])
    for x, t in zip(X, 2.0 * y - 1, strict=True):
        np.sign((mean + np.linalg.cholesky(cov) @ rng.standard_normal(mean.size)) @ x)
        margin = t * (mean @ x)
        if margin < 1:
            column = cov @ x
            beta = 1 / (x @ column + 10)
            mean = mean + beta * (1 - margin) * t * column
            cov = cov - beta * np.outer(column, column)


def bflo(X, y, rng):
    mean, std = np.zeros(X.shape[1]), np.full(X.shape[1], 0.1)
    for x, t in zip(X, y, strict=True):
        u = rng.standard_normal(mean.size)
        w = mean + std * u
        moved = w - ETA * (1 / (1 + np.exp(-(w @ x))) - t) * x
        v = (moved - mean) / std
        a = np.minimum(1, (u * v + np.sqrt((u * v) ** 2 + 4 * (1 + u * u))) / (2 * (1 + u * u)))
        mean = moved - a * std * u
        std = a * std


LOOPS = {"AROW": arow, "SGD": sgd, "BLANG": blang, "BFLO": bflo}


def loops_take(protocol):
    """Seconds of one run of everything, by plain loops on one core; the other has the same to do."""
    total = 0.0
    for trial in protocol.trials(1):
        stream = trial.recipe.prepare(trial.recipe.read())
        train, _ = parts(trial, stream)
        X = train.X[:SLICE]
        X = np.asarray(X.toarray() if train.is_sparse else X, dtype=float)
        began = time.perf_counter()
        LOOPS[trial.learner](X, train.y[:SLICE].astype(float), np.random.default_rng(0))
        each = (time.perf_counter() - began) / len(X)
        total += each * train.rows
    return total


def ours_takes(protocol, runs=None):
    """Seconds of all runs of everything, or of so many, on two cores, into an empty store."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
        began = time.perf_counter()
        outcome = run(protocol, store, runs=runs, jobs=CORES)
        seconds = time.perf_counter() - began
    assert not outcome.missing | outcome.failed, outcome
    return seconds


if __name__ == "__main__":
    protocol = load_protocol("table1")
    try:
        for recipe in protocol.streams.values():
            recipe.read()
    except ValueError:
        sys.exit(print("The paper's streams are not here, so Table 1 is not timed: bflo data fetch --all gets them."))
    ours_takes(load_protocol("table1", quick=True), 1)  # compiles what is not yet compiled
    fast = ours_takes(protocol)
    both = Parallel(n_jobs=CORES)(delayed(loops_take)(protocol) for _ in range(CORES))
    slow = protocol.runs * np.mean(both) / CORES
    print(
        f"table1, {protocol.runs} runs on {CORES} cores: {fast:.0f} s; plain NumPy loops {slow:.0f} s, extrapolated"
    )
    report("table1, times faster than plain NumPy loops", slow / fast, 25, at_most=False)
