"""Synthetic streams of any length; equal generators give equal streams."""

import math
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.streams.stream import Stream

SHAPES = ("clouds", "xor", "circles", "moons", "spirals")
TURNS = 1.25  # of each arm of the spirals


def two_gaussians(rng: np.random.Generator, *, rows: int = 1000, features: int = 2, distance: float = 2.0) -> Stream:
    """Draw from N(−m, I) and N(+m, I), equally likely; ``distance`` is that of the means, along the diagonal."""
    rows, features = check.positive_int("rows", rows), check.positive_int("features", features)
    y = check.generator(rng, legacy=False).integers(0, 2, rows).astype(np.uint8)
    shift = check.scalar("distance", distance, least=0.0) / 2 / np.sqrt(features)
    X = rng.normal(size=(rows, features)) + shift * (2.0 * y[:, None] - 1)
    return Stream(X, y, name="two-gaussians")


def demo_2d(rng: RNG, *, rows: int = 10_000, flip: float = 0.4) -> Stream:
    """Draw the demonstration in the paper's source: N(0, I₂), true weight (1, 1), labels flipped with ``flip``."""
    X = check.generator(rng).normal(size=(check.positive_int("rows", rows), 2))
    return _flipped("demo-2d", X, X.sum(axis=1) > 0, flip, rng.random(rows))


def drifting(
    rng: RNG, *, rows: int = 10_000, features: int = 2, drift: str = "rotating", changes: int = 1, flip: float = 0.0
) -> Stream:
    """Draw inputs from N(0, I), and labels by a true weight that drifts.

    It makes ``changes`` full turns in a plane at an even pace, or jumps ``changes`` times (``drift="jumping"``).
    """
    check.positive_int("changes", changes)
    X = check.generator(rng).normal(size=(check.positive_int("rows", rows), check.positive_int("features", features)))
    if check.choice("drift", drift, ("rotating", "jumping")) == "jumping":
        drawn = rng.normal(size=(changes + 1, features))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        weights = drawn[np.arange(rows) * (changes + 1) // rows]
    elif features < 2:
        raise ValueError("features must be at least 2, because a single weight cannot rotate.")
    else:
        plane, _ = np.linalg.qr(rng.normal(size=(features, 2)))
        angle = 2 * np.pi * changes * np.arange(rows) / rows
        weights = np.column_stack([np.cos(angle), np.sin(angle)]) @ plane.T
    return _flipped("drifting", X, (X * weights).sum(axis=1) > 0, flip, rng.random(rows))


def sparse_logistic(
    rng: np.random.Generator, *, rows: int = 100_000, features: int = 1000, nonzero: int = 20
) -> Stream:
    """Draw rows with a one in each of ``nonzero`` groups of features, and labels from a logistic model."""
    from scipy.sparse import csr_array

    rows, features = check.positive_int("rows", rows), check.positive_int("features", features)
    if not check.positive_int("nonzero", nonzero) <= features:
        raise ValueError(f"nonzero must be at most the {features} features, but it was {nonzero}.")
    weight = check.generator(rng, legacy=False).normal(size=features)
    edges = np.linspace(0, features, nonzero + 1).astype(np.int32)
    columns = rng.integers(edges[:-1], edges[1:], size=(rows, nonzero), dtype=np.int32)
    probability = 1 / (1 + np.exp(-weight[columns].sum(axis=1)))
    y = (rng.random(rows) < probability).astype(np.uint8)
    pointers = nonzero * np.arange(rows + 1, dtype=np.int64)
    X = csr_array((np.ones(rows * nonzero, np.uint8), columns.ravel(), pointers), shape=(rows, features))
    return Stream(X, y, name="sparse-logistic")


def plane(rng: RNG, *, rows: int = 1000, shape: str = "moons", noise: float = 0.1, flip: float = 0.0) -> Stream:
    """Draw two classes, equally likely, that form one of `SHAPES` in the plane, within about 3 of the origin.

    Coordinates get Gaussian noise of standard deviation ``noise``; a label is flipped with probability ``flip``.
    Uniform and normal numbers have generators of their own, so that more rows begin alike; a ``RandomState`` gives
    the numbers of the page.

    >>> plane(np.random.RandomState(0), rows=3, shape="xor", noise=0.0).X.round(2).tolist()
    [[1.23, -1.17], [0.28, -0.38], [0.85, -0.65]]
    """
    check.choice("shape", shape, SHAPES)
    make = np.random.RandomState if isinstance(check.generator(rng), np.random.RandomState) else np.random.default_rng
    uniform, normal = (make(int(2**32 * draw)) for draw in rng.random(2))
    drawn = uniform.random((rows, 4))
    truth = drawn[:, 0] < 0.5
    X = _positions(shape, np.where(truth, 1.0, -1.0), drawn[:, 1], drawn[:, 2])
    X += check.scalar("noise", noise, least=0.0) * normal.standard_normal((rows, 2))
    return _flipped(shape, X, truth, flip, drawn[:, 3])


def _positions(shape: str, side: Floats, s: Floats, t: Floats) -> Floats:
    """Return examples without noise: ``side`` is ±1 by their label, ``s`` and ``t`` are uniform."""
    angle = 2 * math.pi * t
    if shape == "clouds":
        radius = np.sqrt(s)
        return np.column_stack([1.2 * side + radius * np.cos(angle), 1.2 * side + radius * np.sin(angle)])
    if shape == "xor":
        x = 4 * s - 2
        return np.column_stack([x + 0.25 * np.sign(x), side * np.sign(x) * (0.25 + 2 * t)])
    if shape == "circles":
        radius = np.where(side > 0, 1.2 * np.sqrt(s), 1.9 + 0.7 * s)
        return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    if shape == "moons":
        half = math.pi * s
        return np.column_stack([side * (1.5 * np.cos(half) - 0.75), side * (1.5 * np.sin(half) - 0.45)])
    radius = np.sqrt(s)  # spirals: equal stretches of an arm get equally many examples
    turn = 2 * math.pi * TURNS * radius
    away = side * (0.25 + 2.4 * radius)  # the two arms differ by half a turn
    return np.column_stack([away * np.cos(turn), away * np.sin(turn)])


def _flipped(name: str, X: Floats, truth: Any, flip: float, uniform: Floats) -> Stream:
    if not 0 <= flip <= 1:
        raise ValueError(f"flip must be from 0 to 1, but it was {flip}.")
    return Stream(X, truth ^ (uniform < flip), name=name, true_labels=truth)
