"""Digits, and a network that learns them: its first layer, its hidden units, and what drawn weights say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief, DiagonalBelief
from bflo_viz.flows import width_kl
from bflo_viz.learners import BeliefFlow, Learner
from bflo_viz.models import MLP
from bflo_viz.scenes.base import Scene, number
from bflo_viz.streams import Stream, enlarge, load_stream, on_noise, on_photographs, shuffle, to_unit
from bflo_viz.streams.backgrounds import SIDE, photographs
from bflo_viz.streams.load import is_here

STILL = 0.05  # a unit whose activity deviates by less than this from picture to picture tells nothing


def _digits() -> tuple[Stream, str]:
    """MNIST, or scikit-learn's digits where it is not here, and what they are in words."""
    if is_here("mnist"):
        return load_stream("mnist"), "digits of MNIST"
    return enlarge(load_stream("digits")), "digits of scikit-learn, enlarged, as MNIST is not here"


@dataclass(frozen=True, eq=False)
class Digits(Scene):
    """Pictures of shape ``(class, example, row, column)`` from 0 to 255, the same digits in all three.

    ``about`` says which digits they are, and ``behind`` which photographs are behind those of ``images``.
    """

    plain: NDArray[np.uint8]
    random: NDArray[np.uint8]
    images: NDArray[np.uint8]
    about: str
    behind: str

    def _words(self) -> str:
        plain, random, images = (pictures.mean() for pictures in (self.plain, self.random, self.images))
        return f"""Three sheets with the same {self.plain.shape[1]} examples of each digit from 0 to 9. {self.about}.
            Left, PLAIN: white on black, mean grey {plain:.0f} of 255. Middle, RANDOM: on uniform noise, mean grey
            {random:.0f}; the strokes are hard to see. Right, IMAGES: on patches of {self.behind}, mean grey
            {images:.0f}; digits vanish where a patch is bright."""


def digits(rng: np.random.Generator, *, examples: int = 6) -> Digits:
    """Draw some digits of each class, and put them on noise and on photographs (the data of the paper's Table 2)."""
    check.generator(rng)
    check.positive_int("examples", examples)
    stream, about = _digits()
    rows = [rng.choice(np.flatnonzero(stream.y == label), examples, replace=False) for label in range(10)]
    plain = stream.take(np.concatenate(rows))
    pictures, behind = photographs()
    parts = plain, on_noise(plain, rng), on_photographs(plain, pictures, rng)
    white, noisy, images = (part.X.reshape(10, examples, SIDE, SIDE) for part in parts)
    return Digits(white, noisy, images, about[0].upper() + about[1:], behind)


@dataclass(frozen=True, eq=False)
class FirstLayer(Scene):
    """The weights into the hidden units that learned most.

    Attributes
    ----------
    mean, std
        Of the weights from each pixel, shape ``(unit, row, column)``.
    chosen, hidden
        Which hidden units these are, the one that learned most (by KL) first; and how many there are in all.
    prior_std
        The width of the prior; its mean is 0.
    kept, dark
        The pixels whose weights, to *every* hidden unit, are still those of the prior to the bit; and those that were
        zero in every example, or None if that is not known.
    about
        What was learned, in a few words.
    """

    mean: Floats
    std: Floats
    chosen: NDArray[np.int64]
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
        units: int | NDArray[np.int64] = 12,
        *,
        seen: ArrayLike | None = None,
        about: str = "",
    ) -> "FirstLayer":
        """Look at a belief as it is now, also while it learns: ``FirstLayer.of(learner.belief, model, 0.5)``.

        The inputs of the model are the pixels of a square picture. ``units`` says how many hidden units to look at,
        those that learned most, or which ones; ``seen`` has the examples that were learned, as rows.
        """
        if not isinstance(model, MLP):
            raise ValueError(f"model must be an MLP, but it was a {type(model).__name__}.")
        pixels, hidden = model.sizes[:2]
        side = _side_of("model", pixels)
        check.positive("prior_std", check.scalar("prior_std", prior_std))
        widths = np.broadcast_to(belief.std, belief.mean.shape)  # type: ignore[attr-defined]  # one for all, or each its own
        # Rows are units; the weights of the biases are left out.
        mean, std = (model.unflatten(np.asarray(values, float))[0][:pixels].T for values in (belief.mean, widths))
        # A compiled pass may hold the widths in single precision, the prior's too.
        untouched = (mean == 0) & ((std == prior_std) | (std == np.float32(prior_std)))
        learned = np.where(untouched, 0.0, 0.5 * (mean / prior_std) ** 2 + width_kl(std / prior_std)).sum(axis=1)
        if not isinstance(units, np.ndarray):
            units = np.argsort(-learned, kind="stable")[: check.positive_int("units", units)]
        shape = (len(units), side, side)
        dark = None if seen is None else ~check.rows("seen", seen, pixels).any(axis=0).reshape(side, side)
        kept = untouched.all(axis=0).reshape(side, side)
        mean, std = mean[units].reshape(shape), std[units].reshape(shape)
        return cls(mean, std, units, hidden, float(prior_std), kept, dark, about)

    @property
    def dark_kept_the_prior(self) -> bool:
        """Whether pixels that were never on are known, and each has every weight still at the prior to the bit."""
        return self.dark is not None and bool(self.dark.any() and self.kept[self.dark].all())

    def finding(self) -> str:
        """What became of the pixels that teach nothing."""
        prior = f"the prior's mean 0 and width {self.prior_std:g}"
        if self.dark is not None and self.dark_kept_the_prior:
            return f"The {self.dark.sum()} pixels that were never on teach nothing: their weights keep {prior}"
        if not self.kept.any():
            return f"No pixel has kept all weights at {prior}"
        return f"The weights of {self.kept.sum()} pixels are still at {prior}"

    def _words(self) -> str:
        after = f" after {self.about}" if self.about else ""
        side = len(self.kept)
        return f"""Pictures of {side} by {side} pixels of the weights into {len(self.chosen)} of {self.hidden} hidden
            units{after}. Left, means from {number(self.mean.min(), 2)} to {self.mean.max():.2f}; right, standard
            deviations from {self.std.min():.2f} to {self.std.max():.2f}. {self.finding()}."""


@dataclass(frozen=True, eq=False)
class Film(Scene):
    """The first layer at several moments, by their names: the units that had learned most at the last of them."""

    layers: dict[str, FirstLayer]

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
        *_, last = beliefs.values()
        chosen = FirstLayer.of(last, model, prior_std, units).chosen
        return cls({name: FirstLayer.of(b, model, prior_std, chosen, seen=seen) for name, b in beliefs.items()})

    def _words(self) -> str:
        rows = "; ".join(
            f"{moment}, means up to {np.abs(layer.mean).max():.2f} from 0, narrowest width {layer.std.min():.2f}, "
            f"{layer.kept.sum()} pixels with all weights as in the prior"
            for moment, layer in self.layers.items()
        )
        *_, last = self.layers.values()
        return f"""Pictures of the weights into {len(last.chosen)} of {last.hidden} hidden units, a row for each
            moment: means on the left, standard deviations ({last.prior_std:g} in the prior) on the right. {rows}."""


def first_layer(
    rng: np.random.Generator, *, hidden: int = 50, rounds: int = 1400, units: int = 12, std: float = 0.5
) -> FirstLayer:
    """Learn digits in one pass, and look at the first layer.

    The learner is the diagonal flow of the paper's second table as its numbers come out: non-expansive, learning rate
    0.2, five updates on each example. ``std`` is the width of its prior.
    """
    check.generator(rng)
    stream, which = _digits()
    if check.positive_int("rounds", rounds) > stream.rows:
        raise ValueError(f"rounds must be at most the {stream.rows:,} digits there are, but it was {rounds:,}.")
    stream = to_unit(shuffle(stream, rng).take(slice(rounds)))
    model = MLP((SIDE * SIDE, check.positive_int("hidden", hidden), 10))
    prior = DiagonalBelief(np.zeros(model.size(stream.features)), std)
    learner = BeliefFlow(prior, model, eta=0.2, updates=5, non_expansive=True)
    learner.run(stream.X, stream.y, rng)
    return FirstLayer.of(learner.belief, model, std, units, seen=stream.X, about=f"{rounds:,} {which}")


def _side_of(name: str, pixels: int) -> int:
    side = math.isqrt(pixels)
    if side * side != pixels:
        raise ValueError(f"{name} must have the pixels of a square picture as inputs, but it has {pixels} inputs.")
    return side


@dataclass(frozen=True, eq=False)
class Opinions(Scene):
    """Pictures, their classes, and what each of several weights that were drawn from a belief says of them."""

    pictures: Floats  # (picture, row, column)
    truth: NDArray[np.int64]
    outputs: Floats  # activations of the output units: (picture, sample, class)

    @classmethod
    def of(
        cls, learner: Learner, X: Floats, y: NDArray[np.int64], rng: np.random.Generator, samples: int
    ) -> "Opinions":
        """Draw so many weights from the belief of a learner; each says what it sees in every row of ``X``."""
        rows = check.numbers("X", X)
        side = _side_of("X", rows.shape[-1])
        outputs = [learner.predict_proba(rows, rng) for _ in range(check.positive_int("samples", samples))]
        return cls(rows.reshape(-1, side, side), np.asarray(y, dtype=np.int64), np.stack(outputs, axis=1))

    @property
    def votes(self) -> NDArray[np.int64]:
        """How many samples are for each class, shape ``(picture, class)``: each is for its largest output."""
        chosen = self.outputs.argmax(axis=2)
        return np.asarray((chosen[:, :, None] == np.arange(self.outputs.shape[2])).sum(axis=1))

    @property
    def missed(self) -> NDArray[np.bool_]:
        """Whether the vote on each picture is wrong."""
        return np.asarray(self.votes.argmax(axis=1) != self.truth)

    def missed_by_share(self, edges: Sequence[float]) -> Floats:
        """100 where the vote is wrong and 0 where it is right, in the column of its winner's share of the votes.

        Columns are the bins between ``edges``; everything else is NaN. A bin with fewer than five pictures is empty.
        """
        bins = np.digitize(self.votes.max(axis=1) / self.outputs.shape[1], edges)
        found = np.full((len(bins), len(edges) + 1), np.nan)
        found[np.arange(len(bins)), bins] = 100.0 * self.missed
        found[:, np.bincount(bins, minlength=len(edges) + 1) < 5] = np.nan
        return found

    def missed_at_the_ends(self, share: float) -> tuple[float, float]:
        """Share of wrong votes among the pictures with the most doubt, and among those with the least."""
        order, many = np.argsort(self.votes.max(axis=1), kind="stable"), int(share * len(self.truth))
        return float(self.missed[order[:many]].mean()), float(self.missed[order[-many:]].mean())

    def called(self, picture: int) -> str:
        """What a picture is, with its article."""
        return f"{'an' if self.truth[picture] == 8 else 'a'} {self.truth[picture]}"

    def tally(self, picture: int) -> str:
        """The votes that were cast on a picture, most first."""
        votes = self.votes[picture]
        order = [k for k in np.argsort(-votes, kind="stable") if votes[k]]
        return ", ".join(f"{votes[k]} for {k}" for k in order[:3]) + (" …" if len(order) > 3 else "")

    def _words(self) -> str:
        votes = "; ".join(f"{self.called(i)}: {self.tally(i)}" for i in range(len(self.truth)))
        return f"""{len(self.pictures)} pictures of digits; below each, a map of the ten outputs of
            {self.outputs.shape[1]} networks drawn from the belief, one in each row, and a dot on the largest output.
            Votes of {votes}."""


@dataclass(frozen=True, eq=False)
class Activity(Scene):
    """Activities of hidden units from 0 to 1 by the name of a panel: pictures as rows, units as columns."""

    panels: dict[str, Floats]

    def _words(self) -> str:
        shares = "; ".join(f"{name}, {constant_share(rows):.0%}" for name, rows in self.panels.items())
        return f"""Maps of the activity of hidden units: each row is a picture, each column a unit. A constant unit is
            an upright stripe. Share of units whose activity deviates by less than {STILL:g}: {shares}."""


def activity(panels: Mapping[str, ArrayLike]) -> Activity:
    """Activities by the name of their panel, such as those that `MLP.hidden` gives."""
    if not panels:
        raise ValueError("panels must have at least one activity, but there is none.")
    return Activity({name: check.numbers(f"panels[{name!r}]", rows) for name, rows in panels.items()})


def constant_share(rows: ArrayLike, still: float = STILL) -> float:
    """Share of units (columns) whose activity has a standard deviation below ``still`` over the pictures (rows).

    >>> constant_share([[0.0, 1.0], [1.0, 1.0]])
    0.5
    """
    rows = check.numbers("rows", rows)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"rows must have a picture a row and a unit a column, but it has shape {rows.shape}.")
    return float(np.mean(rows.std(axis=0) < still))
