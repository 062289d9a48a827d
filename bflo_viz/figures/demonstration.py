"""The paper's demonstration in two dimensions: mistake curves and entropies (its commented-out figure)."""

from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, mean_and_band, name_ends
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.online import DemonstrationScene, demonstration, quantiles


@draws(demonstration)
def draw_demonstration(scene: DemonstrationScene, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw mistakes so far and entropies over rounds; ``axes``, if given, are two.

    Mistakes are a mean with a band of one standard error. Entropies are a median with a band from the 10th to the
    90th percentile of runs: that of a diagonal belief dips so deep, now and then, that it would rule a mean.
    """
    figure, places = panels(axes, (1, 2), (9.0, 3.4), style)
    mistakes, entropies = places
    for name, error in scene.error.items():
        draw_band(mistakes, scene.rounds[1:], *mean_and_band(error), name, palette.SERIES[name])
    for name, entropy in scene.entropy.items():
        low, middle, high = quantiles(entropy)
        draw_band(entropies, scene.rounds, middle, low, high, name, palette.SERIES[name])
    for ax in places:
        ax.set(xlabel="round", xlim=(0, 1.02 * scene.rounds[-1]))
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ends, when = scene.ends, scene.arrivals
    mistakes.set_title(f"{min(ends, key=ends.__getitem__)} errs least, {max(ends, key=ends.__getitem__)} most")
    mistakes.set_ylim(bottom=0)
    mistakes.set_ylabel(f"mistakes so far (%)\nmean of {scene.runs} runs ± standard error")
    first, last = min(when, key=when.__getitem__), max(when, key=when.__getitem__)
    entropies.set_title(f"Beliefs narrow: {first} first, {last} last")
    entropies.set_ylabel("entropy of the belief (nats)\nmedian, 10th to 90th percentile")
    note = f"SGD has no belief.\n{scene.dip()}".strip()
    entropies.text(
        0.02, 0.02, note, transform=entropies.transAxes, fontsize=rcParams["xtick.labelsize"], linespacing=1.4
    )
    name_ends(places)
    return figure
