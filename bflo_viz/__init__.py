"""Belief Flows for Robust Online Learning: a Gaussian belief moved by the gradient step of one sampled weight."""

from typing import TYPE_CHECKING

from bflo_viz._lazy import lazy

__version__ = "1.0.0"

# ruff: noqa: F403
if TYPE_CHECKING:  # what type checkers and editors see
    from bflo_viz.beliefs import *
    from bflo_viz.explorers.digits import DigitExplorer as DigitExplorer
    from bflo_viz.explorers.dynamics import DynamicsExplorer as DynamicsExplorer
    from bflo_viz.explorers.flow import FlowExplorer as FlowExplorer
    from bflo_viz.explorers.network import NetworkExplorer as NetworkExplorer
    from bflo_viz.explorers.online import OnlineExplorer as OnlineExplorer
    from bflo_viz.explorers.pseudo import PseudoDatasetExplorer as PseudoDatasetExplorer
    from bflo_viz.explorers.regime import RegimeExplorer as RegimeExplorer
    from bflo_viz.explorers.results import ResultsExplorer as ResultsExplorer
    from bflo_viz.flows import *
    from bflo_viz.learners import *
    from bflo_viz.learners.classifier import BeliefFlowClassifier as BeliefFlowClassifier
    from bflo_viz.models import *
    from bflo_viz.pseudo import *
    from bflo_viz.streams import Stream as Stream
    from bflo_viz.streams import StreamError as StreamError
    from bflo_viz.streams import load_stream as load_stream

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "beliefs": "AffineMap DiagonalBelief FullBelief SphericalBelief",
        "flows": "Regime regime stretch stretch_kl",
        "pseudo": "PseudoObservation condition pseudo_observation",
        "models": "MLP Logistic sigmoid",
        "learners": "AROW NHERD SGD BeliefFlow Dropout GradientStep Kalman Langevin Learner Momentum Record "
        "Recorder Round",
        "learners.classifier": "BeliefFlowClassifier",
        "streams": "Stream StreamError load_stream",
        "explorers.digits": "DigitExplorer",
        "explorers.dynamics": "DynamicsExplorer",
        "explorers.flow": "FlowExplorer",
        "explorers.network": "NetworkExplorer",
        "explorers.online": "OnlineExplorer",
        "explorers.pseudo": "PseudoDatasetExplorer",
        "explorers.regime": "RegimeExplorer",
        "explorers.results": "ResultsExplorer",
    },
)
