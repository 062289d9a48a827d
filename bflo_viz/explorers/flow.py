"""One update of two weights by the full, the diagonal and the spherical flow, by hand."""

from typing import Any, ClassVar

import numpy as np
from traitlets import observe, validate

from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, flag, number, numbers

REACH = 6.0  # no weight is further out
# Hessians of the quadratic losses. No direction is steeper than 1, so no step within 0 … 2 makes the loss grow.
LOSSES = {
    "round": [[1.0, 0.0], [0.0, 1.0]],
    "valley": [[0.2, 0.0], [0.0, 1.0]],
    "tilted": [[0.6, -0.4], [-0.4, 0.6]],
}


class FlowExplorer(Explorer):
    """Move a weight in the plane, and compare what the full, the diagonal and the spherical flow make of a belief.

    The prior is an ellipse: ``mean``, ``axes`` (standard deviations along its two axes) and ``angle`` (degrees by
    which it is turned). The diagonal and the spherical flow start from the nearest belief of their type. ``w`` and
    ``w_new`` are the sampled weight before and after its step; with ``gradient_step`` the second follows from the
    first, by a step of size ``eta`` on a quadratic ``loss`` around ``optimum``. ``rule`` is the spherical one.

    >>> explorer = FlowExplorer(w=[1.0, 0.0], w_new=[0.0, 1.0])  # the weight only turns about the mean
    >>> {name: round(post.kl(explorer.belief[name]), 3) for name, post in explorer.posterior.items()}
    {'full': 0.0, 'diagonal': 0.847, 'spherical': 0.0}
    """

    view = "flow"
    title = "One update of two weights"
    constants: ClassVar = {"losses": LOSSES, "reach": REACH}
    mean = numbers([0.0, 0.0], -4, 4, about="Mean of the prior.")
    axes = numbers([1.0, 1.0], 0.2, 3, about="Standard deviations along the two axes of the prior.")
    angle = number(0.0, -90, 90, step=1, unit="°", label="angle", about="Degrees by which the ellipse is turned.")
    w = numbers([1.8, -0.4], -REACH, REACH, about="The weight before its step.")
    w_new = numbers([0.8, 0.9], -REACH, REACH, about="Where the step took it.")
    rule = choice("printed", {"printed": "as printed", "exact": "exact in 2D"}, label="spherical rule")
    non_expansive = flag(label="cannot widen", about="Whether no flow can widen the belief.")
    gradient_step = flag(label="step downhill", about="Whether w′ follows from w by a gradient step.")
    loss = choice("round", {"round": "round bowl", "valley": "valley", "tilted": "tilted valley"}, label="loss")
    optimum = numbers([-1.0, 1.5], -REACH, REACH, about="Where the loss is lowest.")
    eta = number(0.5, 0, 2, label="step size η", about="Size of the gradient step.")

    @property
    def belief(self) -> dict[str, Any]:
        """The prior of each flow: the nearest of its type to the ellipse, by KL(ellipse ‖ prior)."""
        turn = np.radians(self.angle)
        factor = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * self.axes
        full = FullBelief(self.mean, factor @ factor.T)
        return {
            "full": full,
            "diagonal": DiagonalBelief(self.mean, full.std),
            "spherical": SphericalBelief(self.mean, float(np.sqrt(np.mean(np.square(full.std))))),
        }

    @property
    def posterior(self) -> dict[str, Any]:
        """What each flow makes of its prior."""
        rules = {"full": {}, "diagonal": {}, "spherical": {"rule": self.rule}}
        return {
            name: prior.flow(self.w, self.w_new, non_expansive=self.non_expansive, **rules[name])
            for name, prior in self.belief.items()
        }

    @validate("w_new")
    def _keep_step(self, proposal: dict[str, Any]) -> list[float]:
        """In a gradient step w_new follows from w, whatever it is set to."""
        return self._step() if self.gradient_step else proposal["value"]

    @observe("gradient_step", "w", "optimum", "loss", "eta")
    def _follow(self, _: object) -> None:
        if self.gradient_step:
            self.w_new = self._step()

    def _step(self) -> list[float]:
        """Where a gradient step takes w, as far as the reach; summed as the page does it, so that both agree."""
        gradient = (LOSSES[self.loss] * (np.array(self.w) - self.optimum)).sum(axis=1)
        return np.clip(self.w - self.eta * gradient, -REACH, REACH).tolist()
