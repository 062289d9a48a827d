"""Curves over several runs: of recorded runs, of the paper's demonstration, and of anything that was measured."""

from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import StrMethodFormatter

from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, name_ends, series_for
from bflo_viz.figures.style import draws, look, new_panels, set_alt_text
from bflo_viz.scenes.curves import LearningCurves, Panel, band, learning_curves
from bflo_viz.scenes.online import DemonstrationScene, demonstration, quantiles


@draws(learning_curves)
def draw_learning_curves(scene: LearningCurves, *, style: str = "paper") -> Figure:
    """Draw mistakes and entropy of each learner, the mean of its runs with a band of one standard error.

    In place of a scene it takes the records themselves, by the names of learners.
    """
    return draw_panels(*scene.panels, style=style)


@draws(demonstration)
def draw_demonstration(scene: DemonstrationScene, *, style: str = "paper") -> Figure:
    """Draw mistakes so far and entropies over rounds (a figure that is commented out in the paper's source).

    Mistakes are a mean with a band of one standard error. Entropies are a median with a band from the 10th to the
    90th percentile of runs: that of a diagonal belief dips so deep, now and then, that it would rule a mean.
    """
    figure, places = new_panels((1, 2), (9.0, 3.4), style)
    mistakes, entropies = places
    for name, error in scene.error.items():
        draw_band(mistakes, scene.rounds[1:], *band(error), name, palette.SERIES[name])
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
    entropies.set_title(f"Entropies settle: {first} first, {last} last")
    entropies.set_ylabel("entropy of the belief (nats)\nmedian, 10th to 90th percentile")
    small = {"transform": entropies.transAxes, "fontsize": rcParams["xtick.labelsize"], "linespacing": 1.4}
    entropies.text(0.02, 0.02, f"SGD has no belief.\n{scene.dip()}".strip(), **small)
    name_ends(places)
    return figure


def draw_panels(*scenes: Panel, same_scale: bool = True, style: str = "paper") -> Figure:
    """Draw panels side by side; a name looks the same in all of them.

    ``same_scale`` gives panels that measure the same (the same ``ylabel``) the same scale.
    """
    if not scenes:
        raise ValueError("panels must be at least one, but there is none.")
    styles = series_for(dict.fromkeys(name for panel in scenes for name in panel.curves))
    with look(style):
        figure, places = new_panels((1, len(scenes)), (4.2 * len(scenes), 3.2), style)
        for ax, panel in zip(places, scenes, strict=True):
            _draw_panel(ax, panel, styles)
        said = {panel.runs_in_words() for panel in scenes}
        for ax, panel in zip(places, scenes, strict=True):
            what = f"{panel.xlabel}\n({panel.runs_in_words()})" if len(said) > 1 or len(scenes) == 1 else panel.xlabel
            ax.set_xlabel(what)
        if len(said) == 1 and len(scenes) > 1:
            figure.supxlabel(f"({said.pop()})", fontsize=rcParams["xtick.labelsize"])
        for label in {panel.ylabel for panel in scenes} if same_scale else ():
            alike = [ax for ax, panel in zip(places, scenes, strict=True) if panel.ylabel == label]
            low, high = zip(*(ax.get_ylim() for ax in alike), strict=True)
            for ax in alike:
                ax.set_ylim(min(low), max(high))
        name_ends(places)
    set_alt_text(figure, " ".join(panel.words() for panel in scenes))
    return figure


def _draw_panel(ax: Axes, panel: Panel, styles: dict[str, palette.Series]) -> None:
    for place in panel.events:
        ax.axvline(place, color=palette.FAINT, lw=0.8, zorder=0)
    if panel.ideal is not None:
        ax.plot(panel.places, np.asarray(panel.ideal), color=palette.PRIOR, lw=0.8, label="_ideal", zorder=0)
    for name, runs in panel.curves.items():
        draw_band(ax, panel.places, *band(runs), name, styles[name])
    if panel.log:
        ax.set_xscale("log")
        ax.set_xticks(panel.places, [f"{place:g}" for place in panel.places])
        ax.set_xticks([], minor=True)
    ax.set(ylabel=panel.ylabel, title=panel.title)
    if panel.log_y:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.set_ylim(bottom=panel.bottom)
    if panel.counts:
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.1 * (high - low), high)  # so that none is written over the axis
        _write_counts(ax, panel, styles)


def _write_counts(ax: Axes, panel: Panel, styles: dict[str, palette.Series]) -> None:
    """Write beside each mark of how many it is the mean: above for the upper curve, below for the others."""
    means = {name: band(runs)[0] for name, runs in panel.curves.items()}
    top = np.fmax.reduce(list(means.values()))
    for name, mean in means.items():
        count = np.sum(~np.isnan(np.asarray(panel.curves[name], dtype=float)), axis=0)
        for x, y, n, highest in zip(panel.places, mean, count, top, strict=True):
            if n:
                side: dict[str, Any] = {
                    "xytext": (0, 9 if y == highest else -9),
                    "va": "bottom" if y == highest else "top",
                }
                font: dict[str, Any] = {
                    "color": palette.line_color(styles[name].color),
                    "fontsize": rcParams["xtick.labelsize"],
                    "path_effects": [withStroke(linewidth=2.5, foreground="white")],
                }
                ax.annotate(str(n), (x, y), textcoords="offset points", ha="center", **side, **font)
