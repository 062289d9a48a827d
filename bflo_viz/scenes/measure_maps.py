"""Why this KL? What the update would be if "as little as possible" meant something else."""

from dataclasses import dataclass

import numpy as np

from bflo_viz.flows import MEASURES
from bflo_viz.scenes.base import Scene
from bflo_viz.scenes.measures import WORDS
from bflo_viz.scenes.one_dimension import RegimeMap, regime_map


@dataclass(frozen=True, eq=False)
class MeasureMaps(Scene):
    """The map of each measure of change, side by side."""

    maps: tuple[RegimeMap, ...]

    def _words(self) -> str:
        each = (
            f"""By {WORDS[one.measure].name} it is {one.std.min():.2f} to {one.std.max():.2f}, and where the weight
            crosses the mean {one.crossing.min():.2f} to {one.crossing.max():.2f}."""
            for one in self.maps
        )
        return f"""Maps of the posterior standard deviation of a standard normal belief that changes as little as
            possible by one of {len(self.maps)} measures, over the distance of the sampled weight from the mean before
            its step (Δ, across) and after it (Δ′, up); bold contours are where it does not change.
            {" ".join(each)} Of these crossings, {self.share_of_points:.0%} make the belief a point by the last."""

    @property
    def share_of_points(self) -> float:
        """The part of the crossings on the last map that leave no width."""
        return float(np.mean(self.maps[-1].crossing == 0))


def about_crossing(scene: RegimeMap) -> str:
    """What becomes of the belief where the weight goes past the mean, in words."""
    if scene.crossing.min() == 0:
        return "past the mean, soon a point"
    return "past the mean, narrower" if scene.crossing.max() < 1 else "past the mean, wider"


def compare_measures(points: int = 121) -> MeasureMaps:
    """Return the map of the paper's KL(new ‖ old) beside those of KL(old ‖ new) and of the Wasserstein distance."""
    return MeasureMaps(tuple(regime_map(measure=measure, points=points) for measure in MEASURES))
