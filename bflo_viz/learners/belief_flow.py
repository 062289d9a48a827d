"""Belief flows: Algorithm 1 of the paper."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from bflo_viz import _checks as check
from bflo_viz import kernels
from bflo_viz._checks import RNG, Floats
from bflo_viz.beliefs import Belief, DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.learners.base import Labels, Learner, Model, Predictions, Round, normals
from bflo_viz.learners.local_flows import GradientStep
from bflo_viz.learners.rows import Block
from bflo_viz.models import MLP, Logistic

LocalFlow = Callable[[Floats, Floats], Floats]
_PASSES: dict[type, tuple[str, ...]] = {  # the fields of a belief that its pass changes
    DiagonalBelief: ("diagonal_pass", "mean", "std"),
    SphericalBelief: ("spherical_pass", "mean", "std"),
    FullBelief: ("full_pass", "mean", "factor", "inverse_factor"),
}


class BeliefFlow(Learner):
    """A Gaussian belief over the weights, moved by the step of one sampled weight.

    The ``belief`` is the prior: spherical, diagonal or full; the ``model`` is `Logistic` (the default) or an `MLP`.
    ``non_expansive``, ``branch``, ``min_std`` and ``rule`` are those of `Belief.flow`. Each example gets so many
    ``updates``, each with a fresh sample; the first sample predicts. A ``local_flow`` is a callable
    ``(w, gradient) -> w_new`` such as `Momentum` or `Adam`, and ``eta`` is then not used; it is copied, so that
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
        if type(belief) not in _PASSES:
            raise ValueError(f"belief must be a belief, but it was a {type(belief).__name__}.")
        model = Logistic() if model is None else model
        super().__init__(model, model.sizes[0] if isinstance(model, MLP) else belief.dim, updates=updates)
        if belief.dim != self.dim:
            raise ValueError(f"belief must have the {self.dim} weights of the model, but it has {belief.dim}.")
        if local_flow is not None and not callable(local_flow):
            raise ValueError(f"local_flow must be callable, but it was a {type(local_flow).__name__}.")
        self.non_expansive = check.flag("non_expansive", non_expansive)
        self.branch = check.sign("branch", branch)
        self.min_std = check.scalar("min_std", min_std, least=0.0)
        self.rule = check.choice("rule", rule, ("printed", "exact"))
        spherical = isinstance(belief, SphericalBelief)
        if self.rule == "exact" and not spherical:
            raise ValueError(f"rule must be 'printed' for a {type(belief).__name__}; 'exact' is for spherical ones.")
        self._options: dict[str, Any] = {"branch": self.branch, "min_std": self.min_std}
        self._options |= {"non_expansive": self.non_expansive} | ({"rule": self.rule} if spherical else {})
        self._prior = belief
        self._first_local_flow: LocalFlow = copy.deepcopy(local_flow) or GradientStep(eta)
        self.reset()

    def reset(self) -> None:
        """Forget everything: back to the prior."""
        self._belief: Any = self._prior
        self.local_flow: LocalFlow = copy.deepcopy(self._first_local_flow)
        self.rounds = 0

    @property
    def eta(self) -> float | None:
        """Learning rate of the local flow; None if it has none."""
        return getattr(self.local_flow, "eta", None)

    @property
    def belief(self) -> Belief:
        """Belief over the weights, as it is now."""
        return self._belief

    def weights_for_prediction(self, rng: RNG | None = None) -> Floats:
        """Return the mean of the belief, or a Thompson sample of it."""
        return self.belief.mean if rng is None else self.belief.sample(rng)

    def step(self, x: Any, y: Any, rng: RNG) -> Round:
        """Algorithm 1: sample a weight, predict with it, let it step, and let the belief flow along."""
        x, y = self.example(x, y, rng)
        before = self._belief
        bits: Any = getattr(rng, "bit_generator", None)  # a RandomState has none, and no pass
        start = bits.state if bits and isinstance(self.model, MLP) else None
        if seen := self.pass_of_one(x, y, rng):  # for its record, the round draws once more what its pass drew
            end, bits.state = bits.state, start
        z, w, w_new, prediction = self._sampled(before, x, y, rng)
        if seen:
            bits.state = end
        else:
            belief = before.flow(w, w_new, z=z, **self._options)
            for _ in range(self.updates - 1):
                z, *moves, _ = self._sampled(belief, x, y, rng)
                belief = belief.flow(*moves, z=z, **self._options)
            self._belief = belief
        return self.outcome(w, w_new, prediction, y, seen, before=before, after=self._belief)

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

    def learn(self, rows: Block, y: Labels, rng: Any) -> Predictions | None:
        """Do a block of rounds compiled: plain steps on branch +1, and of networks those of a diagonal belief."""
        belief, model = self._belief, self.model
        name, *fields = _PASSES[type(belief)]
        state = [np.array(getattr(belief, field), model.precision, ndmin=1) for field in fields]
        # A pass raises only weights that move to the floor, and knows none for a full belief: a step does.
        floored = self.min_std > 0 if name == "full_pass" else state[1].min() < state[1].dtype.type(self.min_std)
        if floored or not self._takes_gradient_steps:
            return None
        settings: Any = self.eta, self.updates
        if isinstance(model, MLP):
            if name != "diagonal_pass":
                return None
            name, none = "network_pass", (0.0, 0.0)
            settings = np.array(model.sizes), model.bias, *settings, self.non_expansive, self.min_std, *none, none
        else:
            dim = float(self.dim if self.rule == "exact" else 1)
            settings = kernels.FLOW, *settings, True, 0.0, self.non_expansive, self.min_std, dim
        predictions = self.by_pass(name, state, rows, y, rng, settings)
        values: list[Any] = [array.astype(np.float64, copy=False) for array in state]
        if isinstance(belief, SphericalBelief):
            values[1] = float(values[1][0])
        self._belief = belief._moved(**dict(zip(fields, values, strict=True)))
        return predictions
