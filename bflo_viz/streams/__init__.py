"""Streams: the paper's datasets, found or fetched and checked by content; made ones; and steps to prepare them."""

from bflo_viz.streams.backgrounds import on_noise, on_photographs
from bflo_viz.streams.load import NAMES, load_stream
from bflo_viz.streams.preprocessing import balanced, bias, clip, flip_labels, min_max, shuffle, split, z_score
from bflo_viz.streams.stream import Stream, StreamError

__all__ = [
    "NAMES",
    "Stream",
    "StreamError",
    "balanced",
    "bias",
    "clip",
    "flip_labels",
    "load_stream",
    "min_max",
    "on_noise",
    "on_photographs",
    "shuffle",
    "split",
    "z_score",
]
