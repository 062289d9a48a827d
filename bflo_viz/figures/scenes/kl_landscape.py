"""What a stretch costs: the KL divergence over all stretches that carry one weight to its new place."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.flows import Minimum, Regime, minimum, regime, stretch_kl


@dataclass(frozen=True, eq=False)
class Landscape:
    """KL (nats) by stretch for one pair (u, v), the two terms it is the sum of, and the lowest point of each side."""

    u: float
    v: float
    stretch: Floats
    mean_term: Floats
    width_term: Floats
    kl: Floats
    picked: Minimum
    reflected: Minimum
    regime: Regime


@dataclass(frozen=True, eq=False)
class Landscapes:
    """One landscape a pair, over the same stretches."""

    panels: tuple[Landscape, ...]


def kl_landscape(
    pairs: Iterable[tuple[float, float]] = ((1.0, 0.5), (1.0, -2.0), (1.0, 2.0)), *, span: float = 2.5
) -> Landscapes:
    """KL of every stretch from −span to span, for each pair: u before and v after the step, in prior std.

    The default has one pair of each regime; in the second, reflecting would be cheaper than what the update does.
    """
    span = check.scalar("span", span, least=0.1)
    # Dense around 0, where the KL goes to infinity, but so slowly that an even grid would cut it off.
    side = np.concatenate([np.geomspace(1e-9, 0.01, 40)[:-1], np.linspace(0.01, span, 250)])
    a = np.concatenate([-side[::-1], [0.0], side])
    return Landscapes(tuple(_landscape(a, float(u), float(v)) for u, v in pairs))


def _landscape(a: Floats, u: float, v: float) -> Landscape:
    width = stretch_kl(a, 0.0, 0.0)  # a weight at the mean that stays there: only the width is paid for
    kl = stretch_kl(a, u, v)
    mean = 0.5 * (v - a * u) ** 2
    return Landscape(u, v, a, mean, width, kl, minimum(u, v), minimum(u, v, branch=-1), regime(u, v))
