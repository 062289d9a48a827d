"""The hidden layer at work: activity of its units, a picture a row, a unit a column."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from bflo_viz._checks import Floats
from bflo_viz.figures import palette
from bflo_viz.figures.scenes.activity import STILL, constant_share
from bflo_viz.figures.style import look, new_figure, set_alt_text

_SIZES = {"paper": (3.0, 3.3), "slides": (4.9, 5.4)}  # of one panel


def draw_activity(
    activities: Mapping[str, ArrayLike], *, axes: Sequence[Axes] | None = None, style: str = "paper"
) -> Figure:
    """Draw activities by their names, one panel each; units are in the order of their mean.

    A unit that does the same for every picture is an upright stripe. ``axes``, if given, are one a panel.
    """
    if not activities:
        raise ValueError("activities must have at least one, but there is none.")
    panels = {name: np.asarray(rows, dtype=np.float64) for name, rows in activities.items()}
    with look(style):
        if axes is None:
            wide, tall = _SIZES[style]
            figure = new_figure(wide * len(panels) + 0.6, tall)
            axes = list(figure.subplots(1, len(panels), squeeze=False).ravel())
        figure = axes[0].get_figure(root=True)  # type: ignore[assignment]
        for ax, (name, rows) in zip(axes, panels.items(), strict=True):
            order = np.argsort(rows.mean(axis=0), kind="stable")
            image = ax.imshow(
                rows[:, order], cmap=palette.GROWING, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
            )
            ax.set(title=f"{name}\n{constant_share(rows):.0%} of units constant", xticks=[], yticks=[])
            ax.set_xlabel("hidden units, by their mean")
        axes[0].set_ylabel("pictures")
        figure.colorbar(image, ax=axes[-1], label="activity")
    set_alt_text(figure, _in_words(panels))
    return figure


def _in_words(panels: Mapping[str, Floats]) -> str:
    said = "; ".join(f"{name}, {constant_share(rows):.0%}" for name, rows in panels.items())
    return f"""Maps of the activity of hidden units, a picture a row, a unit a column. A unit that is constant is an
        upright stripe. Share of units whose activity deviates by less than {STILL:g}: {said}."""
