"""Online learners, one file per algorithm, always the same verbs: `step`, `run`, `predict_proba`, `reset`."""

from bflo_viz.learners.arow import AROW, NHERD
from bflo_viz.learners.base import Learner, Record, Round
from bflo_viz.learners.belief_flow import BeliefFlow
from bflo_viz.learners.dropout import Dropout
from bflo_viz.learners.kalman import Kalman
from bflo_viz.learners.local_flows import Adam, GradientStep, Momentum
from bflo_viz.learners.recorder import Recorder
from bflo_viz.learners.sgd import SGD, Langevin

__all__ = [
    "AROW",
    "NHERD",
    "SGD",
    "Adam",
    "BeliefFlow",
    "Dropout",
    "GradientStep",
    "Kalman",
    "Langevin",
    "Learner",
    "Momentum",
    "Record",
    "Recorder",
    "Round",
]
