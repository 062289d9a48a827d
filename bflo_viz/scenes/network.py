"""What a network believes about its first layer, as pictures: in the end, and at several moments on the way."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief
from bflo_viz.beliefs.base import kl_of_widths
from bflo_viz.learners import BeliefFlow
from bflo_viz.models import MLP
from bflo_viz.scenes.base import Scene, number
from bflo_viz.streams import enlarge, load_stream, shuffle, to_unit
from bflo_viz.streams.backgrounds import SIDE
from bflo_viz.streams.load import is_here


@dataclass(frozen=True, eq=False)
class FirstLayer(Scene):
    """The weights into the hidden units that learned most.

    Attributes
    ----------
    mean, std
        Of the weights from each pixel, shape ``(unit, row, column)``.
    chosen
        Which hidden units these are, the one that learned most first.
    learned
        How far the weights of each are from the prior: their KL in nats, without the bias.
    hidden
        How many hidden units there are in all.
    prior_std
        The width of the prior; its mean is 0.
    kept
        The pixels whose weights, to *every* hidden unit, are still those of the prior to the bit.
    dark
        The pixels that were zero in every example; None if that is not known.
    about
        What was learned, in a few words.
    """

    mean: Floats
    std: Floats
    chosen: NDArray[np.int64]
    learned: Floats
    hidden: int
    prior_std: float
    kept: NDArray[np.bool_]
    dark: NDArray[np.bool_] | None
    about: str

    @classmethod
    def of(
        cls,
        belief: Belief,
        model: MLP,
        prior_std: float,
        units: int = 12,
        *,
        seen: ArrayLike | None = None,
        about: str = "",
    ) -> "FirstLayer":
        """Look at a belief as it is now, also while it learns: ``FirstLayer.of(learner.belief, model, 0.5)``.

        Parameters
        ----------
        belief, model
            A belief over the weights of a network whose inputs are the pixels of a square picture.
        prior_std
            The width of its prior, whose mean is 0.
        units
            How many hidden units to look at: those that learned most.
        seen
            The examples that were learned, one a row: so it is known which pixels were never on.
        about
            What was learned, in a few words.
        """
        if not isinstance(model, MLP):
            raise ValueError(f"model must be an MLP, but it was a {type(model).__name__}.")
        pixels, hidden = model.sizes[:2]
        side = math.isqrt(pixels)
        if side * side != pixels:
            raise ValueError(f"model must have the pixels of a square picture as inputs, but it has {pixels} inputs.")
        if not check.scalar("prior_std", prior_std) > 0:
            raise ValueError(f"prior_std must be positive, but it was {prior_std:g}.")
        widths: Any = belief  # every belief has them, one for all weights or one for each
        mean, std = _weights(model, belief.mean), _weights(model, widths.std)
        # A compiled pass may hold the widths in single precision, the prior's too.
        untouched = (mean == 0) & ((std == prior_std) | (std == np.float32(prior_std)))
        learned = np.where(untouched, 0.0, kl_of_widths(std, prior_std, mean, 1)).sum(axis=1)
        chosen = np.argsort(-learned, kind="stable")[: check.dimension("units", units)]
        shape = (len(chosen), side, side)
        return cls(
            mean=mean[chosen].reshape(shape),
            std=std[chosen].reshape(shape),
            chosen=chosen,
            learned=learned[chosen],
            hidden=hidden,
            prior_std=float(prior_std),
            kept=untouched.all(axis=0).reshape(side, side),
            dark=None if seen is None else _never_on(seen, pixels).reshape(side, side),
            about=about,
        )

    @property
    def dark_kept_the_prior(self) -> bool:
        """Whether pixels that were never on are known, and each has every weight still at the prior to the bit."""
        return self.dark_pixels > 0 and bool(self.kept[self.dark].all())

    @property
    def dark_pixels(self) -> int:
        """How many pixels were zero in every example, as far as that is known."""
        return 0 if self.dark is None else int(self.dark.sum())

    def finding(self) -> str:
        """What became of the pixels that teach nothing."""
        prior = f"the prior's mean 0 and width {self.prior_std:g}"
        if self.dark_kept_the_prior:
            return f"The {self.dark_pixels} pixels that were never on teach nothing: their weights keep {prior}"
        kept = int(self.kept.sum())
        return (
            f"The weights of {kept} pixels are still at {prior}"
            if kept
            else f"No pixel has kept all weights at {prior}"
        )

    def _words(self) -> str:
        after = f" after {self.about}" if self.about else ""
        moved, side = ~self.kept, self.kept.shape[0]
        width = self.std[:, moved].mean() if moved.any() else self.prior_std
        return f"""Two sheets of {side} by {side} pixel pictures, one a hidden unit: the weights into
            {len(self.chosen)} of {self.hidden} units{after}. They are units {", ".join(map(str, self.chosen))}, from
            {self.learned[0]:.0f} to {self.learned[-1]:.0f} nats from the prior. Left: means, from
            {number(self.mean.min(), 2)} to {self.mean.max():.2f} around the prior's 0. Right: standard deviations,
            from {self.std.min():.2f} to {self.std.max():.2f}; on average {width:.2f} where weights have moved.
            {self.finding()}; {self.kept.sum()} of {side * side} pixels have all weights as in the prior."""


@dataclass(frozen=True, eq=False)
class Film(Scene):
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

    def _words(self) -> str:
        rows = "; ".join(
            f"{moment}: means up to {np.abs(mean).max():.2f} from 0, narrowest width {std.min():.2f}, median "
            f"{np.median(std):.2f}, {kept} pixels with all weights as in the prior"
            for moment, mean, std, kept in zip(self.moments, self.mean, self.std, self.kept, strict=True)
        )
        dark = "" if self.dark is None else f" {self.dark.sum()} pixels were never on; a line is around them."
        return f"""Two sheets of pictures of the weights from pixels into hidden units
            {", ".join(map(str, self.chosen))}, a moment a row: means on the left, standard deviations
            ({self.prior_std:g} in the prior) on the right. {rows}.{dark}"""


def first_layer(
    rng: np.random.Generator, *, hidden: int = 50, rounds: int = 1400, units: int = 12, std: float = 0.5
) -> FirstLayer:
    """Learn digits in one pass, and look at the first layer.

    The digits are those of MNIST; where it is not here, scikit-learn's, enlarged. The learner is the diagonal flow of
    the paper's second table as its numbers come out: non-expansive, learning rate 0.2, five updates on each example.

    Parameters
    ----------
    rng
        Where the order of the digits and the samples come from.
    hidden, rounds
        Units of the hidden layer, and how many digits are learned.
    units
        How many hidden units to look at.
    std
        The width of the prior.
    """
    check.generator(rng)
    mnist = is_here("mnist")
    stream = load_stream("mnist", download=False) if mnist else enlarge(load_stream("digits"))
    if check.dimension("rounds", rounds) > stream.rows:
        raise ValueError(f"rounds must be at most the {stream.rows:,} digits there are, but it was {rounds:,}.")
    stream = to_unit(shuffle(stream, rng).take(slice(rounds)))
    model = MLP((SIDE * SIDE, check.dimension("hidden", hidden), 10))
    prior = DiagonalBelief(np.zeros(model.size(stream.features)), std)
    learner = BeliefFlow(prior, model, eta=0.2, updates=5, non_expansive=True)
    learner.run(stream.X, stream.y, rng)
    which = "digits of MNIST" if mnist else "digits of scikit-learn, enlarged, as MNIST is not here"
    return FirstLayer.of(learner.belief, model, std, units, seen=stream.X, about=f"{rounds:,} {which}")


def _weights(model: MLP, values: Any) -> Floats:
    """Values of the weights from pixels to hidden units, one row a unit; those of the biases are left out."""
    size = model.size(model.sizes[0])
    flat = np.broadcast_to(np.asarray(values, dtype=np.float64), (size,)) if np.ndim(values) == 0 else values
    return model.unflatten(flat)[0][: model.sizes[0]].T


def _never_on(seen: ArrayLike, pixels: int) -> NDArray[np.bool_]:
    rows = np.asarray(seen)
    if rows.ndim != 2 or rows.shape[1] != pixels:
        raise ValueError(f"seen must have {pixels} pixels a row, but it has shape {rows.shape}.")
    return np.asarray(~rows.any(axis=0))
