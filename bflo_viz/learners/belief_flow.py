"""Belief flows: Algorithm 1 of the paper."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.beliefs.full import WIDEST_PRECISION
from bflo_viz.flows import norm
from bflo_viz.learners.base import Block, Learner, Predictions, Round, normals, rate
from bflo_viz.learners.local_flows import GradientStep
from bflo_viz.models import MLP, Logistic, Model

LocalFlow = Callable[[Floats, Floats], Floats]


class BeliefFlow(Learner):
    """A Gaussian belief over the weights, moved by the step of one sampled weight.

    Parameters
    ----------
    belief
        The prior: spherical, diagonal or full.
    model
        `Logistic` (the default) or an `MLP`.
    eta
        Learning rate of the local flow.
    non_expansive, branch, min_std, rule
        Of the global flow: see `SphericalBelief.flow`. ``rule`` is for spherical beliefs only.
    updates
        Updates on each example, each with a fresh sample; the first sample predicts.
    local_flow
        How the sampled weight moves, a callable ``(w, gradient) -> w_new`` such as `Momentum` or `Adam`; ``eta`` is
        then not used. It is copied, so that learners share no state (keep state in an object, not in a closure).
    """

    def __init__(
        self,
        belief: Belief,
        model: Model | None = None,
        *,
        eta: float = 1e-3,
        non_expansive: bool = False,
        branch: int = 1,
        min_std: float = 0.0,
        rule: str = "printed",
        updates: int = 1,
        local_flow: LocalFlow | None = None,
    ) -> None:
        if not isinstance(belief, (SphericalBelief, DiagonalBelief, FullBelief)):
            raise ValueError(f"belief must be a belief, but it was a {type(belief).__name__}.")
        model = Logistic() if model is None else model
        features = model.sizes[0] if isinstance(model, MLP) else belief.dim
        super().__init__(model, features, updates=updates)
        if belief.dim != self.dim:
            raise ValueError(f"belief must have the {self.dim} weights of the model, but it has {belief.dim}.")
        if local_flow is not None and not callable(local_flow):
            raise ValueError(f"local_flow must be callable, but it was a {type(local_flow).__name__}.")
        self._first_local_flow: LocalFlow = copy.deepcopy(local_flow) or GradientStep(rate("eta", eta))
        self.non_expansive = check.flag("non_expansive", non_expansive)
        self.branch = check.sign("branch", branch)
        self.min_std = check.scalar("min_std", min_std, least=0.0)
        self.rule = check.choice("rule", rule, ("printed", "exact"))
        if self.rule == "exact" and not isinstance(belief, SphericalBelief):
            raise ValueError(
                f"rule must be 'printed' for a {type(belief).__name__}: 'exact' is for spherical beliefs."
            )
        self._prior = belief
        self.reset()

    def reset(self) -> None:
        """Forget everything: back to the prior."""
        self._belief = self._prior
        self.local_flow: LocalFlow = copy.deepcopy(self._first_local_flow)
        self.rounds = 0

    @property
    def eta(self) -> float | None:
        """Learning rate of the local flow; None if it has none."""
        return getattr(self.local_flow, "eta", None)

    @property
    def belief(self) -> Belief:
        """The belief over the weights, as it is now."""
        return self._belief

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """The mean of the belief, or a Thompson sample of it."""
        return self._belief.mean if rng is None else self._belief.sample(rng)

    def _round(self, x: Floats, y: int, rng: RNG) -> Round:
        """Algorithm 1: sample a weight, predict with it, let it step, and let the belief flow along."""
        belief, local_flow = self._belief, copy.deepcopy(self.local_flow)  # stored when the whole round went well
        updates = []
        for _ in range(self.updates):
            z = normals(rng, self._movable(x))
            w = belief.weight(z)
            prediction = self.model.forward(w, x)
            w_new = local_flow(w.copy(), prediction.gradient(y))
            belief = belief.flow(w, w_new, z=z, **self._options)
            updates.append((w, w_new, prediction))
        outcome = self._outcome(*updates[0], y, before=self._belief, after=belief)
        self._belief, self.local_flow = belief, local_flow
        return outcome

    @property
    def _options(self) -> dict[str, Any]:
        """Options of the global flow."""
        rule = {"rule": self.rule} if isinstance(self._belief, SphericalBelief) else {}
        return {"non_expansive": self.non_expansive, "branch": self.branch, "min_std": self.min_std, **rule}

    def _movable(self, x: Floats) -> NDArray[np.bool_]:
        """Which weights a round can move, and so has to draw."""
        if isinstance(self._belief, DiagonalBelief) and self._takes_gradient_steps:
            return self.model.reached(x)
        return np.ones(self.dim, bool)

    @property
    def _takes_gradient_steps(self) -> bool:
        """Whether weights without a gradient stay as they are: plain steps on the identity branch."""
        return self.branch > 0 and type(self.local_flow) is GradientStep

    def _block(self, block: Block) -> Predictions | None:
        belief, network = self._belief, isinstance(self.model, MLP)
        if not isinstance(self.local_flow, GradientStep) or not self._takes_gradient_steps:
            return None
        flow = (self.local_flow.eta, self.updates, self.non_expansive)
        if isinstance(belief, DiagonalBelief):
            precision = np.dtype(self.model.precision if isinstance(self.model, MLP) else np.float64)
            mean, std = belief.mean.astype(precision), belief.std.astype(precision)
            if float(std.min()) < float(precision.type(self.min_std)):
                return None  # the kernels floor what moves: one round step by step raises every weight to the floor
            name = "belief_flow" if network else "belief_flow_diagonal"
            predictions = self._compiled(name, (mean, std), block, *flow, self.min_std)
            self._belief = belief._moved(mean=mean.astype(np.float64), std=std.astype(np.float64))
        elif isinstance(belief, SphericalBelief) and belief.std > 0 and not network:
            mean, width, dim = belief.mean.copy(), np.array([belief.std]), self.dim if self.rule == "exact" else 1
            predictions = self._compiled(
                "belief_flow_spherical", (mean, width), block, *flow, self.min_std, float(dim)
            )
            self._belief = belief._moved(mean=mean, std=float(width[0]))
        elif isinstance(belief, FullBelief) and self.min_std == 0 and not network:
            mean, factor, inverse = belief.mean.copy(), belief.factor.copy(), belief.inverse_factor.copy()
            log_det, least = np.array([belief._log_det]), np.array([belief._least_std])
            predictions = self._compiled("belief_flow_full", (mean, factor, inverse, log_det, least), block, *flow)
            if not norm(inverse.ravel()) < WIDEST_PRECISION or not math.isfinite(norm(factor.ravel())):
                raise ValueError("the belief must stay wider than 1e-300 in every direction: set min_std.")
            scalars = {"_log_det": float(log_det[0]), "_least_std": float(least[0])}
            self._belief = belief._moved(mean=mean, factor=factor, inverse_factor=inverse, **scalars)
        else:
            return None
        return predictions
