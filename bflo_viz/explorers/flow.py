"""One update of two weights by the full, the diagonal and the spherical flow, by hand."""

from typing import Any

import numpy as np

from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, flag, number, numbers

REACH = 6.0  # no weight is further out


class FlowExplorer(Explorer):
    """Move a weight in the plane, and compare what the full, the diagonal and the spherical flow make of a belief.

    The prior is an ellipse: ``mean``, ``axes`` (standard deviations along its two axes) and ``angle`` (degrees by
    which it is turned). The diagonal and the spherical flow start from the nearest belief of their type. ``w`` and
    ``w_new`` are the sampled weight before and after its step, and ``rule`` is that of the spherical flow.

    >>> explorer = FlowExplorer(w=[1.0, 0.0], w_new=[0.0, 1.0])  # the weight only turns about the mean
    >>> {name: round(post.kl(explorer.belief[name]), 3) for name, post in explorer.posterior.items()}
    {'full': 0.0, 'diagonal': 0.847, 'spherical': 0.0}
    """

    view, title = "flow", "One update of two weights"
    mean = numbers([0.0, 0.0], -4, 4, about="Mean of the prior.")
    axes = numbers([1.0, 1.0], 0.2, 3, about="Standard deviations along the two axes of the prior.")
    angle = number(0.0, -90, 90, step=1, unit="°", label="angle", about="Degrees by which the ellipse is turned.")
    w = numbers([1.8, -0.4], -REACH, REACH, about="The weight before its step.")
    w_new = numbers([0.8, 0.9], -REACH, REACH, about="The weight after its step.")
    rule = choice("printed", {"printed": "as printed", "exact": "exact in 2D"}, label="spherical rule")
    non_expansive = flag(label="cannot widen", about="True if no flow can widen the belief.")

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
        """The posterior of each flow."""
        rules = {"full": {}, "diagonal": {}, "spherical": {"rule": self.rule}}
        return {
            name: prior.flow(self.w, self.w_new, non_expansive=self.non_expansive, **rules[name])
            for name, prior in self.belief.items()
        }
