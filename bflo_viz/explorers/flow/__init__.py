"""Three flows of one step in two dimensions, by hand."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from traitlets import observe, validate

from bflo_viz.beliefs import DiagonalBelief, FullBelief, SphericalBelief
from bflo_viz.explorers.old_base import Explorer
from bflo_viz.explorers.traits import Choice, Flag, Number, Point
from bflo_viz.scenes.two_dimensions import HESSIANS, SHORTENED, TITLES, FlowTypes, QuadraticLoss, compare_flows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AnyBelief = FullBelief | DiagonalBelief | SphericalBelief
REACH = 6.0  # no weight is further out


class FlowExplorer(Explorer):
    """Move a weight in the plane and compare what the full, the diagonal and the spherical flow make of a belief.

    The prior is an ellipse: ``mean``, ``axes`` (standard deviations along its two axes) and ``angle`` (degrees by
    which it is turned). The diagonal and the spherical flow start from the nearest belief of their type.
    ``w`` and ``w_new`` are the sampled weight before and after its step; with ``gradient_step`` the second follows
    from the first, by a step of size ``eta`` on a quadratic ``loss`` around ``optimum``.

    >>> explorer = FlowExplorer(w=[1.0, 0.0], w_new=[0.0, 1.0])      # the weight only turns about the mean
    >>> {name: round(post.kl(explorer.belief[name]), 3) for name, post in explorer.posterior.items()}
    {'full': 0.0, 'diagonal': 0.847, 'spherical': 0.0}
    """

    mean = Point([0.0, 0.0], low=-4, high=4, label="Mean of the prior", help="Where the prior lies.")
    axes = Point(
        [1.0, 1.0],
        low=0.2,
        high=3,
        label=["first axis σ", "second axis σ"],
        help="Standard deviations along the two axes of the prior's ellipse.",
    )
    angle = Number(0.0, low=-90, high=90, step=1, unit="°", help="Degrees by which the ellipse is turned.")
    w = Point([1.8, -0.4], low=-REACH, high=REACH, label="Sampled weight w", help="The weight before its step.")
    w_new = Point(
        [0.8, 0.9],
        low=-REACH,
        high=REACH,
        label="Weight after its step, w′",
        follows="gradient_step",
        help="Where the step took it; in a gradient step it follows from w.",
    )
    rule = Choice(
        "printed",
        options={"printed": "as printed", "exact": "exact in two dimensions"},
        label="spherical rule",
        help="Rule of the spherical flow; see SphericalBelief.",
    )
    non_expansive = Flag(False, label="non-expansive", help="Whether no flow may widen the belief.")
    gradient_step = Flag(False, label="a gradient step", help="Whether w_new follows from w by a gradient step.")
    loss = Choice(
        "round",
        options={name: name for name in HESSIANS} | {"tilted": "tilted valley"},
        help="Shape of the loss that the step goes down.",
    )
    optimum = Point(
        [-1.0, 1.5], low=-REACH, high=REACH, label="Optimum of the loss", help="Where the loss is lowest."
    )
    eta = Number(0.5, low=0, high=2, label="step size η", help="Size of the gradient step.")
    _view = Path(__file__).with_name("view.js")
    _title = "One update in two dimensions"
    _help = (
        "In the first panel drag the mean □, the rings on the ellipse, w ○ and w′ ●, or focus one and use the arrow "
        "keys (with Shift: larger steps). In a gradient step drag the optimum + instead of w′, which follows."
    )
    _panels: ClassVar = dict.fromkeys(("full", "diagonal", "spherical"), ("", "first weight", "second weight"))
    _facts: ClassVar = {
        "hessians": {name: hessian.tolist() for name, hessian in HESSIANS.items()},
        "shortened": SHORTENED,
        "titles": TITLES,
        "note": "Grey outlines: prior, at 1 and 2 σ; filled: posterior. Arrows show where a flow takes the plane, at "
        f"1/{SHORTENED} of their length. The diagonal and the spherical flow start from the belief of their type "
        "that is nearest to the ellipse (least KL from it); the ellipse is dashed there.",
    }

    @property
    def belief(self) -> dict[str, AnyBelief]:
        """The prior of each flow, by type: the nearest to the ellipse by KL(ellipse ‖ prior)."""
        angle = np.radians(self.angle)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        full = FullBelief.from_factor(self.mean, turn * self.axes)
        return {
            "full": full,
            "diagonal": DiagonalBelief(self.mean, full.std),
            "spherical": SphericalBelief(self.mean, float(np.sqrt(np.mean(np.square(full.std))))),
        }

    @property
    def scene(self) -> FlowTypes:
        """The three flows of the step, with the loss that it went down, if it did."""
        loss = self._loss() if self.gradient_step else None
        options: dict[str, Any] = {"non_expansive": self.non_expansive, "rule": self.rule, "loss": loss}
        return compare_flows(self.belief, self.w, self.w_new, **options)

    @property
    def posterior(self) -> dict[str, Any]:
        """What each flow makes of its prior."""
        return {flow.name: flow.posterior for flow in self.scene.flows}

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.flow_types import draw_flow_types

        return draw_flow_types(self.scene, style=style)

    @validate("w_new")
    def _keep_step(self, proposal: dict[str, Any]) -> Any:
        """In a gradient step w_new follows from w, whatever it is set to; so observers hear of no other value."""
        return self._step() if self.gradient_step else proposal["value"]

    @observe("gradient_step", "w", "optimum", "loss", "eta")
    def _follow(self, _: object) -> None:
        """Let w_new follow from w; the browser does the same, and what it sends needs no second correction."""
        if self.gradient_step:
            self.w_new = self._step()

    def _loss(self) -> QuadraticLoss:
        return QuadraticLoss(self.loss, (self.optimum[0], self.optimum[1]), self.eta)

    def _step(self) -> list[float]:
        after: list[float] = self._loss().step(self.w, REACH).tolist()
        return after
