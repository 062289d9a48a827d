"""The regimes of one update, by hand."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.traits import Choice, Flag, Number
from bflo_viz.flows import Regime
from bflo_viz.scenes.one_dimension import BELIEFS, LANDSCAPE, UpdateScene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEP = ("Δ: weight before its step, from the mean", "Δ′: weight after its step")


class RegimeExplorer(Explorer):
    """Move a weight from Δ to Δ′ and see what becomes of a Gaussian belief around 0, and why.

    ``delta`` and ``delta_new`` are where the sampled weight lies before and after its step, ``std`` is the width of
    the prior; ``branch`` and ``non_expansive`` are those of `DiagonalBelief.flow`. ``covered`` hides on the maps what
    becomes of the belief where the weight crosses the mean, for those who have yet to bet on it.

    >>> explorer = RegimeExplorer(delta=1.0, delta_new=-2.0)
    >>> explorer.regime, round(float(explorer.posterior.std[0]), 3)
    (<Regime.CROSSING: 'crossing'>, 0.366)
    """

    delta = Number(1.5, low=-4, high=4, label="Δ before", help="Where the sampled weight is before its step.")
    delta_new = Number(0.5, low=-4, high=4, label="Δ′ after", help="Where it is after its step.")
    std = Number(1.0, low=0.25, high=3, label="prior σ", help="Standard deviation of the prior, whose mean is 0.")
    branch = Choice(
        1,
        options={1: "+1: connected to the identity", -1: "−1: reflected"},
        label="branch δ",
        help="+1 is connected to the identity, -1 reflects the belief.",
    )
    non_expansive = Flag(False, label="non-expansive", help="Whether the belief may not widen.")
    covered = Flag(False, label="cover crossing", help="Whether the maps hide steps past the mean.")
    _view = Path(__file__).with_name("view.js")
    _title = "One update in one dimension"
    _help = "Drag the point on a map, or focus it and use the arrow keys (with Shift: larger steps)."
    _panels: ClassVar = {
        "means": ("Posterior mean: orange below 0, violet above", *_STEP),
        "widths": ("Posterior σ: orange narrower, violet wider", *_STEP),
        "beliefs": (BELIEFS, "weight", "density"),
        "landscape": (LANDSCAPE, "stretch a; |a| = posterior σ / prior σ", "KL divergence (nats)"),
    }

    @property
    def scene(self) -> UpdateScene:
        """The update."""
        return UpdateScene(self.delta, self.delta_new, self.std, self.branch, self.non_expansive)

    @property
    def belief(self) -> DiagonalBelief:
        """The prior."""
        return self.scene.prior

    @property
    def posterior(self) -> DiagonalBelief:
        """What the flow makes of it."""
        return self.scene.posterior

    @property
    def regime(self) -> Regime:
        """The regime that Δ and Δ′ are in."""
        return self.scene.regime

    def figure(self, *, style: str = "paper") -> "Figure":
        """The same state as a figure for print, with alt text."""
        from bflo_viz.figures.one_dimension import draw_update

        return draw_update(self.scene, covered=self.covered, style=style)

    def _picture(self) -> "Figure":
        from bflo_viz.figures.one_dimension import draw_update

        return draw_update(self.scene, small=True, covered=self.covered)
