"""The paper's demonstration in two dimensions: mistake curves and entropies (its commented-out figure)."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.learning_curves import draw_band, mean_and_error, name_ends, number
from bflo_viz.figures.scenes.demonstration import Demonstration
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (9.0, 3.4), "slides": (15.0, 6.0)}
_DEEP = 5.0  # nats: a dip worth a word
_NEAR = 1.0  # nats: a belief has arrived when its entropy is that near to where it ends


def draw_demonstration(scene: Demonstration, *, axes: Sequence[Axes] | None = None, style: str = "paper") -> Figure:
    """Draw mistakes so far and entropies over rounds; ``axes``, if given, are two.

    Mistakes are a mean with a band of one standard error. Entropies are a median with a band from the 10th to the
    90th percentile of runs: that of a diagonal belief dips so deep, now and then, that it would rule a mean.
    """
    with look(style):
        if axes is None:
            figure = new_figure(*_SIZES[style])
            axes = [figure.add_subplot(1, 2, i + 1) for i in range(2)]
        mistakes, entropies = axes
        figure = mistakes.get_figure(root=True)  # type: ignore[assignment]
        for name, error in scene.error.items():
            draw_band(mistakes, scene.rounds[1:], *mean_and_error(error), name, palette.SERIES[name])
        for name, entropy in scene.entropy.items():
            low, middle, high = quantiles(entropy)
            draw_band(entropies, scene.rounds, middle, low, high, name, palette.SERIES[name])
        for ax in axes:
            ax.set(xlabel="round", xlim=(0, 1.02 * scene.rounds[-1]))
            ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ends = {name: error[:, -1].mean() for name, error in scene.error.items()}
        least, most = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
        mistakes.set(title=f"{least} errs least, {most} most")
        mistakes.set_ylim(bottom=0)
        mistakes.set_ylabel(f"mistakes so far (%)\nmean of {scene.runs} runs ± standard error")
        entropies.set_title(_entropy_title(scene))
        entropies.set_ylabel("entropy of the belief (nats)\nmedian, 10th to 90th percentile")
        small = rcParams["xtick.labelsize"]
        note = f"SGD has no belief.\n{_dip(scene)}".strip()
        entropies.text(0.02, 0.02, note, transform=entropies.transAxes, fontsize=small, linespacing=1.4)
        name_ends(axes)
    set_alt_text(figure, _in_words(scene))
    return figure


def quantiles(runs: Floats) -> tuple[Floats, Floats, Floats]:
    """10th percentile, median and 90th percentile over runs (rows)."""
    # Of runs there are, not between two: one may be minus infinity, of a width that underflowed for a moment.
    low, middle, high = np.quantile(runs, [0.1, 0.5, 0.9], axis=0, method="inverted_cdf")
    return low, middle, high


def _median(runs: Floats) -> Floats:
    return quantiles(runs)[1]


def _entropy_title(scene: Demonstration) -> str:
    when = _arrivals(scene)
    return f"Beliefs narrow: {min(when, key=when.__getitem__)} first, {max(when, key=when.__getitem__)} last"


def _dip(scene: Demonstration) -> str:
    """The deepest dip of a single run, if it is far below where that run ends."""
    name, runs = min(scene.entropy.items(), key=lambda item: float(item[1].min()))
    run, when = np.unravel_index(int(runs.argmin()), runs.shape)
    lowest, last = float(runs[run, when]), float(runs[run, -1])
    if last - lowest < _DEEP:
        return ""
    return f"One {name} belief dips to {number(lowest)}, and recovers."


def _arrivals(scene: Demonstration) -> dict[str, int]:
    """The round from which the median entropy is near the one it has in the last tenth."""
    found = {}
    for name, runs in scene.entropy.items():
        median = _median(runs)
        level = np.median(median[-max(1, len(median) // 10) :])
        found[name] = int(scene.rounds[np.flatnonzero(median <= level + _NEAR)[0]])
    return found


def _in_words(scene: Demonstration) -> str:
    errors = ", ".join(f"{name} {error[:, -1].mean():.1f} %" for name, error in scene.error.items())
    start = next(iter(scene.entropy.values()))[:, 0].mean()
    when = _arrivals(scene)
    falls = ", ".join(
        f"{name} to {number(_median(runs)[-1])} (within {_NEAR:g} nat of its last level by round {when[name]:,})"
        for name, runs in scene.entropy.items()
    )
    return f"""Left: share of mistakes so far, against the true labels, of four learners that saw {scene.flip:.0%} of
        the labels flipped; mean of {scene.runs} runs with a band of one standard error. After {scene.rounds[-1]:,}
        rounds it is: {errors}. Right: median entropy of the beliefs with a band from the 10th to the 90th percentile
        of runs. All start at {start:.2f} nats and fall: {falls}. SGD has no belief. {_dip(scene)}"""
