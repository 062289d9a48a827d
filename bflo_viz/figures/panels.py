"""Panels of curves: what was measured in several runs, over anything (rounds, weights, labels, probabilities)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.curves import draw_band, name_ends, series_for
from bflo_viz.figures.style import look, panels, set_alt_text
from bflo_viz.scenes.curves import Panel


def draw_panels(*scenes: Panel, same_scale: bool = True, axes: Any = None, style: str = "paper") -> Figure:
    """Draw panels side by side; a name looks the same in all of them.

    ``same_scale`` gives panels that measure the same (the same ``ylabel``) the same scale. ``axes``, if given, are
    one a panel.
    """
    if not scenes:
        raise ValueError("panels must be at least one, but there is none.")
    styles = series_for(dict.fromkeys(name for panel in scenes for name in panel.curves))
    with look(style):
        figure, places = panels(axes, (1, len(scenes)), (4.2 * len(scenes), 3.2), style)
        for ax, panel in zip(places, scenes, strict=True):
            _draw(ax, panel, styles)
        for label in {panel.ylabel for panel in scenes} if same_scale else ():
            _scale_alike([ax for ax, panel in zip(places, scenes, strict=True) if panel.ylabel == label])
        name_ends(places)
    set_alt_text(figure, " ".join(panel.words() for panel in scenes))
    return figure


def _draw(ax: Axes, panel: Panel, styles: dict[str, palette.Series]) -> None:
    for place in panel.events:
        ax.axvline(place, color=palette.FAINT, lw=0.8, zorder=0)
    if panel.ideal is not None:
        ax.plot(panel.places, np.asarray(panel.ideal), color=palette.PRIOR, lw=0.8, label="_ideal", zorder=0)
    for name in panel.curves:
        mean, error = panel.summary(name)
        draw_band(ax, panel.places, mean, mean - error, mean + error, name, styles[name])
    if panel.log:
        ax.set_xscale("log")
        ax.set_xticks(panel.places, [f"{place:g}" for place in panel.places])
        ax.set_xticks([], minor=True)
    ax.set(xlabel=panel.xlabel, ylabel=f"{panel.ylabel}\n{panel.runs_in_words()}", title=panel.title)


def _scale_alike(axes: Sequence[Axes]) -> None:
    limits = np.array([ax.get_ylim() for ax in axes])
    for ax in axes:
        ax.set_ylim(limits[:, 0].min(), limits[:, 1].max())
