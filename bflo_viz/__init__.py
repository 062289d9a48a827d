"""Belief Flows for Robust Online Learning: a Gaussian belief moved by the gradient step of one sampled weight."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from bflo_viz.beliefs import AffineMap, DiagonalBelief, FullBelief, SphericalBelief
    from bflo_viz.explorers.dynamics import DynamicsExplorer
    from bflo_viz.explorers.flow import FlowExplorer
    from bflo_viz.explorers.online import OnlineExplorer
    from bflo_viz.explorers.pseudo import PseudoDatasetExplorer
    from bflo_viz.explorers.regime import RegimeExplorer
    from bflo_viz.explorers.results import ResultsExplorer
    from bflo_viz.flows import Minimum, Regime, minimum, regime, stretch, stretch_kl
    from bflo_viz.learners import (
        AROW,
        NHERD,
        SGD,
        Adam,
        BeliefFlow,
        Dropout,
        GradientStep,
        Langevin,
        Learner,
        Momentum,
        Record,
        Recorder,
        Round,
    )
    from bflo_viz.learners.classifier import BeliefFlowClassifier
    from bflo_viz.models import MLP, Logistic, sigmoid
    from bflo_viz.pseudo import PseudoObservation, condition, pseudo_observation
    from bflo_viz.streams import Stream, StreamError, load_stream

_NAMES = {
    "beliefs": "AffineMap DiagonalBelief FullBelief SphericalBelief",
    "flows": "Minimum Regime minimum regime stretch stretch_kl",
    "pseudo": "PseudoObservation condition pseudo_observation",
    "models": "MLP Logistic sigmoid",
    "learners": "AROW NHERD SGD Adam BeliefFlow Dropout GradientStep Langevin Learner Momentum Record Recorder Round",
    "learners.classifier": "BeliefFlowClassifier",
    "streams": "Stream StreamError load_stream",
    "explorers.dynamics": "DynamicsExplorer",
    "explorers.flow": "FlowExplorer",
    "explorers.online": "OnlineExplorer",
    "explorers.pseudo": "PseudoDatasetExplorer",
    "explorers.regime": "RegimeExplorer",
    "explorers.results": "ResultsExplorer",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "AROW",
    "MLP",
    "NHERD",
    "SGD",
    "Adam",
    "AffineMap",
    "BeliefFlow",
    "BeliefFlowClassifier",
    "DiagonalBelief",
    "Dropout",
    "DynamicsExplorer",
    "FlowExplorer",
    "FullBelief",
    "GradientStep",
    "Langevin",
    "Learner",
    "Logistic",
    "Minimum",
    "Momentum",
    "OnlineExplorer",
    "PseudoDatasetExplorer",
    "PseudoObservation",
    "Record",
    "Recorder",
    "Regime",
    "RegimeExplorer",
    "ResultsExplorer",
    "Round",
    "SphericalBelief",
    "Stream",
    "StreamError",
    "condition",
    "load_stream",
    "minimum",
    "pseudo_observation",
    "regime",
    "sigmoid",
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
