"""Blocks of rounds of a network, handed to its compiled passes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz.kernels import mlp
from bflo_viz.learners.rows import Rows
from bflo_viz.models import MLP


def run_block(
    name: str,
    state: tuple[NDArray[Any], ...],
    model: MLP,
    rows: Rows,
    start: int,
    stop: int,
    y: NDArray[np.int64],
    *options: Any,
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Run rounds through the pass ``name``, which changes ``state``; None where numba is not installed."""
    if not mlp.available():
        return None
    predicted, loss = np.empty(stop - start, np.int64), np.empty(stop - start)
    examples = rows.compressed if rows.is_sparse else rows.dense
    getattr(mlp, name)(
        *state,
        model.sizes,
        model.bias,
        examples(start, stop, np.dtype(model.precision)),
        y,
        *options,
        predicted,
        loss,
    )
    return predicted, loss
