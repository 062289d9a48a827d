"""What is on the handout: three figures of the paper."""

from typing import NamedTuple

import numpy as np

from bflo_viz.figures.scenes.flow_types import FlowTypes, flow_types
from bflo_viz.figures.scenes.pseudo_dataset import PseudoDataset, pseudo_dataset
from bflo_viz.figures.scenes.regime_map import RegimeMap, regime_map


class Handout(NamedTuple):
    """One update by three flows, one update in each regime, and a run read as data."""

    flows: FlowTypes
    regimes: RegimeMap
    points: PseudoDataset


def handout(rng: np.random.Generator) -> Handout:
    """Compute the three figures."""
    return Handout(flow_types(), regime_map(points=81), pseudo_dataset(rng))
