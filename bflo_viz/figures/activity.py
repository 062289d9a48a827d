"""The hidden layer at work: activity of its units, a picture a row, a unit a column."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bflo_viz.figures import palette
from bflo_viz.figures.style import draws, panels
from bflo_viz.scenes.predictions import Activity, activity, constant_share


@draws(activity)
def draw_activity(scene: Activity, *, axes: Any = None, style: str = "paper") -> Figure:
    """Draw activities by their names, one panel each; units are in the order of their mean.

    A unit that does the same for every picture is an upright stripe. ``axes``, if given, are one a panel.
    """
    count = len(scene.panels)
    figure, places = panels(axes, (1, count), (3.0 * count + 0.6, 3.3), style)
    for ax, (name, rows) in zip(places, scene.panels.items(), strict=True):
        order = np.argsort(rows.mean(axis=0), kind="stable")
        image = ax.imshow(
            rows[:, order], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        ax.set(title=f"{name}\n{constant_share(rows):.0%} of units constant", xticks=[], yticks=[])
        ax.set_xlabel("hidden units, by their mean")
    places[0].set_ylabel("pictures")
    figure.colorbar(image, ax=places[-1], label="activity")
    return figure
