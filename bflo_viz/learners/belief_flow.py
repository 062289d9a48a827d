"""Belief flows: Algorithm 1 of the paper."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.beliefs.full import WIDEST_PRECISION
from bflo_viz.flows import norm
from bflo_viz.kernels import logistic, normals
from bflo_viz.learners.base import Learner, Model, Round, rate, read_logits
from bflo_viz.learners.local_flows import GradientStep
from bflo_viz.learners.networks import run_block
from bflo_viz.learners.rows import Rows
from bflo_viz.models import MLP, Logistic

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
                f"rule must be 'printed' but for a spherical belief, but this is a {type(belief).__name__}."
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

    def weights_for_prediction(self, rng: np.random.Generator | None = None) -> Floats:
        """The mean of the belief, or a Thompson sample of it."""
        return self._belief.mean if rng is None else self._belief.sample(rng)

    def _round(self, x: Floats, y: int, key: normals.Key) -> Round:
        options: dict[str, Any] = {"rule": self.rule} if isinstance(self._belief, SphericalBelief) else {}
        options |= {"non_expansive": self.non_expansive, "branch": self.branch, "min_std": self.min_std}
        belief: Any = self._belief
        local_flow = copy.deepcopy(self.local_flow)  # kept only if the whole round went well
        tried = []
        for k in range(self.updates):
            z = self._normals(key, k)
            w = belief.weight(z)
            w_new = local_flow(w.copy(), self.model.gradient(w, x, y))  # which may change its weight in place
            belief = belief.flow(w, w_new, z=z, **options)
            tried.append((w, w_new))
        outcome = self._outcome(*tried[0], x, y, before=self._belief, after=belief)
        self._belief, self.local_flow = belief, local_flow
        return outcome

    def _block(self, rows: Rows, start: int, stop: int, y: NDArray[np.int64], keys: Any) -> Any:
        # Compiled are plain gradient steps on the identity branch; everything else goes step by step.
        if self.branch < 0 or type(self.local_flow) is not GradientStep:
            return None
        if isinstance(self.model, MLP):
            return self._network_block(rows, start, stop, y, keys)
        kernels = logistic.compiled()
        if kernels is None:
            return None
        belief, logits = self._belief, np.empty(stop - start)
        mean = belief.mean.copy()
        examples, flow = rows.compressed, (self.local_flow.eta, self.updates, self.non_expansive)
        if isinstance(belief, DiagonalBelief):
            if belief.std.min() < self.min_std:
                return None  # the kernels floor what moves: one round step by step raises every weight to the floor
            std = belief.std.copy()
            if rows.is_sparse:
                kernels.belief_flow_diagonal(mean, std, *examples(start, stop), y, keys, *flow, self.min_std, logits)
            else:
                kernels.belief_flow_diagonal_dense(
                    mean, std, rows.dense(start, stop), y, keys, *flow, self.min_std, logits
                )
            self._belief = belief._moved(mean=mean, std=std)
        elif isinstance(belief, SphericalBelief) and belief.std > 0:
            width, dim = np.array([belief.std]), float(self.dim if self.rule == "exact" else 1)
            kernels.belief_flow_spherical(
                mean, width, *examples(start, stop), y, keys, *flow, self.min_std, dim, logits
            )
            self._belief = belief._moved(mean=mean, std=float(width[0]))
        elif isinstance(belief, FullBelief) and self.min_std == 0:
            factor, inverse = belief.factor.copy(), belief.inverse_factor.copy()
            log_det, least = np.array([belief._log_det]), np.array([belief._least_std])
            kernels.belief_flow_full(
                mean, factor, inverse, log_det, least, *examples(start, stop), y, keys, *flow, logits
            )
            if not norm(inverse.ravel()) < WIDEST_PRECISION or not math.isfinite(norm(factor.ravel())):
                raise ValueError("the belief must stay wider than 1e-300 in every direction: set min_std.")
            scalars = {"_log_det": float(log_det[0]), "_least_std": float(least[0])}
            self._belief = belief._moved(mean=mean, factor=factor, inverse_factor=inverse, **scalars)
        else:
            return None
        return read_logits(logits, y)

    def _network_block(self, rows: Rows, start: int, stop: int, y: NDArray[np.int64], keys: Any) -> Any:
        belief, model = self._belief, self.model
        if not isinstance(belief, DiagonalBelief) or not isinstance(model, MLP):
            return None
        assert isinstance(self.local_flow, GradientStep)
        mean, std = belief.mean.astype(model.precision), belief.std.astype(model.precision)
        options = (keys, self.local_flow.eta, self.updates, self.non_expansive, self.min_std)
        done = run_block("belief_flow", (mean, std), model, rows, start, stop, y, *options)
        if done is not None:
            self._belief = belief._moved(mean=mean.astype(np.float64), std=std.astype(np.float64))
        return done
