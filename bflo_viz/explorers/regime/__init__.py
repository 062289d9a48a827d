"""The regimes of one update, by hand."""

from pathlib import Path

from matplotlib.figure import Figure

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.regime.figure import draw, draw_small
from bflo_viz.explorers.traits import Choice, Flag, Number
from bflo_viz.flows import Regime, regime


class RegimeExplorer(Explorer):
    """Move a weight from Δ to Δ′ and see what becomes of a Gaussian belief around 0, and why.

    ``delta`` and ``delta_new`` are where the sampled weight lies before and after its step, ``std`` is the width of
    the prior; ``branch`` and ``non_expansive`` are those of `DiagonalBelief.flow`.

    >>> explorer = RegimeExplorer(delta=1.0, delta_new=-2.0)
    >>> explorer.regime, round(float(explorer.posterior.std[0]), 3)
    (<Regime.CROSSING: 'crossing'>, 0.366)
    """

    delta = Number(1.5, low=-4, high=4, help="Where the sampled weight is before its step.")
    delta_new = Number(0.5, low=-4, high=4, help="Where it is after its step.")
    std = Number(1.0, low=0.25, high=3, help="Standard deviation of the prior, whose mean is 0.")
    branch = Choice(1, options=(1, -1), help="+1 is connected to the identity, -1 reflects the belief.")
    non_expansive = Flag(False, help="Whether the belief may not widen.")
    _view = Path(__file__).with_name("view.js")
    _title = "One update in one dimension"

    @property
    def belief(self) -> DiagonalBelief:
        """The prior."""
        return DiagonalBelief([0.0], [self.std])

    @property
    def posterior(self) -> DiagonalBelief:
        """What the flow makes of it."""
        weights = [self.delta], [self.delta_new]
        return self.belief.flow(*weights, branch=self.branch, non_expansive=self.non_expansive)

    @property
    def regime(self) -> Regime:
        """The regime that Δ and Δ′ are in; on the reflected branch, that of the mirrored weight."""
        return Regime(regime(self.branch * self.delta, self.delta_new))

    def figure(self, *, style: str = "paper") -> Figure:
        """The same state as a figure for print, with alt text."""
        return draw(self, style)

    def _picture(self) -> Figure:
        return draw_small(self)

    def _describe(self) -> str:
        post = self.posterior
        return (
            f"A weight moved from {self.delta:z.2f} to {self.delta_new:z.2f} ({self.regime}); "
            f"the mean moved from 0 to {post.mean[0]:z.2f} and the standard deviation from {self.std:.2f} "
            f"to {post.std[0]:.2f} (branch {self.branch:+d}{', non-expansive' if self.non_expansive else ''})."
        )
