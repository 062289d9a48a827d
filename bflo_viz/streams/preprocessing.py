"""Steps that prepare a stream for a learner, each a function from a stream to a new one."""

from dataclasses import replace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.streams.stream import Stream


def bias(stream: Stream) -> Stream:
    """Add a last feature that is always 1."""
    from scipy import sparse

    parts = stream.X, np.ones((stream.rows, 1), stream.X.dtype)
    X = sparse.hstack(parts, format="csr") if stream.is_sparse else np.hstack(parts)
    return replace(stream, X=X)


def min_max(stream: Stream) -> Stream:
    """Map each feature to [0, 1] by its extremes."""
    X = _dense("min_max", stream)
    low = X.min(axis=0).astype(np.float64)
    return replace(stream, X=_scaled(X, low, X.max(axis=0) - low))


def z_score(stream: Stream) -> Stream:
    """Give each feature mean 0 and variance 1."""
    X = _dense("z_score", stream)
    varies = X.max(axis=0) > X.min(axis=0)  # rounding may give a constant a deviation that is not 0
    mean, deviation = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    return replace(stream, X=_scaled(X, np.where(varies, mean, X[0]), np.where(varies, deviation, 0.0)))


def balanced(stream: Stream) -> Stream:
    """Keep all rows of the rarer of two classes, then equally many first rows of the other: the paper's IJCNN."""
    if len(stream.class_names) != 2:
        raise ValueError(f"balanced is for two classes, but {stream.name} has {len(stream.class_names)}.")
    rare, common = sorted((np.flatnonzero(stream.y == label) for label in (1, 0)), key=len)
    return stream.take(np.concatenate([rare, common[: len(rare)]]))


def subsample(stream: Stream, rows: int, rng: np.random.Generator) -> Stream:
    """Draw rows without replacement and keep their order; a seed gives the same rows with every version of NumPy."""
    if check.positive_int("rows", rows) > stream.rows:
        raise ValueError(f"rows must be at most {stream.rows:,}, but it was {rows:,}.")
    keys = np.frombuffer(check.generator(rng).bytes(8 * stream.rows), "<u8")
    return stream.take(np.sort(np.argsort(keys, kind="stable")[:rows]))


def one_vs_rest(stream: Stream, *labels: int) -> Stream:
    """Reduce many classes to two: those with these labels, as 1, and all others, as 0."""
    if not set(labels) <= set(range(len(stream.class_names))):
        raise ValueError(f"labels must be from 0 to {len(stream.class_names) - 1}, but they were {labels}.")
    is_one = np.isin(np.arange(len(stream.class_names)), labels).astype(np.uint8)
    names = tuple(" or ".join(np.array(stream.class_names)[is_one == one]) for one in (0, 1))
    truth = None if stream.true_labels is None else is_one[stream.true_labels]
    return replace(stream, y=is_one[stream.y], true_labels=truth, class_names=names)


def to_unit(stream: Stream, low: float = 0.0, high: float = 1.0) -> Stream:
    """Map pixels from 0 … ``stream.maximum`` to 0 … 1, or to another interval, in float32."""
    if stream.is_sparse or stream.X.dtype != np.uint8 or stream.X.max(initial=0) > stream.maximum:
        raise ValueError(f"to_unit is for pixels from 0 to {stream.maximum}, not for {stream!r}.")
    return replace(stream, X=np.linspace(low, high, stream.maximum + 1, dtype=np.float32)[stream.X])


def split(
    stream: Stream, train_fraction: float = 0.8, rng: np.random.Generator | None = None
) -> tuple[Stream, Stream]:
    """Split into training and test rows: in the order of the stream, or shuffled if ``rng`` is given."""
    if not 0 < train_fraction < 1:
        raise ValueError(f"train_fraction must be between 0 and 1, but it was {train_fraction}.")
    if rng is not None:
        stream = shuffle(stream, rng)
    end = round(train_fraction * stream.rows)
    return stream.take(slice(None, end)), stream.take(slice(end, None))


def shuffle(stream: Stream, rng: np.random.Generator) -> Stream:
    """Put all rows into a random order."""
    return stream.take(check.generator(rng).permutation(stream.rows))


def flip_labels(stream: Stream, flipped: float, rng: np.random.Generator) -> Stream:
    """Give this fraction of the rows a wrong label, all equally likely; ``truth`` keeps the right ones."""
    if not 0 <= flipped <= 1:
        raise ValueError(f"flipped must be from 0 to 1, but it was {flipped}.")
    rows = check.generator(rng, legacy=False).permutation(stream.rows)[: round(flipped * stream.rows)]
    classes = len(stream.class_names)
    y = stream.y.copy()
    y[rows] = (y[rows] + rng.integers(1, classes, len(rows))) % classes
    return replace(stream, y=y, true_labels=stream.truth)


def _dense(step: str, stream: Stream) -> Any:
    if stream.is_sparse:
        raise ValueError(f"{step} would fill the zeros of sparse rows, but {stream.name} is sparse: leave it out.")
    return stream.X


def _scaled(X: Any, shift: Any, width: Any) -> Any:
    """Return (X − shift) / width in one new array; a feature that never changes becomes 0."""
    scaled = np.subtract(X, shift, dtype=np.float64)
    scaled /= np.where(width > 0, width, 1.0)
    return scaled
