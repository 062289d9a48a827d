"""Gaussian beliefs over the best weights, and the flows that move them.

A belief is frozen: `flow` returns a new one of the same type. Its arrays are copies and cannot be written to.
"""

from bflo_viz.beliefs.base import AffineMap, Belief
from bflo_viz.beliefs.diagonal import DiagonalBelief
from bflo_viz.beliefs.full import FullBelief
from bflo_viz.beliefs.spherical import SphericalBelief

__all__ = ["AffineMap", "Belief", "DiagonalBelief", "FullBelief", "SphericalBelief"]
