"""Streams that are made here, of any length, and the same from the same generator."""

from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.streams.stream import Labels, Stream

_CITATION = "P. A. Ortega, K. Crammer and D. D. Lee: Belief Flows for Robust Online Learning."


def two_gaussians(rng: np.random.Generator, *, rows: int = 1000, features: int = 2, distance: float = 2.0) -> Stream:
    """Two round clouds, N(−m, I) and N(+m, I), equally likely, with means so far apart along the diagonal."""
    rows, features = check.positive_int("rows", rows), check.positive_int("features", features)
    y = check.generator(rng, legacy=False).integers(0, 2, rows).astype(np.uint8)
    shift = check.scalar("distance", distance, least=0.0) / 2 / np.sqrt(features)
    X = rng.normal(size=(rows, features)) + shift * (2.0 * y[:, None] - 1)
    return _made("two-gaussians", X, y)


def demo_2d(rng: np.random.Generator, *, rows: int = 10_000, flip: float = 0.4) -> Stream:
    """The demonstration that is commented out in the paper's source.

    Inputs come from N(0, I₂), the true weight is (1, 1), and a label is flipped with probability ``flip``; ``truth``
    has the true labels. The paper learns from the first 8000 rows and tests on the other 2000.
    """
    X = check.generator(rng).normal(size=(check.positive_int("rows", rows), 2))
    return _with_flips("demo-2d", X, X.sum(axis=1) > 0, flip, rng)


def drifting(
    rng: np.random.Generator,
    *,
    rows: int = 10_000,
    features: int = 2,
    drift: str = "rotating",
    changes: int = 1,
    flip: float = 0.0,
) -> Stream:
    """Inputs from N(0, I) with a true weight that does not stay.

    With ``drift="rotating"`` it turns evenly in a plane, ``changes`` times all round; with ``"jumping"`` it is drawn
    anew ``changes`` times, at even intervals.
    """
    check.positive_int("changes", changes)
    X = check.generator(rng).normal(size=(check.positive_int("rows", rows), check.positive_int("features", features)))
    weights = true_weights(rng, rows, features, drift, changes)
    return _with_flips("drifting", X, (X * weights).sum(axis=1) > 0, flip, rng)


def true_weights(rng: np.random.Generator, rows: int, features: int, drift: str, changes: int) -> Floats:
    """The true weight of each round, of length 1."""
    if check.choice("drift", drift, ("rotating", "jumping")) == "jumping":
        drawn = rng.normal(size=(changes + 1, features))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return np.asarray(drawn[np.arange(rows) * (changes + 1) // rows])
    if features < 2:
        raise ValueError("features must be at least 2, as a single weight cannot rotate.")
    plane, _ = np.linalg.qr(rng.normal(size=(features, 2)))
    angle = 2 * np.pi * changes * np.arange(rows) / rows
    return np.asarray(np.column_stack([np.cos(angle), np.sin(angle)]) @ plane.T)


def sparse_logistic(
    rng: np.random.Generator, *, rows: int = 100_000, features: int = 1000, nonzero: int = 20
) -> Stream:
    """Rows of ``nonzero`` ones, and labels drawn from the logistic model with a true weight from N(0, I).

    The features are cut into as many groups as a row has ones, and each group has one of them: so no two fall
    together, whatever the size.
    """
    from scipy.sparse import csr_array

    rows, features = check.positive_int("rows", rows), check.positive_int("features", features)
    if not check.positive_int("nonzero", nonzero) <= features:
        raise ValueError(f"nonzero must be at most the {features} features, but it was {nonzero}.")
    weight = check.generator(rng, legacy=False).normal(size=features)
    edges = np.linspace(0, features, nonzero + 1).astype(np.int32)
    columns = rng.integers(edges[:-1], edges[1:], size=(rows, nonzero), dtype=np.int32)
    chance = 1 / (1 + np.exp(-weight[columns].sum(axis=1)))
    y = (rng.random(rows) < chance).astype(np.uint8)
    pointers = nonzero * np.arange(rows + 1, dtype=np.int64)
    X = csr_array((np.ones(rows * nonzero, np.uint8), columns.ravel(), pointers), shape=(rows, features))
    return _made("sparse-logistic", X, y)


def _with_flips(name: str, X: Floats, truth: Any, flip: float, rng: np.random.Generator) -> Stream:
    if not check.scalar("flip", flip, least=0.0) <= 1:
        raise ValueError(f"flip must be at most 1, but it was {flip:g}.")
    seen = truth ^ (rng.random(len(X)) < flip)
    return _made(name, X, seen.astype(np.uint8), truth.astype(np.uint8))


def _made(name: str, X: Any, y: Labels, truth: Labels | None = None) -> Stream:
    origin: dict[str, Any] = {"source": "made by bflo_viz", "licence": "MIT", "citation": _CITATION}
    return Stream(X, y, name=name, true_labels=truth, **origin)
