"""Quadratic losses of two weights, ½ (w − optimum)ᵀ H (w − optimum), and a gradient step on them."""

import math

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats

# No direction is steeper than 1: a step of eta 2 mirrors it, and no step within 0 … 2 makes the loss grow.
HESSIANS: dict[str, Floats] = {
    "round": np.array([[1.0, 0.0], [0.0, 1.0]]),
    "valley": np.array([[0.2, 0.0], [0.0, 1.0]]),
    "tilted": np.array([[0.6, -0.4], [-0.4, 0.6]]),
}


def gradient_step(w: ArrayLike, optimum: ArrayLike, hessian: Floats, eta: float, reach: float = math.inf) -> Floats:
    """Where a gradient step takes ``w``; it ends where it would leave the square from −reach to reach.

    >>> gradient_step([1.0, 2.0], [0.0, 0.0], HESSIANS["round"], 0.5)
    array([0.5, 1. ])
    """
    start, goal = np.asarray(w, dtype=np.float64), np.asarray(optimum, dtype=np.float64)
    # Summed by hand, as the browser does: the two must agree to the bit, or each would correct the other for ever.
    step = -eta * (hessian * (start - goal)).sum(axis=1)
    moving = step != 0
    room = (reach - np.sign(step[moving]) * start[moving]) / np.abs(step[moving])
    share = max(0.0, min([1.0, *room.tolist()]))
    return np.asarray(np.clip(start + share * step, -reach, reach))
