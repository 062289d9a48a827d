"""Streams: the paper's datasets, found or fetched and checked by content; made ones; and steps to prepare them."""

from bflo_viz.streams.backgrounds import enlarge, on_noise, on_photographs, photographs
from bflo_viz.streams.load import NAMES, load_stream
from bflo_viz.streams.preprocessing import (
    balanced,
    bias,
    class_against,
    clip,
    flip_labels,
    min_max,
    shuffle,
    some,
    split,
    to_unit,
    z_score,
)
from bflo_viz.streams.stream import Stream, StreamError

__all__ = [
    "NAMES",
    "Stream",
    "StreamError",
    "balanced",
    "bias",
    "class_against",
    "clip",
    "enlarge",
    "flip_labels",
    "load_stream",
    "min_max",
    "on_noise",
    "on_photographs",
    "photographs",
    "shuffle",
    "some",
    "split",
    "to_unit",
    "z_score",
]
