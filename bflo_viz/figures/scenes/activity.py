"""What the hidden units of a network do: their activity for each picture, and which of them always do the same."""

import numpy as np
from numpy.typing import ArrayLike

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.models import MLP, sigmoid

STILL = 0.05  # a unit whose activity deviates by less than this from picture to picture tells nothing


def hidden_activity(model: MLP, weights: ArrayLike, X: ArrayLike) -> Floats:
    """Activity of the units of the first hidden layer, from 0 to 1: a picture a row, a unit a column.

    >>> model = MLP((2, 3, 1))
    >>> hidden_activity(model, np.zeros(model.size(2)), [[0.0, 1.0], [1.0, 1.0]])
    array([[0.5, 0.5, 0.5],
           [0.5, 0.5, 0.5]])
    """
    block, rows = model.unflatten(weights)[0], check.numbers("X", X)
    inputs = model.sizes[0]
    if rows.ndim != 2 or rows.shape[1] != inputs:
        raise ValueError(f"X must have {inputs} features a row, but it has shape {rows.shape}.")
    return sigmoid(rows @ block[:inputs] + block[inputs:].sum(axis=0))  # the row of biases, if there is one


def constant_share(activity: ArrayLike, still: float = STILL) -> float:
    """Share of units whose activity has a standard deviation below ``still`` over the pictures.

    >>> constant_share([[0.0, 1.0], [1.0, 1.0]])
    0.5
    """
    rows = check.numbers("activity", activity)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"activity must have a picture a row and a unit a column, but it has shape {rows.shape}.")
    return float(np.mean(rows.std(axis=0) < still))
