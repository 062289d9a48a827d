"""Digits, and a network that learns them: its first layer, its hidden units, and what drawn weights say."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from bflo_viz import _checks as check
from bflo_viz._checks import Floats
from bflo_viz.beliefs import Belief
from bflo_viz.figures import palette
from bflo_viz.figures.style import COLUMN, figure, panels
from bflo_viz.flows import width_kl
from bflo_viz.learners import Learner
from bflo_viz.models import MLP

STILL = 0.05  # a unit whose activity deviates by less than this from picture to picture tells nothing


@figure()
def draw_digits(sheets: Mapping[str, NDArray[np.uint8]]) -> tuple[Figure, str]:
    """Draw sets of pictures by name, each of shape (class, example, row, column), with values from 0 to 255."""
    picture, places = panels(1, len(sheets), (min(COLUMN, 2.4 * len(sheets)), 4.2))
    picture.suptitle("A bright background hides the strokes of digits", x=0.01, ha="left")
    for ax, (title, pictures) in zip(places, sheets.items(), strict=True):
        ax.imshow(_sheet(pictures, 2, 2, 255), cmap="gray", vmin=0, vmax=255, interpolation="nearest")
        _name_rows(ax, range(len(pictures)), pictures.shape[2], 2)
        ax.set(title=title, xlabel=f"mean grey {pictures.mean():.0f} of 255")
    places[0].set_ylabel("digit")
    greys = ", ".join(f"{name} {pictures.mean():.0f}" for name, pictures in sheets.items())
    return picture, f"The brighter the background, the more strokes of a digit are lost in it (mean grey {greys})."


class FirstLayer(NamedTuple):
    """Weights into some hidden units, and the pixels whose weights were never moved."""

    mean: Floats  # of the weights from each pixel, shape (unit, row, column)
    std: Floats
    chosen: NDArray[np.int64]  # which hidden units these are
    kept: NDArray[np.bool_]  # pixels whose weights, to *every* hidden unit, are those of the prior to the bit


def first_layer(belief: Belief, model: MLP, prior_std: float, units: int | NDArray[np.int64]) -> FirstLayer:
    """Return the weights from the pixels of a square picture into ``units``: so many that learned most, or these."""
    pixels = model.sizes[0]
    side = _side_of("model", pixels)
    widths = np.broadcast_to(belief.std, belief.mean.shape)  # one for all, or each its own
    # Rows are units; the weights of the biases are left out.
    mean, std = (model.unflatten(np.asarray(values, float))[0][:pixels].T for values in (belief.mean, widths))
    # A compiled pass may hold the widths in single precision, the prior's too.
    untouched = (mean == 0) & ((std == prior_std) | (std == np.float32(prior_std)))
    if not isinstance(units, np.ndarray):
        learned = np.where(untouched, 0.0, 0.5 * (mean / prior_std) ** 2 + width_kl(std / prior_std)).sum(axis=1)
        units = np.argsort(-learned, kind="stable")[: check.positive_int("units", units)]
    shape = (len(units), side, side)
    kept = untouched.all(axis=0).reshape(side, side)
    return FirstLayer(mean[units].reshape(shape), std[units].reshape(shape), units, kept)


@figure()
def draw_film(
    beliefs: Mapping[str, Belief], model: MLP, prior_std: float, units: int = 4, *, seen: ArrayLike | None = None
) -> tuple[Figure, str]:
    """Draw the first layer of beliefs, each by the name of its moment: means on the left, widths on the right.

    A row is a moment, a column one of the units that had learned most at the last of them. A thin line parts the
    pixels that were never on from the others, where ``seen`` has the examples.
    """
    if not beliefs:
        raise ValueError("beliefs must have at least one moment, but there is none.")
    last = first_layer([*beliefs.values()][-1], model, prior_std, units)
    layers = {name: first_layer(belief, model, prior_std, last.chosen) for name, belief in beliefs.items()}
    picture, axes = panels(1, 2, (COLUMN, 1.1 + 2.95 * len(layers) / units))
    means, stds = (np.stack([getattr(layer, part) for layer in layers.values()]) for part in ("mean", "std"))
    most = float(np.abs(means).max()) or 1.0
    looks = (means, palette.AROUND, -most, most), (stds, palette.NARROWING, 0.0, max(stds.max(), prior_std))
    pixels, hidden = model.sizes[:2]
    dark = last.kept if seen is None else ~check.rows("seen", seen, pixels).any(axis=0).reshape(last.kept.shape)
    inner = "left the prior" if seen is None else "were on at least once"
    for ax, (values, colors, least, greatest), what in zip(axes, looks, ("mean", "standard deviation"), strict=True):
        sheet = _sheet(values, 3, 3, np.nan)
        image = ax.imshow(sheet, cmap=colors, vmin=least, vmax=greatest, interpolation="nearest")
        if dark.any() and not dark.all():
            inside = _sheet(np.broadcast_to(np.asarray(dark, float), values.shape), 3, 3, np.nan)
            ax.contour(inside, [0.5], colors=palette.POSTERIOR, linewidths=0.6 * rcParams["lines.linewidth"])
            axes[1].set_xlabel(f"inside the line: pixels that {inner}", loc="right", fontsize="small")
        _name_rows(ax, list(layers) if ax is axes[0] else [""] * len(layers), values.shape[2], 3)
        ax.set(xlim=(-3.5, len(sheet[0]) + 2.5), ylim=(len(sheet) + 2.5, -3.5), facecolor=palette.WASH)
        picture.colorbar(image, ax=ax, location="bottom", label=f"{what} of a weight", aspect=30, pad=0.02)
    axes[0].set_title("Means: white is the prior's 0")
    axes[1].set_title(f"Widths: white is the prior's {prior_std:g}")
    axes[0].set_xlabel(f"{units} of {hidden} hidden units", loc="left", fontsize="small")
    rows = "; ".join(
        f"{moment}, means up to {np.abs(layer.mean).max():.2f} from 0 and widths down to {layer.std.min():.2f}"
        for moment, layer in layers.items()
    )
    return picture, f"As a network learns, the weights into its hidden units leave the prior: {rows}."


def _sheet(tiles: NDArray[Any], down: int, across: int, between: float) -> NDArray[Any]:
    """Return one picture of tiles of shape (row, column, side, side), with so many pixels between them."""
    rows, columns, side, _ = tiles.shape
    padded = np.pad(tiles, ((0, 0), (0, 0), (0, down), (0, across)), constant_values=between)
    return padded.swapaxes(1, 2).reshape(rows * (side + down), columns * (side + across))[:-down, :-across]


def _name_rows(ax: Axes, names: Any, side: int, gap: int) -> None:
    ax.spines[:].set_visible(False)
    ax.set(xticks=[], yticks=(side - 1) / 2 + (side + gap) * np.arange(len(names)), yticklabels=names)
    ax.tick_params(length=0)


def _side_of(name: str, pixels: int) -> int:
    side = math.isqrt(pixels)
    if side * side != pixels:
        raise ValueError(f"{name} must have the pixels of a square picture as inputs, but it has {pixels} inputs.")
    return side


@dataclass(frozen=True, eq=False)
class Opinions:
    """Pictures, their classes, and the outputs of several networks drawn from a belief."""

    pictures: Floats  # (picture, row, column)
    truth: NDArray[np.int64]
    outputs: Floats  # activations of the output units: (picture, sample, class)

    @classmethod
    def of(
        cls, learner: Learner, X: Floats, y: NDArray[np.int64], rng: np.random.Generator, samples: int
    ) -> "Opinions":
        """Draw this many networks from the belief of a learner, and ask each of them about every row of ``X``."""
        rows = check.numbers("X", X)
        side = _side_of("X", rows.shape[-1])
        outputs = [learner.predict_proba(rows, rng) for _ in range(check.positive_int("samples", samples))]
        return cls(rows.reshape(-1, side, side), np.asarray(y, dtype=np.int64), np.stack(outputs, axis=1))

    @property
    def votes(self) -> NDArray[np.int64]:
        """Number of samples for each class, shape ``(picture, class)``: each is for its largest output."""
        chosen = self.outputs.argmax(axis=2)
        return np.asarray((chosen[:, :, None] == np.arange(self.outputs.shape[2])).sum(axis=1))

    @property
    def missed(self) -> NDArray[np.bool_]:
        """True where the vote on a picture is wrong."""
        return np.asarray(self.votes.argmax(axis=1) != self.truth)

    def missed_at_the_ends(self, share: float) -> tuple[float, float]:
        """Return the share of wrong votes among the pictures with the most doubt, and among those with the least."""
        order, many = np.argsort(self.votes.max(axis=1), kind="stable"), int(share * len(self.truth))
        return float(self.missed[order[:many]].mean()), float(self.missed[order[-many:]].mean())

    def called(self, picture: int) -> str:
        """Return the class of a picture, with its article."""
        return f"{'an' if self.truth[picture] == 8 else 'a'} {self.truth[picture]}"

    def tally(self, picture: int) -> str:
        """Return the votes that were cast on a picture, most first."""
        votes = self.votes[picture]
        order = [k for k in np.argsort(-votes, kind="stable") if votes[k]]
        return ", ".join(f"{votes[k]} for {k}" for k in order[:2]) + (" …" if len(order) > 2 else "")


@figure()
def draw_opinions(found: Opinions) -> tuple[Figure, str]:
    """Draw each picture above a map of the outputs: a row for each drawn network, a dot on its vote."""
    count = len(found.pictures)
    picture, places = panels(2, count, (min(COLUMN, 1.6 * count + 0.8), 3.6), height_ratios=(1, 1.5))
    size = 0.7 * rcParams["lines.markersize"]
    for i, (above, outputs) in enumerate(zip(places[:count], places[count:], strict=True)):
        above.imshow(found.pictures[i], cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        above.set(title=found.called(i), xticks=[], yticks=[])
        above.spines[:].set_visible(True)
        image = outputs.imshow(found.outputs[i], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto")
        votes = found.outputs[i].argmax(axis=1)
        outputs.plot(votes, np.arange(len(votes)), ls="none", marker="o", ms=size, color=palette.POSTERIOR)
        outputs.set(xticks=range(found.outputs.shape[2]), yticks=[])
        outputs.set_xlabel(found.tally(i), fontsize="small")
        outputs.tick_params(length=0, pad=1, labelsize="small")
    places[count].set_ylabel("a row: one drawn network\ndot: its vote")
    picture.colorbar(image, ax=places[-1], label="output", fraction=0.1)
    votes = "; ".join(f"on {found.called(i)}, {found.tally(i)}" for i in range(count))
    return picture, f"{found.outputs.shape[1]} networks drawn from the belief vote on {count} digits: {votes}."


@figure()
def draw_activity(activities: Mapping[str, ArrayLike]) -> tuple[Figure, str]:
    """Draw activities of hidden units, such as `MLP.hidden` gives, one panel for each name: pictures are rows.

    Units are in the order of their mean. One that does the same for every picture is an upright stripe.
    """
    if not activities:
        raise ValueError("activities must have at least one panel, but there is none.")
    found = {name: check.numbers(f"activities[{name!r}]", rows) for name, rows in activities.items()}
    picture, places = panels(1, len(found), (min(COLUMN, 2.4 * len(found) + 0.6), 2.7))
    for ax, (name, rows) in zip(places, found.items(), strict=True):
        order = np.argsort(rows.mean(axis=0), kind="stable")
        shown: dict[str, Any] = {"cmap": palette.GROWING, "aspect": "auto", "interpolation": "nearest"}
        image = ax.imshow(rows[:, order], vmin=0, vmax=1, **shown)
        ax.set(title=f"{name}\n{constant_share(rows):.0%} of units constant", xticks=[], yticks=[])
        ax.set_xlabel("hidden units, by their mean")
    places[0].set_ylabel("pictures")
    picture.colorbar(image, ax=places[-1], label="activity")
    shares = "; ".join(f"{name}, {constant_share(rows):.0%}" for name, rows in found.items())
    return picture, f"Hidden units that say the same of every picture are upright stripes, of all units: {shares}."


def constant_share(rows: ArrayLike, still: float = STILL) -> float:
    """Return the share of units (columns) whose activity varies over the pictures (rows) with a std below ``still``.

    >>> constant_share([[0.0, 1.0], [1.0, 1.0]])
    0.5
    """
    found = check.numbers("rows", rows)
    if found.ndim != 2 or not found.size:
        raise ValueError(f"rows must have one row per picture and a column per unit, but it has shape {found.shape}.")
    return float(np.mean(found.std(axis=0) < still))
