"""Belief flows: Algorithm 1 of the paper."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners.base import Labels, Learner, Model, Predictions, Round, can_compile, normals
from bflo_viz.learners.local_flows import GradientStep
from bflo_viz.learners.rows import Block
from bflo_viz.models import MLP, Logistic

LocalFlow = Callable[[Floats, Floats], Floats]


class BeliefFlow(Learner):
    """A Gaussian belief over the weights, moved by the step of one sampled weight.

    The ``belief`` is the prior: spherical, diagonal or full; the ``model`` is `Logistic` (the default) or an `MLP`.
    ``non_expansive``, ``branch``, ``min_std`` and ``rule`` are those of `Belief.flow`. Each example gets so many
    ``updates``, each with a fresh sample; the first sample predicts. A ``local_flow`` is a callable
    ``(w, gradient) -> w_new`` such as `Momentum()`, and ``eta`` is then not used; it is copied, so that
    learners share no state (keep state in an object, not in a closure).
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
        if local_flow is not None and (isinstance(local_flow, type) or not callable(local_flow)):
            raise ValueError(f"local_flow must be callable, like Momentum(), but it was {check.short(local_flow)}.")
        self._first_local_flow: LocalFlow = copy.deepcopy(local_flow) or GradientStep(eta)
        model = Logistic() if model is None else model
        if not isinstance(belief, Belief):
            raise ValueError(f"belief must be a belief such as DiagonalBelief, but it was {check.short(belief)}.")
        features = model.sizes[0] if isinstance(model, MLP) else belief.dim
        super().__init__(model, features, updates=updates, prior=belief)
        self.non_expansive = check.flag("non_expansive", non_expansive)
        self.branch = check.sign("branch", branch)
        self.min_std = check.scalar("min_std", min_std, least=0.0)
        spherical = isinstance(belief, SphericalBelief)
        self.rule = check.choice("rule", rule, ("printed", "exact") if spherical else ("printed",))
        self._options: dict[str, Any] = {"branch": self.branch, "min_std": self.min_std}
        self._options |= {"non_expansive": self.non_expansive} | ({"rule": self.rule} if spherical else {})

    def reset(self) -> None:
        """Forget everything: back to the prior."""
        super().reset()
        self.local_flow: LocalFlow = copy.deepcopy(self._first_local_flow)

    @property
    def eta(self) -> float | None:
        """Learning rate of the local flow; None if it has none."""
        return getattr(self.local_flow, "eta", None)

    def step(self, x: Any, y: Any, rng: Any) -> Round:
        """Algorithm 1: sample a weight, predict with it, let it step, and let the belief flow along."""
        x, y = self.example(x, y, rng)
        before, seen, network = self.belief, None, isinstance(self.model, MLP) and self._has_pass(rng)
        start = rng.bit_generator.state if network else None
        z, w, w_new, prediction = self._sampled(before, x, y, rng)
        if network:  # its pass draws the same once more
            rng.bit_generator.state = start
            seen = self.learn(self.one_row(x), np.array([y]), rng)
        else:
            self.belief = before.flow(w, w_new, z=z, **self._options)
            for _ in range(self.updates - 1):
                z, *moves, _ = self._sampled(self.belief, x, y, rng)
                self.belief = self.belief.flow(*moves, z=z, **self._options)
        return self.outcome(w, w_new, prediction, y, seen, before, self.belief)

    def _sampled(self, belief: Any, x: Floats, y: int, rng: RNG) -> tuple[Floats, Floats, Floats, Any]:
        """Draw standard normals and the weight that they stand for, predict with it, and let it step."""
        # On branch +1, plain steps leave a weight without a gradient, and its Gaussian, as they are.
        is_local = isinstance(belief, DiagonalBelief) and self._takes_gradient_steps
        z = normals(rng, self.model.reached(x) if is_local else np.ones(self.dim, bool))
        w = belief.weight(z)
        prediction = self.model.forward(w, x)
        return z, w, self.local_flow(w.copy(), prediction.gradient(y)), prediction

    @property
    def _takes_gradient_steps(self) -> bool:
        return self.branch > 0 and type(self.local_flow) is GradientStep

    def _has_pass(self, rng: RNG) -> bool:
        """True if rounds can be compiled: plain steps on branch +1, and of networks those of a diagonal belief."""
        full, network = isinstance(self.belief, FullBelief), isinstance(self.model, MLP)
        # A pass raises only weights that move to the floor, and knows none for a full belief: a step does.
        floored = self.min_std > (0 if full else np.min(self.belief.std))
        fits = isinstance(self.belief, DiagonalBelief) or not network
        return fits and not floored and self._takes_gradient_steps and can_compile(rng)

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions:
        """Do a block of rounds, compiled if there is a pass for them."""
        if not self._has_pass(rng):
            return super().learn(rows, y, rng)
        settings: Any = self.eta, self.updates
        if isinstance(self.model, MLP):
            shape, none = (np.array(self.model.sizes), self.model.bias), (0.0, 0.0)
            settings = *shape, *settings, self.non_expansive, self.min_std, *none, none
        else:
            dim = float(self.dim if self.rule == "exact" else 1)
            settings = kernels.FLOW, *settings, True, 0.0, self.non_expansive, self.min_std, dim
        return self.move_belief(rows, y, rng, settings)
