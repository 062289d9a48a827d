"""Two classes in the plane: shapes that a line tells apart, shapes that take a network, and points of one's own."""

import math
from collections.abc import Sequence

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.streams.stream import Stream

SHAPES = ("clouds", "xor", "circles", "moons", "spirals")
OWN = "points"  # in place of a shape: points that are given
TURNS = 1.25  # that each arm of the spirals makes


def plane(
    rng: RNG,
    *,
    rows: int = 1000,
    shape: str = "moons",
    noise: float = 0.1,
    flip: float = 0.0,
    points: Sequence[Sequence[float]] = (),
) -> Stream:
    """Examples of two classes, equally likely, that form a shape in the plane; all lie within about 3 of 0.

    Parameters
    ----------
    rng
        Two generators are seeded by it, so that equal generators give equal examples, however many. The first draws
        four uniform numbers an example: for its label, for two places in the shape, and for whether its label is
        wrong. The second draws two normal numbers an example. With a ``RandomState`` they are those of a page.
    rows
        How many.
    shape
        ``"clouds"``, ``"xor"``, ``"circles"``, ``"moons"`` or ``"spirals"``; or ``"points"``, those that are given.
    noise
        Standard deviation of what is added to each coordinate.
    flip
        Share of the labels that are wrong; ``truth`` has the true ones.
    points
        Rows of x, y and label, of which each example is one; without any there are no examples.

    >>> plane(np.random.RandomState(0), rows=3, shape="xor", noise=0.0).X.round(2).tolist()
    [[1.23, -1.17], [0.28, -0.38], [0.85, -0.65]]
    """
    rows = check.positive_int("rows", rows) if rows else 0
    check.choice("shape", shape, (*SHAPES, OWN))
    noise, flip = (check.scalar(name, value, least=0.0) for name, value in (("noise", noise), ("flip", flip)))
    if flip > 1:
        raise ValueError(f"flip must be at most 1, but it was {flip:g}.")
    make = np.random.RandomState if isinstance(check.generator(rng), np.random.RandomState) else np.random.default_rng
    places, around = [int(2**32 * draw) for draw in rng.random(2)]
    table = np.reshape(check.numbers("points", points) if len(points) else np.empty((0, 3)), (-1, 3))
    if shape == OWN and not len(table):
        rows = 0
    drawn = make(places).random((rows, 4))
    if shape == OWN:
        own = table[np.floor(len(table) * drawn[:, 1]).astype(int)]
        X, truth = own[:, :2], own[:, 2] == 1
    else:
        truth = drawn[:, 0] < 0.5
        X = _places(shape, np.where(truth, 1.0, -1.0), drawn[:, 1], drawn[:, 2])
    X = X + noise * make(around).standard_normal((rows, 2))
    seen = truth ^ (drawn[:, 3] < flip)
    names = {"feature_names": ("x", "y"), "source": "made by bflo_viz", "licence": "MIT"}
    return Stream(X, seen.astype(np.uint8), name=shape, true_labels=truth.astype(np.uint8), **names)  # type: ignore[arg-type]


def _places(shape: str, side: Floats, s: Floats, t: Floats) -> Floats:
    """Where examples are without noise: ``side`` is +1 or −1 by their label, ``s`` and ``t`` are uniform."""
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
    radius = np.sqrt(s)  # as many examples on an outer stretch of an arm as on an inner one of its length
    turn = 2 * math.pi * TURNS * radius
    away = side * (0.25 + 2.4 * radius)  # the arm of label 0 is that of label 1, turned by half a circle
    return np.column_stack([away * np.cos(turn), away * np.sin(turn)])
