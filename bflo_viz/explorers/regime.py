"""One update of one weight, by hand."""

from bflo_viz.beliefs import DiagonalBelief
from bflo_viz.explorers.base import Explorer
from bflo_viz.explorers.controls import choice, flag, number
from bflo_viz.flows import Regime, regime, stretch, stretch_kl


class RegimeExplorer(Explorer):
    """Move a weight from Δ to Δ′, and see how a Gaussian belief around 0 follows and what that costs.

    ``delta`` and ``delta_new`` are where the sampled weight lies before and after its step, ``std`` is the width of
    the prior; ``branch`` and ``non_expansive`` are those of `DiagonalBelief.flow`. ``stretch`` is the factor by which
    the belief is stretched, None for the cheapest; it can be dragged by hand. ``map`` chooses what the map shows, and
    ``main`` the large picture.

    >>> explorer = RegimeExplorer(delta=1.0, delta_new=-2.0)
    >>> explorer.regime, round(float(explorer.posterior.std[0]), 3)
    (<Regime.CROSSING: 'crossing'>, 0.366)
    """

    view, title = "regime", "One update of one weight"
    delta = number(1.5, -4, 4, step=0.01, label="Δ before", about="The sampled weight before its step.")
    delta_new = number(0.5, -4, 4, step=0.01, label="Δ′ after", about="The same weight after its step.")
    std = number(1.0, 0.25, 3, label="prior σ", about="Standard deviation of the prior, whose mean is 0.")
    stretch = number(None, -12, 12, step=0.01, label="stretch a", about="None: the least expensive stretch.")
    branch = choice(1, {1: "upright", -1: "turned over"}, label="belief", about="The paper's δ₁: −1 reflects it.")
    non_expansive = flag(label="cannot widen", about="True if the belief cannot widen.")
    map = choice("width", {"width": "width", "mean": "mean"}, label="map of", about="Colours of the map.")
    main = choice("belief", {"belief": "belief", "price": "price", "map": "map"}, label="large picture")

    @property
    def belief(self) -> DiagonalBelief:
        """The prior."""
        return DiagonalBelief([0.0], self.std)

    @property
    def taken(self) -> float:
        """The stretch in use: the one set by hand, or else the cheapest."""
        free = self._least() if self.stretch is None else self.stretch
        return max(-1.0, min(1.0, free)) if self.non_expansive else free

    @property
    def posterior(self) -> DiagonalBelief:
        """The belief after the stretch, which carries Δ to Δ′."""
        return DiagonalBelief([self.delta_new - self.taken * self.delta], abs(self.taken) * self.std)

    @property
    def price(self) -> float:
        """KL(posterior ‖ prior) in nats of the stretch that is taken."""
        return float(stretch_kl(self.taken, self.delta / self.std, self.delta_new / self.std))

    @property
    def regime(self) -> Regime:
        """The regime that Δ and Δ′ are in."""
        return regime(self.delta, self.delta_new, branch=self.branch)

    def _least(self) -> float:
        return float(stretch(self.delta / self.std, self.delta_new / self.std, branch=self.branch))
