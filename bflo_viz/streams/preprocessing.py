"""What is done to a stream before a learner sees it: each step by its name, from a stream to a new one."""

from dataclasses import replace
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz.streams.stream import Stream


def bias(stream: Stream) -> Stream:
    """Add a last feature that is always 1."""
    ones = np.ones((stream.rows, 1), stream.X.dtype)
    if stream.is_sparse:
        from scipy.sparse import csr_array, hstack

        X: Any = csr_array(hstack([stream.X, csr_array(ones)], format="csr"))
    else:
        X = np.hstack([stream.X, ones])
    return replace(stream, X=X, feature_names=(*stream.feature_names, "bias"))


def min_max(stream: Stream, *, by: Stream | None = None) -> Stream:
    """Move each feature to [0, 1] by its least and greatest value, in this stream or in the one given as ``by``."""
    X = _dense("min_max", stream)
    like = X if by is None else _dense("min_max", by)
    low = like.min(axis=0).astype(np.float64)
    return replace(stream, X=_scaled(X, low, like.max(axis=0) - low))


def z_score(stream: Stream, *, by: Stream | None = None) -> Stream:
    """Give each feature mean 0 and variance 1, by the moments of this stream or of the one given as ``by``."""
    X = _dense("z_score", stream)
    like = X if by is None else _dense("z_score", by)
    changes = like.max(axis=0) > like.min(axis=0)  # the deviation of a constant may be a rounding error, and not 0
    mean, deviation = like.mean(axis=0, dtype=np.float64), like.std(axis=0, dtype=np.float64)
    return replace(stream, X=_scaled(X, np.where(changes, mean, like[0]), np.where(changes, deviation, 0.0)))


def clip(stream: Stream, low: float, high: float) -> Stream:
    """Move what is below ``low`` or above ``high`` to that limit: clip(z_score(stream), -3, 3) tames outliers."""
    low, high = check.scalar("low", low), check.scalar("high", high, least=low)
    if stream.is_sparse and not low <= 0 <= high:
        raise ValueError(
            f"low and high must have 0 between them for sparse rows, but they were {low:g} and {high:g}."
        )
    if not stream.is_sparse:
        return replace(stream, X=np.clip(stream.X.astype(np.float64), low, high))
    X = stream.X.astype(np.float64)
    X.data = np.clip(X.data, low, high)
    return replace(stream, X=X)


def balanced(stream: Stream) -> Stream:
    """As many rows of each of two classes, as in the paper's IJCNN: all of the rarer one, then the first others."""
    if len(stream.class_names) != 2:
        raise ValueError(f"balanced is for two classes, but {stream.name} has {len(stream.class_names)}.")
    rare, common = sorted((np.flatnonzero(stream.y == label) for label in (1, 0)), key=len)
    return stream.take(np.concatenate([rare, common[: len(rare)]]))


def some(stream: Stream, rows: int, rng: np.random.Generator) -> Stream:
    """So many rows drawn from all, in their order: those of ``mnist-random``, if ``rng`` is the same.

    They are drawn by ``rng.bytes``, so that a seed gives the same rows with every version of NumPy.
    """
    if check.positive_int("rows", rows) > stream.rows:
        raise ValueError(f"rows must be at most {stream.rows:,}, but it was {rows:,}.")
    keys = np.frombuffer(check.generator(rng).bytes(8 * stream.rows), "<u8")
    return stream.take(np.sort(np.argsort(keys, kind="stable")[:rows]))


def class_against(stream: Stream, *labels: int) -> Stream:
    """Two classes: those with these labels, as 1, against all others, as 0."""
    for label in labels:
        if not 0 <= label < len(stream.class_names):
            raise ValueError(f"labels must be below {len(stream.class_names)}, but one was {label}.")
    names = tuple(
        " or ".join(n for i, n in enumerate(stream.class_names) if (i in labels) == one) for one in (False, True)
    )
    truth = None if stream.true_labels is None else np.isin(stream.true_labels, labels).astype(np.uint8)
    y = np.isin(stream.y, labels).astype(np.uint8)
    return replace(stream, y=y, true_labels=truth, class_names=names)


def to_unit(stream: Stream, low: float = 0.0, high: float = 1.0) -> Stream:
    """Move pixels from 0 … the maximum that the stream names to 0 … 1, or to another interval, in float32."""
    if stream.is_sparse or stream.X.dtype != np.uint8 or stream.X.max(initial=0) > stream.maximum:
        raise ValueError(f"to_unit is for pixels from 0 to {stream.maximum}, not for {stream!r}.")
    low, high = check.scalar("low", low), check.scalar("high", high)
    shades = np.linspace(low, high, stream.maximum + 1, dtype=np.float32)
    return replace(stream, X=shades[stream.X])


def split(stream: Stream, share: float = 0.8, rng: np.random.Generator | None = None) -> tuple[Stream, Stream]:
    """The part to learn from and the part to test on: by the order of the file, or shuffled if ``rng`` is given."""
    if not 0 < check.scalar("share", share) < 1:
        raise ValueError(f"share must be between 0 and 1, but it was {share:g}.")
    if rng is not None:
        stream = shuffle(stream, rng)
    at = round(share * stream.rows)
    return stream.take(slice(None, at)), stream.take(slice(at, None))


def shuffle(stream: Stream, rng: np.random.Generator) -> Stream:
    """All rows, in an order drawn at random."""
    return stream.take(check.generator(rng).permutation(stream.rows))


def flip_labels(stream: Stream, share: float, rng: np.random.Generator) -> Stream:
    """Give this share of the rows, drawn at random, a wrong label; ``truth`` keeps the right ones.

    For the part to learn from only: split first. With more than two classes every wrong one is equally likely.
    """
    if not check.scalar("share", share, least=0.0) <= 1:
        raise ValueError(f"share must be at most 1, but it was {share:g}.")
    chosen = check.generator(rng).permutation(stream.rows)[: round(share * stream.rows)]
    classes = len(stream.class_names)
    y = stream.y.copy()
    y[chosen] = (y[chosen] + rng.integers(1, classes, len(chosen))) % classes
    return replace(stream, y=y, true_labels=stream.truth)


def _dense(what: str, stream: Stream) -> Any:
    if stream.is_sparse:
        raise ValueError(f"{what} would fill the zeros of sparse rows, but {stream.name} is sparse: leave it out.")
    return stream.X


def _scaled(X: Any, shift: Any, width: Any) -> Any:
    """(X − shift) / width in one new array; a feature that never changes becomes 0."""
    width = np.asarray(width, dtype=np.float64)
    moved = np.subtract(X, shift, dtype=np.float64)
    moved /= np.where(width > 0, width, 1.0)
    return moved
