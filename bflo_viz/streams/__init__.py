"""Streams: the paper's datasets, verified by their content, synthetic ones, and steps to prepare them."""

from bflo_viz.streams.backgrounds import enlarge, on_noise, on_photographs, photographs
from bflo_viz.streams.load import NAMES, load_stream
from bflo_viz.streams.preprocessing import (
    balanced,
    bias,
    flip_labels,
    min_max,
    one_vs_rest,
    shuffle,
    split,
    subsample,
    to_unit,
    z_score,
)
from bflo_viz.streams.stream import Stream, StreamError

__all__ = ["NAMES", "Stream", "StreamError", "enlarge", "load_stream", "on_noise", "on_photographs", "photographs"]
__all__ += ["balanced", "bias", "flip_labels", "min_max", "one_vs_rest", "shuffle", "split", "subsample"]
__all__ += ["to_unit", "z_score"]
