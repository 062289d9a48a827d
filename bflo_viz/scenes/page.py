"""What is on the handout: three figures of the paper."""

from dataclasses import dataclass

import numpy as np

from bflo_viz.scenes.base import Scene
from bflo_viz.scenes.one_dimension import RegimeMap, regime_map
from bflo_viz.scenes.pseudo_points import PseudoScene, pseudo_dataset
from bflo_viz.scenes.two_dimensions import FlowTypes, flow_types

STEPS = (
    (
        "1  Draw a weight",
        r"$w \sim N(\mu, \Sigma)$",
        "The learner keeps a belief, and\npredicts with a weight that is\ndrawn from it.",
    ),
    (
        "2  It takes its step",
        r"$w' = w - \eta\, \partial \ell / \partial w$",
        "An ordinary gradient step, for\nthe loss of this example.",
    ),
    (
        "3  The belief follows",
        r"$w \mapsto A\,w + b$",
        "All weights move by one linear\nmap that takes $w$ to $w'$ and\nchanges the belief least (KL).",
    ),
)


@dataclass(frozen=True, eq=False)
class Handout(Scene):
    """One update by three flows, one update in each regime, and a run read as data."""

    flows: FlowTypes
    regimes: RegimeMap
    points: PseudoScene

    def _words(self) -> str:
        steps = " ".join(f"{title}: {words}" for title, _, words in STEPS)
        return f"""A page that sums up belief flows. {steps} Three pictures follow. {self.flows.words()} Of the next
            figure the second map is shown. {self.regimes.words()} Of the last one, the first panel.
            {self.points.words()}"""


def handout(rng: np.random.Generator) -> Handout:
    """Compute the three figures."""
    return Handout(flow_types(), regime_map(points=81), pseudo_dataset(rng))
