"""Belief flows: Algorithm 1 of the paper."""

import copy
import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.beliefs.full import WIDEST_PRECISION
from bflo_viz.flows import norm
from bflo_viz.learners.base import Kernel, Learner, Predictions, Round, normals
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
        self._first_local_flow: LocalFlow = copy.deepcopy(local_flow) or GradientStep(eta)
        self.non_expansive = check.flag("non_expansive", non_expansive)
        self.branch = check.sign("branch", branch)
        self.min_std = check.scalar("min_std", min_std, least=0.0)
        self.rule = check.choice("rule", rule, ("printed", "exact"))
        if self.rule == "exact" and not isinstance(belief, SphericalBelief):
            raise ValueError(
                f"rule must be 'printed' for a {type(belief).__name__}: 'exact' is for spherical beliefs."
            )
        self._options: dict[str, Any] = {
            "non_expansive": self.non_expansive,
            "branch": self.branch,
            "min_std": self.min_std,
        }
        if isinstance(belief, SphericalBelief):
            self._options["rule"] = self.rule
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
            z = self._draw(x, rng)
            w = belief.weight(z)
            prediction = self.model.forward(w, x)
            w_new = local_flow(w.copy(), prediction.gradient(y))
            belief = belief.flow(w, w_new, z=z, **self._options)
            updates.append((w, w_new, prediction))
        outcome = self._outcome(*updates[0], y, before=self._belief, after=belief)
        self._belief, self.local_flow = belief, local_flow
        return outcome

    def _draw(self, x: Floats, rng: RNG) -> Floats:
        """The normal numbers that a sample is made of."""
        return normals(rng, self._movable(x))

    def _movable(self, x: Floats) -> NDArray[np.bool_]:
        """Which weights a round can move, and so has to draw."""
        if isinstance(self._belief, DiagonalBelief) and self._takes_gradient_steps:
            return self.model.reached(x)
        return np.ones(self.dim, bool)

    @property
    def _takes_gradient_steps(self) -> bool:
        """Whether weights without a gradient stay as they are: plain steps on the identity branch."""
        return self.branch > 0 and type(self.local_flow) is GradientStep

    def _block(self, kernel: Kernel) -> Predictions | None:
        belief = self._belief
        kind = type(belief).__name__.removesuffix("Belief").lower()
        if not self._takes_gradient_steps or (isinstance(self.model, MLP) and kind != "diagonal"):
            return None
        precision = np.dtype(self.model.precision)
        values: dict[str, Any] = {field.name: getattr(belief, field.name) for field in fields(belief)}
        state: dict[str, Any] = {name: np.array(value, precision, ndmin=1) for name, value in values.items()}
        # Kernels floor what moves: one round step by step raises every weight to the floor.
        if kind == "diagonal" and state["std"].min() < precision.type(self.min_std):
            return None
        if (kind == "spherical" and values["std"] == 0) or (kind == "full" and self.min_std > 0):
            return None
        dim = float(self.dim if self.rule == "exact" else 1)
        settings = self.eta, self.updates, self.non_expansive, self.min_std, dim
        predictions = kernel(f"belief_flow_{kind}", state.values(), *settings)
        for name, value in values.items():
            state[name] = state[name].astype(np.float64) if np.ndim(value) else float(state[name][0])
        if kind == "full":
            sizes = norm(state["inverse_factor"].ravel()), norm(state["factor"].ravel())
            if not (sizes[0] < WIDEST_PRECISION and sizes[1] < math.inf):
                raise ValueError("the belief must stay wider than 1e-300 in every direction: set min_std.")
        self._belief = belief._moved(**state)
        return predictions
