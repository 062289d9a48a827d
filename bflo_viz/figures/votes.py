"""A sketch, the votes of networks on it, the ink that decides, and doubt over learning."""

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Patch, Rectangle

from bflo_viz.figures import palette
from bflo_viz.figures.old_style import draws, new_panels
from bflo_viz.scenes.votes import CURVES, TITLES, DigitVotes, digit_votes


@draws(digit_votes)
def draw_digit_votes(scene: DigitVotes, *, style: str = "paper") -> Figure:
    """Draw the sketch, the votes (a dot for each network), what the networks see of it, and doubt over learning."""
    figure, (sketch, votes, decides, doubt) = new_panels((2, 2), (7.6, 6.6), style)
    sketch.imshow(scene.ink, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
    sketch.set(title="The sketch", xticks=[], yticks=[])
    sketch.spines[:].set_visible(True)
    _draw_votes(votes, scene)
    _draw_decides(decides, scene)
    _draw_doubt(doubt, scene)
    return figure


def _draw_votes(ax: Axes, scene: DigitVotes) -> None:
    digits, tally = np.arange(scene.votes.shape[1]), scene.votes[scene.moment]
    ax.bar(digits, scene.networks * scene.outputs, 0.8, fc=palette.FAINT, ec=palette.PRIOR, alpha=0.6)
    rank = np.concatenate([np.arange(n) for n in tally])  # three abreast, each as high as its number
    x = np.repeat(digits, tally.astype(np.intp)) + 0.24 * (rank % 3 - 1)
    ax.plot(x, rank + 0.5, ls="none", marker="o", ms=3.4, mew=0, color=palette.POSTERIOR)
    title = TITLES["votes"].format(most=tally.max(), networks=scene.networks, winner=scene.ranking[0])
    ax.set(title=title, xticks=digits, ylim=(0, 1.02 * scene.networks), ylabel="networks (dots)")
    ax.set_xlabel("digit; bar: output of the mean network, 0 to 1")


def _draw_decides(ax: Axes, scene: DigitVotes) -> None:
    """A mark for each cell with ink, as large as its share: squares speak for the winner, circles against it."""
    side, most = len(scene.seen), max(float(np.abs(scene.effect).max()), 1e-9)
    shades = colormaps[palette.AROUND]
    for row, column in np.argwhere(scene.seen >= 0.01):
        effect, half = scene.effect[row, column], 0.48 * min(1.0, float(scene.seen[row, column])) ** 0.5
        look = {"fc": shades(0.5 + 0.5 * effect / most), "ec": palette.INK, "lw": 0.4}
        mark: Patch = Circle((column, row), half, **look)
        if effect >= 0:
            mark = Rectangle((column - half, row - half), 2 * half, 2 * half, **look)
        ax.add_patch(mark)
    winner, second = scene.ranking[:2]
    ax.set_facecolor(palette.MIDDLE)
    ax.set(xlim=(-0.5, side - 0.5), ylim=(side - 0.5, -0.5), aspect="equal", xticks=[], yticks=[])
    ax.set_title(TITLES["decides"].format(winner=winner, second=second))


def _draw_doubt(ax: Axes, scene: DigitVotes) -> None:
    places, against = np.arange(len(scene.rounds)), 100 * (1 - scene.agreement)
    ax.plot(places, scene.errors, color=palette.PRIOR, ls="--", label=CURVES["test"])
    ax.plot(places, against, color=palette.POSTERIOR, label=CURVES["sketch"])
    ax.plot(scene.moment, against[scene.moment], "o", color=palette.POSTERIOR)
    ax.axvline(scene.moment, ymax=100 / 128, color=palette.INK, lw=0.8)
    labels = [f"{n:,}" for n in scene.rounds[::2]]
    ax.set(
        xticks=places[::2],
        xticklabels=labels,
        xlabel="digits learned",
        ylabel="percent",
        ylim=(0, 128),
        yticks=range(0, 101, 25),
    )
    rounds, share = f"{scene.rounds[scene.moment]:,}", f"{against[scene.moment]:.0f}"
    ax.set_title(TITLES["doubt"].format(share=share, rounds=rounds))
    ax.legend(loc="upper left")
