"""Long runs, and hostile input drawn at random: `make soak` runs the long form, `make test` a short one.

``BFLO_FUZZ_SECONDS`` says for how long to draw, ``BFLO_FUZZ_SEED`` where to begin; a failure names its seed.
"""

import os
import time
import warnings
from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse

from bflo_viz import (
    AROW,
    MLP,
    NHERD,
    SGD,
    BeliefFlow,
    DiagonalBelief,
    Dropout,
    FullBelief,
    Langevin,
    Logistic,
    SphericalBelief,
)

SECONDS = float(os.environ.get("BFLO_FUZZ_SECONDS", "20"))
FIRST = int(os.environ.get("BFLO_FUZZ_SEED", "0"))
KINDS = SphericalBelief, DiagonalBelief, FullBelief


def refused(call):
    """Whether the call is refused, in one sentence; anything else that is raised ends the test."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy and SciPy may warn of what is refused next
            call()
    except (ValueError, TypeError, FloatingPointError) as problem:
        said = str(problem)
        assert "\n" not in said and len(said) < 400, said
        return True
    return False


def one_of(rng, options):
    return options[rng.integers(len(options))]


def power(rng, low, high):
    return float(10 ** rng.uniform(low, high))


def finite(learner):
    belief = learner.belief
    state = [learner.weights] if belief is None else [belief.mean, np.atleast_1d(belief.std)]
    assert all(np.isfinite(array).all() for array in state)
    return np.concatenate(state)


def drawn_learner(rng, features, reach=0.0):
    """Any learner with settings that a user might try; ``reach`` more powers of ten are added at both ends."""

    def some(low, high):
        return power(rng, low - reach, high + reach)

    network = MLP(features, 3, int(rng.integers(1, 4)), bias=bool(rng.integers(2)), precision="float64")
    model = one_of(rng, [Logistic(), network])
    point = {"eta": some(-4, 0), "std": one_of(rng, [0.0, some(-2, 0)]), "updates": int(rng.integers(1, 3))}
    herd = {"std": some(-2, 1), "predicting": one_of(rng, ["mean", "sample"])}
    flow = {"eta": some(-4, 0), "updates": int(rng.integers(1, 3)), "branch": one_of(rng, [1, 1, -1])}
    flow |= {"non_expansive": bool(rng.integers(2)), "min_std": one_of(rng, [0.0, some(-3, 0)])}
    kind = one_of(rng, [SGD, Langevin, Dropout, AROW, NHERD, BeliefFlow, BeliefFlow, BeliefFlow])
    if kind is BeliefFlow:
        return kind(one_of(rng, KINDS).for_model(model, some(-3, 1), features), model, **flow)
    if kind in (AROW, NHERD):
        return kind(features, **{"r" if kind is AROW else "C": some(-1, 1)}, **herd)
    return kind(features, model, **point, **({"data_size": 100} if kind is Langevin else {}))


def drawn_rows(rng, learner, scale):
    count = int(rng.integers(1, 30))
    X = rng.normal(size=(count, learner.features)) * (rng.random((count, learner.features)) < rng.random()) * scale
    return X, rng.integers(0, max(2, learner.model.outputs), count)


def runs_equal_steps(rng):
    """`run` in any blocks, dense or sparse, is a loop over `step`: the same state, or both refuse."""
    stepped = drawn_learner(rng, int(rng.integers(1, 8)))
    run, seed, blocks = deepcopy(stepped), int(rng.integers(2**32)), int(rng.integers(1, 40))
    X, y = drawn_rows(rng, stepped, power(rng, -2, 1))
    generator, rows = np.random.default_rng(seed), one_of(rng, [np.asarray, sparse.csr_array, sparse.csc_array])(X)

    def step():
        for x, label in zip(X, y, strict=True):
            stepped.step(x, label, generator)

    stopped = refused(step)
    assert refused(lambda: run.run(rows, y, np.random.default_rng(seed), blocks=blocks)) == stopped, stepped
    if not stopped:
        np.testing.assert_allclose(finite(run), finite(stepped), rtol=1e-6, atol=1e-9, err_msg=repr(stepped))


def extreme_runs_stay_finite(rng):
    """Settings and features over a hundred powers of ten."""
    learner = drawn_learner(rng, int(rng.integers(1, 6)), reach=one_of(rng, [5, 50]))
    X, y = drawn_rows(rng, learner, power(rng, -100, 100))
    refused(lambda: learner.run(X, y, rng))
    if learner.rounds:
        refused(lambda: finite(learner))


def malformed_rows_are_refused(rng):
    """Sparse rows whose parts were changed behind SciPy's back: read rightly, or refused; never read beyond."""
    learner = drawn_learner(rng, int(rng.integers(2, 8)))
    X, y = drawn_rows(rng, learner, 1.0)
    make = one_of(rng, [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.csr_matrix])
    rows = make(X)
    if rng.integers(2) and rows.format == "csr":
        assert rows.has_canonical_format  # which it then believes whatever is changed
    for _ in range(int(rng.integers(1, 3))):
        part = one_of(rng, ["coords", "data"] if rows.format == "coo" else ["indices", "indptr", "data"])
        arrays = rows.coords if part == "coords" else (getattr(rows, part),)
        array = arrays[rng.integers(len(arrays))]
        if array.size:
            array.flat[rng.integers(array.size)] = one_of(
                rng, [-1, -(2**31), 2**31 - 1, 10**6, 0, 1, X.shape[1], X.shape[0], X.size]
            )
    if not refused(lambda: learner.run(rows, y, rng)):
        finite(learner)
    refused(lambda: learner.predict_proba(rows))
    refused(lambda: learner.step(rows, y[0], rng))


CASES = (runs_equal_steps, extreme_runs_stay_finite, malformed_rows_are_refused)


@pytest.mark.slow
def test_nothing_hostile_breaks_anything():
    seed, end = FIRST, time.monotonic() + SECONDS
    while time.monotonic() < end:
        rng = np.random.default_rng(seed)
        case = CASES[seed % len(CASES)]
        try:
            case(rng)
        except Exception as problem:
            raise AssertionError(f"{case.__name__} with BFLO_FUZZ_SEED={seed}: {problem!r}") from problem
        seed += 1
    assert seed > FIRST


@pytest.mark.parametrize("updates", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("non_expansive", [False, True], ids=["expansive", "non-expansive"])
def test_many_full_updates_keep_the_inverse(non_expansive, updates):
    """The factor's inverse, never recomputed, is still its inverse; the tracked entropy is still the entropy."""
    rng = np.random.default_rng(1)
    dim = 20
    root = rng.normal(size=(dim, dim))
    belief = FullBelief(rng.normal(size=dim), root @ root.T / dim + 0.1 * np.eye(dim))
    for _ in range(updates):
        w = belief.sample(rng)
        belief = belief.flow(w, w - 0.1 * rng.normal(size=dim), non_expansive=non_expansive)
    assert np.isfinite(belief.mean).all()
    error = np.abs(belief.factor @ belief.inverse_factor - np.eye(dim)).max()
    _, log_det = np.linalg.slogdet(belief.covariance)
    print(f"inverse off by {error:.1e}, condition number {np.linalg.cond(belief.factor):.1e}")
    assert error < 1e-10
    assert belief.entropy() == pytest.approx(0.5 * dim * np.log(2 * np.pi * np.e) + 0.5 * log_det, abs=1e-8)
