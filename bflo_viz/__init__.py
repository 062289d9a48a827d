"""Belief Flows for Robust Online Learning: a Gaussian belief moved by the gradient step of one sampled weight."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from bflo_viz.beliefs import AffineMap, DiagonalBelief, FullBelief, SphericalBelief
    from bflo_viz.flows import Minimum, Regime, minimum, regime, stretch, stretch_kl
    from bflo_viz.pseudo import PseudoObservation, condition, pseudo_observation

_HOME = {
    "AffineMap": "beliefs",
    "DiagonalBelief": "beliefs",
    "FullBelief": "beliefs",
    "SphericalBelief": "beliefs",
    "Minimum": "flows",
    "Regime": "flows",
    "minimum": "flows",
    "regime": "flows",
    "stretch": "flows",
    "stretch_kl": "flows",
    "PseudoObservation": "pseudo",
    "condition": "pseudo",
    "pseudo_observation": "pseudo",
}

__all__ = [
    "AffineMap",
    "DiagonalBelief",
    "FullBelief",
    "Minimum",
    "PseudoObservation",
    "Regime",
    "SphericalBelief",
    "condition",
    "minimum",
    "pseudo_observation",
    "regime",
    "stretch",
    "stretch_kl",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing the package loads nothing else."""
    if name not in _HOME:
        raise AttributeError(f"module 'bflo_viz' has no attribute {name!r}")
    value = getattr(import_module(f"bflo_viz.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
