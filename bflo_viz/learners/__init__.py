"""Online learners, all with the same methods: `step`, `run`, `predict_proba`, `reset`."""

from bflo_viz.learners.arow import AROW as AROW
from bflo_viz.learners.arow import NHERD as NHERD
from bflo_viz.learners.arow import Kalman as Kalman
from bflo_viz.learners.base import Learner as Learner
from bflo_viz.learners.base import Record as Record
from bflo_viz.learners.base import Round as Round
from bflo_viz.learners.belief_flow import BeliefFlow as BeliefFlow
from bflo_viz.learners.local_flows import GradientStep as GradientStep
from bflo_viz.learners.local_flows import Momentum as Momentum
from bflo_viz.learners.recorder import Recorder as Recorder
from bflo_viz.learners.sgd import SGD as SGD
from bflo_viz.learners.sgd import Dropout as Dropout
from bflo_viz.learners.sgd import Langevin as Langevin
