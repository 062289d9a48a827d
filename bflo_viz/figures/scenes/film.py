"""The first layer of a network at several moments of its learning: always the same units."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief
from bflo_viz.figures.scenes.first_layer import FirstLayer
from bflo_viz.models import MLP


@dataclass(frozen=True, eq=False)
class Film:
    """The weights into a few hidden units, moment by moment.

    Attributes
    ----------
    moments
        What each moment is, in a few words.
    mean, std
        Of the weights from each pixel, shape ``(moment, unit, row, column)``.
    chosen
        Which hidden units these are: those that had learned most at the last moment.
    hidden, prior_std
        How many hidden units there are in all; the width of the prior, whose mean is 0.
    dark
        The pixels that were zero in every example; None if that is not known.
    kept
        How many pixels had every weight still as in the prior to the bit, at each moment.
    """

    moments: tuple[str, ...]
    mean: Floats
    std: Floats
    chosen: NDArray[np.int64]
    hidden: int
    prior_std: float
    dark: NDArray[np.bool_] | None
    kept: tuple[int, ...]

    @classmethod
    def of(
        cls,
        beliefs: Mapping[str, Belief],
        model: MLP,
        prior_std: float,
        units: int = 4,
        *,
        seen: ArrayLike | None = None,
    ) -> "Film":
        """Look at beliefs, each by the name of its moment, in their order; the rest is as for `FirstLayer.of`."""
        if not beliefs:
            raise ValueError("beliefs must have at least one moment, but there is none.")
        hidden = model.sizes[1] if isinstance(model, MLP) else 1
        layers = [FirstLayer.of(belief, model, prior_std, hidden, seen=seen) for belief in beliefs.values()]
        chosen = layers[-1].chosen[: check.dimension("units", units)]
        # where each unit is in each layer
        places = [np.argsort(layer.chosen, kind="stable")[chosen] for layer in layers]
        return cls(
            moments=tuple(beliefs),
            mean=np.stack([layer.mean[place] for layer, place in zip(layers, places, strict=True)]),
            std=np.stack([layer.std[place] for layer, place in zip(layers, places, strict=True)]),
            chosen=chosen,
            hidden=hidden,
            prior_std=float(prior_std),
            dark=layers[-1].dark,
            kept=tuple(int(layer.kept.sum()) for layer in layers),
        )
