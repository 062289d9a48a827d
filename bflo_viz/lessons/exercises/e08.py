"""Judges of the exercises of notebook 08: a belief narrow enough to follow, and whom to ask."""

from typing import Any

import numpy as np

from bflo_viz import FullBelief, SphericalBelief
from bflo_viz.lessons.exercise import call, hint_if, number

_WEIGHTS, _STEP = 50, 0.1  # of exercise 08.1
_LEAST, _MOST = 0.5, 0.7


def _seeded(function: Any, seed: int) -> Any:
    """The function with its generator: so no hint names one, whose address differs from run to run."""
    return lambda belief, X: function(belief, X, np.random.default_rng(seed))


def narrow_enough(answer: Any) -> None:
    """Judge a width by how much of a step the mean follows, on average over samples and directions."""
    std = number(answer, "the width")
    hint_if(
        (std <= 0, "A width must be above 0."),
        (std < 1e-9, "The mean follows 100 % of the step: that is narrower than it has to be."),
    )
    belief, rng, parts = SphericalBelief(np.zeros(_WEIGHTS), std), np.random.default_rng(0), []
    for z, way in rng.standard_normal((300, 2, _WEIGHTS)):
        w, step = belief.weight(z), _STEP * way / np.linalg.norm(way)
        parts.append(belief.flow(w, w + step, z=z, non_expansive=True).mean @ step / _STEP**2)
    followed, away = float(np.mean(parts)), std * np.sqrt(_WEIGHTS)
    says = f"The mean follows {100 * followed:.0f} % of the step"
    hint_if(
        (
            followed < _LEAST and away > 2 * _STEP,
            f"{says}: a sample lies {away:.2g} from the mean, so a step of {_STEP:g} only turns it. Narrower!",
        ),
        (followed < _LEAST, f"{says}: a sample lies {away:.2g} from the mean, about as far as it steps. Nearly!"),
        (followed > _MOST, f"{says}: that is narrower than it has to be."),
    )


def most_disputed(answer: Any) -> None:
    """Judge the choice out of two pools in which each typical mistake has a row of its own."""
    belief = FullBelief([1.0, 0.0], np.diag([0.01, 4.0]))
    rows = {
        "agreed": (-5.0, 0.0),
        "ones": (5.0, 0.1),
        "margin": (0.004, 0.0),
        "spread": (40.0, 6.0),
        "probability": (2.0, 1.0),
        "disputed": (0.01, 0.1),
    }
    for n, pool in enumerate(([*rows][:2] + [*rows][:1:-1], [*rows])):
        ask = _seeded(answer, n) if callable(answer) else answer
        place = number(call(ask, belief, np.array([rows[name] for name in pool])))
        rows_end = len(pool) - 1
        hint_if(
            (
                place not in range(len(pool)),
                f"{place:g} is not the place of a row: they are 0 to {rows_end}. np.argmin gives places.",
            )
        )
        found = pool[int(place)]
        hint_if(
            (found == "agreed", "This is where the weights agree most. You want the vote nearest to half and half."),
            (found == "ones", "This is a row on which they all say 1. You want the vote nearest to half and half."),
            (found == "margin", "This asks the mean: a tiny x is near its boundary, yet all weights agree on it."),
            (found == "spread", "This goes by the spread of w · x, which is large for a huge x, whatever they vote."),
            (found == "probability", "This goes by the spread of the probabilities. Count votes: w · x > 0, or not."),
        )
